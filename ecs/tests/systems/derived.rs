//! `#[derive(SystemParam)]`: structs of parameters as parameters.

use std::marker::PhantomData;

use orrery_ecs::{
    Commands, Component, IntoSystem, Local, MutableComponent, ParamSet, Query, RemovedComponents,
    Res, ResMut, Resource, Serial, StateHash, System, SystemError, SystemParam, With, World,
};

use crate::support::{Num, Pos};

#[derive(Clone, Copy, Component)]
struct Tag;

#[derive(Clone, Debug, Default, PartialEq, Resource)]
struct Total(u32);

mod shown {
    use super::*;

    #[derive(Clone, Copy, Component)]
    pub(super) struct Open(pub(super) u32);

    #[derive(Clone, Copy, Component)]
    struct Hidden(u32);

    #[derive(Clone, Default, StateHash)]
    struct Seen(u32);

    /// More public than the types of its fields.
    #[derive(SystemParam)]
    pub(super) struct Shown<'w, 's> {
        hidden: Query<'w, 's, &'static Hidden, With<Open>>,
        seen: Local<'s, Seen>,
    }

    impl Shown<'_, '_> {
        pub(super) fn sum(&mut self) -> u32 {
            self.seen.0 += 1;
            self.seen.0 * 100 + self.hidden.iter().map(|hidden| hidden.0).sum::<u32>()
        }
    }

    pub(super) fn spawn(world: &mut World, value: u32) {
        world.spawn((Open(0), Hidden(value)));
    }
}

#[test]
fn a_parameter_may_be_more_public_than_what_it_is_made_of() {
    let system = |mut shown: shown::Shown, opens: Query<&shown::Open>, mut total: ResMut<Total>| {
        assert!(opens.iter().all(|open| open.0 == 0));
        total.0 = shown.sum();
    };
    let (mut world, mut system) = (World::new(), system.into_system());
    world.init_resource::<Total>();
    shown::spawn(&mut world, 3);
    shown::spawn(&mut world, 4);
    for expected in [107, 207] {
        system.run(&mut world, &Serial).expect("all there");
        assert_eq!(world.resource::<Total>().0, expected);
    }
}

/// Both lifetimes, one, the other, and none.
#[derive(SystemParam)]
struct Both<'w, 's>(Query<'w, 's, &'static Num>, One<'w>, Other<'s>, Nothing<u8>);

#[derive(SystemParam)]
struct One<'w> {
    total: Option<Res<'w, Total>>,
}

#[derive(SystemParam)]
struct Other<'s>(Local<'s, u32>);

#[derive(SystemParam)]
struct Nothing<T: Send + 'static = u32> {
    marker: PhantomData<T>,
}

#[derive(Clone, Resource)]
struct Numbered<const N: usize>;

/// A type parameter that is a parameter, one with a condition and a default, and a constant.
#[derive(SystemParam)]
struct Generic<'w, 's, P, T: MutableComponent = Num, const N: usize = 2>
where
    P: SystemParam + 'static,
    T: Copy,
{
    set: ParamSet<'w, 's, (P, Query<'w, 's, &'static mut T>)>,
    runs: Local<'s, u32>,
    numbered: Option<Res<'w, Numbered<N>>>,
}

#[test]
fn either_lifetime_may_be_left_out_and_types_may_be_parameters() {
    fn system(
        both: Both,
        mut generic: Generic<(ResMut<'static, Numbers>, Commands<'static, 'static>), Pos>,
    ) -> Result<(), String> {
        let (sum, none) = (both.0.iter().map(|num| num.0).sum::<u32>(), both.3.marker);
        assert_eq!((both.1.total.as_deref(), none), (None, PhantomData));
        assert_eq!(*both.2.0, 0);
        assert!(generic.numbered.is_none());
        *generic.runs += 1;
        let runs = *generic.runs;
        let (mut numbers, mut commands) = generic.set.p0();
        numbers.0.push(sum + runs);
        commands.spawn(Num(runs));
        Ok(())
    }
    fn write(mut generic: Generic<Query<'static, 'static, &'static Num>>) {
        let sum = generic.set.p0().iter().map(|num| num.0).sum::<u32>();
        generic.set.p1().for_each(|num| num.0 += sum);
    }
    #[derive(Clone, Default, Resource)]
    struct Numbers(Vec<u32>);
    let mut world = World::new();
    world.init_resource::<Numbers>();
    let (mut system, mut write) = (system.into_system(), write.into_system());
    for _ in 0..3 {
        system.run(&mut world, &Serial).expect("all there");
        write.run(&mut world, &Serial).expect("all there");
    }
    // 1 | 1 + 1 | 2, 2 | 4 + 2 | 6, 6 | 12 + 3
    assert_eq!(world.resource::<Numbers>().0, [1, 4, 15]);
}

#[test]
fn fields_of_nested_structs_are_checked_against_each_other() {
    #[derive(SystemParam)]
    struct Reads<'w, 's> {
        _nums: Query<'w, 's, &'static Num>,
    }
    #[derive(SystemParam)]
    struct Writes<'w, 's, T: MutableComponent>(Query<'w, 's, &'static mut T>);
    #[derive(SystemParam)]
    struct Clash<'w, 's> {
        _reads: Reads<'w, 's>,
        _inner: (Res<'w, Total>, Writes<'w, 's, Num>),
    }
    #[derive(SystemParam)]
    struct Apart<'w, 's> {
        _reads: Reads<'w, 's>,
        _writes: Writes<'w, 's, Pos>,
        _total: ResMut<'w, Total>,
    }
    fn clash(_: Clash) {}
    fn apart(all: Apart) {
        assert!(all._writes.0.is_empty());
    }
    fn beside(_: Apart, _: Res<Total>) {}
    let mut world = World::new();
    world.init_resource::<Total>();
    assert_eq!(world.run_system_once(apart), Ok(()));
    let before = world.state_hash();
    let refused = |result: Result<(), SystemError>, data: &str| {
        let error = result.expect_err("a conflict");
        assert!(matches!(&error, SystemError::Conflict(conflict) if conflict.data.contains(data)));
    };
    refused(world.run_system_once(clash), "Num");
    refused(world.run_system_once(beside), "Total");
    assert_eq!(world.state_hash(), before);
    // Two systems are told apart by the fields of their structs as well.
    let (mut apart, mut reads) = (apart.into_system(), (|_: Reads| ()).into_system());
    apart.initialize(&mut world).expect("no conflict");
    reads.initialize(&mut world).expect("no conflict");
    let mut poses = (|_: Query<&Pos>| ()).into_system();
    poses.initialize(&mut world).expect("no conflict");
    let of = |system: &dyn System| system.access().expect("initialized").clone();
    assert!(of(&apart).is_compatible(&of(&reads)));
    assert!(!of(&apart).is_compatible(&of(&poses)));
}

/// Everything that lives from run to run.
#[derive(SystemParam)]
struct Living<'w, 's> {
    runs: Local<'s, u32>,
    lost: RemovedComponents<'w, 's, Tag>,
    nums: Query<'w, 's, &'static mut Num>,
    commands: Commands<'w, 's>,
    total: ResMut<'w, Total>,
}

fn live(mut all: Living) -> Result<(), &'static str> {
    *all.runs += 1;
    all.total.0 += all.lost.read().count() as u32;
    all.nums.for_each(|num| num.0 += 1);
    all.commands.spawn(Num(*all.runs));
    if *all.runs == 3 {
        Err("planned")
    } else {
        Ok(())
    }
}

#[test]
fn a_fork_takes_along_what_the_fields_keep_and_both_go_on_equally() {
    let mut world = World::new();
    world.init_resource::<Total>();
    let mut system = live.into_system();
    system.run(&mut world, &Serial).expect("the first run");
    let tagged = world.spawn(Tag).id();
    world.despawn(tagged).expect("it lives");
    let mut fork = world.fork().expect("everything is Clone");
    for world in [&mut world, &mut fork] {
        system.run(world, &Serial).expect("the second run");
        assert_eq!(world.resource::<Total>(), &Total(1));
    }
    assert_eq!(world.state_hash(), fork.state_hash());
    fork.spawn(Num(7));
    assert_ne!(world.state_hash(), fork.state_hash());
}

#[test]
fn a_run_that_fails_does_not_count_for_any_field() {
    let mut world = World::new();
    world.init_resource::<Total>();
    let mut system = live.into_system();
    for _ in 0..2 {
        system.run(&mut world, &Serial).expect("planned for later");
    }
    let (tagged, before) = (world.spawn(Tag).id(), world.len() - 1);
    world.despawn(tagged).expect("it lives");
    system.run(&mut world, &Serial).expect_err("planned");
    assert_eq!((world.len(), world.resource::<Total>().0), (before, 1));
    // What was lost is read again, since the run before has read nothing.
    system.run(&mut world, &Serial).expect("only once");
    assert_eq!((world.len(), world.resource::<Total>().0), (before + 1, 2));
}

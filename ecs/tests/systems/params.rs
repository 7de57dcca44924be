//! What systems may ask for.
#![allow(
    clippy::type_complexity,
    reason = "parameters are written out, as users write them"
)]

use orrery_ecs::{
    Commands, Component, Entity, In, IntoSystem, Local, ParamSet, Query, QueryError, Res, ResMut,
    Resource, Serial, Single, System, SystemError, SystemParam, SystemParamFunction, With, Without,
    World,
};

use crate::support::{Num, Pos, ignore, panic_of};

#[derive(Clone, Copy, Component)]
struct Tag;

#[derive(Clone, Debug, Default, Resource)]
struct Value(u32);

/// A resource type for each number.
#[derive(Clone, Default, Resource)]
struct Numbered<const N: usize>(usize);

const ORIGIN: Pos = Pos {
    x: 0.0,
    y: 0.0,
    z: 0.0,
};

fn world() -> World {
    let mut world = World::new();
    world.spawn_batch((0..10).map(|i| (Num(i), ORIGIN)));
    world.spawn_batch((0..5).map(|i| (Num(i), Tag)));
    world.insert_resource(Value(1));
    world
}

fn sum(world: &World) -> u32 {
    let nums = (0..).map_while(|index| world.entity_at(index));
    nums.filter_map(|entity| world.get::<Num>(entity))
        .map(|num| num.0)
        .sum()
}

#[test]
fn a_set_gives_parameters_that_exclude_each_other_one_at_a_time() {
    fn system(
        mut set: ParamSet<(
            Query<&mut Num, With<Pos>>,
            Query<&mut Num>,
            &World,
            ResMut<Value>,
            Res<Value>,
            (Commands, Local<u32>),
        )>,
    ) {
        set.p0().for_each(|num| num.0 += 10);
        set.p1().for_each(|num| num.0 += 1);
        let total = sum(set.p2());
        set.p3().0 = total;
        assert_eq!(set.p4().0, total);
        let (mut commands, mut runs) = set.p5();
        *runs += 1;
        commands.spawn(Num(*runs * 1000));
        set.p0().for_each(|num| num.0 += 10);
    }
    let (mut world, mut system) = (world(), system.into_system());
    let before = sum(&world);
    system.run(&mut world, &Serial).expect("a set allows it");
    assert_eq!(world.resource::<Value>().0, before + 115);
    assert_eq!(sum(&world), before + 215 + 1000);
    system.run(&mut world, &Serial).expect("a set allows it");
    assert_eq!(sum(&world), before + 2 * 215 + 1 + 1000 + 2000);
}

/// What a run is to write is unshared when it begins. A fork made in the middle shared it again,
/// and the next write went into both worlds.
#[test]
fn a_world_that_a_set_writes_is_not_forked_in_the_middle() {
    fn value(mut set: ParamSet<(ResMut<Value>, &World)>) {
        set.p0().0 += 1;
        let message = set.p1().fork().err().expect("it is written").to_string();
        assert!(message.contains("::value"), "{message}");
        set.p0().0 += 1;
    }
    let mut world = world();
    world.run_system_once(value).expect("one at a time");
    let reads = |world: &World| world.fork().is_ok();
    let writes = |In(forked): In<bool>, mut value: ResMut<Value>| value.0 += u32::from(forked);
    assert_eq!(world.run_system_once(reads.pipe(writes)), Ok(()));
    assert_eq!(world.resource::<Value>().0, 3);
    assert!(world.fork().is_ok());
    let quiet = |In(forked): In<bool>, nums: Query<&Num>| forked && !nums.is_empty();
    assert_eq!(world.run_system_once(reads.pipe(quiet)), Ok(true));
    let panics = |_: In<bool>, _: ResMut<Value>| panic!("planned");
    assert!(panic_of(|| ignore(world.run_system_once(reads.pipe(panics)).is_ok())).is_some());
    assert!(world.fork().is_ok());
}

#[test]
fn a_set_shares_data_with_nothing_outside_it() {
    let conflict =
        |result: Result<(), SystemError>| matches!(result, Err(SystemError::Conflict(_)));
    let mut world = world();
    fn before(_: Query<&Num>, _: ParamSet<(Query<&mut Num>, Query<&Pos>)>) {}
    fn after(_: ParamSet<(Query<&mut Num>, Query<&Pos>)>, _: Query<&Num>) {}
    fn sets(_: ParamSet<(Query<&mut Num>,)>, _: ParamSet<(Query<&Pos>, Query<&Num>)>) {}
    fn inside(_: ParamSet<((Query<&mut Num>, Query<&Num>), Query<&Pos>)>) {}
    fn apart(_: ParamSet<(Query<&mut Num>, Query<&Num>)>, _: Query<&mut Pos>) {}
    assert!(conflict(world.run_system_once(before)));
    assert!(conflict(world.run_system_once(after)));
    assert!(conflict(world.run_system_once(sets)));
    assert!(conflict(world.run_system_once(inside)));
    assert_eq!(world.run_system_once(apart), Ok(()));
}

#[test]
fn sixteen_parameters_and_tuples_inside_tuples_are_taken() {
    let mut world = world();
    macro_rules! numbered {
        ($($n:literal)*) => {
            $(world.insert_resource(Numbered::<$n>($n));)*
        };
    }
    numbered!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
    #[allow(clippy::too_many_arguments, reason = "the most there may be")]
    fn sixteen(
        a: Res<Numbered<0>>,
        b: Res<Numbered<1>>,
        c: Res<Numbered<2>>,
        d: Res<Numbered<3>>,
        e: Res<Numbered<4>>,
        f: Res<Numbered<5>>,
        g: Res<Numbered<6>>,
        h: Res<Numbered<7>>,
        i: Res<Numbered<8>>,
        j: Res<Numbered<9>>,
        k: Res<Numbered<10>>,
        l: Res<Numbered<11>>,
        m: Res<Numbered<12>>,
        n: Res<Numbered<13>>,
        o: Res<Numbered<14>>,
        mut p: ResMut<Numbered<15>>,
    ) {
        p.0 = [
            a.0, b.0, c.0, d.0, e.0, f.0, g.0, h.0, i.0, j.0, k.0, l.0, m.0, n.0, o.0,
        ]
        .iter()
        .sum();
    }
    world.run_system_once(sixteen).expect("all there");
    assert_eq!(world.resource::<Numbered<15>>().0, (0..15).sum::<usize>());
    type Pair<'w> = (Res<'w, Numbered<1>>, Option<Res<'w, Numbered<99>>>);
    let nested = |(mut a, (b, missing)): (ResMut<Value>, Pair), (): ()| {
        assert!(missing.is_none());
        a.0 = b.0 as u32 + 5;
    };
    world.run_system_once(nested).expect("all there");
    assert_eq!(world.resource::<Value>().0, 6);
}

#[test]
fn the_whole_world_can_be_read_beside_everything_that_does_not_write() {
    let mut world = world();
    let reads = |nums: Query<&Num>, world: &World, value: Res<Value>, mut runs: Local<u32>| {
        *runs += 1;
        assert_eq!(world.resource::<Value>().0, value.0);
        nums.len() == 15
            && world.len() == 15
            && sum(world) == nums.iter().map(|num| num.0).sum::<u32>()
    };
    assert_eq!(world.run_system_once(reads), Ok(true));
    let spawns = |world: &World, mut commands: Commands| {
        commands.spawn(Num(1));
        world.len()
    };
    assert_eq!(world.run_system_once(spawns), Ok(15));
    assert_eq!(world.len(), 16);
}

#[derive(SystemParam)]
struct Counter<'w, 's> {
    tagged: Query<'w, 's, &'static mut Num, With<Tag>>,
    value: ResMut<'w, Value>,
    runs: Local<'s, u32>,
}

impl Counter<'_, '_> {
    fn count(&mut self) {
        *self.runs += 1;
        let runs = *self.runs;
        self.tagged.for_each(|num| num.0 += runs);
        self.value.0 += self.tagged.len() as u32;
    }
}

/// Type parameters, tuples and other derived parameters inside.
#[derive(SystemParam)]
struct Outer<'w, 's, R: Resource, const N: usize>(
    Counter<'w, 's>,
    (Option<Res<'w, R>>, Res<'w, Numbered<N>>),
    Commands<'w, 's>,
);

#[derive(SystemParam)]
struct Nothing;

#[test]
fn a_struct_of_parameters_is_a_parameter() {
    fn system(mut all: Outer<Numbered<2>, 3>, _: Nothing, others: Query<&Num, Without<Tag>>) {
        all.0.count();
        assert!(all.1.0.is_none());
        let next = all.1.1.0 as u32 + others.len() as u32;
        all.2.spawn(Num(next));
    }
    let (mut world, mut system) = (world(), system.into_system());
    world.insert_resource(Numbered::<3>(7));
    let before = sum(&world);
    for _ in 0..2 {
        system.run(&mut world, &Serial).expect("all there");
    }
    assert_eq!(world.resource::<Value>().0, 11);
    assert_eq!(sum(&world), before + (5 + 10) + (7 + 10) + (7 + 11));
    world.remove_resource::<Numbered<3>>();
    let error = system
        .run(&mut world, &Serial)
        .expect_err("Numbered<3> is gone");
    assert!(error.to_string().contains("params::Numbered"), "{error}");
}

#[test]
fn a_struct_of_parameters_conflicts_as_its_fields_do() {
    #[derive(SystemParam)]
    struct Twice<'w, 's> {
        _a: Query<'w, 's, &'static mut Num>,
        _b: Query<'w, 's, &'static Num>,
    }
    fn inside(_: Twice) {}
    fn beside(_: Counter, _: Query<&Num>) {}
    for error in [
        world().run_system_once(inside).expect_err("a conflict"),
        world().run_system_once(beside).expect_err("a conflict"),
    ] {
        assert!(error.to_string().contains("support::Num"), "{error}");
    }
}

#[test]
fn single_gives_the_one_entity_and_refuses_none_and_several() {
    fn system(mut one: Single<(Entity, &mut Num), Without<Pos>>, mut log: ResMut<Value>) {
        one.1.0 += 1;
        let (entity, num) = one.into_inner();
        log.0 = num.0 * 100 + entity.index();
    }
    fn maybe(one: Option<Single<&Num, Without<Pos>>>) -> Option<u32> {
        one.map(|num| num.0)
    }
    let mut world = World::new();
    world.insert_resource(Value(0));
    world.spawn((Num(5), ORIGIN));
    let error = world.run_system_once(system).expect_err("there is none");
    assert!(error.to_string().contains("::system"), "{error}");
    let query = |error: SystemError| match error {
        SystemError::Single { source, .. } => source,
        other => panic!("{other}"),
    };
    let source = query(error);
    assert!(matches!(source, QueryError::NoneMatch { query } if query.contains("Without<")));
    assert_eq!(world.run_system_once(maybe), Ok(None));
    let one = world.spawn(Num(7)).id();
    world.run_system_once(system).expect("there is one");
    assert_eq!(world.resource::<Value>().0, 800 + one.index());
    assert_eq!(world.run_system_once(maybe), Ok(Some(8)));
    world.spawn((Num(9), Tag));
    let before = (world.state_hash(), world.change_tick());
    let several = query(world.run_system_once(system).expect_err("there are two"));
    assert!(matches!(several, QueryError::ManyMatch { .. }));
    let several = query(world.run_system_once(maybe).expect_err("there are two"));
    assert!(matches!(several, QueryError::ManyMatch { .. }));
    assert_eq!((world.state_hash(), world.change_tick()), before);
}

#[test]
fn a_closure_keeps_what_it_captured() {
    let (mut world, mut calls) = (world(), 0);
    let system = move |mut value: ResMut<Value>| {
        calls += 1;
        value.0 = calls;
    };
    let mut system = system.into_system();
    for expected in 1..4 {
        system.run(&mut world, &Serial).expect("all there");
        assert_eq!(world.resource::<Value>().0, expected);
    }
}

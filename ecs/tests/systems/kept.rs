//! `Kept` and `KeptMut`: what parameters of other crates are built on.

use orrery_ecs::{
    Add, Answers, Component, IntoSystem, Keep, KeepMut, Kept, KeptMut, Late, On, ParamOwner,
    ParamSet, Query, RemovedComponents, Res, ResMut, Resource, Serial, Stage, System, SystemAccess,
    SystemError, SystemId, Ticks, World,
};

use crate::support::{Num, ignore, panic_of};

/// What happened to all keepers, in order, and whether they may run.
#[derive(Clone, Debug, Default, Resource)]
struct Log {
    lines: Vec<String>,
    is_closed: bool,
}

#[derive(Clone, Copy, Component)]
struct Tag;

struct Keeper {
    owner: ParamOwner,
    ticks: Vec<Ticks>,
    value: u32,
}

impl Keep for Keeper {
    type Resource = Log;

    fn name() -> &'static str {
        "Keeper"
    }

    fn attach(world: &mut World, owner: ParamOwner) -> Self {
        world.init_resource::<Log>();
        Self {
            owner,
            ticks: Vec::new(),
            value: 0,
        }
    }

    fn validate(&self, log: &Log) -> Result<(), String> {
        let open = (!log.is_closed).then_some(());
        open.ok_or(String::from("it is closed"))
    }

    fn begin(&mut self, ticks: Ticks) {
        self.ticks.push(ticks);
    }

    fn finish(&mut self, mut log: Late<'_, Log>) {
        let (number, value) = (self.owner.number, std::mem::take(&mut self.value));
        let line = format!("{number}: {value} after {}", log.get().lines.len());
        log.get_mut().lines.push(line);
    }

    fn discard(&mut self) {
        self.value = 0;
    }

    fn forget(mut log: Late<'_, Log>, system: SystemId) {
        log.get_mut().lines.push(format!("forgot {system:?}"));
    }
}

impl KeepMut for Keeper {
    fn begin_mut(&mut self, log: &mut Log) {
        log.lines.push(String::from("begun"));
    }
}

fn log(world: &World) -> &[String] {
    &world.resource::<Log>().lines
}

#[test]
fn a_keeper_is_told_of_each_run_and_those_of_one_system_are_told_apart() {
    fn system(mut a: Kept<Keeper>, mut b: Kept<Keeper>, nums: Query<&Num>) {
        a.split().1.value += 1;
        b.split().1.value += 10 * nums.len() as u32;
        assert_eq!(a.resource().lines.len(), b.resource().lines.len());
    }
    let (mut world, mut system) = (World::new(), system.into_system());
    world.spawn(Num(1));
    for _ in 0..2 {
        system.run(&mut world, &Serial).expect("nothing is closed");
    }
    assert_eq!(
        log(&world),
        [
            "0: 1 after 0",
            "1: 10 after 1",
            "0: 1 after 2",
            "1: 10 after 3"
        ]
    );
    // Another world, for which it is made anew, and a fork.
    let mut fork = world.fork().expect("everything is Clone");
    system.run(&mut fork, &Serial).expect("nothing is closed");
    system
        .run(&mut World::new(), &Serial)
        .expect("it makes what it needs");
    assert_eq!((log(&world).len(), log(&fork).len()), (4, 6));
}

#[test]
fn a_keeper_knows_its_system_and_the_ticks_of_its_runs() {
    let mut world = World::new();
    fn system(kept: Kept<Keeper>, _: RemovedComponents<Tag>) {
        let (ticks, kept) = (&kept.kept().ticks, kept.kept());
        assert!(kept.owner.name.ends_with("::system") && kept.owner.system.is_some());
        let after = |pair: &[Ticks]| pair[0].this_run == pair[1].last_run;
        assert!(ticks.windows(2).all(after), "{ticks:?}");
    }
    let mut system = system.into_system();
    for _ in 0..3 {
        system.run(&mut world, &Serial).expect("nothing is closed");
    }
    let once = |kept: Kept<Keeper>| {
        kept.kept().owner.system.is_none() && kept.kept().ticks[0].last_run == 0
    };
    assert_eq!(world.run_system_once(once), Ok(true));
}

#[test]
fn a_run_that_fails_or_is_refused_finishes_nothing() {
    let mut world = World::new();
    world.insert_resource(Runs(0));
    #[derive(Clone, Resource)]
    struct Runs(u32);
    fn system(mut kept: Kept<Keeper>, mut runs: ResMut<Runs>) -> Result<(), &'static str> {
        kept.split().1.value += 1;
        runs.0 += 1;
        if runs.0 == 1 { Err("planned") } else { Ok(()) }
    }
    let mut system = system.into_system();
    system.run(&mut world, &Serial).expect_err("planned");
    world.resource_mut::<Log>().is_closed = true;
    let error = system.run(&mut world, &Serial).expect_err("it is closed");
    assert!(matches!(&error, SystemError::Refused { reason, .. } if reason == "it is closed"));
    assert!(
        error.to_string().ends_with("::system: it is closed"),
        "{error}"
    );
    assert_eq!((log(&world).len(), world.resource::<Runs>().0), (0, 1));
    world.resource_mut::<Log>().is_closed = false;
    system.run(&mut world, &Serial).expect("it is open");
    assert_eq!(log(&world), ["0: 1 after 0"]);
    world.remove_resource::<Log>();
    let error = system.run(&mut world, &Serial).expect_err("it is gone");
    assert!(
        matches!(error, SystemError::MissingResource { .. }),
        "{error}"
    );
}

#[test]
fn members_of_a_set_keep_what_they_have_from_call_to_call() {
    let mut world = World::new();
    let system = |mut set: ParamSet<(Kept<Keeper>, Kept<Keeper>, KeptMut<Keeper>)>| {
        set.p0().split().1.value += 1;
        set.p1().split().1.value += 10;
        set.p2().resource_mut().lines.push(String::from("written"));
        set.p0().split().1.value += 1;
    };
    world.run_system_once(system).expect("nothing is closed");
    assert_eq!(
        log(&world),
        ["begun", "written", "0: 2 after 2", "1: 10 after 3"]
    );
}

#[test]
fn keepers_go_beside_each_other_and_who_has_the_resource_comes_before_or_after() {
    fn keeps(_: Kept<Keeper>) {}
    fn reads(_: Res<Log>) {}
    fn writes(_: KeptMut<Keeper>) {}
    let mut world = World::new();
    let access = |world: &mut World, system: &mut dyn System| -> SystemAccess {
        system.initialize(world).expect("no conflict");
        system.access().expect("it is initialized").clone()
    };
    let keeps = access(&mut world, &mut keeps.into_system());
    let [reads, writes] = [
        access(&mut world, &mut reads.into_system()),
        access(&mut world, &mut writes.into_system()),
    ];
    assert!(keeps.is_compatible(&keeps) && !keeps.must_follow(&keeps) && keeps.puts_off());
    for other in [&reads, &writes] {
        assert!(!keeps.is_compatible(other) && !other.is_compatible(&keeps));
        assert!(other.must_follow(&keeps) && !keeps.must_follow(other) && !other.puts_off());
    }
    let both = |_: Kept<Keeper>, _: KeptMut<Keeper>| ();
    let refused = world
        .run_system_once(both)
        .expect_err("one writes")
        .to_string();
    assert!(
        refused.contains("Keeper and Keeper both access"),
        "{refused}"
    );
    let beside = |kept: Kept<Keeper>, log: Res<Log>| kept.resource().lines.len() == log.lines.len();
    assert_eq!(world.run_system_once(beside), Ok(true));
}

#[test]
fn in_a_stage_all_keepers_finish_at_the_sync_point_in_their_order() {
    fn keeps(mut kept: Kept<Keeper>) {
        assert!(kept.resource().lines.is_empty());
        kept.split().1.value = 5;
    }
    let (mut world, mut stage) = (World::new(), Stage::default());
    stage.add_system(Box::new(keeps.into_system()), &[]);
    // It must follow, yet shares the sync point as those of one group do.
    let early = |log: Res<Log>| assert!(log.lines.is_empty());
    stage.add_system(Box::new(early.into_system()), &[]);
    let ran = stage.run(&mut world, &Serial, &Answers::default());
    ran.expect("nothing is closed");
    assert_eq!(log(&world), ["0: 5 after 0"]);
}

#[test]
fn a_keeper_cannot_put_another_world_beneath_the_parameters_of_its_system() {
    struct Swaps;
    impl Keep for Swaps {
        type Resource = Log;

        fn attach(world: &mut World, _: ParamOwner) -> Self {
            *world = World::new();
            world.init_resource::<Log>();
            Self
        }
    }
    let mut world = World::new();
    world.spawn(Num(3));
    let mut system = (|_: Kept<Swaps>, nums: Query<&Num>| ignore(nums.len())).into_system();
    for _ in 0..2 {
        let panic = panic_of(|| ignore(system.run(&mut world, &Serial).is_ok()));
        assert!(panic.is_some_and(|message| message.contains("replaced the world")));
    }
}

#[test]
fn keepers_hear_once_of_each_system_that_is_forgotten() {
    let mut world = World::new();
    let mut keeps = (|_: Kept<Keeper>, _: Kept<Keeper>| ()).into_system();
    let mut other = (|_: RemovedComponents<Tag>| ()).into_system();
    for system in [&mut keeps as &mut dyn System, &mut other] {
        system.initialize(&mut world).expect("no conflict");
    }
    let observer = world.add_observer(|_: On<Add, Tag>| ());
    let mut fork = world.fork().expect("everything is Clone");
    assert!(world.forget_system(&other) && world.forget_system(&keeps));
    assert!(!world.forget_system(&keeps));
    let forgot = |id: Option<SystemId>| format!("forgot {:?}", id.expect("it is initialized"));
    assert_eq!(log(&world), [forgot(other.id()), forgot(keeps.id())]);
    assert!(fork.remove_observer(observer) && log(&fork).len() == 1);
}

/// A log of removals knows its readers by the number of their system, which may be given away.
#[test]
fn a_system_that_is_forgotten_reads_no_removals_any_more() {
    let mut world = World::new();
    fn old(_: RemovedComponents<Tag>) {}
    fn new(mut lost: RemovedComponents<Tag>) -> Result<(), String> {
        let count = lost.read().count();
        (count == 0).then_some(()).ok_or(format!("{count} are old"))
    }
    let (mut old, mut new) = (old.into_system(), new.into_system());
    old.initialize(&mut world).expect("no conflict");
    let entity = world.spawn(Tag).id();
    world.despawn(entity).expect("it lives");
    assert!(world.forget_system(&old));
    new.initialize(&mut world).expect("no conflict");
    assert_eq!(new.id(), old.id());
    assert_eq!(new.run(&mut world, &Serial), Ok(()));
}

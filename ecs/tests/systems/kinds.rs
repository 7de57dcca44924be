//! The three kinds of system: functions of parameters, functions of a chunk, and exclusive ones.

use orrery_ecs::{
    BlockRunner, Chunk, Commands, Entity, Fields, IntoSystem, Query, Res, ResMut, Resource, Serial,
    System, SystemError, With, Without, World,
};

use crate::support::{Ledger, Named, Num, Parts, Pos, Threads, panic_of};

#[derive(Clone, Default, Debug, Resource)]
struct Step(f32);

#[derive(Clone, Default, Debug, Resource)]
struct Sum(u64);

fn world(count: u32) -> World {
    let mut world = World::new();
    let pos = |i: u32| Pos {
        x: i as f32,
        y: 1.0,
        z: 2.0,
    };
    world.spawn_batch((0..count).map(|i| (Num(i), pos(i))));
    world.spawn_batch((0..count / 2).map(|i| (Num(i), pos(i), Wide1(1))));
    world.insert_resource(Step(0.25));
    world.init_resource::<Sum>();
    world
}

#[derive(Clone, Copy, orrery_ecs::Component)]
struct Wide1(u8);

fn run<M>(world: &mut World, system: impl IntoSystem<M>) -> Result<(), SystemError> {
    system.into_system().run(world, &Serial)
}

fn drift(chunk: Chunk<(&mut Pos, &Num)>, step: Res<Step>) {
    let (positions, nums) = chunk.slices();
    for (pos, num) in positions.iter_mut().zip(nums) {
        pos.x += step.0 * num.0 as f32;
    }
}

fn count(query: Query<(&Num, Option<&Wide1>)>, mut sum: ResMut<Sum>) {
    sum.0 += query.iter().map(|(num, _)| u64::from(num.0)).sum::<u64>();
    assert_eq!(query.len(), query.iter().count());
}

fn double(mut rows: Query<(Entity, &mut Num), Without<Wide1>>, mut commands: Commands) {
    for (entity, num) in &mut rows {
        num.0 *= 2;
        if num.0 % 100 == 0 {
            commands.despawn(entity);
            commands.spawn(Num(num.0));
        }
    }
}

#[test]
fn a_chunk_system_sees_every_row_once_with_its_handle() {
    let mut world = world(10_000);
    world.insert_resource(Sum(0));
    let seen = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let list = seen.clone();
    let system = move |chunk: Chunk<&Num, With<Wide1>>| {
        assert!(!chunk.is_empty());
        let (entities, len) = (chunk.entities(), chunk.len());
        assert_eq!((entities.len(), chunk.slices().len()), (len, len));
        list.lock()
            .expect("no panic inside")
            .extend_from_slice(entities);
    };
    system
        .into_system()
        .run(&mut world, &Threads(3))
        .expect("no resources");
    let mut seen = std::mem::take(&mut *seen.lock().expect("no panic inside"));
    seen.sort();
    let mut all = world.query_filtered::<Entity, With<Wide1>>();
    assert!(all.iter(&world).eq(seen));
}

#[test]
fn a_function_system_reads_writes_and_its_commands_come_after_it() {
    let mut world = world(1000);
    run(&mut world, count).expect("all there");
    let before = u64::from(world.resource::<Sum>().0 as u32);
    assert_eq!(before, (0..1000).sum::<u64>() + (0..500).sum::<u64>());
    run(&mut world, double).expect("all there");
    assert_eq!(world.len(), 1500);
    run(&mut world, count).expect("all there");
    let doubled = 2 * (0..1000).sum::<u64>() + (0..500).sum::<u64>();
    assert_eq!(world.resource::<Sum>().0, before + doubled);
}

fn conflict<M>(system: impl IntoSystem<M>) -> String {
    let (mut world, mut system) = (world(10), system.into_system());
    let first = system.initialize(&mut world).expect_err("a conflict");
    assert!(matches!(first, SystemError::Conflict(_)));
    assert_eq!(system.run(&mut world, &Serial), Err(first.clone()));
    first.to_string()
}

#[test]
fn parameters_that_exclude_each_other_are_an_error_that_names_both() {
    let message = conflict(|_: Query<&mut Num>, _: Query<(&Pos, &Num)>| ());
    for part in ["&mut", "Pos, &", "support::Num", "system main::systems"] {
        assert!(message.contains(part), "{part} in {message}");
    }
    let message = conflict(|_: ResMut<Step>, _: Query<&Num>, _: Option<Res<Step>>| ());
    for part in ["ResMut<", "Option<", "Step"] {
        assert!(message.contains(part), "{part} in {message}");
    }
    conflict(|_: Query<Fields<&mut Parts>>, _: Query<Option<Fields<&Parts>>>| ());
    conflict(|_: Query<(&mut Num, &Num)>| ());
    conflict(|_: Query<&mut Num, With<Pos>>, _: Query<&mut Num, With<Wide1>>| ());
    conflict(|_: Query<(&mut Num, Option<&Pos>)>, _: Query<&Num, Without<Pos>>| ());
}

#[test]
fn one_system_runs_on_a_world_and_its_fork_in_turn() {
    let mut world = world(5000);
    let mut fork = world.fork().expect("it can be cloned");
    let mut systems: Vec<Box<dyn System>> = vec![
        Box::new(drift.into_system()),
        Box::new(double.into_system()),
        Box::new(count.into_system()),
    ];
    for _ in 0..3 {
        for system in &mut systems {
            system.run(&mut world, &Serial).expect("all there");
            system.run(&mut fork, &Threads(2)).expect("all there");
            assert_eq!(world.state_hash(), fork.state_hash());
        }
    }
    let mut twin = self::world(5000);
    for number in 0..9 {
        systems[number % 3]
            .run(&mut twin, &Serial)
            .expect("all there");
    }
    assert_eq!(world.state_hash(), twin.state_hash());
}

#[test]
fn a_resource_is_shared_by_a_fork_until_one_writes() {
    let mut world = world(10);
    let mut fork = world.fork().expect("it can be cloned");
    run(&mut fork, |mut step: ResMut<Step>| step.0 = 5.0).expect("it is there");
    let option = |step: Option<ResMut<Sum>>| step.expect("it is there").0 = 5;
    run(&mut fork, option).expect("it is there");
    assert_eq!(
        (world.resource::<Step>().0, world.resource::<Sum>().0),
        (0.25, 0)
    );
    assert_eq!(
        world.remove_resource::<Step>().map(|step| step.0),
        Some(0.25)
    );
    assert_eq!(
        fork.insert_resource(Step(7.0)).map(|step| step.0),
        Some(5.0)
    );
    assert!(world.get_resource::<Step>().is_none());
}

/// Runners may be anybody's: one that gave a block to two threads would have shared `&mut`.
#[test]
fn a_runner_that_does_not_do_its_work_is_found_out() {
    struct Twice;
    impl BlockRunner for Twice {
        fn for_each(&self, count: usize, body: &(dyn Fn(usize) + Sync)) {
            (0..count).chain([0]).for_each(body);
        }
    }
    struct Beyond;
    impl BlockRunner for Beyond {
        fn for_each(&self, count: usize, body: &(dyn Fn(usize) + Sync)) {
            body(count);
        }
    }
    struct Lazy;
    impl BlockRunner for Lazy {
        fn for_each(&self, count: usize, body: &(dyn Fn(usize) + Sync)) {
            (1..count).for_each(body);
        }
    }
    let runners: [(&dyn BlockRunner, &str); 3] = [
        (&Twice, "block 0 twice"),
        (&Beyond, "block 8 of 8"),
        (&Lazy, "7 blocks of 8"),
    ];
    for (runner, expected) in runners {
        let mut world = world(20_000);
        let message = panic_of(|| {
            drift
                .into_system()
                .run(&mut world, runner)
                .expect("all there");
        });
        assert!(
            message
                .as_deref()
                .is_some_and(|text| text.contains(expected)),
            "{message:?}"
        );
        let mut query = world.query::<&mut Num>();
        let mut view = query.view_mut(&mut world);
        let message = panic_of(|| view.par_for_each_chunk(runner, |nums| nums[0].0 += 1));
        assert!(message.is_some_and(|text| text.contains(expected)));
    }
}

#[test]
fn a_system_that_panics_leaves_the_world_usable() {
    let ledger = Ledger::default();
    let mut world = world(1000);
    let (names, mut fail) = (ledger.clone(), true);
    let system = move |mut query: Query<&mut Num>, mut commands: Commands| {
        commands.spawn(Named::new(1, &names));
        query.for_each(|num| num.0 += 1);
        assert!(!std::mem::take(&mut fail), "planned");
    };
    let mut system = system.into_system();
    assert!(panic_of(|| system.run(&mut world, &Serial).expect("all there")).is_some());
    assert!(world.query::<&Named>().view(&world).is_empty());
    system.run(&mut world, &Serial).expect("all there");
    assert_eq!(
        world.query::<&Named>().view(&world).len() as i64,
        ledger.alive()
    );
    drop((world, system));
    assert_eq!(ledger.alive(), 0);
}

//! One schedule and several worlds, and worlds that change under it.

use orrery_ecs::{
    Commands, Component, Entity, Local, Query, RemovedComponents, ResMut, Resource, Serial,
    StateHash, World,
};

use super::super::{IntoSystems, Schedule};
use super::{A, B, Log, note, world};

#[derive(Clone, Default, Resource, StateHash)]
struct Other(String);

/// Counts in steps of its own, so that it shows whose local is whose.
fn count(mut runs: Local<u64>, mut log: ResMut<Log>) {
    *runs = *runs * 3 + log.0.len() as u64 + 1;
    let runs = *runs;
    log.0.push(runs);
}

fn run(schedule: &mut Schedule, world: &mut World) {
    schedule.run(world, &Serial).expect("nothing fails");
}

/// Two systems of one function that run in another order than that of adding, and one that reads
/// what an earlier stage has removed.
fn schedule() -> Schedule {
    let mut schedule = Schedule::new("test");
    let strip = |all: Query<Entity, orrery_ecs::With<A>>, mut commands: Commands| {
        all.iter().for_each(|entity| commands.remove::<A>(entity));
    };
    let gone = |mut gone: RemovedComponents<A>, mut log: ResMut<Log>| {
        log.0.push(100 + gone.read().count() as u64);
    };
    schedule.add_systems((strip, gone));
    schedule.add_systems(count.in_set("first").after("second"));
    schedule.add_systems((note::<7>, count.in_set("second")).chain());
    schedule
}

fn filled() -> World {
    let mut world = world();
    world.spawn_batch((0..5).map(A));
    world
}

#[test]
fn a_schedule_that_has_run_elsewhere_gives_what_a_new_one_gives() {
    let mut used = schedule();
    run(&mut used, &mut filled());
    let (mut one, mut two) = (filled(), filled());
    let mut new = schedule();
    for _ in 0..3 {
        run(&mut new, &mut one);
        run(&mut used, &mut two);
        assert_eq!(one.resource::<Log>().0, two.resource::<Log>().0);
        assert_eq!(one.state_hash(), two.state_hash());
    }
    assert_eq!(one.resource::<Log>().0[0], 105);
}

#[test]
fn released_systems_find_their_own_locals_again() {
    let (mut schedule, mut kept) = (schedule(), schedule());
    let (mut world, mut twin) = (filled(), filled());
    for _ in 0..4 {
        run(&mut schedule, &mut world);
        run(&mut kept, &mut twin);
        assert_eq!(world.state_hash(), twin.state_hash());
        world.release_systems();
    }
}

#[test]
fn a_schedule_can_be_looked_at_with_another_world_between_two_runs() {
    let mut world = world();
    let mut schedule = Schedule::new("test");
    schedule.add_systems((note::<1>, note::<2>));
    for round in 1..4 {
        run(&mut schedule, &mut world);
        let mut other = World::new();
        // Numbers of resources mean something else there.
        other.init_resource::<Other>();
        let found = schedule.ambiguities(&mut other);
        assert_eq!(found.expect("nothing conflicts").len(), 1);
        assert_eq!(world.resource::<Log>().0.len(), round * 2);
    }
}

#[test]
fn stages_behind_one_that_goes_back_to_a_fork_run_on_the_fork() {
    #[derive(Clone, Copy, Component, StateHash)]
    struct Late;
    let mut schedule = Schedule::new("test");
    let kept = std::sync::Mutex::new(None);
    let rewind = move |world: &mut World| {
        let mut kept = kept.lock().expect("nobody panics");
        match kept.take() {
            None => *kept = Some(world.fork().expect("everything is Clone")),
            Some(fork) => *world = fork,
        }
    };
    let gone = |mut gone: RemovedComponents<Late>, mut log: ResMut<Log>| {
        log.0.push(gone.read().count() as u64);
    };
    let add = |mut commands: Commands| {
        commands.spawn((Late, B(1)));
    };
    let despawn = |all: Query<Entity, orrery_ecs::With<Late>>, mut commands: Commands| {
        all.iter().for_each(|entity| commands.despawn(entity));
    };
    schedule.add_systems((rewind, despawn, gone, add, count));
    let mut world = world();
    for _ in 0..4 {
        // Every other run goes back to where the one before it began, locals and readers too.
        run(&mut schedule, &mut world);
        let (hash, log) = (world.state_hash(), world.resource::<Log>().0.clone());
        run(&mut schedule, &mut world);
        assert_eq!(
            (world.state_hash(), &world.resource::<Log>().0),
            (hash, &log)
        );
    }
    assert_eq!(world.resource::<Log>().0, [0, 2, 1, 10, 1, 36, 1, 116]);
}

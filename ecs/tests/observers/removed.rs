//! Readers of removed components: each sees every entity once, however seldom it reads.

use orrery_ecs::{
    Commands, Entity, IntoSystem, Query, REMOVED_MAX, RemovedComponents, Res, ResMut, Resource,
    Serial, System, With, World,
};

use super::{Blue, Red, Tag};
use crate::support::{Ledger, Num, panic_of};

#[derive(Clone, Default, Resource)]
struct Seen(Vec<Entity>);

fn spawn(world: &mut World, count: u32) -> Vec<Entity> {
    world
        .spawn_batch((0..count).map(|i| (Num(i), Red)))
        .collect()
}

#[test]
fn every_reader_sees_each_removed_entity_once_and_in_order() {
    let mut world = World::new();
    let mut early = world.removed_reader::<Red>();
    let all = spawn(&mut world, 6);
    world.despawn(all[3]).expect("it lives");
    let mut late = world.removed_reader::<Red>();
    world.remove::<Red>(all[1]).expect("it lives");
    world.remove::<Red>(all[1]).expect("it lives");
    world.take::<Red>(all[0]).expect("it has one");
    assert_eq!(late.read(&mut world), [all[1], all[0]]);
    assert_eq!(late.read(&mut world), []);
    world.insert(all[1], Red).expect("it lives");
    world.remove::<(Red, Blue)>(all[1]).expect("it lives");
    assert_eq!(early.read(&mut world), [all[3], all[1], all[0], all[1]]);
    assert_eq!(late.read(&mut world), [all[1]]);
    world.clear();
    let rest = [all[2], all[4], all[5]];
    let sorted = |mut list: Vec<Entity>| {
        list.sort_unstable();
        list
    };
    assert_eq!(sorted(early.read(&mut world)), rest);
    assert_eq!(sorted(late.read(&mut world)), rest);
    assert_eq!((early.missed(&world), late.missed(&world)), (0, 0));
}

#[test]
fn bulk_changes_and_sparse_components_are_logged_too() {
    let (ledger, mut world) = (Ledger::default(), World::new());
    let mut reds = world.removed_reader::<Red>();
    let mut tags = world.removed_reader::<Tag>();
    let all = spawn(&mut world, 4);
    world.insert_where::<With<Num>, _>(Tag::new(1, &ledger));
    world.remove_where::<With<Num>, Red>();
    assert_eq!(reds.read(&mut world), all);
    world.remove::<Tag>(all[2]).expect("it lives");
    world.despawn_where::<With<Num>>();
    assert_eq!(tags.read(&mut world), [all[2], all[0], all[1], all[3]]);
    assert_eq!((reds.read(&mut world).len(), ledger.alive()), (0, 0));
    let all = spawn(&mut world, 4);
    world.insert_where::<With<Num>, _>(Tag::new(1, &ledger));
    world.remove_where::<With<Num>, (Tag, Red)>();
    assert_eq!(
        (reds.read(&mut world), tags.read(&mut world)),
        (all.clone(), all)
    );
}

fn collect(mut removed: RemovedComponents<Red>, mut seen: ResMut<Seen>) {
    seen.0.extend(removed.read());
    assert!(removed.is_empty());
}

#[test]
fn a_system_that_runs_seldom_misses_nothing_and_one_that_runs_often_sees_nothing_twice() {
    let mut world = World::new();
    world.init_resource::<Seen>();
    let (mut seldom, mut often) = (collect.into_system(), collect.into_system());
    for system in [&mut seldom, &mut often] {
        system.initialize(&mut world).expect("no conflict");
    }
    let all = spawn(&mut world, 10);
    for (number, &entity) in all.iter().enumerate() {
        world.despawn(entity).expect("it lives");
        often.run(&mut world, &Serial).expect("Seen is there");
        often.run(&mut world, &Serial).expect("Seen is there");
        let seen = std::mem::take(&mut world.resource_mut::<Seen>().0);
        assert_eq!(seen, [entity]);
        if number == 6 {
            seldom.run(&mut world, &Serial).expect("Seen is there");
            assert_eq!(
                std::mem::take(&mut world.resource_mut::<Seen>().0),
                all[..7]
            );
        }
    }
    seldom.run(&mut world, &Serial).expect("Seen is there");
    assert_eq!(world.resource::<Seen>().0, all[7..]);
}

/// How much a run reads, and how it ends.
#[derive(Clone, Resource)]
struct Plan {
    entities: usize,
    panics: bool,
}

#[test]
fn what_a_run_leaves_unread_or_panics_over_is_there_for_the_next() {
    let mut world = World::new();
    world.init_resource::<Seen>();
    let read = |mut removed: RemovedComponents<Red>, plan: Res<Plan>, mut seen: ResMut<Seen>| {
        seen.0.extend(removed.read().take(plan.entities));
        assert!(!plan.panics, "planned panic in a system");
    };
    let mut system = read.into_system();
    system.initialize(&mut world).expect("no conflict");
    let all = spawn(&mut world, 5);
    all.iter()
        .for_each(|&entity| world.despawn(entity).expect("it lives"));
    let mut run = |entities, panics| {
        world.insert_resource(Plan { entities, panics });
        let panic = panic_of(|| system.run(&mut world, &Serial).expect("both are there"));
        assert_eq!(panic.is_some(), panics);
        std::mem::take(&mut world.resource_mut::<Seen>().0)
    };
    assert_eq!(run(2, false), all[..2]);
    assert_eq!(run(2, true), all[2..4]);
    assert_eq!(run(1, false), all[2..3]);
    assert_eq!(run(9, false), all[3..]);
    assert_eq!(run(9, false), []);
}

#[test]
fn removals_by_the_commands_of_the_reading_system_come_the_next_time() {
    let mut world = World::new();
    world.init_resource::<Seen>();
    let sweep = |reds: Query<Entity, With<Red>>,
                 mut commands: Commands,
                 mut removed: RemovedComponents<Red>,
                 mut seen: ResMut<Seen>| {
        seen.0.extend(removed.read());
        reds.iter().for_each(|entity| commands.despawn(entity));
    };
    let mut system = sweep.into_system();
    let all = spawn(&mut world, 3);
    system.run(&mut world, &Serial).expect("Seen is there");
    assert_eq!(world.resource::<Seen>().0, []);
    system.run(&mut world, &Serial).expect("Seen is there");
    assert_eq!(world.resource::<Seen>().0.len(), all.len());
    system.run(&mut world, &Serial).expect("Seen is there");
    assert_eq!(world.resource::<Seen>().0.len(), all.len());
}

#[test]
fn a_fork_takes_the_places_of_readers_along() {
    let mut world = World::new();
    let mut reader = world.removed_reader::<Red>();
    let all = spawn(&mut world, 4);
    world.despawn(all[0]).expect("it lives");
    let mut fork = world.fork().expect("everything is Copy");
    world.despawn(all[1]).expect("it lives");
    fork.despawn(all[2]).expect("it lives");
    assert_eq!(reader.read(&mut world), [all[0], all[1]]);
    assert_eq!(reader.read(&mut fork), [all[0], all[2]]);
    let mut later = fork.fork().expect("everything is Copy");
    later.despawn(all[3]).expect("it lives");
    assert_eq!(reader.read(&mut later), [all[3]]);
    assert_eq!(reader.read(&mut fork), []);
    // A world that knows nothing of the reader begins with its first call.
    let mut other = World::new();
    other.register_component::<Num>();
    assert_eq!(reader.read(&mut other), []);
    let entity = other.spawn((Num(1), Red)).id();
    other.despawn(entity).expect("it lives");
    assert_eq!(reader.read(&mut other), [entity]);
}

#[test]
fn a_log_that_nobody_reads_is_full_some_day_and_counts_what_it_drops() {
    let mut world = World::new();
    let mut slow = world.removed_reader::<Red>();
    let mut quick = world.removed_reader::<Red>();
    let half = REMOVED_MAX / 2 + 100;
    for round in 0..2 {
        world.spawn_batch((0..half).map(|_| Red));
        world.despawn_where::<With<Red>>();
        assert_eq!(quick.read(&mut world).len(), half, "round {round}");
    }
    assert_eq!((slow.missed(&world), quick.missed(&world)), (200, 0));
    assert_eq!(slow.read(&mut world).len(), REMOVED_MAX);
    let entity = world.spawn(Red).id();
    world.despawn(entity).expect("it lives");
    assert_eq!(
        (slow.read(&mut world), slow.missed(&world)),
        (vec![entity], 200)
    );
}

#[test]
fn a_reader_that_is_gone_holds_nothing_back() {
    let mut world = World::new();
    let gone = world.removed_reader::<Red>();
    let mut reader = world.removed_reader::<Red>();
    world.spawn_batch((0..REMOVED_MAX).map(|_| Red));
    drop(gone);
    world.despawn_where::<With<Red>>();
    assert_eq!(reader.read(&mut world).len(), REMOVED_MAX);
    world.spawn_batch((0..REMOVED_MAX).map(|_| Red));
    world.despawn_where::<With<Red>>();
    assert_eq!(reader.read(&mut world).len(), REMOVED_MAX);
    assert_eq!(reader.missed(&world), 0);
}

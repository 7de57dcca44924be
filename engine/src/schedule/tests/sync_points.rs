//! Where commands are done.

use orrery_ecs::{Chunk, Commands, Entity, Query, ResMut, Serial, World};

use super::super::{IntoSystems, Schedule};
use super::{A, B, Log, world};
use crate::workers::Workers;

fn spawn_one(mut commands: Commands) {
    commands.spawn(A(1));
}

fn count(all: Query<&A>, mut log: ResMut<Log>) {
    log.0.push(all.iter().count() as u64);
}

fn stages(schedule: &mut Schedule) -> usize {
    let text = schedule.to_text(&mut world()).expect("nothing conflicts");
    text.lines()
        .filter(|line| line.starts_with("stage"))
        .count()
}

#[test]
fn a_system_sees_what_the_commands_of_the_one_before_it_did() {
    let mut world = world();
    let mut schedule = Schedule::new("test");
    schedule.add_systems((count, spawn_one, count, spawn_one, count));
    schedule
        .run(&mut world, &Serial)
        .expect("nothing is missing");
    assert_eq!(world.resource::<Log>().0, [0, 1, 2]);
}

#[test]
fn sync_points_come_once_and_are_merged() {
    // Two that see nothing, one that sees what both did: one sync point.
    let mut schedule = Schedule::new("test");
    schedule.add_systems((spawn_one, spawn_one, count));
    assert_eq!(stages(&mut schedule), 2);
    // Nobody to see it: none but the end.
    let mut schedule = Schedule::new("test");
    schedule.add_systems((count, spawn_one, spawn_one));
    assert_eq!(stages(&mut schedule), 1);
    // Constraints bring none of their own.
    let mut schedule = Schedule::new("test");
    schedule.add_systems((spawn_one, (spawn_one, spawn_one), count).chain());
    assert_eq!(stages(&mut schedule), 2);
    let mut world = world();
    schedule
        .run(&mut world, &Serial)
        .expect("nothing is missing");
    assert_eq!(world.resource::<Log>().0, [3]);
    // An exclusive one has one on each side.
    let mut schedule = Schedule::new("test");
    schedule.add_systems((
        count,
        spawn_one,
        |world: &mut World| assert_eq!(world.len(), 1),
        count,
    ));
    assert_eq!(stages(&mut schedule), 3);
    schedule
        .run(&mut super::world(), &Serial)
        .expect("the commands are done");
}

fn split(all: Query<(Entity, &A)>, mut commands: Commands) {
    for (entity, a) in &all {
        commands.insert(entity, B(a.0));
        commands.spawn(A(a.0 + 1));
    }
}

fn split_by_block(chunk: Chunk<(Entity, &B)>, mut commands: Commands) {
    let (entities, all) = chunk.slices();
    for (&entity, b) in entities.iter().zip(all) {
        commands.insert(entity, A(b.0));
        commands.spawn(B(b.0 + 1));
    }
}

#[test]
fn who_shares_a_sync_point_does_not_see_what_the_others_commands_do() {
    let mut world = world();
    world.spawn_batch((0..3).map(A));
    let mut schedule = Schedule::new("test");
    let systems = (split, count, split_by_block, split);
    schedule.add_systems((systems.share_sync_point(), count));
    assert_eq!(stages(&mut schedule), 2);
    schedule
        .run(&mut world, &Serial)
        .expect("nothing is missing");
    assert_eq!(world.resource::<Log>().0, [3, 3 + 3 + 3]);
}

#[test]
fn handles_of_systems_that_share_a_sync_point_depend_on_no_thread() {
    let mut hashes = Vec::new();
    for threads in [1, 2, 3] {
        let workers = Workers::new(threads).expect("threads can be had");
        let mut world = world();
        world.spawn_batch((0..5000).map(A));
        world.spawn_batch((0..9000).map(B));
        let mut schedule = Schedule::new("test");
        let thin = |all: Query<(Entity, &A)>, mut commands: Commands| {
            let some = all.iter().filter(|(_, a)| a.0 % 3 == 0);
            some.for_each(|(entity, _)| commands.despawn(entity));
        };
        let thin_out = |all: Query<(Entity, &B)>, mut commands: Commands| {
            let some = all.iter().filter(|(_, b)| b.0 % 2 == 0);
            some.for_each(|(entity, _)| commands.despawn(entity));
        };
        schedule.add_systems((split, split_by_block, thin, thin_out).share_sync_point());
        let mut run = |_| {
            schedule
                .run(&mut world, &workers)
                .expect("nothing is missing");
            world.state_hash()
        };
        hashes.push((0..4).map(&mut run).collect::<Vec<_>>());
    }
    assert!(hashes.iter().all(|one| *one == hashes[0]), "{hashes:?}");
}

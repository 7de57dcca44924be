//! Each value is dropped exactly once, whichever way it leaves.

use orrery_ecs::{CommandQueue, Commands, Entity, World};

use crate::support::{Ghost, Ledger, Named, Num, Wide};

#[test]
fn despawn_drops_each_value_once() {
    let (ledger, mut world) = (Ledger::default(), World::new());
    let all: Vec<Entity> = world
        .spawn_batch((0..100).map(|i| Named::new(i, &ledger)))
        .collect();
    for (gone, &entity) in all.iter().enumerate() {
        world.despawn(entity).expect("it lives");
        assert_eq!(ledger.alive(), 99 - gone as i64);
    }
    assert_eq!(ledger.made(), 100);
}

#[test]
fn remove_drops_and_take_gives_away() {
    let (ledger, mut world) = (Ledger::default(), World::new());
    let a = world.spawn((Num(1), Named::new(1, &ledger))).id();
    let b = world.spawn((Num(2), Named::new(2, &ledger))).id();
    world.remove::<Named>(a).expect("it lives");
    assert_eq!(ledger.alive(), 1);
    let named = world.take::<Named>(b).expect("it is there");
    assert_eq!((ledger.alive(), named.number()), (1, 2));
    drop(named);
    assert_eq!((ledger.alive(), ledger.made()), (0, 2));
}

#[test]
fn overwriting_drops_the_old_value_and_a_refused_insert_the_new_one() {
    let (ledger, mut world) = (Ledger::default(), World::new());
    let entity = world.spawn(Named::new(1, &ledger)).id();
    world
        .insert(entity, (Named::new(2, &ledger), Wide(1)))
        .expect("it lives");
    assert_eq!((ledger.alive(), ledger.made()), (1, 2));
    world.despawn(entity).expect("it lives");
    assert!(world.insert(entity, Named::new(3, &ledger)).is_err());
    assert_eq!((ledger.alive(), ledger.made()), (0, 3));
}

#[test]
fn clear_and_the_end_of_the_world_drop_the_rest() {
    let ledger = Ledger::default();
    let mut world = World::new();
    world.spawn_batch((0..5000).map(|i| Named::new(i, &ledger)));
    world.clear();
    // What is left are the handles' generations, 12 bytes an entity in pages of 1,024.
    let pages = 5 * 1024 * 12;
    assert_eq!((ledger.alive(), world.pool_usage().used_bytes), (0, pages));
    world.spawn_batch((0..5000).map(|i| (Num(i), Named::new(i, &ledger))));
    drop(world);
    assert_eq!((ledger.alive(), ledger.made()), (0, 10_000));
}

#[test]
fn values_without_a_byte_are_dropped_once_too() {
    type Spirit = Ghost<1>;
    let mut world = World::new();
    let all: Vec<Entity> = world
        .spawn_batch((0..5000).map(|_| (Spirit::new(), Num(1))))
        .collect();
    assert_eq!(Spirit::alive(), 5000);
    world.despawn(all[0]).expect("it lives");
    world.remove::<Spirit>(all[1]).expect("it lives");
    world.insert(all[2], Spirit::new()).expect("it lives");
    drop(world.take::<Spirit>(all[3]).expect("it is there"));
    assert_eq!(Spirit::alive(), 4997);
    let mut fork = world.fork().expect("it can be cloned");
    assert_eq!(Spirit::alive(), 4997);
    fork.despawn(all[4]).expect("it lives");
    assert_eq!(Spirit::alive(), 4997 + 4095 + 1 + (4997 - 4096 - 1));
    drop(world);
    assert_eq!(Spirit::alive(), 4996);
    fork.clear();
    assert_eq!(Spirit::alive(), 0);
}

#[test]
fn a_fork_and_its_origin_may_end_in_either_order() {
    for origin_first in [true, false] {
        let ledger = Ledger::default();
        let mut world = World::new();
        let all: Vec<Entity> = world
            .spawn_batch((0..5000).map(|i| Named::new(i, &ledger)))
            .collect();
        let mut fork = world.fork().expect("it can be cloned");
        assert_eq!(ledger.made(), 5000, "a fork clones nothing");
        fork.get_mut::<Named>(all[4500]).expect("it lives").text = String::from("1");
        assert_eq!(ledger.made(), 5000 + 904, "one block of the two");
        let (first, second) = if origin_first {
            (world, fork)
        } else {
            (fork, world)
        };
        drop(first);
        assert_eq!(ledger.alive(), 5000);
        assert_eq!(second.get::<Named>(all[0]).map(Named::number), Some(0));
        drop(second);
        assert_eq!(ledger.alive(), 0);
    }
}

#[test]
fn taking_from_a_fork_leaves_the_origin_its_value() {
    let (ledger, mut world) = (Ledger::default(), World::new());
    let entity = world.spawn((Named::new(1, &ledger), Num(1))).id();
    world.spawn((Named::new(2, &ledger), Num(2)));
    let mut fork = world.fork().expect("it can be cloned");
    let named = fork.take::<Named>(entity).expect("it is there");
    drop(fork);
    assert_eq!((named.number(), ledger.alive()), (1, 3));
    assert_eq!(world.get::<Named>(entity).map(Named::number), Some(1));
    drop(world);
    assert_eq!((named.number(), ledger.alive()), (1, 1));
}

#[test]
fn a_queue_that_is_never_applied_drops_its_payloads() {
    let (ledger, world) = (Ledger::default(), World::new());
    let mut queue = CommandQueue::default();
    let mut commands = Commands::new(&mut queue, &world);
    for number in 0..10 {
        commands.spawn((Named::new(number, &ledger), Wide(1)));
    }
    assert_eq!(ledger.alive(), 10);
    drop(queue);
    assert_eq!((ledger.alive(), ledger.made()), (0, 10));
}

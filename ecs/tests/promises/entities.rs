//! Entities: how long an id is valid, and in which order ids come. Sentences 1 to 10.

use std::collections::BTreeSet;

use orrery_ecs::{
    CommandQueue, Commands, Entity, IntoSystem, Query, Serial, SpawnAtError, System, With, World,
};

use crate::support::{Ledger, Named, Num, Random, names};

#[test]
fn a_despawned_id_is_dead_at_once_and_its_reuse_has_a_new_generation() {
    let mut world = World::new();
    let old = world.spawn(Num(1)).id();
    assert_eq!(world.despawn(old), Ok(()));
    assert!(!world.contains(old) && world.get::<Num>(old).is_none());
    let new = world.spawn(Num(2)).id();
    assert_eq!(new.index(), old.index());
    assert_eq!(new.generation(), old.generation() + 1);
    assert_eq!(world.get::<Num>(old), None);
    assert_eq!(world.get_mut::<Num>(old), None);
    assert_eq!(world.entity_at(old.index()), Some(new));
}

/// Ways for an entity to die, which has a number and nothing else.
const DEATHS: [fn(&mut World, Entity); 4] = [
    |world, entity| world.despawn(entity).expect("it lives"),
    |world, _| world.clear(),
    |world, _| assert_eq!(world.despawn_where::<With<Num>>(), 1),
    |world, entity| {
        let mut queue = CommandQueue::default();
        Commands::new(&mut queue, world).despawn(entity);
        queue.apply(world);
    },
];

#[test]
fn a_generation_that_cannot_go_on_revives_no_old_id() {
    for die in DEATHS {
        let mut world = World::new();
        let first = world.spawn(Num(1)).id();
        let bits = u64::from(u32::MAX) << 32 | u64::from(first.index());
        let last = Entity::from_bits(bits).expect("a generation");
        world
            .spawn_at(last, Num(2))
            .expect("a generation not used yet");
        assert!(!world.contains(first) && world.contains(last));
        die(&mut world, last);
        assert!(world.is_empty());
        let mut queue = CommandQueue::default();
        let reserved = Commands::new(&mut queue, &world).spawn(Num(3)).id();
        queue.apply(&mut world);
        let batch: Vec<Entity> = world.spawn_batch((0..1000).map(Num)).collect();
        let single = world.spawn(Num(4)).id();
        let mut all = batch.into_iter().chain([reserved, single]);
        assert!(all.all(|entity| entity.index() != first.index()));
        for dead in [first, last] {
            assert!(!world.contains(dead) && world.get::<Num>(dead).is_none());
            let refused = world.spawn_at(dead, Num(5)).err().expect("it was used");
            assert!(matches!(refused, SpawnAtError::Retired { entity } if entity == dead));
        }
        assert_eq!(world.entity_at(first.index()), None);
        assert_eq!(world.len(), 1002);
    }
}

#[test]
fn an_id_survives_the_way_through_64_bits_and_an_option_of_it_takes_no_more_room() {
    let mut world = World::new();
    let first = world.spawn(()).id();
    world.despawn(first).expect("it lives");
    for entity in [first, world.spawn(()).id(), world.spawn(()).id()] {
        assert_eq!(Entity::from_bits(entity.to_bits()), Some(entity));
    }
    assert_eq!(Entity::from_bits(u64::from(u32::MAX)), None);
    assert_eq!(size_of::<Option<Entity>>(), 8);
    let strange = Entity::from_bits(u64::MAX).expect("a generation");
    assert!(!world.contains(strange));
}

#[test]
fn a_double_despawn_and_any_other_operation_on_a_dead_id_is_an_error_and_no_panic() {
    let mut world = World::new();
    let dead = world.spawn(Num(1)).id();
    world.despawn(dead).expect("it lives");
    let alive = world.spawn(Num(2)).id();
    let before = world.state_hash();
    assert_eq!(world.despawn(dead).expect_err("it is dead").entity, dead);
    assert!(world.insert(dead, Num(3)).is_err());
    assert!(world.remove::<Num>(dead).is_err());
    assert!(world.take::<Num>(dead).is_err());
    assert_eq!(world.write(dead, Num(3)), Err(Num(3)));
    assert!(world.get_entity(dead).is_err() && world.get_entity_mut(dead).is_err());
    assert_eq!(world.state_hash(), before);
    assert_eq!(world.get::<Num>(alive), Some(&Num(2)));
}

/// The compiler refuses the rest: see the example of [`orrery_ecs::Query`] that does not compile.
#[test]
fn a_despawn_inside_an_iteration_goes_through_commands_only() {
    let mut world = World::new();
    let all: Vec<Entity> = world.spawn_batch((0..10_000).map(Num)).collect();
    let system = |rows: Query<(Entity, &Num)>, mut commands: Commands| {
        let mut expected = 0;
        for (entity, num) in &rows {
            assert_eq!(num.0, expected, "no row moves while others are visited");
            expected += 1;
            if num.0 % 2 == 0 {
                commands.despawn(entity);
                assert!(
                    rows.contains(entity),
                    "it lives until the iteration has ended"
                );
            }
        }
        assert_eq!(expected, 10_000);
    };
    let mut system = system.into_system();
    system.run(&mut world, &Serial).expect("nothing is missing");
    for (number, &entity) in all.iter().enumerate() {
        assert_eq!(world.contains(entity), number % 2 == 1);
    }
}

#[test]
fn ids_reserved_from_several_threads_are_distinct_and_flushed_later() {
    let mut world = World::new();
    let old: Vec<Entity> = world.spawn_batch((0..50).map(Num)).collect();
    for &entity in &old[10..40] {
        world.despawn(entity).expect("it lives");
    }
    let shared = &world;
    let reserve = move || {
        let mut queue = CommandQueue::default();
        let mut commands = Commands::new(&mut queue, shared);
        let mine: Vec<Entity> = (0..100).map(|i| commands.spawn(Num(i)).id()).collect();
        (mine, queue)
    };
    let done: Vec<(Vec<Entity>, CommandQueue)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(reserve)).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("no panic"))
            .collect()
    });
    let mut reserved = done.iter().flat_map(|(mine, _)| mine);
    assert!(reserved.all(|&entity| !world.contains(entity)));
    let mut all = Vec::new();
    for (mine, mut queue) in done {
        assert!(mine.iter().all(|&entity| !all.contains(&entity)));
        queue.apply(&mut world);
        assert_eq!(queue.missed(), 0);
        for (number, &entity) in mine.iter().enumerate() {
            assert_eq!(world.get::<Num>(entity), Some(&Num(number as u32)));
        }
        all.extend(mine);
    }
    assert_eq!(world.len(), 20 + 400);
}

#[test]
fn spawn_at_gives_the_chosen_id_and_over_a_living_one_replaces_and_drops() {
    let (ledger, mut world) = (Ledger::default(), World::new());
    let id = |index: u64, generation: u64| {
        Entity::from_bits(generation << 32 | index).expect("generations start at 1")
    };
    let chosen = id(40, 7);
    let got = world.spawn_at(chosen, Named::new(1, &ledger));
    assert_eq!(got.expect("never used").id(), chosen);
    // The indices below it are free, and each is given once.
    let others: Vec<Entity> = (0..60).map(|_| world.spawn(Num(0)).id()).collect();
    let indices: BTreeSet<u32> = others.iter().map(|entity| entity.index()).collect();
    assert_eq!(indices.len(), 60);
    assert!(!indices.contains(&40) && (0..40).all(|index| indices.contains(&index)));
    let over = world.spawn_at(id(40, 8), Named::new(2, &ledger));
    assert_eq!(over.expect("a later generation").id(), id(40, 8));
    assert_eq!(
        (ledger.alive(), world.len()),
        (1, 61),
        "the old one was dropped"
    );
    assert!(!world.contains(chosen) && world.get::<Named>(chosen).is_none());
    assert_eq!(world.get::<Named>(id(40, 8)).map(Named::number), Some(2));
    for used in [chosen, id(40, 8)] {
        let refused = world.spawn_at(used, Named::new(3, &ledger)).err();
        assert!(matches!(
            refused,
            Some(SpawnAtError::Used { generation: 9, .. })
        ));
    }
    assert_eq!((ledger.alive(), ledger.made()), (1, 4));
    assert_eq!(names(&mut world), [(id(40, 8), 2)]);
}

#[test]
fn ids_are_the_same_for_the_same_sequence_of_operations() {
    let run = || {
        let (mut world, mut random) = (World::new(), Random::new(8));
        let mut given: Vec<Entity> = Vec::new();
        for _ in 0..2000 {
            match random.below(4) {
                0 | 1 => given.push(world.spawn(Num(0)).id()),
                2 => given.extend(world.spawn_batch((0..3).map(Num))),
                _ if !given.is_empty() => {
                    let at = random.below(given.len());
                    let _ = world.despawn(given[at]);
                }
                _ => {}
            }
        }
        given
    };
    assert_eq!(run(), run());
}

#[test]
fn clear_kills_all_and_no_id_repeats_within_a_generation() {
    let mut world = World::new();
    let mut seen = BTreeSet::new();
    for round in 0..20_usize {
        let new: Vec<Entity> = world.spawn_batch((0..100).map(Num)).collect();
        assert!(new.iter().all(|&entity| seen.insert(entity)));
        assert_eq!(world.len(), 100, "in round {round}");
        world.clear();
        assert!(world.is_empty() && new.iter().all(|&entity| !world.contains(entity)));
    }
}

#[test]
fn ids_reserved_in_bulk_and_a_batch_partly_consumed_leak_nothing() {
    let (ledger, mut world) = (Ledger::default(), World::new());
    for _ in 0..20 {
        {
            let mut batch = world.spawn_batch((0..1000).map(|i| Named::new(i, &ledger)));
            assert_eq!(batch.size_hint(), (1000, Some(1000)));
            assert_eq!(batch.by_ref().take(10).count(), 10);
        }
        assert_eq!((world.len(), ledger.alive()), (1000, 1000));
        let found = names(&mut world).into_iter().map(|(_, number)| number);
        assert!(found.eq(0..1000));
        let mut queue = CommandQueue::default();
        let mut commands = Commands::new(&mut queue, &world);
        for number in 0..500 {
            commands.spawn(Named::new(number, &ledger));
        }
        drop(queue);
        assert_eq!(ledger.alive(), 1000);
        world.clear();
        assert_eq!((world.len(), ledger.alive()), (0, 0));
    }
    let highest = world.spawn_batch((0..1500).map(Num)).map(Entity::index);
    assert_eq!(highest.max(), Some(1499), "every index came back");
}

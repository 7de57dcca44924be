//! Handles: how long they are valid, and in which order they come.

use orrery_ecs::{CommandQueue, Commands, Entity, World};

use crate::support::{Ledger, ignore, panic_of};
use crate::support::{Named, Num, Random, names};

#[test]
fn a_despawned_handle_is_dead_at_once_and_its_index_comes_back_younger() {
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

#[test]
fn every_operation_on_a_dead_handle_is_an_error_and_changes_nothing() {
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

#[test]
fn a_handle_survives_the_way_through_64_bits() {
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
fn handles_are_a_function_of_the_operations() {
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
fn clear_kills_all_and_no_handle_comes_twice() {
    let mut world = World::new();
    let mut seen = std::collections::BTreeSet::new();
    for round in 0..20_usize {
        let new: Vec<Entity> = world.spawn_batch((0..100).map(Num)).collect();
        assert!(new.iter().all(|&entity| seen.insert(entity)));
        assert_eq!(world.len(), 100, "in round {round}");
        world.clear();
        assert!(world.is_empty() && new.iter().all(|&entity| !world.contains(entity)));
    }
}

#[test]
fn handles_reserved_on_several_threads_are_distinct_and_live_after_the_sync_point() {
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
fn a_batch_that_is_partly_consumed_spawns_the_rest_when_it_is_dropped() {
    let (ledger, mut world) = (Ledger::default(), World::new());
    {
        let mut batch = world.spawn_batch((0..1000).map(|i| Named::new(i, &ledger)));
        assert_eq!(batch.size_hint(), (1000, Some(1000)));
        assert!(batch.by_ref().take(10).count() == 10);
    }
    assert_eq!((world.len(), ledger.alive()), (1000, 1000));
    assert!(
        names(&mut world)
            .iter()
            .enumerate()
            .all(|(i, name)| name.1 == i as u32)
    );
}

#[test]
fn a_batch_is_spawned_at_once_whoever_asks_for_its_handles() {
    let (ledger, mut world) = (Ledger::default(), World::new());
    let mut batch = world.spawn_batch((0..5000).map(|i| Named::new(i, &ledger)));
    assert_eq!((batch.len(), batch.by_ref().take(7).count()), (5000, 7));
    assert_eq!(batch.len(), 4993);
    assert_eq!((world.len(), ledger.alive()), (5000, 5000));
    world.spawn(Named::new(7, &ledger));
    assert_eq!(names(&mut world).len(), 5001);
}

#[test]
fn a_batch_whose_iterator_panics_keeps_what_came_before() {
    for count in [0, 1, 15, 16, 17, 4095, 4096, 4097] {
        let (ledger, mut world) = (Ledger::default(), World::new());
        let bundles = (0..).map(|i| {
            assert!(i < count, "planned panic");
            Named::new(i, &ledger)
        });
        let panic = panic_of(|| ignore(world.spawn_batch(bundles)));
        assert_eq!(panic.as_deref(), Some("planned panic"));
        let found = names(&mut world);
        assert_eq!(found.len() as u32, count);
        assert!(
            found
                .iter()
                .zip(0..)
                .all(|(&(_, number), row)| number == row)
        );
        assert!(found.iter().all(|&(entity, _)| world.contains(entity)));
        assert_eq!(ledger.alive(), i64::from(count));
    }
}

#[test]
fn an_iterator_that_lies_about_its_length_does_no_harm() {
    struct Liar(u32, (usize, Option<usize>));
    impl Iterator for Liar {
        type Item = Num;

        fn next(&mut self) -> Option<Num> {
            self.0 = self.0.checked_sub(1)?;
            Some(Num(self.0))
        }

        fn size_hint(&self) -> (usize, Option<usize>) {
            self.1
        }
    }
    let mut world = World::new();
    for hint in [(0, Some(0)), (usize::MAX, None), (5, Some(3))] {
        world.spawn_batch(Liar(100, hint));
    }
    assert_eq!(world.query::<&Num>().view(&world).len(), 300);
}

#[test]
fn an_entity_borrowed_with_its_world_changes_in_place() {
    let mut world = World::new();
    let mut entity = world.spawn(Num(1));
    entity.insert((crate::support::Wide(5),)).remove::<Num>();
    assert!(!entity.contains::<Num>() && entity.contains::<crate::support::Wide>());
    assert!(entity.take::<Num>().is_err());
    let id = entity.id();
    entity.despawn();
    assert!(!world.contains(id));
    let message = panic_of(|| ignore(world.entity(id).id())).expect("a panic");
    assert!(message.contains(&id.to_string()), "{message}");
}

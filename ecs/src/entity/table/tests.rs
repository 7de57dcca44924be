//! Tests of the entity table.

use std::num::NonZeroU32;

use super::*;

/// Gives a living entity another generation.
fn set_generation(table: &mut EntityTable, entity: Entity, generation: u32) -> Entity {
    let generation = NonZeroU32::new(generation).expect("generations start at 1");
    table.entry_mut(entity.index).generation = generation;
    Entity {
        generation,
        ..entity
    }
}

#[test]
fn reserved_handles_are_the_ones_that_allocation_would_give() {
    let mut table = EntityTable::new(Arc::new(Pool::new()));
    let first: Vec<Entity> = (0..10).map(|_| table.allocate()).collect();
    for &entity in &[first[3], first[7], first[1]] {
        table.free(entity);
    }
    let mut twin = table.share();
    let reserved: Vec<Entity> = (0..6).map(|_| table.reserve()).collect();
    assert!(reserved.iter().all(|&entity| table.get(entity).is_none()));
    table.flush();
    assert!(
        reserved
            .iter()
            .all(|&entity| table.get(entity) == Some(Place::Reserved))
    );
    let allocated: Vec<Entity> = (0..6).map(|_| twin.allocate()).collect();
    assert_eq!(reserved, allocated);
    assert_eq!(table.living_count(), twin.living_count());
    assert_eq!(table.allocate(), twin.allocate());
}

#[test]
fn an_index_without_further_generations_is_retired() {
    let mut table = EntityTable::new(Arc::new(Pool::new()));
    let entity = table.allocate();
    let last = set_generation(&mut table, entity, u32::MAX);
    table.free(last);
    assert_eq!(table.get(last), None);
    assert_eq!(table.living_at(last.index()), None);
    assert_ne!(table.allocate().index(), last.index());
    assert_eq!(table.living_count(), 1);
}

#[test]
fn a_freed_handle_is_dead_and_its_index_comes_back_younger() {
    let mut table = EntityTable::new(Arc::new(Pool::new()));
    let old = table.allocate();
    table.free(old);
    let new = table.allocate();
    assert_eq!(new.index(), old.index());
    assert_eq!(new.generation(), old.generation() + 1);
    assert_eq!(table.get(old), None);
    assert_eq!(table.get(new), Some(Place::Reserved));
}

#[test]
fn reserving_from_many_threads_gives_distinct_handles() {
    let mut table = EntityTable::new(Arc::new(Pool::new()));
    let freed: Vec<Entity> = (0..100).map(|_| table.allocate()).collect();
    for entity in freed {
        table.free(entity);
    }
    let mut all = std::thread::scope(|scope| {
        let reserve = || (0..500).map(|_| table.reserve()).collect::<Vec<_>>();
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(reserve)).collect();
        let joined = threads
            .into_iter()
            .map(|t| t.join().expect("no panic inside"));
        joined.flatten().collect::<Vec<_>>()
    });
    table.flush();
    assert!(
        all.iter()
            .all(|&entity| table.get(entity) == Some(Place::Reserved))
    );
    all.sort();
    all.dedup();
    assert_eq!((all.len(), table.living_count()), (2000, 2000));
}

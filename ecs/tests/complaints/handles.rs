//! Handles at the ends of their ranges, and queries that ask for nothing.

use std::collections::BTreeSet;

use orrery_ecs::{
    CommandQueue, Commands, Entity, Has, QueryData, QueryFilter, SpawnAtError, Without, World,
};

use crate::support::{Frozen, Ledger, Named, Num, Pos, pos};

/// Every pair of an extreme index and an extreme generation.
fn extreme_handles() -> Vec<Entity> {
    let indices = [
        0,
        1,
        9,
        10,
        11,
        1023,
        1024,
        1 << 24,
        u32::MAX - 2,
        u32::MAX - 1,
        u32::MAX,
    ];
    let generations = [1, 2, 3, 1 << 12, 1 << 20, u32::MAX - 1, u32::MAX];
    let pairs = indices.into_iter().flat_map(|index| {
        generations.map(|generation| u64::from(generation) << 32 | u64::from(index))
    });
    pairs.filter_map(Entity::from_bits).collect()
}

#[test]
fn a_handle_of_any_bits_is_dead_or_the_living_one_and_never_a_panic() {
    let (ledger, mut world) = (Ledger::default(), World::new());
    let all: Vec<Entity> = world.spawn_batch((0..10).map(Num)).collect();
    world.despawn(all[9]).expect("it lives");
    let younger = world.spawn(Num(9)).id();
    let living: BTreeSet<Entity> = all[..9].iter().copied().chain([younger]).collect();
    let before = world.state_hash();
    let mut query = world.query::<&Num>();
    for entity in extreme_handles() {
        let lives = living.contains(&entity);
        assert_eq!(world.contains(entity), lives, "{entity}");
        assert_eq!(world.get::<Num>(entity).is_some(), lives, "{entity}");
        assert_eq!(world.get_entity(entity).is_ok(), lives, "{entity}");
        assert_eq!(query.view(&world).get(entity).is_ok(), lives, "{entity}");
        assert_eq!(
            world.entity_at(entity.index()) == Some(entity),
            lives,
            "{entity}"
        );
        if lives {
            continue;
        }
        assert!(world.despawn(entity).is_err() && world.get_mut::<Num>(entity).is_none());
        assert!(world.insert(entity, Named::new(1, &ledger)).is_err());
        assert!(world.remove::<Num>(entity).is_err() && world.take::<Num>(entity).is_err());
        let mut queue = CommandQueue::default();
        let mut commands = Commands::new(&mut queue, &world);
        commands.insert(entity, Named::new(1, &ledger));
        commands.despawn(entity);
        queue.apply(&mut world);
        assert_eq!((queue.missed(), ledger.alive()), (2, 0), "{entity}");
    }
    assert_eq!(world.state_hash(), before);
}

#[test]
fn the_reserved_index_is_never_given_and_one_far_away_is_refused() {
    let mut world = World::new();
    assert!(!world.contains(Entity::NONE));
    for index in [u32::MAX, u32::MAX - 1, 1 << 25] {
        let far = Entity::from_bits(1 << 32 | u64::from(index)).expect("a generation");
        let refused = world.spawn_at(far, Num(1)).err();
        assert!(
            matches!(refused, Some(SpawnAtError::TooFar { .. })),
            "{far}"
        );
    }
    assert_eq!((world.len(), world.spawn(Num(1)).id().index()), (0, 0));
}

/// Four thousand uses of one index, more than 12 bits of generation could tell apart.
#[test]
fn an_index_used_many_times_never_gives_a_handle_twice() {
    let mut world = World::new();
    let first = world.spawn(Num(0)).id();
    let mut last = first;
    for use_number in 1..10_000_u32 {
        world.despawn(last).expect("it lives");
        let next = world.spawn(Num(use_number)).id();
        assert_eq!(next.index(), first.index());
        assert!(next > last && !world.contains(last) && !world.contains(first));
        last = next;
    }
}

fn visited<D: QueryData, F: QueryFilter>(world: &mut World) -> BTreeSet<Entity> {
    let mut query = world.query_filtered::<(Entity, D), F>();
    let rows: Vec<Entity> = query.iter(world).map(|(entity, _)| entity).collect();
    let once: BTreeSet<Entity> = rows.iter().copied().collect();
    assert_eq!(once.len(), rows.len(), "each is visited once");
    once
}

#[test]
fn a_query_without_a_required_term_visits_the_living_and_nobody_else() {
    let mut world = World::new();
    let mut all: Vec<Entity> = world.spawn_batch((0..5000).map(Num)).collect();
    all.extend(world.spawn_batch((0..5000).map(|i| (Num(i), pos(0.0)))));
    all.extend((0..100).map(|_| world.spawn(()).id()));
    all.extend(world.spawn_batch((0..100).map(|i| (pos(1.0), Frozen(i)))));
    let mut living = BTreeSet::new();
    for (number, &entity) in all.iter().enumerate() {
        if number % 3 == 0 {
            world.despawn(entity).expect("it lives");
        } else {
            living.insert(entity);
        }
    }
    // Reserved and not spawned yet: it has no row to visit.
    let mut queue = CommandQueue::default();
    let reserved = Commands::new(&mut queue, &world).spawn(Num(0)).id();
    for _ in 0..2 {
        assert_eq!(visited::<(), ()>(&mut world), living);
        assert_eq!(visited::<Has<Num>, ()>(&mut world), living);
        assert_eq!(visited::<Option<&mut Num>, ()>(&mut world), living);
        let without = visited::<(), Without<Num>>(&mut world);
        let expected = living
            .iter()
            .filter(|&&entity| world.get::<Num>(entity).is_none());
        assert!(without.iter().eq(expected));
        let without = visited::<Option<&Frozen>, (Without<Frozen>, Without<Num>)>(&mut world);
        let bare = |entity: &&Entity| {
            world.get::<Frozen>(**entity).is_none() && world.get::<Num>(**entity).is_none()
        };
        assert!(without.iter().eq(living.iter().filter(bare)));
        // Once more with the reserved one, and with archetypes taken out.
        queue.apply(&mut world);
        living.insert(reserved);
        let gone = world.despawn_where::<Without<Num>>();
        living.retain(|&entity| world.contains(entity));
        assert!(gone < 200 && world.len() == living.len());
        world.compact(usize::MAX);
    }
    world.clear();
    assert!(visited::<(), ()>(&mut world).is_empty());
    assert!(visited::<Option<&Pos>, Without<Num>>(&mut world).is_empty());
}

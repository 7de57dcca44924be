//! Very many of something, and none of it.

use std::sync::atomic::{AtomicUsize, Ordering};

use orrery_ecs::{
    BlockRunner, ComponentDescriptor, ComponentId, DynamicQuery, Entity, QueryError, Serial, With,
    World,
};

use crate::support::{Frozen, Ledger, Named, Num, Pos, Threads, ignore, panic_of, pos};

const TYPES: usize = 10_000;

fn ten_thousand_types(world: &mut World) -> Vec<ComponentId> {
    let register = |number: usize| {
        let descriptor = ComponentDescriptor::plain(&format!("type {number}"), 4, 4);
        let id = world
            .register_dynamic(descriptor)
            .expect("the name is free");
        assert_eq!(id.index(), number);
        id
    };
    (0..TYPES).map(register).collect()
}

/// Types of one entity, spread over all: none shares a place modulo 64, 256 or 512 with another.
fn types_of(number: usize) -> [usize; 3] {
    [number, (number + 4099) % TYPES, (number * 7 + 513) % TYPES]
}

#[test]
fn ten_thousand_component_types_are_told_apart() {
    let mut world = World::new();
    let ids = ten_thousand_types(&mut world);
    let num = world.register_component::<Num>();
    assert_eq!(
        (num.index(), world.dynamic_id("type 9999")),
        (TYPES, Some(ids[9999]))
    );
    let step = 9;
    let entities: Vec<(Entity, usize)> = (0..TYPES)
        .step_by(step)
        .map(|number| {
            let entity = world.spawn(Num(number as u32)).id();
            for place in types_of(number) {
                let bytes = (place as u32).to_le_bytes();
                world
                    .insert_bytes(entity, ids[place], &bytes)
                    .expect("it lives");
            }
            (entity, number)
        })
        .collect();
    for &(entity, number) in &entities {
        let mine = types_of(number);
        for place in mine {
            let bytes = (place as u32).to_le_bytes();
            assert_eq!(world.get_bytes(entity, ids[place]), Some(&bytes[..]));
        }
        for wrap in [64, 128, 256, 512, 1024, 4096] {
            let other = (number + wrap) % TYPES;
            assert_eq!(
                world.contains_by_id(entity, ids[other]),
                mine.contains(&other)
            );
        }
    }
    for place in [0, 63, 64, 255, 256, 511, 512, 4098, 4099, 9999] {
        let owners = entities
            .iter()
            .filter(|&&(_, number)| types_of(number).contains(&place));
        let mut found = 0;
        let query = DynamicQuery::new().read(ids[place]).with(num);
        query.for_each_chunk(&mut world, |chunk| {
            let expected = (place as u32).to_le_bytes();
            assert!(
                chunk
                    .bytes(ids[place])
                    .chunks(4)
                    .all(|bytes| bytes == expected)
            );
            found += chunk.len();
        });
        assert_eq!(found, owners.count(), "type {place}");
    }
    let mut fork = world.fork().expect("bytes are copied");
    assert_eq!(fork.state_hash(), world.state_hash());
    fork.remove_by_id(entities[3].0, ids[entities[3].1])
        .expect("it lives");
    assert_ne!(fork.state_hash(), world.state_hash());
}

#[test]
fn nothing_asked_of_a_batch_is_nothing_done() {
    let (ledger, mut world) = (Ledger::default(), World::new());
    let entity = world.spawn((Num(1), pos(0.0))).id();
    assert_eq!(world.spawn_batch(std::iter::empty::<Named>()).count(), 0);
    let before = world.state_hash();
    let none = world.spawn_columns(0, (Vec::<Num>::new(), |_: usize| -> Pos { unreachable!() }));
    assert_eq!(none.expect("no lengths differ").len(), 0);
    assert_eq!(
        world.insert_where::<With<Frozen>, _>(Named::new(1, &ledger)),
        0
    );
    assert_eq!(world.remove_where::<With<Frozen>, Num>(), 0);
    assert_eq!(world.despawn_where::<With<Frozen>>(), 0);
    world.insert(entity, ()).expect("it lives");
    let mut query = world.query::<&mut Num>();
    let mut view = query.view_mut(&mut world);
    assert!(view.get_many_mut([]).is_ok() && view.get_many([]).is_ok());
    assert!(view.iter_many(&[]).next().is_none());
    assert!(view.iter_many_mut(&[]).fetch_next().is_none());
    assert_eq!((world.state_hash(), ledger.alive()), (before, 0));
    // A budget of nothing says what is left to do, again and again.
    world.clear();
    for _ in 0..3 {
        let done = world.compact(0);
        assert_eq!(
            (done.archetypes, done.bytes, done.is_complete),
            (0, 0, false)
        );
    }
    assert!(world.compact(usize::MAX).is_complete);
}

#[test]
fn a_batch_of_wrong_or_impossible_length_is_refused_before_anything_is_done() {
    let (ledger, mut world) = (Ledger::default(), World::new());
    world.spawn(Num(1));
    let before = (world.state_hash(), world.pool_usage().used_bytes);
    for length in [0, 1, 9, 11, 4097] {
        let names: Vec<Named> = (0..length).map(|i| Named::new(i, &ledger)).collect();
        let columns = (|row: usize| Num(row as u32), names);
        let refused = world
            .spawn_columns(10, columns)
            .err()
            .expect("10 were asked for");
        assert_eq!((refused.found, refused.expected), (length as usize, 10));
        assert_eq!(ledger.alive(), 0);
    }
    for count in [u32::MAX as usize, 1 << 40, usize::MAX] {
        let never = |_: usize| -> Num { unreachable!("it is refused before") };
        let refused = panic_of(|| ignore(world.spawn_columns(count, (never,)).is_ok()));
        let message = refused.expect("no world holds as many");
        assert!(message.contains("a world holds at most"), "{message}");
    }
    assert_eq!((world.state_hash(), world.pool_usage().used_bytes), before);
}

/// Lists with the same handle in every two places, of every length up to five.
#[test]
fn a_handle_twice_in_a_list_is_refused_wherever_two_would_be_written_at_once() {
    let mut world = World::new();
    let all: Vec<Entity> = world.spawn_batch((0..5).map(Num)).collect();
    let mut query = world.query::<&mut Num>();
    let mut view = query.view_mut(&mut world);
    macro_rules! lengths {
        ($($length:literal)*) => {$(
            let list: [Entity; $length] = std::array::from_fn(|place| all[place]);
            assert!(view.get_many_mut(list).is_ok());
            let pairs = (0..$length).flat_map(|one| (0..one).map(move |other| (one, other)));
            for (one, other) in pairs {
                let mut twice = list;
                twice[one] = twice[other];
                let error = view.get_many_mut(twice).map(|_| ()).expect_err("one is there twice");
                let repeated = all[other];
                assert!(matches!(error, QueryError::Repeated { entity, .. } if entity == repeated));
                // One after the other it is no harm.
                let mut many = view.iter_many_mut(&twice);
                while let Some(num) = many.fetch_next() {
                    num.0 += 1;
                }
            }
        )*};
    }
    lengths!(1 2 3 4 5);
    let total: u32 = view.iter().map(|num| num.0).sum();
    assert_eq!(total, 1 + 2 + 3 + 4 + 2 + 3 * 3 + 6 * 4 + 10 * 5);
}

/// Counts the blocks that it is given.
struct Counting(AtomicUsize);

impl BlockRunner for Counting {
    fn for_each(&self, count: usize, body: &(dyn Fn(usize) + Sync)) {
        self.0.fetch_add(count, Ordering::Relaxed);
        Serial.for_each(count, body);
    }
}

#[test]
fn empty_archetypes_cost_a_query_no_visit() {
    let mut world = World::new();
    let num = world.register_component::<Num>();
    let mut query = world.query::<&mut Num>();
    let all: Vec<Entity> = (0..200)
        .map(|number| world.spawn(Num(number)).id())
        .collect();
    world.insert(all[0], pos(1.0)).expect("it lives");
    world.insert_where::<With<Num>, _>(Named::new(1, &Ledger::default()));
    world.remove_where::<With<Num>, (Named, Pos)>();
    assert_eq!(
        world.archetypes().iter().filter(|a| !a.is_empty()).count(),
        1
    );
    for expected in [1, 0] {
        let visits = AtomicUsize::new(0);
        let mut view = query.view_mut(&mut world);
        view.for_each_chunk(|nums| {
            assert!(!nums.is_empty());
            visits.fetch_add(1, Ordering::Relaxed);
        });
        let runner = Counting(AtomicUsize::new(0));
        view.par_for_each_chunk(&runner, |nums| assert!(!nums.is_empty()));
        assert_eq!(runner.0.into_inner(), expected);
        view.par_for_each(&Threads(2), |_| ());
        DynamicQuery::new()
            .read(num)
            .for_each_chunk(&mut world, |chunk| {
                assert!(!chunk.is_empty());
                visits.fetch_add(1, Ordering::Relaxed);
            });
        assert_eq!(visits.into_inner(), 2 * expected);
        world.clear();
    }
}

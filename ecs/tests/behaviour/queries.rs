//! Queries: what matches, what is refused, and in which order it comes.

use std::collections::BTreeMap;

use orrery_ecs::{Component, Entity, Fields, QueryError, With, Without, World};

use crate::support::{Ledger, Named, Num, Parts, Pos, Random, Wide, ignore, panic_of};

fn pos(x: f32) -> Pos {
    Pos { x, y: 0.0, z: 0.0 }
}

#[test]
fn references_option_with_and_without_combine() {
    let mut world = World::new();
    let a = world.spawn(Num(1)).id();
    let b = world.spawn((Num(2), pos(2.0))).id();
    let c = world.spawn((Num(3), pos(3.0), Wide(3))).id();
    let d = world.spawn(pos(4.0)).id();
    let all = |found: &mut dyn Iterator<Item = Entity>| found.collect::<Vec<_>>();
    let mut plain = world.query::<(Entity, &Num)>();
    assert_eq!(all(&mut plain.iter(&world).map(|x| x.0)), [a, b, c]);
    let mut with = world.query_filtered::<Entity, (With<Num>, With<Pos>)>();
    assert_eq!(all(&mut with.iter(&world)), [b, c]);
    let mut without = world.query_filtered::<Entity, Without<Num>>();
    assert_eq!(all(&mut without.iter(&world)), [d]);
    let mut both = world.query_filtered::<Entity, (With<Pos>, Without<Wide>)>();
    assert_eq!(all(&mut both.iter(&world)), [b, d]);
    let mut option = world.query::<(Entity, Option<&Pos>, &Num)>();
    let found: Vec<_> = option
        .iter(&world)
        .map(|(e, p, _)| (e, p.map(|p| p.x)))
        .collect();
    assert_eq!(found, [(a, None), (b, Some(2.0)), (c, Some(3.0))]);
    let mut pair = world.query::<(Entity, Option<(&Num, &Wide)>)>();
    let found: Vec<_> = pair.iter(&world).map(|(e, p)| (e, p.is_some())).collect();
    assert_eq!(found, [(a, false), (b, false), (c, true), (d, false)]);
    let mut nothing = world.query_filtered::<Entity, (With<Num>, Without<Num>)>();
    assert_eq!(
        (
            nothing.iter(&world).count(),
            nothing.view(&world).is_empty()
        ),
        (0, true)
    );
}

#[test]
fn an_optional_write_over_a_fork_stays_in_the_fork() {
    let (ledger, mut world) = (Ledger::default(), World::new());
    world.spawn_batch((0..100).map(Num));
    world.spawn_batch((0..5000).map(|i| (Num(i), Named::new(i, &ledger))));
    let before = world.state_hash();
    let mut fork = world.fork().expect("it can be cloned");
    let mut query = fork.query::<(&Num, Option<&mut Named>)>();
    for (num, named) in query.iter_mut(&mut fork) {
        if let Some(named) = named {
            named.text = (num.0 + 1).to_string();
        }
    }
    assert_eq!(world.state_hash(), before);
    assert_ne!(fork.state_hash(), before);
    let names =
        |world: &mut World| -> u32 { world.query::<&Named>().iter(world).map(Named::number).sum() };
    assert_eq!(names(&mut fork), names(&mut world) + 5000);
}

#[test]
fn a_cached_query_sees_archetypes_that_came_later() {
    let mut world = World::new();
    let mut query = world.query::<&mut Num>();
    assert_eq!(query.view(&world).len(), 0);
    world.spawn(Num(1));
    assert_eq!(query.view(&world).len(), 1);
    world.spawn((Num(2), pos(0.0)));
    query.iter_mut(&mut world).for_each(|num| num.0 += 10);
    let entity = world.spawn((pos(0.0), Wide(1))).id();
    assert_eq!(query.view(&world).len(), 2);
    world.insert(entity, Num(3)).expect("it lives");
    let found: Vec<u32> = query.iter(&world).map(|num| num.0).collect();
    assert_eq!(found, [11, 12, 3]);
}

#[test]
fn writing_a_component_twice_or_beside_a_read_is_refused_by_name() {
    let mut world = World::new();
    let refused = [
        world.try_query::<(&mut Num, &mut Num), ()>().err(),
        world.try_query::<(&Num, &mut Num), ()>().err(),
        world.try_query::<(&mut Num, &Num), ()>().err(),
        world.try_query::<(&mut Num, Option<&Num>), ()>().err(),
        world
            .try_query::<(Option<&mut Num>, (&Pos, Option<&mut Num>)), ()>()
            .err(),
        world.try_query::<(&mut Num, &Num), Without<Num>>().err(),
    ];
    for error in refused {
        let error = error.expect("a conflict");
        assert_eq!(error.data, std::any::type_name::<Num>());
    }
    let fields = world
        .try_query::<(Fields<&mut Parts>, Fields<&Parts>), ()>()
        .err();
    assert!(fields.expect("a conflict").to_string().contains("Parts"));
    let message = panic_of(|| drop(world.query::<(&mut Num, &Num)>())).expect("a panic");
    assert!(message.contains("support::Num"), "{message}");
    assert!(world.try_query::<(&Num, &Num, Option<&Num>), ()>().is_ok());
}

#[test]
fn a_query_of_another_world_panics_with_a_message() {
    let mut world = World::new();
    world.spawn(Num(1));
    let mut query = world.query::<&mut Num>();
    let mut other = World::new();
    let mut fork = world.fork().expect("it can be cloned");
    for strange in [&mut other, &mut fork] {
        let read = panic_of(|| ignore(query.view(strange).len())).expect("a panic");
        let write = panic_of(|| ignore(query.view_mut(strange).len())).expect("a panic");
        assert!(
            read.contains("made for another world") && read.contains("Num"),
            "{read}"
        );
        assert_eq!(read, write);
    }
    assert_eq!(query.view(&world).len(), 1);
}

#[test]
fn length_and_size_hint_are_exact_at_every_step() {
    let mut world = World::new();
    world.spawn_batch((0..4097).map(Num));
    world.spawn_batch((0..10).map(|i| (Num(i), pos(0.0))));
    world.spawn_batch((0..8192).map(|i| (Num(i), Wide1(1))));
    let mut query = world.query::<&Num>();
    let mut left = 4097 + 10 + 8192;
    assert_eq!(query.view(&world).len(), left);
    let mut iter = query.iter(&world);
    loop {
        assert_eq!((iter.len(), iter.size_hint()), (left, (left, Some(left))));
        if iter.next().is_none() {
            break;
        }
        left -= 1;
    }
    assert!(left == 0 && iter.next().is_none() && iter.len() == 0);
}

#[derive(Clone, Copy, Component)]
struct Wide1(u8);

#[test]
fn single_is_an_error_for_none_and_for_two() {
    let mut world = World::new();
    let mut query = world.query::<&mut Num>();
    let none = query.view(&world).single().err();
    assert!(matches!(none, Some(QueryError::NoneMatch { .. })));
    world.spawn(Num(1));
    assert_eq!(query.view(&world).single(), Ok(&Num(1)));
    query
        .view_mut(&mut world)
        .single_mut()
        .expect("there is one")
        .0 = 5;
    world.spawn((Num(2), pos(0.0)));
    let many = query.view_mut(&mut world).single_mut().err();
    assert!(matches!(many, Some(QueryError::ManyMatch { .. })));
}

#[test]
fn get_finds_rows_of_every_block_and_says_why_not() {
    let mut world = World::new();
    let all: Vec<Entity> = world
        .spawn_batch((0..9000).map(|i| (Num(i), pos(1.0))))
        .collect();
    let other = world.spawn(pos(1.0)).id();
    let mut query = world.query::<(&mut Num, &Pos)>();
    let mut view = query.view_mut(&mut world);
    for (number, &entity) in all.iter().enumerate() {
        view.get_mut(entity).expect("it matches").0.0 += 1;
        assert_eq!(view.get(entity).map(|row| row.0.0), Ok(number as u32 + 1));
    }
    assert!(matches!(view.get(other), Err(QueryError::NoMatch { entity, .. }) if entity == other));
    let dead = Entity::from_bits(1 << 40 | 77).expect("a generation");
    assert!(matches!(view.get(dead), Err(QueryError::NoSuchEntity(_))));
}

#[derive(Clone, Copy, Component)]
struct Bit<const NUMBER: usize>(u32);

#[test]
fn ten_thousand_archetypes_of_one_entity_are_right() {
    let mut world = World::new();
    let mut all = Vec::new();
    for set in 0..10_000_u32 {
        let entity = world.spawn(Num(set)).id();
        let mut entity_mut = world.entity_mut(entity);
        macro_rules! bits {
            ($($bit:literal)*) => {$(
                if set >> $bit & 1 == 1 {
                    entity_mut.insert(Bit::<$bit>(set));
                }
            )*};
        }
        bits!(0 1 2 3 4 5 6 7 8 9 10 11 12 13);
        all.push(entity);
    }
    assert_eq!(
        world.archetypes().iter().filter(|a| a.len() == 1).count(),
        10_000
    );
    let mut every = world.query::<(Entity, &mut Num)>();
    let found: BTreeMap<Entity, u32> = every.iter(&world).map(|(e, n)| (e, n.0)).collect();
    assert!(
        all.iter()
            .enumerate()
            .all(|(i, e)| found.get(e) == Some(&(i as u32)))
    );
    let mut some = world.query_filtered::<(&Num, &Bit<3>), Without<Bit<7>>>();
    let expected = (0..10_000_u32).filter(|set| set >> 3 & 1 == 1 && set >> 7 & 1 == 0);
    assert_eq!(some.view(&world).len(), expected.clone().count());
    assert!(some.iter(&world).all(|(num, bit)| num.0 == bit.0));
    assert_eq!(
        some.iter(&world).map(|(num, _)| num.0).sum::<u32>(),
        expected.sum::<u32>()
    );
    let mut fork = world.fork().expect("it can be cloned");
    let mut query = fork.query::<&mut Num>();
    query.iter_mut(&mut fork).for_each(|num| num.0 += 1);
    let sum = |world: &mut World| world.query::<&Num>().iter(world).map(|n| n.0).sum::<u32>();
    assert_eq!(sum(&mut fork), sum(&mut world) + 10_000);
    // Small archetypes are cheap: under 2 KiB of blocks for each, with up to 16 columns.
    assert!(world.pool_usage().used_bytes < 10_000 * 4096);
}

#[test]
fn rows_chunks_and_fields_read_the_same_memory() {
    let (mut world, mut random) = (World::new(), Random::new(5));
    let parts = |i: u32| Parts {
        a: i as f32,
        b: f64::from(i),
        c: i as u16,
    };
    let all: Vec<Entity> = world
        .spawn_batch((0..6000).map(|i| (Num(i), parts(i))))
        .collect();
    for _ in 0..1000 {
        let _ = world.despawn(all[random.below(all.len())]);
    }
    let mut query = world.query::<(Entity, &mut Num, Fields<&mut Parts>)>();
    query.view_mut(&mut world).for_each(|(_, num, parts)| {
        num.0 += 1;
        *parts.a += 1.0;
    });
    query
        .view_mut(&mut world)
        .for_each_chunk(|(entities, nums, parts)| {
            assert_eq!(
                (nums.len(), parts.a.len()),
                (entities.len(), entities.len())
            );
            nums.iter_mut()
                .zip(parts.a.iter_mut())
                .for_each(|(num, a)| {
                    num.0 += 1;
                    *a += 1.0;
                });
        });
    for (entity, num, parts) in query.iter(&world) {
        assert_eq!((num.0 as f32, f64::from(num.0)), (*parts.a, *parts.b + 2.0));
        assert_eq!(world.read::<Parts>(entity).map(|p| p.c), Some(*parts.c));
    }
}

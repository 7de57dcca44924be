//! Single entities: `get`, `get_many`, `iter_many`, `contains`, `single`, and why not.

use orrery_ecs::{Changed, Entity, Has, NoSuchEntity, QueryError, With, World};

use super::{Health, Tag, from_now};
use crate::support::{Num, Random};

/// Entities in three archetypes, of several blocks and of one row; numbered from 0.
fn world_of(count: u32) -> (World, Vec<Entity>) {
    let mut world = World::new();
    let all = (0..count).map(|i| match i % 7 {
        0 => world.spawn((Num(i), Tag::<0>(i))).id(),
        1 => world.spawn((Num(i), Tag::<1>(i))).id(),
        _ => world.spawn((Num(i), Tag::<0>(i), Tag::<1>(i))).id(),
    });
    let all = all.collect();
    (world, all)
}

fn dead() -> Entity {
    Entity::from_bits(1 << 40 | 7).expect("a generation")
}

#[test]
fn every_door_to_one_entity_agrees_with_the_world() {
    let (mut world, all) = world_of(10_000);
    let mut random = Random::new(11);
    for _ in 0..2000 {
        let _ = world.despawn(all[random.below(all.len())]);
    }
    let mut query = world.query::<(Entity, &Num, &mut Tag<0>)>();
    let mut view = query.view_mut(&mut world);
    let mut sum = 0;
    for &entity in &all {
        let got = view.get(entity).map(|(e, num, tag)| (e, num.0, tag.0));
        assert_eq!(view.contains(entity), got.is_ok());
        if let Ok((e, num, tag)) = got {
            assert_eq!((e, num), (entity, tag));
            let (_, _, tag) = view.get_mut(entity).expect("it matches");
            tag.0 += 1;
            sum += 1;
        }
    }
    let list = view
        .iter_many(&all)
        .map(|(e, num, tag)| (e, num.0 + 1 == tag.0));
    assert!(list.clone_count() == (sum, true));
    for &entity in &all {
        let mut query = world.query::<&Tag<0>>();
        let by_world = world.get::<Tag<0>>(entity);
        assert_eq!(query.view(&world).get_inner(entity).ok(), by_world);
        if entity.index() % 1000 == 0 {
            assert_eq!(
                world.query::<Has<Num>>().view(&world).contains(entity),
                world.contains(entity)
            );
        }
    }
}

trait CloneCount {
    fn clone_count(self) -> (u32, bool);
}

impl<I: Iterator<Item = (Entity, bool)>> CloneCount for I {
    fn clone_count(self) -> (u32, bool) {
        self.fold((0, true), |(count, all), (_, right)| {
            (count + 1, all && right)
        })
    }
}

#[test]
fn errors_name_the_entity_the_query_and_the_reason() {
    let (mut world, all) = world_of(10);
    world.despawn(all[3]).expect("it lives");
    let mut query = world.query::<&mut Tag<0>>();
    let view = query.view_mut(&mut world);
    let gone = QueryError::NoSuchEntity(NoSuchEntity { entity: all[3] });
    assert_eq!(view.get(all[3]).err(), Some(gone));
    assert!(matches!(view.get(dead()), Err(QueryError::NoSuchEntity(_))));
    let error = view.get(all[1]).expect_err("it has no such tag");
    let QueryError::NoMatch { entity, query } = error else {
        panic!("{error}");
    };
    assert!(entity == all[1] && query.contains("Tag<0>"), "{error}");
    assert!(error.to_string().contains(&all[1].to_string()), "{error}");
    // A handle that commands gave out has no row before they are applied.
    let mut queue = orrery_ecs::CommandQueue::default();
    let reserved = orrery_ecs::Commands::new(&mut queue, &world)
        .spawn(Num(1))
        .id();
    let mut handles = world.query::<Entity>();
    assert!(handles.view(&world).get(reserved).is_err());
    queue.apply(&mut world);
    assert_eq!(handles.view(&world).get(reserved), Ok(reserved));
}

#[test]
fn a_filter_that_decides_by_row_decides_lookups_too() {
    let mut world = World::new();
    let all: Vec<Entity> = world
        .spawn_batch((0..100).map(|i| (Health(i), Num(i))))
        .collect();
    let mut query = from_now::<&mut Num, Changed<Health>>(&mut world);
    let tick = query.last_run();
    let mut view = query.view_mut(&mut world);
    assert!(view.get_mut(all[4]).is_err() && !view.contains(all[4]));
    assert_eq!(world.changed_since::<Num>(tick).count(), 0);
    world.get_mut::<Health>(all[4]).expect("it lives").0 = 1;
    let mut view = query.view_mut(&mut world);
    assert!(view.contains(all[4]) && !view.contains(all[5]));
    view.get_mut(all[4]).expect("it changed").0 = 44;
    assert_eq!(
        view.iter_many(&all).map(|num| num.0).collect::<Vec<_>>(),
        [44]
    );
    assert!(view.get_many([all[4], all[5]]).is_err());
    assert_eq!(view.single().map(|num| num.0), Ok(44));
    assert!(view.single_mut().is_ok() && !view.is_empty());
}

#[test]
fn lists_are_followed_in_their_order_whatever_the_size_of_the_world() {
    // Beyond 65,536 entities lists are looked up ahead.
    for (count, seed, ahead) in [(50, 1, false), (80_000, 2, true)] {
        let (mut world, mut all) = world_of(count);
        let mut random = Random::new(seed);
        for last in (1..all.len()).rev() {
            all.swap(last, random.below(last + 1));
        }
        for _ in 0..count / 10 {
            let _ = world.despawn(all[random.below(all.len())]);
        }
        assert_eq!(world.len() > 65_536, ahead);
        let mut query = world.query_filtered::<(Entity, &mut Num), With<Tag<1>>>();
        let mut view = query.view_mut(&mut world);
        // Lists of every length around a batch, from anywhere; dead ones and strangers among them.
        for len in [0, 1, 2, 31, 32, 33, 40, 63, 64, 65, 96, 97, 128, 1000] {
            let len = len.min(all.len());
            let list = &all[random.below(all.len() - len + 1)..][..len];
            let expected: Vec<(Entity, u32)> = list
                .iter()
                .filter_map(|&entity| view.get(entity).ok().map(|(e, num)| (e, num.0)))
                .collect();
            let many = || view.iter_many(list).map(|(e, num)| (e, num.0));
            assert_eq!(many().collect::<Vec<_>>(), expected);
            let folded = many().fold(Vec::new(), |mut seen, item| {
                seen.push(item);
                seen
            });
            assert_eq!(folded, expected);
            assert!(many().size_hint().1 >= Some(expected.len()));
            let twice = [list, list].concat();
            let mut many = view.iter_many_mut(&twice);
            let mut seen = 0;
            while let Some((_, num)) = many.fetch_next() {
                num.0 += 1;
                seen += 1;
            }
            assert!(many.fetch_next().is_none());
            assert_eq!(seen, 2 * expected.len());
            let grown = view.iter_many(list).map(|(e, num)| (e, num.0 - 2));
            assert_eq!(grown.collect::<Vec<_>>(), expected);
        }
    }
}

//! Queries: what matches, what is refused, and in which order it comes.

use orrery_ecs::{Entity, Fields, QueryError, World};

use crate::support::{Ledger, Named, Num, Parts, Pos, Random, pos};

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

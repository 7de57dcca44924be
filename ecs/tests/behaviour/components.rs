//! Components: moves between archetypes, alignment, sizes of blocks.

use orrery_ecs::{BLOCK_ROWS, Entity, World};

use crate::support::{Ledger, Named, Num, Parts, Wide};

#[test]
fn taking_and_inserting_carries_values_through_every_kind_of_column() {
    let (ledger, mut world) = (Ledger::default(), World::new());
    let parts = Parts {
        a: 1.5,
        b: -2.5,
        c: 7,
    };
    let entity = world
        .spawn((Num(1), parts, Named::new(9, &ledger), Wide(4)))
        .id();
    let (named, got, wide) = world
        .take::<(Named, Parts, Wide)>(entity)
        .expect("all there");
    assert_eq!((named.number(), got, wide), (9, parts, Wide(4)));
    assert_eq!(world.get::<Num>(entity), Some(&Num(1)));
    assert!(world.read::<Parts>(entity).is_none());
    world.insert(entity, (wide, named, got)).expect("it lives");
    assert_eq!(world.read::<Parts>(entity), Some(parts));
    assert!(world.take::<()>(entity).is_ok());
    assert_eq!((ledger.made(), ledger.alive()), (1, 1));
}

#[test]
fn every_length_around_the_growth_of_blocks_keeps_all_rows() {
    let lengths = [
        1, 15, 16, 17, 31, 32, 33, 2048, 2049, 4095, 4096, 4097, 8191, 8192, 8193,
    ];
    for &length in &lengths {
        let rows = |i: u32| {
            (
                Num(i),
                Parts {
                    a: i as f32,
                    b: f64::from(i),
                    c: i as u16,
                },
            )
        };
        let (mut one, mut many) = (World::new(), World::new());
        for i in 0..length {
            one.spawn(rows(i));
        }
        many.spawn_batch((0..length).map(rows));
        for world in [&mut one, &mut many] {
            let mut lengths = Vec::new();
            let mut next = 0;
            let mut query = world.query::<(&Num, orrery_ecs::Fields<&Parts>)>();
            query.view(world).for_each_chunk(|(nums, parts)| {
                assert_eq!((nums.len(), nums.len()), (parts.a.len(), parts.c.len()));
                assert_eq!((&raw const nums[0]).addr() % 64, 0);
                lengths.push(nums.len());
                for (index, num) in nums.iter().enumerate() {
                    assert_eq!(*num, Num(next));
                    assert_eq!(
                        (parts.a[index], parts.b[index]),
                        (next as f32, f64::from(next))
                    );
                    next += 1;
                }
            });
            let blocks = (length as usize).div_ceil(BLOCK_ROWS);
            assert_eq!((lengths.len(), next), (blocks, length));
            assert!(lengths[..blocks - 1].iter().all(|&rows| rows == BLOCK_ROWS));
        }
        assert_eq!(one.state_hash(), many.state_hash(), "of {length} rows");
    }
}

#[test]
fn going_back_and_forth_over_the_border_of_two_blocks_keeps_all_rows() {
    let (ledger, mut world) = (Ledger::default(), World::new());
    let mut all: Vec<Entity> = world
        .spawn_batch((0..4094).map(|i| Named::new(i, &ledger)))
        .collect();
    for round in 0..30_u32 {
        for number in 0..6 {
            all.push(world.spawn(Named::new(5000 + number, &ledger)).id());
        }
        for _ in 0..6 {
            let gone = all.swap_remove((round as usize * 131) % all.len());
            world.despawn(gone).expect("it lives");
        }
        assert_eq!((world.len(), ledger.alive()), (4094, 4094));
    }
    let order: Vec<Entity> = world.query::<Entity>().iter(&world).collect();
    assert_eq!(order, all);
}

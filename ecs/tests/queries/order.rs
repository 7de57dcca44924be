//! The order of rows: as they lie, sorted, in combinations.

use orrery_ecs::{Changed, Entity, World};

use super::{Health, Tag, from_now};
use crate::support::{Num, Random};

fn world_of(count: u32) -> World {
    let mut world = World::new();
    for i in 0..count {
        match i % 3 {
            0 => drop(world.spawn((Num(i), Tag::<0>(0)))),
            _ => drop(world.spawn(Num(i))),
        }
    }
    world
}

#[test]
fn rows_are_the_same_one_by_one_folded_and_after_a_start() {
    for count in [0, 1, 5, 4096, 4097, 9000] {
        let mut world = world_of(count);
        let mut query = world.query::<&Num>();
        let mut rows = Vec::new();
        for num in query.iter(&world) {
            rows.push(num.0);
        }
        assert_eq!(rows.len(), count as usize);
        for start in [0, 1, 4095, 4096, 4097, 8999] {
            let mut iter = query.iter(&world);
            let skipped = iter.by_ref().take(start).count();
            let copy = iter.clone();
            assert_eq!(
                (iter.len(), iter.clone().count()),
                (rows.len() - skipped, iter.len())
            );
            let mut folded = Vec::new();
            iter.for_each(|num| folded.push(num.0));
            assert_eq!(folded, rows[skipped..], "{count} rows from {start}");
            assert!(copy.map(|num| num.0).eq(folded));
        }
    }
}

#[test]
fn combinations_come_once_each_and_in_order() {
    for count in [0, 1, 2, 3, 7] {
        let mut world = world_of(count);
        let mut query = world.query::<&mut Num>();
        let rows: Vec<u32> = query.iter(&world).map(|num| num.0).collect();
        let mut expected = Vec::new();
        for a in 0..rows.len() {
            for b in a + 1..rows.len() {
                expected.extend((b + 1..rows.len()).map(|c| [rows[a], rows[b], rows[c]]));
            }
        }
        let view = query.view(&world);
        let threes = view.iter_combinations::<3>();
        let most = threes.size_hint().1.expect("few rows");
        assert_eq!(most, expected.len());
        let threes: Vec<[u32; 3]> = threes.map(|three| three.map(|num| num.0)).collect();
        assert_eq!(threes, expected);
        let ones = view.iter_combinations::<1>().map(|[num]| num.0);
        assert!(ones.eq(rows.iter().copied()));
        assert_eq!(view.iter_combinations::<8>().count(), 0);
        let mut view = query.view_mut(&mut world);
        let mut pairs = view.iter_combinations_mut::<2>();
        while let Some([a, b]) = pairs.fetch_next() {
            (a.0, b.0) = (a.0 + 100, b.0 + 100);
        }
        assert!(pairs.fetch_next().is_none() && pairs.fetch_next().is_none());
        let partners = count.saturating_sub(1) * 100;
        assert!(
            view.iter()
                .map(|num| num.0)
                .eq(rows.iter().map(|row| row + partners))
        );
    }
}

#[test]
fn combinations_reach_over_blocks_and_pass_over_rows_that_do_not_match() {
    let mut world = World::new();
    let all: Vec<Entity> = world.spawn_batch((0..9000).map(Health)).collect();
    let mut query = from_now::<&mut Health, Changed<Health>>(&mut world);
    for row in [5, 4095, 4096, 8999] {
        world.get_mut::<Health>(all[row]).expect("it lives").0 = row as u32;
    }
    let view = query.view(&world);
    let pairs = view.iter_combinations().map(|[a, b]| (a.0, b.0));
    let expected = [
        (5, 4095),
        (5, 4096),
        (5, 8999),
        (4095, 4096),
        (4095, 8999),
        (4096, 8999),
    ];
    assert!(pairs.eq(expected));
    let mut view = query.view_mut(&mut world);
    let mut pairs = view.iter_combinations_mut();
    while let Some([mut a, b]) = pairs.fetch_next() {
        a.0 += b.0;
    }
    let sums: Vec<u32> = view.iter().map(|health| health.0).collect();
    assert_eq!(
        sums,
        [
            5 + 4095 + 4096 + 8999,
            4095 + 4096 + 8999,
            4096 + 8999,
            8999
        ]
    );
}

#[test]
fn sorting_is_stable_and_takes_what_is_left() {
    let (mut world, mut random) = (world_of(5000), Random::new(3));
    let mut query = world.query::<(&mut Num, Entity)>();
    for (num, _) in query.iter_mut(&mut world) {
        num.0 = random.below(50) as u32;
    }
    let rows: Vec<(u32, Entity)> = query.iter(&world).map(|(num, e)| (num.0, e)).collect();
    let plain = |row: (&Num, Entity)| (row.0.0, row.1);
    let mut expected = rows[1..].to_vec();
    expected.sort_by_key(|row| row.0);
    let mut started = query.iter(&world);
    assert!(started.next().is_some());
    assert!(
        started
            .clone()
            .sort_by(|a, b| a.0.0.cmp(&b.0.0))
            .map(plain)
            .eq(expected.clone())
    );
    assert!(started.sort_by_key(|row| row.0.0).map(plain).eq(expected));
    let mut expected = rows;
    expected.sort_by_key(|&(num, entity)| (num, std::cmp::Reverse(entity)));
    let sorted = query
        .iter(&world)
        .sort_unstable_by_key(|row| (row.0.0, std::cmp::Reverse(row.1)));
    assert!(sorted.map(plain).eq(expected));
    // What was sorted can be written.
    let mut rank = 0;
    for (num, _) in query.iter_mut(&mut world).sort_by_key(|row| row.1) {
        (num.0, rank) = (rank, rank + 1);
    }
    assert!(
        query
            .iter(&world)
            .sort_by_key(|row| row.0.0)
            .map(|row| row.1)
            .is_sorted()
    );
}

//! The order of rows: as they lie, sorted, in combinations.

use orrery_ecs::{Changed, Entity, World};

use super::{Health, from_now, two_archetypes};
use crate::support::Num;

#[test]
fn rows_are_the_same_one_by_one_folded_and_after_a_start() {
    for count in [0, 1, 5, 4096, 4097, 9000] {
        let mut world = two_archetypes(count);
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

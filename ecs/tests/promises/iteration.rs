//! Iteration: each row once, in order, by slices and on threads. Sentences 30 to 32, 34, 35, 37.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use orrery_ecs::{
    BLOCK_ALIGN, BLOCK_ROWS, Changed, Component, Entity, Fields, With, Without, World,
};

use crate::queries::{Health, Tag, from_now, two_archetypes};
use crate::support::{Frozen, Num, Parts, Pos, Random, Threads, Wide, pos};

type T<const N: usize> = Tag<N>;

#[derive(Clone, Copy, Component)]
struct Byte(u8);

#[derive(Clone, Copy, Component)]
struct Bit<const NUMBER: usize>(u32);

#[test]
fn len_is_exact_for_filters_by_archetype_and_size_hint_is_honest_otherwise() {
    let mut world = World::new();
    world.spawn_batch((0..4097).map(Num));
    world.spawn_batch((0..10).map(|i| (Num(i), pos(0.0))));
    world.spawn_batch((0..8192).map(|i| (Num(i), Tag::<0>(1))));
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
    let mut some = world.query_filtered::<&Num, (Without<Pos>, With<T<0>>)>();
    assert_eq!(some.view(&world).len(), 8192);
    // Which rows changed is not known before they are looked at: all of them may have.
    let entity = world.spawn((Health(1), Num(1))).id();
    world.spawn_batch((0..5000).map(Health));
    let mut changed = from_now::<Entity, Changed<Health>>(&mut world);
    assert_eq!(changed.iter(&world).size_hint(), (0, Some(5001)));
    world.get_mut::<Health>(entity).expect("it lives").0 = 2;
    let mut iter = changed.iter(&world);
    assert_eq!(iter.next(), Some(entity));
    assert_eq!(iter.size_hint(), (0, Some(5000)));
    assert_eq!((iter.count(), changed.view(&world).count()), (0, 1));
}

#[test]
fn combinations_visit_each_pair_once() {
    for count in [0, 1, 2, 3, 7] {
        let mut world = two_archetypes(count);
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
fn sorted_iteration_is_stable_and_may_begin_after_next() {
    let (mut world, mut random) = (two_archetypes(5000), Random::new(3));
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

#[test]
fn a_parallel_loop_visits_each_row_once_with_the_serial_sum_in_tables_and_sparse_sets() {
    let mut world = World::new();
    let mut all: Vec<Entity> = world.spawn_batch((0..9000).map(Num)).collect();
    all.extend(world.spawn_batch((0..5000).map(|i| (Num(i), Tag::<0>(i)))));
    for (&entity, number) in all.iter().zip(0..).step_by(3) {
        world.insert(entity, Frozen(number)).expect("it lives");
    }
    let mut dense = world.query::<(Entity, &Num)>();
    let mut sparse = world.query::<(Entity, &Frozen)>();
    let mut both = world.query_filtered::<(Entity, &Num, &mut Frozen), With<T<0>>>();
    let sums = [
        dense
            .iter(&world)
            .map(|row| u64::from(row.1.0))
            .sum::<u64>(),
        sparse.iter(&world).map(|row| u64::from(row.1.0)).sum(),
        both.iter(&world).map(|row| u64::from(row.1.0)).sum(),
    ];
    for threads in [1, 2, 6] {
        let visits: Vec<AtomicU32> = all.iter().map(|_| AtomicU32::new(0)).collect();
        let found = [0, 1, 2].map(AtomicU64::new);
        let visit = |kind: usize, entity: Entity, number: u32| {
            visits[entity.index() as usize].fetch_add(1 << (8 * kind), Ordering::Relaxed);
            found[kind].fetch_add(number.into(), Ordering::Relaxed);
        };
        let runner = Threads(threads);
        let mut view = dense.view_mut(&mut world);
        view.par_for_each(&runner, |(entity, num)| visit(0, entity, num.0));
        let mut view = sparse.view_mut(&mut world);
        view.par_for_each(&runner, |(entity, frozen)| visit(1, entity, frozen.0));
        let mut view = both.view_mut(&mut world);
        view.par_for_each(&runner, |(entity, num, frozen)| {
            visit(2, entity, num.0);
            frozen.0 += 1;
        });
        view.par_for_each(&runner, |(_, _, frozen)| frozen.0 -= 1);
        let found = found.map(AtomicU64::into_inner);
        assert_eq!(
            found,
            [sums[0], sums[1] + 1, sums[2] + 2],
            "{threads} threads"
        );
        for (&entity, visits) in all.iter().zip(&visits) {
            let frozen = world.get::<Frozen>(entity).is_some();
            let both = frozen && world.get::<Tag<0>>(entity).is_some();
            let once = 1 | u32::from(frozen) << 8 | u32::from(both) << 16;
            assert_eq!(visits.load(Ordering::Relaxed), once);
        }
    }
}

#[test]
fn slices_cover_all_rows_in_order_and_begin_at_an_aligned_address() {
    let mut world = World::new();
    let parts = |i: u32| Parts {
        a: i as f32,
        b: f64::from(i),
        c: i as u16,
    };
    let bundle = |i: u32| (Num(i), Byte(i as u8), pos(i as f32), parts(i));
    let mut all: Vec<Entity> = world.spawn_batch((0..10_000).map(bundle)).collect();
    all.extend(world.spawn_batch((0..17).map(|i| (bundle(i), Wide(i.into())))));
    for &entity in all.iter().step_by(5) {
        world.despawn(entity).expect("it lives");
    }
    type Data = (
        (Entity, &'static mut Num, &'static Byte, &'static Pos),
        (Fields<&'static Parts>, Option<&'static mut Wide>),
    );
    let mut query = world.query::<Data>();
    let mut rows = Vec::new();
    for ((entity, num, byte, pos), (parts, wide)) in query.iter(&world) {
        assert_eq!(
            (byte.0, pos.x, *parts.c),
            (num.0 as u8, num.0 as f32, num.0 as u16)
        );
        assert_eq!(wide.is_some(), world.get::<Wide>(entity).is_some());
        rows.push((entity, num.0));
    }
    let mut covered = Vec::new();
    let aligned = |address: usize, align: usize| assert_eq!(address % align, 0);
    query
        .view_mut(&mut world)
        .for_each_chunk(|((entities, nums, bytes, all), (parts, wide))| {
            let len = entities.len();
            assert!(0 < len && len <= BLOCK_ROWS);
            assert_eq!(
                [
                    nums.len(),
                    bytes.len(),
                    all.len(),
                    parts.b.len(),
                    parts.c.len()
                ],
                [len; 5]
            );
            for address in [
                nums.as_ptr().addr(),
                bytes.as_ptr().addr(),
                all.as_ptr().addr(),
            ] {
                aligned(address, BLOCK_ALIGN);
            }
            for address in [
                parts.a.as_ptr().addr(),
                parts.b.as_ptr().addr(),
                parts.c.as_ptr().addr(),
            ] {
                aligned(address, BLOCK_ALIGN);
            }
            if let Some(wide) = wide {
                assert_eq!(wide.len(), len);
                aligned(wide.as_ptr().addr(), 4096);
            }
            let slices = entities.iter().zip(nums);
            covered.extend(slices.map(|(&entity, num)| (entity, num.0)));
        });
    assert_eq!(covered, rows);
    assert_eq!(rows.len(), world.len());
}

#[test]
fn a_query_over_ten_thousand_archetypes_of_one_entity_is_right() {
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

//! Archetypes of every odd size, by every door, on any number of threads.

use std::sync::atomic::{AtomicUsize, Ordering};

use orrery_ecs::{BlockRunner, Changed, Entity, Serial, World};

use super::{Health, Tag, from_now};
use crate::support::{Num, Threads, panic_of};

const SIZES: [u32; 9] = [0, 1, 15, 16, 17, 4095, 4096, 4097, 8193];

/// Two archetypes of these sizes, values counted from 0.
fn world_of(first: u32, second: u32) -> World {
    let mut world = World::new();
    world.spawn_batch((0..first).map(|i| (Health(i), Num(i))));
    world.spawn_batch((0..second).map(|i| (Health(first + i), Num(first + i), Tag::<0>(i))));
    world
}

#[test]
fn every_door_visits_every_row_once_whatever_the_size() {
    for first in SIZES {
        for second in [0, 1, 4097] {
            let (mut world, rows) = (world_of(first, second), (first + second) as usize);
            let mut query = world.query::<(Entity, &mut Num)>();
            let mut view = query.view_mut(&mut world);
            assert_eq!(
                (view.len(), view.count(), view.is_empty()),
                (rows, rows, rows == 0)
            );
            view.for_each(|(_, num)| num.0 += 1);
            for (_, num) in &mut view {
                num.0 += 1;
            }
            view.par_for_each(&Threads(3), |(_, num)| num.0 += 1);
            view.for_each_chunk(|(_, nums)| nums.iter_mut().for_each(|num| num.0 += 1));
            view.par_for_each_chunk(&Threads(2), |(handles, nums)| {
                assert!(handles.len() == nums.len() && !nums.is_empty());
                nums.iter_mut().for_each(|num| num.0 += 1);
            });
            let handles: Vec<Entity> = view.iter().map(|(entity, _)| entity).collect();
            let mut many = view.iter_many_mut(&handles);
            while let Some((_, num)) = many.fetch_next() {
                num.0 += 1;
            }
            assert!(
                view.iter().map(|(_, num)| num.0).eq(6..rows as u32 + 6),
                "{first}, {second}"
            );
        }
    }
}

#[test]
fn changed_rows_at_every_border_are_found_by_every_door() {
    for size in SIZES.into_iter().filter(|&size| size > 0) {
        for row in [0, size / 2, size - 1] {
            let mut world = world_of(size, 3);
            let all: Vec<Entity> = world.query::<Entity>().iter(&world).collect();
            let mut query = from_now::<(Entity, &mut Num), Changed<Health>>(&mut world);
            let hint = query.iter(&world).size_hint();
            assert_eq!(hint, (0, Some(size as usize + 3)), "an honest bound");
            assert!(query.view(&world).is_empty());
            let entity = all[row as usize];
            world.get_mut::<Health>(entity).expect("it lives").0 = 0;
            let mut view = query.view_mut(&mut world);
            assert_eq!((view.count(), view.is_empty()), (1, false));
            assert_eq!(view.single().map(|(e, _)| e), Ok(entity));
            assert!(view.iter().map(|(e, _)| e).eq([entity]));
            let visits = AtomicUsize::new(0);
            view.for_each(|(_, num)| num.0 = 1000);
            view.par_for_each(&Threads(2), |(e, num)| {
                assert_eq!((e, num.0), (entity, 1000));
                visits.fetch_add(1, Ordering::Relaxed);
            });
            assert_eq!(visits.into_inner(), 1);
            // What was not looked at since is new no more once this look counts as the last.
            query.set_last_run(world.change_tick());
            assert_eq!(query.iter(&world).count(), 0);
        }
    }
}

#[test]
fn parallel_loops_over_a_fork_give_the_same_on_any_number_of_threads() {
    let original = world_of(20_000, 5000);
    let before = original.state_hash();
    let work = |world: &mut World, runner: &dyn BlockRunner| {
        let mut query = world.query::<(&mut Health, &Num)>();
        query
            .view_mut(world)
            .par_for_each(runner, |(mut health, num)| {
                if num.0 % 3 == 0 {
                    health.0 = health.0.wrapping_mul(31) ^ num.0;
                }
            });
        let mut changed = world.query_filtered::<Entity, Changed<Health>>();
        changed.set_last_run(world.change_tick() - 1);
        (world.state_hash(), changed.iter(world).collect::<Vec<_>>())
    };
    let mut serial = original.fork().expect("it can be cloned");
    serial.advance_change_tick();
    let expected = work(&mut serial, &Serial);
    assert_eq!(expected.1.len(), 25_000_usize.div_ceil(3));
    for threads in [1, 2, 3, 8] {
        let mut fork = original.fork().expect("it can be cloned");
        fork.advance_change_tick();
        assert_eq!(
            work(&mut fork, &Threads(threads)),
            expected,
            "{threads} threads"
        );
    }
    assert_eq!(original.state_hash(), before);
}

#[test]
fn a_runner_that_repeats_or_leaves_out_a_block_is_found_out() {
    struct Twice;
    impl BlockRunner for Twice {
        fn for_each(&self, count: usize, body: &(dyn Fn(usize) + Sync)) {
            (0..count).chain([0]).for_each(body);
        }
    }
    struct Lazy;
    impl BlockRunner for Lazy {
        fn for_each(&self, _: usize, _: &(dyn Fn(usize) + Sync)) {}
    }
    let mut world = world_of(5000, 1);
    let mut query = world.query::<&mut Num>();
    let mut view = query.view_mut(&mut world);
    let message = panic_of(|| view.par_for_each(&Twice, |num| num.0 += 1));
    assert!(message.is_some_and(|text| text.contains("block 0 twice")));
    let message = panic_of(|| view.par_for_each(&Lazy, |num| num.0 += 1));
    assert!(message.is_some_and(|text| text.contains("0 blocks of 3")));
}

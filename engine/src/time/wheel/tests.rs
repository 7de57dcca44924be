//! The wheel at its limits; `model.rs` holds it against a sorted map.

use std::num::NonZeroU32;

use orrery_ecs::{Component, World};

use super::rings::HEADS;
use super::{Expired, TimerId, Timers};

const TEN: NonZeroU32 = NonZeroU32::new(10).expect("10 is not 0");

fn values<T: Clone>(timers: &mut Timers<T>, tick: u64) -> Vec<T> {
    timers.expire(tick).map(|expired| expired.value).collect()
}

fn hash(timers: &Timers<u32>) -> u128 {
    let mut world = World::new();
    world.insert_resource(timers.clone());
    world.state_hash().0
}

#[test]
fn timers_of_one_tick_come_in_the_order_of_arming_however_far_they_were() {
    let mut timers = Timers::new();
    let tick = 64 * 64 * 64 + 17;
    let mut now = 0;
    for value in 0..40 {
        timers.arm_at(tick, value);
        now += (tick - now) / 3;
        assert_eq!(values(&mut timers, now), []);
    }
    timers.arm_at(tick, 40);
    assert_eq!(values(&mut timers, tick), (0..=40).collect::<Vec<_>>());
}

#[test]
fn a_tick_that_is_over_counts_as_the_present_one() {
    let mut timers = Timers::new();
    assert_eq!(values(&mut timers, 100), []);
    timers.arm_at(100, 1);
    let late = timers.arm_at(3, 2);
    timers.arm_after(0, 3);
    assert_eq!(timers.due(late), Some(100));
    assert_eq!(values(&mut timers, 100), [1, 2, 3]);
}

#[test]
fn a_tick_in_the_past_gives_nothing_out_and_keeps_the_clock() {
    let mut timers = Timers::new();
    assert_eq!(values(&mut timers, 100), []);
    timers.arm_at(100, 1);
    assert_eq!(values(&mut timers, 99), []);
    assert_eq!((timers.now(), timers.len()), (100, 1));
    assert_eq!(values(&mut timers, 100), [1]);
}

#[test]
fn ticks_beyond_a_u64_are_the_last_one() {
    let mut timers = Timers::new();
    timers.arm_at(u64::MAX - 5, 1);
    assert_eq!(values(&mut timers, u64::MAX - 5), [1]);
    let id = timers.arm_after(100, 2);
    assert_eq!(timers.due(id), Some(u64::MAX));
    assert!(timers.rearm_after(id, u64::MAX));
    assert_eq!(values(&mut timers, u64::MAX - 1), []);
    assert_eq!(values(&mut timers, u64::MAX), [2]);
    timers.arm_after(1, 3);
    assert_eq!(values(&mut timers, u64::MAX), [3]);
}

#[test]
fn a_periodic_timer_ends_with_the_last_tick() {
    let mut timers = Timers::new();
    let id = timers.arm_periodic(u64::MAX - 25, TEN, 1);
    let dues = |timers: &mut Timers<i32>, tick| -> Vec<u64> {
        timers.expire(tick).map(|expired| expired.due).collect()
    };
    assert_eq!(
        dues(&mut timers, u64::MAX),
        [u64::MAX - 25, u64::MAX - 15, u64::MAX - 5]
    );
    assert!(!timers.contains(id) && timers.is_empty());
}

#[test]
fn a_periodic_timer_stands_behind_what_was_armed_before_it_was_given_out() {
    let mut timers = Timers::new();
    let pulse = timers.arm_periodic(10, TEN, "pulse");
    timers.arm_at(20, "before");
    let first = timers.expire_next(10);
    assert_eq!(
        first,
        Some(Expired {
            id: pulse,
            due: 10,
            value: "pulse"
        })
    );
    timers.arm_at(20, "after");
    assert_eq!(values(&mut timers, 20), ["before", "pulse", "after"]);
    assert_eq!(timers.cancel(pulse), Some("pulse"));
    assert_eq!(values(&mut timers, 1_000), [""; 0]);
}

#[test]
fn a_timer_that_is_armed_anew_stands_last_and_keeps_its_id_and_period() {
    let mut timers = Timers::new();
    let pulse = timers.arm_periodic(5, TEN, "pulse");
    timers.arm_at(5, "other");
    assert!(timers.rearm_at(pulse, 5));
    assert_eq!(values(&mut timers, 5), ["other", "pulse"]);
    assert!(timers.rearm_after(pulse, 1));
    assert_eq!(timers.due(pulse), Some(6));
    assert_eq!(values(&mut timers, 26), ["pulse"; 3]);
}

#[test]
fn a_loop_that_is_left_early_loses_nothing() {
    let mut timers = Timers::new();
    for tick in 1..=9 {
        timers.arm_at(tick, tick);
    }
    let first: Vec<u64> = timers
        .expire(6)
        .take(2)
        .map(|expired| expired.value)
        .collect();
    assert_eq!((first, timers.now()), (vec![1, 2], 2));
    assert_eq!(values(&mut timers, 6), [3, 4, 5, 6]);
    assert_eq!((timers.len(), timers.now()), (3, 6));
}

#[test]
fn a_gap_of_the_whole_range_takes_a_few_steps() {
    let mut timers = Timers::new();
    for bit in 0..64 {
        timers.arm_at(1 << bit, bit);
    }
    timers.arm_at(u64::MAX, 64);
    assert_eq!(timers.next_due(), Some(1));
    assert_eq!(values(&mut timers, u64::MAX), (0..=64).collect::<Vec<_>>());
    assert_eq!((timers.now(), timers.next_due()), (u64::MAX, None));
}

#[test]
fn an_id_is_never_valid_again() {
    let mut timers = Timers::new();
    let first = timers.arm_at(1, 1);
    assert_eq!(timers.cancel(first), Some(1));
    let second = timers.arm_at(1, 2);
    assert_eq!(first.index, second.index, "the node is used again");
    assert_ne!(first, second);
    assert_eq!(timers.cancel(first), None);
    assert!(!timers.rearm_at(first, 5) && !timers.contains(first));
    assert_eq!(timers.get(first), None);
    assert_eq!(timers.get_mut(first), None);
    assert_eq!(values(&mut timers, 1), [2]);
    assert_eq!(timers.due(second), None);
}

#[test]
fn ids_of_other_wheels_and_of_nothing_do_no_harm() {
    let mut timers = Timers::new();
    let pending = timers.arm_at(5, 5);
    let gone = timers.arm_at(6, 6);
    timers.cancel(gone);
    for index in (0..HEADS as u32 + 8).chain([u32::MAX]) {
        for generation in (0..8).chain([u32::MAX]) {
            let bits = u64::from(index) | u64::from(generation) << 32;
            let Some(id) = TimerId::from_bits(bits) else {
                assert_eq!(generation % 2, 0);
                continue;
            };
            assert_eq!(id.to_bits(), bits);
            if id != pending {
                assert_eq!(timers.cancel(id), None, "{id:?}");
                assert!(!timers.rearm_at(id, 1), "{id:?}");
            }
        }
    }
    assert_eq!(values(&mut timers, 10), [5]);
}

#[test]
fn a_node_whose_generations_are_used_up_is_retired() {
    let mut timers = Timers::new();
    let id = timers.arm_at(1, 0);
    timers.cancel(id);
    timers.wheel.nodes[id.index as usize].generation = u32::MAX - 1;
    let last = timers.arm_at(1, 1);
    assert_eq!((last.index, last.generation.get()), (id.index, u32::MAX));
    assert_eq!(timers.cancel(last), Some(1));
    let next = timers.arm_at(1, 2);
    assert_ne!(next.index, id.index);
    assert!(!timers.contains(id) && !timers.contains(last));
    assert_eq!(values(&mut timers, 1), [2]);
}

#[test]
fn nothing_is_allocated_once_warm() {
    let mut timers = Timers::with_capacity(1_000);
    let room = timers.wheel.nodes.capacity();
    for round in 0..50 {
        let ids: Vec<_> = (0..1_000).map(|n| timers.arm_after(n * n, n)).collect();
        ids.iter().step_by(2).for_each(|&id| {
            timers.cancel(id);
        });
        timers.expire((round + 1) * 1_000_000).for_each(drop);
        assert!(timers.is_empty());
    }
    assert_eq!(timers.wheel.nodes.capacity(), room);
    assert_eq!(timers.wheel.nodes.len(), HEADS + 1_000);
}

#[test]
fn clearing_ends_every_timer() {
    let mut timers = Timers::new();
    let ids: Vec<_> = (0..100).map(|n| timers.arm_at(n * n, n)).collect();
    timers.clear();
    assert!(timers.is_empty() && !ids.iter().any(|&id| timers.contains(id)));
    assert_eq!(
        (timers.next_due(), values(&mut timers, u64::MAX)),
        (None, vec![])
    );
}

#[test]
fn a_million_timers_come_out_in_order() {
    let mut timers = Timers::new();
    let due = |n: u64| n.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
    for n in 0..1_000_000 {
        timers.arm_at(due(n), n);
    }
    let mut last = (0, 0);
    let mut count = 0;
    for expired in timers.expire(u64::MAX) {
        assert_eq!(expired.due, due(expired.value));
        assert!(last < (expired.due, expired.value) || count == 0);
        last = (expired.due, expired.value);
        count += 1;
    }
    assert_eq!(count, 1_000_000);
}

#[test]
fn the_hash_sees_whatever_the_future_depends_on() {
    let base = || {
        let mut timers = Timers::new();
        let first = timers.arm_at(900, 1);
        let second = timers.arm_at(900, 2);
        let pulse = timers.arm_periodic(70, TEN, 3);
        (timers, [first, second, pulse])
    };
    let changed = |change: fn(&mut Timers<u32>, [TimerId; 3])| {
        let (mut timers, ids) = base();
        change(&mut timers, ids);
        hash(&timers)
    };
    let mut hashes = vec![
        changed(|_, _| {}),
        changed(|timers, ids| assert!(timers.cancel(ids[0]).is_some())),
        changed(|timers, ids| assert!(timers.cancel(ids[2]).is_some())),
        changed(|timers, ids| assert!(timers.rearm_at(ids[0], 900))),
        changed(|timers, ids| assert!(timers.rearm_at(ids[0], 901))),
        changed(|timers, ids| *timers.get_mut(ids[1]).expect("it is pending") += 1),
        changed(|timers, _| timers.expire(1).for_each(drop)),
        changed(|timers, _| timers.expire(70).for_each(drop)),
        changed(|timers, _| assert!(timers.arm_at(5, 1).index > 0)),
        changed(|timers, _| assert!(timers.arm_at(5, 2).index > 0)),
        // The same timers, but the next ids are others.
        changed(|timers, ids| {
            timers.cancel(ids[1]);
            timers.arm_at(900, 2);
        }),
        changed(|timers, _| {
            let ids = [timers.arm_at(8, 8), timers.arm_at(9, 9)];
            assert!(ids.iter().all(|&id| timers.cancel(id).is_some()));
        }),
        changed(|timers, _| {
            let [first, second] = [timers.arm_at(8, 8), timers.arm_at(9, 9)];
            assert!(
                [second, first]
                    .iter()
                    .all(|&id| timers.cancel(id).is_some())
            );
        }),
    ];
    let periodic = |period| {
        let mut timers = Timers::new();
        timers.arm_periodic(70, period, 3);
        hash(&timers)
    };
    hashes.extend([periodic(TEN), periodic(NonZeroU32::MIN)]);
    assert_eq!(changed(|_, _| {}), hashes[0], "equal histories");
    let count = hashes.len();
    hashes.sort_unstable();
    hashes.dedup();
    assert_eq!(hashes.len(), count);
}

#[test]
fn a_fork_of_the_world_keeps_timers_and_their_ids() {
    #[derive(Clone, Component)]
    struct Fuse(TimerId);
    let mut world = World::new();
    world.insert_resource(Timers::<u32>::new());
    let fuse = world.resource_mut::<Timers<u32>>().arm_at(50, 7);
    let bomb = world.spawn(Fuse(fuse)).id();
    let mut fork = world.fork().expect("everything is Clone");
    world.resource_mut::<Timers<u32>>().cancel(fuse);
    assert_ne!(world.state_hash(), fork.state_hash());
    let fuse = fork.get::<Fuse>(bomb).expect("it lives").0;
    let timers = fork.resource_mut::<Timers<u32>>();
    assert_eq!(timers.due(fuse), Some(50));
    assert_eq!(values(timers, 50), [7]);
}

//! Change ticks that no test from outside could wait for.

use std::sync::{Arc, Mutex};

use super::World;
use crate::{Added, Changed, Component, Entity, IntoSystem, Query, Serial, System};

#[derive(Clone, Copy, Component)]
#[component(track)]
struct Health(u32);

/// Borders that a counter of 31 or 32 bits would go over, and one that is far beyond both.
const STARTS: [u64; 5] = [
    (1 << 31) - 2,
    (1 << 32) - 3,
    1 << 33,
    (1 << 63) - 2,
    u64::MAX - 20,
];

#[test]
fn what_is_old_stays_old_and_what_is_new_is_new_at_any_tick_of_64_bits() {
    for start in STARTS {
        let mut world = World::new();
        let early: Vec<Entity> = world.spawn_batch((0..3).map(Health)).collect();
        let first = world.change_tick();
        world.tick = start;
        let mut changed = world.query_filtered::<Entity, Changed<Health>>();
        let mut added = world.query_filtered::<Entity, Added<Health>>();
        for step in 0..6 {
            let before = world.advance_change_tick();
            world.advance_change_tick();
            let late = world.spawn(Health(step)).id();
            world.get_mut::<Health>(early[1]).expect("it lives").0 += 1;
            for last_run in [before, before - 1, start - 1] {
                changed.set_last_run(last_run);
                added.set_last_run(last_run);
                let found: Vec<Entity> = changed.iter(&world).collect();
                assert!(found.contains(&early[1]) && found.contains(&late));
                assert!(!found.contains(&early[0]), "{start} {step} {last_run}");
                assert!(added.iter(&world).any(|entity| entity == late));
                assert!(!added.iter(&world).any(|entity| early.contains(&entity)));
                assert_eq!(world.changed_since::<Health>(last_run).count(), 1);
            }
            let now = world.change_tick();
            changed.set_last_run(now);
            assert!(changed.view(&world).is_empty());
            assert_eq!(world.changed_since::<Health>(now).count(), 0);
        }
        changed.set_last_run(first - 1);
        assert_eq!(changed.view(&world).count(), 3 + 6);
    }
}

#[test]
fn a_system_that_ran_long_ago_finds_just_what_came_since() {
    for start in STARTS {
        let mut world = World::new();
        let all: Vec<Entity> = world.spawn_batch((0..3).map(Health)).collect();
        let wanted = Arc::new(Mutex::new(all.clone()));
        let shared = wanted.clone();
        let system = move |query: Query<Entity, Changed<Health>>| {
            let wanted = shared.lock().expect("no panic while it is held");
            assert!(query.iter().eq(wanted.iter().copied()));
        };
        let mut system = system.into_system();
        system.run(&mut world, &Serial).expect("nothing is missing");
        world.tick = world.tick.max(start);
        for &entity in &all {
            world.get_mut::<Health>(entity).expect("it lives").0 += 1;
            *wanted.lock().expect("no panic while it is held") = vec![entity];
            system.run(&mut world, &Serial).expect("nothing is missing");
        }
    }
}

//! That stamps go forward, as fast as the system's clock, and stand still in a tick.

use std::time::{Duration, Instant};

use orrery_ecs::{Serial, System, World};

use super::{Stamp, TickClock, begin_tick, calibrate};

#[test]
fn stamps_of_a_thread_go_forward() {
    let mut last = Stamp::now();
    for _ in 0..10_000 {
        let now = Stamp::now();
        assert!(now >= last);
        assert_eq!(last.ns_since(now), 0, "a negative time is none");
        last = now;
    }
}

#[test]
fn stamps_run_as_fast_as_the_systems_clock() {
    calibrate();
    let (outer, start, inner) = (Instant::now(), Stamp::now(), Instant::now());
    while inner.elapsed() < Duration::from_millis(20) {
        std::hint::spin_loop();
    }
    let least = inner.elapsed().as_nanos() as u64;
    let found = start.elapsed_ns();
    let most = outer.elapsed().as_nanos() as u64;
    // The counter drifts by less than a tenth of a thousandth; ten times that is still a good one.
    assert!(found >= least - least / 1_000, "{found} of {least}");
    assert!(found <= most + most / 1_000, "{found} of {most}");
}

#[test]
fn a_tick_has_one_time_and_the_next_a_later_one() {
    let mut clock = TickClock::new();
    assert_eq!(clock.now_ns(), 0);
    clock.begin();
    let (stamp, ns) = (clock.stamp(), clock.now_ns());
    assert!(clock.elapsed_ns() <= stamp.elapsed_ns());
    assert_eq!((clock.stamp(), clock.now_ns()), (stamp, ns));
    while Stamp::now() == stamp {}
    clock.begin();
    assert!(clock.stamp() > stamp && clock.now_ns() >= ns);
}

#[test]
fn a_tick_clock_is_no_state() {
    use orrery_ecs::IntoSystem;
    let mut world = World::new();
    world.insert_resource(TickClock::new());
    let mut system = begin_tick.into_system();
    system.run(&mut world, &Serial).expect("the clock is there");
    let (hash, ns) = (world.state_hash(), world.resource::<TickClock>().now_ns());
    while world.resource::<TickClock>().elapsed_ns() == 0 {}
    system.run(&mut world, &Serial).expect("the clock is there");
    assert!(world.resource::<TickClock>().now_ns() > ns);
    assert_eq!(world.state_hash(), hash);
}

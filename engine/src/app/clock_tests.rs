//! Simulated and real time of a whole app: pauses, overload, suspends and drift.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use orrery_ecs::{Res, ResMut, Resource};

use super::ScheduleLabel::{FixedUpdate, Update};
use super::{App, Exit, Runner};
use crate::time::{FixedStep, RealTime, Scale, Step, Time, Timer};

/// Time that passes in sleeps, and wherever else somebody lets it pass.
#[derive(Clone, Default)]
struct SharedTimer {
    now_ns: Arc<AtomicU64>,
    /// How late the next sleep ends.
    late_ns: Arc<AtomicU64>,
}

impl SharedTimer {
    fn pass(&self, ns: u64) {
        self.now_ns.fetch_add(ns, Ordering::Relaxed);
    }
}

impl Timer for SharedTimer {
    fn now_ns(&mut self) -> u64 {
        self.now_ns.load(Ordering::Relaxed)
    }

    fn sleep_until(&mut self, deadline_ns: u64) {
        let late_ns = self.late_ns.load(Ordering::Relaxed);
        self.now_ns
            .fetch_max(deadline_ns + late_ns, Ordering::Relaxed);
    }
}

#[derive(Clone, Debug, Default, PartialEq, Resource)]
struct Calls {
    ticks: u64,
    frames: u64,
}

const MS: u64 = 1_000_000;

fn hz(rate: u32) -> Step {
    Step::from_hz(rate).expect("a valid rate")
}

/// An app of 100 ticks a second that counts and ends after so many frames.
fn counting(frames: u64) -> App {
    let mut app = App::new();
    app.set_step(hz(100));
    app.world_mut().init_resource::<Calls>();
    app.add_systems(FixedUpdate, |mut calls: ResMut<Calls>| calls.ticks += 1);
    app.add_systems(
        Update,
        move |mut calls: ResMut<Calls>, mut exit: ResMut<Exit>| {
            calls.frames += 1;
            if calls.frames == frames {
                exit.request();
            }
        },
    );
    app
}

fn calls(app: &App) -> (u64, u64) {
    let calls = app.world().resource::<Calls>();
    (calls.ticks, calls.frames)
}

fn real(app: &App) -> RealTime {
    *app.world().resource::<RealTime>()
}

// bevyengine/bevy#8226: which systems a pause stops is told by the name of their schedule.
#[test]
fn a_pause_stops_fixed_update_and_not_update() {
    let mut app = counting(u64::MAX);
    let frame = Duration::from_millis(10);
    (0..3).for_each(|_| app.frame(frame).expect("nothing fails"));
    app.clock_mut().pause();
    (0..5).for_each(|_| app.frame(frame).expect("nothing fails"));
    assert_eq!(calls(&app), (3, 8));
    assert_eq!(app.time().elapsed(), Duration::from_millis(30));
    assert_eq!(real(&app).elapsed(), Duration::from_millis(80));
    app.clock_mut().resume();
    app.frame(frame).expect("nothing fails");
    assert_eq!(calls(&app), (4, 9));
}

#[test]
fn a_scale_of_zero_stops_fixed_update_and_not_update() {
    let mut app = counting(u64::MAX);
    app.clock_mut()
        .set_scale(Scale::ratio(0, 1).expect("a scale"));
    (0..5).for_each(|_| app.frame(Duration::from_millis(10)).expect("nothing fails"));
    assert_eq!(calls(&app), (0, 5));
    assert_eq!(real(&app).frame(), 5);
}

#[test]
fn a_single_step_while_paused_runs_one_tick_and_every_update() {
    let mut app = counting(u64::MAX);
    app.clock_mut().pause();
    let frame = Duration::from_millis(25);
    app.frame(frame).expect("nothing fails");
    app.clock_mut().single_step(1);
    (0..3).for_each(|_| app.frame(frame).expect("nothing fails"));
    assert_eq!(calls(&app), (1, 4));
    assert!(app.clock_mut().is_paused());
    assert_eq!((app.time().tick(), app.clock_mut().tick()), (1, 1));
}

// bevyengine/bevy#2041 and #8226: neither frames nor scale reach the delta of a tick.
#[test]
fn a_tick_sees_its_step_and_a_frame_what_it_took() {
    let mut app = counting(u64::MAX);
    app.clock_mut()
        .set_scale(Scale::ratio(1, 2).expect("a scale"));
    app.add_systems(FixedUpdate, |time: Res<Time>| {
        assert_eq!(time.delta_seconds(), 0.01);
        assert_eq!(time.elapsed(), Duration::from_millis(10 * time.tick()));
    });
    let mut sum = Duration::ZERO;
    for n in 1..=100 {
        let frame = Duration::from_nanos(7_654_321 + 31 * n);
        sum += frame;
        app.frame(frame).expect("nothing fails");
        assert_eq!((real(&app).delta(), real(&app).elapsed()), (frame, sum));
        assert_eq!(real(&app).frame(), n);
    }
    assert_eq!(app.clock_mut().real_elapsed(), sum);
    assert_eq!(
        u128::from(app.time().tick()),
        sum.as_nanos() / 2 / 10_000_000
    );
}

// bevyengine/bevy#8543: every frame took longer than the one before, until nothing moved.
#[test]
fn a_step_that_takes_twice_its_period_slows_down_is_counted_and_never_freezes() {
    let mut app = counting(200);
    let timer = SharedTimer::default();
    let slow = timer.clone();
    app.add_systems(FixedUpdate, move || slow.pass(20 * MS));
    app.add_systems(Update, |real: Res<RealTime>| {
        // Five steps are the limit of a frame, and what is left of one period.
        assert!(real.delta() <= Duration::from_millis(110), "{real:?}");
    });
    app.run_paced(hz(50), timer).expect("SlowDown is no error");
    let (ticks, frames) = calls(&app);
    let counters = app.clock_mut().counters();
    assert_eq!(frames, 200);
    assert!(counters.overrun_frames > 190, "{counters:?}");
    assert_eq!(counters.suspends, 0);
    // Half of all time is simulated, the other half is counted, and nothing else is lost.
    let (simulated, passed) = (10 * MS * ticks, real(&app).elapsed().as_nanos() as u64);
    assert!(
        simulated.abs_diff(passed / 2) < passed / 50,
        "{simulated} of {passed}"
    );
    let accounted = simulated + counters.dropped_time_ns;
    assert!(
        passed.abs_diff(accounted) < 60 * MS,
        "{accounted} of {passed}"
    );
}

// bevyengine/bevy#5692: after a suspend the simulation ran flat out to catch up.
#[test]
fn a_suspend_of_a_minute_is_one_counted_gap() {
    let mut app = counting(100);
    let timer = SharedTimer::default();
    let asleep = timer.clone();
    app.add_systems(Update, move |calls: Res<Calls>| {
        if calls.frames == 50 {
            asleep.pass(60_000 * MS);
        }
    });
    app.run_paced(hz(100), timer).expect("a gap is no error");
    let counters = app.clock_mut().counters();
    assert_eq!((counters.suspends, counters.overrun_frames), (1, 0));
    // The frame in which it happened is part of the gap.
    assert!(
        counters.suspended_time_ns.abs_diff(60_000 * MS) <= 10 * MS,
        "{counters:?}"
    );
    assert_eq!(calls(&app), (99, 100));
    let passed = real(&app).elapsed().as_nanos() as u64;
    assert!(
        passed.abs_diff(61_000 * MS) <= 10 * MS,
        "real time knows of it"
    );
}

// ChunkEdge/ChunkEdge#99: 800 ms in 200 ticks.
#[test]
fn ten_thousand_ticks_under_jitter_drift_less_than_two_milliseconds() {
    let mut app = counting(10_000);
    let mut timer = SharedTimer::default();
    let jitter = timer.clone();
    app.add_systems(Update, move |calls: Res<Calls>| {
        let noise = calls.frames.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        jitter.pass(noise % (8 * MS));
        jitter.late_ns.store(noise % (2 * MS), Ordering::Relaxed);
    });
    app.run_paced(hz(100), timer.clone())
        .expect("nothing fails");
    assert_eq!(calls(&app), (10_000, 10_000));
    // All the time that passed, without the work after the last tick.
    let passed = real(&app).elapsed().as_nanos() as u64;
    assert!(passed <= timer.now_ns());
    let drift = passed - app.time().elapsed().as_nanos() as u64;
    assert!(drift < 2 * MS, "{drift} ns");
    assert_eq!(app.clock_mut().counters(), Default::default());
}

#[test]
fn the_system_clock_paces_an_app_and_measures_one_that_does_not_wait() {
    let mut app = counting(20);
    app.set_step(hz(1_000));
    app.run(Runner::Fixed(1_000.0)).expect("nothing fails");
    assert!(
        real(&app).elapsed() >= Duration::from_millis(20),
        "{:?}",
        real(&app)
    );
    assert_eq!(app.clock_mut().real_elapsed(), real(&app).elapsed());
    let before = real(&app);
    let mut app = counting(u64::MAX);
    app.add_systems(FixedUpdate, || std::thread::sleep(Duration::from_millis(1)));
    app.run(Runner::Ticks(3)).expect("nothing fails");
    // The last frame is measured by the one that would follow.
    assert!(real(&app).elapsed() >= Duration::from_millis(2));
    assert_eq!((real(&app).frame(), before.frame()), (3, 20));
}

#[test]
fn real_time_is_no_state_and_does_not_go_back_with_the_world() {
    let mut app = counting(u64::MAX);
    app.frame(Duration::from_millis(10)).expect("nothing fails");
    let fork = app.world().fork().expect("everything is Clone");
    let mut other = counting(u64::MAX);
    other
        .frame(Duration::from_nanos(12_345_678))
        .expect("nothing fails");
    assert_ne!(real(&other), real(&app));
    assert_eq!(other.world().state_hash(), app.world().state_hash());
    app.frame(Duration::from_millis(10)).expect("nothing fails");
    app.replace_world(fork);
    assert_eq!(app.time().tick(), 1);
    assert_eq!(real(&app).elapsed(), Duration::from_millis(20));
}

#[test]
fn systems_of_a_frame_stop_step_and_watch_simulated_time() {
    let mut app = counting(u64::MAX);
    app.add_systems(Update, |calls: Res<Calls>, mut clock: ResMut<FixedStep>| {
        assert_eq!(clock.tick(), calls.ticks);
        match calls.frames {
            3 => clock.pause(),
            6 => clock.single_step(2),
            9 => clock.resume(),
            _ => {}
        }
        let is_whole = [2, 10].contains(&calls.frames);
        assert_eq!(clock.overstep(), if is_whole { 0.0 } else { 0.5 });
    });
    let mut ticks = Vec::new();
    for _ in 0..11 {
        app.frame(Duration::from_millis(15)).expect("nothing fails");
        ticks.push(calls(&app).0);
    }
    assert_eq!(ticks, [1, 3, 4, 4, 4, 4, 6, 6, 6, 8, 9]);
}

#[test]
fn the_clock_counts_the_ticks_of_every_runner() {
    let mut app = counting(u64::MAX);
    app.run(Runner::Ticks(5)).expect("nothing fails");
    app.tick().expect("nothing fails");
    app.frame(Duration::from_millis(20)).expect("nothing fails");
    assert_eq!((app.time().tick(), app.clock_mut().tick()), (8, 8));
}

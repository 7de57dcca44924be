//! Ticks that are too slow, and machines that were asleep.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use orrery_ecs::{Event, Local, Res, ResMut, Resource, StateHash};

use super::super::ScheduleLabel::{FixedUpdate, PreUpdate, Update};
use super::super::{App, Exit};
use crate::event::{EventReader, EventWriter};
use crate::time::{FixedStep, RealTime, Step, Timer};

const MS: u64 = 1_000_000;

/// A clock that goes on by sleeps and by the work that systems pretend to do.
#[derive(Clone, Default)]
struct Worked(Arc<AtomicU64>);

impl Worked {
    fn work(&self, ns: u64) {
        self.0.fetch_add(ns, Ordering::Relaxed);
    }
}

impl Timer for Worked {
    fn now_ns(&mut self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn sleep_until(&mut self, deadline_ns: u64) {
        self.0.fetch_max(deadline_ns, Ordering::Relaxed);
    }
}

// bevyengine/bevy#8543, with its own figures: each frame had more steps than the one before.
#[test]
fn steps_of_20_ms_at_64_hz_neither_snowball_nor_freeze() {
    const FRAMES: u64 = 1_000;
    let step = Step::from_hz(64).expect("a valid rate");
    let mut app = App::new();
    app.set_step(step);
    let timer = Worked::default();
    let body = timer.clone();
    app.add_systems(FixedUpdate, move || body.work(20 * MS));
    let most = u64::from(FixedStep::DEFAULT_MAX_STEPS) * 20 * MS + step.as_ns();
    app.add_systems(
        Update,
        move |real: Res<RealTime>, clock: Res<FixedStep>, mut exit: ResMut<Exit>| {
            let last_ns = real.delta().as_nanos() as u64;
            assert!(last_ns <= most, "frame {} took {last_ns} ns", real.frame());
            // Time goes on in every frame: a tick at least, and no more than the limit.
            assert!(clock.tick() >= real.frame(), "{} ticks", clock.tick());
            if real.frame() == FRAMES {
                exit.request();
            }
        },
    );
    app.run_paced(step, timer).expect("SlowDown is no error");
    let clock = app.clock_mut();
    let (ticks, counters) = (clock.tick(), clock.counters());
    assert!(ticks <= FRAMES * u64::from(FixedStep::DEFAULT_MAX_STEPS));
    assert!(counters.overrun_frames > 0 && counters.suspends == 0);
    // The app said how much slower than real time it was: 20 ms for each 15.625 of them.
    let simulated_ns = (ticks * step.as_ns()) as f64;
    let slowdown = 1.0 + counters.dropped_time_ns as f64 / simulated_ns;
    assert!((slowdown - 20.0 / 15.625).abs() < 0.01, "{slowdown}");
}

/// How long the machine was asleep, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Event, StateHash)]
struct Woken(u64);

/// Tells of every suspend since its last run.
fn tell(clock: Res<FixedStep>, mut known: Local<(u64, u64)>, mut woken: EventWriter<Woken>) {
    let counters = clock.counters();
    let (suspends, ns) = *known;
    if counters.suspends > suspends {
        woken.send(Woken((counters.suspended_time_ns - ns) / MS));
    }
    *known = (counters.suspends, counters.suspended_time_ns);
}

#[derive(Clone, Default, Resource)]
struct Heard(Vec<Woken>);

// bevyengine/bevy#5692: the simulation ran flat out after a suspend, and nobody was told.
#[test]
fn each_suspend_is_one_gap_that_a_system_can_make_an_event_of() {
    let mut app = App::new();
    app.set_step(Step::from_hz(100).expect("a valid rate"));
    app.world_mut().init_resource::<Heard>();
    app.add_systems(Update, tell);
    app.add_systems(
        PreUpdate,
        |mut woken: EventReader<Woken>, mut heard: ResMut<Heard>| {
            heard.0.extend(woken.read().copied());
        },
    );
    let asleep_ms = [60_000, 1_001, 86_400_000];
    for ms in asleep_ms {
        (0..10).for_each(|_| app.frame(Duration::from_millis(10)).expect("nothing fails"));
        let before = app.time().tick();
        app.frame(Duration::from_millis(ms))
            .expect("a gap is no error");
        assert_eq!(app.time().tick(), before, "nothing is caught up");
    }
    app.frame(Duration::from_millis(10)).expect("nothing fails");
    assert_eq!(app.world().resource::<Heard>().0, asleep_ms.map(Woken));
    assert_eq!(app.time().tick(), 31);
    let counters = app.clock_mut().counters();
    assert_eq!((counters.suspends, counters.dropped_time_ns), (3, 0));
}

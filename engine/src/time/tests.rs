//! Steps, policies, pauses, scales and deadlines, all on simulated time.

use std::time::{Duration, Instant};

use super::{
    FixedStep, Overrun, Pacer, Scale, SimulatedTimer, Step, SystemTimer, TimeError, Timer,
};

/// SplitMix64: the tests need noise, not quality.
pub(super) fn next_random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// Runs one frame and its steps; returns how many there were.
fn frame(clock: &mut FixedStep, elapsed: Duration) -> u32 {
    let steps = clock
        .advance(elapsed)
        .expect("these clocks do not use Overrun::Error");
    (0..steps.count).for_each(|_| clock.finish_step());
    steps.count
}

#[test]
fn rates_become_whole_nanoseconds() {
    for (hz, ns) in [
        (1, 1_000_000_000),
        (3, 333_333_333),
        (60, 16_666_667),
        (64, 15_625_000),
    ] {
        assert_eq!(Step::from_hz(hz).map(Step::as_ns), Ok(ns), "{hz} Hz");
        assert_eq!(
            Step::from_hz_f64(f64::from(hz)).map(Step::as_ns),
            Ok(ns),
            "{hz} Hz as f64"
        );
    }
    assert_eq!(Step::from_hz_f64(0.5).map(Step::as_ns), Ok(2_000_000_000));
    assert_eq!(Step::from_hz_f64(59.94).map(Step::as_ns), Ok(16_683_350));
    assert_eq!(Step::from_hz(1_000_000_000).map(Step::as_ns), Ok(1));
    assert_eq!(Step::from_duration(ms(7)).map(Step::as_ns), Ok(7_000_000));
}

#[test]
fn impossible_steps_are_refused_with_their_value() {
    assert_eq!(Step::from_hz(0), Err(TimeError::BadRate { hz: 0.0 }));
    assert!(matches!(
        Step::from_hz(u32::MAX),
        Err(TimeError::RateTooHigh { .. })
    ));
    for hz in [0.0, -0.0, -1.0, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(Step::from_hz_f64(hz), Err(TimeError::BadRate { hz }));
    }
    assert!(matches!(
        Step::from_hz_f64(f64::NAN),
        Err(TimeError::BadRate { .. })
    ));
    assert!(matches!(
        Step::from_hz_f64(1e300),
        Err(TimeError::RateTooHigh { .. })
    ));
    assert!(matches!(
        Step::from_hz_f64(1e-300),
        Err(TimeError::StepTooLong { .. })
    ));
    assert_eq!(
        Step::from_duration(Duration::ZERO),
        Err(TimeError::ZeroStep)
    );
    assert!(matches!(
        Step::from_duration(Duration::MAX),
        Err(TimeError::StepTooLong { .. })
    ));
    assert!(Step::from_ns(Step::MAX_NS).is_ok());
    assert!(Step::from_ns(Step::MAX_NS + 1).is_err());
    let text = Step::from_hz_f64(-2.5).map_err(|error| error.to_string());
    assert!(text.is_err_and(|text| text.contains("-2.5")));
}

#[test]
fn bad_settings_are_refused() {
    let clock = || FixedStep::from_hz(10).expect("10 Hz is a rate");
    assert_eq!(clock().with_max_steps(0).err(), Some(TimeError::ZeroSteps));
    assert!(matches!(
        clock().with_max_gap(ms(99)),
        Err(TimeError::GapTooShort { .. })
    ));
    assert!(clock().with_max_gap(ms(100)).is_ok());
}

#[test]
fn elapsed_is_tick_times_step_however_the_frames_fall() {
    let mut seed = 7;
    let mut clock = FixedStep::from_hz(60).expect("60 Hz is a rate");
    let mut real_ns = 0;
    for _ in 0..100_000 {
        let ns = next_random(&mut seed) % 60_000_000;
        real_ns += ns;
        frame(&mut clock, Duration::from_nanos(ns));
        assert_eq!(
            clock.elapsed().as_nanos(),
            u128::from(clock.tick()) * 16_666_667
        );
        assert_eq!(clock.delta(), Duration::from_nanos(16_666_667));
        assert_eq!(clock.tick(), real_ns / 16_666_667);
        assert!((0.0..1.0).contains(&clock.overstep()));
    }
    assert_eq!(clock.counters(), Default::default());
    assert_eq!(clock.real_elapsed(), Duration::from_nanos(real_ns));
}

#[test]
fn elapsed_stays_exact_beyond_u64_nanoseconds() {
    let clock = FixedStep::from_hz(60)
        .expect("60 Hz is a rate")
        .with_tick(u64::MAX);
    assert_eq!(
        clock.elapsed().as_nanos(),
        u128::from(u64::MAX) * 16_666_667
    );
    let day = Step::from_ns(Step::MAX_NS).expect("a day is allowed");
    assert_eq!(day.times(u64::MAX), Duration::MAX);
}

#[test]
fn slow_down_runs_the_limit_and_counts_the_rest() {
    let mut clock = FixedStep::from_hz(100).expect("100 Hz is a rate");
    let steps = clock.advance(ms(87)).expect("SlowDown is no error");
    assert_eq!((steps.count, steps.dropped), (5, ms(30)));
    assert_eq!(clock.overstep(), 0.7);
    assert_eq!(clock.counters().dropped_time_ns, 30_000_000);
    assert_eq!(clock.counters().overrun_frames, 1);
}

#[test]
fn drop_runs_one_step_and_counts_the_rest() {
    let clock = FixedStep::from_hz(100).expect("100 Hz is a rate");
    let mut clock = clock.with_overrun(Overrun::Drop);
    let steps = clock.advance(ms(87)).expect("Drop is no error");
    assert_eq!((steps.count, steps.dropped), (1, ms(70)));
    assert_eq!(
        frame(&mut clock, ms(50)),
        5,
        "five due steps are not an overrun"
    );
}

#[test]
fn error_runs_nothing_and_lets_the_caller_go_on() {
    let clock = FixedStep::from_hz(100).expect("100 Hz is a rate");
    let mut clock = clock.with_overrun(Overrun::Error).with_tick(40);
    let error = clock.advance(ms(87));
    assert_eq!(
        error,
        Err(TimeError::Overrun {
            tick: 40,
            due: 8,
            max_steps: 5
        })
    );
    assert_eq!(clock.counters().dropped_time_ns, 80_000_000);
    assert_eq!(clock.advance(ms(10)).map(|steps| steps.count), Ok(1));
}

// bevyengine/bevy#8543 and our measurement of it: a 64 Hz step whose body takes 20 ms settled at
// 16 steps and 328 ms in every frame. Here the frame is bounded by the limit of steps.
#[test]
fn a_body_slower_than_its_step_does_not_snowball() {
    for (overrun, frame_ms_max) in [(Overrun::SlowDown, 100), (Overrun::Drop, 100)] {
        let clock = FixedStep::from_hz(64).expect("64 Hz is a rate");
        let mut clock = clock.with_overrun(overrun);
        let mut elapsed_ms = 16;
        let mut total_ms = 0;
        for _ in 0..1_000 {
            elapsed_ms = u64::from(frame(&mut clock, ms(elapsed_ms))).max(1) * 20;
            assert!(elapsed_ms <= frame_ms_max, "{overrun:?}: {elapsed_ms} ms");
            total_ms += elapsed_ms;
        }
        let lost = clock.counters().dropped_time_ns;
        let kept = clock.elapsed().as_nanos() as u64;
        assert!(lost > 0 && (lost + kept).abs_diff(total_ms * 1_000_000) < 200_000_000);
    }
}

// bevyengine/bevy#5692: after a suspend the simulation ran flat out to catch up.
#[test]
fn a_gap_is_ignored_and_counted() {
    let mut clock = FixedStep::from_hz(60).expect("60 Hz is a rate");
    let steps = clock
        .advance(Duration::from_secs(3_600))
        .expect("a gap is no error");
    assert_eq!(
        (steps.count, steps.suspended),
        (0, Duration::from_secs(3_600))
    );
    assert_eq!(clock.counters().suspends, 1);
    assert_eq!(clock.counters().suspended_time_ns, 3_600_000_000_000);
    assert_eq!(clock.counters().overrun_frames, 0);
    assert_eq!(frame(&mut clock, ms(17)), 1);
    assert_eq!(
        frame(&mut clock, Duration::MAX),
        0,
        "even an absurd gap is only a gap"
    );
}

#[test]
fn a_slow_clock_is_not_always_suspended() {
    let mut clock = FixedStep::from_hz(1).expect("1 Hz is a rate");
    let counts: Vec<u32> = (0..3).map(|_| frame(&mut clock, ms(1_500))).collect();
    assert_eq!(counts, [1, 2, 1]);
    assert_eq!(clock.counters().suspends, 0);
}

#[test]
fn a_pause_keeps_the_accumulator_and_runs_only_single_steps() {
    let mut clock = FixedStep::from_hz(100).expect("100 Hz is a rate");
    assert_eq!(frame(&mut clock, ms(16)), 1);
    clock.pause();
    assert_eq!(frame(&mut clock, ms(500)), 0);
    clock.single_step(7);
    assert_eq!(
        [
            frame(&mut clock, ms(1)),
            frame(&mut clock, ms(1)),
            frame(&mut clock, ms(1))
        ],
        [5, 2, 0]
    );
    assert_eq!(clock.overstep(), 0.6);
    clock.single_step(3);
    clock.resume();
    assert_eq!(
        frame(&mut clock, ms(4)),
        1,
        "6 ms were kept, the 3 single steps were not"
    );
    clock.pause();
    assert_eq!(frame(&mut clock, ms(0)), 0, "nor later");
    assert_eq!(clock.tick(), 9);
    assert_eq!(clock.real_elapsed(), ms(16 + 500 + 3 + 4));
}

#[test]
fn a_single_step_pauses_a_running_clock() {
    let mut clock = FixedStep::from_hz(100).expect("100 Hz is a rate");
    clock.single_step(1);
    assert!(clock.is_paused());
    assert_eq!(
        (frame(&mut clock, ms(50)), frame(&mut clock, ms(50))),
        (1, 0)
    );
}

#[test]
fn a_scale_gives_the_same_sum_however_time_is_cut() {
    let total_ns = 3_000_000_007;
    for (numerator, denominator) in [(1, 3), (1, 1_000), (7, 5), (999, 1_000), (0, 1)] {
        let scale = Scale::ratio(numerator, denominator).expect("a good fraction");
        let want = u64::from(numerator) * total_ns / u64::from(denominator) / 1_000_000;
        for cut_ns in [1_000_000, 77_777, 999_983] {
            let mut clock = FixedStep::from_hz(1_000).expect("1 kHz is a rate");
            clock.set_scale(scale);
            let mut left_ns = total_ns;
            while left_ns > 0 {
                let ns = cut_ns.min(left_ns);
                frame(&mut clock, Duration::from_nanos(ns));
                left_ns -= ns;
            }
            assert_eq!(
                clock.tick(),
                want,
                "{numerator}/{denominator} by {cut_ns} ns"
            );
        }
    }
}

#[test]
fn scales_are_checked_and_reduced() {
    assert_eq!(Scale::ratio(2, 4), Scale::ratio(1, 2));
    assert_eq!(Scale::from_f64(0.1), Scale::ratio(1, 10));
    assert_eq!(Scale::from_f64(1_000.0).map(Scale::as_f64), Ok(1_000.0));
    for millionths in (1..10_000).chain([999_999, 1_000_001]) {
        let float = f64::from(millionths) / 1e6;
        assert_eq!(
            Scale::from_f64(float),
            Scale::ratio(millionths, 1_000_000),
            "{float}"
        );
    }
    assert_eq!(
        Scale::ratio(5, 0),
        Err(TimeError::ZeroDenominator { numerator: 5 })
    );
    assert!(Scale::ratio(1_001, 1).is_err());
    for bad in [-0.5, 1_000.1, f64::INFINITY, f64::NAN] {
        assert!(
            matches!(Scale::from_f64(bad), Err(TimeError::BadScale { .. })),
            "{bad}"
        );
    }
}

#[test]
fn what_a_scale_left_over_changes_units_with_it() {
    let mut clock = FixedStep::from_hz(1_000).expect("1 kHz is a rate");
    clock.set_scale(Scale::ratio(1, 1_000).expect("a thousandth"));
    frame(&mut clock, Duration::from_nanos(999));
    clock.set_scale(Scale::ONE);
    let just_short = Duration::from_nanos(999_999);
    assert_eq!(
        frame(&mut clock, just_short),
        0,
        "999 thousandths of a nanosecond are not 999"
    );
    assert_eq!(frame(&mut clock, Duration::from_nanos(1)), 1);
}

// ChunkEdge/ChunkEdge#99: sleeping after the work drifted 800 ms in 200 ticks.
#[test]
fn ten_thousand_late_wakes_drift_less_than_the_last_one_was_late() {
    let period = Step::from_hz(60).expect("60 Hz is a rate");
    let mut pacer = Pacer::new(period, SimulatedTimer::new());
    let mut clock = FixedStep::new(period);
    let mut seed = 42;
    for n in 1..=10_000 {
        pacer.timer_mut().pass(next_random(&mut seed) % 12_000_000);
        pacer
            .timer_mut()
            .set_overshoot_ns(next_random(&mut seed) % 1_500_000);
        let wake = pacer.wait();
        let drift_ns = pacer.timer_mut().now_ns() - n * period.as_ns();
        assert!(
            drift_ns < 2_000_000 && drift_ns == wake.late_ns,
            "tick {n}: {drift_ns} ns"
        );
        assert_eq!(
            frame(&mut clock, wake.elapsed),
            1,
            "one step in every frame"
        );
    }
    assert_eq!(pacer.missed(), 0);
}

#[test]
fn missed_deadlines_are_skipped_and_counted_and_do_not_cascade() {
    let mut pacer = Pacer::new(Step::from_hz(100).expect("100 Hz"), SimulatedTimer::new());
    pacer.wait();
    pacer.timer_mut().pass(1_234_000_000);
    let wake = pacer.wait();
    assert_eq!((wake.missed, wake.late_ns), (122, 4_000_000));
    assert_eq!(wake.elapsed, Duration::from_nanos(1_234_000_000));
    for n in 0..5 {
        let wake = pacer.wait();
        assert_eq!((wake.missed, wake.late_ns), (0, 0));
        assert_eq!(
            pacer.timer_mut().now_ns(),
            (125 + n) * 10_000_000,
            "back on the raster"
        );
    }
    assert_eq!(pacer.timer_mut().sleep_count(), 6);
}

#[test]
fn a_frame_late_by_less_than_a_period_is_caught_up() {
    let mut pacer = Pacer::new(Step::from_hz(100).expect("100 Hz"), SimulatedTimer::new());
    pacer.timer_mut().pass(14_000_000);
    let late = pacer.wait();
    assert_eq!((late.missed, late.late_ns), (0, 4_000_000));
    assert_eq!(pacer.wait().elapsed, ms(6));
}

#[test]
fn a_restart_moves_the_raster_to_now() {
    let mut pacer = Pacer::new(Step::from_hz(100).expect("100 Hz"), SimulatedTimer::new());
    pacer.timer_mut().pass(57_000_000);
    pacer.restart();
    assert_eq!(pacer.wait().elapsed, ms(10));
    assert_eq!(
        (pacer.missed(), pacer.timer_mut().now_ns()),
        (0, 67_000_000)
    );
}

#[test]
fn the_system_timer_runs_as_fast_as_instant() {
    let outer = Instant::now();
    let mut timer = SystemTimer::new();
    let inner = Instant::now();
    timer.sleep_until(3_000_000);
    let least = inner.elapsed();
    let found = Duration::from_nanos(timer.now_ns());
    let most = outer.elapsed();
    // A thousandth for the moment in which both are read; a suspend in between would show here.
    assert!(found + least / 1_000 >= least, "{found:?}, {least:?}");
    assert!(found <= most + most / 1_000, "{found:?}, {most:?}");
}

#[test]
fn the_system_timer_never_wakes_early() {
    let mut timer = SystemTimer::new();
    let deadline_ns = timer.now_ns() + 200_000;
    timer.sleep_until(deadline_ns);
    assert!(timer.now_ns() >= deadline_ns);
    timer.sleep_until(0);
}

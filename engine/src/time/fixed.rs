//! Real time in, a bounded number of equal steps out.

use std::time::Duration;

use orrery_ecs::Resource;

use super::step::{NS_PER_SECOND, duration_from_ns, ns_of};
use super::{Scale, Step, TimeError};

/// What happens when more steps are due than a frame may run.
///
/// In every case the excess is thrown away and counted, so a slow tick never snowballs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Overrun {
    /// Runs as many steps as allowed: simulated time falls behind real time as little as it can,
    /// at the price of long frames while the overload lasts.
    #[default]
    SlowDown,
    /// Runs one step: frames stay short, simulated time falls behind further.
    Drop,
    /// Runs none and returns [`TimeError::Overrun`]; calling [`FixedStep::advance`] again goes on.
    Error,
}

/// What one frame has to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    /// The number of ticks to run now, each followed by [`FixedStep::finish_step`].
    pub count: u32,
    /// The number of the first of them.
    pub first_tick: u64,
    /// The simulated time that the overrun policy threw away in this frame.
    pub dropped: Duration,
    /// The real time that was taken for a suspend and ignored; zero in an ordinary frame.
    pub suspended: Duration,
}

/// Sums since the clock was made; they only grow, and saturate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeCounters {
    /// Simulated nanoseconds that the overrun policy threw away.
    pub dropped_time_ns: u64,
    /// Frames in which more steps were due than allowed.
    pub overrun_frames: u64,
    /// Real nanoseconds that were taken for a suspend and ignored.
    pub suspended_time_ns: u64,
    /// Gaps that were taken for a suspend.
    pub suspends: u64,
}

/// The clock of the simulation: an accumulator of integer nanoseconds and a tick counter.
///
/// In an app it is a resource, with which systems of a frame stop, stretch and watch simulated
/// time; what they ask for holds from the next frame on. It follows real time and is no state; the
/// tick that is, and that systems of a tick read, is the one of [`Time`](super::Time).
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use orrery::time::FixedStep;
///
/// let mut clock = FixedStep::from_hz(100)?;
/// let steps = clock.advance(Duration::from_millis(25))?;
/// for _ in 0..steps.count {
///     // run a tick
///     clock.finish_step();
/// }
/// assert_eq!((clock.tick(), clock.elapsed()), (2, Duration::from_millis(20)));
/// assert_eq!(clock.overstep(), 0.5);
/// # Ok::<(), orrery::time::TimeError>(())
/// ```
///
/// A system that stops time when it cannot be kept up with:
/// ```
/// use orrery::prelude::*;
/// use orrery::time::FixedStep;
///
/// fn watch(mut clock: ResMut<FixedStep>) {
///     if clock.counters().overrun_frames > 100 {
///         clock.pause();
///     }
/// }
/// App::new().add_systems(Update, watch);
/// ```
#[derive(Clone, Debug, Resource)]
#[resource(not_state)]
pub struct FixedStep {
    step: Step,
    max_steps: u32,
    max_gap_ns: u64,
    overrun: Overrun,
    scale: Scale,
    /// Part of a nanosecond left over by the scale, in units of `1 / denominator`.
    carry: u32,
    /// Simulated time that is not yet a whole step; below `step` between frames.
    accumulated_ns: u64,
    paused: bool,
    /// Steps asked for by `single_step` and not yet handed out.
    requested: u64,
    tick: u64,
    real_elapsed_ns: u128,
    counters: TimeCounters,
}

impl FixedStep {
    /// The default limit of steps a frame: enough to ride out a hiccup of 80 ms at 60 Hz, few
    /// enough that a tick slower than its step still gives several frames a second. Short steps
    /// may be more, up to [`Self::DEFAULT_MAX_CATCH_UP`].
    pub const DEFAULT_MAX_STEPS: u32 = 5;

    /// The time that a frame may always catch up by default. Where steps are short, five of them
    /// would be less than the system's own scheduling: at 1 kHz every stall of 6 ms lost time.
    pub const DEFAULT_MAX_CATCH_UP: Duration = Duration::from_millis(50);

    /// The default shortest real time between two frames that counts as a suspend: no frame of a
    /// usable program lasts a second, but a debugger's stop, a frozen or a migrated machine does.
    pub const DEFAULT_MAX_GAP: Duration = Duration::from_secs(1);

    /// Makes a clock at tick 0 that runs as real time, with [`Overrun::SlowDown`].
    ///
    /// The longest gap is [`Self::DEFAULT_MAX_GAP`] or twice the time of a full frame of steps,
    /// whichever is longer, so that a slow clock (a step of a second) is not always suspended.
    pub fn new(step: Step) -> Self {
        let catch_up = ns_of(Self::DEFAULT_MAX_CATCH_UP) / step.as_ns();
        let max_steps = u32::try_from(catch_up)
            .unwrap_or(u32::MAX)
            .max(Self::DEFAULT_MAX_STEPS);
        let full_frame = step.as_ns().saturating_mul(u64::from(max_steps));
        Self {
            step,
            max_steps,
            max_gap_ns: full_frame
                .saturating_mul(2)
                .max(ns_of(Self::DEFAULT_MAX_GAP)),
            overrun: Overrun::default(),
            scale: Scale::ONE,
            carry: 0,
            accumulated_ns: 0,
            paused: false,
            requested: 0,
            tick: 0,
            real_elapsed_ns: 0,
            counters: TimeCounters::default(),
        }
    }

    /// Makes a clock of `hz` steps a second; see [`Step::from_hz`].
    ///
    /// # Errors
    /// Those of [`Step::from_hz`].
    pub fn from_hz(hz: u32) -> Result<Self, TimeError> {
        Ok(Self::new(Step::from_hz(hz)?))
    }

    /// Sets the most steps that a frame may run.
    ///
    /// # Errors
    /// [`TimeError::ZeroSteps`] for 0.
    pub fn with_max_steps(mut self, max_steps: u32) -> Result<Self, TimeError> {
        if max_steps == 0 {
            return Err(TimeError::ZeroSteps);
        }
        self.max_steps = max_steps;
        Ok(self)
    }

    /// Sets the real time between two frames above which the whole gap is ignored and counted.
    ///
    /// # Errors
    /// [`TimeError::GapTooShort`] for less than one step.
    pub fn with_max_gap(mut self, max_gap: Duration) -> Result<Self, TimeError> {
        if max_gap < self.step.duration() {
            return Err(TimeError::GapTooShort {
                max_gap,
                step: self.step.duration(),
            });
        }
        self.max_gap_ns = ns_of(max_gap);
        Ok(self)
    }

    /// Sets what happens when more steps are due than a frame may run.
    #[must_use]
    pub fn with_overrun(mut self, overrun: Overrun) -> Self {
        self.overrun = overrun;
        self
    }

    /// Sets the tick counter, as after a restore; the accumulator starts empty.
    #[must_use]
    pub fn with_tick(mut self, tick: u64) -> Self {
        self.tick = tick;
        self.accumulated_ns = 0;
        self.carry = 0;
        self
    }

    /// Takes the real time since the last call and says how many steps to run now.
    ///
    /// A gap above the longest one is ignored and counted; a paused clock runs only the steps that
    /// [`Self::single_step`] asked for.
    ///
    /// # Errors
    /// [`TimeError::Overrun`], only under [`Overrun::Error`].
    pub fn advance(&mut self, real_elapsed: Duration) -> Result<Steps, TimeError> {
        let real_ns = ns_of(real_elapsed);
        self.real_elapsed_ns += u128::from(real_ns);
        let mut steps = Steps {
            count: 0,
            first_tick: self.tick,
            dropped: Duration::ZERO,
            suspended: Duration::ZERO,
        };
        if self.paused {
            // At most max_steps, so it fits.
            steps.count = self.requested.min(u64::from(self.max_steps)) as u32;
            self.requested -= u64::from(steps.count);
            return Ok(steps);
        }
        if real_ns > self.max_gap_ns {
            let counters = &mut self.counters;
            counters.suspended_time_ns = counters.suspended_time_ns.saturating_add(real_ns);
            counters.suspends = counters.suspends.saturating_add(1);
            steps.suspended = real_elapsed;
            return Ok(steps);
        }
        let due = self.accumulate(real_ns);
        if due <= u64::from(self.max_steps) {
            steps.count = due as u32; // at most max_steps
            return Ok(steps);
        }
        steps.count = match self.overrun {
            Overrun::SlowDown => self.max_steps,
            Overrun::Drop => 1,
            Overrun::Error => 0,
        };
        let dropped_ns = self.count_overrun(due - u64::from(steps.count));
        if self.overrun == Overrun::Error {
            return Err(TimeError::Overrun {
                tick: self.tick,
                due,
                max_steps: self.max_steps,
            });
        }
        steps.dropped = Duration::from_nanos(dropped_ns);
        Ok(steps)
    }

    /// Adds scaled time, takes the whole steps out of the accumulator and returns their number.
    fn accumulate(&mut self, real_ns: u64) -> u64 {
        let (scaled_ns, carry) = self.scale.apply(real_ns, self.carry);
        self.carry = carry;
        let total = u128::from(self.accumulated_ns) + scaled_ns;
        let step_ns = u128::from(self.step.as_ns());
        // The remainder is below a step, a u64.
        self.accumulated_ns = (total % step_ns) as u64;
        u64::try_from(total / step_ns).unwrap_or(u64::MAX)
    }

    /// Counts a frame that threw `steps` away and returns their time in nanoseconds.
    fn count_overrun(&mut self, steps: u64) -> u64 {
        let dropped_ns = steps.saturating_mul(self.step.as_ns());
        let counters = &mut self.counters;
        counters.dropped_time_ns = counters.dropped_time_ns.saturating_add(dropped_ns);
        counters.overrun_frames = counters.overrun_frames.saturating_add(1);
        dropped_ns
    }

    /// Ends a tick: the counter goes up by one. Runners that do not pace call this alone.
    pub fn finish_step(&mut self) {
        self.tick += 1;
    }

    /// Stops the steps. What has been accumulated is kept.
    pub fn pause(&mut self) {
        self.paused = true;
    }

    /// Lets the steps run again; single steps that have not run yet are forgotten.
    pub fn resume(&mut self) {
        self.paused = false;
        self.requested = 0;
    }

    /// Pauses and asks for `count` steps, which the next frames run, at most the limit in each.
    pub fn single_step(&mut self, count: u64) {
        self.paused = true;
        self.requested = self.requested.saturating_add(count);
    }

    /// Changes the length of a step from now on. Tick, pause, scale, overrun policy and counters
    /// stay; what was accumulated goes, and the limits are those of a new clock.
    pub fn set_step(&mut self, step: Step) {
        let fresh = Self::new(step);
        self.step = step;
        (self.max_steps, self.max_gap_ns) = (fresh.max_steps, fresh.max_gap_ns);
        (self.accumulated_ns, self.carry) = (0, 0);
    }

    /// Goes on at another tick, as after a return to an earlier state.
    pub fn set_tick(&mut self, tick: u64) {
        self.tick = tick;
        (self.accumulated_ns, self.carry) = (0, 0);
    }

    /// Sets how fast simulated time runs from the next frame on.
    pub fn set_scale(&mut self, scale: Scale) {
        self.carry = self.scale.convert_carry(self.carry, scale);
        self.scale = scale;
    }

    /// Returns how fast simulated time runs while it is not paused.
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// Says whether the steps are stopped.
    pub fn is_paused(&self) -> bool {
        self.paused
    }

    /// Returns the length of a step.
    pub fn step(&self) -> Step {
        self.step
    }

    /// Returns the number of ticks that are finished, which is the number of the current one.
    pub fn tick(&self) -> u64 {
        self.tick
    }

    /// Returns the simulated time at the start of the current tick, exactly `tick * step`.
    pub fn elapsed(&self) -> Duration {
        self.step.times(self.tick)
    }

    /// Returns [`Self::elapsed`] in seconds, the same on every machine.
    pub fn elapsed_seconds(&self) -> f64 {
        let elapsed = self.elapsed();
        elapsed.as_secs() as f64 + f64::from(elapsed.subsec_nanos()) / NS_PER_SECOND as f64
    }

    /// Returns the time that a tick covers: always the step, whatever the frame took.
    pub fn delta(&self) -> Duration {
        self.step.duration()
    }

    /// Returns [`Self::delta`] in seconds.
    pub fn delta_seconds(&self) -> f64 {
        self.step.seconds()
    }

    /// Returns the part of the next step that has already passed, in `0.0..1.0`: what a renderer
    /// interpolates by. It follows real time, so it must not reach the state.
    pub fn overstep(&self) -> f64 {
        let fraction = self.accumulated_ns as f64 / self.step.as_ns() as f64;
        // Both are below 2^53, so the quotient of a smaller by a larger integer stays below 1.
        debug_assert!(
            fraction < 1.0,
            "the accumulator holds a whole step: {self:?}"
        );
        fraction
    }

    /// Returns all the real time that was ever passed in: never scaled, paused or dropped.
    pub fn real_elapsed(&self) -> Duration {
        duration_from_ns(self.real_elapsed_ns)
    }

    /// Returns what was dropped and ignored so far.
    pub fn counters(&self) -> TimeCounters {
        self.counters
    }
}

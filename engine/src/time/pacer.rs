//! Waiting for frames by deadlines, so that lateness never adds up.
//!
//! ```text
//! deadline(n) = start + n * period        fixed once; waking late moves none of them
//! late by less than a period              runs at once, the next wait is shorter
//! late by k whole periods                 those k deadlines are counted as missed and skipped
//! ```
//!
//! Sleeping for a period *after* the work, the obvious way, is late by the work and by the
//! sleeper's lateness in every frame: 800 ms in 200 ticks in a report we read.

use std::time::Duration;

use super::{Step, Timer};

/// What a wait came back with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wake {
    /// The real time since the last wake (or since the pacer was made): what
    /// [`FixedStep::advance`](super::FixedStep::advance) wants.
    pub elapsed: Duration,
    /// How far after its deadline the wait came back, in nanoseconds.
    pub late_ns: u64,
    /// The deadlines that had gone by whole and were skipped.
    pub missed: u64,
}

/// Wakes once a period, on a fixed raster of deadlines.
///
/// # Examples
/// ```
/// use orrery::time::{Pacer, SimulatedTimer, Step};
///
/// let mut pacer = Pacer::new(Step::from_hz(100)?, SimulatedTimer::new());
/// assert_eq!(pacer.wait().elapsed.as_millis(), 10);
/// pacer.timer_mut().pass(35_000_000); // a frame of 35 ms misses two deadlines whole
/// let wake = pacer.wait();
/// assert_eq!((wake.missed, wake.late_ns), (2, 5_000_000));
/// # Ok::<(), orrery::time::TimeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Pacer<T> {
    timer: T,
    period_ns: u64,
    /// The deadline of the next wait; always start + a whole number of periods.
    next_ns: u64,
    last_wake_ns: u64,
    missed: u64,
}

impl<T: Timer> Pacer<T> {
    /// Makes a pacer whose first deadline is one period from now.
    pub fn new(period: Step, mut timer: T) -> Self {
        let start_ns = timer.now_ns();
        Self {
            timer,
            period_ns: period.as_ns(),
            next_ns: start_ns.saturating_add(period.as_ns()),
            last_wake_ns: start_ns,
            missed: 0,
        }
    }

    /// Blocks until the next deadline; comes back at once if it has gone by.
    ///
    /// Deadlines that are over by a whole period or more are counted and skipped, so a long frame
    /// is followed by ordinary ones and not by a burst.
    pub fn wait(&mut self) -> Wake {
        self.timer.sleep_until(self.next_ns);
        let now_ns = self.timer.now_ns();
        let overdue_ns = now_ns.saturating_sub(self.next_ns);
        let missed = overdue_ns / self.period_ns;
        let elapsed = Duration::from_nanos(now_ns.saturating_sub(self.last_wake_ns));
        self.next_ns = self
            .next_ns
            .saturating_add(missed.saturating_mul(self.period_ns))
            .saturating_add(self.period_ns);
        self.last_wake_ns = now_ns;
        self.missed = self.missed.saturating_add(missed);
        Wake {
            elapsed,
            late_ns: overdue_ns % self.period_ns,
            missed,
        }
    }

    /// Starts the raster anew from now, as after a pause in which nobody waited.
    pub fn restart(&mut self) {
        let now_ns = self.timer.now_ns();
        self.next_ns = now_ns.saturating_add(self.period_ns);
        self.last_wake_ns = now_ns;
    }

    /// Returns the number of deadlines skipped so far.
    pub fn missed(&self) -> u64 {
        self.missed
    }

    /// Returns the timer.
    pub fn timer_mut(&mut self) -> &mut T {
        &mut self.timer
    }
}

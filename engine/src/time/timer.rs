//! Where now comes from and how one waits: the seam that lets tests run without waiting.

use std::thread;
use std::time::Duration;

use super::origin::Origin;

/// A monotonic clock that one can sleep on.
pub trait Timer {
    /// Returns the nanoseconds since some fixed origin. Never goes back.
    fn now_ns(&mut self) -> u64;

    /// Blocks until `now_ns` has reached `deadline_ns`; returns at once if it has already.
    fn sleep_until(&mut self, deadline_ns: u64);
}

/// The machine's monotonic clock and the scheduler's sleep.
///
/// There is no spin at the end of the sleep. Linux wakes a sleeper some 60 us late, and always
/// late; since the deadlines do not move, this is jitter and not drift. A spin would buy the 60 us
/// with more than the 1 % of a core that an idle program may use.
///
/// On Linux the clock goes on while the machine is suspended (`CLOCK_BOOTTIME`), so the first frame
/// after it is as long as the suspend, which [`FixedStep`](super::FixedStep) ignores and counts. On
/// other systems it is that of [`Instant`](std::time::Instant): where that stands still, as on
/// macOS, a suspend passes unseen and nothing is counted.
#[derive(Clone, Debug)]
pub struct SystemTimer {
    origin: Origin,
}

impl SystemTimer {
    /// Makes a timer whose origin is now.
    pub fn new() -> Self {
        Self {
            origin: Origin::now(),
        }
    }
}

impl Default for SystemTimer {
    fn default() -> Self {
        Self::new()
    }
}

impl Timer for SystemTimer {
    fn now_ns(&mut self) -> u64 {
        self.origin.elapsed_ns()
    }

    fn sleep_until(&mut self, deadline_ns: u64) {
        // std promises to sleep at least as long as asked; the loop holds even if it did not.
        loop {
            let now_ns = self.now_ns();
            if now_ns >= deadline_ns {
                return;
            }
            thread::sleep(Duration::from_nanos(deadline_ns - now_ns));
        }
    }
}

/// A clock that moves only when told to or slept on; for tests and for runs that must not wait.
///
/// # Examples
/// ```
/// use orrery::time::{SimulatedTimer, Timer};
///
/// let mut timer = SimulatedTimer::new().with_overshoot_ns(60);
/// timer.sleep_until(1_000);
/// assert_eq!(timer.now_ns(), 1_060);
/// ```
#[derive(Clone, Debug, Default)]
pub struct SimulatedTimer {
    now_ns: u64,
    overshoot_ns: u64,
    sleep_count: u64,
}

impl SimulatedTimer {
    /// Makes a timer that stands at 0 and wakes exactly on time.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes every later sleep end `overshoot_ns` after its deadline.
    #[must_use]
    pub fn with_overshoot_ns(mut self, overshoot_ns: u64) -> Self {
        self.set_overshoot_ns(overshoot_ns);
        self
    }

    /// Makes every later sleep end `overshoot_ns` after its deadline.
    pub fn set_overshoot_ns(&mut self, overshoot_ns: u64) {
        self.overshoot_ns = overshoot_ns;
    }

    /// Lets `ns` nanoseconds pass, as work would.
    pub fn pass(&mut self, ns: u64) {
        self.now_ns = self.now_ns.saturating_add(ns);
    }

    /// Returns how many sleeps really waited.
    pub fn sleep_count(&self) -> u64 {
        self.sleep_count
    }
}

impl Timer for SimulatedTimer {
    fn now_ns(&mut self) -> u64 {
        self.now_ns
    }

    fn sleep_until(&mut self, deadline_ns: u64) {
        if self.now_ns < deadline_ns {
            self.now_ns = deadline_ns.saturating_add(self.overshoot_ns);
            self.sleep_count += 1;
        }
    }
}

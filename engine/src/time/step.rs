//! The length of a tick, a whole number of nanoseconds.

use std::num::NonZeroU64;
use std::time::Duration;

use super::TimeError;

/// Nanoseconds in a second.
pub(super) const NS_PER_SECOND: u64 = 1_000_000_000;

/// The length of one fixed step: at least 1 ns, at most one day.
///
/// A rate is rounded to the nearest nanosecond once, here: 60 Hz is a step of 16,666,667 ns, which
/// is 20 parts in a thousand million slow (1.7 ms a day). The step is then what every later
/// calculation uses, so simulated time has no error of its own.
///
/// # Examples
/// ```
/// use orrery::time::Step;
///
/// assert_eq!(Step::from_hz(60)?.as_ns(), 16_666_667);
/// assert!(Step::from_hz(0).is_err());
/// # Ok::<(), orrery::time::TimeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Step(NonZeroU64);

impl Step {
    /// The longest step, one day: beyond it a rate was surely meant, and sums of steps stay far
    /// below the limits of the integers used.
    pub const MAX_NS: u64 = 86_400 * NS_PER_SECOND;

    /// Makes a step of `ns` nanoseconds.
    ///
    /// # Errors
    /// [`TimeError::ZeroStep`] for 0, [`TimeError::StepTooLong`] above [`Self::MAX_NS`].
    pub const fn from_ns(ns: u64) -> Result<Self, TimeError> {
        let Some(nonzero) = NonZeroU64::new(ns) else {
            return Err(TimeError::ZeroStep);
        };
        if ns > Self::MAX_NS {
            return Err(TimeError::StepTooLong {
                step: Duration::from_nanos(ns),
            });
        }
        Ok(Self(nonzero))
    }

    /// Makes the step of `hz` steps a second, rounded to the nearest nanosecond.
    ///
    /// # Errors
    /// [`TimeError::BadRate`] for 0, [`TimeError::RateTooHigh`] above 10^9.
    pub fn from_hz(hz: u32) -> Result<Self, TimeError> {
        let rate = u64::from(hz);
        if rate == 0 {
            return Err(TimeError::BadRate { hz: 0.0 });
        }
        if rate > NS_PER_SECOND {
            return Err(TimeError::RateTooHigh { hz: f64::from(hz) });
        }
        Self::from_ns((NS_PER_SECOND + rate / 2) / rate)
    }

    /// Makes the step of `hz` steps a second, rounded to the nearest nanosecond (halves up).
    ///
    /// # Errors
    /// [`TimeError::BadRate`] for what is not a finite number above 0, [`TimeError::RateTooHigh`]
    /// above 10^9, [`TimeError::StepTooLong`] for a step of more than a day.
    pub fn from_hz_f64(hz: f64) -> Result<Self, TimeError> {
        if !hz.is_finite() || hz <= 0.0 {
            return Err(TimeError::BadRate { hz });
        }
        let per_second = NS_PER_SECOND as f64;
        if hz > per_second {
            return Err(TimeError::RateTooHigh { hz });
        }
        // At most one rounding in the division; the cast saturates, and what saturates is refused.
        Self::from_ns((per_second / hz + 0.5) as u64)
    }

    /// Makes a step of exactly `step`.
    ///
    /// # Errors
    /// [`TimeError::ZeroStep`] for 0, [`TimeError::StepTooLong`] above one day.
    pub fn from_duration(step: Duration) -> Result<Self, TimeError> {
        let ns = u64::try_from(step.as_nanos()).map_err(|_| TimeError::StepTooLong { step })?;
        Self::from_ns(ns)
    }

    /// Returns the length in nanoseconds.
    pub const fn as_ns(self) -> u64 {
        self.0.get()
    }

    /// Returns the length.
    pub const fn duration(self) -> Duration {
        Duration::from_nanos(self.0.get())
    }

    /// Returns the length in seconds, the nearest `f64` to the exact value.
    pub fn seconds(self) -> f64 {
        // Both numbers are exact in f64 (a day is below 2^53 ns), so this rounds once.
        self.0.get() as f64 / NS_PER_SECOND as f64
    }

    /// Returns `ticks * step` without loss, held at [`Duration::MAX`] beyond its range.
    pub fn times(self, ticks: u64) -> Duration {
        duration_from_ns(u128::from(ticks) * u128::from(self.0.get()))
    }
}

/// Returns `ns` as a duration, held at [`Duration::MAX`] beyond its range.
pub(super) fn duration_from_ns(ns: u128) -> Duration {
    let per_second = u128::from(NS_PER_SECOND);
    match u64::try_from(ns / per_second) {
        // The remainder is below 10^9 and so fits.
        Ok(seconds) => Duration::new(seconds, (ns % per_second) as u32),
        Err(_) => Duration::MAX,
    }
}

/// Returns `duration` in nanoseconds, held at `u64::MAX` (584 years) beyond its range.
pub(super) fn ns_of(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

//! What can be wrong with a step, a scale or a frame.

use std::time::Duration;

use thiserror::Error;

/// The errors of building and advancing a [`FixedStep`](super::FixedStep).
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum TimeError {
    /// The rate is zero, negative, infinite or not a number.
    #[error("a rate of {hz} steps a second is not possible: give a finite number above 0")]
    BadRate {
        /// The rate that was asked for.
        hz: f64,
    },
    /// The rate makes a step shorter than one nanosecond.
    #[error("a rate of {hz} steps a second is too high: a step must last at least 1 ns")]
    RateTooHigh {
        /// The rate that was asked for.
        hz: f64,
    },
    /// The step has no length.
    #[error("a step of 0 ns never ends: give a length of at least 1 ns")]
    ZeroStep,
    /// The step is longer than [`Step::MAX_NS`](super::Step::MAX_NS).
    #[error("a step of {step:?} is too long: the longest is one day")]
    StepTooLong {
        /// The length that was asked for.
        step: Duration,
    },
    /// The limit of steps in a frame is zero, so that nothing would ever run.
    #[error("0 steps a frame would stop time for ever: allow at least 1, or pause the clock")]
    ZeroSteps,
    /// The longest gap is shorter than one step, so that every step would be thrown away.
    #[error("a longest gap of {max_gap:?} is shorter than one step of {step:?}: make it longer")]
    GapTooShort {
        /// The gap that was asked for.
        max_gap: Duration,
        /// The length of a step.
        step: Duration,
    },
    /// The scale is negative, not finite or above [`Scale::MAX`](super::Scale::MAX).
    #[error("a time scale of {scale} is not possible: give a number from 0 to 1000")]
    BadScale {
        /// The scale that was asked for.
        scale: f64,
    },
    /// The scale is a fraction with a zero below the line.
    #[error("a time scale of {numerator}/0 is not possible: give a denominator above 0")]
    ZeroDenominator {
        /// The number above the line.
        numerator: u32,
    },
    /// More steps were due than a frame may run, under [`Overrun::Error`](super::Overrun::Error).
    #[error(
        "{due} steps were due at tick {tick} and a frame may run {max_steps}: make the tick \
         cheaper, the step longer, or choose another overrun policy"
    )]
    Overrun {
        /// The tick that would have run next.
        tick: u64,
        /// The number of steps that were due.
        due: u64,
        /// The number of steps that a frame may run.
        max_steps: u32,
    },
}

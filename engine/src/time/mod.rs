//! Time on the tick: fixed steps out of real time, and pacing by deadlines.
//!
//! ```text
//! Timer (real or simulated) --wait--> Pacer --Wake.elapsed--> FixedStep::advance --> Steps.count
//!                                                                       |
//!                                          the app runs that many ticks, finish_step after each
//! ```
//!
//! - [`Step`] is the length of a tick in whole nanoseconds. [`FixedStep`] turns real time into a
//!   number of steps and counts the ticks; [`Pacer`] waits for the next frame.
//! - Inside a tick `delta() == step` and `elapsed() == tick * step`, both exact. Real time decides
//!   only *how many* ticks a frame runs, never what a tick sees, so the state stays a function of
//!   the tick number.
//! - Systems of a tick have [`Time`], those of a frame [`RealTime`] as well; there stands which
//!   schedules see which. [`Timers`] give values out on ticks.
//! - No time is lost silently: what the overrun policy or a suspend throws away is counted.
//! - A pause stops the steps, nothing else. Whoever retires events or frames does so by the frame
//!   and never asks this clock; [`FixedStep::real_elapsed`] goes on while the steps stand still.
//!
//! Absent on purpose: wall clock, calendar and time zones (feature `clock`: they must not reach the
//! state), stamps for profiling (feature `stamps`), and any spinning in the wait (an idle program
//! at 60 Hz stays under 1 % of a core).

mod error;
mod fixed;
mod origin;
mod pacer;
mod real;
mod scale;
mod step;
mod tick;
mod timer;
mod wheel;

#[cfg(test)]
mod tests;

pub use error::TimeError;
pub use fixed::{FixedStep, Overrun, Steps, TimeCounters};
pub use pacer::{Pacer, Wake};
pub use real::RealTime;
pub use scale::Scale;
pub use step::Step;
pub use tick::Time;
pub use timer::{SimulatedTimer, SystemTimer, Timer};
pub use wheel::{Expire, Expired, TimerId, Timers};

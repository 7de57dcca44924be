//! Stamps for profiling: the processor's own counter, for less than half the price of `Instant`.
//!
//! - A [`Stamp`] is read in 11 ns where `Instant::now` takes 27, and turned into nanoseconds only
//!   when two are compared. [`TickClock`] takes one at the start of a tick; who asks what time it
//!   is in the tick reads a number.
//! - The counter is compared with the system's clock once, at the first use or by [`calibrate`],
//!   and drifts against it by some 80 us a second afterwards. So stamps tell how long something
//!   took and never when something is due: deadlines are `orrery::time`'s.
//! - What they measure differs from run to run, so they are no state and cannot be hashed.
//!
//! By `quanta`; where the processor has no steady counter it reads the system's monotonic clock.

mod stamp;
mod tick;

#[cfg(test)]
mod tests;

pub use stamp::{Stamp, calibrate};
pub use tick::{TickClock, begin_tick};

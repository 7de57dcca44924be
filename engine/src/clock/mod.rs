//! The wall clock: date, time of day and time zones, outside the state.
//!
//! ```text
//! WallClock (or a fake) --now--> WallTime --in_zone(Zone)--> ZonedTime --> text, parts
//! ```
//!
//! - A wall clock jumps: it is set by people and by the network, repeats an hour in autumn, differs
//!   between machines and is another one in a replay. Nothing of that may reach the state, so
//!   [`WallClock`] is a resource that is `not_state`, and [`WallTime`] cannot be hashed: a
//!   component or a resource that holds one does not compile unless it opts out of the state
//!   itself.
//! - It is for people: names of files, lines of logs, a clock on the screen. A simulation that
//!   needs a calendar counts ticks from a start that is one of its settings:
//!   [`WallTime::from_unix_ns`] makes a date of it, by the same rules on every machine.
//! - The rules of the time zones are inside the program (the IANA database, by `jiff`), so that
//!   they do not depend on what is installed. They are as new as the build.
//!
//! Absent on purpose: deadlines and durations, which are `orrery::time`'s, for they must not jump;
//! and the zone of the machine, because nothing that is printed should depend on where it was
//! printed.

mod error;
mod wall;
mod zone;

#[cfg(test)]
mod tests;

pub use error::ClockError;
pub use wall::{WallClock, WallTime};
pub use zone::{DateTime, Zone, ZonedTime};

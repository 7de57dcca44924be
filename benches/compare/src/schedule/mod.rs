//! The rows about schedules.

mod bevy;
mod rows;
mod shipyard;
mod signals;
mod threads;

pub(crate) use rows::rows;

//! Systems: what they are made of, what they remember, and what they refuse.

mod block_commands;
mod changes;
mod derived;
mod kept;
mod kinds;
mod locals;
pub(crate) mod non_send;
mod params;
mod refusals;
mod resources;
mod results;

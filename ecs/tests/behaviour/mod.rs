//! Behaviours that the peers' suites assert, in our words; see `oracles.md`, section 10.

mod changes;
mod commands;
mod components;
mod derives;
mod drops;
mod entities;
mod panics;
mod queries;
mod sparse;

//! Behaviours that the peers' suites assert, in our words; see `oracles.md`, section 10.

mod changes;
mod commands;
mod compaction;
mod components;
mod derives;
mod drops;
mod dynamic;
mod entities;
mod merge;
mod panics;
mod queries;
mod required;
mod sparse;

//! What one part promises beyond the sentences of `promises`.

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
mod row_sizes;
mod short_ways;
mod sparse;

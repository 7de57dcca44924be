//! Tests of the ECS from outside, as one binary.
//!
//! - `model`: random operations against a plain map, and against a twin world;
//! - `promises`: one sentence a test, from what the suites of other engines assert; with a map;
//! - `complaints`: what users of other engines complain of, and what keeps it from arising;
//! - `behaviour`: what else one part promises;
//! - `hashes`: what the state hash sees, and when a cached digest must go;
//! - `queries`: what queries give, in which order, on which threads, and what they saw change;
//! - `relationships`: both sides agree, circles are refused, what goes with whom;
//! - `systems`: the three kinds of system;
//! - `observers`: hooks, observers, triggered events, readers of removed components;
//! - `forks`: worlds that share blocks, on one thread and on several;
//! - `life`: what does not grow with time, and worlds beside one that panics.

mod behaviour;
mod complaints;
mod forks;
mod hashes;
mod life;
mod messages;
mod model;
mod observers;
mod promises;
mod queries;
mod relationships;
mod support;
mod systems;

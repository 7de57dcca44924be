//! Tests of the ECS from outside, as one binary.
//!
//! - `model`: random operations against a plain map, and against a twin world;
//! - `behaviour`: one behaviour a test, from the peers' own suites;
//! - `hashes`: what the state hash sees, and when a cached digest must go;
//! - `queries`: what queries give, in which order, on which threads, and what they saw change;
//! - `systems`: the three kinds of system;
//! - `observers`: hooks, observers, triggered events, readers of removed components;
//! - `forks`: worlds that share blocks, on one thread and on several.

mod behaviour;
mod forks;
mod hashes;
mod messages;
mod model;
mod observers;
mod queries;
mod support;
mod systems;

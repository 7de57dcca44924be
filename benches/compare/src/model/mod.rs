//! One model, three engines: random operations, each done to orrery_ecs, hecs, bevy_ecs and to a
//! map of numbers. After every operation each engine must answer as the map does, hold as many
//! entities, have dropped every value exactly once, and show the touched entity as the map has
//! it; every few hundred operations everything is compared.
//!
//! ```text
//! walk      draws operations;  walker  one engine that does them and is compared
//! plain     the model: a map from names to rows
//! engine    what an engine must be able to do, by handles as plain bits
//! ours, hecs, bevy   thin adapters
//! shapes    bundles;  components  what they are made of, and the ledger of drops
//! ```
//!
//! Handles are not compared: each engine numbers entities in its own way. An entity of the model
//! has a name, and each engine's handle for it stands beside it.

mod bevy;
mod components;
mod engine;
mod hecs;
mod ours;
mod plain;
mod shapes;
mod walk;
mod walker;

use engine::Engine;
pub(crate) use walk::{Outcome, Plan};

/// The engines that take part.
fn engines() -> Vec<Box<dyn Engine>> {
    vec![
        Box::new(ours::Ours::default()),
        Box::new(hecs::Hecs::default()),
        Box::new(bevy::Bevy::default()),
    ]
}

/// Walks as the plan says; `progress` hears of every tenth of it.
pub(crate) fn run(plan: &Plan, progress: &mut dyn FnMut(usize)) -> Outcome {
    walk::walk(engines(), plan, progress)
}

#[cfg(test)]
mod tests;

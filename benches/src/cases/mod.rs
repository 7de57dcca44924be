//! The cases, by the library they measure.
//!
//! Names begin with the operation, so that a word on the command line picks a family.

pub mod access;
pub mod archetypes;
mod axpy;
pub mod changes;
pub mod despawn;
mod events;
mod fork;
mod hash;
pub mod insert;
pub mod inverse;
pub mod pass;
pub mod population;
pub mod schedule;
pub mod signals;
mod spawn;
mod stamps;
pub mod tasks;
pub mod timers;
mod walk;

use crate::harness::Case;

/// Time step of every walk: not a power of two, so that rounding shows.
pub const STEP: f32 = 0.3;

/// Seed of every case; constants of expected results depend on it.
const SEED: u64 = 7;

/// Cases of `orrery-ecs`.
#[must_use]
pub fn ecs() -> Vec<Case> {
    [
        walk::cases(),
        pass::cases(),
        archetypes::cases(),
        inverse::cases(),
        spawn::cases(),
        despawn::cases(),
        access::cases(),
        insert::cases(),
        changes::cases(),
        fork::cases(),
        hash::cases(),
    ]
    .concat()
}

/// Cases of the engine's schedule.
#[must_use]
pub fn schedule() -> Vec<Case> {
    schedule::cases()
}

/// Cases of `orrery`'s time: timers and stamps.
#[must_use]
pub fn time() -> Vec<Case> {
    [timers::cases(), stamps::cases()].concat()
}

/// Cases of `orrery`'s events: those that wait in queues, and those that are heard at once.
#[must_use]
pub fn events() -> Vec<Case> {
    [events::cases(), signals::cases()].concat()
}

/// Cases of `orrery`'s tasks and fibres.
#[must_use]
pub fn tasks() -> Vec<Case> {
    tasks::cases()
}

/// Cases of `orrery-math`.
#[must_use]
pub fn math() -> Vec<Case> {
    axpy::cases()
}

/// All cases.
#[must_use]
pub fn all() -> Vec<Case> {
    [ecs(), events(), math(), schedule(), tasks(), time()].concat()
}

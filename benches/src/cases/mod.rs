//! The cases, by the library they measure.
//!
//! Names begin with the operation, so that a word on the command line picks a family.

mod access;
mod axpy;
mod fork;
mod hash;
pub mod population;
mod structure;
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
        fork::cases(),
        hash::cases(),
        structure::cases(),
        access::cases(),
    ]
    .concat()
}

/// Cases of `orrery-math`.
#[must_use]
pub fn math() -> Vec<Case> {
    axpy::cases()
}

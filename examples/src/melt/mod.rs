//! Melt: 4,000 or more Lennard-Jones atoms, a crystal that melts.
//!
//! This is the benchmark `melt` of LAMMPS: an fcc crystal of density 0.8442 at temperature 1.44,
//! pair potential `4 (r^-12 - r^-6)` cut off at 2.5 without a shift, velocity Verlet with time
//! step 0.005 at constant energy in a periodic cube. All quantities are f64 in reduced units
//! (lengths in sigma, energies in epsilon, mass 1). [`Check`] compares a run of 4,000 atoms with
//! what LAMMPS itself found, to 1e-10.
//!
//! ```text
//! components: position, velocity, force          one step:
//!      |  plain slices                              half_kick, drift      per slice
//!      v                                            Forces: load, compute, store_forces
//!   Forces (a cache: cells, lists, results)         half_kick             per slice
//!      |                                            store_energies, Totals  when asked for
//!      v
//!   anchors: positions at the last list build, to be kept as state
//! ```
//!
//! Invariants:
//! - The same bits on any number of threads and on every SIMD level: each atom sums its own
//!   forces in the order of its list, and all totals are summed in atom order.
//! - No pair within the cut-off is ever missed: lists are rebuilt when an atom has moved more
//!   than half the skin.
//!
//! Left out on purpose: half neighbour lists (faster on one thread, but two threads would add to
//! one atom), other potentials, thermostats, boxes that are not cubes.

mod cells;
mod check;
mod error;
mod filter;
mod force;
mod forces;
mod lattice;
mod model;
mod neighbors;
mod parallel;
mod reference;
#[cfg(test)]
mod tests;
mod thermo;
mod verlet;

pub use check::{Check, CheckRow, LIMIT, LIMIT_PRESSURE, Wants};
pub use error::MeltError;
pub use forces::{CUTOFF, Detail, Forces, SKIN};
pub use lattice::{
    CELLS_MAX, DENSITY, LATTICE_CONSTANT, START_TEMPERATURE, box_length, cells_for_atoms, lattice,
    velocities,
};
pub use model::build;
pub use reference::{REFERENCE_CELLS, Reference, reference_velocities};
pub use thermo::{PairwiseSum, Thermo, Totals};
pub use verlet::{TIME_STEP, drift, half_kick, wrap};

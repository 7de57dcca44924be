//! R, what everything is held against: flat arrays on huge pages under loops written by hand.
//!
//! It is the floor of a machine and not a library: no entities, no blocks, no change ticks, one
//! array for each component and one pass over it.

mod flat;
mod kernels;
mod moves;
mod sparse;
mod table;

pub use flat::Flat;
pub use kernels::{axpy, integrate};
pub use moves::{Columns, Moves, OpenMoves, Rows};
pub use sparse::{OpenSparseSet, SparseSet};
pub use table::{Handle, OpenTable, Table};

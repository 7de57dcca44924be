//! A cell grid over positions, rebuilt from nothing each tick, in a deterministic order.
//!
//! ```text
//! positions  [p0 p1 p2 ...]                      as given, by input index
//! starts     [0 2 2 5 ...]                       cell c holds sorted places starts[c]..starts[c+1]
//! order      [4 9 | | 0 3 7 | ...]               sorted place -> input index
//! sorted     [p4 p9 | | p0 p3 p7 | ...]          sorted place -> position
//! ```
//!
//! - Cells are numbered in row-major order, the first axis fastest; inside a cell points stand by
//!   input index. So the sorted arrays are a function of the positions alone.
//! - Neighbouring cells of a row are neighbours in memory: a query visits a few long runs
//!   ([`CellGrid::for_each_run`]) and not many small cells.
//! - Once warm nothing is allocated: buffers grow to the largest number of points seen.
//! - A cell is at least as long as asked along every axis, and a whole number of them fills the
//!   box. A query finds exactly the points that a comparison with all points finds.
//! - A point outside a bounded box belongs to the border cell nearest to it; in a periodic box it
//!   is wrapped. Both are counted. A point that is not finite is left out and counted.
//!
//! The rebuild is a counting sort in two passes and on one thread; `grid.rs` says why.

mod error;
mod grid;
mod layout;
mod query;

#[cfg(test)]
mod tests;

pub use error::GridError;
pub use grid::CellGrid;
pub use query::Neighbour;

/// A grid over the plane.
pub type CellGrid2 = CellGrid<2>;

/// A grid over space.
pub type CellGrid3 = CellGrid<3>;

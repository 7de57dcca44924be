//! Why a grid could not be made.

use thiserror::Error;

/// The errors of [`CellGrid::new`](super::CellGrid::new).
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum GridError {
    /// A grid of no dimension, or of more than a grid is good for.
    #[error("a grid of {dimensions} dimensions is not possible: use 1 to {max}")]
    BadDimensions {
        /// The number of axes asked for.
        dimensions: usize,
        /// The highest number of axes.
        max: usize,
    },
    /// A bound is not finite, or the upper one is not above the lower one, or so little that the
    /// cells are shorter than 1e-38.
    #[error("axis {axis} runs from {min} to {max}: give finite bounds, the second clearly above")]
    BadBounds {
        /// Which axis, from 0.
        axis: usize,
        /// The lower bound.
        min: f32,
        /// The upper bound.
        max: f32,
    },
    /// The cells have no length.
    #[error("a cell of size {cell_size} is not possible: give a finite number above 0")]
    BadCellSize {
        /// The size that was asked for.
        cell_size: f32,
    },
    /// The box holds more cells than allowed.
    #[error("{cells} cells are more than {max}: make the cells larger or the box smaller")]
    TooManyCells {
        /// The number of cells that the box would hold.
        cells: u128,
        /// The highest number of cells.
        max: usize,
    },
}

//! The geometry of a grid: which cell a coordinate falls into, and how a box closes on itself.
//!
//! A coordinate becomes a cell in f32, the same way for every point, so it may be off by a few
//! units in the last place. Queries therefore compute their range of cells in f64 and widen it by
//! more than that error ([`Axis::SLACK`]); what they visit too much, the exact distance discards.

use super::GridError;

/// The highest number of dimensions: 3^D rows of cells are looked at, and beyond a few dimensions
/// nearly all points are neighbours.
const DIMENSIONS_MAX: usize = 6;

/// The most cells in a grid: their start array is then 16 MiB, half of a large cache, and every
/// cell number is exact in f32 with a bit to spare ([`floor`] needs it).
const CELLS_MAX: usize = 1 << 22;

/// 2^23: where the spacing of f32 numbers becomes 1.
const WHOLE: f32 = 8_388_608.0;

/// One axis of the box, cut into equal cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    pub(super) min: f32,
    pub(super) max: f32,
    pub(super) extent: f32,
    /// Cells in a unit of length.
    per_unit: f32,
    /// The last cell, as a number to clamp by.
    last: f32,
    /// How far apart the numbers of neighbouring cells along this axis are.
    pub(super) stride: u32,
    /// Number of cells, at least 1.
    pub(super) cells: u32,
}

impl Axis {
    /// The relative error of `per_unit` and of a cell coordinate in f32, generously: three
    /// roundings of half an ulp (6e-8) each.
    const SLACK: f64 = 4e-7;

    fn new(axis: usize, min: f32, max: f32, cell_size: f32) -> Result<Self, GridError> {
        let extent = max - min;
        // Also false for NaN; an infinite extent can come from finite bounds.
        if !(min.is_finite() && extent.is_finite() && extent > 0.0) {
            return Err(GridError::BadBounds { axis, min, max });
        }
        let fitting = (f64::from(extent) / f64::from(cell_size)).floor();
        if fitting > CELLS_MAX as f64 {
            return Err(GridError::TooManyCells {
                cells: fitting as u128,
                max: CELLS_MAX,
            });
        }
        let cells = (fitting as u32).max(1);
        let per_unit = cells as f32 / extent;
        if !per_unit.is_finite() {
            return Err(GridError::BadBounds { axis, min, max });
        }
        let last = (cells - 1) as f32;
        Ok(Self {
            min,
            max,
            extent,
            per_unit,
            last,
            stride: 1,
            cells,
        })
    }

    /// Returns the cell of a coordinate inside or outside the box, clamped to the border; NaN
    /// gives cell 0.
    #[inline]
    fn cell(&self, coordinate: f32) -> f32 {
        let place = (coordinate - self.min) * self.per_unit;
        let place = if place > 0.0 { place } else { 0.0 };
        floor(if place < self.last { place } else { self.last })
    }

    /// Says whether a coordinate lies in the half-open box.
    #[inline]
    pub(super) fn contains(&self, coordinate: f32) -> bool {
        (self.min <= coordinate) & (coordinate < self.max)
    }

    /// Moves a finite coordinate by whole extents into the half-open box.
    #[inline]
    pub(super) fn wrap(&self, coordinate: f32) -> f32 {
        if self.contains(coordinate) {
            coordinate
        } else {
            self.wrap_far(coordinate)
        }
    }

    #[cold]
    fn wrap_far(&self, coordinate: f32) -> f32 {
        // In f64 the offset of any f32 is far better than the result's own rounding.
        let extent = f64::from(self.extent);
        let offset = (f64::from(coordinate) - f64::from(self.min)).rem_euclid(extent);
        let wrapped = (f64::from(self.min) + offset) as f32;
        // Rounding may land on the upper bound, which is the lower one.
        if self.contains(wrapped) {
            wrapped
        } else {
            self.min
        }
    }

    /// Returns the shorter way round for a difference of two wrapped coordinates.
    #[inline]
    pub(super) fn shortest(&self, difference: f32) -> f32 {
        let half = 0.5 * self.extent;
        if difference > half {
            difference - self.extent
        } else if difference < -half {
            difference + self.extent
        } else {
            difference
        }
    }

    /// Returns the cells that can hold points within `radius` of `center`, first and last, as
    /// numbers along an endless axis: a periodic grid takes them modulo `cells`.
    pub(super) fn range(&self, center: f32, radius: f32) -> (i64, i64) {
        let per_unit = f64::from(self.per_unit);
        let place = (f64::from(center) - f64::from(self.min)) * per_unit;
        // The distance is judged in f32 too: its own error is relative to the radius, and below
        // the smallest normal square a difference vanishes altogether.
        let reach = (f64::from(radius) * (1.0 + 4.0 * Self::SLACK)).max(1e-18) * per_unit;
        let slack = Self::SLACK * (f64::from(self.cells) + reach);
        (
            (place - reach - slack).floor() as i64,
            (place + reach + slack).floor() as i64,
        )
    }
}

/// All axes, and what happens at their ends.
#[derive(Clone, Debug)]
pub(super) struct Layout<const D: usize> {
    pub(super) axes: [Axis; D],
    pub(super) cell_count: usize,
    pub(super) periodic: bool,
}

impl<const D: usize> Layout<D> {
    pub(super) fn new(min: [f32; D], max: [f32; D], cell_size: f32) -> Result<Self, GridError> {
        if D == 0 || D > DIMENSIONS_MAX {
            return Err(GridError::BadDimensions {
                dimensions: D,
                max: DIMENSIONS_MAX,
            });
        }
        if !(cell_size.is_finite() && cell_size > 0.0) {
            return Err(GridError::BadCellSize { cell_size });
        }
        let mut axes = [Axis::new(0, 0.0, 1.0, 1.0)?; D];
        let mut cells: u128 = 1;
        for (index, axis) in axes.iter_mut().enumerate() {
            *axis = Axis::new(index, min[index], max[index], cell_size)?;
            // Below the limit so far, or refused at the end: then strides are not looked at.
            axis.stride = cells as u32;
            cells *= u128::from(axis.cells);
        }
        if cells > CELLS_MAX as u128 {
            return Err(GridError::TooManyCells {
                cells,
                max: CELLS_MAX,
            });
        }
        Ok(Self {
            axes,
            cell_count: cells as usize,
            periodic: false,
        })
    }

    /// Returns the cell of a point that has been wrapped if the box is periodic.
    #[inline]
    pub(super) fn cell(&self, point: &[f32; D]) -> u32 {
        let mut cell = 0.0;
        for (axis, &coordinate) in self.axes.iter().zip(point) {
            // Whole numbers below 2^22 all along, so nothing is rounded.
            cell += axis.cell(coordinate) * axis.stride as f32;
        }
        // Adding 2^23 leaves a whole number in the low bits.
        (cell + WHOLE).to_bits() & (WHOLE as u32 - 1)
    }

    /// Returns `point` moved into a periodic box, or as it is.
    #[inline]
    pub(super) fn wrap(&self, mut point: [f32; D]) -> [f32; D] {
        if self.periodic {
            for (axis, coordinate) in self.axes.iter().zip(&mut point) {
                *coordinate = axis.wrap(*coordinate);
            }
        }
        point
    }

    #[inline]
    pub(super) fn contains(&self, point: &[f32; D]) -> bool {
        self.axes
            .iter()
            .zip(point)
            .all(|(axis, &coordinate)| axis.contains(coordinate))
    }

    /// Returns the way from `from` to `to`, the shorter way round in a periodic box.
    #[inline]
    pub(super) fn offset(&self, from: &[f32; D], to: &[f32; D]) -> [f32; D] {
        let mut offset = [0.0; D];
        for index in 0..D {
            let difference = to[index] - from[index];
            offset[index] = if self.periodic {
                self.axes[index].shortest(difference)
            } else {
                difference
            };
        }
        offset
    }
}

/// Says whether all coordinates are finite.
#[inline]
pub(super) fn is_finite<const D: usize>(point: &[f32; D]) -> bool {
    point.iter().all(|coordinate| coordinate.is_finite())
}

/// Rounds a number from 0 to 2^22 down to a whole one.
///
/// By the addition that rounds to the nearest and not by a cast: a cast from float to integer
/// saturates in Rust, which costs as much as the rest of the rebuild's first pass twice over
/// (285 us against 95 for 100,000 points), and `f32::floor` is a call where SSE4.1 is not assumed.
#[inline]
fn floor(number: f32) -> f32 {
    let nearest = (number + WHOLE) - WHOLE;
    if nearest > number {
        nearest - 1.0
    } else {
        nearest
    }
}

#[cfg(test)]
mod tests {
    //! The one trick of this file, on every number that could go wrong.

    use super::{CELLS_MAX, floor};

    #[test]
    fn floor_is_the_floor_of_all_places_a_cell_can_have() {
        for cell in (0..2_000).chain(CELLS_MAX as u32 - 2_000..CELLS_MAX as u32) {
            let whole = cell as f32;
            let next_down = f32::from_bits((whole + 1.0).to_bits() - 1);
            for number in [
                whole,
                f32::from_bits(whole.to_bits() + 1),
                whole + 0.5,
                next_down,
            ] {
                assert_eq!(floor(number), number.floor(), "{number}");
            }
        }
        assert_eq!(floor(f32::MIN_POSITIVE), 0.0);
    }
}

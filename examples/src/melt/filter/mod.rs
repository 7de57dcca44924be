//! Picks the neighbours within a radius out of runs of candidates.
//!
//! For each run in order and each candidate of it in order: if its squared distance
//! `(dx dx + dy dy) + dz dz` is below the squared radius, append its index. `scalar.rs` is that
//! sentence; `avx2.rs` tests eight candidates at once and appends the same indices in the same
//! order.
//!
//! f32 is enough here, and twice as fast: the list may hold a few pairs too many, which the exact
//! f64 force loop then finds outside the cut-off. [`padded_radius`] makes sure that rounding
//! never leaves one out.

mod avx2;
mod scalar;
#[cfg(test)]
mod tests;

use orrery_math::simd::Level;

use super::cells::Run;

/// Slack that the vector path reads after the last candidate and writes after the last index.
pub(super) const SLACK: usize = 8;

/// Returns a radius for [`filter`] that finds all points within `radius` of each other, where
/// no coordinate is larger than `extent`.
///
/// Rounding moves each of two points by at most `extent / 2^24` along each axis, and so their
/// distance by at most `2 sqrt(3)` times that; the arithmetic adds a few `2^-24` of the radius.
pub(super) fn padded_radius(radius: f64, extent: f64) -> f32 {
    let unit = 0.5 * f64::from(f32::EPSILON);
    (radius * (1.0 + 16.0 * unit) + 4.0 * unit * extent) as f32
}

/// Writes the indices of all candidates in `runs` nearer to `center` than the root of
/// `radius_squared` to the front of `out` and returns their number.
///
/// `columns` are the x, y and z of all points, of one length, with [`SLACK`] values after the
/// last point. `out` has room for all candidates and [`SLACK`] more; what follows the indices
/// is overwritten.
///
/// # Panics
/// If a run or `out` is out of these bounds.
pub(super) fn filter(
    level: Level,
    columns: &[Vec<f32>; 3],
    center: [f32; 3],
    radius_squared: f32,
    runs: &[Run],
    out: &mut [u32],
) -> usize {
    let [x, y, z] = columns;
    match level {
        Level::Scalar => scalar::filter([x, y, z], center, radius_squared, runs, out),
        Level::Avx2(token) => avx2::filter(token, [x, y, z], center, radius_squared, runs, out),
    }
}

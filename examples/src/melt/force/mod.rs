//! The inner loop: Lennard-Jones forces on one atom from its padded list of neighbours.
//!
//! ```text
//! for each group of 4 neighbours, lane l of the group:
//!     d    = atom - neighbour[l]                  s = (dx dx + dy dy) + dz dz
//!     i    = 1 / s                                i6 = (i i) i
//!     f    = (i6 i) (f12 i6 - f6)   if s < cutoff^2, else 0
//!     force[l] += d f                             virial[l] += f s
//!     energy[l] += i6 (e12 i6 - e6) if s < cutoff^2, else 0
//! each sum = (lane 0 + lane 1) + (lane 2 + lane 3)
//! ```
//! Lists are padded to whole groups with a dummy point far outside the cut-off, which adds zero.
//! A pair is computed once for each of its two atoms; energy and virial are halved for it.
//! That is twice the arithmetic of a half list, but no atom's sum is touched by two threads,
//! and its order is fixed by its list alone.
//!
//! Positions are padded to four values a point, so that a neighbour is two loads of 16 bytes, and
//! seven more instructions turn four neighbours into x, y and z lanes. Gather instructions would
//! need `unsafe`.

mod avx2;
mod scalar;
#[cfg(test)]
mod tests;

use orrery_math::simd::Level;

/// A place in the padded array of points; the fourth value is 0.
pub(super) type Place = [f64; 4];

/// Place of the dummy point: far enough to be outside every cut-off, near enough for its
/// square to be finite.
pub(super) const DUMMY: Place = [1e9, 1e9, 1e9, 0.0];

/// The pair potential, with sigma and epsilon 1: `4 (r^-12 - r^-6)` below the cut-off, which
/// is neither shifted nor smoothed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pair {
    /// Square of the cut-off.
    pub(super) cutoff_squared: f64,
    /// Factors of `r^-12` and `r^-6` in the force and in the energy.
    pub(super) force_12: f64,
    pub(super) force_6: f64,
    pub(super) energy_12: f64,
    pub(super) energy_6: f64,
}

impl Pair {
    /// Returns the Lennard-Jones potential cut off at `cutoff` sigma.
    pub(super) fn new(cutoff: f64) -> Self {
        Self {
            cutoff_squared: cutoff * cutoff,
            force_12: 48.0,
            force_6: 24.0,
            energy_12: 4.0,
            energy_6: 4.0,
        }
    }
}

/// What one atom feels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct AtomForce {
    /// Force, in epsilon per sigma.
    pub(super) force: [f64; 3],
    /// Half of the energy of its pairs, in epsilon.
    pub(super) energy: f64,
    /// Half of r.f of its pairs, in epsilon.
    pub(super) virial: f64,
}

/// A batch of atoms and their neighbours.
#[derive(Clone, Copy, Debug)]
pub(super) struct Batch<'a> {
    /// All points, the dummy among them.
    pub(super) places: &'a [Place],
    /// The point of each atom of the batch.
    pub(super) atoms: &'a [u32],
    /// For each atom: the end of its groups in `groups`; they start where the last one's end.
    pub(super) ends: &'a [u32],
    /// Neighbours of all atoms of the batch in whole groups.
    pub(super) groups: &'a [[u32; 4]],
}

/// Computes the force on each atom of the batch; with `ENERGY` also energy and virial, which
/// are otherwise 0 (the force has the same bits either way).
///
/// # Panics
/// If the slices of the batch contradict each other or `out` has another length than `atoms`.
pub(super) fn forces<const ENERGY: bool>(
    level: Level,
    pair: &Pair,
    batch: &Batch<'_>,
    out: &mut [AtomForce],
) {
    assert_eq!(
        batch.atoms.len(),
        batch.ends.len(),
        "one list end for each atom"
    );
    assert_eq!(batch.atoms.len(), out.len(), "one result for each atom");
    match level {
        Level::Scalar => scalar::forces::<ENERGY>(pair, batch, out),
        Level::Avx2(token) => avx2::forces::<ENERGY>(token, pair, batch, out),
    }
}

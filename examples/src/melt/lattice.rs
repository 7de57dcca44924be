//! The start of a run: an fcc crystal at the density of the LAMMPS benchmark `melt`.
//!
//! Reduced Lennard-Jones units throughout: lengths in sigma, energies in epsilon, mass 1,
//! Boltzmann's constant 1. Atoms are numbered as LAMMPS numbers them: cells with x fastest,
//! then y, then z, and in each cell the four atoms of the basis.

use super::MeltError;
use super::thermo::PairwiseSum;

/// Number density of the benchmark, in atoms per sigma cubed.
pub const DENSITY: f64 = 0.8442;

/// Edge of one unit cell, in sigma: the cube root of 4 / [`DENSITY`], rounded as LAMMPS has it.
pub const LATTICE_CONSTANT: f64 = 1.679_596_191_382_507_4;

/// Temperature at the start, in epsilon.
pub const START_TEMPERATURE: f64 = 1.44;

/// Most unit cells along one edge: 256,000 atoms.
pub const CELLS_MAX: usize = 40;

/// The four atoms of a face-centred cubic cell, in half lattice constants.
const BASIS: [[f64; 3]; 4] = [
    [0.0, 0.0, 0.0],
    [1.0, 1.0, 0.0],
    [1.0, 0.0, 1.0],
    [0.0, 1.0, 1.0],
];

/// Returns how many unit cells along one edge give `atoms` atoms, that is `n` with `4 n^3`.
///
/// # Errors
/// [`MeltError::AtomCount`] when no whole `n` from 1 to [`CELLS_MAX`] fits; it names the
/// nearest counts that do.
pub fn cells_for_atoms(atoms: usize) -> Result<usize, MeltError> {
    let count = |cells: usize| 4 * cells * cells * cells;
    let above = (1..=CELLS_MAX).find(|&cells| count(cells) >= atoms);
    match above {
        Some(cells) if count(cells) == atoms => Ok(cells),
        Some(cells) => Err(MeltError::AtomCount {
            atoms,
            below: (cells > 1).then(|| count(cells - 1)),
            above: Some(count(cells)),
        }),
        None => Err(MeltError::AtomCount {
            atoms,
            below: Some(count(CELLS_MAX)),
            above: None,
        }),
    }
}

/// Returns the edge of the periodic box of `cells` unit cells, in sigma.
pub fn box_length(cells: usize) -> f64 {
    cells as f64 * LATTICE_CONSTANT
}

/// Returns the positions of the `4 cells^3` atoms of a perfect crystal, in sigma, in LAMMPS's
/// order; every coordinate lies in `0 .. box_length(cells)`.
pub fn lattice(cells: usize) -> Vec<[f64; 3]> {
    let half = LATTICE_CONSTANT / 2.0;
    let mut positions = Vec::with_capacity(4 * cells * cells * cells);
    for z in 0..cells {
        for y in 0..cells {
            for x in 0..cells {
                let corner = [2.0 * x as f64, 2.0 * y as f64, 2.0 * z as f64];
                positions
                    .extend(BASIS.map(|atom| {
                        std::array::from_fn(|axis| (corner[axis] + atom[axis]) * half)
                    }));
            }
        }
    }
    positions
}

/// Returns velocities for `count` atoms, in sigma per unit time, from draws of the caller.
///
/// `draw(atom, axis)` gives independent values of any distribution with mean 0, best a normal
/// one. The result has no total momentum and, counting `3 count - 3` degrees of freedom, the
/// temperature `temperature` to within rounding.
pub fn velocities(
    count: usize,
    temperature: f64,
    mut draw: impl FnMut(usize, usize) -> f64,
) -> Vec<[f64; 3]> {
    let mut velocities: Vec<[f64; 3]> = (0..count)
        .map(|atom| std::array::from_fn(|axis| draw(atom, axis)))
        .collect();
    let mean: [f64; 3] = std::array::from_fn(|axis| {
        let mut sum = PairwiseSum::default();
        velocities
            .iter()
            .for_each(|velocity| sum.push(velocity[axis]));
        sum.total() / count as f64
    });
    let mut squares = PairwiseSum::default();
    for velocity in &mut velocities {
        *velocity = std::array::from_fn(|axis| velocity[axis] - mean[axis]);
        squares.push(dot(*velocity, *velocity));
    }
    // One atom, or draws that are all equal, cannot be warm: leave them at rest.
    let now = squares.total() / (3.0 * count as f64 - 3.0);
    if now > 0.0 {
        let factor = (temperature / now).sqrt();
        velocities
            .iter_mut()
            .flatten()
            .for_each(|value| *value *= factor);
    }
    velocities
}

/// Returns the scalar product, summed in the order x, y, z.
pub(super) fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_crystals_are_accepted_and_others_told_the_nearest() {
        for (atoms, cells) in [(4, 1), (32, 2), (4000, 10), (32_000, 20), (256_000, 40)] {
            assert_eq!(cells_for_atoms(atoms), Ok(cells));
            assert_eq!(lattice(cells.min(10)).len(), atoms.min(4000));
        }
        for (atoms, text) in [
            (0, "at least 4"),
            (3999, "for example 2916 or 4000"),
            (4001, "for example 4000 or 5324"),
            (256_001, "at most 256000"),
            (usize::MAX, "at most 256000"),
        ] {
            let error = cells_for_atoms(atoms).expect_err("no crystal").to_string();
            assert!(error.ends_with(text), "{error}");
        }
    }

    #[test]
    fn the_box_is_that_of_lammps_and_holds_all_atoms() {
        assert_eq!(box_length(10), 16.795961913825074);
        for cells in 1..=CELLS_MAX {
            let inside = 0.0..box_length(cells);
            assert!(
                lattice(cells)
                    .iter()
                    .flatten()
                    .all(|value| inside.contains(value))
            );
        }
    }

    #[test]
    fn velocities_have_the_temperature_and_no_momentum() {
        let mut state = 3_u64;
        let drawn = velocities(32_000, START_TEMPERATURE, |_, _| {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1_u64 << 53) as f64 + 10.0
        });
        let squares: f64 = drawn.iter().map(|&v| dot(v, v)).sum();
        assert!((squares / (3.0 * 32_000.0 - 3.0) - 1.44).abs() < 1e-12);
        for axis in 0..3 {
            let momentum: f64 = drawn.iter().map(|v| v[axis]).sum();
            assert!(momentum.abs() < 1e-9, "{momentum}");
        }
        assert_eq!(velocities(1, 1.44, |_, _| 5.0), [[0.0; 3]]);
    }
}

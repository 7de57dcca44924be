//! Temperature, energies and pressure, in LAMMPS's conventions.
//!
//! Reduced units. All sums run over atoms in user order through [`PairwiseSum`], so they do not
//! depend on how the atoms are cut into slices or on how many threads there are.

use super::lattice::dot;

/// Values added into one leaf of the tree of sums.
const LEAF: usize = 256;

/// Levels above the leaves: enough for `LEAF * 2^32` values.
const LEVELS: usize = 32;

/// A sum of values pushed in order: four interleaved lanes within each run of 256 values, the
/// runs then added pairwise like the carries of a binary counter.
///
/// The rounding error grows with the logarithm of the count, and the result is a function of
/// the sequence of values only.
#[derive(Clone, Debug)]
pub struct PairwiseSum {
    lanes: [f64; 4],
    /// Values pushed so far.
    count: usize,
    /// Sum of `2^level` full leaves, valid where the bit of `count / LEAF` is set.
    levels: [f64; LEVELS],
}

impl Default for PairwiseSum {
    fn default() -> Self {
        Self {
            lanes: [0.0; 4],
            count: 0,
            levels: [0.0; LEVELS],
        }
    }
}

impl PairwiseSum {
    /// Adds one value.
    pub fn push(&mut self, value: f64) {
        self.lanes[self.count % 4] += value;
        self.count += 1;
        if self.count.is_multiple_of(LEAF) {
            self.carry();
        }
    }

    /// Adds all values in order.
    pub fn extend(&mut self, values: &[f64]) {
        values.iter().for_each(|&value| self.push(value));
    }

    /// Returns the sum of all values so far.
    pub fn total(&self) -> f64 {
        let leaves = self.count / LEAF;
        let mut total = sum_lanes(self.lanes);
        for level in (0..LEVELS).filter(|level| leaves >> level & 1 == 1) {
            total += self.levels[level];
        }
        total
    }

    /// Moves the full leaf up into the levels.
    fn carry(&mut self) {
        let mut sum = sum_lanes(self.lanes);
        self.lanes = [0.0; 4];
        let carries = (self.count / LEAF).trailing_zeros() as usize;
        for &lower in &self.levels[..carries.min(LEVELS - 1)] {
            sum += lower;
        }
        self.levels[carries.min(LEVELS - 1)] = sum;
    }
}

/// Adds four lanes in the order that all kernels use.
pub(super) fn sum_lanes(lanes: [f64; 4]) -> f64 {
    (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])
}

/// The running totals of one state, filled from slices in atom order.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    velocity_squared: PairwiseSum,
    energy: PairwiseSum,
    virial: PairwiseSum,
    atoms: usize,
}

impl Totals {
    /// Adds the next atoms: their velocities, potential energies and virials, as
    /// [`super::Forces`] gives them. The three slices are of one length.
    pub fn add(&mut self, velocities: &[[f64; 3]], energies: &[f64], virials: &[f64]) {
        velocities
            .iter()
            .for_each(|&v| self.velocity_squared.push(dot(v, v)));
        self.energy.extend(energies);
        self.virial.extend(virials);
        self.atoms += velocities.len();
    }

    /// Returns the thermodynamic state in a periodic cube with edge `box_length`.
    pub fn thermo(&self, box_length: f64) -> Thermo {
        let atoms = self.atoms as f64;
        let temperature = self.velocity_squared.total() / (3.0 * atoms - 3.0);
        let potential = self.energy.total() / atoms;
        let kinetic = 1.5 * temperature * (atoms - 1.0) / atoms;
        let volume = box_length * box_length * box_length;
        Thermo {
            temperature,
            potential,
            total: potential + kinetic,
            pressure: ((atoms - 1.0) * temperature + self.virial.total() / 3.0) / volume,
        }
    }
}

/// What LAMMPS prints in a line of `thermo`, in reduced units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thermo {
    /// Temperature, `2 E_kin / (3 N - 3)`, in epsilon.
    pub temperature: f64,
    /// Potential energy per atom, in epsilon.
    pub potential: f64,
    /// Total energy per atom, in epsilon.
    pub total: f64,
    /// Pressure, `((N - 1) T + W / 3) / V` with `W` the sum of r.f over pairs, in epsilon per
    /// sigma cubed.
    pub pressure: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_does_not_depend_on_how_the_values_are_sliced() {
        let values: Vec<f64> = (0..5000)
            .map(|index| 1.0 / f64::from(index * index + 3))
            .collect();
        for count in [0, 1, 3, 4, 255, 256, 257, 511, 512, 1024, 4096, 5000] {
            let mut one = PairwiseSum::default();
            one.extend(&values[..count]);
            for size in [1, 7, 256, 300] {
                let mut other = PairwiseSum::default();
                values[..count]
                    .chunks(size)
                    .for_each(|slice| other.extend(slice));
                assert_eq!(one.total().to_bits(), other.total().to_bits());
            }
            let plain: f64 = values[..count].iter().sum();
            assert!((one.total() - plain).abs() < 1e-14);
        }
    }

    #[test]
    fn a_million_equal_values_add_up_to_a_few_last_bits() {
        let mut sum = PairwiseSum::default();
        (0..1_000_000).for_each(|_| sum.push(0.1));
        assert!((sum.total() - 1e5).abs() < 1e-9, "{}", sum.total());
    }
}

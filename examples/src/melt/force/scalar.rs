//! The definition of the force loop: four lanes, written out.

use super::{AtomForce, Batch, Pair};
use crate::melt::thermo::sum_lanes;

pub(super) fn forces<const ENERGY: bool>(pair: &Pair, batch: &Batch<'_>, out: &mut [AtomForce]) {
    let mut start = 0;
    for ((&atom, &end), out) in batch.atoms.iter().zip(batch.ends).zip(out) {
        let groups = &batch.groups[start..end as usize];
        start = end as usize;
        let mut sums = [[0.0; 4]; 5];
        for group in groups {
            for (lane, &neighbor) in group.iter().enumerate() {
                let center = batch.places[atom as usize];
                add_pair::<ENERGY>(
                    pair,
                    center,
                    batch.places[neighbor as usize],
                    lane,
                    &mut sums,
                );
            }
        }
        let [x, y, z, energy, virial] = sums.map(sum_lanes);
        *out = AtomForce {
            force: [x, y, z],
            energy: 0.5 * energy,
            virial: 0.5 * virial,
        };
    }
}

/// Adds one pair to its lane of the sums: force x, y, z, energy, virial.
fn add_pair<const ENERGY: bool>(
    pair: &Pair,
    center: [f64; 4],
    neighbor: [f64; 4],
    lane: usize,
    sums: &mut [[f64; 4]; 5],
) {
    let dx = center[0] - neighbor[0];
    let dy = center[1] - neighbor[1];
    let dz = center[2] - neighbor[2];
    let square = (dx * dx + dy * dy) + dz * dz;
    let inside = square < pair.cutoff_squared;
    let inverse = 1.0 / square;
    let inverse_6 = (inverse * inverse) * inverse;
    let inverse_8 = inverse_6 * inverse;
    let force = inverse_8 * (pair.force_12 * inverse_6 - pair.force_6);
    let force = if inside { force } else { 0.0 };
    sums[0][lane] += dx * force;
    sums[1][lane] += dy * force;
    sums[2][lane] += dz * force;
    if ENERGY {
        let energy = inverse_6 * (pair.energy_12 * inverse_6 - pair.energy_6);
        sums[3][lane] += if inside { energy } else { 0.0 };
        sums[4][lane] += force * square;
    }
}

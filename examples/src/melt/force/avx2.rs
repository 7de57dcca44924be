//! The force loop with its four lanes in one register.
//!
//! ```text
//! for each block of up to 32 groups of an atom's list:
//!     ways[g]  = dx, dy, dz, square of group g       loads and shuffles, short chains
//!     sums    += forces of ways[g]                   one division, a long chain
//! ```
//! Done in one loop, the chain from load to sum is about 70 cycles long and only four groups of
//! it fit into the processor's window. Cut in two by a buffer in the first-level cache, twice as
//! many are in flight: measured on Zen 3, 190 ns an atom became 125.

#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::{
    __m128d, __m256d, _CMP_LT_OQ, _mm256_add_pd, _mm256_and_pd, _mm256_cmp_pd, _mm256_div_pd,
    _mm256_mul_pd, _mm256_set_m128d, _mm256_set1_pd, _mm256_setzero_pd, _mm256_sub_pd,
    _mm256_unpackhi_pd, _mm256_unpacklo_pd,
};

use super::{AtomForce, Batch, Pair, Place};
use crate::melt::thermo::sum_lanes;

/// Groups in a block: holds almost every list of the melt, in 4 KiB.
const BLOCK: usize = 32;

orrery_math::kernel! {
    /// See [`super::forces`].
    pub(super) fn forces<const ENERGY: bool>(
        token,
        pair: &Pair,
        batch: &Batch<'_>,
        out: &mut [AtomForce],
    ) {
        let pair = Broadcast {
            cutoff_squared: _mm256_set1_pd(pair.cutoff_squared),
            force_12: _mm256_set1_pd(pair.force_12),
            force_6: _mm256_set1_pd(pair.force_6),
            energy_12: _mm256_set1_pd(pair.energy_12),
            energy_6: _mm256_set1_pd(pair.energy_6),
        };
        let mut ways = [[_mm256_setzero_pd(); 4]; BLOCK];
        let mut start = 0;
        for ((&atom, &end), out) in batch.atoms.iter().zip(batch.ends).zip(out) {
            let groups = &batch.groups[start..end as usize];
            start = end as usize;
            let center = batch.places[atom as usize];
            let mut sums = [_mm256_setzero_pd(); 5];
            for block in groups.chunks(BLOCK) {
                let ways = &mut ways[..block.len()];
                measure(center, batch.places, block, ways);
                sums = add_forces::<ENERGY>(&pair, ways, sums);
            }
            let sum = |lanes: __m256d| sum_lanes(bytemuck::must_cast(lanes));
            let force = [sum(sums[0]), sum(sums[1]), sum(sums[2])];
            let (energy, virial) = (sum(sums[3]), sum(sums[4]));
            *out = AtomForce { force, energy: 0.5 * energy, virial: 0.5 * virial };
        }
    }
}

/// The pair potential with each value in all lanes.
#[cfg(target_arch = "x86_64")]
struct Broadcast {
    cutoff_squared: __m256d,
    force_12: __m256d,
    force_6: __m256d,
    energy_12: __m256d,
    energy_6: __m256d,
}

/// Writes the way from each neighbour to the center, and its square, by groups of four.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2")]
fn measure(center: Place, places: &[Place], groups: &[[u32; 4]], ways: &mut [[__m256d; 4]]) {
    let x = _mm256_set1_pd(center[0]);
    let y = _mm256_set1_pd(center[1]);
    let z = _mm256_set1_pd(center[2]);
    for (group, way) in groups.iter().zip(ways) {
        // Halves of the four neighbours: (x, y) and (z, 0).
        let a: [__m128d; 2] = bytemuck::must_cast(places[group[0] as usize]);
        let b: [__m128d; 2] = bytemuck::must_cast(places[group[1] as usize]);
        let c: [__m128d; 2] = bytemuck::must_cast(places[group[2] as usize]);
        let d: [__m128d; 2] = bytemuck::must_cast(places[group[3] as usize]);
        let xy_ac = _mm256_set_m128d(c[0], a[0]);
        let xy_bd = _mm256_set_m128d(d[0], b[0]);
        let z_ac = _mm256_set_m128d(c[1], a[1]);
        let z_bd = _mm256_set_m128d(d[1], b[1]);
        let dx = _mm256_sub_pd(x, _mm256_unpacklo_pd(xy_ac, xy_bd));
        let dy = _mm256_sub_pd(y, _mm256_unpackhi_pd(xy_ac, xy_bd));
        let dz = _mm256_sub_pd(z, _mm256_unpacklo_pd(z_ac, z_bd));
        let xy = _mm256_add_pd(_mm256_mul_pd(dx, dx), _mm256_mul_pd(dy, dy));
        *way = [dx, dy, dz, _mm256_add_pd(xy, _mm256_mul_pd(dz, dz))];
    }
}

/// Adds the pairs of all groups to the sums: force x, y, z, energy, virial.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2")]
fn add_forces<const ENERGY: bool>(
    pair: &Broadcast,
    ways: &[[__m256d; 4]],
    sums: [__m256d; 5],
) -> [__m256d; 5] {
    let one = _mm256_set1_pd(1.0);
    let [
        mut sum_x,
        mut sum_y,
        mut sum_z,
        mut sum_energy,
        mut sum_virial,
    ] = sums;
    for &[dx, dy, dz, square] in ways {
        let inside = _mm256_cmp_pd::<_CMP_LT_OQ>(square, pair.cutoff_squared);
        let inverse = _mm256_div_pd(one, square);
        let inverse_6 = _mm256_mul_pd(_mm256_mul_pd(inverse, inverse), inverse);
        let inverse_8 = _mm256_mul_pd(inverse_6, inverse);
        let steep = _mm256_sub_pd(_mm256_mul_pd(pair.force_12, inverse_6), pair.force_6);
        let force = _mm256_and_pd(_mm256_mul_pd(inverse_8, steep), inside);
        sum_x = _mm256_add_pd(sum_x, _mm256_mul_pd(dx, force));
        sum_y = _mm256_add_pd(sum_y, _mm256_mul_pd(dy, force));
        sum_z = _mm256_add_pd(sum_z, _mm256_mul_pd(dz, force));
        if ENERGY {
            let steep = _mm256_sub_pd(_mm256_mul_pd(pair.energy_12, inverse_6), pair.energy_6);
            let energy = _mm256_and_pd(_mm256_mul_pd(inverse_6, steep), inside);
            sum_energy = _mm256_add_pd(sum_energy, energy);
            sum_virial = _mm256_add_pd(sum_virial, _mm256_mul_pd(force, square));
        }
    }
    [sum_x, sum_y, sum_z, sum_energy, sum_virial]
}

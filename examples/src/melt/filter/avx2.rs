//! The neighbour filter, eight candidates at a time.

use crate::melt::cells::Run;

/// For each set of lanes: the numbers of the lanes in it, in order, padded with 0.
const LANES_OF: [[u8; 8]; 256] = lanes_of();

/// For each set of lanes: how many there are; a load, since AVX2 alone has no `popcnt`.
const COUNT_OF: [u8; 256] = count_of();

const fn lanes_of() -> [[u8; 8]; 256] {
    let mut table = [[0; 8]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut lane, mut count) = (0, 0);
        while lane < 8 {
            if mask >> lane & 1 == 1 {
                table[mask][count] = lane as u8;
                count += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    table
}

const fn count_of() -> [u8; 256] {
    let mut table = [0; 256];
    let mut mask = 0;
    while mask < 256 {
        table[mask] = mask.count_ones() as u8;
        mask += 1;
    }
    table
}

orrery_math::kernel! {
    /// See [`super::filter`].
    pub(super) fn filter(
        token,
        columns: [&[f32]; 3],
        center: [f32; 3],
        radius_squared: f32,
        runs: &[Run],
        out: &mut [u32],
    ) -> usize {
        use core::arch::x86_64::{
            __m128i, _CMP_LT_OQ, _mm256_add_epi32, _mm256_add_ps, _mm256_cmp_ps,
            _mm256_cvtepu8_epi32, _mm256_movemask_ps, _mm256_mul_ps, _mm256_set1_epi32,
            _mm256_set1_ps, _mm256_sub_ps,
        };
        let center_x = _mm256_set1_ps(center[0]);
        let center_y = _mm256_set1_ps(center[1]);
        let center_z = _mm256_set1_ps(center[2]);
        let radius_squared = _mm256_set1_ps(radius_squared);
        let mut count = 0;
        for &[first, end] in runs {
            // Whole groups, cut once a run, so that no load below needs a check of its own.
            let length = (end - first) as usize;
            let range = first as usize..first as usize + length.next_multiple_of(8);
            let (x, _) = columns[0][range.clone()].as_chunks::<8>();
            let (y, _) = columns[1][range.clone()].as_chunks::<8>();
            let (z, _) = columns[2][range].as_chunks::<8>();
            let mut index = first;
            for ((&x, &y), &z) in x.iter().zip(y).zip(z) {
                let dx = _mm256_sub_ps(center_x, bytemuck::must_cast(x));
                let dy = _mm256_sub_ps(center_y, bytemuck::must_cast(y));
                let dz = _mm256_sub_ps(center_z, bytemuck::must_cast(z));
                let square = _mm256_add_ps(
                    _mm256_add_ps(_mm256_mul_ps(dx, dx), _mm256_mul_ps(dy, dy)),
                    _mm256_mul_ps(dz, dz),
                );
                let near = _mm256_cmp_ps::<_CMP_LT_OQ>(square, radius_squared);
                // Lanes past the end of the run belong to the next one.
                let in_run = 255_u32 >> (8 - (end - index).min(8));
                let mask = (_mm256_movemask_ps(near) as u32 & in_run) as usize & 255;
                let lanes: __m128i = bytemuck::must_cast([LANES_OF[mask], [0; 8]]);
                let lanes = _mm256_cvtepu8_epi32(lanes);
                let found = _mm256_add_epi32(_mm256_set1_epi32(index as i32), lanes);
                let found: [u32; 8] = bytemuck::must_cast(found);
                out[count..count + 8].copy_from_slice(&found);
                count += COUNT_OF[mask] as usize;
                index += 8;
            }
        }
        count
    }
}

//! The same operations on eight lanes.

use std::arch::x86_64::{
    __m256, _CMP_GT_OQ, _CMP_LE_OQ, _CMP_LT_OQ, _mm256_add_ps, _mm256_and_ps, _mm256_cmp_ps,
    _mm256_hadd_ps, _mm256_max_ps, _mm256_mul_ps, _mm256_permute2f128_ps, _mm256_set1_ps,
    _mm256_setzero_ps, _mm256_sub_ps,
};
use std::ops::Range;

use bytemuck::must_cast;

use super::{Eye, LANES, Others, Sums};

/// Numbers of the lanes, to tell those behind the end of a run.
const NUMBERS: [f32; LANES] = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];

orrery::math::kernel! {
    /// The shorter way round an edge: adds nothing where no branch of the definition is taken.
    fn around(token, way: __m256, edge: f32) -> __m256 {
        let (half, edge) = (_mm256_set1_ps(0.5 * edge), _mm256_set1_ps(edge));
        let beyond = _mm256_cmp_ps::<_CMP_GT_OQ>(way, half);
        let way = _mm256_sub_ps(way, _mm256_and_ps(beyond, edge));
        let before = _mm256_cmp_ps::<_CMP_LT_OQ>(way, _mm256_sub_ps(_mm256_setzero_ps(), half));
        _mm256_add_ps(way, _mm256_and_ps(before, edge))
    }
}

orrery::math::kernel! {
    /// Adds up the lanes of eight sums: halves first, then pairs, then pairs of pairs.
    fn totals(token, s: [__m256; LANES]) -> Sums {
        // Two sums at once: the lower halves of both plus the upper halves of both.
        let halves_01 = _mm256_add_ps(
            _mm256_permute2f128_ps::<0x20>(s[0], s[4]),
            _mm256_permute2f128_ps::<0x31>(s[0], s[4]),
        );
        let halves_15 = _mm256_add_ps(
            _mm256_permute2f128_ps::<0x20>(s[1], s[5]),
            _mm256_permute2f128_ps::<0x31>(s[1], s[5]),
        );
        let halves_26 = _mm256_add_ps(
            _mm256_permute2f128_ps::<0x20>(s[2], s[6]),
            _mm256_permute2f128_ps::<0x31>(s[2], s[6]),
        );
        let halves_37 = _mm256_add_ps(
            _mm256_permute2f128_ps::<0x20>(s[3], s[7]),
            _mm256_permute2f128_ps::<0x31>(s[3], s[7]),
        );
        let pairs_low = _mm256_hadd_ps(halves_01, halves_15);
        let pairs_high = _mm256_hadd_ps(halves_26, halves_37);
        must_cast(_mm256_hadd_ps(pairs_low, pairs_high))
    }
}

orrery::math::kernel! {
    /// Sums over the runs; see the definition in `scalar.rs`.
    pub(super) fn look(token, eye: &Eye, others: Others<'_>, runs: &[Range<usize>]) -> Sums {
        let (place_x, place_y) = (_mm256_set1_ps(eye.place[0]), _mm256_set1_ps(eye.place[1]));
        let sight = _mm256_set1_ps(eye.sight_squared);
        let inverse = _mm256_set1_ps(eye.space_inverse);
        let (one, zero) = (_mm256_set1_ps(1.0), _mm256_setzero_ps());
        let numbers: __m256 = must_cast(NUMBERS);
        let (mut count, mut way_x, mut way_y) = (zero, zero, zero);
        let (mut velocity_x, mut velocity_y) = (zero, zero);
        let (mut crowding_x, mut crowding_y) = (zero, zero);
        for run in runs {
            let part = others.run(run);
            let (xs, ys) = (part.x.as_chunks::<LANES>().0, part.y.as_chunks::<LANES>().0);
            let (us, vs) = (part.u.as_chunks::<LANES>().0, part.v.as_chunks::<LANES>().0);
            // Exact in f32 up to 2^24 boids in one run.
            let mut left = run.len() as f32;
            for (((x, y), u), v) in xs.iter().zip(ys).zip(us).zip(vs) {
                let x = around(token, _mm256_sub_ps(must_cast(*x), place_x), eye.size[0]);
                let y = around(token, _mm256_sub_ps(must_cast(*y), place_y), eye.size[1]);
                let distance = _mm256_add_ps(_mm256_mul_ps(x, x), _mm256_mul_ps(y, y));
                let inside = _mm256_cmp_ps::<_CMP_LT_OQ>(numbers, _mm256_set1_ps(left));
                let near = _mm256_cmp_ps::<_CMP_LE_OQ>(distance, sight);
                let seen = _mm256_and_ps(inside, near);
                let (x, y) = (_mm256_and_ps(seen, x), _mm256_and_ps(seen, y));
                let nearness = _mm256_sub_ps(one, _mm256_mul_ps(distance, inverse));
                // Gives the second operand where the first is no number, as the definition does.
                let nearness = _mm256_max_ps(nearness, zero);
                count = _mm256_add_ps(count, _mm256_and_ps(seen, one));
                way_x = _mm256_add_ps(way_x, x);
                way_y = _mm256_add_ps(way_y, y);
                velocity_x = _mm256_add_ps(velocity_x, _mm256_and_ps(seen, must_cast(*u)));
                velocity_y = _mm256_add_ps(velocity_y, _mm256_and_ps(seen, must_cast(*v)));
                crowding_x = _mm256_add_ps(crowding_x, _mm256_mul_ps(x, nearness));
                crowding_y = _mm256_add_ps(crowding_y, _mm256_mul_ps(y, nearness));
                left -= LANES as f32;
            }
        }
        let sums = [count, way_x, way_y, velocity_x, velocity_y, crowding_x, crowding_y, zero];
        totals(token, sums)
    }
}

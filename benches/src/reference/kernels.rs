//! The loops of R: four registers a turn, product and sum rounded as the engine rounds them.

use orrery_math::simd::Level;

/// Adds `b[i] * s` to each `a[i]`.
///
/// # Panics
/// When the slices differ in length.
pub fn axpy(level: Level, a: &mut [f32], b: &[f32], s: f32) {
    assert_eq!(a.len(), b.len(), "slices of one batch");
    match level {
        Level::Scalar => scalar_axpy(a, b, s),
        Level::Avx2(token) => avx2_axpy(token, a, b, s),
    }
}

/// Adds `velocity * s` to each position and to each rotation.
///
/// One pass over three arrays: all are read, two are written.
///
/// # Panics
/// When the slices differ in length.
pub fn drift_and_spin(
    level: Level,
    position: &mut [f32],
    rotation: &mut [f32],
    velocity: &[f32],
    s: f32,
) {
    assert_eq!(position.len(), velocity.len(), "slices of one batch");
    assert_eq!(rotation.len(), velocity.len(), "slices of one batch");
    match level {
        Level::Scalar => scalar_drift_and_spin(position, rotation, velocity, s),
        Level::Avx2(token) => avx2_drift_and_spin(token, position, rotation, velocity, s),
    }
}

fn scalar_axpy(a: &mut [f32], b: &[f32], s: f32) {
    for (a, b) in a.iter_mut().zip(b) {
        *a += *b * s;
    }
}

fn scalar_drift_and_spin(position: &mut [f32], rotation: &mut [f32], velocity: &[f32], s: f32) {
    for ((p, r), v) in position.iter_mut().zip(rotation).zip(velocity) {
        let step = *v * s;
        *p += step;
        *r += step;
    }
}

orrery_math::kernel! {
    fn avx2_axpy(token, a: &mut [f32], b: &[f32], s: f32) {
        use core::arch::x86_64::{__m256, _mm256_add_ps, _mm256_mul_ps, _mm256_set1_ps};
        let factor = _mm256_set1_ps(s);
        let (a_turns, a_tail) = a.as_chunks_mut::<32>();
        let (b_turns, b_tail) = b.as_chunks::<32>();
        for (a, b) in a_turns.iter_mut().zip(b_turns) {
            let (mut lanes, steps): ([__m256; 4], [__m256; 4]) =
                (bytemuck::must_cast(*a), bytemuck::must_cast(*b));
            for register in 0..4 {
                let product = _mm256_mul_ps(steps[register], factor);
                lanes[register] = _mm256_add_ps(lanes[register], product);
            }
            *a = bytemuck::must_cast(lanes);
        }
        scalar_axpy(a_tail, b_tail, s);
    }
}

orrery_math::kernel! {
    fn avx2_drift_and_spin(
        token,
        position: &mut [f32],
        rotation: &mut [f32],
        velocity: &[f32],
        s: f32,
    ) {
        use core::arch::x86_64::{__m256, _mm256_add_ps, _mm256_mul_ps, _mm256_set1_ps};
        let factor = _mm256_set1_ps(s);
        let (p_turns, p_tail) = position.as_chunks_mut::<16>();
        let (r_turns, r_tail) = rotation.as_chunks_mut::<16>();
        let (v_turns, v_tail) = velocity.as_chunks::<16>();
        for ((p, r), v) in p_turns.iter_mut().zip(r_turns).zip(v_turns) {
            let (mut place, mut turn, step): ([__m256; 2], [__m256; 2], [__m256; 2]) =
                (bytemuck::must_cast(*p), bytemuck::must_cast(*r), bytemuck::must_cast(*v));
            for register in 0..2 {
                let product = _mm256_mul_ps(step[register], factor);
                place[register] = _mm256_add_ps(place[register], product);
                turn[register] = _mm256_add_ps(turn[register], product);
            }
            *p = bytemuck::must_cast(place);
            *r = bytemuck::must_cast(turn);
        }
        scalar_drift_and_spin(p_tail, r_tail, v_tail, s);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lanes(len: usize, factor: f32) -> Vec<f32> {
        (0..len)
            .map(|index| (index as f32 - 40.0) * factor)
            .collect()
    }

    #[test]
    fn every_level_gives_the_bits_of_the_plain_loop() {
        for level in Level::available() {
            for len in 0..140 {
                let velocity = lanes(len, 0.37);
                let (mut a, mut plain) = (lanes(len, 1.1), lanes(len, 1.1));
                axpy(level, &mut a, &velocity, 0.3);
                scalar_axpy(&mut plain, &velocity, 0.3);
                assert_eq!(a, plain, "{level} {len}");
                let mut turn = lanes(len, 0.9);
                let mut plain_turn = turn.clone();
                drift_and_spin(level, &mut a, &mut turn, &velocity, 0.3);
                scalar_drift_and_spin(&mut plain, &mut plain_turn, &velocity, 0.3);
                assert_eq!((a, turn), (plain, plain_turn), "{level} {len}");
            }
        }
    }
}

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

/// Adds `acceleration * s` to each velocity, then `velocity * s` to each position.
///
/// One pass over three arrays: all are read, two are written.
///
/// # Panics
/// When the slices differ in length.
pub fn integrate(
    level: Level,
    position: &mut [f32],
    velocity: &mut [f32],
    acceleration: &[f32],
    s: f32,
) {
    assert_eq!(position.len(), acceleration.len(), "slices of one batch");
    assert_eq!(velocity.len(), acceleration.len(), "slices of one batch");
    match level {
        Level::Scalar => scalar_integrate(position, velocity, acceleration, s),
        Level::Avx2(token) => avx2_integrate(token, position, velocity, acceleration, s),
    }
}

fn scalar_axpy(a: &mut [f32], b: &[f32], s: f32) {
    for (a, b) in a.iter_mut().zip(b) {
        *a += *b * s;
    }
}

fn scalar_integrate(position: &mut [f32], velocity: &mut [f32], acceleration: &[f32], s: f32) {
    for ((p, v), a) in position.iter_mut().zip(velocity).zip(acceleration) {
        *v += *a * s;
        *p += *v * s;
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
    fn avx2_integrate(
        token,
        position: &mut [f32],
        velocity: &mut [f32],
        acceleration: &[f32],
        s: f32,
    ) {
        use core::arch::x86_64::{__m256, _mm256_add_ps, _mm256_mul_ps, _mm256_set1_ps};
        let factor = _mm256_set1_ps(s);
        let (p_turns, p_tail) = position.as_chunks_mut::<16>();
        let (v_turns, v_tail) = velocity.as_chunks_mut::<16>();
        let (a_turns, a_tail) = acceleration.as_chunks::<16>();
        for ((p, v), a) in p_turns.iter_mut().zip(v_turns).zip(a_turns) {
            let (mut place, mut speed, change): ([__m256; 2], [__m256; 2], [__m256; 2]) =
                (bytemuck::must_cast(*p), bytemuck::must_cast(*v), bytemuck::must_cast(*a));
            for register in 0..2 {
                let step = _mm256_mul_ps(change[register], factor);
                speed[register] = _mm256_add_ps(speed[register], step);
                let step = _mm256_mul_ps(speed[register], factor);
                place[register] = _mm256_add_ps(place[register], step);
            }
            *v = bytemuck::must_cast(speed);
            *p = bytemuck::must_cast(place);
        }
        scalar_integrate(p_tail, v_tail, a_tail, s);
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
                let change = lanes(len, 0.37);
                let (mut a, mut plain) = (lanes(len, 1.1), lanes(len, 1.1));
                axpy(level, &mut a, &change, 0.3);
                scalar_axpy(&mut plain, &change, 0.3);
                assert_eq!(a, plain, "{level} {len}");
                let mut speed = lanes(len, 0.9);
                let mut plain_speed = speed.clone();
                integrate(level, &mut a, &mut speed, &change, 0.3);
                scalar_integrate(&mut plain, &mut plain_speed, &change, 0.3);
                assert_eq!((a, speed), (plain, plain_speed), "{level} {len}");
            }
        }
    }
}

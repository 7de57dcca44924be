//! Eight `f32` or four `f64` a turn; the tail is left to the definition.

#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::{
    __m256, __m256d, _mm256_add_pd, _mm256_add_ps, _mm256_mul_pd, _mm256_mul_ps, _mm256_set1_pd,
    _mm256_set1_ps,
};

use super::scalar;

crate::kernel! {
    /// Adds `b[i] * s` to each `a[i]`; the caller has checked that the lengths agree.
    pub(super) fn axpy(token, a: &mut [f32], b: &[f32], s: f32) {
        let factor = _mm256_set1_ps(s);
        let (a_blocks, a_tail) = a.as_chunks_mut::<8>();
        let (b_blocks, b_tail) = b.as_chunks::<8>();
        for (a, b) in a_blocks.iter_mut().zip(b_blocks) {
            let lanes: __m256 = bytemuck::must_cast(*a);
            let product = _mm256_mul_ps(bytemuck::must_cast(*b), factor);
            *a = bytemuck::must_cast(_mm256_add_ps(lanes, product));
        }
        scalar::axpy(a_tail, b_tail, s);
    }
}

crate::kernel! {
    /// Adds `b[i] * s` to each `a[i]`; the caller has checked that the lengths agree.
    pub(super) fn axpy_f64(token, a: &mut [f64], b: &[f64], s: f64) {
        let factor = _mm256_set1_pd(s);
        let (a_blocks, a_tail) = a.as_chunks_mut::<4>();
        let (b_blocks, b_tail) = b.as_chunks::<4>();
        for (a, b) in a_blocks.iter_mut().zip(b_blocks) {
            let lanes: __m256d = bytemuck::must_cast(*a);
            let product = _mm256_mul_pd(bytemuck::must_cast(*b), factor);
            *a = bytemuck::must_cast(_mm256_add_pd(lanes, product));
        }
        scalar::axpy_f64(a_tail, b_tail, s);
    }
}

//! The definition: product, rounded; sum, rounded.

/// Adds `b[i] * s` to each `a[i]`; the caller has checked that the lengths agree.
#[inline]
pub(super) fn axpy(a: &mut [f32], b: &[f32], s: f32) {
    for (a, b) in a.iter_mut().zip(b) {
        *a += *b * s;
    }
}

/// Adds `b[i] * s` to each `a[i]`; the caller has checked that the lengths agree.
#[inline]
pub(super) fn axpy_f64(a: &mut [f64], b: &[f64], s: f64) {
    for (a, b) in a.iter_mut().zip(b) {
        *a += *b * s;
    }
}

//! `a[i] += b[i] * s`: the integration step of every model, named after the BLAS routine.
//!
//! Two roundings, product then sum, on every path; a fused multiply-add would have one and other
//! bits.
//!
//! # Cost
//!
//! 12 bytes of memory traffic per f32 value and two operations: bound by memory beyond the cache.

// The expansion of `kernel!` holds the crate's one `unsafe` call; in other crates the lint is
// silent about it, in this one it has to be told.
#[expect(
    unsafe_code,
    reason = "expands `kernel!`, whose one call the Avx2 token justifies"
)]
mod avx2;
mod scalar;

#[cfg(test)]
mod tests;

use super::{LengthMismatch, same_length};
use crate::simd::Level;

/// Adds `b[i] * s` to each `a[i]`, at [`Level::current`].
///
/// # Errors
///
/// [`LengthMismatch`]: the slices differ in length; `a` is untouched.
///
/// # Examples
///
/// ```
/// use orrery_math::kernel::axpy;
///
/// let mut position = [1.0, 2.0, 3.0];
/// let velocity = [10.0, 20.0, 30.0];
/// axpy(&mut position, &velocity, 0.5)?;
/// assert_eq!(position, [6.0, 12.0, 18.0]);
/// # Ok::<(), orrery_math::kernel::LengthMismatch>(())
/// ```
pub fn axpy(a: &mut [f32], b: &[f32], s: f32) -> Result<(), LengthMismatch> {
    axpy_at(Level::current(), a, b, s)
}

/// Does what [`axpy`] does at a chosen level; for tests and benchmarks that compare paths.
///
/// # Errors
///
/// [`LengthMismatch`]: the slices differ in length; `a` is untouched.
pub fn axpy_at(level: Level, a: &mut [f32], b: &[f32], s: f32) -> Result<(), LengthMismatch> {
    same_length(a, b)?;
    match level {
        Level::Scalar => scalar::axpy(a, b, s),
        Level::Avx2(token) => avx2::axpy(token, a, b, s),
    }
    Ok(())
}

/// Adds `b[i] * s` to each `a[i]` in double precision, at [`Level::current`].
///
/// # Errors
///
/// [`LengthMismatch`]: the slices differ in length; `a` is untouched.
pub fn axpy_f64(a: &mut [f64], b: &[f64], s: f64) -> Result<(), LengthMismatch> {
    axpy_f64_at(Level::current(), a, b, s)
}

/// Does what [`axpy_f64`] does at a chosen level; for tests and benchmarks that compare paths.
///
/// # Errors
///
/// [`LengthMismatch`]: the slices differ in length; `a` is untouched.
pub fn axpy_f64_at(level: Level, a: &mut [f64], b: &[f64], s: f64) -> Result<(), LengthMismatch> {
    same_length(a, b)?;
    match level {
        Level::Scalar => scalar::axpy_f64(a, b, s),
        Level::Avx2(token) => avx2::axpy_f64(token, a, b, s),
    }
    Ok(())
}

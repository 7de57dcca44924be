//! Batch kernels: one operation over whole slices, with the same bits on every [`Level`].
//!
//! A kernel is a folder `NAME/{mod.rs, scalar.rs, avx2.rs, tests.rs}`: `mod.rs` has the docs, the
//! length checks and the choice of the path, once per batch; `scalar.rs` is the definition;
//! `avx2.rs` does the same operations in the same order in lanes of 256 bits; the tests compare
//! bits over all lengths up to four blocks and a tail, all offsets and all kinds of values.
//!
//! Kernels take flat slices of scalars. A slice of [`crate::Vec3`] or of a component made of
//! `f32` alone becomes one by `bytemuck::cast_slice_mut`. They never allocate, and they accept any
//! alignment and any length.
//!
//! A NaN stays a NaN on every path, but its payload depends on the order of operands in the
//! machine code; the state hash therefore takes all NaN as one.
//!
//! [`Level`]: crate::simd::Level

mod axpy;

pub use axpy::{axpy, axpy_at, axpy_f64, axpy_f64_at};

/// Two slices of one batch that should have the same length and have not.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "slices of one batch differ in length: the target has {target_len} values, \
     the source {source_len}"
)]
pub struct LengthMismatch {
    /// Length of the slice that is written.
    pub target_len: usize,
    /// Length of the slice that is read.
    pub source_len: usize,
}

/// Checks the lengths of a batch, before any value is written.
fn same_length<T>(target: &[T], source: &[T]) -> Result<(), LengthMismatch> {
    if target.len() == source.len() {
        Ok(())
    } else {
        Err(LengthMismatch {
            target_len: target.len(),
            source_len: source.len(),
        })
    }
}

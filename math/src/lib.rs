//! The mathematics of the Orrery engine: the same bits on every path and every machine.
//!
//! Goals, the earlier wins: **correct**, **deterministic** (IEEE operations in the written order,
//! nothing fused, no approximate instruction, own elementary functions), **fast** (flat data,
//! batches, AVX2 where the processor has it), **pleasant** (the names of the `glam` crate).
//!
//! ```text
//! values   Vec2 Vec3 Vec4 DVec3   Quat   Mat3 Mat4 Affine3      plain data, scalar definitions
//!             |  bytemuck::cast_slice
//!             v
//! kernel   axpy ...               over slices, one choice of path a batch
//!             |
//!             v
//! simd     Level, Avx2 token, kernel!       the only place of `unsafe`
//!
//! random   Random -> Stream -> Draws        (seed, tick, id, purpose) -> value, no state
//! ops      sin cos exp ln pow ...           bit-reproducible
//! ```
//!
//! Conventions: right-handed axes; column vectors, so transformations apply right to left;
//! matrices stored by columns; angles in radians; quaternions as x, y, z, w; depth of a projection
//! in `[0, 1]`. Methods that expect a unit vector or quaternion say so and do not check it; what
//! cannot be computed gives NaN or infinity, and a `try_` form gives `None`.
//!
//! Left out on purpose: SIMD inside the value types (a batch over columns is where it pays),
//! swizzles, integer vectors, `mul_add` (its fused and unfused forms differ in bits).
//!
//! # Examples
//!
//! ```
//! use orrery_math::{Quat, Random, Vec3, kernel};
//!
//! // A direction for entity 17 at tick 3 that no thread or order can change.
//! let heading = Random::new(42).at(3, 17, 0).unit_vec3();
//! let turned = Quat::from_rotation_y(0.5) * heading;
//! assert!((turned.length() - 1.0).abs() < 1e-6);
//!
//! // A whole column at once: positions += velocities * dt.
//! let (mut positions, velocities) = (vec![Vec3::ZERO; 100], vec![turned; 100]);
//! let flat = bytemuck::cast_slice_mut(&mut positions);
//! kernel::axpy(flat, bytemuck::cast_slice(&velocities), 1.0 / 60.0)?;
//! assert_eq!(positions[99], turned * (1.0 / 60.0));
//! # Ok::<(), kernel::LengthMismatch>(())
//! ```

mod affine3;
pub mod kernel;
mod mat;
pub mod ops;
mod quat;
mod random;
pub mod simd;
mod vec;

pub use affine3::Affine3;
pub use mat::{Mat3, Mat4};
pub use quat::Quat;
pub use random::{Draws, Random, Stream, philox4x32_10};
pub use vec::{DVec3, Vec2, Vec3, Vec4};

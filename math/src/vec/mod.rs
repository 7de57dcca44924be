//! Vectors of two, three and four components.
//!
//! Each is its components one after another and nothing else (`repr(C)`, plain data, aligned like
//! one component), so a slice of `N` vectors is a slice of `N * dimension` scalars to
//! `bytemuck::cast_slice` and to the batch kernels. Names and meanings are those of the `glam`
//! crate; where the rounding differs (normalizing divides instead of multiplying by a
//! reciprocal), the definition here is the more exact one.

mod dvec3;
pub(crate) mod macros;
pub(crate) mod operators;
mod vec2;
mod vec3;
mod vec4;

#[cfg(test)]
mod tests;

pub use dvec3::DVec3;
pub use vec2::Vec2;
pub use vec3::Vec3;
pub use vec4::Vec4;

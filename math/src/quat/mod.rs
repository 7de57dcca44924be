//! Rotations of space as unit quaternions.
//!
//! `x, y, z` are the axis times the sine of half the angle, `w` is the cosine of half the angle;
//! a quaternion and its negative are the same rotation. Products apply right to left, as those of
//! matrices: `(a * b) * v == a * (b * v)`.

mod operators;
mod value;

#[cfg(test)]
mod tests;

pub use value::Quat;

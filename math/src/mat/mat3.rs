//! The linear map of space: rotation, scale, shear, mirror.

use std::ops::Mul;

use bytemuck::{Pod, Zeroable};

use super::macros::matrix;
use crate::{Mat4, Quat, Vec3};

/// Three columns of three; 36 bytes. The default is the identity.
///
/// # Examples
///
/// ```
/// use orrery_math::{Mat3, Vec3};
///
/// let m = Mat3::from_diagonal(Vec3::new(1.0, 2.0, 4.0));
/// assert_eq!(m * Vec3::ONE, Vec3::new(1.0, 2.0, 4.0));
/// assert_eq!(m.determinant(), 8.0);
/// assert_eq!(m.inverse() * m, Mat3::IDENTITY);
/// assert_eq!(Mat3::ZERO.try_inverse(), None);
/// ```
#[derive(Copy, Clone, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Mat3 {
    /// Where x goes.
    pub x_axis: Vec3,
    /// Where y goes.
    pub y_axis: Vec3,
    /// Where z goes.
    pub z_axis: Vec3,
}

matrix!(Mat3, Vec3, 9, x_axis, y_axis, z_axis);

impl Mat3 {
    /// Leaves each vector where it is.
    pub const IDENTITY: Self = Self::from_cols(Vec3::X, Vec3::Y, Vec3::Z);

    /// Makes the scale by each factor along its axis.
    #[inline]
    #[must_use]
    pub const fn from_diagonal(diagonal: Vec3) -> Self {
        Self::from_cols(
            Vec3::new(diagonal.x, 0.0, 0.0),
            Vec3::new(0.0, diagonal.y, 0.0),
            Vec3::new(0.0, 0.0, diagonal.z),
        )
    }

    /// Makes the scale by each factor along its axis: [`Mat3::from_diagonal`] by the name that
    /// [`Mat4`] and [`crate::Affine3`] have for it.
    ///
    /// (glam's `Mat3::from_scale` is another thing, a scale of the plane.)
    #[inline]
    #[must_use]
    pub const fn from_scale(scale: Vec3) -> Self {
        Self::from_diagonal(scale)
    }

    /// Makes the matrix of a rotation. Expects a unit quaternion.
    #[must_use]
    pub const fn from_quat(q: Quat) -> Self {
        let (x2, y2, z2) = (q.x + q.x, q.y + q.y, q.z + q.z);
        let (xx, xy, xz) = (q.x * x2, q.x * y2, q.x * z2);
        let (yy, yz, zz) = (q.y * y2, q.y * z2, q.z * z2);
        let (wx, wy, wz) = (q.w * x2, q.w * y2, q.w * z2);
        Self::from_cols(
            Vec3::new(1.0 - (yy + zz), xy + wz, xz - wy),
            Vec3::new(xy - wz, 1.0 - (xx + zz), yz + wx),
            Vec3::new(xz + wy, yz - wx, 1.0 - (xx + yy)),
        )
    }

    /// Makes the rotation by `angle` radians around a unit axis.
    #[must_use]
    pub fn from_axis_angle(axis: Vec3, angle: f32) -> Self {
        Self::from_quat(Quat::from_axis_angle(axis, angle))
    }

    /// Makes the rotation by `angle` radians around x.
    #[must_use]
    pub fn from_rotation_x(angle: f32) -> Self {
        Self::from_quat(Quat::from_rotation_x(angle))
    }

    /// Makes the rotation by `angle` radians around y.
    #[must_use]
    pub fn from_rotation_y(angle: f32) -> Self {
        Self::from_quat(Quat::from_rotation_y(angle))
    }

    /// Makes the rotation by `angle` radians around z.
    #[must_use]
    pub fn from_rotation_z(angle: f32) -> Self {
        Self::from_quat(Quat::from_rotation_z(angle))
    }

    /// Takes the upper left part of a matrix of four columns: its map of directions.
    #[inline]
    #[must_use]
    pub const fn from_mat4(m: &Mat4) -> Self {
        Self::from_cols(
            m.x_axis.truncate(),
            m.y_axis.truncate(),
            m.z_axis.truncate(),
        )
    }

    /// Returns the matrix with rows and columns exchanged.
    #[inline]
    #[must_use]
    pub const fn transpose(&self) -> Self {
        Self::from_cols(
            Vec3::new(self.x_axis.x, self.y_axis.x, self.z_axis.x),
            Vec3::new(self.x_axis.y, self.y_axis.y, self.z_axis.y),
            Vec3::new(self.x_axis.z, self.y_axis.z, self.z_axis.z),
        )
    }

    /// Returns the factor by which volumes grow; negative for a mirror.
    #[inline]
    #[must_use]
    pub const fn determinant(&self) -> f32 {
        self.z_axis.dot(self.x_axis.cross(self.y_axis))
    }

    /// Returns the inverse; not finite when the determinant is zero, see [`Mat3::try_inverse`].
    #[must_use]
    pub fn inverse(&self) -> Self {
        let rows = Self::from_cols(
            self.y_axis.cross(self.z_axis),
            self.z_axis.cross(self.x_axis),
            self.x_axis.cross(self.y_axis),
        );
        (rows * (1.0 / self.z_axis.dot(rows.z_axis))).transpose()
    }

    /// Transforms a vector.
    #[inline]
    #[must_use]
    pub fn mul_vec3(&self, v: Vec3) -> Vec3 {
        self.x_axis * v.x + self.y_axis * v.y + self.z_axis * v.z
    }
}

impl Mul<Vec3> for Mat3 {
    type Output = Vec3;

    #[inline]
    fn mul(self, rhs: Vec3) -> Vec3 {
        self.mul_vec3(rhs)
    }
}

impl From<Quat> for Mat3 {
    fn from(rotation: Quat) -> Self {
        Self::from_quat(rotation)
    }
}

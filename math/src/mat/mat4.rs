//! The projective map of space: affine maps and perspective.

use std::ops::Mul;

use bytemuck::{Pod, Zeroable};

use super::macros::matrix;
use crate::{Mat3, Quat, Vec3, Vec4};

/// Four columns of four; 64 bytes. The default is the identity.
///
/// Cameras are in the methods `look_at_rh`, `perspective_rh` and `orthographic_rh`. A map without
/// perspective is smaller and faster as [`crate::Affine3`].
///
/// # Examples
///
/// ```
/// use orrery_math::{Mat4, Quat, Vec3};
///
/// let m = Mat4::from_scale_rotation_translation(Vec3::splat(2.0), Quat::IDENTITY, Vec3::X);
/// assert_eq!(m.transform_point3(Vec3::Y), Vec3::new(1.0, 2.0, 0.0));
/// assert_eq!(m.transform_vector3(Vec3::Y), Vec3::new(0.0, 2.0, 0.0));
/// assert_eq!(m.inverse() * m, Mat4::IDENTITY);
/// ```
#[derive(Copy, Clone, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Mat4 {
    /// Where x goes.
    pub x_axis: Vec4,
    /// Where y goes.
    pub y_axis: Vec4,
    /// Where z goes.
    pub z_axis: Vec4,
    /// Where the origin goes.
    pub w_axis: Vec4,
}

matrix!(Mat4, Vec4, 16, x_axis, y_axis, z_axis, w_axis);

/// The 2x2 determinants of a matrix: `s` of rows 0 and 1, `c` of rows 2 and 3, for the column
/// pairs 01, 02, 03, 12, 13, 23 (Laplace expansion by complementary minors).
struct Minors {
    s: [f32; 6],
    c: [f32; 6],
}

impl Minors {
    fn of(m: &Mat4) -> Self {
        let (a, b, c, d) = (m.x_axis, m.y_axis, m.z_axis, m.w_axis);
        let pairs = [(a, b), (a, c), (a, d), (b, c), (b, d), (c, d)];
        Self {
            s: pairs.map(|(p, q)| p.x * q.y - p.y * q.x),
            c: pairs.map(|(p, q)| p.z * q.w - p.w * q.z),
        }
    }

    fn determinant(&self) -> f32 {
        let Self { s, c } = self;
        s[0] * c[5] - s[1] * c[4] + s[2] * c[3] + s[3] * c[2] - s[4] * c[1] + s[5] * c[0]
    }
}

impl Mat4 {
    /// Leaves each point where it is.
    pub const IDENTITY: Self = Self::from_cols(Vec4::X, Vec4::Y, Vec4::Z, Vec4::W);

    /// Makes the scale by each factor along its axis.
    #[inline]
    #[must_use]
    pub const fn from_scale(scale: Vec3) -> Self {
        Self::from_mat3_translation(Mat3::from_diagonal(scale), Vec3::ZERO)
    }

    /// Makes the move by a vector.
    #[inline]
    #[must_use]
    pub const fn from_translation(translation: Vec3) -> Self {
        Self::from_mat3_translation(Mat3::IDENTITY, translation)
    }

    /// Makes the matrix of a rotation. Expects a unit quaternion.
    #[inline]
    #[must_use]
    pub const fn from_quat(rotation: Quat) -> Self {
        Self::from_mat3_translation(Mat3::from_quat(rotation), Vec3::ZERO)
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

    /// Makes the rotation followed by the move. Expects a unit quaternion.
    #[inline]
    #[must_use]
    pub const fn from_rotation_translation(rotation: Quat, translation: Vec3) -> Self {
        Self::from_mat3_translation(Mat3::from_quat(rotation), translation)
    }

    /// Makes the scale, followed by the rotation, followed by the move. Expects a unit quaternion.
    #[must_use]
    pub fn from_scale_rotation_translation(scale: Vec3, rotation: Quat, translation: Vec3) -> Self {
        crate::Affine3::from_scale_rotation_translation(scale, rotation, translation).to_mat4()
    }

    /// Makes the linear map followed by the move.
    #[inline]
    #[must_use]
    pub const fn from_mat3_translation(m: Mat3, translation: Vec3) -> Self {
        Self::from_cols(
            m.x_axis.extend(0.0),
            m.y_axis.extend(0.0),
            m.z_axis.extend(0.0),
            translation.extend(1.0),
        )
    }

    /// Returns the matrix with rows and columns exchanged.
    #[must_use]
    pub const fn transpose(&self) -> Self {
        let (a, b, c, d) = (self.x_axis, self.y_axis, self.z_axis, self.w_axis);
        Self::from_cols(
            Vec4::new(a.x, b.x, c.x, d.x),
            Vec4::new(a.y, b.y, c.y, d.y),
            Vec4::new(a.z, b.z, c.z, d.z),
            Vec4::new(a.w, b.w, c.w, d.w),
        )
    }

    /// Returns the determinant.
    #[must_use]
    pub fn determinant(&self) -> f32 {
        Minors::of(self).determinant()
    }

    /// Returns the inverse; not finite when the determinant is zero, see [`Mat4::try_inverse`].
    #[must_use]
    pub fn inverse(&self) -> Self {
        let (a, b, c, d) = (self.x_axis, self.y_axis, self.z_axis, self.w_axis);
        let minors = Minors::of(self);
        let Minors { s, c: m } = &minors;
        // One cofactor: three values of one row against the minors of the other two rows.
        let of = |x: f32, i: f32, y: f32, j: f32, z: f32, k: f32| x * i - y * j + z * k;
        let adjugate = Self::from_cols(
            Vec4::new(
                of(b.y, m[5], c.y, m[4], d.y, m[3]),
                -of(a.y, m[5], c.y, m[2], d.y, m[1]),
                of(a.y, m[4], b.y, m[2], d.y, m[0]),
                -of(a.y, m[3], b.y, m[1], c.y, m[0]),
            ),
            Vec4::new(
                -of(b.x, m[5], c.x, m[4], d.x, m[3]),
                of(a.x, m[5], c.x, m[2], d.x, m[1]),
                -of(a.x, m[4], b.x, m[2], d.x, m[0]),
                of(a.x, m[3], b.x, m[1], c.x, m[0]),
            ),
            Vec4::new(
                of(b.w, s[5], c.w, s[4], d.w, s[3]),
                -of(a.w, s[5], c.w, s[2], d.w, s[1]),
                of(a.w, s[4], b.w, s[2], d.w, s[0]),
                -of(a.w, s[3], b.w, s[1], c.w, s[0]),
            ),
            Vec4::new(
                -of(b.z, s[5], c.z, s[4], d.z, s[3]),
                of(a.z, s[5], c.z, s[2], d.z, s[1]),
                -of(a.z, s[4], b.z, s[2], d.z, s[0]),
                of(a.z, s[3], b.z, s[1], c.z, s[0]),
            ),
        );
        adjugate * (1.0 / minors.determinant())
    }

    /// Transforms a homogeneous vector.
    #[inline]
    #[must_use]
    pub fn mul_vec4(&self, v: Vec4) -> Vec4 {
        self.x_axis * v.x + self.y_axis * v.y + self.z_axis * v.z + self.w_axis * v.w
    }

    /// Transforms a point by an affine matrix, whose last row is 0, 0, 0, 1.
    ///
    /// For a matrix with perspective see [`Mat4::project_point3`].
    #[inline]
    #[must_use]
    pub fn transform_point3(&self, point: Vec3) -> Vec3 {
        self.mul_vec4(point.extend(1.0)).truncate()
    }

    /// Transforms a direction by an affine matrix: without the move.
    #[inline]
    #[must_use]
    pub fn transform_vector3(&self, vector: Vec3) -> Vec3 {
        (self.x_axis * vector.x + self.y_axis * vector.y + self.z_axis * vector.z).truncate()
    }

    /// Transforms a point and divides by the fourth component.
    ///
    /// Not finite for points in the plane of the eye.
    #[inline]
    #[must_use]
    pub fn project_point3(&self, point: Vec3) -> Vec3 {
        let projected = self.mul_vec4(point.extend(1.0));
        projected.truncate() / projected.w
    }
}

impl Mul<Vec4> for Mat4 {
    type Output = Vec4;

    #[inline]
    fn mul(self, rhs: Vec4) -> Vec4 {
        self.mul_vec4(rhs)
    }
}

//! Affine maps of space: a linear map and a move.
//!
//! What a transform component holds: without the constant last row of a 4x4 matrix it is a quarter
//! smaller and cheaper to combine.

use std::ops::{Mul, MulAssign};

use bytemuck::{Pod, Zeroable};

use crate::{Mat3, Mat4, Quat, Vec3};

/// Largest cosine between two axes that [`Affine3::decompose`] still takes as a right angle.
///
/// Ten thousand roundings of f32: chains of rotations and even scales stay below, any real shear
/// is above.
const SHEAR_COSINE_MAX: f32 = 1e-4;

/// A linear map followed by a move; 48 bytes. The default is the identity.
///
/// # Examples
///
/// ```
/// use std::f32::consts::FRAC_PI_2;
/// use orrery_math::{Affine3, Quat, Vec3};
///
/// let turn = Quat::from_rotation_z(FRAC_PI_2);
/// let pose = Affine3::from_scale_rotation_translation(Vec3::splat(2.0), turn, Vec3::Z);
/// let moved = pose.transform_point3(Vec3::X);
/// assert!(moved.abs_diff_eq(Vec3::new(0.0, 2.0, 1.0), 1e-6));
/// assert!(pose.inverse().transform_point3(moved).abs_diff_eq(Vec3::X, 1e-6));
/// ```
#[derive(Copy, Clone, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Affine3 {
    /// The linear map: rotation, scale, shear.
    pub matrix3: Mat3,
    /// The move that follows it.
    pub translation: Vec3,
}

const _: () = assert!(size_of::<Affine3>() == 48);

impl Affine3 {
    /// Leaves each point where it is.
    pub const IDENTITY: Self = Self {
        matrix3: Mat3::IDENTITY,
        translation: Vec3::ZERO,
    };

    /// Makes the linear map followed by the move.
    #[inline]
    #[must_use]
    pub const fn from_mat3_translation(matrix3: Mat3, translation: Vec3) -> Self {
        Self {
            matrix3,
            translation,
        }
    }

    /// Makes the scale by each factor along its axis.
    #[inline]
    #[must_use]
    pub const fn from_scale(scale: Vec3) -> Self {
        Self::from_mat3_translation(Mat3::from_diagonal(scale), Vec3::ZERO)
    }

    /// Makes the rotation. Expects a unit quaternion.
    #[inline]
    #[must_use]
    pub const fn from_quat(rotation: Quat) -> Self {
        Self::from_mat3_translation(Mat3::from_quat(rotation), Vec3::ZERO)
    }

    /// Makes the move.
    #[inline]
    #[must_use]
    pub const fn from_translation(translation: Vec3) -> Self {
        Self::from_mat3_translation(Mat3::IDENTITY, translation)
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
        let m = Mat3::from_quat(rotation);
        let scaled = Mat3::from_cols(m.x_axis * scale.x, m.y_axis * scale.y, m.z_axis * scale.z);
        Self::from_mat3_translation(scaled, translation)
    }

    /// Returns the map as a 4x4 matrix.
    #[inline]
    #[must_use]
    pub const fn to_mat4(&self) -> Mat4 {
        Mat4::from_mat3_translation(self.matrix3, self.translation)
    }

    /// Transforms a point.
    #[inline]
    #[must_use]
    pub fn transform_point3(&self, point: Vec3) -> Vec3 {
        self.matrix3 * point + self.translation
    }

    /// Transforms a direction: without the move.
    #[inline]
    #[must_use]
    pub fn transform_vector3(&self, vector: Vec3) -> Vec3 {
        self.matrix3 * vector
    }

    /// Returns the map back; not finite when the linear map has determinant zero, see
    /// [`Affine3::try_inverse`].
    #[must_use]
    pub fn inverse(&self) -> Self {
        let matrix3 = self.matrix3.inverse();
        Self::from_mat3_translation(matrix3, -(matrix3 * self.translation))
    }

    /// Returns the map back, or `None` when [`Mat3::try_inverse`] has none for the linear map or
    /// the move back is not finite.
    #[must_use]
    pub fn try_inverse(&self) -> Option<Self> {
        let matrix3 = self.matrix3.try_inverse()?;
        let inverse = Self::from_mat3_translation(matrix3, -(matrix3 * self.translation));
        inverse.translation.is_finite().then_some(inverse)
    }

    /// Returns scale, rotation and translation, from which
    /// [`Affine3::from_scale_rotation_translation`] makes the same map.
    ///
    /// A mirror shows as a negative first factor of the scale. `None` when there are no such
    /// three: the map is flat (determinant zero), not finite, or sheared (two of its axes are off
    /// the right angle by more than 1e-4 radians).
    #[must_use]
    pub fn decompose(&self) -> Option<(Vec3, Quat, Vec3)> {
        let m = &self.matrix3;
        let determinant = m.determinant();
        if determinant == 0.0 || !determinant.is_finite() || !self.translation.is_finite() {
            return None;
        }
        let x = m.x_axis.try_normalize()? * determinant.signum();
        let y = m.y_axis.try_normalize()?;
        let z = m.z_axis.try_normalize()?;
        let cosines = Vec3::new(x.dot(y), y.dot(z), z.dot(x)).abs();
        if cosines.max_element() > SHEAR_COSINE_MAX {
            return None;
        }
        let lengths = Vec3::new(m.x_axis.length(), m.y_axis.length(), m.z_axis.length());
        let scale = lengths * Vec3::new(determinant.signum(), 1.0, 1.0);
        Some((
            scale,
            Quat::from_mat3(&Mat3::from_cols(x, y, z)),
            self.translation,
        ))
    }

    /// Returns whether no value is infinite or NaN.
    #[inline]
    #[must_use]
    pub const fn is_finite(&self) -> bool {
        self.matrix3.is_finite() && self.translation.is_finite()
    }

    /// Returns whether any value is NaN.
    #[inline]
    #[must_use]
    pub const fn is_nan(&self) -> bool {
        self.matrix3.is_nan() || self.translation.is_nan()
    }

    /// Returns whether no value differs by more than `max_abs_diff`.
    #[inline]
    #[must_use]
    pub fn abs_diff_eq(&self, rhs: Self, max_abs_diff: f32) -> bool {
        self.matrix3.abs_diff_eq(rhs.matrix3, max_abs_diff)
            && self.translation.abs_diff_eq(rhs.translation, max_abs_diff)
    }
}

impl Mul for Affine3 {
    type Output = Self;

    /// Combines maps: `rhs` first, then `self`.
    #[inline]
    fn mul(self, rhs: Self) -> Self {
        Self {
            matrix3: self.matrix3 * rhs.matrix3,
            translation: self.transform_point3(rhs.translation),
        }
    }
}

impl MulAssign for Affine3 {
    #[inline]
    fn mul_assign(&mut self, rhs: Self) {
        *self = *self * rhs;
    }
}

impl From<Affine3> for Mat4 {
    fn from(affine: Affine3) -> Self {
        affine.to_mat4()
    }
}

impl AsRef<[f32; 12]> for Affine3 {
    #[inline]
    fn as_ref(&self) -> &[f32; 12] {
        bytemuck::must_cast_ref(self)
    }
}

impl AsMut<[f32; 12]> for Affine3 {
    #[inline]
    fn as_mut(&mut self) -> &mut [f32; 12] {
        bytemuck::must_cast_mut(self)
    }
}

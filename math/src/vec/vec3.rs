//! The vector of three `f32`.

use bytemuck::{Pod, Zeroable};

use super::dvec3::DVec3;
use super::macros::vector;
use super::vec2::Vec2;
use super::vec4::Vec4;

/// A point or direction in space; 12 bytes, without padding.
///
/// # Examples
///
/// ```
/// use orrery_math::Vec3;
///
/// assert_eq!(Vec3::X.cross(Vec3::Y), Vec3::Z);
/// let v = Vec3::new(2.0, 3.0, 6.0);
/// assert_eq!(v.length(), 7.0);
/// assert_eq!(v[2], 6.0);
/// assert_eq!(Vec3::ZERO.try_normalize(), None);
/// ```
#[derive(Copy, Clone, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Vec3 {
    /// First component.
    pub x: f32,
    /// Second component.
    pub y: f32,
    /// Third component.
    pub z: f32,
}

vector!(Vec3, f32, 3, x: 0, y: 1, z: 2);

impl Vec3 {
    /// The unit vector along x.
    pub const X: Self = Self::new(1.0, 0.0, 0.0);
    /// The unit vector along y.
    pub const Y: Self = Self::new(0.0, 1.0, 0.0);
    /// The unit vector along z.
    pub const Z: Self = Self::new(0.0, 0.0, 1.0);
    /// The unit vector against x.
    pub const NEG_X: Self = Self::new(-1.0, 0.0, 0.0);
    /// The unit vector against y.
    pub const NEG_Y: Self = Self::new(0.0, -1.0, 0.0);
    /// The unit vector against z.
    pub const NEG_Z: Self = Self::new(0.0, 0.0, -1.0);

    /// Returns the vector perpendicular to both, by the right-hand rule; its length is the area
    /// that both span.
    #[inline]
    #[must_use]
    pub const fn cross(self, rhs: Self) -> Self {
        Self::new(
            self.y * rhs.z - self.z * rhs.y,
            self.z * rhs.x - self.x * rhs.z,
            self.x * rhs.y - self.y * rhs.x,
        )
    }

    /// Returns two unit vectors that with the unit vector `self` form a right-handed base
    /// (first x second = `self`).
    ///
    /// Without branches and without loss near the poles: Duff et al., "Building an orthonormal
    /// basis, revisited" (JCGT 2017).
    #[must_use]
    pub fn any_orthonormal_pair(self) -> (Self, Self) {
        let sign = self.z.signum();
        let a = -1.0 / (sign + self.z);
        let b = self.x * self.y * a;
        (
            Self::new(1.0 + sign * self.x * self.x * a, sign * b, -sign * self.x),
            Self::new(b, sign + self.y * self.y * a, -self.y),
        )
    }

    /// Returns a unit vector perpendicular to the unit vector `self`.
    #[must_use]
    pub fn any_orthonormal_vector(self) -> Self {
        self.any_orthonormal_pair().1
    }

    /// Drops the third component.
    #[inline]
    #[must_use]
    pub const fn truncate(self) -> Vec2 {
        Vec2::new(self.x, self.y)
    }

    /// Appends a fourth component.
    #[inline]
    #[must_use]
    pub const fn extend(self, w: f32) -> Vec4 {
        Vec4::new(self.x, self.y, self.z, w)
    }

    /// Returns the same vector in double precision, exactly.
    #[inline]
    #[must_use]
    pub const fn as_dvec3(self) -> DVec3 {
        DVec3::new(self.x as f64, self.y as f64, self.z as f64)
    }
}

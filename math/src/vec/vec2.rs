//! The vector of two `f32`.

use bytemuck::{Pod, Zeroable};

use super::macros::vector;
use super::vec3::Vec3;
use crate::ops;

/// A point or direction in the plane; 8 bytes.
///
/// # Examples
///
/// ```
/// use orrery_math::Vec2;
///
/// let v = Vec2::new(3.0, 4.0);
/// assert_eq!(v.length(), 5.0);
/// assert_eq!(v.perp(), Vec2::new(-4.0, 3.0));
/// assert_eq!(2.0 * v - Vec2::X, Vec2::new(5.0, 8.0));
/// ```
#[derive(Copy, Clone, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Vec2 {
    /// First component.
    pub x: f32,
    /// Second component.
    pub y: f32,
}

vector!(Vec2, f32, 2, x: 0, y: 1);

impl Vec2 {
    /// The unit vector along x.
    pub const X: Self = Self::new(1.0, 0.0);
    /// The unit vector along y.
    pub const Y: Self = Self::new(0.0, 1.0);
    /// The unit vector against x.
    pub const NEG_X: Self = Self::new(-1.0, 0.0);
    /// The unit vector against y.
    pub const NEG_Y: Self = Self::new(0.0, -1.0);

    /// Returns the unit vector at `angle` radians from x towards y.
    #[must_use]
    pub fn from_angle(angle: f32) -> Self {
        let (sin, cos) = ops::f32::sin_cos(angle);
        Self::new(cos, sin)
    }

    /// Returns the angle from x to `self` in radians in `[-pi, pi]`.
    #[must_use]
    pub fn to_angle(self) -> f32 {
        ops::f32::atan2(self.y, self.x)
    }

    /// Returns the angle from `self` to `rhs` in radians in `[-pi, pi]`, positive from x to y.
    #[must_use]
    pub fn angle_to(self, rhs: Self) -> f32 {
        ops::f32::atan2(self.perp_dot(rhs), self.dot(rhs))
    }

    /// Returns `self` turned by a quarter from x towards y.
    #[inline]
    #[must_use]
    pub const fn perp(self) -> Self {
        Self::new(-self.y, self.x)
    }

    /// Returns the z component of the cross product: the signed area that both span.
    #[inline]
    #[must_use]
    pub const fn perp_dot(self, rhs: Self) -> f32 {
        self.x * rhs.y - self.y * rhs.x
    }

    /// Turns `rhs` by the angle of `self`, as complex numbers multiply.
    #[inline]
    #[must_use]
    pub const fn rotate(self, rhs: Self) -> Self {
        Self::new(
            self.x * rhs.x - self.y * rhs.y,
            self.y * rhs.x + self.x * rhs.y,
        )
    }

    /// Appends a third component.
    #[inline]
    #[must_use]
    pub const fn extend(self, z: f32) -> Vec3 {
        Vec3::new(self.x, self.y, z)
    }
}

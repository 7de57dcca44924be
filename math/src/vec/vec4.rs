//! The vector of four `f32`.

use bytemuck::{Pod, Zeroable};

use super::macros::vector;
use super::vec3::Vec3;

/// Four components: a homogeneous point, a colour, a plane; 16 bytes, aligned to 4.
///
/// # Examples
///
/// ```
/// use orrery_math::{Vec3, Vec4};
///
/// let v = Vec3::new(1.0, 2.0, 3.0).extend(4.0);
/// assert_eq!(v.dot(Vec4::ONE), 10.0);
/// assert_eq!(v.truncate(), Vec3::new(1.0, 2.0, 3.0));
/// ```
#[derive(Copy, Clone, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Vec4 {
    /// First component.
    pub x: f32,
    /// Second component.
    pub y: f32,
    /// Third component.
    pub z: f32,
    /// Fourth component.
    pub w: f32,
}

vector!(Vec4, f32, 4, x: 0, y: 1, z: 2, w: 3);

impl Vec4 {
    /// The unit vector along x.
    pub const X: Self = Self::new(1.0, 0.0, 0.0, 0.0);
    /// The unit vector along y.
    pub const Y: Self = Self::new(0.0, 1.0, 0.0, 0.0);
    /// The unit vector along z.
    pub const Z: Self = Self::new(0.0, 0.0, 1.0, 0.0);
    /// The unit vector along w.
    pub const W: Self = Self::new(0.0, 0.0, 0.0, 1.0);
    /// The unit vector against x.
    pub const NEG_X: Self = Self::new(-1.0, 0.0, 0.0, 0.0);
    /// The unit vector against y.
    pub const NEG_Y: Self = Self::new(0.0, -1.0, 0.0, 0.0);
    /// The unit vector against z.
    pub const NEG_Z: Self = Self::new(0.0, 0.0, -1.0, 0.0);
    /// The unit vector against w.
    pub const NEG_W: Self = Self::new(0.0, 0.0, 0.0, -1.0);

    /// Drops the fourth component.
    #[inline]
    #[must_use]
    pub const fn truncate(self) -> Vec3 {
        Vec3::new(self.x, self.y, self.z)
    }
}

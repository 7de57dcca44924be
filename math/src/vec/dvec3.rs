//! The vector of three `f64`.

use bytemuck::{Pod, Zeroable};

use super::macros::vector;
use super::vec3::Vec3;

/// A point or direction in space in double precision, for orbits and energies; 24 bytes.
///
/// # Examples
///
/// ```
/// use orrery_math::{DVec3, Vec3};
///
/// let far = DVec3::new(1.5e11, 0.0, 0.0);
/// assert_eq!((far + DVec3::X).distance(far), 1.0);
/// assert_eq!(far.as_vec3(), Vec3::new(1.5e11, 0.0, 0.0));
/// ```
#[derive(Copy, Clone, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct DVec3 {
    /// First component.
    pub x: f64,
    /// Second component.
    pub y: f64,
    /// Third component.
    pub z: f64,
}

vector!(DVec3, f64, 3, x: 0, y: 1, z: 2);

impl DVec3 {
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

    /// Returns the nearest vector in single precision; too large values become infinite.
    #[inline]
    #[must_use]
    pub const fn as_vec3(self) -> Vec3 {
        Vec3::new(self.x as f32, self.y as f32, self.z as f32)
    }
}

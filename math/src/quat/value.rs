//! The type, its constructors and its methods.

use bytemuck::{Pod, Zeroable};

use crate::vec::macros::vector_conversions;
use crate::{Mat3, Vec3, Vec4, ops};

/// A rotation; 16 bytes. The default is the identity.
///
/// Operations state it when they expect a unit quaternion. Long chains of products drift from
/// unit length by about one rounding each: normalize now and then.
///
/// # Examples
///
/// ```
/// use std::f32::consts::FRAC_PI_2;
/// use orrery_math::{Quat, Vec3};
///
/// let quarter = Quat::from_rotation_z(FRAC_PI_2);
/// assert!((quarter * Vec3::X).abs_diff_eq(Vec3::Y, 1e-6));
/// assert!((quarter * quarter.inverse()).abs_diff_eq(Quat::IDENTITY, 1e-6));
/// ```
#[derive(Copy, Clone, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Quat {
    /// First component of the vector part.
    pub x: f32,
    /// Second component of the vector part.
    pub y: f32,
    /// Third component of the vector part.
    pub z: f32,
    /// The scalar part.
    pub w: f32,
}

const _: () = assert!(size_of::<Quat>() == 16);

vector_conversions!(Quat, f32, 4, x: 0, y: 1, z: 2, w: 3);

impl Default for Quat {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Quat {
    /// No rotation.
    pub const IDENTITY: Self = Self::from_xyzw(0.0, 0.0, 0.0, 1.0);

    /// Makes a quaternion from its components, as they are.
    #[inline]
    #[must_use]
    pub const fn from_xyzw(x: f32, y: f32, z: f32, w: f32) -> Self {
        Self { x, y, z, w }
    }

    /// Makes a quaternion from `[x, y, z, w]`, as they are.
    #[inline]
    #[must_use]
    pub const fn from_array([x, y, z, w]: [f32; 4]) -> Self {
        Self { x, y, z, w }
    }

    /// Makes a quaternion from the components of a vector, as they are.
    #[inline]
    #[must_use]
    pub const fn from_vec4(v: Vec4) -> Self {
        Self {
            x: v.x,
            y: v.y,
            z: v.z,
            w: v.w,
        }
    }

    /// Makes a quaternion from the first four values of a slice, as they are.
    ///
    /// # Panics
    ///
    /// If the slice is shorter.
    #[inline]
    #[must_use]
    #[track_caller]
    pub const fn from_slice(slice: &[f32]) -> Self {
        Self {
            x: slice[0],
            y: slice[1],
            z: slice[2],
            w: slice[3],
        }
    }

    /// Returns `[x, y, z, w]`.
    #[inline]
    #[must_use]
    pub const fn to_array(self) -> [f32; 4] {
        [self.x, self.y, self.z, self.w]
    }

    /// Returns the components as a vector.
    #[inline]
    #[must_use]
    pub const fn to_vec4(self) -> Vec4 {
        Vec4::new(self.x, self.y, self.z, self.w)
    }

    /// Returns the vector part.
    #[inline]
    #[must_use]
    pub const fn xyz(self) -> Vec3 {
        Vec3::new(self.x, self.y, self.z)
    }

    /// Makes the rotation by `angle` radians around a unit axis, counter-clockwise when the axis
    /// points at the viewer.
    #[must_use]
    pub fn from_axis_angle(axis: Vec3, angle: f32) -> Self {
        let (sin, cos) = ops::f32::sin_cos(angle * 0.5);
        Self::from_vec4((axis * sin).extend(cos))
    }

    /// Makes the rotation around the direction of `v` by its length in radians: an angular
    /// velocity times a time.
    #[must_use]
    pub fn from_scaled_axis(v: Vec3) -> Self {
        let angle = v.length();
        if angle == 0.0 {
            Self::IDENTITY
        } else {
            Self::from_axis_angle(v / angle, angle)
        }
    }

    /// Makes the rotation by `angle` radians around x.
    #[must_use]
    pub fn from_rotation_x(angle: f32) -> Self {
        Self::from_axis_angle(Vec3::X, angle)
    }

    /// Makes the rotation by `angle` radians around y.
    #[must_use]
    pub fn from_rotation_y(angle: f32) -> Self {
        Self::from_axis_angle(Vec3::Y, angle)
    }

    /// Makes the rotation by `angle` radians around z.
    #[must_use]
    pub fn from_rotation_z(angle: f32) -> Self {
        Self::from_axis_angle(Vec3::Z, angle)
    }

    /// Makes the shortest rotation that takes the unit vector `from` to the unit vector `to`.
    ///
    /// For opposite vectors it is a half turn around some axis perpendicular to `from`. All is
    /// computed from the sum of both, which is exact where they are nearly opposite and a
    /// difference of dot products would have no digits left.
    #[must_use]
    pub fn from_rotation_arc(from: Vec3, to: Vec3) -> Self {
        /// Below this, the direction of the sum is rounding error: (8 units in the last place)^2.
        const SUM_SQUARED_MIN: f32 = 1e-12;
        let sum = from + to;
        if sum.length_squared() < SUM_SQUARED_MIN {
            return Self::from_vec4(from.any_orthonormal_vector().extend(0.0));
        }
        Self::from_vec4(from.cross(sum).extend(0.5 * sum.length_squared())).normalize()
    }

    /// Makes the rotation that a matrix describes; its columns must be perpendicular unit vectors
    /// of a right-handed system.
    ///
    /// Takes the root of the largest component, so that the division is safe.
    #[must_use]
    pub fn from_mat3(m: &Mat3) -> Self {
        let (x, y, z) = (m.x_axis, m.y_axis, m.z_axis);
        // Each candidate is the quaternion times four times its own component.
        let scaled = if z.z <= 0.0 {
            if y.y <= x.x {
                Vec4::new(1.0 - z.z - y.y + x.x, x.y + y.x, x.z + z.x, y.z - z.y)
            } else {
                Vec4::new(x.y + y.x, 1.0 - z.z + y.y - x.x, y.z + z.y, z.x - x.z)
            }
        } else if y.y <= -x.x {
            Vec4::new(x.z + z.x, y.z + z.y, 1.0 + z.z - y.y - x.x, x.y - y.x)
        } else {
            Vec4::new(y.z - z.y, z.x - x.z, x.y - y.x, 1.0 + z.z + y.y + x.x)
        };
        Self::from_vec4(scaled).normalize()
    }

    /// Returns the unit axis and the angle in radians in `[0, 2 pi]` of a unit quaternion.
    ///
    /// No rotation, and what is too small or not finite to have a direction, give x and 0.
    #[must_use]
    pub fn to_axis_angle(self) -> (Vec3, f32) {
        let length = self.xyz().length();
        match self.xyz().try_normalize() {
            Some(axis) => (axis, 2.0 * ops::f32::atan2(length, self.w)),
            None => (Vec3::X, 0.0),
        }
    }

    /// Returns the rotation around the same axis by the opposite angle.
    #[inline]
    #[must_use]
    pub const fn conjugate(self) -> Self {
        Self::from_xyzw(-self.x, -self.y, -self.z, self.w)
    }

    /// Returns the rotation back. Expects a unit quaternion, whose conjugate it is.
    #[inline]
    #[must_use]
    pub const fn inverse(self) -> Self {
        self.conjugate()
    }

    /// Returns the dot product: for unit quaternions the cosine of half the angle between them.
    #[inline]
    #[must_use]
    pub const fn dot(self, rhs: Self) -> f32 {
        self.to_vec4().dot(rhs.to_vec4())
    }

    /// Returns the length.
    #[inline]
    #[must_use]
    pub fn length(self) -> f32 {
        self.to_vec4().length()
    }

    /// Returns the square of the length.
    #[inline]
    #[must_use]
    pub const fn length_squared(self) -> f32 {
        self.dot(self)
    }

    /// Returns the quaternion of length 1; not finite when the length is zero or not finite.
    #[inline]
    #[must_use]
    pub fn normalize(self) -> Self {
        Self::from_vec4(self.to_vec4().normalize())
    }

    /// Returns whether the squared length is within 2e-4 of 1.
    #[inline]
    #[must_use]
    pub const fn is_normalized(self) -> bool {
        self.to_vec4().is_normalized()
    }

    /// Returns whether no component is infinite or NaN.
    #[inline]
    #[must_use]
    pub const fn is_finite(self) -> bool {
        self.to_vec4().is_finite()
    }

    /// Returns whether any component is NaN.
    #[inline]
    #[must_use]
    pub const fn is_nan(self) -> bool {
        self.to_vec4().is_nan()
    }

    /// Returns whether no component differs by more than `max_abs_diff`; `q` and `-q` differ.
    #[inline]
    #[must_use]
    pub fn abs_diff_eq(self, rhs: Self, max_abs_diff: f32) -> bool {
        self.to_vec4().abs_diff_eq(rhs.to_vec4(), max_abs_diff)
    }

    /// Returns the angle of the rotation from one to the other, in radians in `[0, pi]`.
    #[must_use]
    pub fn angle_between(self, rhs: Self) -> f32 {
        2.0 * self.to_vec4().angle_between(self.nearer(rhs).to_vec4())
    }

    /// Returns whichever of `rhs` and `-rhs`, the same rotation, lies on the side of `self`.
    #[inline]
    pub(super) fn nearer(self, rhs: Self) -> Self {
        if self.dot(rhs) < 0.0 { -rhs } else { rhs }
    }

    /// Moves from `self` (`s` = 0) to `rhs` (`s` = 1) on a chord, the short way, and normalizes:
    /// cheaper than [`Quat::slerp`], at a speed that varies.
    #[must_use]
    pub fn lerp(self, rhs: Self, s: f32) -> Self {
        (self * (1.0 - s) + self.nearer(rhs) * s).normalize()
    }

    /// Turns from `self` (`s` = 0) to `rhs` (`s` = 1) at constant speed, the short way.
    ///
    /// Expects unit quaternions.
    #[must_use]
    pub fn slerp(self, rhs: Self, s: f32) -> Self {
        /// Chord and arc differ by the cube of the angle over 24, here less than a rounding.
        const ANGLE_MIN: f32 = 1e-3;
        let end = self.nearer(rhs);
        let angle = self.to_vec4().angle_between(end.to_vec4());
        if angle < ANGLE_MIN {
            return self.lerp(end, s);
        }
        let start_share = ops::f32::sin(angle * (1.0 - s));
        let end_share = ops::f32::sin(angle * s);
        (self * start_share + end * end_share) / ops::f32::sin(angle)
    }

    /// Rotates a vector. Expects a unit quaternion.
    #[inline]
    #[must_use]
    pub fn mul_vec3(self, v: Vec3) -> Vec3 {
        let b = self.xyz();
        v * (self.w * self.w - b.dot(b)) + b * (v.dot(b) * 2.0) + b.cross(v) * (self.w * 2.0)
    }
}

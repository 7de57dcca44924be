//! The operators of rotations: products, and the sums and scales that interpolation needs.

use std::ops::{Add, Div, Mul, MulAssign, Neg, Sub};

use super::Quat;
use crate::Vec3;

impl Mul for Quat {
    type Output = Self;

    /// Combines rotations: `rhs` first, then `self`.
    #[inline]
    fn mul(self, rhs: Self) -> Self {
        let (a, b) = (self, rhs);
        Self {
            x: a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            y: a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            z: a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
            w: a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
        }
    }
}

impl MulAssign for Quat {
    #[inline]
    fn mul_assign(&mut self, rhs: Self) {
        *self = *self * rhs;
    }
}

impl Mul<Vec3> for Quat {
    type Output = Vec3;

    #[inline]
    fn mul(self, rhs: Vec3) -> Vec3 {
        self.mul_vec3(rhs)
    }
}

impl Mul<f32> for Quat {
    type Output = Self;

    #[inline]
    fn mul(self, rhs: f32) -> Self {
        Self::from_vec4(self.to_vec4() * rhs)
    }
}

impl Div<f32> for Quat {
    type Output = Self;

    #[inline]
    fn div(self, rhs: f32) -> Self {
        Self::from_vec4(self.to_vec4() / rhs)
    }
}

impl Add for Quat {
    type Output = Self;

    #[inline]
    fn add(self, rhs: Self) -> Self {
        Self::from_vec4(self.to_vec4() + rhs.to_vec4())
    }
}

impl Sub for Quat {
    type Output = Self;

    #[inline]
    fn sub(self, rhs: Self) -> Self {
        Self::from_vec4(self.to_vec4() - rhs.to_vec4())
    }
}

impl Neg for Quat {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        Self::from_vec4(-self.to_vec4())
    }
}

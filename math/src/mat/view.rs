//! Camera matrices: right-handed view space (x right, y up, looking along -z), y up on the screen
//! too, and depth from 0 at the near plane to 1 at the far plane, as in Direct3D, Metal and WebGPU
//! (Vulkan differs by y down).

use crate::{Mat3, Mat4, Vec3, Vec4, ops};

impl Mat4 {
    /// Makes the view from `eye` towards `center` with `up` upwards.
    ///
    /// Not finite when `center` is at `eye`, or `up` is zero or along the view.
    ///
    /// # Examples
    ///
    /// ```
    /// use orrery_math::{Mat4, Vec3};
    ///
    /// let view = Mat4::look_at_rh(Vec3::new(0.0, 0.0, 5.0), Vec3::ZERO, Vec3::Y);
    /// assert_eq!(view.transform_point3(Vec3::ZERO), Vec3::new(0.0, 0.0, -5.0));
    /// ```
    #[must_use]
    pub fn look_at_rh(eye: Vec3, center: Vec3, up: Vec3) -> Self {
        let forward = (center - eye).normalize();
        let right = forward.cross(up).normalize();
        let rotation = Mat3::from_cols(right, right.cross(forward), -forward).transpose();
        Self::from_mat3_translation(rotation, -(rotation * eye))
    }

    /// Makes the perspective of a lens.
    ///
    /// `fov_y` is the vertical opening angle in radians, `aspect` is width by height; `near` and
    /// `far` are distances above zero in front of the eye. Apply with [`Mat4::project_point3`].
    #[must_use]
    pub fn perspective_rh(fov_y: f32, aspect: f32, near: f32, far: f32) -> Self {
        let (sin, cos) = ops::f32::sin_cos(0.5 * fov_y);
        let height = cos / sin;
        let depth = far / (near - far);
        Self::from_cols(
            Vec4::new(height / aspect, 0.0, 0.0, 0.0),
            Vec4::new(0.0, height, 0.0, 0.0),
            Vec4::new(0.0, 0.0, depth, -1.0),
            Vec4::new(0.0, 0.0, depth * near, 0.0),
        )
    }

    /// Makes the parallel projection of a box onto x and y in `[-1, 1]` and depth in `[0, 1]`.
    ///
    /// `near` and `far` are distances in front of the eye and may be negative.
    #[must_use]
    pub fn orthographic_rh(
        left: f32,
        right: f32,
        bottom: f32,
        top: f32,
        near: f32,
        far: f32,
    ) -> Self {
        let (width, height, depth) = (right - left, top - bottom, near - far);
        Self::from_cols(
            Vec4::new(2.0 / width, 0.0, 0.0, 0.0),
            Vec4::new(0.0, 2.0 / height, 0.0, 0.0),
            Vec4::new(0.0, 0.0, 1.0 / depth, 0.0),
            Vec4::new(
                -(left + right) / width,
                -(bottom + top) / height,
                near / depth,
                1.0,
            ),
        )
    }
}

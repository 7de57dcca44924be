//! Matrices, cameras and affine maps against independent facts and against glam 0.34, ten thousand
//! inputs each.

use std::f32::consts::FRAC_PI_2;

use super::*;
use crate::{Affine3, Draws, Quat, Random, Vec3, Vec4};

/// Ten thousand inputs per operation.
const COUNT: u64 = 10_000;

fn each_draws(purpose: u32, mut check: impl FnMut(&mut Draws)) {
    for id in 0..COUNT {
        check(&mut Random::new(10).at(0, id, purpose));
    }
}

fn vec3(draws: &mut Draws, limit: f32) -> Vec3 {
    Vec3::from([(); 3].map(|()| draws.range_f32(-limit, limit)))
}

fn mat3(draws: &mut Draws) -> Mat3 {
    Mat3::from_cols_array(&[(); 9].map(|()| draws.range_f32(-2.0, 2.0)))
}

fn mat4(draws: &mut Draws) -> Mat4 {
    Mat4::from_cols_array(&[(); 16].map(|()| draws.range_f32(-2.0, 2.0)))
}

fn rotation(draws: &mut Draws) -> Quat {
    Quat::from_array([(); 4].map(|()| draws.normal_f32())).normalize()
}

/// A scale whose factors are between 1/4 and 4, with random signs.
fn scale(draws: &mut Draws) -> Vec3 {
    Vec3::from([(); 3].map(|()| {
        let size = crate::ops::f32::exp2(draws.range_f32(-2.0, 2.0));
        if draws.below(2) == 0 { size } else { -size }
    }))
}

fn affine(draws: &mut Draws) -> Affine3 {
    let (scale, rotation) = (scale(draws), rotation(draws));
    Affine3::from_scale_rotation_translation(scale, rotation, vec3(draws, 10.0))
}

fn oracle3(m: Mat3) -> glam::Mat3 {
    glam::Mat3::from_cols_array(&m.to_cols_array())
}

fn oracle4(m: Mat4) -> glam::Mat4 {
    glam::Mat4::from_cols_array(&m.to_cols_array())
}

fn point(v: Vec3) -> glam::Vec3 {
    glam::Vec3::from_array(v.to_array())
}

#[track_caller]
fn near3(ours: Mat3, theirs: glam::Mat3, tolerance: f32) {
    let theirs = Mat3::from_cols_array(&theirs.to_cols_array());
    assert!(ours.abs_diff_eq(theirs, tolerance), "{ours:?} {theirs:?}");
}

#[track_caller]
fn near4(ours: Mat4, theirs: glam::Mat4, tolerance: f32) {
    let theirs = Mat4::from_cols_array(&theirs.to_cols_array());
    assert!(ours.abs_diff_eq(theirs, tolerance), "{ours:?} {theirs:?}");
}

#[test]
fn products_sums_and_transposes_agree_with_glam() {
    each_draws(0, |draws| {
        let (a, b, v) = (mat3(draws), mat3(draws), vec3(draws, 4.0));
        near3(a * b, oracle3(a) * oracle3(b), 4e-6);
        near3(a + b, oracle3(a) + oracle3(b), 0.0);
        near3(a - b, oracle3(a) - oracle3(b), 0.0);
        near3(-a * v.x, -oracle3(a) * v.x, 0.0);
        near3(a.transpose(), oracle3(a).transpose(), 0.0);
        assert!((a * v).abs_diff_eq((oracle3(a) * point(v)).to_array().into(), 8e-6));
        assert!((a.determinant() - oracle3(a).determinant()).abs() < 2e-5);

        let (a, b, w) = (mat4(draws), mat4(draws), v.extend(v.x));
        near4(a * b, oracle4(a) * oracle4(b), 6e-6);
        near4(a + b, oracle4(a) + oracle4(b), 0.0);
        near4(a - b, oracle4(a) - oracle4(b), 0.0);
        near4(-a * v.x, -oracle4(a) * v.x, 0.0);
        near4(a.transpose(), oracle4(a).transpose(), 0.0);
        let theirs = oracle4(a) * glam::Vec4::from_array(w.to_array());
        assert!((a * w).abs_diff_eq(theirs.to_array().into(), 1e-5));
        assert!((a.determinant() - oracle4(a).determinant()).abs() < 1e-4);
        let index = draws.below(4) as usize;
        assert_eq!(a.row(index).to_array(), oracle4(a).row(index).to_array());
        assert_eq!(a.col(index).to_array(), oracle4(a).col(index).to_array());
    });
}

// The inverse in f64 is the judge; the error of an f32 inverse grows with its largest value.
#[test]
fn inverses_agree_with_glam_in_double_precision() {
    let mut judged = 0;
    each_draws(1, |draws| {
        let (a, b) = (mat3(draws), mat4(draws));
        if a.determinant().abs() > 0.5 {
            let exact = oracle3(a).as_dmat3().inverse();
            let largest = exact
                .to_cols_array()
                .into_iter()
                .fold(1.0, |m, v| v.abs().max(m));
            near3(
                a.inverse(),
                exact.as_mat3(),
                3e-6 * (largest * largest) as f32,
            );
            assert_eq!(a.try_inverse(), Some(a.inverse()));
            judged += 1;
        }
        if b.determinant().abs() > 0.5 {
            let exact = oracle4(b).as_dmat4().inverse();
            let largest = exact
                .to_cols_array()
                .into_iter()
                .fold(1.0, |m, v| v.abs().max(m));
            near4(
                b.inverse(),
                exact.as_mat4(),
                1e-5 * (largest * largest) as f32,
            );
            assert_eq!(b.try_inverse(), Some(b.inverse()));
            judged += 1;
        }
    });
    assert!(
        judged > 15_000,
        "{judged} of 20,000 are far enough from singular"
    );
}

#[test]
fn determinants_multiply_and_inverses_undo() {
    each_draws(2, |draws| {
        let (a, b) = (affine(draws), affine(draws));
        let product = a.matrix3.determinant() * b.matrix3.determinant();
        let determinant = (a * b).matrix3.determinant();
        assert!(
            (determinant / product - 1.0).abs() < 2e-5,
            "{determinant} {product}"
        );
        let v = vec3(draws, 4.0);
        assert!(
            a.inverse()
                .transform_point3(a.transform_point3(v))
                .abs_diff_eq(v, 1e-4)
        );
        assert!((a.to_mat4().inverse() * a.to_mat4()).abs_diff_eq(Mat4::IDENTITY, 1e-4));
        assert_eq!(a.try_inverse(), Some(a.inverse()));
    });
}

#[test]
fn determinant_is_the_volume_of_the_columns() {
    let m = Mat3::from_cols(
        Vec3::new(2.0, 0.0, 0.0),
        Vec3::new(5.0, 3.0, 0.0),
        Vec3::splat(4.0),
    );
    assert_eq!(m.determinant(), 24.0);
    let wide = Mat4::from_mat3_translation(m, Vec3::splat(7.0));
    assert_eq!(wide.determinant(), 24.0);
    let swapped = Mat4::from_cols(wide.y_axis, wide.x_axis, wide.z_axis, wide.w_axis);
    assert_eq!(swapped.determinant(), -24.0);
}

#[test]
fn singular_matrices_have_no_inverse() {
    let flat = Mat3::from_cols(Vec3::X, Vec3::new(2.0, 0.0, 0.0), Vec3::Z);
    let nan = Mat3::from_diagonal(Vec3::new(1.0, f32::NAN, 1.0));
    // The determinant of the last two is infinite and zero in f32.
    let (huge, tiny) = (Mat3::IDENTITY * 1e15, Mat3::IDENTITY * 1e-16);
    for m in [Mat3::ZERO, flat, nan, huge, tiny] {
        assert_eq!(m.try_inverse(), None, "{m:?}");
        assert_eq!(
            Mat4::from_mat3_translation(m, Vec3::ONE).try_inverse(),
            None,
            "{m:?}"
        );
        let affine = Affine3::from_mat3_translation(m, Vec3::ONE);
        assert_eq!(
            (affine.try_inverse(), affine.decompose()),
            (None, None),
            "{m:?}"
        );
    }
    let far = Affine3::from_translation(Vec3::new(0.0, f32::INFINITY, 0.0));
    assert_eq!((far.try_inverse(), far.decompose()), (None, None));
    assert!(!far.is_finite() && !far.is_nan());
}

#[test]
fn rotations_of_all_types_agree_with_glam() {
    each_draws(3, |draws| {
        let (q, axis, angle) = (
            rotation(draws),
            draws.unit_vec3(),
            draws.range_f32(-6.0, 6.0),
        );
        let oracle = glam::Quat::from_array(q.to_array());
        near3(Mat3::from_quat(q), glam::Mat3::from_quat(oracle), 1e-6);
        near4(Mat4::from_quat(q), glam::Mat4::from_quat(oracle), 1e-6);
        let theirs = glam::Mat3::from_axis_angle(point(axis), angle);
        near3(Mat3::from_axis_angle(axis, angle), theirs, 1e-6);
        near4(
            Mat4::from_axis_angle(axis, angle),
            glam::Mat4::from_mat3(theirs),
            1e-6,
        );
        near3(
            Mat3::from_rotation_x(angle),
            glam::Mat3::from_rotation_x(angle),
            1e-6,
        );
        near3(
            Mat3::from_rotation_y(angle),
            glam::Mat3::from_rotation_y(angle),
            1e-6,
        );
        near3(
            Mat3::from_rotation_z(angle),
            glam::Mat3::from_rotation_z(angle),
            1e-6,
        );
        near4(
            Mat4::from_rotation_x(angle),
            glam::Mat4::from_rotation_x(angle),
            1e-6,
        );
        near4(
            Mat4::from_rotation_y(angle),
            glam::Mat4::from_rotation_y(angle),
            1e-6,
        );
        near4(
            Mat4::from_rotation_z(angle),
            glam::Mat4::from_rotation_z(angle),
            1e-6,
        );
        let m = Mat3::from_quat(q);
        assert!((m.transpose() * m).abs_diff_eq(Mat3::IDENTITY, 2e-6));
        assert!((m.determinant() - 1.0).abs() < 2e-6);
    });
}

#[test]
fn affine_maps_agree_with_glam_and_with_matrices() {
    each_draws(4, |draws| {
        let (s, q, t) = (scale(draws), rotation(draws), vec3(draws, 10.0));
        let a = Affine3::from_scale_rotation_translation(s, q, t);
        let oracle = glam::Quat::from_array(q.to_array());
        let theirs = glam::Affine3A::from_scale_rotation_translation(point(s), oracle, point(t));
        near4(a.to_mat4(), glam::Mat4::from(theirs), 4e-6);
        near4(
            Affine3::inverse(&a).into(),
            glam::Mat4::from(theirs.inverse()),
            2e-4,
        );
        assert_eq!(Mat4::from_scale_rotation_translation(s, q, t), a.to_mat4());

        let steps = Mat4::from_translation(t) * Mat4::from_quat(q) * Mat4::from_scale(s);
        assert!(steps.abs_diff_eq(a.to_mat4(), 1e-6));
        let steps = Affine3::from_translation(t) * Affine3::from_quat(q) * Affine3::from_scale(s);
        assert!(steps.abs_diff_eq(a, 1e-6));
        let moved = Affine3::from_rotation_translation(q, t);
        assert_eq!(Mat4::from_rotation_translation(q, t), moved.to_mat4());

        let (b, v) = (affine(draws), vec3(draws, 4.0));
        assert!(
            (a * b)
                .to_mat4()
                .abs_diff_eq(a.to_mat4() * b.to_mat4(), 4e-5)
        );
        assert!(
            a.to_mat4()
                .transform_point3(v)
                .abs_diff_eq(a.transform_point3(v), 1e-5)
        );
        assert!(
            a.to_mat4()
                .transform_vector3(v)
                .abs_diff_eq(a.transform_vector3(v), 1e-5)
        );
        assert!(a.transform_vector3(v).abs_diff_eq(q * (s * v), 2e-5));
    });
}

#[test]
fn decomposed_maps_come_together_again() {
    each_draws(5, |draws| {
        let a = affine(draws);
        let (scale, rotation, translation) = a.decompose().expect("neither flat nor sheared");
        assert!((rotation.length() - 1.0).abs() < 1e-6);
        assert!(scale.y > 0.0 && scale.z > 0.0);
        assert_eq!(scale.x < 0.0, a.matrix3.determinant() < 0.0);
        let again = Affine3::from_scale_rotation_translation(scale, rotation, translation);
        assert!(again.abs_diff_eq(a, 1e-5), "{a:?} {again:?}");
    });
}

#[test]
fn sheared_maps_do_not_decompose() {
    let mut shear = Affine3::IDENTITY;
    shear.matrix3.y_axis.x = 1e-3;
    assert_eq!(shear.decompose(), None);
    shear.matrix3.y_axis.x = 1e-6;
    assert!(shear.decompose().is_some());
    // An uneven scale of something turned is a shear.
    let uneven = Affine3::from_scale(Vec3::new(1.0, 2.0, 1.0));
    let turned = uneven * Affine3::from_quat(Quat::from_rotation_z(0.5));
    assert_eq!(turned.decompose(), None);
}

#[test]
fn the_camera_sees_its_target_ahead_and_up_above() {
    each_draws(6, |draws| {
        let (eye, center, up) = (vec3(draws, 9.0), vec3(draws, 9.0), draws.unit_vec3());
        let (distance, forward) = (eye.distance(center), (center - eye).normalize());
        if distance < 0.5 || forward.cross(up).length() < 0.1 {
            return;
        }
        let view = Mat4::look_at_rh(eye, center, up);
        assert!(view.transform_point3(eye).length() < 1e-4);
        let ahead = view.transform_point3(center);
        assert!(ahead.abs_diff_eq(Vec3::new(0.0, 0.0, -distance), 1e-4));
        let above = view.transform_vector3(up);
        assert!(above.x.abs() < 1e-4 && above.y > 0.0);
        // A rotation and a move: nothing is stretched or mirrored.
        assert!((Mat3::from_mat4(&view).determinant() - 1.0).abs() < 1e-5);
    });
}

#[test]
fn perspective_maps_the_frustum_to_the_unit_box() {
    each_draws(7, |draws| {
        let (fov, aspect) = (draws.range_f32(0.2, 2.5), draws.range_f32(0.5, 2.0));
        let (near, far) = (draws.range_f32(0.1, 1.0), draws.range_f32(10.0, 1000.0));
        let projection = Mat4::perspective_rh(fov, aspect, near, far);
        for (distance, depth) in [(near, 0.0), (far, 1.0)] {
            let half_height = distance * crate::ops::f32::tan(fov / 2.0);
            let corner = Vec3::new(half_height * aspect, half_height, -distance);
            let projected = projection.project_point3(corner);
            assert!(
                projected.abs_diff_eq(Vec3::new(1.0, 1.0, depth), 1e-5),
                "{projected}"
            );
        }
    });
}

#[test]
fn parallel_projection_maps_its_box_to_the_unit_box() {
    each_draws(8, |draws| {
        let (low, size) = (vec3(draws, 5.0), scale(draws).abs());
        let high = low + size;
        let projection = Mat4::orthographic_rh(low.x, high.x, low.y, high.y, low.z, high.z);
        // In view space the near plane is at z = -near.
        let first = projection.transform_point3(Vec3::new(low.x, low.y, -low.z));
        let last = projection.transform_point3(Vec3::new(high.x, high.y, -high.z));
        assert!(
            first.abs_diff_eq(Vec3::new(-1.0, -1.0, 0.0), 5e-5),
            "{first}"
        );
        assert!(last.abs_diff_eq(Vec3::ONE, 5e-5), "{last}");
    });
}

#[test]
fn columns_and_arrays_are_in_column_order() {
    let values = std::array::from_fn::<f32, 16, _>(|i| i as f32);
    let m = Mat4::from_cols_array(&values);
    assert_eq!(m.y_axis, Vec4::new(4.0, 5.0, 6.0, 7.0));
    assert_eq!(
        (m.row(1), m.col(3)),
        (Vec4::new(1.0, 5.0, 9.0, 13.0), m.w_axis)
    );
    assert_eq!((m.to_cols_array(), m.as_ref()), (values, &values));
    assert_eq!(Mat3::from_mat4(&m).z_axis, Vec3::new(8.0, 9.0, 10.0));
    assert_eq!(
        (Mat3::default(), Mat4::default()),
        (Mat3::IDENTITY, Mat4::IDENTITY)
    );
    assert_eq!(Affine3::default().to_mat4(), Mat4::IDENTITY);
    let quarter = Mat3::from(Quat::from_rotation_x(FRAC_PI_2));
    assert!((quarter * Vec3::Y).abs_diff_eq(Vec3::Z, 1e-6));
}

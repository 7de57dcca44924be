//! Rotations against independent facts and against glam 0.34, ten thousand inputs each.

use std::f32::consts::{FRAC_PI_2, PI};

use super::*;
use crate::{DVec3, Mat3, Random, Vec3, Vec4, ops};

/// Ten thousand inputs per operation.
const COUNT: u64 = 10_000;

/// A few units in the last place of 1.
const TIGHT: f32 = 1e-6;

/// Calls `check` with two uniformly random rotations and a number in `[0, 1)`.
fn each_pair(mut check: impl FnMut(Quat, Quat, f32)) {
    for id in 0..COUNT {
        let mut draws = Random::new(8).at(0, id, 0);
        let mut rotation = || {
            let four = [(); 4].map(|()| draws.normal_f32());
            Quat::from_array(four).normalize()
        };
        let (a, b) = (rotation(), rotation());
        check(a, b, draws.next_f32());
    }
}

fn each_unit_pair(mut check: impl FnMut(Vec3, Vec3, f32)) {
    for id in 0..COUNT {
        let mut draws = Random::new(9).at(0, id, 0);
        check(
            draws.unit_vec3(),
            draws.unit_vec3(),
            draws.range_f32(-6.0, 6.0),
        );
    }
}

fn oracle(q: Quat) -> glam::Quat {
    glam::Quat::from_array(q.to_array())
}

fn oracle3(v: Vec3) -> glam::Vec3 {
    glam::Vec3::from_array(v.to_array())
}

#[track_caller]
fn near(ours: Quat, theirs: glam::Quat, tolerance: f32) {
    assert!(
        ours.abs_diff_eq(Quat::from_array(theirs.to_array()), tolerance),
        "{ours} {theirs}"
    );
}

/// Equal as rotations, whatever the sign.
fn same_rotation(a: Quat, b: Quat, tolerance: f32) -> bool {
    a.abs_diff_eq(a.nearer(b), tolerance)
}

#[test]
fn products_and_rotated_vectors_agree_with_glam() {
    each_pair(|a, b, s| {
        near(a * b, oracle(a) * oracle(b), TIGHT);
        near(a.conjugate(), oracle(a).conjugate(), 0.0);
        near(a.inverse(), oracle(a).inverse(), 0.0);
        assert!((a.dot(b) - oracle(a).dot(oracle(b))).abs() < TIGHT);
        let v = b.xyz() * (4.0 * s);
        let theirs = (oracle(a) * oracle3(v)).to_array();
        assert!((a * v).abs_diff_eq(Vec3::from(theirs), 4.0 * TIGHT));
    });
}

#[test]
fn interpolation_agrees_with_glam() {
    each_pair(|a, b, s| {
        // glam takes the angle by an arc cosine, which is its error here.
        near(a.slerp(b, s), oracle(a).slerp(oracle(b), s), 2e-5);
        near(a.lerp(b, s), oracle(a).lerp(oracle(b), s), 2.0 * TIGHT);
        assert!((a.angle_between(b) - oracle(a).angle_between(oracle(b))).abs() < 2e-3);
    });
}

#[test]
fn constructors_agree_with_glam() {
    each_unit_pair(|axis, other, angle| {
        let theirs = glam::Quat::from_axis_angle(oracle3(axis), angle);
        near(Quat::from_axis_angle(axis, angle), theirs, TIGHT);
        near(
            Quat::from_rotation_x(angle),
            glam::Quat::from_rotation_x(angle),
            TIGHT,
        );
        near(
            Quat::from_rotation_y(angle),
            glam::Quat::from_rotation_y(angle),
            TIGHT,
        );
        near(
            Quat::from_rotation_z(angle),
            glam::Quat::from_rotation_z(angle),
            TIGHT,
        );
        let scaled = oracle3(axis) * angle;
        near(
            Quat::from_scaled_axis(axis * angle),
            glam::Quat::from_scaled_axis(scaled),
            TIGHT,
        );
        let arc = glam::Quat::from_rotation_arc(oracle3(axis), oracle3(other));
        // Near opposite vectors glam's arc loses digits; the facts below hold ours to account.
        if axis.dot(other) > -0.99 {
            near(Quat::from_rotation_arc(axis, other), arc, 4.0 * TIGHT);
        }
    });
}

#[test]
fn a_product_rotates_by_the_right_factor_first() {
    let (a, b) = (
        Quat::from_rotation_x(FRAC_PI_2),
        Quat::from_rotation_z(FRAC_PI_2),
    );
    // Around z: x -> y; then around x: y -> z.
    assert!(((a * b) * Vec3::X).abs_diff_eq(Vec3::Z, TIGHT));
    each_pair(|a, b, s| {
        let v = Vec3::new(s, 1.0, -s);
        assert!(((a * b) * v).abs_diff_eq(a * (b * v), 4.0 * TIGHT));
        assert!((a.inverse() * (a * v)).abs_diff_eq(v, 4.0 * TIGHT));
        assert!(((a * v).length() - v.length()).abs() < 2.0 * TIGHT);
    });
}

#[test]
fn the_matrix_and_the_quaternion_rotate_alike() {
    each_pair(|a, b, s| {
        let (v, m) = (b.xyz() * s, Mat3::from_quat(a));
        assert!((m * v).abs_diff_eq(a * v, 2.0 * TIGHT));
        assert!(same_rotation(Quat::from_mat3(&m), a, 2.0 * TIGHT), "{a}");
    });
}

#[test]
fn half_turns_survive_the_way_through_a_matrix() {
    each_unit_pair(|axis, _, _| {
        let half = Quat::from_vec4(axis.extend(0.0));
        assert!(same_rotation(
            Quat::from_mat3(&Mat3::from_quat(half)),
            half,
            2.0 * TIGHT
        ));
    });
    for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
        let half = Quat::from_vec4(axis.extend(0.0));
        assert!(same_rotation(
            Quat::from_mat3(&Mat3::from_quat(half)),
            half,
            TIGHT
        ));
    }
}

// Rodrigues' formula in f64, which knows nothing of quaternions.
#[test]
fn axis_and_angle_mean_rodrigues_rotation() {
    each_unit_pair(|axis, v, angle| {
        let (k, v) = (axis.as_dvec3(), v.as_dvec3());
        let (sin, cos) = ops::f64::sin_cos(f64::from(angle));
        let expected: DVec3 = v * cos + k.cross(v) * sin + k * (k.dot(v) * (1.0 - cos));
        let rotated = Quat::from_axis_angle(axis, angle) * v.as_vec3();
        assert!(rotated.abs_diff_eq(expected.as_vec3(), 2.0 * TIGHT));
    });
}

#[test]
fn axis_and_angle_come_back() {
    each_unit_pair(|axis, _, angle| {
        let (back_axis, back_angle) = Quat::from_axis_angle(axis, angle).to_axis_angle();
        assert!((0.0..=2.0 * PI + TIGHT).contains(&back_angle));
        // A negative angle comes back as the positive one around the opposite axis.
        let (axis, angle) = if angle < 0.0 {
            (-axis, -angle)
        } else {
            (axis, angle)
        };
        assert!((back_angle - angle).abs() < 2.0 * TIGHT);
        assert!(
            back_axis.abs_diff_eq(axis, 1e-6 + 1e-6 / angle),
            "{axis} {back_axis} {angle}"
        );
    });
    assert_eq!(Quat::IDENTITY.to_axis_angle(), (Vec3::X, 0.0));
    assert_eq!(Quat::from_scaled_axis(Vec3::ZERO), Quat::IDENTITY);
}

#[test]
fn the_arc_takes_one_direction_to_the_other() {
    each_unit_pair(|from, to, _| {
        let arc = Quat::from_rotation_arc(from, to);
        assert!((arc * from).abs_diff_eq(to, 2.0 * TIGHT));
        // Shortest: the axis is perpendicular to both.
        assert!(arc.xyz().dot(from).abs() < 2.0 * TIGHT && arc.w >= 0.0);
    });
}

#[test]
fn the_arc_to_the_opposite_and_beside_it_is_a_rotation() {
    each_unit_pair(|from, other, _| {
        let opposite = Quat::from_rotation_arc(from, -from);
        assert!((opposite * from).abs_diff_eq(-from, 2.0 * TIGHT));
        for distance in [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 3e-6, 1e-6, 1e-7] {
            let to = (other * distance - from).normalize();
            let arc = Quat::from_rotation_arc(from, to);
            assert!((arc.length() - 1.0).abs() < TIGHT);
            assert!((arc * from).abs_diff_eq(to, 4.0 * TIGHT), "{from} {to}");
        }
    });
    assert_eq!(Quat::from_rotation_arc(Vec3::Y, Vec3::Y), Quat::IDENTITY);
}

#[test]
fn slerp_turns_at_constant_speed_the_short_way() {
    each_pair(|a, b, s| {
        let between = a.slerp(b, s);
        let whole = a.angle_between(b);
        assert!((between.length() - 1.0).abs() < 2.0 * TIGHT);
        assert!((a.angle_between(between) - s * whole).abs() < 1e-5);
        assert!((between.angle_between(b) - (1.0 - s) * whole).abs() < 1e-5);
        assert!(
            same_rotation(a.slerp(b, 0.0), a, TIGHT) && same_rotation(a.slerp(b, 1.0), b, TIGHT)
        );
    });
}

#[test]
fn slerp_between_neighbours_keeps_unit_length_and_proportion() {
    each_unit_pair(|axis, _, angle| {
        for small in [1e-2, 1.1e-3, 9e-4, 1e-5, 1e-7, 0.0] {
            let start = Quat::from_axis_angle(axis, angle);
            let between = start.slerp(Quat::from_axis_angle(axis, angle + small), 0.25);
            let expected = Quat::from_axis_angle(axis, angle + 0.25 * small);
            assert!(same_rotation(between, expected, 2.0 * TIGHT));
        }
    });
}

#[test]
fn the_default_is_no_rotation() {
    assert_eq!(Quat::default(), Quat::IDENTITY);
    assert_eq!(
        Quat::default() * Vec3::new(1.0, 2.0, 3.0),
        Vec3::new(1.0, 2.0, 3.0)
    );
    assert!(Quat::IDENTITY.is_normalized() && !(Quat::IDENTITY * 2.0).is_normalized());
    assert!(Quat::from_xyzw(0.0, f32::NAN, 0.0, 1.0).is_nan());
    assert!(!Quat::from_xyzw(0.0, f32::INFINITY, 0.0, 1.0).is_finite());
    let views: &[f32; 4] = Quat::IDENTITY.as_ref();
    assert_eq!(views, &[0.0, 0.0, 0.0, 1.0]);
    assert_eq!(
        Quat::from_slice(&[1.0, 2.0, 3.0, 4.0]).to_vec4(),
        Vec4::new(1.0, 2.0, 3.0, 4.0)
    );
}

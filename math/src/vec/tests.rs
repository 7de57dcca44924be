//! The vector types against independent facts and against glam 0.34.
//!
//! `COUNT` random inputs per operation and type. What rounds in the same places in both is
//! compared exactly; the rest to a few units in the last place.

use super::*;
use crate::{Draws, Random};

/// Ten thousand inputs per operation.
const COUNT: u64 = 10_000;

/// Compares one vector type with glam's over every operation they share.
macro_rules! against_glam {
    ($test:ident, $vector:ident, $oracle:ty, $scalar:ident, $count:literal, $range:ident) => {
        #[test]
        fn $test() {
            let tight = 8.0 * $scalar::EPSILON;
            let near = |ours: $vector, theirs: $oracle| {
                let scale = theirs.abs().max_element().max(1.0);
                ours.abs_diff_eq($vector::from_array(theirs.to_array()), tight * scale)
            };
            let same = |ours: $vector, theirs: $oracle| ours.to_array() == theirs.to_array();
            for id in 0..COUNT {
                let mut draws = Random::new(3).at($count, id, 0);
                let mut array =
                    || std::array::from_fn::<$scalar, $count, _>(|_| draws.$range(-4.0, 4.0));
                let ([a, b, c], [p, q, r]) = {
                    let arrays = [array(), array(), array()];
                    (
                        arrays.map($vector::from_array),
                        arrays.map(<$oracle>::from_array),
                    )
                };
                let s = draws.$range(-2.0, 2.0);
                assert!(same(a + b, p + q) && same(a - b, p - q) && same(-a, -p));
                assert!(same(a * b, p * q) && same(a / b, p / q));
                assert!(same(a + s, p + s) && same(a - s, p - s));
                assert!(same(a * s, p * s) && same(a / s, p / s));
                assert!(same(s + a, s + p) && same(s - a, s - p));
                assert!(same(s * a, s * p) && same(s / a, s / p));
                assert!(same(a.min(b), p.min(q)) && same(a.max(b), p.max(q)));
                assert!(same(a.abs(), p.abs()) && same(a.signum(), p.signum()));
                assert!(same(a.floor(), p.floor()) && same(a.ceil(), p.ceil()));
                assert!(same(a.round(), p.round()));
                let (low, high) = (b.min(c), b.max(c));
                assert!(same(a.clamp(low, high), p.clamp(q.min(r), q.max(r))));
                assert_eq!(a.min_element(), p.min_element());
                assert_eq!(a.max_element(), p.max_element());

                let scale = 16.0 * $count as $scalar;
                assert!((a.dot(b) - p.dot(q)).abs() <= $scalar::EPSILON * scale);
                assert!((a.length() - p.length()).abs() <= tight);
                assert!((a.length_squared() - p.length_squared()).abs() <= 16.0 * tight);
                assert!((a.distance(b) - p.distance(q)).abs() <= tight);
                assert!((a.distance_squared(b) - p.distance_squared(q)).abs() <= 32.0 * tight);
                assert!(near(a.normalize(), p.normalize()));
                assert!(near(a.normalize_or_zero(), p.normalize_or_zero()));
                assert!(near(a.lerp(b, s), p.lerp(q, s)));
                assert!(near(
                    a.clamp_length_max(s.abs()),
                    p.clamp_length_max(s.abs())
                ));
                let (unit, oracle) = (b.normalize(), q.normalize());
                assert!(near(a.reflect(unit), p.reflect(oracle)));
                assert!(near(a.project_onto(unit), p.project_onto(oracle)));
                assert!(near(a.reject_from(unit), p.reject_from(oracle)));
            }
        }
    };
}

against_glam!(vec2_agrees_with_glam, Vec2, glam::Vec2, f32, 2, range_f32);
against_glam!(vec3_agrees_with_glam, Vec3, glam::Vec3, f32, 3, range_f32);
against_glam!(vec4_agrees_with_glam, Vec4, glam::Vec4, f32, 4, range_f32);
against_glam!(
    dvec3_agrees_with_glam,
    DVec3,
    glam::DVec3,
    f64,
    3,
    range_f64
);

fn vec3(draws: &mut Draws) -> Vec3 {
    Vec3::from([(); 3].map(|()| draws.range_f32(-4.0, 4.0)))
}

fn each_triple(mut check: impl FnMut(Vec3, Vec3, Vec3)) {
    for id in 0..COUNT {
        let mut draws = Random::new(4).at(0, id, 0);
        check(vec3(&mut draws), vec3(&mut draws), vec3(&mut draws));
    }
}

#[test]
fn cross_is_perpendicular_to_both_and_right_handed() {
    assert_eq!(Vec3::X.cross(Vec3::Y), Vec3::Z);
    assert_eq!(DVec3::Y.cross(DVec3::Z), DVec3::X);
    each_triple(|a, b, _| {
        let cross = a.cross(b);
        assert!(cross.dot(a).abs() < 1e-4 && cross.dot(b).abs() < 1e-4);
        // Lagrange: |a x b|^2 + (a . b)^2 = |a|^2 |b|^2.
        let left = cross.length_squared() + a.dot(b) * a.dot(b);
        let right = a.length_squared() * b.length_squared();
        assert!(
            (left - right).abs() <= 1e-6 * right.max(1.0),
            "{left} {right}"
        );
        let oracle = glam::Vec3::from_array(a.into()).cross(glam::Vec3::from_array(b.into()));
        assert_eq!(cross.to_array(), oracle.to_array());
        let wide = a.as_dvec3().cross(b.as_dvec3()).as_vec3();
        assert!(cross.abs_diff_eq(wide, 4e-6));
    });
}

#[test]
fn projection_and_rejection_add_up_and_are_perpendicular() {
    each_triple(|a, b, _| {
        let (along, across) = (a.project_onto(b), a.reject_from(b));
        assert!((along + across).abs_diff_eq(a, 2e-6 * along.length().max(4.0)));
        let scale = a.length() * b.length();
        assert!(across.dot(b).abs() <= 1e-6 * scale.max(1.0));
        assert!(along.cross(b).length() <= 1e-6 * scale.max(1.0));
    });
}

#[test]
fn reflection_keeps_length_and_undoes_itself() {
    each_triple(|a, b, _| {
        let normal = b.normalize();
        let mirrored = a.reflect(normal);
        assert!((mirrored.length() - a.length()).abs() < 4e-6);
        assert!(mirrored.reflect(normal).abs_diff_eq(a, 1e-5));
        assert!((mirrored.dot(normal) + a.dot(normal)).abs() < 1e-5);
    });
}

// The law of cosines holds the angle to account by lengths alone, in f64.
#[test]
fn angles_obey_the_law_of_cosines() {
    each_triple(|a, b, _| {
        let (x, y) = (a.as_dvec3(), b.as_dvec3());
        let cosine =
            (x.dot(x) + y.dot(y) - x.distance_squared(y)) / (2.0 * x.length() * y.length());
        let expected = crate::ops::f64::acos(cosine.clamp(-1.0, 1.0));
        assert!((f64::from(a.angle_between(b)) - expected).abs() < 1e-6);
        assert!((x.angle_between(y) - expected).abs() < 1e-7);
    });
}

#[test]
fn tiny_angles_keep_their_digits() {
    for (y, expected) in [(1e-4_f32, 1e-4_f32), (1e-6, 1e-6), (1e-7, 1e-7)] {
        let angle = Vec3::X.angle_between(Vec3::new(1.0, y, 0.0));
        assert!((angle / expected - 1.0).abs() < 1e-3, "{angle}");
    }
    assert_eq!(Vec2::X.angle_between(Vec2::NEG_X), std::f32::consts::PI);
    assert_eq!(Vec4::W.angle_between(Vec4::Z), std::f32::consts::FRAC_PI_2);
    assert_eq!(Vec3::X.angle_between(Vec3::ZERO), 0.0);
}

#[test]
fn orthonormal_pairs_form_a_right_handed_base() {
    let poles = [Vec3::Z, Vec3::NEG_Z, Vec3::new(0.0, 0.0, -0.0) - Vec3::X];
    let random = (0..COUNT).map(|id| Random::new(5).at(0, id, 0).unit_vec3());
    for unit in poles.into_iter().chain(random) {
        let (a, b) = unit.any_orthonormal_pair();
        assert!(a.cross(b).abs_diff_eq(unit, 2e-6), "{unit}");
        assert!((a.length() - 1.0).abs() < 1e-6 && (b.length() - 1.0).abs() < 1e-6);
        assert_eq!(unit.any_orthonormal_vector(), b);
    }
}

#[test]
fn angles_of_the_plane_turn_from_x_towards_y() {
    for id in 0..COUNT {
        let mut draws = Random::new(6).at(0, id, 0);
        let (a, b) = (draws.unit_vec2(), draws.range_f32(-3.1, 3.1));
        let turned = Vec2::from_angle(b).rotate(a);
        assert!((a.angle_to(turned) - b).abs() < 1e-6);
        assert!((a.perp_dot(turned) - crate::ops::f32::sin(b)).abs() < 1e-6);
        assert!((Vec2::from_angle(b).to_angle() - b).abs() < 1e-6);
        assert!(a.dot(a.perp()).abs() < 1e-6 && a.perp_dot(a.perp()) > 0.99);
    }
}

#[test]
fn only_vectors_with_a_direction_normalize() {
    let without = [
        Vec3::ZERO,
        Vec3::splat(1e-30),
        Vec3::INFINITY,
        Vec3::NAN,
        Vec3::splat(f32::MAX),
    ];
    for v in without {
        assert_eq!(v.try_normalize(), None, "{v}");
        assert_eq!(v.normalize_or_zero(), Vec3::ZERO, "{v}");
    }
    let small = Vec3::new(0.0, 3e-18, 4e-18)
        .try_normalize()
        .expect("long enough to be squared");
    assert!(small.abs_diff_eq(Vec3::new(0.0, 0.6, 0.8), 1e-6) && small.is_normalized());
    assert!(Vec3::ZERO.normalize().is_nan());
    assert!(!Vec3::ONE.is_normalized());
}

#[test]
fn minimum_and_maximum_are_one_comparison() {
    let (nan, one) = (Vec2::NAN, Vec2::ONE);
    assert_eq!((nan.min(one), nan.max(one)), (one, one));
    assert!(one.min(nan).is_nan() && one.max(nan).is_nan());
    // Zeros are equal, so the second one is taken, with its sign.
    let zeros = Vec2::ZERO.min(-Vec2::ZERO);
    assert_eq!(
        zeros.to_array().map(f32::to_bits),
        [(-0.0_f32).to_bits(); 2]
    );
    assert_eq!(
        Vec2::splat(5.0).clamp(Vec2::splat(2.0), Vec2::ONE),
        Vec2::ONE
    );
    assert_eq!(Vec3::new(2.0, -1.0, 7.0).min_element(), -1.0);
    assert_eq!(Vec3::new(2.0, -1.0, 7.0).max_element(), 7.0);
}

#[test]
fn interpolation_is_exact_at_both_ends() {
    each_triple(|a, b, _| {
        assert_eq!((a.lerp(b, 0.0), a.lerp(b, 1.0)), (a, b));
    });
}

#[test]
fn one_bad_component_is_enough() {
    for index in 0..4 {
        let mut v = Vec4::ONE;
        v[index] = f32::INFINITY;
        assert!(!v.is_finite() && !v.is_nan());
        v[index] = f32::NAN;
        assert!(!v.is_finite() && v.is_nan() && v != v);
        assert!(!v.abs_diff_eq(v, f32::INFINITY));
    }
    assert!(Vec4::splat(f32::MAX).is_finite());
}

#[test]
fn every_view_shows_the_components_in_order() {
    let mut v = Vec4::new(1.0, 2.0, 3.0, 4.0);
    let array = [1.0, 2.0, 3.0, 4.0];
    assert_eq!(v.to_array(), array);
    assert_eq!(v.as_ref(), &array);
    assert_eq!(<[f32; 4]>::from(v), array);
    assert_eq!((Vec4::from(array), Vec4::from_slice(&array)), (v, v));
    assert_eq!([v[0], v[1], v[2], v[3]], array);
    assert_eq!(bytemuck::cast_slice::<Vec4, f32>(&[v, v])[4..], array);
    v.as_mut()[2] = 9.0;
    assert_eq!(v, Vec4::new(1.0, 2.0, 9.0, 4.0));
    assert_eq!(v.to_string(), "[1, 2, 9, 4]");
    let wide = DVec3::new(1.0, 2.0, 3.0);
    assert_eq!(<DVec3 as AsRef<[f64; 3]>>::as_ref(&wide), &[1.0, 2.0, 3.0]);
    assert_eq!(
        v.truncate().truncate().extend(5.0).extend(6.0),
        Vec4::new(1.0, 2.0, 5.0, 6.0)
    );
    assert_eq!(Vec3::default(), Vec3::ZERO);
}

#[test]
fn sums_and_assign_forms_follow_the_operators() {
    let vectors = [Vec3::X, Vec3::new(1e8, 1.0, 0.0), Vec3::new(-1e8, 0.0, 2.0)];
    // In order: 1 + 1e8 rounds to 1e8, so x ends at 0.
    assert_eq!(vectors.iter().sum::<Vec3>(), Vec3::new(0.0, 1.0, 2.0));
    assert_eq!(vectors.into_iter().sum::<Vec3>(), Vec3::new(0.0, 1.0, 2.0));
    let mut v = Vec3::new(1.0, 2.0, 3.0);
    v += Vec3::ONE;
    v -= 0.5;
    v *= Vec3::new(2.0, 1.0, 1.0);
    v /= 0.5;
    assert_eq!(v, Vec3::new(6.0, 5.0, 7.0));
}

#[test]
#[should_panic(expected = "index out of bounds")]
fn an_index_beyond_the_dimension_panics() {
    let index = Vec3::ONE.to_array().len();
    assert_eq!(Vec3::ONE[index], 1.0);
}

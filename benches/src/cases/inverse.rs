//! 1,000 entities, 100 matrix inverses each, then the matrix moves the position.
//!
//! Ours takes eight matrices out of a chunk, one to a lane of each register, and does what
//! `Mat4::inverse` does in the same order: the bits are those of the scalar form.

use bytemuck::{Pod, Zeroable};
use orrery_ecs::{Component, QueryState, World};
use orrery_math::simd::{Avx2, Level};
use orrery_math::{Mat4, Quat, Vec3};

use super::SEED;
use super::population::{DIGEST_START, Position, digest, digest_of};
use crate::harness::{Case, Expected, Goal, Work};
use crate::reference::Flat;

/// Inverses of each matrix in a run: an even number, so that each run begins where the last did.
pub const INVERSES: usize = 100;

const EXPECTED: Expected = Expected {
    smoke: 0xe299_2d7c_0cb0_6206,
    full: 0xc346_1b5e_4537_a2cc,
};

/// A matrix by columns.
#[derive(Clone, Copy, Debug, PartialEq, Component, Pod, Zeroable)]
#[repr(C)]
pub struct Matrix(pub [f32; 16]);

pub(super) fn cases() -> Vec<Case> {
    let ours = Case {
        name: "inverse_1k_x100",
        reference: Some("inverse_1k_x100_reference"),
        smoke: 29,
        full: 1_000,
        seed: SEED,
        bytes_each: 0,
        goal: Goal::Open,
        expected: EXPECTED,
        prepare: |size, _| by_chunks(size),
    };
    vec![
        Case {
            name: "inverse_1k_x100_reference",
            reference: None,
            prepare: |size, _| by_hand(size),
            ..ours
        },
        ours,
    ]
}

/// The entity: a rotation about x, the angle its own.
#[must_use]
pub fn turning(entity: usize) -> (Matrix, Position) {
    let angle = 1.2 + entity as f32 / 1024.0;
    let matrix = Mat4::from_quat(Quat::from_axis_angle(Vec3::X, angle));
    (
        Matrix(matrix.to_cols_array()),
        Position::from([1.0, 2.0, 3.0]),
    )
}

/// What is done to one entity, one matrix at a time: the way of the peers.
#[inline]
pub fn invert_one(matrix: &mut [f32; 16], position: &mut Position) {
    let mut value = Mat4::from_cols_array(matrix);
    for _ in 0..INVERSES {
        value = value.inverse();
    }
    *matrix = value.to_cols_array();
    let moved = value.transform_vector3(Vec3::new(position.x, position.y, position.z));
    *position = Position::from([moved.x, moved.y, moved.z]);
}

/// The same for all entities of two slices.
fn invert(matrices: &mut [Matrix], positions: &mut [Position]) {
    assert_eq!(matrices.len(), positions.len(), "slices of one batch");
    match Level::current() {
        Level::Scalar => invert_each(matrices, positions),
        Level::Avx2(token) => invert_eights(token, matrices, positions),
    }
}

fn invert_each(matrices: &mut [Matrix], positions: &mut [Position]) {
    for (matrix, position) in matrices.iter_mut().zip(positions) {
        invert_one(&mut matrix.0, position);
    }
}

fn invert_eights(token: Avx2, matrices: &mut [Matrix], positions: &mut [Position]) {
    let (matrix_eights, matrices) = matrices.as_chunks_mut::<8>();
    let (position_eights, positions) = positions.as_chunks_mut::<8>();
    for (matrices, positions) in matrix_eights.iter_mut().zip(position_eights) {
        let mut lanes = [[0.0; 8]; 16];
        for (lane, matrix) in matrices.iter().enumerate() {
            for (element, value) in lanes.iter_mut().zip(matrix.0) {
                element[lane] = value;
            }
        }
        inverses(token, &mut lanes);
        for (lane, (matrix, position)) in matrices.iter_mut().zip(positions).enumerate() {
            matrix.0 = lanes.map(|element| element[lane]);
            let value = Mat4::from_cols_array(&matrix.0);
            let moved = value.transform_vector3(Vec3::new(position.x, position.y, position.z));
            *position = Position::from([moved.x, moved.y, moved.z]);
        }
    }
    invert_each(matrices, positions);
}

orrery_math::kernel! {
    /// Inverts eight matrices again and again; an array holds one element of all eight.
    fn inverses(token, lanes: &mut [[f32; 8]; 16]) {
        use core::arch::x86_64::{
            __m256, _mm256_add_ps, _mm256_div_ps, _mm256_mul_ps, _mm256_set1_ps, _mm256_sub_ps,
            _mm256_xor_ps,
        };
        let (one, sign) = (_mm256_set1_ps(1.0), _mm256_set1_ps(-0.0));
        // Two products and their difference; three and their alternating sum, and its negative.
        let minor = |x, i, y, j| _mm256_sub_ps(_mm256_mul_ps(x, i), _mm256_mul_ps(y, j));
        let of = |x, i, y, j, z, k| _mm256_add_ps(minor(x, i, y, j), _mm256_mul_ps(z, k));
        let minus = |x, i, y, j, z, k| _mm256_xor_ps(of(x, i, y, j, z, k), sign);
        for _ in 0..INVERSES {
            let m: [__m256; 16] = bytemuck::must_cast(*lanes);
            let (a, b, c, d) = (&m[0..4], &m[4..8], &m[8..12], &m[12..16]);
            let pairs = [(a, b), (a, c), (a, d), (b, c), (b, d), (c, d)];
            let s = pairs.map(|(p, q)| minor(p[0], q[1], p[1], q[0]));
            let t = pairs.map(|(p, q)| minor(p[2], q[3], p[3], q[2]));
            let determinant = minor(s[0], t[5], s[1], t[4]);
            let determinant = _mm256_add_ps(determinant, _mm256_mul_ps(s[2], t[3]));
            let determinant = _mm256_add_ps(determinant, _mm256_mul_ps(s[3], t[2]));
            let determinant = _mm256_sub_ps(determinant, _mm256_mul_ps(s[4], t[1]));
            let determinant = _mm256_add_ps(determinant, _mm256_mul_ps(s[5], t[0]));
            let factor = _mm256_div_ps(one, determinant);
            let adjugate = [
                of(b[1], t[5], c[1], t[4], d[1], t[3]),
                minus(a[1], t[5], c[1], t[2], d[1], t[1]),
                of(a[1], t[4], b[1], t[2], d[1], t[0]),
                minus(a[1], t[3], b[1], t[1], c[1], t[0]),
                minus(b[0], t[5], c[0], t[4], d[0], t[3]),
                of(a[0], t[5], c[0], t[2], d[0], t[1]),
                minus(a[0], t[4], b[0], t[2], d[0], t[0]),
                of(a[0], t[3], b[0], t[1], c[0], t[0]),
                of(b[3], s[5], c[3], s[4], d[3], s[3]),
                minus(a[3], s[5], c[3], s[2], d[3], s[1]),
                of(a[3], s[4], b[3], s[2], d[3], s[0]),
                minus(a[3], s[3], b[3], s[1], c[3], s[0]),
                minus(b[2], s[5], c[2], s[4], d[2], s[3]),
                of(a[2], s[5], c[2], s[2], d[2], s[1]),
                minus(a[2], s[4], b[2], s[2], d[2], s[0]),
                of(a[2], s[3], b[2], s[1], c[2], s[0]),
            ];
            *lanes = bytemuck::must_cast(adjugate.map(|value| _mm256_mul_ps(value, factor)));
        }
    }
}

struct ByChunks {
    world: World,
    query: QueryState<(&'static mut Matrix, &'static mut Position)>,
}

fn by_chunks(size: usize) -> Box<dyn Work> {
    let mut world = World::new();
    world.spawn_batch((0..size).map(turning));
    let query = world.query();
    Box::new(ByChunks { world, query })
}

impl Work for ByChunks {
    fn run(&mut self) {
        let mut query = self.query.view_mut(&mut self.world);
        query.for_each_chunk(|(matrices, positions)| invert(matrices, positions));
    }

    fn result(&mut self) -> u64 {
        digest_of::<Matrix>(&mut self.world) ^ digest_of::<Position>(&mut self.world)
    }
}

/// R: the same kernel over two flat arrays.
struct ByHand {
    matrices: Flat<Matrix>,
    positions: Flat<Position>,
}

fn by_hand(size: usize) -> Box<dyn Work> {
    Box::new(ByHand {
        matrices: Flat::from_fn(size, |entity| turning(entity).0),
        positions: Flat::from_fn(size, |entity| turning(entity).1),
    })
}

impl Work for ByHand {
    fn run(&mut self) {
        invert(self.matrices.values_mut(), self.positions.values_mut());
    }

    fn result(&mut self) -> u64 {
        digest(self.matrices.lanes(), DIGEST_START) ^ digest(self.positions.lanes(), DIGEST_START)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_at_a_time_give_the_bits_of_one_at_a_time() {
        for size in [0, 1, 7, 8, 9, 29] {
            let (mut matrices, mut positions): (Vec<_>, Vec<_>) = (0..size).map(turning).unzip();
            // Not only rotations: every element counts.
            for (entity, matrix) in matrices.iter_mut().enumerate() {
                let bend = |element: usize| ((entity + 3 * element) % 7) as f32 * 0.01;
                matrix.0 = std::array::from_fn(|element| matrix.0[element] + bend(element));
            }
            let (mut each, mut places) = (matrices.clone(), positions.clone());
            invert(&mut matrices, &mut positions);
            invert_each(&mut each, &mut places);
            let bits = |all: &[Matrix]| {
                all.iter()
                    .map(|m| m.0.map(f32::to_bits))
                    .collect::<Vec<_>>()
            };
            assert_eq!(bits(&matrices), bits(&each), "{size}");
            assert_eq!(positions, places, "{size}");
        }
    }
}

//! The kernel `axpy` on each of its paths, in the first-level cache.

use orrery_math::kernel;
use orrery_math::simd::Level;

use super::population::{DIGEST_START, Purpose, digest, flat};
use super::{SEED, STEP};
use crate::harness::{Case, Expected, Goal, Work};
use crate::reference::{self, Flat};

/// Two arrays of 3 * 512 lanes are 12 KiB, of 32 KiB that the cache has.
const POINTS: usize = 512;

const EXPECTED: Expected = Expected {
    smoke: 0xdc7f_4314_d888_0e06,
    full: 0x1c02_050f_42ab_2275,
};

pub(super) fn cases() -> Vec<Case> {
    let best = Case {
        name: "axpy_l1",
        reference: Some("axpy_l1_reference"),
        smoke: 37,
        full: POINTS,
        seed: SEED,
        bytes_each: 36,
        goal: Goal::Open,
        expected: EXPECTED,
        prepare: |size, seed| batch(size, seed, |a, b| run(Level::detect(), a, b)),
    };
    vec![
        Case {
            name: "axpy_l1_reference",
            reference: None,
            prepare: |size, seed| {
                batch(size, seed, |a, b| {
                    reference::axpy(Level::detect(), a, b, STEP)
                })
            },
            ..best
        },
        best,
        Case {
            name: "axpy_l1_scalar",
            prepare: |size, seed| batch(size, seed, |a, b| run(Level::Scalar, a, b)),
            ..best
        },
    ]
}

fn run(level: Level, a: &mut [f32], b: &[f32]) {
    kernel::axpy_at(level, a, b, STEP).expect("both arrays have one length");
}

struct Batch {
    a: Flat,
    b: Flat,
    kernel: fn(&mut [f32], &[f32]),
}

fn batch(size: usize, seed: u64, kernel: fn(&mut [f32], &[f32])) -> Box<dyn Work> {
    Box::new(Batch {
        a: flat(size, seed, Purpose::Place),
        b: flat(size, seed, Purpose::Motion),
        kernel,
    })
}

impl Work for Batch {
    fn run(&mut self) {
        (self.kernel)(self.a.lanes_mut(), self.b.lanes());
    }

    fn result(&mut self) -> u64 {
        digest(self.a.lanes(), DIGEST_START)
    }
}

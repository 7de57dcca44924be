//! `position += velocity * step` over all entities, in every way a query offers.
//!
//! All ways and R start from the same values and must end with the same bits.

use orrery_ecs::{Lanes, QueryState, World};
use orrery_math::kernel;
use orrery_math::simd::Level;

use super::population::{
    DIGEST_START, Position, Purpose, Velocity, digest, digest_of, flat, moving, moving_world,
};
use super::{SEED, STEP};
use crate::harness::{Case, Expected, Goal, Work};
use crate::reference::{self, Flat};

const SMALL: usize = 10_000;
const LARGE: usize = 1_000_000;

/// Read and written bytes of an entity: position both, velocity read.
const BYTES: usize = 36;

const EXPECTED_SMALL: Expected = Expected {
    smoke: 0x8141_25a3_6ef0_fdf7,
    full: 0x95f0_a4b2_5abd_d5a8,
};
const EXPECTED_LARGE: Expected = Expected {
    smoke: 0x4d1b_026a_9028_194d,
    full: 0x7f61_6677_1dd0_8df8,
};

pub(super) fn cases() -> Vec<Case> {
    let small = |name, goal, prepare| Case {
        name,
        reference: Some("walk_10k_reference"),
        smoke: 100,
        full: SMALL,
        seed: SEED,
        bytes_each: BYTES,
        goal,
        expected: EXPECTED_SMALL,
        prepare,
    };
    let large = |name, goal, prepare| Case {
        reference: Some("walk_1m_reference"),
        smoke: 9_001,
        full: LARGE,
        expected: EXPECTED_LARGE,
        ..small(name, goal, prepare)
    };
    let alone = |case| Case {
        reference: None,
        ..case
    };
    vec![
        alone(small("walk_10k_reference", Goal::Open, by_hand)),
        small("walk_10k_chunks_axpy", Goal::RatioMax(1.15), by_axpy),
        small("walk_10k_chunks_loop", Goal::Open, by_loop),
        alone(small("walk_10k_zip", Goal::Open, by_zip)),
        Case {
            reference: Some("walk_10k_zip"),
            ..small("walk_10k_for_each", Goal::RatioMax(1.1), by_for_each)
        },
        small("walk_10k_for", Goal::Open, by_for),
        alone(large("walk_1m_reference", Goal::Open, by_hand)),
        large("walk_1m_chunks_axpy", Goal::Open, by_axpy),
        large("walk_1m_chunks_loop", Goal::Open, by_loop),
        large("walk_1m_for_each", Goal::Open, by_for_each),
        large("walk_1m_for", Goal::Open, by_for),
    ]
}

type Walkers = (&'static mut Position, &'static Velocity);

/// A walk through a world; the way is a type of its own, so that its loop is compiled alone.
struct Walk<F> {
    world: World,
    query: QueryState<Walkers>,
    way: F,
}

impl<F: FnMut(&mut World, &mut QueryState<Walkers>)> Work for Walk<F> {
    fn run(&mut self) {
        (self.way)(&mut self.world, &mut self.query);
    }

    fn result(&mut self) -> u64 {
        digest_of::<Position>(&mut self.world)
    }
}

fn walk(
    size: usize,
    seed: u64,
    way: impl FnMut(&mut World, &mut QueryState<Walkers>) + 'static,
) -> Box<dyn Work> {
    let mut world = moving_world(size, seed);
    let query = world.query::<Walkers>();
    Box::new(Walk { world, query, way })
}

fn by_axpy(size: usize, seed: u64) -> Box<dyn Work> {
    walk(size, seed, |world, query| {
        query
            .view_mut(world)
            .for_each_chunk(|(positions, velocities)| {
                kernel::axpy(positions.lanes_mut(), velocities.lanes(), STEP)
                    .expect("slices of one chunk have one length");
            });
    })
}

fn by_loop(size: usize, seed: u64) -> Box<dyn Work> {
    walk(size, seed, |world, query| {
        query
            .view_mut(world)
            .for_each_chunk(|(positions, velocities)| {
                for (position, velocity) in positions.iter_mut().zip(velocities) {
                    step(position, velocity);
                }
            });
    })
}

fn by_for_each(size: usize, seed: u64) -> Box<dyn Work> {
    walk(size, seed, |world, query| {
        query
            .view_mut(world)
            .for_each(|(position, velocity)| step(position, velocity));
    })
}

fn by_for(size: usize, seed: u64) -> Box<dyn Work> {
    walk(size, seed, |world, query| {
        for (position, velocity) in query.iter_mut(world) {
            step(position, velocity);
        }
    })
}

#[inline]
fn step(position: &mut Position, velocity: &Velocity) {
    position.x += velocity.x * STEP;
    position.y += velocity.y * STEP;
    position.z += velocity.z * STEP;
}

/// R: one flat array for each component.
struct ByHand {
    positions: Flat,
    velocities: Flat,
}

impl Work for ByHand {
    fn run(&mut self) {
        let (level, velocities) = (Level::current(), self.velocities.lanes());
        reference::axpy(level, self.positions.lanes_mut(), velocities, STEP);
    }

    fn result(&mut self) -> u64 {
        digest(self.positions.lanes(), DIGEST_START)
    }
}

fn by_hand(size: usize, seed: u64) -> Box<dyn Work> {
    Box::new(ByHand {
        positions: flat(size, seed, Purpose::Place),
        velocities: flat(size, seed, Purpose::Motion),
    })
}

/// What a closure over structs is held against: the loop that anyone writes over two slices.
struct Zip {
    positions: Flat<Position>,
    velocities: Flat<Velocity>,
}

impl Work for Zip {
    fn run(&mut self) {
        let (positions, velocities) = (self.positions.values_mut(), self.velocities.values());
        for (position, velocity) in positions.iter_mut().zip(velocities) {
            step(position, velocity);
        }
    }

    fn result(&mut self) -> u64 {
        digest(self.positions.lanes(), DIGEST_START)
    }
}

fn by_zip(size: usize, seed: u64) -> Box<dyn Work> {
    Box::new(Zip {
        positions: Flat::from_fn(size, |entity| moving(seed, entity).0),
        velocities: Flat::from_fn(size, |entity| moving(seed, entity).1),
    })
}

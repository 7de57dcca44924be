//! `position += velocity * step` over all entities, in every way a query offers.
//!
//! All ways and R start from the same values and must end with the same bits.

use orrery_ecs::{Lanes, QueryState, World};
use orrery_math::kernel;
use orrery_math::simd::Level;

use super::population::{
    DIGEST_START, Position, Purpose, Rotation, Velocity, digest, digest_of, flat, moving,
    moving_world, vector,
};
use super::{SEED, STEP};
use crate::harness::{Case, Expected, Goal, Work};
use crate::reference::{self, Flat};

const SMALL: usize = 10_000;
const LARGE: usize = 1_000_000;

/// Read and written bytes of an entity: position both, velocity read.
const BYTES: usize = 36;

/// Of position and rotation both ways, velocity read.
const BYTES_THREE: usize = 60;

const EXPECTED_SMALL: Expected = Expected {
    smoke: 0x8141_25a3_6ef0_fdf7,
    full: 0x95f0_a4b2_5abd_d5a8,
};
const EXPECTED_LARGE: Expected = Expected {
    smoke: 0x4d1b_026a_9028_194d,
    full: 0x7f61_6677_1dd0_8df8,
};
const EXPECTED_THREE: Expected = Expected {
    smoke: 0xe9d1_678f_7480_76eb,
    full: 0x4b0e_cdaa_03e1_5552,
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
    let three = |name, goal, prepare| Case {
        reference: Some("walk3_1m_reference"),
        bytes_each: BYTES_THREE,
        expected: EXPECTED_THREE,
        ..large(name, goal, prepare)
    };
    let near = Goal::RatioMax(1.15);
    let alone = |case| Case {
        reference: None,
        ..case
    };
    vec![
        alone(small("walk_10k_reference", Goal::Open, by_hand)),
        small("walk_10k_chunks_axpy", near, by_axpy),
        small("walk_10k_chunks_loop", Goal::Open, by_loop),
        small("walk_10k_for_each", Goal::Open, by_for_each),
        small("walk_10k_for", Goal::Open, by_for),
        alone(large("walk_1m_reference", Goal::Open, by_hand)),
        large("walk_1m_chunks_axpy", near, by_axpy),
        large("walk_1m_chunks_loop", Goal::Open, by_loop),
        large("walk_1m_for_each", Goal::Open, by_for_each),
        large("walk_1m_for", Goal::Open, by_for),
        alone(three("walk3_1m_reference", Goal::Open, three_by_hand)),
        three("walk3_1m_chunks", Goal::RatioMax(1.1), three_by_chunks),
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

type Spinners = (
    &'static mut Position,
    &'static mut Rotation,
    &'static Velocity,
);

/// Three components, all read, two written: the kernel of R over chunks, so that the ratio tells
/// what blocks, queries and change ticks add.
struct Three {
    world: World,
    query: QueryState<Spinners>,
}

impl Work for Three {
    fn run(&mut self) {
        let level = Level::current();
        let mut query = self.query.view_mut(&mut self.world);
        query.for_each_chunk(|(positions, rotations, velocities)| {
            let (positions, rotations) = (positions.lanes_mut(), rotations.lanes_mut());
            reference::drift_and_spin(level, positions, rotations, velocities.lanes(), STEP);
        });
    }

    fn result(&mut self) -> u64 {
        digest_of::<Position>(&mut self.world) ^ digest_of::<Rotation>(&mut self.world)
    }
}

fn three_by_chunks(size: usize, seed: u64) -> Box<dyn Work> {
    let mut world = World::new();
    world.spawn_batch((0..size).map(|entity| {
        let (position, velocity) = moving(seed, entity);
        let rotation: Rotation = vector(seed, entity, Purpose::Turn).into();
        (position, rotation, velocity)
    }));
    let query = world.query::<Spinners>();
    Box::new(Three { world, query })
}

/// R of three components, in one pass.
struct ThreeByHand {
    positions: Flat,
    rotations: Flat,
    velocities: Flat,
}

impl Work for ThreeByHand {
    fn run(&mut self) {
        let (positions, rotations) = (self.positions.lanes_mut(), self.rotations.lanes_mut());
        let velocities = self.velocities.lanes();
        reference::drift_and_spin(Level::current(), positions, rotations, velocities, STEP);
    }

    fn result(&mut self) -> u64 {
        let digest = |flat: &Flat| digest(flat.lanes(), DIGEST_START);
        digest(&self.positions) ^ digest(&self.rotations)
    }
}

fn three_by_hand(size: usize, seed: u64) -> Box<dyn Work> {
    Box::new(ThreeByHand {
        positions: flat(size, seed, Purpose::Place),
        rotations: flat(size, seed, Purpose::Turn),
        velocities: flat(size, seed, Purpose::Motion),
    })
}

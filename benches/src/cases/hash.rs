//! `World::state_hash`: of everything, of a tenth, of what one write touched, of nothing new.
//!
//! The world holds 100 bytes of components an entity in four columns, 100 MB at full size; the
//! handles add 8 bytes that stay hashed, since no case moves a row.

use std::hint::black_box;

use orrery_ecs::{BLOCK_ROWS, Entity, World, WorldHash};

use super::SEED;
use super::population::{Position, Rotation, Transform, Velocity, rich, rich_world, touch};
use crate::harness::{Case, Expected, Goal, Work};
use crate::reference::Flat;

/// Component bytes of an entity.
const BYTES: usize =
    size_of::<Transform>() + size_of::<Position>() + size_of::<Rotation>() + size_of::<Velocity>();

/// One block in ten is touched, over all columns.
const TOUCHED: f64 = 0.1;

pub(super) fn cases() -> Vec<Case> {
    let whole = Case {
        name: "hash_100mb_whole",
        reference: Some("hash_100mb_reading"),
        smoke: 9_001,
        full: 1_000_000,
        seed: SEED,
        bytes_each: BYTES,
        goal: Goal::BytesPerNanoMin(10.0),
        expected: Expected::both(1),
        prepare: |size, _| hashing(size, Touched::Everything),
    };
    let part = |name, goal, prepare| Case {
        name,
        reference: Some("hash_100mb_whole"),
        bytes_each: 0,
        goal,
        prepare,
        ..whole
    };
    vec![
        Case {
            name: "hash_100mb_reading",
            reference: None,
            goal: Goal::Open,
            prepare: |size, _| reading(size),
            ..whole
        },
        whole,
        part(
            "hash_100mb_tenth",
            Goal::InProportion(TOUCHED),
            |size, _| hashing(size, Touched::Tenth),
        ),
        part("hash_100mb_one_block", Goal::Open, |size, _| {
            hashing(size, Touched::OneBlock)
        }),
        part("hash_100mb_untouched", Goal::Open, |size, _| {
            hashing(size, Touched::Nothing)
        }),
    ]
}

#[derive(Clone, Copy)]
enum Touched {
    Everything,
    Tenth,
    OneBlock,
    Nothing,
}

struct Hashing {
    world: World,
    /// Entities whose blocks are touched, where not all are.
    entities: Vec<Entity>,
    touched: Touched,
    hash: Option<WorldHash>,
}

fn hashing(size: usize, touched: Touched) -> Box<dyn Work> {
    let mut world = World::new();
    let entities: Vec<Entity> = world.spawn_batch((0..size).map(rich)).collect();
    let entities = match touched {
        Touched::Everything | Touched::Nothing => Vec::new(),
        Touched::Tenth => entities.into_iter().step_by(10 * BLOCK_ROWS).collect(),
        Touched::OneBlock => vec![entities[size / 2]],
    };
    let hash = Some(world.state_hash());
    Box::new(Hashing {
        world,
        entities,
        touched,
        hash,
    })
}

impl Work for Hashing {
    fn run(&mut self) {
        self.hash = Some(self.world.state_hash());
    }

    fn result(&mut self) -> u64 {
        // A world that nobody has touched or hashed before must agree.
        let fresh = rich_world(self.world.len()).state_hash();
        u64::from(self.hash == Some(fresh))
    }

    fn needs_reset(&self) -> bool {
        !matches!(self.touched, Touched::Nothing)
    }

    fn reset(&mut self) {
        match self.touched {
            Touched::Everything => {
                touch::<(&mut Transform, &mut Position, &mut Rotation, &mut Velocity)>(
                    &mut self.world,
                )
            }
            Touched::Tenth => self.entities.iter().for_each(|&entity| {
                let world = &mut self.world;
                black_box(world.get_mut::<Transform>(entity).expect("it lives"));
                black_box(world.get_mut::<Position>(entity).expect("it lives"));
                black_box(world.get_mut::<Rotation>(entity).expect("it lives"));
                black_box(world.get_mut::<Velocity>(entity).expect("it lives"));
            }),
            Touched::OneBlock => self.entities.iter().for_each(|&entity| {
                black_box(self.world.get_mut::<Position>(entity).expect("it lives"));
            }),
            Touched::Nothing => {}
        }
    }
}

/// R: every byte is read once and summed.
struct Reading {
    bytes: Flat<u64>,
    sum: u64,
}

fn reading(size: usize) -> Box<dyn Work> {
    Box::new(Reading {
        bytes: Flat::from_fn(size * BYTES / size_of::<u64>(), |_| 1),
        sum: 0,
    })
}

impl Work for Reading {
    fn run(&mut self) {
        self.sum = self
            .bytes
            .values()
            .iter()
            .copied()
            .fold(0, u64::wrapping_add);
    }

    fn result(&mut self) -> u64 {
        u64::from(self.sum == self.bytes.values().len() as u64)
    }
}

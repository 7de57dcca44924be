//! `World::state_hash`: of everything, of what one write touched, of nothing new.
//!
//! The world holds 100 bytes of components an entity in four columns, 100 MB at full size; the
//! handles add 8 bytes that stay hashed, since no case moves a row.

use orrery_ecs::{Entity, World, WorldHash};

use super::SEED;
use super::population::{Position, Rotation, Transform, Velocity, rich, rich_world, touch};
use crate::harness::{Case, Expected, Goal, Work};

/// Component bytes of an entity.
const BYTES: usize =
    size_of::<Transform>() + size_of::<Position>() + size_of::<Rotation>() + size_of::<Velocity>();

pub(super) fn cases() -> Vec<Case> {
    let whole = Case {
        name: "hash_100mb_whole",
        reference: None,
        smoke: 9_001,
        full: 1_000_000,
        seed: SEED,
        bytes_each: BYTES,
        goal: Goal::BytesPerNanoMin(10.0),
        expected: Expected::both(1),
        prepare: |size, _| hashing(size, Touched::Everything),
    };
    vec![
        whole,
        Case {
            name: "hash_100mb_one_block",
            bytes_each: 0,
            goal: Goal::Open,
            prepare: |size, _| hashing(size, Touched::OneBlock),
            ..whole
        },
        Case {
            name: "hash_100mb_untouched",
            bytes_each: 0,
            goal: Goal::Open,
            prepare: |size, _| hashing(size, Touched::Nothing),
            ..whole
        },
    ]
}

#[derive(Clone, Copy)]
enum Touched {
    Everything,
    OneBlock,
    Nothing,
}

struct Hashing {
    world: World,
    /// An entity in the middle, whose block is the one that is touched.
    entity: Entity,
    touched: Touched,
    hash: Option<WorldHash>,
}

fn hashing(size: usize, touched: Touched) -> Box<dyn Work> {
    let mut world = World::new();
    let entities: Vec<Entity> = world.spawn_batch((0..size).map(rich)).collect();
    let entity = entities[size / 2];
    let hash = Some(world.state_hash());
    Box::new(Hashing {
        world,
        entity,
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
            Touched::OneBlock => {
                let position = self.world.get_mut::<Position>(self.entity);
                std::hint::black_box(position.expect("it lives"));
            }
            Touched::Nothing => {}
        }
    }
}

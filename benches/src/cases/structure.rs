//! Spawning and despawning 100-byte entities.

use orrery_ecs::{Entity, World};

use super::SEED;
use super::population::{Position, Transform, Velocity, digest_of, rich};
use crate::harness::{Case, Expected, Goal, Work};

const EXPECTED_SPAWNED: Expected = Expected {
    smoke: 0xf58e_f22a_97c6_9e65,
    full: 0x864e_a8eb_b453_4b25,
};
const EXPECTED_ONE_BY_ONE: Expected = Expected {
    smoke: 0xb3f9_b513_734e_8025,
    full: 0x1d4a_b2d2_5c48_b725,
};
/// Bits of the handle that comes after all were despawned in order.
const EXPECTED_NEXT: Expected = Expected {
    smoke: 0x0000_0002_0000_2328,
    full: 0x0000_0002_000f_423f,
};

pub(super) fn cases() -> Vec<Case> {
    let fresh = Case {
        name: "spawn_batch_1m_fresh",
        reference: None,
        smoke: 9_001,
        full: 1_000_000,
        seed: SEED,
        bytes_each: 0,
        goal: Goal::NanosEachMax(30.0),
        expected: EXPECTED_SPAWNED,
        prepare: |size, _| spawning(size, Memory::Fresh, batch),
    };
    vec![
        fresh,
        Case {
            name: "spawn_batch_1m_recycled",
            goal: Goal::NanosEachMax(16.0),
            prepare: |size, _| spawning(size, Memory::Recycled, batch),
            ..fresh
        },
        Case {
            name: "spawn_10k_one_by_one",
            smoke: 100,
            full: 10_000,
            goal: Goal::NanosEachMax(60.0),
            expected: EXPECTED_ONE_BY_ONE,
            prepare: |size, _| spawning(size, Memory::Recycled, one_by_one),
            ..fresh
        },
        Case {
            name: "despawn_1m_in_order",
            goal: Goal::NanosEachMax(18.0),
            expected: EXPECTED_NEXT,
            prepare: despawning,
            ..fresh
        },
    ]
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Memory {
    /// A new world, whose pool has to ask the system.
    Fresh,
    /// An emptied world, whose pool has all blocks.
    Recycled,
}

struct Spawning {
    world: World,
    size: usize,
    memory: Memory,
    spawn: fn(&mut World, usize),
}

fn spawning(size: usize, memory: Memory, spawn: fn(&mut World, usize)) -> Box<dyn Work> {
    let mut world = World::new();
    spawn(&mut world, size);
    Box::new(Spawning {
        world,
        size,
        memory,
        spawn,
    })
}

fn batch(world: &mut World, size: usize) {
    world.spawn_batch((0..size).map(rich));
}

fn one_by_one(world: &mut World, size: usize) {
    for entity in 0..size {
        world.spawn(rich(entity));
    }
}

impl Work for Spawning {
    fn run(&mut self) {
        (self.spawn)(&mut self.world, self.size);
    }

    fn result(&mut self) -> u64 {
        let world = &mut self.world;
        digest_of::<Transform>(world) ^ digest_of::<Position>(world) ^ digest_of::<Velocity>(world)
    }

    fn needs_reset(&self) -> bool {
        true
    }

    fn reset(&mut self) {
        match self.memory {
            Memory::Fresh => self.world = World::new(),
            Memory::Recycled => self.world.clear(),
        }
    }
}

struct Despawning {
    world: World,
    size: usize,
    entities: Vec<Entity>,
}

fn despawning(size: usize, _: u64) -> Box<dyn Work> {
    Box::new(Despawning {
        world: World::new(),
        size,
        entities: Vec::new(),
    })
}

impl Work for Despawning {
    fn run(&mut self) {
        for &entity in &self.entities {
            self.world.despawn(entity).expect("every entity lives");
        }
    }

    fn result(&mut self) -> u64 {
        assert!(
            self.world.is_empty(),
            "{} entities are left",
            self.world.len()
        );
        self.world.spawn(()).id().to_bits()
    }

    fn needs_reset(&self) -> bool {
        true
    }

    fn reset(&mut self) {
        self.world.clear();
        self.entities.clear();
        let spawned = self.world.spawn_batch((0..self.size).map(rich));
        self.entities.extend(spawned);
    }
}

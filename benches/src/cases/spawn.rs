//! Spawning 100-byte entities: by batch, by columns, one by one.

use orrery_ecs::World;

use super::SEED;
use super::population::{Position, Rotation, Transform, Velocity, digest_of, rich};
use crate::harness::{Case, Expected, Goal, Work};
use crate::reference::Table;

const EXPECTED_1M: Expected = Expected {
    smoke: 0xbfc1_a316_1db1_16b2,
    full: 0x1dcb_9d2f_f778_4f00,
};
const EXPECTED_10K: Expected = Expected {
    smoke: 0x5863_e030_b5cd_c330,
    full: 0x5392_a463_0405_b5c0,
};

pub(super) fn cases() -> Vec<Case> {
    let large = |name, reference, goal, prepare| Case {
        name,
        reference,
        smoke: 9_001,
        full: 1_000_000,
        seed: SEED,
        bytes_each: 0,
        goal,
        expected: EXPECTED_1M,
        prepare,
    };
    let small = |name, reference, goal, prepare| Case {
        smoke: 100,
        full: 10_000,
        expected: EXPECTED_10K,
        ..large(name, reference, goal, prepare)
    };
    let each = Goal::NanosEachMax;
    let (fresh, recycled) = (
        Some("spawn_1m_fresh_reference"),
        Some("spawn_1m_recycled_reference"),
    );
    let (filled, one) = (
        Some("spawn_10k_reference"),
        Some("spawn_10k_one_by_one_reference"),
    );
    vec![
        large("spawn_1m_fresh_reference", None, Goal::Open, |size, _| {
            by_hand(size, Memory::Fresh, Table::fill)
        }),
        large(
            "spawn_1m_recycled_reference",
            None,
            Goal::Open,
            |size, _| by_hand(size, Memory::Recycled, Table::fill),
        ),
        small("spawn_10k_reference", None, Goal::Open, |size, _| {
            by_hand(size, Memory::Recycled, Table::fill)
        }),
        small(
            "spawn_10k_one_by_one_reference",
            None,
            Goal::Open,
            |size, _| by_hand(size, Memory::Recycled, push_one_by_one),
        ),
        large("spawn_batch_1m_fresh", fresh, each(30.0), |size, _| {
            spawning(size, Memory::Fresh, batch)
        }),
        large(
            "spawn_batch_1m_recycled",
            recycled,
            each(16.0),
            |size, _| spawning(size, Memory::Recycled, batch),
        ),
        small("spawn_10k_columns", filled, each(5.0), |size, _| {
            spawning(size, Memory::Recycled, columns)
        }),
        small("spawn_10k_tuples", filled, each(14.0), |size, _| {
            spawning(size, Memory::Recycled, batch)
        }),
        small("spawn_10k_one_by_one", one, each(60.0), |size, _| {
            spawning(size, Memory::Recycled, one_by_one)
        }),
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

fn columns(world: &mut World, size: usize) {
    let sources = (
        |row: usize| rich(row).0,
        |row: usize| rich(row).1,
        |row: usize| rich(row).2,
        |row: usize| rich(row).3,
    );
    let spawned = world.spawn_columns(size, sources);
    spawned.expect("functions fill any number of rows");
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
        digest_of::<Transform>(world)
            ^ digest_of::<Position>(world)
            ^ digest_of::<Rotation>(world)
            ^ digest_of::<Velocity>(world)
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

/// R: a table written by hand.
struct ByHand {
    table: Table,
    size: usize,
    memory: Memory,
    spawn: fn(&mut Table, usize),
}

fn by_hand(size: usize, memory: Memory, spawn: fn(&mut Table, usize)) -> Box<dyn Work> {
    let mut table = Table::new(size);
    spawn(&mut table, size);
    Box::new(ByHand {
        table,
        size,
        memory,
        spawn,
    })
}

fn push_one_by_one(table: &mut Table, size: usize) {
    let mut table = table.open();
    for entity in 0..size {
        table.spawn(rich(entity));
    }
}

impl Work for ByHand {
    fn run(&mut self) {
        (self.spawn)(&mut self.table, self.size);
    }

    fn result(&mut self) -> u64 {
        self.table.digest()
    }

    fn needs_reset(&self) -> bool {
        true
    }

    fn reset(&mut self) {
        match self.memory {
            Memory::Fresh => self.table = Table::new(self.size),
            Memory::Recycled => self.table.clear(),
        }
    }
}

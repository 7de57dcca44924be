//! Looking up single entities in random order, and a list of them with prefetching.

use orrery_ecs::{Entity, QueryState, World};

use super::SEED;
use super::population::{Position, moving, rich, shuffle};
use crate::harness::{Case, Expected, Goal, Work};
use crate::reference::{Handle, Table};

const EXPECTED_10K: Expected = Expected {
    smoke: 0x0000_0031_fe00_5f48,
    full: 0x0000_137c_1a04_69cc,
};
const EXPECTED_1M: Expected = Expected {
    smoke: 0x0000_1190_b6e6_a3aa,
    full: 0x0007_8f02_61c7_2fee,
};

pub(super) fn cases() -> Vec<Case> {
    let small = |name, reference, goal, prepare| Case {
        name,
        reference,
        smoke: 100,
        full: 10_000,
        seed: SEED,
        bytes_each: 0,
        goal,
        expected: EXPECTED_10K,
        prepare,
    };
    let large = |name, reference, goal, prepare| Case {
        smoke: 9_001,
        full: 1_000_000,
        expected: EXPECTED_1M,
        ..small(name, reference, goal, prepare)
    };
    let (near, far) = (Some("get_10k_reference"), Some("get_1m_reference"));
    vec![
        small("get_10k_reference", None, Goal::Open, by_hand),
        small("get_10k", near, Goal::NanosEachMax(1.4), by_query),
        small("get_10k_by_world", near, Goal::Open, by_world),
        large("get_1m_reference", None, Goal::Open, by_hand),
        large("get_1m_shuffled", far, Goal::RatioMax(1.1), by_query),
        large("get_many_1m", far, Goal::RatioMax(0.75), by_list),
    ]
}

/// What is read of each entity. A sum of bit patterns, so that their order does not matter.
#[must_use]
#[inline]
pub fn bits(position: &Position) -> u64 {
    u64::from(position.x.to_bits())
}

type Places = QueryState<&'static Position>;

/// Look-ups in a world; the way is a type of its own, so that its loop is compiled alone.
struct Get<F> {
    world: World,
    query: Places,
    entities: Vec<Entity>,
    sum: u64,
    way: F,
}

impl<F: FnMut(&World, &mut Places, &[Entity]) -> u64> Work for Get<F> {
    fn run(&mut self) {
        self.sum = (self.way)(&self.world, &mut self.query, &self.entities);
    }

    fn result(&mut self) -> u64 {
        self.sum
    }
}

fn get(
    size: usize,
    seed: u64,
    way: impl FnMut(&World, &mut Places, &[Entity]) -> u64 + 'static,
) -> Box<dyn Work> {
    let mut world = World::new();
    let spawned = world.spawn_batch((0..size).map(|entity| moving(seed, entity)));
    let mut entities: Vec<Entity> = spawned.collect();
    shuffle(&mut entities, seed);
    let query = world.query();
    Box::new(Get {
        world,
        query,
        entities,
        sum: 0,
        way,
    })
}

fn by_world(size: usize, seed: u64) -> Box<dyn Work> {
    get(size, seed, |world, _, entities| {
        let found = entities
            .iter()
            .map(|&entity| bits(world.get::<Position>(entity).expect("it lives")));
        found.fold(0, u64::wrapping_add)
    })
}

fn by_query(size: usize, seed: u64) -> Box<dyn Work> {
    get(size, seed, |world, query, entities| {
        let query = query.view(world);
        let found = entities
            .iter()
            .map(|&entity| bits(query.get(entity).expect("it lives")));
        found.fold(0, u64::wrapping_add)
    })
}

fn by_list(size: usize, seed: u64) -> Box<dyn Work> {
    get(size, seed, |world, query, entities| {
        let query = query.view(world);
        query
            .iter_many(entities)
            .map(bits)
            .fold(0, u64::wrapping_add)
    })
}

/// R: a location, then the row.
struct ByHand {
    table: Table,
    handles: Vec<Handle>,
    sum: u64,
}

fn by_hand(size: usize, seed: u64) -> Box<dyn Work> {
    let mut table = Table::new(size);
    let mut open = table.open();
    let rows = (0..size).map(|entity| {
        let (transform, _, rotation, velocity) = rich(entity);
        (transform, moving(seed, entity).0, rotation, velocity)
    });
    let mut handles: Vec<Handle> = rows.map(|row| open.spawn(row)).collect();
    shuffle(&mut handles, seed);
    Box::new(ByHand {
        table,
        handles,
        sum: 0,
    })
}

impl Work for ByHand {
    fn run(&mut self) {
        let table = self.table.open();
        let found = self
            .handles
            .iter()
            .map(|&handle| bits(table.position(handle).expect("it lives")));
        self.sum = found.fold(0, u64::wrapping_add);
    }

    fn result(&mut self) -> u64 {
        self.sum
    }
}

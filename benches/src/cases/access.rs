//! Looking up single entities in random order, and scanning for changes.

use std::hint::black_box;

use orrery_ecs::{Entity, QueryState, World};
use orrery_math::Random;

use super::SEED;
use super::population::{Position, moving, moving_world};
use crate::harness::{Case, Expected, Goal, Work};

const EXPECTED_SMALL: Expected = Expected {
    smoke: 0x0000_0031_fe00_5f48,
    full: 0x0000_137c_1a04_69cc,
};
const EXPECTED_LARGE: Expected = Expected {
    smoke: 0x0000_1190_b6e6_a3aa,
    full: 0x0007_8f02_61c7_2fee,
};

/// What the random numbers of this file are for.
const PURPOSE_SHUFFLE: u32 = 4;

pub(super) fn cases() -> Vec<Case> {
    let get = Case {
        name: "get_10k_shuffled",
        reference: None,
        smoke: 100,
        full: 10_000,
        seed: SEED,
        bytes_each: 0,
        goal: Goal::NanosEachMax(1.4),
        expected: EXPECTED_SMALL,
        prepare: |size, seed| Box::new(Get(Shuffled::new(size, seed))),
    };
    vec![
        get,
        Case {
            name: "get_10k_shuffled_by_query",
            prepare: |size, seed| Box::new(GetByQuery(Shuffled::new(size, seed))),
            ..get
        },
        Case {
            name: "get_1m_shuffled_by_query",
            smoke: 9_001,
            full: 1_000_000,
            goal: Goal::Open,
            expected: EXPECTED_LARGE,
            prepare: |size, seed| Box::new(GetByQuery(Shuffled::new(size, seed))),
            ..get
        },
        Case {
            name: "changes_1m_untouched",
            smoke: 9_001,
            full: 1_000_000,
            goal: Goal::NanosMax(5_000.0),
            expected: Expected::both(0),
            prepare: changes,
            ..get
        },
    ]
}

/// Handles in random order, and the sum of what they led to.
struct Shuffled {
    world: World,
    query: QueryState<&'static Position>,
    entities: Vec<Entity>,
    /// Of bit patterns, so that the order of summing does not matter.
    sum: u64,
}

impl Shuffled {
    fn new(size: usize, seed: u64) -> Self {
        let mut world = World::new();
        let spawned = world.spawn_batch((0..size).map(|entity| moving(seed, entity)));
        let mut entities: Vec<Entity> = spawned.collect();
        for last in (1..entities.len()).rev() {
            let mut draws = Random::new(seed).at(0, last as u64, PURPOSE_SHUFFLE);
            entities.swap(last, draws.below(last as u32 + 1) as usize);
        }
        let query = world.query();
        Self {
            world,
            query,
            entities,
            sum: 0,
        }
    }
}

struct Get(Shuffled);

impl Work for Get {
    fn run(&mut self) {
        let world = &self.0.world;
        let found = self.0.entities.iter().map(|&entity| {
            let position = world.get::<Position>(entity).expect("it lives");
            u64::from(position.x.to_bits())
        });
        self.0.sum = found.fold(0, u64::wrapping_add);
    }

    fn result(&mut self) -> u64 {
        self.0.sum
    }
}

struct GetByQuery(Shuffled);

impl Work for GetByQuery {
    fn run(&mut self) {
        let query = self.0.query.view(&self.0.world);
        let found = self.0.entities.iter().map(|&entity| {
            let position = query.get(entity).expect("it lives");
            u64::from(position.x.to_bits())
        });
        self.0.sum = found.fold(0, u64::wrapping_add);
    }

    fn result(&mut self) -> u64 {
        self.0.sum
    }
}

/// Asks which blocks changed since everything was written: none.
struct Changes {
    world: World,
    tick: u64,
    found: usize,
}

fn changes(size: usize, seed: u64) -> Box<dyn Work> {
    let mut world = moving_world(size, seed);
    let tick = world.change_tick();
    world.advance_change_tick();
    Box::new(Changes {
        world,
        tick,
        found: usize::MAX,
    })
}

impl Work for Changes {
    fn run(&mut self) {
        let tick = black_box(self.tick);
        self.found = self.world.changed_since::<Position>(tick).count();
    }

    fn result(&mut self) -> u64 {
        self.found as u64
    }
}

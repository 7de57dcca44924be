//! Despawning a million 100-byte entities one by one, in order and shuffled.

use orrery_ecs::{Entity, World};

use super::SEED;
use super::population::{rich, shuffle};
use crate::harness::{Case, Expected, Goal, Work};
use crate::reference::{Handle, Table};

/// Handles that are dead afterwards: all.
const EXPECTED: Expected = Expected {
    smoke: 9_001,
    full: 1_000_000,
};

pub(super) fn cases() -> Vec<Case> {
    let case = |name, reference, goal, prepare| Case {
        name,
        reference,
        smoke: 9_001,
        full: 1_000_000,
        seed: SEED,
        bytes_each: 0,
        goal,
        expected: EXPECTED,
        prepare,
    };
    let each = Goal::NanosEachMax;
    vec![
        case(
            "despawn_1m_in_order_reference",
            None,
            Goal::Open,
            |size, seed| by_hand(size, seed, Order::Spawned),
        ),
        case(
            "despawn_1m_shuffled_reference",
            None,
            Goal::Open,
            |size, seed| by_hand(size, seed, Order::Shuffled),
        ),
        case(
            "despawn_1m_in_order",
            Some("despawn_1m_in_order_reference"),
            each(18.0),
            |size, seed| despawning(size, seed, Order::Spawned),
        ),
        case(
            "despawn_1m_shuffled",
            Some("despawn_1m_shuffled_reference"),
            each(150.0),
            |size, seed| despawning(size, seed, Order::Shuffled),
        ),
    ]
}

/// In which order entities go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// As they came.
    Spawned,
    /// At random.
    Shuffled,
}

impl Order {
    /// Brings handles into this order.
    pub fn arrange<T>(self, handles: &mut [T], seed: u64) {
        if self == Self::Shuffled {
            shuffle(handles, seed);
        }
    }
}

struct Despawning {
    world: World,
    size: usize,
    seed: u64,
    order: Order,
    entities: Vec<Entity>,
}

fn despawning(size: usize, seed: u64, order: Order) -> Box<dyn Work> {
    Box::new(Despawning {
        world: World::new(),
        size,
        seed,
        order,
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
        let world = &self.world;
        assert!(world.is_empty(), "{} entities are left", world.len());
        let dead = |entity: &&Entity| !world.contains(**entity);
        self.entities.iter().filter(dead).count() as u64
    }

    fn needs_reset(&self) -> bool {
        true
    }

    fn reset(&mut self) {
        self.world.clear();
        self.entities.clear();
        let spawned = self.world.spawn_batch((0..self.size).map(rich));
        self.entities.extend(spawned);
        self.order.arrange(&mut self.entities, self.seed);
    }
}

/// R: a table written by hand.
struct ByHand {
    table: Table,
    size: usize,
    seed: u64,
    order: Order,
    handles: Vec<Handle>,
}

fn by_hand(size: usize, seed: u64, order: Order) -> Box<dyn Work> {
    Box::new(ByHand {
        table: Table::new(size),
        size,
        seed,
        order,
        handles: Vec::new(),
    })
}

impl Work for ByHand {
    fn run(&mut self) {
        let mut table = self.table.open();
        for &handle in &self.handles {
            assert!(table.despawn(handle), "every entity lives");
        }
    }

    fn result(&mut self) -> u64 {
        assert!(self.table.is_empty());
        let table = self.table.open();
        let dead = |handle: &&Handle| table.position(**handle).is_none();
        self.handles.iter().filter(dead).count() as u64
    }

    fn needs_reset(&self) -> bool {
        true
    }

    fn reset(&mut self) {
        self.table.clear();
        self.table.fill(self.size);
        self.handles.clear();
        self.handles.extend(self.table.entities());
        self.order.arrange(&mut self.handles, self.seed);
    }
}

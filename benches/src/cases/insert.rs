//! Adding a component to 10,000 entities and removing it again: one by one, by query, and where
//! it is stored apart in a sparse set.
//!
//! One by one, the elements are operations: each entity has two. By query they are entities.

use std::marker::PhantomData;

use orrery_ecs::{Bundle, Component, Entity, With, World};

use super::SEED;
use super::population::{DIGEST_START, Mark, Position, Rich, Small, digest, rich};
use crate::harness::{Case, Expected, Goal, Work};
use crate::reference::{Columns, Flat, Moves, SparseSet};

/// What the component holds.
pub const MARK: f32 = 1.5;

const EXPECTED: Expected = Expected {
    smoke: 0x85df_3427_769d_8375,
    full: 0xe7b4_e2e3_6cd4_9065,
};

pub(super) fn cases() -> Vec<Case> {
    let each = |name, reference, goal, prepare| Case {
        name,
        reference,
        smoke: 200,
        full: 20_000,
        seed: SEED,
        bytes_each: 0,
        goal,
        expected: EXPECTED,
        prepare,
    };
    let all = |name, reference, goal, prepare| Case {
        smoke: 100,
        full: 10_000,
        ..each(name, reference, goal, prepare)
    };
    let most = Goal::NanosEachMax;
    let (small, rich) = ("insert_10k_small_reference", "insert_10k_100b_reference");
    let (query, sparse) = (
        "insert_10k_by_query_reference",
        "insert_10k_sparse_reference",
    );
    vec![
        each(small, None, Goal::Open, |n, _| small_by_hand(n / 2, false)),
        each(rich, None, Goal::Open, |n, _| rich_by_hand(n / 2)),
        all(query, None, Goal::Open, |n, _| small_by_hand(n, true)),
        each(sparse, None, Goal::Open, |n, _| sparse_by_hand(n / 2)),
        each("insert_10k_small", Some(small), most(22.0), |n, _| {
            inserting::<Small, Mark>(n / 2, insert_each::<Mark>, remove_each::<Mark>)
        }),
        each("insert_10k_100b", Some(rich), most(60.0), |n, _| {
            inserting::<Rich, Mark>(n / 2, insert_each::<Mark>, remove_each::<Mark>)
        }),
        all("insert_10k_by_query", Some(query), most(3.0), |n, _| {
            inserting::<Small, Mark>(n, insert_by_query, remove_by_query)
        }),
        each(
            "insert_10k_small_sparse",
            Some(sparse),
            most(10.0),
            |n, _| {
                inserting::<Small, SparseMark>(
                    n / 2,
                    insert_each::<SparseMark>,
                    remove_each::<SparseMark>,
                )
            },
        ),
        each(
            "insert_10k_100b_sparse",
            Some(sparse),
            most(10.0),
            |n, _| {
                inserting::<Rich, SparseMark>(
                    n / 2,
                    insert_each::<SparseMark>,
                    remove_each::<SparseMark>,
                )
            },
        ),
    ]
}

/// The component where it is stored apart.
#[derive(Clone, Copy, Debug, PartialEq, Component)]
#[component(sparse)]
pub struct SparseMark(pub f32);

/// What an entity has besides the component: 4 bytes or 100.
pub trait Body: Copy {
    /// The body of one entity.
    fn of(entity: usize) -> Self;
    /// A lane that tells it from the others.
    fn lane(entity: usize) -> f32 {
        entity as f32
    }
}

impl Body for Small {
    fn of(entity: usize) -> Self {
        Self(entity as f32)
    }
}

impl Body for Rich {
    fn of(entity: usize) -> Self {
        rich(entity)
    }
}

/// What must come out: the entities' own lanes in order of their handles, which no move may mix
/// up, and the component of as many entities as got it.
#[must_use]
pub fn outcome(lanes: &[f32], marks: impl Iterator<Item = f32>) -> u64 {
    let marks = marks.map(|mark| u64::from(mark.to_bits()));
    digest(lanes, DIGEST_START) ^ marks.fold(0, u64::wrapping_add)
}

/// How our world reads the lane of a body.
trait Lane: Body + Bundle {
    fn read(world: &World, entity: Entity) -> Option<f32>;
}

impl Lane for Small {
    fn read(world: &World, entity: Entity) -> Option<f32> {
        world.get::<Self>(entity).map(|small| small.0)
    }
}

impl Lane for Rich {
    fn read(world: &World, entity: Entity) -> Option<f32> {
        world.get::<Position>(entity).map(|position| position.x)
    }
}

/// A component that holds a lane.
trait Marking: Component + Copy {
    fn new(value: f32) -> Self;
    fn value(&self) -> f32;
}

impl Marking for Mark {
    fn new(value: f32) -> Self {
        Self(value)
    }

    fn value(&self) -> f32 {
        self.0
    }
}

impl Marking for SparseMark {
    fn new(value: f32) -> Self {
        Self(value)
    }

    fn value(&self) -> f32 {
        self.0
    }
}

/// Adds the component to all entities, or removes it.
type Change = fn(&mut World, &[Entity]);

struct Inserting<B, M: Marking> {
    world: World,
    entities: Vec<Entity>,
    insert: Change,
    remove: Change,
    types: PhantomData<(B, M)>,
}

impl<B, M: Marking> Inserting<B, M> {
    /// The component where entities have it.
    fn marks(&self) -> impl Iterator<Item = f32> {
        let found = |&entity| self.world.get::<M>(entity).map(M::value);
        self.entities.iter().filter_map(found)
    }
}

fn inserting<B: Lane, M: Marking>(count: usize, insert: Change, remove: Change) -> Box<dyn Work> {
    let mut world = World::new();
    let entities = world.spawn_batch((0..count).map(B::of)).collect();
    Box::new(Inserting::<B, M> {
        world,
        entities,
        insert,
        remove,
        types: PhantomData,
    })
}

impl<B: Lane, M: Marking> Work for Inserting<B, M> {
    fn run(&mut self) {
        (self.insert)(&mut self.world, &self.entities);
        (self.remove)(&mut self.world, &self.entities);
    }

    fn result(&mut self) -> u64 {
        assert_eq!(self.marks().count(), 0, "all were removed");
        (self.insert)(&mut self.world, &self.entities);
        let lane = |&entity| B::read(&self.world, entity).expect("it lives and keeps its body");
        let lanes: Vec<f32> = self.entities.iter().map(lane).collect();
        let result = outcome(&lanes, self.marks());
        (self.remove)(&mut self.world, &self.entities);
        result
    }
}

fn insert_each<M: Marking>(world: &mut World, entities: &[Entity]) {
    for &entity in entities {
        world.insert(entity, M::new(MARK)).expect("it lives");
    }
}

fn remove_each<M: Marking + Bundle>(world: &mut World, entities: &[Entity]) {
    for &entity in entities {
        assert_eq!(world.remove::<M>(entity), Ok(true), "it has the component");
    }
}

fn insert_by_query(world: &mut World, entities: &[Entity]) {
    let count = world.insert_where::<With<Small>, _>(Mark(MARK));
    assert_eq!(count, entities.len(), "all have the small component");
}

fn remove_by_query(world: &mut World, entities: &[Entity]) {
    let count = world.remove_where::<With<Small>, Mark>();
    assert_eq!(count, entities.len(), "all have both");
}

/// Adds the component to so many entities written by hand, or removes it.
type ByHandChange<C> = fn(&mut Moves<C>, usize);

/// R: two archetypes written by hand.
struct ByHand<C> {
    moves: Moves<C>,
    count: usize,
    insert: ByHandChange<C>,
    remove: ByHandChange<C>,
    lane: fn(&C, usize) -> f32,
}

impl<C: Columns> Work for ByHand<C> {
    fn run(&mut self) {
        (self.insert)(&mut self.moves, self.count);
        (self.remove)(&mut self.moves, self.count);
    }

    fn result(&mut self) -> u64 {
        assert!(self.moves.marks().is_empty(), "all were removed");
        (self.insert)(&mut self.moves, self.count);
        let lane = |entity| {
            let (columns, row) = self.moves.find(entity);
            (self.lane)(columns, row)
        };
        let lanes: Vec<f32> = (0..self.count).map(lane).collect();
        let result = outcome(&lanes, self.moves.marks().iter().copied());
        (self.remove)(&mut self.moves, self.count);
        result
    }
}

fn small_by_hand(count: usize, all_at_once: bool) -> Box<dyn Work> {
    let moves = Moves::new(
        count,
        Flat::from_fn(count, Small::of),
        Flat::from_fn(count, |_| Small(0.0)),
    );
    let lane = |columns: &Flat<Small>, row: usize| columns.values()[row].0;
    by_hand(moves, count, all_at_once, lane)
}

fn rich_by_hand(count: usize) -> Box<dyn Work> {
    let columns = |rows: fn(usize) -> Rich| {
        (
            Flat::from_fn(count, |row| rows(row).0),
            Flat::from_fn(count, |row| rows(row).1),
            Flat::from_fn(count, |row| rows(row).2),
            Flat::from_fn(count, |row| rows(row).3),
        )
    };
    let moves = Moves::new(count, columns(rich), columns(|_| rich(0)));
    by_hand(moves, count, false, |columns, row| {
        columns.1.values()[row].x
    })
}

fn by_hand<C: Columns + 'static>(
    moves: Moves<C>,
    count: usize,
    all_at_once: bool,
    lane: fn(&C, usize) -> f32,
) -> Box<dyn Work> {
    let (insert, remove): (ByHandChange<C>, ByHandChange<C>) = if all_at_once {
        (
            |moves, _| moves.open().insert_all(MARK),
            |moves, _| moves.open().remove_all(),
        )
    } else {
        (
            |moves, count| {
                let mut moves = moves.open();
                (0..count).for_each(|entity| assert!(moves.insert(entity, MARK)));
            },
            |moves, count| {
                let mut moves = moves.open();
                (0..count).for_each(|entity| assert!(moves.remove(entity)));
            },
        )
    };
    Box::new(ByHand {
        moves,
        count,
        insert,
        remove,
        lane,
    })
}

/// R where the component is stored apart.
struct SparseByHand {
    set: SparseSet,
    lanes: Vec<f32>,
}

fn sparse_by_hand(count: usize) -> Box<dyn Work> {
    Box::new(SparseByHand {
        set: SparseSet::new(count),
        lanes: (0..count).map(Small::lane).collect(),
    })
}

impl SparseByHand {
    fn insert(&mut self) {
        let (mut set, count) = (self.set.open(), self.lanes.len());
        (0..count).for_each(|entity| assert!(set.insert(entity, MARK)));
    }

    fn remove(&mut self) {
        let (mut set, count) = (self.set.open(), self.lanes.len());
        (0..count).for_each(|entity| assert!(set.remove(entity)));
    }
}

impl Work for SparseByHand {
    fn run(&mut self) {
        self.insert();
        self.remove();
    }

    fn result(&mut self) -> u64 {
        assert!(self.set.values().is_empty(), "all were removed");
        self.insert();
        let result = outcome(&self.lanes, self.set.values().iter().copied());
        self.remove();
        result
    }
}

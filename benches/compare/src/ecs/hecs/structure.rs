//! Entities that come and go, and components that do.

use hecs::{ColumnBatchBuilder, ColumnBatchType, DynamicBundle, Entity, World};
use orrery_benches::cases::despawn::Order;
use orrery_benches::cases::insert::{Body, MARK, outcome};
use orrery_benches::cases::population::{
    Mark, Position, Rich, Rotation, Small, Transform, Velocity, rich,
};
use orrery_benches::harness::Work;

use super::digest_of;

struct Spawn {
    world: World,
    size: usize,
    fresh: bool,
    spawn: fn(&mut World, usize),
}

pub(crate) fn spawn_fresh(size: usize, _: u64) -> Box<dyn Work> {
    spawning(size, true, batch)
}

pub(crate) fn spawn_recycled(size: usize, _: u64) -> Box<dyn Work> {
    spawning(size, false, batch)
}

pub(crate) fn spawn_columns(size: usize, _: u64) -> Box<dyn Work> {
    spawning(size, false, columns)
}

pub(crate) fn spawn_one_by_one(size: usize, _: u64) -> Box<dyn Work> {
    spawning(size, false, one_by_one)
}

fn spawning(size: usize, fresh: bool, spawn: fn(&mut World, usize)) -> Box<dyn Work> {
    let mut world = World::new();
    spawn(&mut world, size);
    Box::new(Spawn {
        world,
        size,
        fresh,
        spawn,
    })
}

fn batch(world: &mut World, size: usize) {
    world.spawn_batch((0..size).map(rich));
}

fn columns(world: &mut World, size: usize) {
    fn fill<T: Send + Sync + 'static>(
        builder: &ColumnBatchBuilder,
        values: impl Iterator<Item = T>,
    ) {
        let mut writer = builder.writer::<T>().expect("the batch has this column");
        for value in values {
            assert!(writer.push(value).is_ok(), "the column has room");
        }
    }
    let mut columns = ColumnBatchType::new();
    columns.add_bundle::<Rich>();
    let builder = columns.into_batch(size as u32);
    fill(&builder, (0..size).map(|row| rich(row).0));
    fill(&builder, (0..size).map(|row| rich(row).1));
    fill(&builder, (0..size).map(|row| rich(row).2));
    fill(&builder, (0..size).map(|row| rich(row).3));
    let batch = builder.build().expect("all columns are full");
    world.spawn_column_batch(batch);
}

fn one_by_one(world: &mut World, size: usize) {
    for entity in 0..size {
        world.spawn(rich(entity));
    }
}

impl Work for Spawn {
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
        if self.fresh {
            self.world = World::new();
        } else {
            self.world.clear();
        }
    }
}

struct Despawn {
    world: World,
    size: usize,
    seed: u64,
    order: Order,
    entities: Vec<Entity>,
}

pub(crate) fn despawn_in_order(size: usize, seed: u64) -> Box<dyn Work> {
    despawning(size, seed, Order::Spawned)
}

pub(crate) fn despawn_shuffled(size: usize, seed: u64) -> Box<dyn Work> {
    despawning(size, seed, Order::Shuffled)
}

fn despawning(size: usize, seed: u64, order: Order) -> Box<dyn Work> {
    Box::new(Despawn {
        world: World::new(),
        size,
        seed,
        order,
        entities: Vec::new(),
    })
}

impl Work for Despawn {
    fn run(&mut self) {
        for &entity in &self.entities {
            self.world.despawn(entity).expect("every entity lives");
        }
    }

    fn result(&mut self) -> u64 {
        assert!(self.world.is_empty());
        let dead = |entity: &&Entity| !self.world.contains(**entity);
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

struct Insert {
    world: World,
    entities: Vec<Entity>,
    lane: fn(&World, Entity) -> f32,
}

pub(crate) fn insert_small(operations: usize, _: u64) -> Box<dyn Work> {
    let body = |entity| (Small::of(entity),);
    inserting(operations / 2, body, |world, entity| {
        world.get::<&Small>(entity).expect("it lives").0
    })
}

pub(crate) fn insert_rich(operations: usize, _: u64) -> Box<dyn Work> {
    inserting(operations / 2, rich, |world, entity| {
        world.get::<&Position>(entity).expect("it lives").x
    })
}

/// One by one: hecs moves no whole archetypes.
pub(crate) fn insert_by_query(entities: usize, seed: u64) -> Box<dyn Work> {
    insert_small(2 * entities, seed)
}

fn inserting<B: DynamicBundle>(
    count: usize,
    body: fn(usize) -> B,
    lane: fn(&World, Entity) -> f32,
) -> Box<dyn Work> {
    let mut world = World::new();
    let entities = (0..count).map(|entity| world.spawn(body(entity)));
    let entities = entities.collect();
    Box::new(Insert {
        world,
        entities,
        lane,
    })
}

impl Insert {
    fn insert(&mut self) {
        for &entity in &self.entities {
            let mark = Mark(MARK);
            self.world.insert_one(entity, mark).expect("it lives");
        }
    }

    fn remove(&mut self) {
        for &entity in &self.entities {
            let mark = self.world.remove_one::<Mark>(entity);
            assert_eq!(mark, Ok(Mark(MARK)));
        }
    }
}

impl Work for Insert {
    fn run(&mut self) {
        self.insert();
        self.remove();
    }

    fn result(&mut self) -> u64 {
        self.insert();
        let lanes = self.entities.iter();
        let lanes: Vec<f32> = lanes
            .map(|&entity| (self.lane)(&self.world, entity))
            .collect();
        let marks = self.world.query_mut::<&Mark>().into_iter();
        let result = outcome(&lanes, marks.map(|mark| mark.0));
        self.remove();
        result
    }
}

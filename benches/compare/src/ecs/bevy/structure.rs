//! Entities that come and go, and components that do.

use bevy_ecs::component::Mutable;
use bevy_ecs::prelude::{Bundle, Component, Entity, QueryState, World};
use orrery_benches::cases::despawn::Order;
use orrery_benches::cases::insert::{MARK, outcome};
use orrery_benches::cases::population;
use orrery_benches::harness::Work;

use super::{Lanes, Position, Rotation, Small, Transform, Velocity, digest_of, rich};

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
            self.world.clear_entities();
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
            assert!(self.world.despawn(entity), "every entity lives");
        }
    }

    fn result(&mut self) -> u64 {
        let world = &self.world;
        assert_eq!(world.entities().count_spawned(), 0);
        let dead = |entity: &&Entity| world.get_entity(**entity).is_err();
        self.entities.iter().filter(dead).count() as u64
    }

    fn needs_reset(&self) -> bool {
        true
    }

    fn reset(&mut self) {
        self.world.clear_entities();
        self.entities.clear();
        let spawned = self.world.spawn_batch((0..self.size).map(rich));
        self.entities.extend(spawned);
        self.order.arrange(&mut self.entities, self.seed);
    }
}

/// A component that comes and goes.
trait Marking: Component<Mutability = Mutable> {
    fn new() -> Self;
    fn value(&self) -> f32;
}

macro_rules! marks {
    ($($(#[$storage:meta])? $name:ident)*) => {$(
        #[derive(Component)]
        $(#[$storage])?
        struct $name(f32);

        impl Marking for $name {
            fn new() -> Self {
                Self(MARK)
            }

            fn value(&self) -> f32 {
                self.0
            }
        }
    )*};
}

marks! {
    Mark
    #[component(storage = "SparseSet")] SparseMark
}

struct Insert<M: Marking> {
    world: World,
    entities: Vec<Entity>,
    marks: QueryState<&'static M>,
    lane: fn(&World, Entity) -> f32,
    batch: bool,
}

pub(crate) fn insert_small(operations: usize, _: u64) -> Box<dyn Work> {
    inserting::<_, Mark>(operations / 2, small, small_lane, false)
}

pub(crate) fn insert_rich(operations: usize, _: u64) -> Box<dyn Work> {
    inserting::<_, Mark>(operations / 2, rich, rich_lane, false)
}

pub(crate) fn insert_sparse_small(operations: usize, _: u64) -> Box<dyn Work> {
    inserting::<_, SparseMark>(operations / 2, small, small_lane, false)
}

pub(crate) fn insert_sparse_rich(operations: usize, _: u64) -> Box<dyn Work> {
    inserting::<_, SparseMark>(operations / 2, rich, rich_lane, false)
}

/// Added by one batch; removed one by one, since bevy_ecs has no batch for that.
pub(crate) fn insert_batch(entities: usize, _: u64) -> Box<dyn Work> {
    inserting::<_, Mark>(entities, small, small_lane, true)
}

fn small(entity: usize) -> Small {
    Small(population::Small(entity as f32))
}

fn small_lane(world: &World, entity: Entity) -> f32 {
    world.get::<Small>(entity).expect("it lives").0.0
}

fn rich_lane(world: &World, entity: Entity) -> f32 {
    world.get::<Position>(entity).expect("it lives").lanes()[0]
}

fn inserting<B: Bundle, M: Marking>(
    count: usize,
    body: fn(usize) -> B,
    lane: fn(&World, Entity) -> f32,
    batch: bool,
) -> Box<dyn Work> {
    let mut world = World::new();
    let entities = (0..count).map(|entity| world.spawn(body(entity)).id());
    let entities = entities.collect();
    let marks = world.query();
    Box::new(Insert::<M> {
        world,
        entities,
        marks,
        lane,
        batch,
    })
}

impl<M: Marking> Insert<M> {
    fn insert(&mut self) {
        if self.batch {
            let batch = self.entities.clone().into_iter();
            self.world
                .insert_batch(batch.map(|entity| (entity, M::new())));
            return;
        }
        for &entity in &self.entities {
            self.world.entity_mut(entity).insert(M::new());
        }
    }

    fn remove(&mut self) {
        for &entity in &self.entities {
            self.world.entity_mut(entity).remove::<M>();
        }
    }
}

impl<M: Marking> Work for Insert<M> {
    fn run(&mut self) {
        self.insert();
        self.remove();
    }

    fn result(&mut self) -> u64 {
        assert_eq!(self.marks.iter(&self.world).count(), 0, "all were removed");
        self.insert();
        let lanes = self.entities.iter();
        let lanes: Vec<f32> = lanes
            .map(|&entity| (self.lane)(&self.world, entity))
            .collect();
        let result = outcome(&lanes, self.marks.iter(&self.world).map(M::value));
        self.remove();
        result
    }
}

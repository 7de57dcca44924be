//! Looking up entities, and finding what changed.

use bevy_ecs::change_detection::DetectChangesMut;
use bevy_ecs::prelude::{Changed, Entity, QueryState, World};
use orrery_benches::cases::access::bits;
use orrery_benches::cases::changes::PASSES;
use orrery_benches::cases::pass::step;
use orrery_benches::cases::population::shuffle;
use orrery_benches::harness::Work;

use super::{Acceleration, Position, Velocity, accelerated, digest_of, moving};

struct Get {
    world: World,
    query: QueryState<&'static Position>,
    entities: Vec<Entity>,
    list: bool,
    sum: u64,
}

pub(crate) fn get(size: usize, seed: u64) -> Box<dyn Work> {
    getting(size, seed, false)
}

/// By `iter_many`, which takes the list.
pub(crate) fn get_many(size: usize, seed: u64) -> Box<dyn Work> {
    getting(size, seed, true)
}

fn getting(size: usize, seed: u64, list: bool) -> Box<dyn Work> {
    let mut world = World::new();
    let spawned = world.spawn_batch((0..size).map(move |entity| moving(seed, entity)));
    let mut entities: Vec<Entity> = spawned.collect();
    shuffle(&mut entities, seed);
    let query = world.query();
    Box::new(Get {
        world,
        query,
        entities,
        list,
        sum: 0,
    })
}

impl Work for Get {
    fn run(&mut self) {
        let query = self.query.query(&self.world);
        self.sum = if self.list {
            let found = query.iter_many(&self.entities);
            found.fold(0, |sum: u64, position| {
                sum.wrapping_add(bits(&position.expect("it lives").0))
            })
        } else {
            self.entities.iter().fold(0, |sum: u64, &entity| {
                sum.wrapping_add(bits(&query.get(entity).expect("it lives").0))
            })
        };
    }

    fn result(&mut self) -> u64 {
        self.sum
    }
}

struct Changes {
    world: World,
    query: QueryState<(), Changed<Position>>,
    found: usize,
}

pub(crate) fn changes(size: usize, seed: u64) -> Box<dyn Work> {
    let mut world = World::new();
    world.spawn_batch((0..size).map(move |entity| moving(seed, entity)));
    let mut query = world.query_filtered::<(), Changed<Position>>();
    assert_eq!(query.iter(&world).count(), size, "all are new");
    world.clear_trackers();
    Box::new(Changes {
        world,
        query,
        found: usize::MAX,
    })
}

impl Work for Changes {
    fn run(&mut self) {
        self.found = self.query.iter(&self.world).count();
    }

    fn result(&mut self) -> u64 {
        self.found as u64
    }
}

type Movers = (
    &'static mut Position,
    &'static mut Velocity,
    &'static Acceleration,
);

struct Writes {
    world: World,
    query: QueryState<Movers>,
    marked: bool,
}

pub(crate) fn writes(size: usize, seed: u64) -> Box<dyn Work> {
    writing(size, seed, true)
}

/// The same without marks.
pub(crate) fn writes_unmarked(size: usize, seed: u64) -> Box<dyn Work> {
    writing(size, seed, false)
}

fn writing(size: usize, seed: u64, marked: bool) -> Box<dyn Work> {
    let mut world = World::new();
    world.spawn_batch((0..size).map(move |entity| accelerated(seed, entity)));
    let query = world.query();
    Box::new(Writes {
        world,
        query,
        marked,
    })
}

impl Work for Writes {
    fn run(&mut self) {
        for _ in 0..PASSES {
            let rows = self.query.iter_mut(&mut self.world);
            if self.marked {
                rows.for_each(|(mut position, mut velocity, acceleration)| {
                    step(&mut position.0, &mut velocity.0, &acceleration.0);
                });
            } else {
                rows.for_each(|(mut position, mut velocity, acceleration)| {
                    let position = position.bypass_change_detection();
                    let velocity = velocity.bypass_change_detection();
                    step(&mut position.0, &mut velocity.0, &acceleration.0);
                });
            }
        }
    }

    fn result(&mut self) -> u64 {
        digest_of::<Position>(&mut self.world) ^ digest_of::<Velocity>(&mut self.world)
    }
}

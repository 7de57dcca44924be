//! Looking up entities, and finding what changed.

use hecs::{ChangeTracker, Entity, World};
use orrery_benches::cases::access::bits;
use orrery_benches::cases::changes::PASSES;
use orrery_benches::cases::pass::step;
use orrery_benches::cases::population::{
    Acceleration, Position, Velocity, accelerated, moving, shuffle,
};
use orrery_benches::harness::Work;

use super::digest_of;

struct Get {
    world: World,
    entities: Vec<Entity>,
    sum: u64,
}

pub(crate) fn get(size: usize, seed: u64) -> Box<dyn Work> {
    let mut world = World::new();
    let spawned = world.spawn_batch((0..size).map(|entity| moving(seed, entity)));
    let mut entities: Vec<Entity> = spawned.collect();
    shuffle(&mut entities, seed);
    Box::new(Get {
        world,
        entities,
        sum: 0,
    })
}

/// One after another: hecs looks up no lists.
pub(crate) fn get_many(size: usize, seed: u64) -> Box<dyn Work> {
    get(size, seed)
}

impl Work for Get {
    fn run(&mut self) {
        let view = self.world.view::<&Position>();
        let found = self
            .entities
            .iter()
            .map(|&entity| bits(view.get(entity).expect("it lives")));
        self.sum = found.fold(0, u64::wrapping_add);
    }

    fn result(&mut self) -> u64 {
        self.sum
    }
}

/// hecs compares with copies of all values.
struct Changes {
    world: World,
    tracker: ChangeTracker<Position>,
    found: usize,
}

pub(crate) fn changes(size: usize, seed: u64) -> Box<dyn Work> {
    let mut world = World::new();
    world.spawn_batch((0..size).map(|entity| moving(seed, entity)));
    let mut tracker = ChangeTracker::new();
    assert_eq!(tracker.track(&mut world).added().len(), size);
    Box::new(Changes {
        world,
        tracker,
        found: usize::MAX,
    })
}

impl Work for Changes {
    fn run(&mut self) {
        let mut changes = self.tracker.track(&mut self.world);
        self.found = changes.changed().count();
    }

    fn result(&mut self) -> u64 {
        self.found as u64
    }
}

/// Writes without any marks: hecs has none.
struct Writes(World);

pub(crate) fn writes(size: usize, seed: u64) -> Box<dyn Work> {
    let mut world = World::new();
    world.spawn_batch((0..size).map(|entity| accelerated(seed, entity)));
    Box::new(Writes(world))
}

impl Work for Writes {
    fn run(&mut self) {
        for _ in 0..PASSES {
            let rows = self
                .0
                .query_mut::<(&mut Position, &mut Velocity, &Acceleration)>();
            rows.into_iter()
                .for_each(|(position, velocity, acceleration)| {
                    step(position, velocity, acceleration);
                });
        }
    }

    fn result(&mut self) -> u64 {
        digest_of::<Position>(&mut self.0) ^ digest_of::<Velocity>(&mut self.0)
    }
}

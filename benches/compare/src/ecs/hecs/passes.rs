//! Passes over all entities.

use hecs::{PreparedQuery, World};
use orrery_benches::cases::STEP;
use orrery_benches::cases::archetypes::{Data, ENTITIES, Factor, letter, unordered};
use orrery_benches::cases::inverse::{Matrix, invert_one, turning};
use orrery_benches::cases::pass::{Memory, step};
use orrery_benches::cases::population::{Acceleration, Position, Velocity, accelerated, moving};
use orrery_benches::harness::Work;
use orrery_benches::letters;

use super::digest_of;

struct Walk(World);

pub(crate) fn walk(size: usize, seed: u64) -> Box<dyn Work> {
    let mut world = World::new();
    world.spawn_batch((0..size).map(|entity| moving(seed, entity)));
    Box::new(Walk(world))
}

impl Work for Walk {
    fn run(&mut self) {
        let query = self.0.query_mut::<(&mut Position, &Velocity)>();
        query.into_iter().for_each(|(position, velocity)| {
            position.x += velocity.x * STEP;
            position.y += velocity.y * STEP;
            position.z += velocity.z * STEP;
        });
    }

    fn result(&mut self) -> u64 {
        digest_of::<Position>(&mut self.0)
    }
}

struct Pass {
    world: World,
    memory: Memory,
    threads: usize,
}

fn passing(size: usize, seed: u64, memory: Memory, threads: usize) -> Box<dyn Work> {
    let mut world = World::new();
    world.spawn_batch((0..size).map(|entity| accelerated(seed, entity)));
    Box::new(Pass {
        world,
        memory,
        threads,
    })
}

pub(crate) fn pass(size: usize, seed: u64) -> Box<dyn Work> {
    passing(size, seed, Memory::Warm, 1)
}

pub(crate) fn pass_cold(size: usize, seed: u64) -> Box<dyn Work> {
    passing(size, seed, Memory::Cold, 1)
}

/// By batches on scoped threads: hecs brings no pool.
pub(crate) fn pass_on_two(size: usize, seed: u64) -> Box<dyn Work> {
    passing(size, seed, Memory::Warm, 2)
}

impl Work for Pass {
    fn run(&mut self) {
        type Movers<'a> = (&'a mut Position, &'a mut Velocity, &'a Acceleration);
        if self.threads == 1 {
            let rows = self.world.query_mut::<Movers>().into_iter();
            rows.for_each(|(position, velocity, acceleration)| {
                step(position, velocity, acceleration);
            });
            return;
        }
        let share = self.world.len().div_ceil(self.threads as u32);
        let mut query = self.world.query::<Movers>();
        std::thread::scope(|scope| {
            for batch in query.iter_batched(share) {
                scope.spawn(|| {
                    batch.for_each(|(position, velocity, acceleration)| {
                        step(position, velocity, acceleration);
                    });
                });
            }
        });
    }

    fn result(&mut self) -> u64 {
        digest_of::<Position>(&mut self.world) ^ digest_of::<Velocity>(&mut self.world)
    }

    fn needs_reset(&self) -> bool {
        self.memory.needs_reset()
    }

    fn reset(&mut self) {
        self.memory.prepare();
    }
}

struct Archetypes {
    world: World,
    query: PreparedQuery<&'static mut Data>,
    factor: Factor,
}

pub(crate) fn archetypes(_: usize, _: u64) -> Box<dyn Work> {
    let mut world = World::new();
    let mut entity = 0;
    macro_rules! spawn {
        ($($name:ident)*) => {$(
            for _ in 0..ENTITIES {
                world.spawn((letter::$name(0.0), Data::of(entity)));
                entity += 1;
            }
        )*};
    }
    letters!(spawn);
    Box::new(Archetypes {
        world,
        query: PreparedQuery::new(),
        factor: Factor::default(),
    })
}

impl Work for Archetypes {
    fn run(&mut self) {
        let factor = self.factor.take();
        let rows = self.query.query_mut(&mut self.world);
        rows.for_each(|data| data.0 *= factor);
    }

    fn result(&mut self) -> u64 {
        unordered(
            self.world
                .query_mut::<&Data>()
                .into_iter()
                .map(|data| data.0),
        )
    }
}

struct Inverse(World);

pub(crate) fn inverse(size: usize, _: u64) -> Box<dyn Work> {
    let mut world = World::new();
    world.spawn_batch((0..size).map(turning));
    Box::new(Inverse(world))
}

impl Work for Inverse {
    fn run(&mut self) {
        let rows = self.0.query_mut::<(&mut Matrix, &mut Position)>();
        for (matrix, position) in rows {
            invert_one(&mut matrix.0, position);
        }
    }

    fn result(&mut self) -> u64 {
        digest_of::<Matrix>(&mut self.0) ^ digest_of::<Position>(&mut self.0)
    }
}

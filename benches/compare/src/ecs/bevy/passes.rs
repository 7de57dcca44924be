//! Passes over all entities.

use bevy_ecs::prelude::{Component, QueryState, World};
use orrery_benches::cases::STEP;
use orrery_benches::cases::archetypes::{self, ENTITIES, Factor, unordered};
use orrery_benches::cases::inverse::{self, invert_one, turning};
use orrery_benches::cases::pass::{Memory, step};
use orrery_benches::cases::population;
use orrery_benches::harness::Work;
use orrery_benches::letters;

use super::{Acceleration, Lanes, Position, Velocity, accelerated, digest_of, moving};

/// How the rows of a pass are visited.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    ForEach,
    /// By slices, its nearest to our chunks.
    Contiguous,
    /// Halves of the slices on scoped threads.
    OnTwo,
}

struct Walk {
    world: World,
    query: QueryState<(&'static mut Position, &'static Velocity)>,
    way: Way,
}

pub(crate) fn walk(size: usize, seed: u64) -> Box<dyn Work> {
    walking(size, seed, Way::ForEach)
}

pub(crate) fn walk_contiguous(size: usize, seed: u64) -> Box<dyn Work> {
    walking(size, seed, Way::Contiguous)
}

fn walking(size: usize, seed: u64, way: Way) -> Box<dyn Work> {
    let mut world = World::new();
    world.spawn_batch((0..size).map(move |entity| moving(seed, entity)));
    let query = world.query();
    Box::new(Walk { world, query, way })
}

#[inline]
fn advance(position: &mut population::Position, velocity: &population::Velocity) {
    position.x += velocity.x * STEP;
    position.y += velocity.y * STEP;
    position.z += velocity.z * STEP;
}

impl Work for Walk {
    fn run(&mut self) {
        if self.way == Way::ForEach {
            let rows = self.query.iter_mut(&mut self.world);
            rows.for_each(|(mut position, velocity)| advance(&mut position.0, &velocity.0));
            return;
        }
        let tables = self.query.contiguous_iter_mut(&mut self.world);
        for (mut positions, velocities) in tables.expect("both components are in tables") {
            for (position, velocity) in positions.iter_mut().zip(velocities) {
                advance(&mut position.0, &velocity.0);
            }
        }
    }

    fn result(&mut self) -> u64 {
        digest_of::<Position>(&mut self.world)
    }
}

type Movers = (
    &'static mut Position,
    &'static mut Velocity,
    &'static Acceleration,
);

struct Pass {
    world: World,
    query: QueryState<Movers>,
    memory: Memory,
    way: Way,
}

pub(crate) fn pass(size: usize, seed: u64) -> Box<dyn Work> {
    passing(size, seed, Memory::Warm, Way::ForEach)
}

pub(crate) fn pass_contiguous(size: usize, seed: u64) -> Box<dyn Work> {
    passing(size, seed, Memory::Warm, Way::Contiguous)
}

pub(crate) fn pass_cold(size: usize, seed: u64) -> Box<dyn Work> {
    passing(size, seed, Memory::Cold, Way::ForEach)
}

pub(crate) fn pass_on_two(size: usize, seed: u64) -> Box<dyn Work> {
    passing(size, seed, Memory::Warm, Way::OnTwo)
}

fn passing(size: usize, seed: u64, memory: Memory, way: Way) -> Box<dyn Work> {
    let mut world = World::new();
    world.spawn_batch((0..size).map(move |entity| accelerated(seed, entity)));
    let query = world.query();
    Box::new(Pass {
        world,
        query,
        memory,
        way,
    })
}

fn advance_all(
    positions: &mut [Position],
    velocities: &mut [Velocity],
    accelerations: &[Acceleration],
) {
    let both = positions.iter_mut().zip(velocities);
    for ((position, velocity), acceleration) in both.zip(accelerations) {
        step(&mut position.0, &mut velocity.0, &acceleration.0);
    }
}

impl Work for Pass {
    fn run(&mut self) {
        if self.way == Way::ForEach {
            let rows = self.query.iter_mut(&mut self.world);
            rows.for_each(|(mut position, mut velocity, acceleration)| {
                step(&mut position.0, &mut velocity.0, &acceleration.0);
            });
            return;
        }
        let tables = self.query.contiguous_iter_mut(&mut self.world);
        for (mut positions, mut velocities, accelerations) in tables.expect("all are in tables") {
            let (positions, velocities) = (&mut *positions, &mut *velocities);
            if self.way == Way::Contiguous {
                advance_all(positions, velocities, accelerations);
                continue;
            }
            let half = positions.len() / 2;
            let (p, positions) = positions.split_at_mut(half);
            let (v, velocities) = velocities.split_at_mut(half);
            let (a, accelerations) = accelerations.split_at(half);
            std::thread::scope(|scope| {
                scope.spawn(|| advance_all(p, v, a));
                advance_all(positions, velocities, accelerations);
            });
        }
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

#[derive(Component)]
struct Data(archetypes::Data);

macro_rules! components {
    ($($name:ident)*) => {$(
        #[derive(Component)]
        struct $name(#[expect(dead_code, reason = "it only tells archetypes apart")] f32);
    )*};
}

letters!(components);

struct Archetypes {
    world: World,
    query: QueryState<&'static mut Data>,
    factor: Factor,
}

pub(crate) fn archetypes(_: usize, _: u64) -> Box<dyn Work> {
    let mut world = World::new();
    let mut entity = 0;
    macro_rules! spawn {
        ($($name:ident)*) => {$(
            for _ in 0..ENTITIES {
                world.spawn(($name(0.0), Data(archetypes::Data::of(entity))));
                entity += 1;
            }
        )*};
    }
    letters!(spawn);
    let query = world.query();
    Box::new(Archetypes {
        world,
        query,
        factor: Factor::default(),
    })
}

impl Work for Archetypes {
    fn run(&mut self) {
        let factor = self.factor.take();
        let tables = self.query.contiguous_iter_mut(&mut self.world);
        for mut data in tables.expect("it is in tables") {
            for data in data.iter_mut() {
                data.0.0 *= factor;
            }
        }
    }

    fn result(&mut self) -> u64 {
        unordered(self.query.iter(&self.world).map(|data| data.0.0))
    }
}

#[derive(Component)]
struct Matrix(inverse::Matrix);

impl Lanes for Matrix {
    fn lanes(&self) -> &[f32] {
        &self.0.0
    }
}

struct Inverse {
    world: World,
    query: QueryState<(&'static mut Matrix, &'static mut Position)>,
}

pub(crate) fn inverse(size: usize, _: u64) -> Box<dyn Work> {
    let mut world = World::new();
    world.spawn_batch((0..size).map(|entity| {
        let (matrix, position) = turning(entity);
        (Matrix(matrix), Position(position))
    }));
    let query = world.query();
    Box::new(Inverse { world, query })
}

impl Work for Inverse {
    fn run(&mut self) {
        for (mut matrix, mut position) in self.query.iter_mut(&mut self.world) {
            invert_one(&mut matrix.0.0, &mut position.0);
        }
    }

    fn result(&mut self) -> u64 {
        digest_of::<Matrix>(&mut self.world) ^ digest_of::<Position>(&mut self.world)
    }
}

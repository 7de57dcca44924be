//! The works of bevy_ecs. Its components are its own types around ours.

use bevy_ecs::prelude::{Component, QueryState, World};
use orrery_benches::cases::STEP;
use orrery_benches::cases::population::{self, DIGEST_START, Purpose, digest, moving, vector};
use orrery_benches::harness::Work;

#[derive(Component)]
struct Position(population::Position);
#[derive(Component)]
struct Velocity(population::Velocity);
#[derive(Component)]
struct Rotation(population::Rotation);
#[derive(Component)]
struct Transform(population::Transform);

struct Walk {
    world: World,
    query: QueryState<(&'static mut Position, &'static Velocity)>,
    contiguous: bool,
}

pub(crate) fn walk(size: usize, seed: u64) -> Box<dyn Work> {
    walking(size, seed, false)
}

/// By slices, its nearest to our chunks.
pub(crate) fn walk_contiguous(size: usize, seed: u64) -> Box<dyn Work> {
    walking(size, seed, true)
}

fn walking(size: usize, seed: u64, contiguous: bool) -> Box<dyn Work> {
    let mut world = World::new();
    world.spawn_batch((0..size).map(move |entity| {
        let (position, velocity) = moving(seed, entity);
        (Position(position), Velocity(velocity))
    }));
    let query = world.query();
    Box::new(Walk {
        world,
        query,
        contiguous,
    })
}

#[inline]
fn step(position: &mut population::Position, velocity: &population::Velocity) {
    position.x += velocity.x * STEP;
    position.y += velocity.y * STEP;
    position.z += velocity.z * STEP;
}

impl Work for Walk {
    fn run(&mut self) {
        if self.contiguous {
            let tables = self.query.contiguous_iter_mut(&mut self.world);
            for (mut positions, velocities) in tables.expect("both components are in tables") {
                for (position, velocity) in positions.iter_mut().zip(velocities) {
                    step(&mut position.0, &velocity.0);
                }
            }
        } else {
            let rows = self.query.iter_mut(&mut self.world);
            rows.for_each(|(mut position, velocity)| step(&mut position.0, &velocity.0));
        }
    }

    fn result(&mut self) -> u64 {
        positions(&mut self.world)
    }
}

struct WalkThree {
    world: World,
    query: QueryState<(
        &'static mut Position,
        &'static mut Rotation,
        &'static Velocity,
    )>,
}

pub(crate) fn walk_three(size: usize, seed: u64) -> Box<dyn Work> {
    let mut world = World::new();
    world.spawn_batch((0..size).map(move |entity| {
        let (position, velocity) = moving(seed, entity);
        let rotation = vector(seed, entity, Purpose::Turn).into();
        (Position(position), Rotation(rotation), Velocity(velocity))
    }));
    let query = world.query();
    Box::new(WalkThree { world, query })
}

impl Work for WalkThree {
    fn run(&mut self) {
        let rows = self.query.iter_mut(&mut self.world);
        rows.for_each(|(mut position, mut rotation, velocity)| {
            step(&mut position.0, &velocity.0);
            rotation.0.x += velocity.0.x * STEP;
            rotation.0.y += velocity.0.y * STEP;
            rotation.0.z += velocity.0.z * STEP;
        });
    }

    fn result(&mut self) -> u64 {
        let mut query = self.world.query::<&Rotation>();
        let rotations = query
            .iter(&self.world)
            .fold(DIGEST_START, |hash, Rotation(r)| {
                digest(&[r.x, r.y, r.z], hash)
            });
        positions(&mut self.world) ^ rotations
    }
}

struct Spawn {
    world: World,
    size: usize,
    fresh: bool,
}

pub(crate) fn spawn_fresh(size: usize, _: u64) -> Box<dyn Work> {
    spawn(size, true)
}

pub(crate) fn spawn_recycled(size: usize, _: u64) -> Box<dyn Work> {
    spawn(size, false)
}

fn spawn(size: usize, fresh: bool) -> Box<dyn Work> {
    let mut world = World::new();
    world.spawn_batch((0..size).map(rich));
    Box::new(Spawn { world, size, fresh })
}

fn rich(entity: usize) -> (Transform, Position, Rotation, Velocity) {
    let (transform, position, rotation, velocity) = population::rich(entity);
    (
        Transform(transform),
        Position(position),
        Rotation(rotation),
        Velocity(velocity),
    )
}

impl Work for Spawn {
    fn run(&mut self) {
        self.world.spawn_batch((0..self.size).map(rich));
    }

    fn result(&mut self) -> u64 {
        let world = &mut self.world;
        let mut query = world.query::<(&Transform, &Velocity)>();
        let start = (DIGEST_START, DIGEST_START);
        let (transforms, velocities) = query.iter(world).fold(start, |hashes, (t, v)| {
            let velocity = [v.0.x, v.0.y, v.0.z];
            (digest(&t.0.0, hashes.0), digest(&velocity, hashes.1))
        });
        transforms ^ positions(world) ^ velocities
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

fn positions(world: &mut World) -> u64 {
    let mut query = world.query::<&Position>();
    query.iter(world).fold(DIGEST_START, |hash, Position(p)| {
        digest(&[p.x, p.y, p.z], hash)
    })
}

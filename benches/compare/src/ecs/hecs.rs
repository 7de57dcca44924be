//! The works of hecs.

use hecs::World;
use orrery_benches::cases::STEP;
use orrery_benches::cases::population::{
    DIGEST_START, Position, Purpose, Rotation, Transform, Velocity, digest, moving, rich, vector,
};
use orrery_benches::harness::Work;

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
        positions(&mut self.0)
    }
}

struct WalkThree(World);

pub(crate) fn walk_three(size: usize, seed: u64) -> Box<dyn Work> {
    let mut world = World::new();
    world.spawn_batch((0..size).map(|entity| {
        let (position, velocity) = moving(seed, entity);
        let rotation: Rotation = vector(seed, entity, Purpose::Turn).into();
        (position, rotation, velocity)
    }));
    Box::new(WalkThree(world))
}

impl Work for WalkThree {
    fn run(&mut self) {
        let query = self
            .0
            .query_mut::<(&mut Position, &mut Rotation, &Velocity)>();
        query
            .into_iter()
            .for_each(|(position, rotation, velocity)| {
                let step = [velocity.x * STEP, velocity.y * STEP, velocity.z * STEP];
                position.x += step[0];
                position.y += step[1];
                position.z += step[2];
                rotation.x += step[0];
                rotation.y += step[1];
                rotation.z += step[2];
            });
    }

    fn result(&mut self) -> u64 {
        let rotations = self.0.query_mut::<&Rotation>().into_iter();
        let rotations = rotations.fold(DIGEST_START, |hash, r| digest(&[r.x, r.y, r.z], hash));
        positions(&mut self.0) ^ rotations
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

impl Work for Spawn {
    fn run(&mut self) {
        self.world.spawn_batch((0..self.size).map(rich));
    }

    fn result(&mut self) -> u64 {
        let transforms = self.world.query_mut::<&Transform>().into_iter();
        let transforms = transforms.fold(DIGEST_START, |hash, t| digest(&t.0, hash));
        let velocities = self.world.query_mut::<&Velocity>().into_iter();
        let velocities = velocities.fold(DIGEST_START, |hash, v| digest(&[v.x, v.y, v.z], hash));
        transforms ^ positions(&mut self.world) ^ velocities
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

fn positions(world: &mut World) -> u64 {
    let positions = world.query_mut::<&Position>().into_iter();
    positions.fold(DIGEST_START, |hash, p| digest(&[p.x, p.y, p.z], hash))
}

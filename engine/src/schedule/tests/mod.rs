//! What a schedule promises.

mod conditions;
mod constraints;
mod drawing;
mod failures;
mod orders;
mod random;
mod sync_points;
mod worlds;

use orrery_ecs::{Component, ResMut, Resource, Serial, StateHash, World};

use super::Schedule;

#[derive(Clone, Copy, Component, StateHash)]
struct A(u64);
#[derive(Clone, Copy, Component, StateHash)]
struct B(u64);

/// What ran, in order.
#[derive(Clone, Default, Resource, StateHash)]
struct Log(Vec<u64>);

/// A system that notes a number.
fn note<const N: u64>(mut log: ResMut<Log>) {
    log.0.push(N);
}

fn world() -> World {
    let mut world = World::new();
    world.init_resource::<Log>();
    world
}

/// What one run notes.
fn noted(schedule: &mut Schedule, world: &mut World) -> Vec<u64> {
    world.resource_mut::<Log>().0.clear();
    schedule.run(world, &Serial).expect("nothing is missing");
    world.resource::<Log>().0.clone()
}

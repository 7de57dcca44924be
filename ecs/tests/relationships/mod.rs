//! Relationships: both sides agree whatever is done, in trees and in circles.

mod circles;
mod cleanup;
mod lists;
mod model;
mod told;

use orrery_ecs::{Component, Entity, World};

/// Goes with nobody.
#[derive(Clone, Copy, Debug, PartialEq, Component)]
#[relationship]
struct Likes(Entity);

/// May run in circles, and has a value of its own.
#[derive(Clone, Debug, PartialEq, Component)]
#[relationship(cyclic, target = of)]
struct Sees {
    from: Vec<u8>,
    of: Entity,
}

/// Lies in a sparse set, as the list does.
#[derive(Clone, Copy, Debug, PartialEq, Component)]
#[component(sparse)]
#[relationship(despawn)]
struct HeldBy(Entity);

fn spawn_many(world: &mut World, count: usize) -> Vec<Entity> {
    world.spawn_batch((0..count).map(|_| ())).collect()
}

//! Structural changes while a query is walked over.

use orrery_ecs::{Component, Entity, World};

#[derive(Clone, Copy, Component)]
struct Health(u32);

fn after_it_began(world: &mut World) {
    let mut query = world.query::<&Health>();
    let mut healths = query.iter(world);
    world.spawn(Health(3));
    let _ = healths.next();
}

fn in_its_loop(world: &mut World) {
    let mut query = world.query::<(Entity, &Health)>();
    for (entity, _) in query.iter(world) {
        world.despawn(entity).unwrap();
    }
}

fn main() {}

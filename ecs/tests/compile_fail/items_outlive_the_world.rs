//! What a query gives, kept for longer than the world is borrowed.

use orrery_ecs::{Component, EntityRef, World};

#[derive(Clone, Copy, Component)]
struct Health(u32);

fn of_a_local_world<'a>() -> EntityRef<'a> {
    let mut world = World::new();
    let entity = world.spawn(Health(3)).id();
    world.entity(entity)
}

fn over_a_change(world: &mut World) {
    let mut query = world.query::<&mut Health>();
    let all: Vec<_> = query.iter_mut(world).collect();
    world.spawn(Health(3));
    drop(all);
}

fn over_a_despawn(world: &mut World) {
    let entity = world.spawn(Health(3)).id();
    let health = world.entity(entity).get::<Health>();
    world.entity_mut(entity).despawn();
    let _ = health.map(|health| health.0);
}

fn main() {}

//! A bundle that holds what is no component.

use orrery_ecs::{Bundle, Component, World};

#[derive(Clone, Copy, Component)]
struct Health(f32);

struct Name(&'static str);

#[derive(Bundle)]
struct Animal {
    health: Health,
    name: Name,
}

fn main() {
    let mut world = World::new();
    let entity = world.spawn((Health(1.0), 3_u32)).id();
    world.insert(entity, Name("Ada"));
    world.remove::<(Health, Name)>(entity);
}

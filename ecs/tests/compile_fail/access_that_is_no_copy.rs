//! Write access to a value cannot be copied.

use orrery_ecs::{Component, EntityMut, Mut, World};

#[derive(Clone, Copy, Component)]
#[component(track)]
struct Health(u32);

fn is_clone<T: Clone>(_: &T) {}

fn copies(health: Mut<Health>, entity: EntityMut) {
    is_clone(&health);
    is_clone(&entity);
}

fn main() {
    let mut world = World::new();
    let mut query = world.query::<&mut Health>();
    is_clone(&query.iter_mut(&mut world));
}

//! An entity of a query is no way to the world.

use orrery_ecs::{Component, EntityMut, EntityRef, Query};

#[derive(Clone, Copy, Component)]
struct Health(u32);

fn change(mut all: Query<EntityMut>) {
    for mut entity in &mut all {
        entity.insert(Health(3));
        entity.despawn();
    }
}

fn look(entity: EntityRef) {
    let _ = entity.world();
}

fn main() {}

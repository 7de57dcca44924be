//! Write access to one value cannot be had twice.

use orrery_ecs::{Component, EntityMut, Query};

#[derive(Clone, Copy, Component)]
#[component(track)]
struct Health(u32);

fn of_an_entity(mut entity: EntityMut) {
    let first = entity.get_mut::<Health>();
    let second = entity.get_mut::<Health>();
    drop((first, second));
}

fn moved(entity: EntityMut) {
    let first = entity.into_mut::<Health>();
    drop((first, entity));
}

fn while_read(mut entity: EntityMut) {
    let seen = entity.get::<Health>();
    drop(entity.get_mut::<Health>());
    let _ = seen.map(|health| health.0);
}

fn of_a_query(mut query: Query<&mut Health>) {
    let first = query.iter_mut();
    let second = query.iter_mut();
    drop((first, second));
}

fn main() {}

//! Queries beyond the first steps of `behaviour/queries.rs`.

mod changes;
mod entities;
mod entity_access;
mod entity_forks;
mod filters;
mod lookup;
mod order;
mod sizes;
mod systems;

use orrery_ecs::{Component, Entity, QueryData, QueryFilter, QueryState, World};

/// Rows carry ticks.
#[derive(Clone, Copy, Debug, PartialEq, Component)]
#[component(track)]
pub(crate) struct Health(pub(crate) u32);

/// Rows carry ticks, values are cloned one by one.
#[derive(Clone, Debug, PartialEq, Component)]
#[component(track)]
pub(crate) struct Title(pub(crate) String);

#[derive(Clone, Copy, Debug, PartialEq, Component)]
pub(crate) struct Tag<const NUMBER: usize>(pub(crate) u32);

/// Entities that a query of handles finds.
pub(crate) fn found<F: QueryFilter>(
    query: &mut QueryState<Entity, F>,
    world: &World,
) -> Vec<Entity> {
    query.iter(world).collect()
}

/// A query that takes as new what comes after this moment.
pub(crate) fn from_now<D: QueryData, F: QueryFilter>(world: &mut World) -> QueryState<D, F> {
    let mut query = world.query_filtered::<D, F>();
    query.set_last_run(world.change_tick());
    world.advance_change_tick();
    query
}

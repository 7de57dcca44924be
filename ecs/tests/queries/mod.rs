//! Queries beyond what `promises/queries.rs` says of them.

mod changes;
mod entities;
mod entity_access;
mod entity_forks;
mod filters;
mod lookup;
mod order;
mod sizes;
mod systems;

use crate::support::Num;
use orrery_ecs::{Changed, Component, Entity, QueryData, QueryFilter, QueryState, World};

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

/// Numbers from 0; every third has a tag.
pub(crate) fn two_archetypes(count: u32) -> World {
    let mut world = World::new();
    for i in 0..count {
        match i % 3 {
            0 => drop(world.spawn((Num(i), Tag::<0>(0)))),
            _ => drop(world.spawn(Num(i))),
        }
    }
    world
}

/// A query that takes as new what comes after this moment.
pub(crate) fn from_now<D: QueryData, F: QueryFilter>(world: &mut World) -> QueryState<D, F> {
    let mut query = world.query_filtered::<D, F>();
    query.set_last_run(world.change_tick());
    world.advance_change_tick();
    query
}

/// Healths from 0, each beside a number.
pub(crate) fn healths(count: u32) -> (World, Vec<Entity>) {
    let mut world = World::new();
    let all = world.spawn_batch((0..count).map(|i| (Health(i), Num(i))));
    let all = all.collect();
    (world, all)
}

pub(crate) type OnChange = QueryState<Entity, Changed<Health>>;

//! `check_system` points at the parameters that are none.

use orrery_ecs::{Chunk, Component, Query, Res, ResMut, Resource, World, check_system};

#[derive(Clone, Copy, Component)]
struct Health(f32);

#[derive(Clone, Resource)]
struct Clock(u32);

#[check_system]
fn a_number(_: Query<&Health>, _: f32, _: Res<Clock>) {}

#[check_system]
fn a_component(_: &Health) {}

#[check_system]
fn the_whole_world(_: &mut World) {}

#[check_system]
fn a_borrowed_query(_: &Query<&Health>) {}

#[check_system]
fn generic<T: Component>(_: Query<&T>, _: Option<T>) {}

#[check_system]
fn beside_a_chunk(_: Chunk<&mut Health>, _: ResMut<Clock>, _: Query<&Health>) {}

#[check_system]
fn the_world_and_more(_: &mut World, _: Query<&Health>) {}

fn main() {}

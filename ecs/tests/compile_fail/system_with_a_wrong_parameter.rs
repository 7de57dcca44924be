//! Functions with parameters that are no system parameters, handed over as systems.

use orrery_ecs::{Component, Entity, IntoSystem, Query, Res, World};

#[derive(Clone, Copy, Component)]
struct Health(f32);

fn add<M>(_: impl IntoSystem<M>) {}

fn a_number(_: f32) {}
fn a_component(_: Query<&Health>, _: &Health) {}
fn the_world_and_more(_: &mut World, _: Query<&Health>) {}
fn a_component_as_resource(_: Res<Health>) {}

fn main() {
    add(a_number);
    add(a_component);
    add(the_world_and_more);
    let _ = World::new().run_system_once(|_: Entity| ());
}

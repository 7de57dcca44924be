//! Chunks of queries that give no slices or leave rows out.

use orrery_ecs::{Changed, Chunk, Component, EntityRef, IntoSystem, Ref, ResMut, Resource};

#[derive(Clone, Copy, Component)]
#[component(track)]
struct Health(u32);

#[derive(Clone, Resource)]
struct Clock(u32);

fn some_rows(_: Chunk<&mut Health, Changed<Health>>) {}
fn with_ticks(_: Chunk<Ref<Health>>) {}
fn whole_entities(_: Chunk<EntityRef>) {}

struct Stranger;
fn no_component(_: Chunk<&Stranger>) {}

fn add<M>(_: impl IntoSystem<M>) {}
fn with_a_resource(_: Chunk<&mut Health>, _: ResMut<Clock>) {}

fn main() {
    add(with_a_resource);
}

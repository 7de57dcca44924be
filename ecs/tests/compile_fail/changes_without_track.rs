//! Rows are asked for changes whose component carries no ticks.

use orrery_ecs::{Added, Changed, Component, Entity, Mut, Query, Ref};

#[derive(Clone, Copy, Component)]
struct Health(f32);

fn changed(_: Query<Entity, Changed<Health>>) {}
fn added(_: Query<Entity, Added<Health>>) {}
fn looked(_: Query<Ref<Health>>) {}
fn wrote(_: Query<Mut<Health>>) {}

fn main() {}

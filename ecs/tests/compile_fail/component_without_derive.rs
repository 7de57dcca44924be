//! A type without `#[derive(Component)]` is queried, spawned and asked for.

use orrery_ecs::{Query, With, World};

struct Health(f32);

fn in_rows(_: Query<&Health>) {}
fn to_write(_: Query<&mut Health>) {}
fn as_filter(_: Query<(), With<Health>>) {}

fn main() {
    let mut world = World::new();
    let entity = world.spawn(Health(3.0)).id();
    let _ = world.get::<Health>(entity);
}

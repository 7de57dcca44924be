//! A component that is not `Clone`: its world could not be forked.

use orrery_ecs::{Component, Resource};

#[derive(Component)]
struct Mesh {
    corners: Vec<f32>,
}

#[derive(Resource)]
struct Score(u32);

fn main() {}

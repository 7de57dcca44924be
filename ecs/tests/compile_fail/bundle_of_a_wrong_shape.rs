//! Derives on types of a wrong shape.

use orrery_ecs::{Bundle, Component, SystemParam};

#[derive(Clone, Copy, Component)]
struct Health(f32);

#[derive(Bundle)]
enum Choice {
    Health(Health),
}

#[derive(SystemParam)]
enum Either {
    Nothing,
}

#[derive(Clone, Component)]
#[component(split)]
struct Named {
    name: String,
}

#[derive(Clone, Copy, Component)]
#[component(split, track)]
struct Position {
    x: f32,
}

fn main() {}

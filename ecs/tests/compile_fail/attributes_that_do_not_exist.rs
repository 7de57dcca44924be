//! Options that there are not, or that are written wrongly.

use orrery_ecs::{Component, Resource};

#[derive(Clone, Component)]
#[component(tracked)]
struct A(u32);

#[derive(Clone, Component)]
#[component(storage = "SparseSet")]
struct B(u32);

#[derive(Clone, Component)]
#[component(track = true)]
struct C(u32);

#[derive(Clone, Component)]
#[component]
struct D(u32);

#[derive(Clone, Resource)]
#[resource(track)]
struct E(u32);

fn main() {}

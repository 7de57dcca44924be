//! An option that is given twice, or two that exclude each other.

use orrery_ecs::{Component, Resource};

#[derive(Clone, Component)]
#[component(track, sparse, track)]
struct A(u32);

#[derive(Clone, Resource)]
#[resource(not_state)]
#[resource(not_state)]
struct B(u32);

#[derive(Clone, Default, Component)]
struct Health(u32);

#[derive(Clone, Component)]
#[require(Health, Health = Health(3))]
struct C(u32);

fn main() {}

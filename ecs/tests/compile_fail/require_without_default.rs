//! Required components that cannot be made.

use orrery_ecs::Component;

#[derive(Clone, Component)]
struct Health(u32);

#[derive(Clone, Default)]
struct Name(u32);

#[derive(Clone, Component)]
#[require(Health)]
struct A(u32);

#[derive(Clone, Component)]
#[require(Name)]
struct B(u32);

#[derive(Clone, Component)]
#[require(Health = 3)]
struct C(u32);

fn main() {}

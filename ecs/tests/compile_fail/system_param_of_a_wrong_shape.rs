//! What `derive(SystemParam)` does not take.

use orrery_ecs::{Component, Query, Res, Resource, SystemParam};

#[derive(Clone, Resource)]
struct Wind(f32);

#[derive(Clone, Copy, Component)]
struct Sail;

// Not a struct.
#[derive(SystemParam)]
enum Either<'w> {
    One(Res<'w, Wind>),
}

// A lifetime of another name.
#[derive(SystemParam)]
struct Named<'a> {
    wind: Res<'a, Wind>,
}

// Kept for longer than the run lasts.
#[derive(SystemParam)]
struct Kept {
    wind: Res<'static, Wind>,
}

// The two lifetimes in the wrong order.
#[derive(SystemParam)]
struct Crossed<'w, 's> {
    sails: Query<'s, 'w, &'static Sail>,
}

fn main() {}

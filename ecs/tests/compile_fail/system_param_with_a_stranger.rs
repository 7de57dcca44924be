//! A struct whose fields are no parameters.

use orrery_ecs::{Query, SystemParam};

#[derive(SystemParam)]
struct Falling<'w, 's> {
    bodies: Query<'w, 's, ()>,
    gravity: f32,
}

#[derive(SystemParam)]
struct Exclusive<'w>(&'w mut orrery_ecs::World);

fn main() {}

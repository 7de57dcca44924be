//! A type without `#[derive(Resource)]` as a resource.

use orrery_ecs::{Res, World};

struct Gravity(f32);

fn fall(_: Res<Gravity>) {}

fn main() {
    World::new().insert_resource(Gravity(9.81));
}

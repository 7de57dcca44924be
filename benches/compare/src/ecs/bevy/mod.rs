//! The works of bevy_ecs. Its components are its own types around ours.

mod access;
mod passes;
mod structure;

use bevy_ecs::component::Mutable;
use bevy_ecs::prelude::{Component, World};
use orrery_benches::cases::population::{self, DIGEST_START, digest};

pub(super) use access::{changes, get, get_many, writes, writes_unmarked};
pub(super) use passes::{
    archetypes, inverse, pass, pass_cold, pass_contiguous, pass_on_two, walk, walk_contiguous,
};
pub(super) use structure::{
    despawn_in_order, despawn_shuffled, insert_batch, insert_rich, insert_small,
    insert_sparse_rich, insert_sparse_small, spawn_fresh, spawn_one_by_one, spawn_recycled,
};

/// A component around lanes.
trait Lanes: Component<Mutability = Mutable> {
    fn lanes(&self) -> &[f32];
}

macro_rules! components {
    ($($name:ident($inner:ty))*) => {$(
        #[derive(Component, Clone, Copy)]
        struct $name($inner);

        impl Lanes for $name {
            fn lanes(&self) -> &[f32] {
                bytemuck::cast_slice(std::slice::from_ref(&self.0))
            }
        }
    )*};
}

components! {
    Position(population::Position)
    Velocity(population::Velocity)
    Acceleration(population::Acceleration)
    Rotation(population::Rotation)
    Transform(population::Transform)
    Small(population::Small)
}

/// Digest of one component, in order of rows.
fn digest_of<T: Lanes>(world: &mut World) -> u64 {
    let mut query = world.query::<&T>();
    let values = query.iter(world);
    values.fold(DIGEST_START, |hash, value| digest(value.lanes(), hash))
}

fn moving(seed: u64, entity: usize) -> (Position, Velocity) {
    let (position, velocity) = population::moving(seed, entity);
    (Position(position), Velocity(velocity))
}

fn accelerated(seed: u64, entity: usize) -> (Position, Velocity, Acceleration) {
    let (position, velocity, acceleration) = population::accelerated(seed, entity);
    (
        Position(position),
        Velocity(velocity),
        Acceleration(acceleration),
    )
}

type Rich = (Transform, Position, Rotation, Velocity);

fn rich(entity: usize) -> Rich {
    let (transform, position, rotation, velocity) = population::rich(entity);
    (
        Transform(transform),
        Position(position),
        Rotation(rotation),
        Velocity(velocity),
    )
}

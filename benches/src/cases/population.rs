//! The worlds that cases run in, and the digests they are judged by.
//!
//! The entity is the one of the well-known suite of Rust ECS benchmarks: position, rotation and
//! velocity of three `f32` each, and where a case is about bytes a matrix of 64 more.

use bytemuck::{Pod, Zeroable};
use orrery_ecs::{ChunkQueryData, Component, Lanes, TableComponent, World};
use orrery_math::Random;

use crate::reference::Flat;

macro_rules! vectors {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Component, Pod, Zeroable)]
        #[repr(C)]
        pub struct $name {
            /// To the right.
            pub x: f32,
            /// Upwards.
            pub y: f32,
            /// Towards the viewer.
            pub z: f32,
        }

        impl From<[f32; 3]> for $name {
            fn from([x, y, z]: [f32; 3]) -> Self {
                Self { x, y, z }
            }
        }
    )*};
}

vectors! {
    /// Where an entity is.
    Position
    /// How it moves.
    Velocity
    /// How its velocity changes.
    Acceleration
    /// How it is turned.
    Rotation
}

/// A matrix of four columns, 64 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Component, Pod, Zeroable)]
#[repr(C)]
pub struct Transform(pub [f32; 16]);

/// The small component of entities that get and lose another one.
#[derive(Clone, Copy, Debug, PartialEq, Component, Pod, Zeroable)]
#[repr(C)]
pub struct Small(pub f32);

/// The component that comes and goes.
#[derive(Clone, Copy, Debug, PartialEq, Component, Pod, Zeroable)]
#[repr(C)]
pub struct Mark(pub f32);

/// A position and a velocity.
pub type Moving = (Position, Velocity);

/// 100 bytes in four components.
pub type Rich = (Transform, Position, Rotation, Velocity);

/// What a random number is for; each has its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Where an entity starts.
    Place = 1,
    /// How it moves.
    Motion = 2,
    /// How it is turned.
    Turn = 3,
    /// In which order entities are asked for.
    Shuffle = 4,
    /// How its velocity changes.
    Change = 5,
}

/// Three random lanes of one entity, in `[-1, 1)`.
#[must_use]
pub fn vector(seed: u64, entity: usize, purpose: Purpose) -> [f32; 3] {
    let mut draws = Random::new(seed).at(0, entity as u64, purpose as u32);
    [0; 3].map(|_| draws.range_f32(-1.0, 1.0))
}

/// The entity of the walks.
#[must_use]
pub fn moving(seed: u64, entity: usize) -> Moving {
    (
        vector(seed, entity, Purpose::Place).into(),
        vector(seed, entity, Purpose::Motion).into(),
    )
}

/// The entity of the passes over three components.
#[must_use]
pub fn accelerated(seed: u64, entity: usize) -> (Position, Velocity, Acceleration) {
    let (position, velocity) = moving(seed, entity);
    let acceleration = vector(seed, entity, Purpose::Change).into();
    (position, velocity, acceleration)
}

/// The entity of the cases about bytes. Cheap to make, since spawning it is timed.
#[must_use]
#[inline]
pub fn rich(entity: usize) -> Rich {
    let lane = entity as f32;
    (
        Transform([lane; 16]),
        Position::from([lane, 1.0, 2.0]),
        Rotation::from([lane, 3.0, 4.0]),
        Velocity::from([lane, 5.0, 6.0]),
    )
}

/// A world of entities that move.
#[must_use]
pub fn moving_world(size: usize, seed: u64) -> World {
    let mut world = World::new();
    world.spawn_batch((0..size).map(|entity| moving(seed, entity)));
    world
}

/// A world of 100-byte entities.
#[must_use]
pub fn rich_world(size: usize) -> World {
    let mut world = World::new();
    world.spawn_batch((0..size).map(rich));
    world
}

/// A flat array of what the entities of [`moving_world`] have.
#[must_use]
pub fn flat(size: usize, seed: u64, purpose: Purpose) -> Flat {
    let (mut entity, mut values) = (usize::MAX, [0.0; 3]);
    Flat::from_fn(3 * size, |lane| {
        if entity != lane / 3 {
            entity = lane / 3;
            values = vector(seed, entity, purpose);
        }
        values[lane % 3]
    })
}

/// Puts values into random order.
pub fn shuffle<T>(values: &mut [T], seed: u64) {
    for last in (1..values.len()).rev() {
        let mut draws = Random::new(seed).at(0, last as u64, Purpose::Shuffle as u32);
        values.swap(last, draws.below(last as u32 + 1) as usize);
    }
}

/// Takes write access to every block of what a query writes, and writes nothing.
pub fn touch<D: ChunkQueryData>(world: &mut World) {
    let mut query = world.query::<D>();
    query.view_mut(world).for_each_chunk(|slices| {
        std::hint::black_box(slices);
    });
}

/// Digest of lanes in order: FNV-1a over words, so that order and every bit count.
#[must_use]
pub fn digest(lanes: &[f32], start: u64) -> u64 {
    lanes.iter().fold(start, |hash, lane| {
        (hash ^ u64::from(lane.to_bits())).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Start of a digest.
pub const DIGEST_START: u64 = 0xcbf2_9ce4_8422_2325;

/// Digest of one component of a world, in order of its rows.
pub fn digest_of<T: TableComponent + Pod>(world: &mut World) -> u64 {
    let mut query = world.query::<&T>();
    let mut hash = DIGEST_START;
    query
        .view(world)
        .for_each_chunk(|values| hash = digest(values.lanes(), hash));
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flat_arrays_hold_what_the_world_holds() {
        let mut world = moving_world(5_000, 3);
        let places = flat(5_000, 3, Purpose::Place);
        assert_eq!(
            digest_of::<Position>(&mut world),
            digest(places.lanes(), DIGEST_START)
        );
        let motions = flat(5_000, 3, Purpose::Motion);
        assert_eq!(
            digest_of::<Velocity>(&mut world),
            digest(motions.lanes(), DIGEST_START)
        );
    }

    #[test]
    fn the_digest_sees_order_and_every_bit() {
        let of = |lanes: &[f32]| digest(lanes, DIGEST_START);
        assert_ne!(of(&[1.0, 2.0]), of(&[2.0, 1.0]));
        assert_ne!(of(&[0.0]), of(&[-0.0]));
    }

    #[test]
    fn touching_marks_every_block_and_changes_no_value() {
        let mut world = moving_world(10_000, 3);
        let (before, seen) = (digest_of::<Position>(&mut world), world.change_tick());
        world.advance_change_tick();
        assert_eq!(world.changed_since::<Position>(seen).count(), 0);
        touch::<&mut Position>(&mut world);
        assert_eq!(world.changed_since::<Position>(seen).count(), 3);
        assert_eq!(world.changed_since::<Velocity>(seen).count(), 0);
        assert_eq!(digest_of::<Position>(&mut world), before);
    }
}

//! The works of hecs, on our components: it takes any type.

mod access;
mod passes;
mod structure;

use hecs::{Component, World};
use orrery_benches::cases::population::{DIGEST_START, digest};

pub(super) use access::{changes, get, get_many, writes};
pub(super) use passes::{archetypes, inverse, pass, pass_cold, pass_on_two, walk};
pub(super) use structure::{
    despawn_in_order, despawn_shuffled, insert_by_query, insert_rich, insert_small, spawn_columns,
    spawn_fresh, spawn_one_by_one, spawn_recycled,
};

/// Digest of one component, in order of rows.
fn digest_of<T: Component + bytemuck::Pod>(world: &mut World) -> u64 {
    let values = world.query_mut::<&T>().into_iter();
    values.fold(DIGEST_START, |hash, value| {
        digest(bytemuck::cast_slice(std::slice::from_ref(value)), hash)
    })
}

//! Queries: all entities that have certain components, by rows, blocks or lanes.
//!
//! A [`QueryState`] remembers which archetypes match and where their columns are; it looks only
//! at archetypes made since it was last used. A [`Query`] is a state borrowed together with its
//! world. Both visit archetypes in order of creation and rows in order, on every run.
//!
//! Doors to the same memory, from the most convenient to the fastest:
//!
//! - by entity: [`Query::get`], [`Query::get_many`], [`Query::iter_many`];
//! - rows: `for (position, velocity) in &mut query`, and [`Query::for_each`];
//! - chunks: [`Query::for_each_chunk`] gives the slices of one block, `(&mut [P], &[V])`;
//! - flat lanes: [`Lanes`] reads such a slice as `&mut [f32]`, where the component is plain;
//! - fields: `Fields<&mut P>` gives a slice for each field of a split component.
//!
//! What a query gives is a [`QueryData`], what limits it a [`QueryFilter`]; `data.rs` tells in
//! which steps they run. Storages differ in `source.rs` alone.

mod access;
mod changes;
mod chunk;
mod combinations;
mod data;
mod dynamic;
mod entity;
mod fields;
mod filter;
mod iter;
mod lanes;
mod lookup;
mod many;
mod parallel;
mod reference;
mod sort;
mod source;
mod sparse;
mod state;
mod terms;
mod tuple;
mod view;

pub use changes::{Added, Changed};
pub use chunk::Chunk;
pub use combinations::QueryCombinations;
pub use data::{ArchetypeQueryData, ChunkQueryData, QueryData, ReadOnlyQueryData};
pub use dynamic::{DynamicChunk, DynamicQuery};
pub use entity::{EntityMut, EntityRef};
pub use fields::Fields;
pub use filter::{ArchetypeFilter, QueryFilter, With, Without};
pub use iter::QueryIter;
pub use lanes::Lanes;
pub use many::QueryManyIter;
pub(crate) use parallel::run_each_once;
pub use parallel::{BlockRunner, Serial};
pub(crate) use state::MatchedBy;
pub use state::QueryState;
pub use terms::Has;
pub use tuple::{AnyOf, Or};
pub use view::Query;

pub(crate) use access::{FilteredAccess, Touched};
pub(crate) use source::{BlockRows, Look, Source, prefetch};

#[cfg(test)]
mod tests;

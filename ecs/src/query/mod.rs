//! Queries: all entities that have certain components, by rows, blocks or lanes.
//!
//! A [`QueryState`] remembers which archetypes match and where their columns are; it looks only
//! at archetypes made since it was last used. A [`Query`] is a state borrowed together with its
//! world. Both visit archetypes in order of creation and rows in order, on every run.
//!
//! Doors to the same memory, from the most convenient to the fastest:
//!
//! - rows: `for (position, velocity) in &mut query`, and [`Query::for_each`];
//! - chunks: [`Query::for_each_chunk`] gives the slices of one block, `(&mut [P], &[V])`;
//! - flat lanes: [`Lanes`] reads such a slice as `&mut [f32]`, where the component is plain;
//! - fields: `Fields<&mut P>` gives a slice for each field of a split component.

mod access;
mod chunk;
mod data;
mod dynamic;
mod fields;
mod filter;
mod iter;
mod lanes;
mod state;
mod tuple;

pub(crate) use chunk::run_each_once;
pub use chunk::{BlockRunner, Chunk, Serial};
pub use data::{QueryData, ReadOnlyQueryData};
pub use dynamic::{DynamicChunk, DynamicQuery};
pub use fields::Fields;
pub use filter::{QueryFilter, With, Without};
pub use iter::QueryIter;
pub use lanes::Lanes;
pub use state::{Query, QueryState};

pub(crate) use access::FilteredAccess;

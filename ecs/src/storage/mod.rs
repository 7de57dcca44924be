//! Where component values lie: pool, blocks and columns.
//!
//! ```text
//! Pool (slabs of up to 2 MiB, huge pages)
//!   hands out BlockMemory (64-byte aligned, recycled by size class)
//! Column (one component of one archetype)
//!   list of Slots, shared between forks until one of them changes it
//!     Slot = change tick + Block (4,096 rows; reference-counted, copied on first write)
//! ```
//!
//! Invariants:
//! - rows `0..len` of a column are initialised, all others are plain bytes of the pool;
//! - a block is written only while its reference count is one and its list is not shared;
//! - the first block of a column grows by doubling from 16 rows, every further one is whole.

pub(crate) mod block;
pub(crate) mod column;
pub(crate) mod list;
pub(crate) mod lock;
pub(crate) mod page;
pub(crate) mod pool;
pub(crate) mod shared;
mod slab;

/// Rows of one block, a power of two.
///
/// Measured with AVX2 kernels over blocks in random memory order against one flat array: 256 rows
/// cost 2-2.5 times as much, 1,024 rows 1.1-1.35 times, 4,096 rows 1.0-1.08 times.
///
/// ```
/// use orrery_ecs::{BLOCK_ALIGN, BLOCK_ROWS, Component, World};
/// #[derive(Clone, Copy, Component)]
/// struct Number(u32);
/// let mut world = World::new();
/// world.spawn_batch((0..5000).map(Number));
/// let mut lens = Vec::new();
/// world.query::<&Number>().view(&world).for_each_chunk(|numbers| {
///     assert_eq!(numbers.as_ptr().addr() % BLOCK_ALIGN, 0);
///     lens.push(numbers.len());
/// });
/// assert_eq!(lens, [BLOCK_ROWS, 5000 - BLOCK_ROWS]);
/// ```
pub const BLOCK_ROWS: usize = 4096;

/// Rows of the first block of an archetype before it grows, so that thousands of archetypes with
/// one entity stay cheap.
pub(crate) const FIRST_ROWS: usize = 16;

/// Alignment of every block in bytes: one cache line, two AVX2 lanes.
pub const BLOCK_ALIGN: usize = 64;

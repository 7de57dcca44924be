//! Block by block: the slices that kernels work on, one thread or many.

use std::sync::atomic::{AtomicU64, Ordering};

use smallvec::SmallVec;

use crate::archetype::Archetype;
use crate::entity::Entity;
use crate::query::state::Matched;
use crate::query::{Query, QueryData, QueryFilter};
use crate::world::World;

/// Runs independent pieces of work, numbered from 0, in any order and on any threads.
///
/// The engine's worker pool is one; [`Serial`] runs them one after the other.
///
/// A runner that gives a number twice, or one that is none of these, makes the body panic before
/// it touches anything; one that leaves a number out makes the caller panic.
pub trait BlockRunner: Sync {
    /// Calls `body` once for each number below `count` and returns when all calls have.
    fn for_each(&self, count: usize, body: &(dyn Fn(usize) + Sync));
}

/// Runs pieces of work on the caller's thread, in order.
#[derive(Clone, Copy, Debug, Default)]
pub struct Serial;

impl BlockRunner for Serial {
    fn for_each(&self, count: usize, body: &(dyn Fn(usize) + Sync)) {
        (0..count).for_each(body);
    }
}

/// Runs a piece of work for each number below `count`, and for none twice.
///
/// Any safe code may be a runner, and two calls for one block would share what only one may have,
/// so the numbers given out are remembered: a bit for each, one atomic operation for a block.
pub(crate) fn run_each_once(runner: &dyn BlockRunner, count: usize, body: impl Fn(usize) + Sync) {
    let words = count.div_ceil(64);
    let given: SmallVec<[AtomicU64; 8]> = (0..words).map(|_| AtomicU64::new(0)).collect();
    runner.for_each(count, &|index| {
        assert!(index < count, "the runner gave block {index} of {count}");
        let bit = 1 << (index % 64);
        // Relaxed: it orders nothing, and a read-modify-write sees the newest value anyway.
        let before = given[index / 64].fetch_or(bit, Ordering::Relaxed);
        assert!(before & bit == 0, "the runner gave block {index} twice");
        body(index);
    });
    let done = given
        .iter()
        .map(|word| word.load(Ordering::Relaxed).count_ones());
    let done = done.sum::<u32>() as usize;
    assert!(done == count, "the runner gave {done} blocks of {count}");
}

/// One block of a query: up to 4,096 entities of one archetype.
///
/// A system whose first parameter is a `Chunk` is a chunk system: it sees one block at a time
/// and nothing of the others, so the schedule may spread blocks over threads.
pub struct Chunk<'w, D: QueryData, F: QueryFilter = ()> {
    world: &'w World,
    archetype: &'w Archetype,
    columns: D::Columns,
    block: usize,
    marker: std::marker::PhantomData<(D, F)>,
}

impl<'w, D: QueryData, F: QueryFilter> Chunk<'w, D, F> {
    /// # Safety
    /// The archetype has the block, `columns` are its own, and for `'w` nobody else touches what
    /// the query writes in it, or writes what it reads. `prepare` was called.
    pub(crate) unsafe fn new(world: &'w World, matched: Matched<D::Columns>, block: usize) -> Self {
        let archetype = world.archetype(matched.archetype);
        let marker = std::marker::PhantomData;
        Self {
            world,
            archetype,
            columns: matched.columns,
            block,
            marker,
        }
    }

    /// Entities in the block.
    pub fn len(&self) -> usize {
        self.archetype.rows(self.block)
    }

    /// Whether the block has no entities; a system never gets such a one.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Row of the block's first entity in its archetype.
    pub fn first_row(&self) -> usize {
        self.block * crate::BLOCK_ROWS
    }

    /// Handles of the block's entities.
    pub fn entities(&self) -> &'w [Entity] {
        // SAFETY: the block exists, and handles are only written by structural changes, which
        // need the whole world.
        let fetch = unsafe { Entity::fetch((), self.archetype, self.block, self.world.writer()) };
        // SAFETY: as above.
        unsafe { Entity::slices(fetch, self.len()) }
    }

    /// The block's components: for `(&mut A, &B)` the pair `(&mut [A], &[B])`.
    #[inline]
    pub fn slices(self) -> D::Slices<'w> {
        let to = self.world.writer();
        // SAFETY: the chunk has the exclusive right to what it writes in this block, by `new`.
        let fetch = unsafe { D::fetch(self.columns, self.archetype, self.block, to) };
        // SAFETY: the chunk ends here, so these are the only slices of the block.
        unsafe { D::slices(fetch, self.len()) }
    }
}

/// Every block of the matching archetypes, in order.
pub(crate) fn blocks<'a, C: Copy + 'a>(
    world: &'a World,
    matched: &'a [Matched<C>],
) -> impl Iterator<Item = (Matched<C>, usize)> + 'a {
    matched.iter().flat_map(|&matched| {
        let blocks = world.archetype(matched.archetype).block_count();
        (0..blocks).map(move |block| (matched, block))
    })
}

impl<D: QueryData, F: QueryFilter> Query<'_, '_, D, F> {
    /// Calls a function for each block, in order; it gets slices as long as the block has rows.
    #[inline]
    pub fn for_each_chunk(&mut self, mut each: impl FnMut(D::Slices<'_>)) {
        for (matched, block) in blocks(self.world, self.matched) {
            // SAFETY: the query has the exclusive right to what it writes, and the chunk ends
            // before the next one is made.
            let chunk = unsafe { Chunk::<D, F>::new(self.world, matched, block) };
            each(chunk.slices());
        }
    }

    /// Calls a function for each block on the threads of a runner. The result is the same on any
    /// number of threads, since no call sees another's block.
    ///
    /// # Cost
    /// Collects the list of blocks, then one call for each.
    pub fn par_for_each_chunk(
        &mut self,
        runner: &dyn BlockRunner,
        each: impl Fn(D::Slices<'_>) + Sync,
    ) {
        let (world, list) = (
            self.world,
            blocks(self.world, self.matched).collect::<Vec<_>>(),
        );
        run_each_once(runner, list.len(), |index| {
            let (matched, block) = list[index];
            // SAFETY: the query has the exclusive right to what it writes, and `run_each_once`
            // gives each block to one call.
            let chunk = unsafe { Chunk::<D, F>::new(world, matched, block) };
            each(chunk.slices());
        });
    }
}

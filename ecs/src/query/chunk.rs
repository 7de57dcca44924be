//! Block by block: the slices that kernels work on.

use std::marker::PhantomData;

use super::source::{BlockRows, blocks};
use super::state::MatchedBy;
use super::{ArchetypeFilter, ChunkQueryData, Look, Query, QueryData, QueryFilter};
use crate::archetype::Archetype;
use crate::entity::Entity;
use crate::storage::BLOCK_ROWS;

/// One block of a query: up to 4,096 entities of one archetype.
///
/// A system whose first parameter is a `Chunk` is a chunk system: it sees one block at a time
/// and nothing of the others, so the schedule may spread blocks over threads.
///
/// A filter that decides row by row, as `Changed` does, would leave holes in the slices, so it
/// does not compile:
///
/// ```compile_fail
/// use orrery_ecs::{Changed, Chunk, Component};
/// #[derive(Clone, Copy, Component)]
/// #[component(track)]
/// struct Health(u32);
/// fn heal(chunk: Chunk<&mut Health, Changed<Health>>) {}
/// ```
pub struct Chunk<'w, D: ChunkQueryData, F: ArchetypeFilter = ()> {
    look: Look<'w>,
    archetype: &'w Archetype,
    columns: D::Columns,
    block: BlockRows,
    marker: PhantomData<(D, F)>,
}

impl<'w, D: ChunkQueryData, F: ArchetypeFilter> Chunk<'w, D, F> {
    /// # Safety
    /// The archetype has the block, the matched columns are its own, and for `'w` nobody else
    /// touches what the query writes in it, or writes what it reads. `prepare` was called.
    pub(crate) unsafe fn new(look: Look<'w>, matched: &MatchedBy<D, F>, index: usize) -> Self {
        let archetype = look.world.archetype(matched.archetype);
        Self {
            look,
            archetype,
            columns: matched.columns,
            block: BlockRows {
                index,
                rows: archetype.rows(index),
            },
            marker: PhantomData,
        }
    }

    /// Entities in the block.
    pub fn len(&self) -> usize {
        self.block.rows
    }

    /// Whether the block has no entities; a system never gets such a one.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Row of the block's first entity in its archetype.
    pub fn first_row(&self) -> usize {
        self.block.index * BLOCK_ROWS
    }

    /// Handles of the block's entities.
    pub fn entities(&self) -> &'w [Entity] {
        // SAFETY: the block exists, and handles are only written by structural changes, which
        // need the whole world.
        let fetch = unsafe { Entity::fetch((), self.archetype, self.block, self.look) };
        // SAFETY: as above.
        unsafe { Entity::slices(fetch, self.len()) }
    }

    /// The block's components: for `(&mut A, &B)` the pair `(&mut [A], &[B])`. Slices of a
    /// tracked component for writing mark all its rows as changed.
    ///
    /// ```
    /// use orrery_ecs::{Chunk, Component, World};
    /// #[derive(Clone, Copy, Component)]
    /// struct Number(usize);
    /// let mut world = World::new();
    /// world.spawn_batch((0..5000).map(|_| Number(0)));
    /// world.run_system_once(|chunk: Chunk<&mut Number>| {
    ///     let first = chunk.first_row();
    ///     for (row, number) in chunk.slices().iter_mut().enumerate() {
    ///         number.0 = first + row;
    ///     }
    /// })?;
    /// assert_eq!(world.query::<&Number>().iter(&world).last().map(|last| last.0), Some(4999));
    /// # Ok::<(), orrery_ecs::SystemError>(())
    /// ```
    #[inline]
    pub fn slices(self) -> D::Slices<'w> {
        // SAFETY: the chunk has the exclusive right to what it writes in this block, by `new`.
        let fetch = unsafe { D::fetch(self.columns, self.archetype, self.block, self.look) };
        // SAFETY: the chunk ends here, so these are the only slices of the block.
        unsafe { D::slices(fetch, self.len()) }
    }
}

impl<D: QueryData, F: QueryFilter> Query<'_, '_, D, F> {
    /// Calls a function for each block, in order; it gets slices as long as the block has rows.
    /// Slices of a tracked component for writing mark all its rows as changed.
    ///
    /// What has no slices does not compile: a sparse component, or a filter that decides row by
    /// row.
    ///
    /// ```compile_fail
    /// use orrery_ecs::{Component, InSparseSet, World};
    /// fn visit<T: Component<Storage = InSparseSet>>(world: &mut World) {
    ///     world.query::<&T>().view(world).for_each_chunk(|values| ());
    /// }
    /// ```
    #[inline]
    pub fn for_each_chunk(&mut self, mut each: impl FnMut(D::Slices<'_>))
    where
        D: ChunkQueryData,
        F: ArchetypeFilter,
    {
        let (look, archetypes) = (self.look, self.look.world.archetypes());
        for matched in &self.matches.list {
            // SAFETY: a query has the matches of its world.
            let archetype = unsafe { matched.archetype_in(archetypes) };
            // Most archetypes of a world with many have one block, whose number and place the
            // compiler knows here. One comparison tells: no row wraps to the most there could be.
            let len = archetype.len();
            if len.wrapping_sub(1) < BLOCK_ROWS {
                let block = BlockRows {
                    index: 0,
                    rows: len,
                };
                // SAFETY: the archetype matches, and has the block.
                unsafe { visit::<D>(matched.columns, archetype, block, look, &mut each) };
                continue;
            }
            for block in blocks(archetype, 0) {
                // SAFETY: as above.
                unsafe { visit::<D>(matched.columns, archetype, block, look, &mut each) };
            }
        }
    }
}

/// # Safety
/// - the columns are of the archetype, which has the block;
/// - the caller has the exclusive right to what is written, and the query was prepared.
#[inline(always)]
unsafe fn visit<D: ChunkQueryData>(
    columns: D::Columns,
    archetype: &Archetype,
    block: BlockRows,
    look: Look<'_>,
    each: &mut impl FnMut(D::Slices<'_>),
) {
    // SAFETY: passed on from the caller.
    let fetch = unsafe { D::fetch(columns, archetype, block, look) };
    // SAFETY: the block has that many rows, and its slices end before the next ones are made.
    each(unsafe { D::slices(fetch, block.rows) });
}

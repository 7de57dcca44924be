//! Whole entities as what a query gives.

use super::{EntityMut, EntityRef, EntityRow};
use crate::archetype::{Archetype, ArchetypeId};
use crate::query::data::{ArchetypeQueryData, QueryData, ReadOnlyQueryData};
use crate::query::{BlockRows, FilteredAccess, Look};
use crate::storage::BLOCK_ROWS;
use crate::world::World;

/// A block of entities.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct EntityBlock<'w> {
    look: Look<'w>,
    archetype: &'w Archetype,
    first_row: usize,
}

impl<'w> EntityBlock<'w> {
    fn new(archetype: &'w Archetype, block: BlockRows, look: Look<'w>) -> Self {
        Self {
            look,
            archetype,
            first_row: block.index * BLOCK_ROWS,
        }
    }

    #[inline]
    fn row(self, row: usize) -> EntityRow<'w> {
        let row = self.first_row + row;
        EntityRow {
            look: self.look,
            entity: self.archetype.entity(row),
            place: Some((self.archetype, row)),
        }
    }
}

macro_rules! common {
    ($access:ident) => {
        type State = ();
        type Columns = ();
        type Fetch<'w> = EntityBlock<'w>;
        const BY_ROW: bool = false;

        fn init(_: &mut World) {}

        fn access((): &(), access: &mut FilteredAccess) {
            access.$access();
        }

        fn columns((): &(), _: &Archetype) -> Option<()> {
            Some(())
        }

        #[inline]
        fn shrink<'long: 'short, 'short>(fetch: EntityBlock<'long>) -> EntityBlock<'short> {
            fetch
        }
    };
}

// SAFETY: whatever an entity has, read.
unsafe impl QueryData for EntityRef<'_> {
    type ReadOnly = Self;
    type Item<'w> = EntityRef<'w>;
    common!(read_all);

    fn prepare((): (), _: &mut World, _: ArchetypeId) {}

    #[inline]
    unsafe fn fetch<'w>(
        (): (),
        archetype: &'w Archetype,
        block: BlockRows,
        look: Look<'w>,
    ) -> EntityBlock<'w> {
        EntityBlock::new(archetype, block, look)
    }

    #[inline]
    unsafe fn item<'w>(fetch: Self::Fetch<'w>, row: usize) -> Self::Item<'w> {
        // SAFETY: nobody writes the row, by the caller of `fetch`.
        unsafe { EntityRef::of_row(fetch.row(row)) }
    }
}

// SAFETY: whatever an entity has, written.
unsafe impl<'a> QueryData for EntityMut<'a> {
    type ReadOnly = EntityRef<'a>;
    type Item<'w> = EntityMut<'w>;
    common!(write_all);

    fn prepare((): (), world: &mut World, archetype: ArchetypeId) {
        world.archetype_mut(archetype).unshare_lists();
    }

    fn prepare_run((): &(), world: &mut World) {
        world.own_sparse_sets();
    }

    /// Makes the block ours in every column: later, when a value is asked for, somebody may hold
    /// another row of it.
    unsafe fn fetch<'w>(
        (): (),
        archetype: &'w Archetype,
        block: BlockRows,
        look: Look<'w>,
    ) -> EntityBlock<'w> {
        for column in archetype.columns() {
            // SAFETY: `prepare` unshared the list, and the block is the caller's alone.
            unsafe { column.block_own(block.index, block.rows, look.world.writer()) };
        }
        EntityBlock::new(archetype, block, look)
    }

    #[inline]
    unsafe fn item<'w>(fetch: Self::Fetch<'w>, row: usize) -> Self::Item<'w> {
        // SAFETY: nobody else has the row, by the caller; `fetch` made its block ours, and
        // `prepare_run` the sparse sets.
        unsafe { EntityMut::of_row(fetch.row(row)) }
    }
}

// SAFETY: reads only.
unsafe impl ReadOnlyQueryData for EntityRef<'_> {}
// SAFETY: every row is an entity.
unsafe impl ArchetypeQueryData for EntityRef<'_> {}
// SAFETY: every row is an entity.
unsafe impl ArchetypeQueryData for EntityMut<'_> {}

//! How queries reach the values of a sparse component: row by row, by the entity's handle.

use std::ptr::NonNull;

use super::FilteredAccess;
use super::source::{BlockRows, Look, Source};
use crate::archetype::{Archetype, ArchetypeId};
use crate::component::InSparseSet;
use crate::component::info::ComponentId;
use crate::component::tracking::RowTicks;
use crate::entity::Entity;
use crate::sparse::SparseSet;
use crate::storage::BLOCK_ROWS;
use crate::world::World;

/// The handles of one block, and the set that they are looked up in.
#[derive(Clone, Copy)]
pub struct SparseRows {
    /// None where no entity ever had the component.
    set: Option<NonNull<SparseSet>>,
    handles: NonNull<Entity>,
}

impl SparseRows {
    fn new(id: ComponentId, archetype: &Archetype, block: BlockRows, look: Look<'_>) -> Self {
        let handles = NonNull::from(archetype.handles(block.index)).cast();
        let set = look.world.sparse.get(id).map(NonNull::from);
        Self { set, handles }
    }

    /// The set, and the row of the entity in it.
    ///
    /// # Safety
    /// The block has the row, and the world that `new` looked at is still borrowed.
    #[inline]
    unsafe fn find<'w>(self, row: usize) -> Option<(&'w SparseSet, usize)> {
        // SAFETY: the set is part of the world, which is borrowed, by the caller.
        let set = unsafe { self.set?.as_ref() };
        // SAFETY: the block has the row, by the caller.
        let handle = unsafe { self.handles.add(row) };
        // SAFETY: as above; handles are `Copy`, and only structural changes write them.
        Some((set, set.row(unsafe { handle.read() })?))
    }

    /// # Safety
    /// As `find`, and the row has the component.
    #[inline]
    unsafe fn find_there<'w>(self, row: usize) -> (&'w SparseSet, usize) {
        // SAFETY: passed on from the caller.
        let found = unsafe { self.find(row) };
        found.expect("the row was asked whether it has the component")
    }
}

// SAFETY: any row of any archetype may have the component, and is asked; values are the set's own,
// and `prepare` has made its blocks ours and marked them before anything is written.
unsafe impl Source for InSparseSet {
    const BY_ROW: bool = true;
    type Columns = ComponentId;
    type Block = SparseRows;
    type Rows = SparseRows;
    type Members = SparseRows;
    type Runs = SparseRows;

    fn limit(_: ComponentId, _: bool, _: &mut FilteredAccess) {}

    fn find(id: ComponentId, _: &Archetype) -> Option<ComponentId> {
        Some(id)
    }

    fn prepare(_: ComponentId, _: &mut World, _: ArchetypeId) {}

    /// Blocks of the set are shared by the blocks of all archetypes, so they are made ours, and
    /// marked as changed, before the first of those is visited: several threads may do that.
    fn prepare_run(id: ComponentId, world: &mut World) {
        world.open_sparse_set(id);
    }

    /// Not known without looking at rows.
    unsafe fn changed(_: ComponentId, _: &Archetype, _: BlockRows) -> u64 {
        u64::MAX
    }

    unsafe fn read<'w>(
        columns: ComponentId,
        archetype: &'w Archetype,
        block: BlockRows,
        look: Look<'w>,
    ) -> SparseRows {
        SparseRows::new(columns, archetype, block, look)
    }

    unsafe fn write<'w>(
        columns: ComponentId,
        archetype: &'w Archetype,
        block: BlockRows,
        look: Look<'w>,
    ) -> SparseRows {
        SparseRows::new(columns, archetype, block, look)
    }

    fn rows(block: SparseRows) -> SparseRows {
        block
    }

    unsafe fn runs(_: ComponentId, _: &Archetype, block: SparseRows) -> SparseRows {
        block
    }

    unsafe fn members<'w>(
        columns: ComponentId,
        archetype: &'w Archetype,
        block: BlockRows,
        look: Look<'w>,
    ) -> SparseRows {
        SparseRows::new(columns, archetype, block, look)
    }

    #[inline]
    unsafe fn has(members: SparseRows, row: usize) -> bool {
        // SAFETY: the block has the row, and the query that looks at it borrows the world.
        unsafe { members.find(row) }.is_some()
    }

    #[inline]
    unsafe fn value<T>(rows: SparseRows, row: usize) -> NonNull<T> {
        // SAFETY: as above; the row has the component, by the caller.
        let (set, row) = unsafe { rows.find_there(row) };
        // SAFETY: the set has the row, and sparse components are not split.
        let value = unsafe { set.rows().column(0).row(row) };
        // SAFETY: a row's address is never null.
        unsafe { NonNull::new_unchecked(value.cast()) }
    }

    unsafe fn ticks(runs: SparseRows, row: usize) -> RowTicks {
        // SAFETY: as above.
        let (set, row) = unsafe { runs.find_there(row) };
        let column = set.rows().column(0);
        let found = column.tick_runs(column.block_read(row / BLOCK_ROWS));
        let found = found.expect("`describe` says of a component whether it is tracked");
        // SAFETY: the set has the row.
        unsafe { found.row(row % BLOCK_ROWS) }
    }

    unsafe fn prefetch<T>(_: ComponentId, _: &Archetype, _: usize, _: usize) {}
}

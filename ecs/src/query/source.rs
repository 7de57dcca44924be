//! How queries reach the values of a component: the one place where storages differ.
//!
//! `&T`, `&mut T`, `Ref`, `With`, `Has`, `Changed` and the others are written once, over the
//! [`Source`] of the component's [`Storage`](crate::Storage). Which rows have a component is known
//! apart from its values, because a query may ask for the one without access to the other.

use std::num::NonZeroU32;
use std::ptr::NonNull;

use crate::archetype::{Archetype, ArchetypeId};
use crate::component::InTable;
use crate::component::info::ComponentId;
use crate::component::tracking::{RowTicks, Ticks};
use crate::query::FilteredAccess;
use crate::storage::BLOCK_ROWS;
use crate::storage::column::{BlockPointer, Column, Slots, TickRuns};
use crate::world::World;

/// The world that a query looks at, and when.
#[derive(Clone, Copy)]
pub struct Look<'w> {
    pub(crate) world: &'w World,
    pub(crate) ticks: Ticks,
}

/// A block and the rows in use of it.
#[derive(Clone, Copy)]
pub struct BlockRows {
    pub(crate) index: usize,
    pub(crate) rows: usize,
}

/// The blocks of an archetype that hold rows, in order, from one on.
#[inline]
pub(crate) fn blocks(
    archetype: &Archetype,
    start: usize,
) -> impl Iterator<Item = BlockRows> + use<> {
    let mut left = archetype.len().saturating_sub(start * BLOCK_ROWS);
    (start..).map_while(move |index| {
        if left == 0 {
            return None;
        }
        let rows = left.min(BLOCK_ROWS);
        left -= rows;
        Some(BlockRows { index, rows })
    })
}

/// How queries reach the values of a component.
///
/// # Safety
/// - what `find` gave is used until `list::moves` changes;
/// - `find` is `None` only for archetypes of whose rows none has the component, and for all of
///   those that `limit` excludes;
/// - `BY_ROW` is true unless all rows of an archetype that was found have it;
/// - `members` and `has` do not look at values, nor at what `write` changes;
/// - `value` and `ticks` point to a row's own, valid as long as its block is not written by others.
pub unsafe trait Source {
    /// Whether each row has to be asked for the component.
    const BY_ROW: bool;
    /// Where the values of an archetype's rows are.
    type Columns: Copy + Send + Sync + 'static;
    /// The values of one block, and what lies beside them.
    type Block: Copy;
    /// The values of one block.
    type Rows: Copy;
    /// Which rows of one block have the component.
    type Members: Copy;
    /// The ticks of one block's rows.
    type Runs: Copy;

    /// Limits a query to archetypes that have the component (or lack it), where archetypes know.
    fn limit(id: ComponentId, has: bool, access: &mut FilteredAccess);
    fn find(id: ComponentId, archetype: &Archetype) -> Option<Self::Columns>;
    /// Readies the values of an archetype for `write`: after a fork, which alone shares lists.
    fn prepare(columns: Self::Columns, world: &mut World, archetype: ArchetypeId);
    /// Readies what does not belong to one archetype for `write`: before each run.
    fn prepare_run(id: ComponentId, world: &mut World);
    /// Tick of the last write to a value of a block.
    ///
    /// # Safety
    /// `columns` are of the archetype, which has the block.
    unsafe fn changed(columns: Self::Columns, archetype: &Archetype, block: BlockRows) -> u64;
    /// # Safety
    /// `columns` are of the archetype, which has the block; nobody writes it for `'w`.
    unsafe fn read<'w>(
        columns: Self::Columns,
        archetype: &'w Archetype,
        block: BlockRows,
        look: Look<'w>,
    ) -> Self::Block;
    /// A block for writing, copied first if a fork shares it.
    ///
    /// # Safety
    /// As `read`, and nobody else touches it for `'w`; `prepare` was called since the last fork,
    /// and `prepare_run` since the world was last changed.
    unsafe fn write<'w>(
        columns: Self::Columns,
        archetype: &'w Archetype,
        block: BlockRows,
        look: Look<'w>,
    ) -> Self::Block;
    fn rows(block: Self::Block) -> Self::Rows;
    /// # Safety
    /// The block is of these columns, and the component is tracked.
    unsafe fn runs(columns: Self::Columns, archetype: &Archetype, block: Self::Block)
    -> Self::Runs;
    /// # Safety
    /// `columns` are of the archetype, which has the block.
    unsafe fn members<'w>(
        columns: Self::Columns,
        archetype: &'w Archetype,
        block: BlockRows,
        look: Look<'w>,
    ) -> Self::Members;
    /// # Safety
    /// The block has the row.
    unsafe fn has(members: Self::Members, row: usize) -> bool;
    /// # Safety
    /// The row is one of the block's that have the component, which is `T`.
    unsafe fn value<T>(rows: Self::Rows, row: usize) -> NonNull<T>;
    /// # Safety
    /// The row is one of the block's that have the component.
    unsafe fn ticks(runs: Self::Runs, row: usize) -> RowTicks;
    /// Asks the processor for a row's value ahead of its use.
    ///
    /// # Safety
    /// As `read`, and the block has the row.
    unsafe fn prefetch<T>(columns: Self::Columns, archetype: &Archetype, block: usize, row: usize);
}

/// Position of a column in its archetype, from 1, so that an `Option` of it is as small.
#[derive(Clone, Copy)]
struct ColumnIndex(NonZeroU32);

const _: () = assert!(size_of::<Option<ColumnIndex>>() == 4);

impl ColumnIndex {
    pub(crate) fn of(id: ComponentId, archetype: &Archetype) -> Option<Self> {
        let index = archetype.column_index(id)?;
        NonZeroU32::new(index as u32 + 1).map(Self)
    }

    #[inline]
    fn get(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// A column of an archetype, and where its blocks are listed as long as no list has moved.
#[derive(Clone, Copy)]
pub struct TableColumn {
    index: ColumnIndex,
    slots: Slots,
}

impl TableColumn {
    /// # Safety
    /// The column is of this archetype, and was found since lists moved last.
    #[inline(always)]
    unsafe fn slots(self, archetype: &Archetype) -> Slots {
        // SAFETY: passed on from the caller.
        let now = || unsafe { column(archetype, self) }.slots();
        debug_assert!(self.slots == now(), "the list of blocks has moved");
        self.slots
    }
}

/// The column of a position that was found.
///
/// # Safety
/// The position is of this archetype.
#[inline]
pub(crate) unsafe fn column(archetype: &Archetype, found: TableColumn) -> &Column {
    let (columns, index) = (archetype.columns(), found.index.get());
    debug_assert!(index < columns.len(), "column {index} of {}", columns.len());
    // SAFETY: guaranteed by the caller.
    unsafe { columns.get_unchecked(index) }
}

// SAFETY: an archetype has a column of a component or no row has it; blocks are the
// column's own.
unsafe impl Source for InTable {
    const BY_ROW: bool = false;
    type Columns = TableColumn;
    type Block = BlockPointer;
    type Rows = NonNull<u8>;
    type Members = ();
    type Runs = TickRuns;

    fn limit(id: ComponentId, has: bool, access: &mut FilteredAccess) {
        match has {
            true => access.with(id),
            false => access.without(id),
        }
    }

    fn find(id: ComponentId, archetype: &Archetype) -> Option<TableColumn> {
        let index = ColumnIndex::of(id, archetype)?;
        let slots = archetype.column(index.get()).slots();
        Some(TableColumn { index, slots })
    }

    fn prepare(columns: TableColumn, world: &mut World, archetype: ArchetypeId) {
        let archetype = world.archetype_mut(archetype);
        archetype.column_mut(columns.index.get()).unshare_list();
    }

    fn prepare_run(_: ComponentId, _: &mut World) {}

    unsafe fn changed(columns: TableColumn, archetype: &Archetype, block: BlockRows) -> u64 {
        // SAFETY: guaranteed by the caller.
        unsafe { column(archetype, columns) }.changed(block.index)
    }

    #[inline]
    unsafe fn read<'w>(
        columns: TableColumn,
        archetype: &'w Archetype,
        block: BlockRows,
        _: Look<'w>,
    ) -> BlockPointer {
        // SAFETY: guaranteed by the caller.
        let slots = unsafe { columns.slots(archetype) };
        // SAFETY: as above.
        unsafe { slots.read(block.index) }
    }

    #[inline]
    unsafe fn write<'w>(
        columns: TableColumn,
        archetype: &'w Archetype,
        block: BlockRows,
        look: Look<'w>,
    ) -> BlockPointer {
        // SAFETY: guaranteed by the caller.
        let slots = unsafe { columns.slots(archetype) };
        // SAFETY: guaranteed by the caller.
        let column = || unsafe { column(archetype, columns) };
        // SAFETY: `prepare` unshared the list and the block is the caller's alone.
        unsafe { slots.write(block.index, block.rows, look.world.writer(), column) }
    }

    #[inline]
    fn rows(block: BlockPointer) -> NonNull<u8> {
        block.data
    }

    unsafe fn runs(columns: TableColumn, archetype: &Archetype, block: BlockPointer) -> TickRuns {
        // SAFETY: guaranteed by the caller.
        let runs = unsafe { column(archetype, columns) }.tick_runs(block);
        runs.expect("`describe` says of a component whether it is tracked")
    }

    #[inline]
    unsafe fn members<'w>(_: TableColumn, _: &'w Archetype, _: BlockRows, _: Look<'w>) {}

    #[inline]
    unsafe fn has((): (), _: usize) -> bool {
        true
    }

    #[inline]
    unsafe fn value<T>(rows: NonNull<u8>, row: usize) -> NonNull<T> {
        // SAFETY: the block has the row, by the caller.
        unsafe { rows.cast::<T>().add(row) }
    }

    #[inline]
    unsafe fn ticks(runs: TickRuns, row: usize) -> RowTicks {
        // SAFETY: guaranteed by the caller.
        unsafe { runs.row(row) }
    }

    #[inline]
    unsafe fn prefetch<T>(columns: TableColumn, archetype: &Archetype, block: usize, row: usize) {
        // SAFETY: guaranteed by the caller.
        let slots = unsafe { columns.slots(archetype) };
        // SAFETY: as above.
        let rows = unsafe { slots.read(block) }.data;
        // SAFETY: the block has the row, by the caller.
        prefetch(unsafe { rows.cast::<T>().add(row) });
    }
}

/// Asks the processor for the cache line of an address ahead of its use.
#[inline]
pub(crate) fn prefetch<T>(address: NonNull<T>) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a hint: it reads nothing and never faults.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.as_ptr().cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

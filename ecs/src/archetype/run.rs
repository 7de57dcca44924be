//! Filling rows at the end of an archetype, a block at a time.
//!
//! A run takes the open block once for as many rows as it has room for, and then only copies,
//! with sizes that the compiler knows. Rows count from the moment the run ends, however it ends.

use std::ptr::NonNull;

use smallvec::SmallVec;

use super::Archetype;
use crate::bundle::{Bundle, RequiredColumn};
use crate::entity::EntityTable;
use crate::panics::FirstPanic;
use crate::storage::BLOCK_ROWS;
use crate::storage::column::{BlockPointer, Column, Writer};

/// Rows of one open block that are being filled.
pub(crate) struct Run<'a> {
    archetype: &'a mut Archetype,
    entities: &'a mut EntityTable,
    /// The open block in each column of a bundle, in the bundle's order.
    blocks: SmallVec<[BlockPointer; 8]>,
    columns: &'a [u32],
    /// Row inside the block of the next and of the last.
    next: usize,
    end: usize,
    tick: u64,
}

impl Archetype {
    /// Opens up to `wanted` rows, at least one, in the block that the next row falls into, for a
    /// bundle whose components are in `columns`.
    ///
    /// A user's `clone` may run here, and panic, before anything has changed.
    ///
    /// # Panics
    /// When 2^32 - 2 entities live.
    #[inline]
    pub(crate) fn open_run<'a>(
        &'a mut self,
        entities: &'a mut EntityTable,
        wanted: usize,
        columns: &'a [u32],
        to: Writer<'_>,
    ) -> Run<'a> {
        let wanted = wanted.clamp(1, BLOCK_ROWS);
        entities.assert_room(wanted as u32);
        let open = self.open_next(to);
        let next = self.len % BLOCK_ROWS;
        // SAFETY: it was opened a line above.
        let block = |&column: &u32| unsafe { self.pointer(open, column as usize) };
        Run {
            blocks: columns.iter().map(block).collect(),
            next,
            end: self.block_room().min(next + wanted),
            archetype: self,
            entities,
            columns,
            tick: to.tick,
        }
    }
}

impl Run<'_> {
    /// Rows that are still free.
    #[inline]
    pub(crate) fn left(&self) -> usize {
        self.end - self.next
    }

    /// Fills the next row.
    ///
    /// # Safety
    /// The run was opened for the columns of `B`'s components in their order, and rows are left.
    #[inline]
    pub(crate) unsafe fn push<B: Bundle>(&mut self, bundle: B) {
        debug_assert!(self.left() > 0, "a run is filled as far as it was opened");
        let row = self.next;
        self.next = row + 1;
        if !self.archetype.shape.plain {
            // SAFETY: passed on from the caller.
            return unsafe { self.push_parts(row, bundle) };
        }
        let mut index = 0;
        // Small enough to be inlined, where the size is a constant and the copy a few moves.
        bundle.visit(&mut |value, size_bytes| {
            // SAFETY: the block has room for the row.
            let place = unsafe { self.blocks[index].data.add(row * size_bytes) };
            // SAFETY: `size_bytes` is the component's size, and the value is ours to move.
            unsafe { value.copy_to_nonoverlapping(place.as_ptr(), size_bytes) };
            index += 1;
        });
    }

    /// Fills the rows that are left, as far as there are bundles, where every component is in one
    /// piece.
    ///
    /// A loop of its own: where `push` may hand a bundle to `push_parts`, the bundle has to lie in
    /// memory, and its small pieces are written and read again for each row.
    ///
    /// # Safety
    /// As `push`.
    #[inline]
    pub(crate) unsafe fn fill<B: Bundle>(&mut self, bundles: &mut impl Iterator<Item = B>) {
        if !self.archetype.shape.plain {
            for bundle in bundles.take(self.left()) {
                // SAFETY: passed on from the caller; no more than are left.
                unsafe { self.push(bundle) };
            }
            return;
        }
        let (left, blocks, next) = (self.left(), &self.blocks[..], &mut self.next);
        for bundle in bundles.take(left) {
            let (row, mut index) = (*next, 0);
            bundle.visit(&mut |value, size_bytes| {
                debug_assert!(index < blocks.len(), "a block for each component");
                // SAFETY: the run was opened for the bundle's components, by the caller.
                let block = unsafe { blocks.get_unchecked(index) };
                // SAFETY: the block has room for the row.
                let place = unsafe { block.data.add(row * size_bytes) };
                // SAFETY: `size_bytes` is the component's size, and the value is ours to move.
                unsafe { value.copy_to_nonoverlapping(place.as_ptr(), size_bytes) };
                index += 1;
            });
            *next = row + 1;
        }
    }

    /// Fills a row where a component is in several pieces.
    ///
    /// # Safety
    /// As `push`, for a row of the run.
    #[inline(never)]
    unsafe fn push_parts<B: Bundle>(&self, row: usize, bundle: B) {
        let mut index = 0;
        bundle.visit(&mut |value, _| {
            let (column, block) = (self.column(index), self.blocks[index]);
            // SAFETY: the block has room for the row, and the value is ours to move.
            unsafe { column.put(block, row, value, self.tick) };
            index += 1;
        });
    }

    /// Makes what the bundle brings along in the next row, which does not count yet. A constructor
    /// of the user's may panic here.
    #[inline]
    pub(crate) fn make_next(&self, required: &[RequiredColumn], to: Writer<'_>) {
        if !required.is_empty() {
            self.archetype.make_row(self.next, required, to);
        }
    }

    /// Makes one of the components that the bundle brings along in the next `rows` rows, which do
    /// not count yet. Gives where they begin, and what drops them if they never count.
    ///
    /// A constructor of the user's may panic here; what it made before is dropped then.
    pub(crate) fn make_rows(&self, one: &RequiredColumn, rows: usize, to: Writer<'_>) -> MadeRows {
        let column = &self.archetype.columns[one.column as usize];
        let size_bytes = match column.info().value_parts() {
            [piece] => piece.size_bytes,
            // Split components need no drop, so it does not matter where they begin.
            _ => 0,
        };
        let (archetype, column_index) = (&self.archetype, one.column as usize);
        // SAFETY: the run's block is open, and the borrow keeps it so.
        let block = unsafe { archetype.pointer(archetype.tail(), column_index) };
        let mut made = MadeRows {
            // SAFETY: the row lies inside the block, or one behind its last.
            start: unsafe { block.data.add(self.next * size_bytes) },
            drop: column.info().drop,
            count: 0,
        };
        for row in 0..rows {
            self.archetype
                .make_row(self.next + row, std::slice::from_ref(one), to);
            made.count += 1;
        }
        made
    }

    /// The column of one of the bundle's components.
    pub(crate) fn column(&self, index: usize) -> &Column {
        &self.archetype.columns[self.columns[index] as usize]
    }

    /// Where the next row of a column begins, for components of so many bytes.
    ///
    /// The values belong to nobody until `count` counts their rows.
    pub(crate) fn start_of(&self, index: usize, size_bytes: usize) -> NonNull<u8> {
        // SAFETY: the row lies inside the block, or one behind its last.
        unsafe { self.blocks[index].data.add(self.next * size_bytes) }
    }

    /// Moves a value into a column, `ahead` rows after the next one, without counting it.
    ///
    /// # Safety
    /// More than `ahead` rows are left, and the value is of the column's component.
    pub(crate) unsafe fn put(&self, index: usize, ahead: usize, value: *const u8) {
        let (column, block) = (self.column(index), self.blocks[index]);
        // SAFETY: the block has room for the row; the rest is passed on from the caller.
        unsafe { column.put(block, self.next + ahead, value, self.tick) };
    }

    /// Counts rows that were filled.
    ///
    /// # Safety
    /// All columns hold values in the next `rows` rows, and as many are left.
    pub(crate) unsafe fn count(&mut self, rows: usize) {
        debug_assert!(rows <= self.left(), "rows of this block");
        self.next += rows;
    }
}

/// Values of one column in rows that do not count yet, dropped unless they are kept.
pub(crate) struct MadeRows {
    start: NonNull<u8>,
    drop: Option<unsafe fn(*mut u8, usize)>,
    count: usize,
}

impl MadeRows {
    /// Values in one piece that somebody else has made.
    ///
    /// # Safety
    /// `count` values lie at `start`, which `drop` drops, and belong to nobody.
    pub(crate) unsafe fn new(
        start: NonNull<u8>,
        drop: Option<unsafe fn(*mut u8, usize)>,
        count: usize,
    ) -> Self {
        Self { start, drop, count }
    }

    /// Says that the rows count now.
    pub(crate) fn keep(self) {
        std::mem::forget(self);
    }
}

impl Drop for MadeRows {
    fn drop(&mut self) {
        let mut panicked = FirstPanic::default();
        if let Some(drop) = self.drop {
            // SAFETY: the values were made, and their rows never counted.
            panicked.catch(|| unsafe { drop(self.start.as_ptr(), self.count) });
        }
        // Only reached while another panic is on its way, which is the one to be told.
        panicked.hush();
    }
}

impl Drop for Run<'_> {
    /// Gives the filled rows their entities.
    fn drop(&mut self) {
        let first = self.archetype.len;
        let rows = self.next - first % BLOCK_ROWS;
        if rows == 0 {
            return;
        }
        // SAFETY: the block of the first row is open.
        let handles = unsafe { self.archetype.tail().handles() };
        // SAFETY: the first row lies inside it.
        let handles = unsafe { handles.add(first % BLOCK_ROWS) };
        let handles = NonNull::new(handles).expect("an open block begins somewhere");
        let location = self.archetype.id.location(first);
        // SAFETY: the open block has room for the handles of the rows, which are ours to write.
        unsafe { self.entities.allocate_rows(handles, rows, location) };
        self.archetype.len = first + rows;
    }
}

//! Required components, made where they will lie, before the row counts.

use super::Archetype;
use super::window::Open;
use crate::bundle::RequiredColumn;
use crate::panics::FirstPanic;
use crate::storage::BLOCK_ROWS;
use crate::storage::block::BlockMemory;
use crate::storage::column::{BlockPointer, Writer};

/// Values made in one row that does not count yet; dropped if a later one panics.
struct Made<'a> {
    archetype: &'a Archetype,
    open: Open,
    row: usize,
    required: &'a [RequiredColumn],
    count: usize,
}

impl Archetype {
    /// Makes the components of a row that comes next and does not count yet. A constructor of the
    /// user's may panic here, before anything has changed.
    ///
    /// `ready_push` was called since the last change; those in sparse sets are passed over.
    #[inline]
    pub(crate) fn make_next(&mut self, required: &[RequiredColumn], to: Writer<'_>) {
        if !required.is_empty() {
            self.make_row(self.len % BLOCK_ROWS, required, to);
        }
    }

    /// As `make_next`, for a row of the open block that does not count yet.
    pub(super) fn make_row(&self, row: usize, required: &[RequiredColumn], to: Writer<'_>) {
        let mut made = Made {
            archetype: self,
            open: self.tail(),
            row,
            required,
            count: 0,
        };
        for one in required {
            if !one.is_sparse() {
                made.make(one, to);
            }
            made.count += 1;
        }
        // From here on they are the row's.
        made.count = 0;
    }
}

impl Made<'_> {
    fn block(&self, one: &RequiredColumn) -> BlockPointer {
        // SAFETY: it is open, and the borrow of the archetype keeps it so.
        unsafe { self.archetype.pointer(self.open, one.column as usize) }
    }

    fn make(&self, one: &RequiredColumn, to: Writer<'_>) {
        let column = &self.archetype.columns[one.column as usize];
        let block = self.block(one);
        let layout = column.info().layout;
        if column.info().value_parts().len() == 1 {
            // SAFETY: the block is open at the row, which has room for a value.
            let place = unsafe { block.data.add(self.row * layout.size()) };
            (one.requirement.make)(place.as_ptr());
            if let Some(runs) = column.tick_runs(block) {
                // SAFETY: as above.
                unsafe { runs.set_added(self.row, to.tick) };
            }
            return;
        }
        let room = BlockMemory::new(to.pool, layout.size(), layout.align());
        (one.requirement.make)(room.data().as_ptr());
        // SAFETY: as above; the value was just made, and is forgotten with the memory.
        unsafe { column.put(block, self.row, room.data().as_ptr(), to.tick) };
    }
}

impl Drop for Made<'_> {
    fn drop(&mut self) {
        let mut panicked = FirstPanic::default();
        for one in self.required[..self.count]
            .iter()
            .filter(|one| !one.is_sparse())
        {
            let column = &self.archetype.columns[one.column as usize];
            let block = self.block(one);
            // SAFETY: the value was made, and its row never counted.
            panicked.catch(|| unsafe { column.drop_row(block, self.row) });
        }
        // Only reached with any while a constructor's panic is on its way.
        panicked.hush();
    }
}

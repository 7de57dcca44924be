//! Ticks of a tracked component's rows, in two runs behind the values of each block.

use std::ptr::NonNull;

use super::{BlockPointer, Column, part_start};
use crate::component::tracking::RowTicks;

/// Starts of the ticks of a tracked component's rows in one block.
#[derive(Clone, Copy)]
pub struct TickRuns {
    added: NonNull<u64>,
    changed: NonNull<u64>,
}

impl TickRuns {
    /// Where the ticks of one row are.
    ///
    /// # Safety
    /// `row` lies inside the block.
    #[inline]
    pub(crate) unsafe fn row(self, row: usize) -> RowTicks {
        RowTicks {
            // SAFETY: guaranteed by the caller.
            added: unsafe { self.added.add(row) },
            // SAFETY: guaranteed by the caller.
            changed: unsafe { self.changed.add(row) },
        }
    }

    /// Marks a row as written.
    ///
    /// # Safety
    /// `row` lies inside the block, which is the caller's alone.
    #[inline]
    pub(crate) unsafe fn set_changed(self, row: usize, tick: u64) {
        // SAFETY: guaranteed by the caller.
        let changed = unsafe { self.changed.add(row) };
        // SAFETY: as above.
        unsafe { changed.write(tick) };
    }

    /// Marks a row as new.
    ///
    /// # Safety
    /// As `set_changed`.
    #[inline]
    pub(crate) unsafe fn set_added(self, row: usize, tick: u64) {
        // SAFETY: guaranteed by the caller.
        let added = unsafe { self.added.add(row) };
        // SAFETY: as above.
        unsafe { added.write(tick) };
        // SAFETY: as above.
        unsafe { self.set_changed(row, tick) };
    }
}

impl Column {
    /// Where the ticks of a block's rows are; `None` if the component is not tracked.
    #[inline]
    pub(crate) fn tick_runs(&self, block: BlockPointer) -> Option<TickRuns> {
        if !self.info.tracked {
            return None;
        }
        let start = |part| {
            let start = part_start(&self.info.parts, part, block.capacity);
            // SAFETY: every part starts inside its block.
            unsafe { block.data.add(start) }.cast()
        };
        let first = self.info.value_parts;
        Some(TickRuns {
            added: start(first),
            changed: start(first + 1),
        })
    }
}

//! All rows of a column at once.

use super::{Column, Writer, rows_in_block, split_row};
use crate::component::info::CloneBehavior;
use crate::storage::BLOCK_ROWS;
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl Column {
    /// Whether copying a block that a fork shares runs a user's `clone`, which may panic.
    pub(crate) fn runs_clone(&self) -> bool {
        matches!(self.info.clone, CloneBehavior::Values(_))
    }

    /// The column with all its blocks; leaves an empty one.
    pub(crate) fn take(&mut self) -> Self {
        let slots = std::mem::take(&mut self.slots);
        Self {
            info: Arc::clone(&self.info),
            slots,
        }
    }

    /// Adds the rows of another column of the component behind `len` rows of our own. Where there
    /// are none its blocks become ours.
    ///
    /// # Safety
    /// - we have `len` rows, and room for `count` more unless `len` is 0;
    /// - `other` has `count` rows, of blocks that are its own if copying them runs a `clone`.
    pub(crate) unsafe fn append(
        &mut self,
        len: usize,
        mut other: Self,
        count: usize,
        to: Writer<'_>,
    ) {
        if len == 0 {
            // Blocks in reserve go back; they hold no values.
            self.slots = other.take().slots;
            for slot in self.slots.make_mut() {
                slot.changed.store(to.tick, Ordering::Relaxed);
            }
            return;
        }
        let mut done = 0;
        while done < count {
            let (from, into) = (split_row(done), split_row(len + done));
            let rows = (count - done)
                .min(BLOCK_ROWS - from.1)
                .min(BLOCK_ROWS - into.1);
            let source = other.block_read(from.0);
            // SAFETY: room was made for the rows, by the caller.
            let target = unsafe { self.open(into.0, len + done, to) };
            for index in 0..self.info.parts.len() {
                // SAFETY: the rows exist.
                let source = unsafe { other.part_row(source, index, from.1) };
                // SAFETY: there is room for the rows.
                let target = unsafe { self.part_row(target, index, into.1) };
                let bytes = rows * self.info.parts[index].size_bytes;
                // SAFETY: `rows` rows in two different columns. The values move: `other` is
                // forgotten without dropping them, and a fork that shares its blocks has plain
                // bytes, by the caller.
                unsafe { source.copy_to_nonoverlapping(target, bytes) };
            }
            done += rows;
        }
    }

    /// Takes over from a column that is being replaced since when its rows have the component.
    ///
    /// # Safety
    /// Both have `len` rows of one component.
    pub(crate) unsafe fn keep_added(&mut self, old: &Self, len: usize, to: Writer<'_>) {
        if !self.info.tracked {
            return;
        }
        let part = self.info.value_parts;
        for block in 0..len.div_ceil(BLOCK_ROWS) {
            // SAFETY: the block holds rows.
            let target = unsafe { self.open(block, len, to) };
            // SAFETY: row 0 exists where a block does.
            let target = unsafe { self.part_row(target, part, 0) };
            // SAFETY: as above.
            let source = unsafe { old.part_row(old.block_read(block), part, 0) };
            let bytes = rows_in_block(len, block) * size_of::<u64>();
            // SAFETY: a tick for each row, in two different columns.
            unsafe { source.copy_to_nonoverlapping(target, bytes) };
        }
    }
}

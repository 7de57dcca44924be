//! Filling rows at the end of an archetype, a block at a time.
//!
//! Readying a column for a row costs more than writing a small component: is the list shared, is
//! the block, which tick, which part. A run asks all that once for as many rows as the block has
//! room for, and then only copies, with sizes that the compiler knows.

use smallvec::SmallVec;

use super::Archetype;
use crate::bundle::Bundle;
use crate::entity::Entity;
use crate::storage::BLOCK_ROWS;
use crate::storage::column::Writer;

/// Rows of one block that were readied and not yet filled.
pub(crate) struct Run {
    next: usize,
    end: usize,
    handles: *mut Entity,
    /// Where the next value of each component of a bundle goes, in the bundle's order.
    values: SmallVec<[*mut u8; 8]>,
}

// SAFETY: the pointers are into blocks of the world that the owner of a run borrows exclusively,
// and their components are Send.
unsafe impl Send for Run {}
// SAFETY: a shared run gives access to nothing.
unsafe impl Sync for Run {}

impl Run {
    /// Whether all of its rows are filled.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.next == self.end
    }
}

impl Archetype {
    /// Readies up to `wanted` rows, at least one, in the block that the next row falls into.
    /// `None` where a component is split: its values are no single pieces.
    ///
    /// A user's `clone` may run here, and panic, before anything has changed.
    #[inline]
    pub(crate) fn open_run(
        &mut self,
        wanted: usize,
        columns: &[u32],
        to: Writer<'_>,
    ) -> Option<Run> {
        if !self.plain {
            return None;
        }
        self.ready_push(to);
        let (first, block) = (self.len, self.len / BLOCK_ROWS);
        let room = self.entities.room().min((block + 1) * BLOCK_ROWS);
        // SAFETY: `len` rows are initialised, and `ready_push` made room for the next one.
        let handles = unsafe { self.entities.row_mut(first, first, to) }.cast();
        let values = columns.iter().map(|&column| {
            // SAFETY: as above, for every column; all are plain.
            unsafe { self.columns[column as usize].row_mut(first, first, to) }
        });
        let values = values.collect();
        let end = room.min(first.saturating_add(wanted.max(1)));
        Some(Run {
            next: first,
            end,
            handles,
            values,
        })
    }

    /// Fills the next row of a run and gives its number.
    ///
    /// # Safety
    /// - the run is of this archetype, opened for columns in the order of `B`'s components;
    /// - it is not full, and nothing but it was done to the archetype since it was opened.
    #[inline]
    pub(crate) unsafe fn push_run<B: Bundle>(
        &mut self,
        run: &mut Run,
        entity: Entity,
        bundle: B,
    ) -> usize {
        debug_assert!(
            run.next == self.len && !run.is_full(),
            "a run is filled in order"
        );
        let row = run.next;
        // SAFETY: the row was readied and nothing lies there yet.
        unsafe { run.handles.write(entity) };
        // SAFETY: at most one behind the last row of the block.
        run.handles = unsafe { run.handles.add(1) };
        let mut values = run.values.iter_mut();
        bundle.visit(&mut |value, size_bytes| {
            let place = values
                .next()
                .expect("as many columns as the bundle has components");
            // SAFETY: `size_bytes` is the component's size, the row was readied, and the value
            // is ours to move.
            unsafe { value.copy_to_nonoverlapping(*place, size_bytes) };
            // SAFETY: at most one behind the last row of the block.
            *place = unsafe { place.add(size_bytes) };
        });
        run.next += 1;
        self.len = run.next;
        row
    }
}

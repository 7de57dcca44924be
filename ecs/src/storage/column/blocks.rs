//! Blocks of a column as wholes: copied, added, grown, given back.

use std::ops::Range;
use std::sync::Arc;

use super::{BlockPointer, Column, Slot, SlotInner, Writer, part_start, rows_in_block};
use crate::component::info::CloneBehavior;
use crate::panics::FirstPanic;
use crate::storage::block::BlockMemory;
use crate::storage::pool::Pool;
use crate::storage::shared::Shared;
use crate::storage::{BLOCK_ROWS, FIRST_ROWS};

impl Column {
    /// # Safety
    /// As `block_write`.
    #[cold]
    pub(super) unsafe fn copy_block(
        &self,
        slot: &Slot,
        rows: usize,
        to: Writer<'_>,
    ) -> BlockPointer {
        let old = slot.inner().pointer;
        let memory = self.allocate(old.capacity, to.pool);
        let new = BlockPointer {
            data: memory.data(),
            capacity: old.capacity,
        };
        // SAFETY: both blocks have room for `capacity` rows and `rows` are initialised in the old
        // one, by the caller.
        unsafe { self.clone_rows(old, new, rows) };
        // SAFETY: the caller has exclusive access to this block, and its slot is part of it.
        let inner = unsafe { &mut *slot.inner.get() };
        let shared = std::mem::replace(&mut inner.memory, memory);
        inner.pointer = new;
        // SAFETY: the slot no longer points to the old block, whose `rows` rows are initialised.
        unsafe { self.let_go(shared, old, rows) };
        new
    }

    /// Ends our share in a block that was copied. If the other owners let go meanwhile, its
    /// values are ours to drop.
    ///
    /// # Safety
    /// `block` is the memory's, has `rows` initialised rows, and no slot of ours points to it.
    unsafe fn let_go(&self, memory: Shared<BlockMemory>, block: BlockPointer, rows: usize) {
        if let Some(_memory) = memory.into_inner() {
            // SAFETY: the last owner of these rows; the memory is given back after this.
            unsafe { self.drop_rows(block, 0, rows) };
        }
    }

    fn allocate(&self, capacity: usize, pool: &Arc<Pool>) -> Shared<BlockMemory> {
        let parts = &self.info.parts;
        let size = part_start(parts, parts.len(), capacity);
        BlockMemory::new(pool, size, self.info.layout.align())
    }

    /// # Safety
    /// `from` has `rows` initialised rows, `to` room for as many.
    unsafe fn clone_rows(&self, from: BlockPointer, to: BlockPointer, rows: usize) {
        match self.info.clone {
            // SAFETY: passed on from the caller.
            CloneBehavior::Bytes => unsafe { self.copy_bytes(from, to, rows) },
            CloneBehavior::Values(clone) => {
                // SAFETY: passed on from the caller; only plain components have values to clone.
                unsafe { clone(from.data.as_ptr(), to.data.as_ptr(), rows) };
                let ticks = self.info.value_parts..self.info.parts.len();
                // SAFETY: passed on from the caller.
                unsafe { self.copy_parts(ticks, from, to, rows) };
            }
            // A fork shares the empty block that an archetype keeps in reserve.
            CloneBehavior::Refuse => {
                assert!(rows == 0, "a world with {} is not forked", self.info.name);
            }
        }
    }

    /// # Safety
    /// `from` and `to` have room for `rows` rows and do not overlap.
    unsafe fn copy_bytes(&self, from: BlockPointer, to: BlockPointer, rows: usize) {
        // SAFETY: passed on from the caller.
        unsafe { self.copy_parts(0..self.info.parts.len(), from, to, rows) };
    }

    /// # Safety
    /// As `copy_bytes`, and there are such parts.
    unsafe fn copy_parts(
        &self,
        which: Range<usize>,
        from: BlockPointer,
        to: BlockPointer,
        rows: usize,
    ) {
        let parts = &self.info.parts;
        for index in which {
            let part = parts[index];
            // SAFETY: every part starts inside its block.
            let source = unsafe { from.data.add(part_start(parts, index, from.capacity)) };
            // SAFETY: as above.
            let target = unsafe { to.data.add(part_start(parts, index, to.capacity)) };
            // SAFETY: each part has room for `rows` rows, by the caller.
            unsafe { source.copy_to_nonoverlapping(target, part.size_bytes * rows) };
        }
    }

    /// # Safety
    /// Rows `start..start + count` of the block are initialised and not used afterwards.
    pub(super) unsafe fn drop_rows(&self, block: BlockPointer, start: usize, count: usize) {
        if let Some(drop) = self.info.drop {
            // SAFETY: only plain components have drop glue (the derive refuses a split one), so
            // rows lie one after the other.
            let first = unsafe { block.data.add(start * self.info.layout.size()) };
            // SAFETY: guaranteed by the caller.
            unsafe { drop(first.as_ptr(), count) };
        }
    }

    /// Makes room for rows `len..len + additional`.
    ///
    /// # Safety
    /// The column has `len` initialised rows.
    pub(crate) unsafe fn reserve(&mut self, len: usize, additional: usize, to: Writer<'_>) {
        let needed = len + additional;
        let blocks = needed.div_ceil(BLOCK_ROWS);
        let have = self.slots.len();
        let first = if have > 0 {
            self.block_read(0).capacity
        } else {
            0
        };
        if blocks <= have && (blocks != 1 || needed <= first) {
            return;
        }
        if have > 0 && first < needed.min(BLOCK_ROWS) {
            // SAFETY: `len` rows are initialised, all of them in the first block.
            unsafe { self.grow_first(len, needed, to) };
        }
        while self.slots.len() < blocks {
            let capacity = if self.slots.is_empty() {
                first_capacity(needed)
            } else {
                BLOCK_ROWS
            };
            let memory = self.allocate(capacity, to.pool);
            self.slots.push(Slot::new(memory, capacity, to.tick));
        }
    }

    /// # Safety
    /// The column has `len` initialised rows, all in the first block.
    #[cold]
    unsafe fn grow_first(&mut self, len: usize, needed: usize, to: Writer<'_>) {
        let old = self.block_read(0);
        debug_assert!(len <= old.capacity, "only the first block grows");
        let capacity = first_capacity(needed);
        let memory = self.allocate(capacity, to.pool);
        let new = BlockPointer {
            data: memory.data(),
            capacity,
        };
        // A list that a fork shares is copied here, which counts the block twice.
        let inner = self.slots.make_mut()[0].inner.get_mut();
        let alone = inner.memory.is_unique();
        if alone {
            // SAFETY: the old block has `len` rows, the new one room for them; the old one is
            // given back below without dropping them, so they move.
            unsafe { self.copy_bytes(old, new, len) };
        } else {
            // SAFETY: as above, and the other owner keeps its values.
            unsafe { self.clone_rows(old, new, len) };
        }
        let slot = Slot::new(memory, capacity, to.tick);
        let old_slot = std::mem::replace(&mut self.slots.make_mut()[0], slot);
        if !alone {
            // SAFETY: the slot was replaced, and `len` rows of the old block are initialised.
            unsafe { self.let_go(old_slot.inner.into_inner().memory, old, len) };
        }
    }

    /// Gives back blocks that are no longer needed for `len` rows, but for one in reserve, so
    /// that an archetype on the border of two blocks does not take and give back in turn.
    pub(crate) fn trim(&mut self, len: usize) {
        // Only at the border of two blocks has one become empty.
        if !len.is_multiple_of(BLOCK_ROWS) {
            return;
        }
        let keep = len / BLOCK_ROWS + 1;
        if self.slots.len() > keep {
            self.slots.truncate(keep);
        }
    }

    /// Drops `len` values and gives every block back. Values in blocks that a fork still holds
    /// stay the fork's. A panic in one block's values does not keep those of the others.
    ///
    /// # Safety
    /// The column has exactly `len` initialised rows; it has none afterwards.
    pub(crate) unsafe fn clear(&mut self, len: usize, panicked: &mut FirstPanic) {
        let slots = std::mem::take(&mut self.slots);
        let Some(slots) = slots.into_inner() else {
            return;
        };
        for (block, slot) in slots.into_iter().enumerate() {
            let SlotInner { pointer, memory } = slot.inner.into_inner();
            if let Some(_memory) = memory.into_inner() {
                let rows = rows_in_block(len, block);
                // SAFETY: the last owner of the block; its rows are initialised, by the caller.
                panicked.catch(|| unsafe { self.drop_rows(pointer, 0, rows) });
            }
        }
    }
}

/// Rows of a first block that shall hold `needed`.
fn first_capacity(needed: usize) -> usize {
    needed.next_power_of_two().clamp(FIRST_ROWS, BLOCK_ROWS)
}

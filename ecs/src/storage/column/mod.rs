//! One component of one archetype: a list of blocks.
//!
//! Everything here works on bytes; `ComponentInfo` knows size, drop and clone. Callers (the
//! archetype and the query fetches) guarantee types and row bounds. Blocks and their sharing are
//! here, single rows in `rows.rs`.

mod rows;

use std::cell::UnsafeCell;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::block::BlockMemory;
use super::pool::Pool;
use super::shared::Shared;
use super::{BLOCK_ROWS, FIRST_ROWS};
use crate::component::info::{CloneBehavior, ComponentInfo, Part};
use crate::component::tracking::RowTicks;
use crate::panics::FirstPanic;

/// A block as seen by whoever may access it: start and the rows it has room for.
#[derive(Clone, Copy)]
pub struct BlockPointer {
    pub(crate) data: NonNull<u8>,
    pub(crate) capacity: usize,
}

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
    pub(super) unsafe fn set_changed(self, row: usize, tick: u64) {
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
    pub(super) unsafe fn set_added(self, row: usize, tick: u64) {
        // SAFETY: guaranteed by the caller.
        let added = unsafe { self.added.add(row) };
        // SAFETY: as above.
        unsafe { added.write(tick) };
        // SAFETY: as above.
        unsafe { self.set_changed(row, tick) };
    }
}

struct SlotInner {
    pointer: BlockPointer,
    memory: Shared<BlockMemory>,
}

/// A place in the block list: the block and the tick of the last write access to it.
///
/// The cell lets threads that own different blocks replace theirs through a shared list.
pub(crate) struct Slot {
    inner: UnsafeCell<SlotInner>,
    changed: AtomicU64,
}

// SAFETY: `Column::block_write` is the only writer through a shared slot, and its caller has
// exclusive access to that block.
unsafe impl Sync for Slot {}
// SAFETY: the contents are owned pointers to memory of Send components.
unsafe impl Send for Slot {}

impl Slot {
    fn new(memory: Shared<BlockMemory>, capacity: usize, tick: u64) -> Self {
        let pointer = BlockPointer {
            data: memory.data(),
            capacity,
        };
        let inner = UnsafeCell::new(SlotInner { pointer, memory });
        Self {
            inner,
            changed: AtomicU64::new(tick),
        }
    }

    fn inner(&self) -> &SlotInner {
        // SAFETY: a writer has exclusive access to this block, so nobody reads the slot then.
        unsafe { &*self.inner.get() }
    }
}

impl Clone for Slot {
    fn clone(&self) -> Self {
        let inner = self.inner();
        Self {
            inner: UnsafeCell::new(SlotInner {
                pointer: inner.pointer,
                memory: inner.memory.clone(),
            }),
            changed: AtomicU64::new(self.changed.load(Ordering::Relaxed)),
        }
    }
}

/// What each writing operation needs beside the row.
#[derive(Clone, Copy)]
pub(crate) struct Writer<'a> {
    pub(crate) pool: &'a Arc<Pool>,
    pub(crate) tick: u64,
}

/// All values of one component in one archetype.
pub(crate) struct Column {
    info: Arc<ComponentInfo>,
    slots: Shared<Vec<Slot>>,
}

/// Bytes from the start of a block to its `part`, for a block of `capacity` rows.
#[inline]
pub(crate) fn part_start(parts: &[Part], part: usize, capacity: usize) -> usize {
    parts[..part]
        .iter()
        .map(|p| (p.size_bytes * capacity).next_multiple_of(p.run_align))
        .sum()
}

#[inline]
fn split_row(row: usize) -> (usize, usize) {
    (row / BLOCK_ROWS, row % BLOCK_ROWS)
}

/// Rows of block `block` that are in use when the column has `len` rows.
#[inline]
pub(crate) fn rows_in_block(len: usize, block: usize) -> usize {
    len.saturating_sub(block * BLOCK_ROWS).min(BLOCK_ROWS)
}

impl Column {
    pub(crate) fn new(info: Arc<ComponentInfo>) -> Self {
        Self {
            info,
            slots: Shared::new(Vec::new()),
        }
    }

    pub(crate) fn info(&self) -> &ComponentInfo {
        &self.info
    }

    /// A column that shares every block with this one.
    pub(crate) fn share(&self) -> Self {
        Self {
            info: Arc::clone(&self.info),
            slots: self.slots.clone(),
        }
    }

    /// Prepares the list itself for writing, so that `block_write` may change its slots.
    #[inline]
    pub(crate) fn unshare_list(&mut self) {
        self.slots.make_mut();
    }

    /// Tick of the last write access to a block.
    pub(crate) fn changed(&self, block: usize) -> u64 {
        self.slots[block].changed.load(Ordering::Relaxed)
    }

    #[inline]
    pub(crate) fn block_read(&self, block: usize) -> BlockPointer {
        self.slots[block].inner().pointer
    }

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

    pub(crate) fn memory(&self, block: usize) -> &BlockMemory {
        &self.slots[block].inner().memory
    }

    /// A block for writing: copied first if a fork shares it, and marked as changed.
    ///
    /// # Safety
    /// - the list is not shared (`unshare_list` was called since the last `share`);
    /// - nobody else accesses this block while the pointer is used;
    /// - the column has `rows` initialised rows in this block.
    #[inline]
    pub(crate) unsafe fn block_write(
        &self,
        block: usize,
        rows: usize,
        to: Writer<'_>,
    ) -> BlockPointer {
        let slot = &self.slots[block];
        slot.changed.store(to.tick, Ordering::Relaxed);
        let inner = slot.inner();
        if inner.memory.is_unique() {
            inner.memory.touch();
            return inner.pointer;
        }
        // SAFETY: passed on from the caller.
        unsafe { self.copy_block(slot, rows, to) }
    }

    /// # Safety
    /// As `block_write`.
    #[cold]
    unsafe fn copy_block(&self, slot: &Slot, rows: usize, to: Writer<'_>) -> BlockPointer {
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

    /// Rows that the blocks have room for.
    #[inline]
    pub(crate) fn room(&self) -> usize {
        match self.slots.len() {
            0 => 0,
            1 => self.block_read(0).capacity,
            blocks => blocks * BLOCK_ROWS,
        }
    }

    /// Whether copying a block that a fork shares runs a user's `clone`, which may panic.
    pub(crate) fn runs_clone(&self) -> bool {
        matches!(self.info.clone, CloneBehavior::Values(_))
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
    unsafe fn drop_rows(&self, block: BlockPointer, start: usize, count: usize) {
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
            self.slots
                .make_mut()
                .push(Slot::new(memory, capacity, to.tick));
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
    fn trim(&mut self, len: usize) {
        // Only at the border of two blocks has one become empty.
        if !len.is_multiple_of(BLOCK_ROWS) {
            return;
        }
        let keep = len / BLOCK_ROWS + 1;
        if self.slots.len() > keep {
            self.slots.make_mut().truncate(keep);
        }
    }

    /// Drops `len` values and gives every block back. Values in blocks that a fork still holds
    /// stay the fork's. A panic in one block's values does not keep those of the others.
    ///
    /// # Safety
    /// The column has exactly `len` initialised rows; it has none afterwards.
    pub(crate) unsafe fn clear(&mut self, len: usize, panicked: &mut FirstPanic) {
        let slots = std::mem::replace(&mut self.slots, Shared::new(Vec::new()));
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

    /// Bytes of part `part` of the first `rows` rows of a block.
    ///
    /// # Safety
    /// The rows are initialised, have no padding, and nobody writes to the block meanwhile.
    pub(crate) unsafe fn part_bytes(&self, block: usize, part: usize, rows: usize) -> &[u8] {
        let pointer = self.block_read(block);
        // SAFETY: row 0 exists where a block exists.
        let start = unsafe { self.part_row(pointer, part, 0) };
        // SAFETY: guaranteed by the caller.
        unsafe { std::slice::from_raw_parts(start, rows * self.info.parts[part].size_bytes) }
    }
}

/// Rows of a first block that shall hold `needed`.
fn first_capacity(needed: usize) -> usize {
    needed.next_power_of_two().clamp(FIRST_ROWS, BLOCK_ROWS)
}

//! One component of one archetype: a list of blocks.
//!
//! Everything here works on bytes; `ComponentInfo` knows size, drop and clone. Callers (the
//! archetype and the query fetches) guarantee types and row bounds. Blocks and their sharing are
//! here and in `blocks.rs`, single rows in `rows.rs`.

mod blocks;
mod bulk;
mod rows;
mod ticks;

pub(crate) use rows::copy_value;
pub(crate) use ticks::TickRuns;

use std::cell::UnsafeCell;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::BLOCK_ROWS;
use super::block::BlockMemory;
use super::list::SharedList;
use super::pool::Pool;
use super::shared::Shared;
use crate::component::info::{ComponentInfo, Part};

/// A block as seen by whoever may access it: start and the rows it has room for.
#[derive(Clone, Copy)]
pub struct BlockPointer {
    pub(crate) data: NonNull<u8>,
    pub(crate) capacity: usize,
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

/// Where the blocks of a column are listed: valid until `list::moves` changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slots(NonNull<Slot>);

// SAFETY: an address; whoever follows it has the right to the column, by its functions' contracts.
unsafe impl Send for Slots {}
// SAFETY: as above.
unsafe impl Sync for Slots {}

impl Slots {
    /// # Safety
    /// - the list has not moved since `Column::slots` gave its place, and has the block;
    /// - nobody replaces the block for `'a`.
    #[inline(always)]
    unsafe fn slot<'a>(self, block: usize) -> &'a Slot {
        // SAFETY: guaranteed by the caller.
        let slot = unsafe { self.0.add(block) };
        // SAFETY: as above.
        unsafe { slot.as_ref() }
    }

    /// As `Column::block_read`.
    ///
    /// # Safety
    /// As `slot`.
    #[inline(always)]
    pub(crate) unsafe fn read(self, block: usize) -> BlockPointer {
        // SAFETY: passed on from the caller.
        unsafe { self.slot(block) }.inner().pointer
    }

    /// As `block_write` of the column, which is asked for only where a fork shares the block.
    ///
    /// # Safety
    /// As `slot` and as `Column::block_write`.
    #[inline(always)]
    pub(crate) unsafe fn write<'a>(
        self,
        block: usize,
        rows: usize,
        to: Writer<'_>,
        column: impl FnOnce() -> &'a Column,
    ) -> BlockPointer {
        // SAFETY: passed on from the caller.
        let slot = unsafe { self.slot(block) };
        slot.changed.store(to.tick, Ordering::Relaxed);
        let inner = slot.inner();
        // Behind the fence of `is_unique` it would be looked up again.
        let memory: &BlockMemory = &inner.memory;
        if inner.memory.is_unique() {
            memory.touch();
            return inner.pointer;
        }
        // SAFETY: passed on from the caller.
        unsafe { column().copy_block(slot, rows, to) }
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
    slots: SharedList<Slot>,
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
            slots: SharedList::default(),
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

    /// Whether a row is one piece: neither split nor tracked.
    pub(crate) fn is_plain(&self) -> bool {
        self.info.piece().is_some()
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

    /// Where its blocks are listed now.
    #[inline(always)]
    pub(crate) fn slots(&self) -> Slots {
        Slots(self.slots.start())
    }

    pub(crate) fn memory(&self, block: usize) -> &BlockMemory {
        &self.slots[block].inner().memory
    }

    /// A block for writing: copied first if a fork shares it, and marked as changed.
    ///
    /// # Safety
    /// - the list is not shared (`unshare_list` was called since the last `share`);
    /// - nobody else accesses this block while the pointer is used;
    /// - the column has the block, with `rows` initialised rows.
    #[inline]
    pub(crate) unsafe fn block_write(
        &self,
        block: usize,
        rows: usize,
        to: Writer<'_>,
    ) -> BlockPointer {
        // SAFETY: passed on from the caller; the list was asked for just now.
        unsafe { self.slots().write(block, rows, to, || self) }
    }

    /// Makes a block ours, so that `mark_written` may be called for its rows: copied if a fork
    /// shares it, and not marked, for nothing is written yet.
    ///
    /// # Safety
    /// As `block_write`.
    #[inline]
    pub(crate) unsafe fn block_own(&self, block: usize, rows: usize, to: Writer<'_>) {
        let slot = &self.slots[block];
        if !slot.inner().memory.is_unique() {
            // SAFETY: passed on from the caller.
            unsafe { self.copy_block(slot, rows, to) };
        }
    }

    /// Marks a block as changed of which a row is about to be written. Others may hold its other
    /// rows meanwhile, on any threads: what is marked is atomic.
    ///
    /// # Panics
    /// When a fork shares the block: a write would reach the fork.
    #[inline]
    pub(crate) fn mark_written(&self, block: usize, tick: u64) -> BlockPointer {
        let slot = &self.slots[block];
        let inner = slot.inner();
        assert!(inner.memory.is_unique(), "`block_own` made the block ours");
        slot.changed.store(tick, Ordering::Relaxed);
        inner.memory.touch();
        inner.pointer
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

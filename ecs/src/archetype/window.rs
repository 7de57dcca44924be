//! Open blocks: rows come, go and move without asking each column again whether it may be written.
//!
//! To write a row of a column, its list and block must be ours alone, its tick set and its digest
//! forgotten. Asking all that costs several times what copying a small value does. An archetype
//! therefore keeps two blocks open, the one with the last row and the one that lost a row last,
//! and asks only when another block, another change tick, a fork or a state hash comes between.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Archetype;
use crate::entity::Entity;
use crate::storage::BLOCK_ROWS;
use crate::storage::column::{BlockPointer, Writer};

/// One block whose columns are all ours to write.
pub(super) struct Window {
    /// `CLOSED` where none is open.
    block: usize,
    capacity: usize,
    handles: NonNull<Entity>,
    /// Start of the block in each column.
    data: Box<[NonNull<u8>]>,
}

const CLOSED: usize = usize::MAX;

// SAFETY: the pointers are into blocks of the archetype that owns the window, and components are
// Send.
unsafe impl Send for Window {}
// SAFETY: a shared window gives access to nothing; its users have the archetype exclusively.
unsafe impl Sync for Window {}

impl Default for Window {
    fn default() -> Self {
        Self {
            block: CLOSED,
            capacity: 0,
            handles: NonNull::dangling(),
            data: Box::default(),
        }
    }
}

impl Window {
    /// The open block of a column.
    #[inline]
    pub(super) fn column(&self, index: usize) -> BlockPointer {
        BlockPointer {
            data: self.data[index],
            capacity: self.capacity,
        }
    }

    /// Start of the open block in each column.
    #[inline]
    pub(super) fn data(&self) -> &[NonNull<u8>] {
        &self.data
    }

    /// Start of the open block's handles.
    #[inline]
    pub(super) fn handles(&self) -> NonNull<Entity> {
        self.handles
    }

    /// Rows that the open block has room for.
    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }
}

/// Which of the two open blocks of an archetype.
#[derive(Clone, Copy)]
pub(super) enum Which {
    /// The one that rows are added to and taken from at the end.
    Tail = 0,
    /// The one that a row was taken out of.
    Hole = 1,
}

/// The two open blocks of an archetype.
#[derive(Default)]
pub(super) struct Windows {
    open: [Window; 2],
    /// Change tick that the open blocks are marked with.
    tick: u64,
    /// A fork or a hash has seen the blocks since they were opened. Only stored through a shared
    /// borrow, only read through an exclusive one, and what hands over from one to the other
    /// orders the two; so relaxed is enough.
    seen: AtomicBool,
}

impl Windows {
    /// Says that the blocks are shared, or that their digests were taken.
    pub(super) fn mark_seen(&self) {
        if !self.seen.load(Ordering::Relaxed) {
            self.seen.store(true, Ordering::Relaxed);
        }
    }

    /// Closes what is open: blocks were replaced or given back.
    pub(super) fn close(&mut self) {
        for window in &mut self.open {
            window.block = CLOSED;
        }
    }

    #[inline]
    pub(super) fn get(&self, which: Which) -> &Window {
        &self.open[which as usize]
    }

    /// Closes both if another tick, a fork or a hash has come between.
    #[inline]
    fn refresh(&mut self, tick: u64) {
        if self.tick != tick || *self.seen.get_mut() {
            self.close();
            self.tick = tick;
            *self.seen.get_mut() = false;
        }
    }
}

impl Archetype {
    /// Opens the block for the next row, after making room for it. A user's `clone` may run here,
    /// and panic, before anything has changed.
    #[inline]
    pub(super) fn open_next(&mut self, to: Writer<'_>) {
        // All columns have room for as many rows as the handles.
        if self.len == self.room {
            self.reserve(1, to);
        }
        self.windows.refresh(to.tick);
        self.open(Which::Tail, self.len / BLOCK_ROWS, to);
    }

    /// Opens the block of a row and that of the last row, and says which one has the row.
    #[inline]
    pub(super) fn open_row(&mut self, row: usize, to: Writer<'_>) -> Which {
        let (block, last) = (row / BLOCK_ROWS, (self.len - 1) / BLOCK_ROWS);
        self.windows.refresh(to.tick);
        self.open(Which::Tail, last, to);
        if block == last {
            return Which::Tail;
        }
        self.open(Which::Hole, block, to);
        Which::Hole
    }

    #[inline]
    fn open(&mut self, which: Which, block: usize, to: Writer<'_>) {
        if self.windows.open[which as usize].block != block {
            self.open_slowly(which, block, to);
        }
    }

    #[cold]
    #[inline(never)]
    fn open_slowly(&mut self, which: Which, block: usize, to: Writer<'_>) {
        let len = self.len;
        let window = &mut self.windows.open[which as usize];
        // A `clone` that panics below leaves the window closed.
        window.block = CLOSED;
        if window.data.len() != self.columns.len() {
            window.data = vec![NonNull::dangling(); self.columns.len()].into();
        }
        for (column, data) in self.columns.iter_mut().zip(&mut window.data) {
            // SAFETY: `len` rows are initialised in every column, and the block exists: it holds
            // a row, or `reserve` made it.
            *data = unsafe { column.open(block, len, to) }.data;
        }
        // SAFETY: as above.
        let handles = unsafe { self.entities.open(block, len, to) };
        window.handles = handles.data.cast();
        window.capacity = handles.capacity;
        window.block = block;
    }
}

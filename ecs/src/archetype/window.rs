//! Open blocks: rows come, go and move without asking each column again whether it may be written.
//!
//! To write a row of a column, its list and block must be ours alone, its tick set and its digest
//! forgotten. Asking all that costs several times what copying a small value does. An archetype
//! therefore keeps two blocks open, the one with the last row and the one that lost a row last,
//! and asks only when another block, another change tick, a fork or a state hash comes between.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

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

/// Change ticks begin at 1.
const SEEN: u64 = 0;

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

    /// Address of a row's value in a column.
    ///
    /// # Safety
    /// There is such a column, in values of this size, and its open block has room for the row.
    #[inline(always)]
    pub(super) unsafe fn value(&self, column: usize, row: usize, size: usize) -> *mut u8 {
        // SAFETY: passed on from the caller.
        let start = unsafe { self.data.get_unchecked(column) };
        // SAFETY: as above.
        unsafe { start.as_ptr().add(row * size) }
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
pub(crate) enum Which {
    /// The one that rows are added to and taken from at the end.
    Tail = 0,
    /// The one that a row was taken out of.
    Hole = 1,
}

/// The two open blocks of an archetype.
#[derive(Default)]
pub(super) struct Windows {
    open: [Window; 2],
    /// Blocks that were opened since all were closed: their columns' blocks are ours and marked.
    /// Rows taken out here and there come back to a block many times.
    ready: Vec<bool>,
    /// Change tick that the open blocks are marked with; `SEEN` if a fork or a hash has seen the
    /// blocks since they were opened. Only stored through a shared borrow, only read through an
    /// exclusive one, and what hands over from one to the other orders the two; so relaxed is
    /// enough.
    tick: AtomicU64,
}

impl Windows {
    /// Says that the blocks are shared, or that their digests were taken.
    pub(super) fn mark_seen(&self) {
        if self.tick.load(Ordering::Relaxed) != SEEN {
            self.tick.store(SEEN, Ordering::Relaxed);
        }
    }

    /// Closes what is open: blocks were replaced or given back.
    pub(super) fn close(&mut self) {
        for window in &mut self.open {
            window.block = CLOSED;
        }
        self.ready.clear();
    }

    #[inline]
    fn is_ready(&self, block: usize) -> bool {
        self.ready.get(block).is_some_and(|&ready| ready)
    }

    #[inline]
    pub(super) fn get(&self, which: Which) -> &Window {
        &self.open[which as usize]
    }

    /// Closes both if another tick, a fork or a hash has come between.
    #[inline]
    fn refresh(&mut self, tick: u64) {
        if *self.tick.get_mut() != tick {
            self.close();
            *self.tick.get_mut() = tick;
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

    /// The open block that has a row, where nothing has to be readied for taking the row out.
    #[inline(always)]
    pub(crate) fn opened(&mut self, row: usize, tick: u64) -> Option<Which> {
        let (block, last) = (row / BLOCK_ROWS, (self.len - 1) / BLOCK_ROWS);
        let windows = &mut self.windows;
        if *windows.tick.get_mut() != tick || windows.open[Which::Tail as usize].block != last {
            return None;
        }
        if block == last {
            return Some(Which::Tail);
        }
        if windows.open[Which::Hole as usize].block != block {
            if !windows.is_ready(block) {
                return None;
            }
            self.reopen(Which::Hole, block);
        }
        Some(Which::Hole)
    }

    /// Whether nothing has to be readied for another row.
    #[inline(always)]
    pub(crate) fn has_opened_next(&mut self, tick: u64) -> bool {
        let windows = &mut self.windows;
        self.len != self.room
            && *windows.tick.get_mut() == tick
            && windows.open[Which::Tail as usize].block == self.len / BLOCK_ROWS
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
        if self.windows.is_ready(block) {
            return self.reopen(which, block);
        }
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
        let ready = &mut self.windows.ready;
        if ready.len() <= block {
            ready.resize(block + 1, false);
        }
        ready[block] = true;
    }

    /// Opens a block that was opened since all were closed.
    #[inline(never)]
    fn reopen(&mut self, which: Which, block: usize) {
        let window = &mut self.windows.open[which as usize];
        if window.data.len() != self.columns.len() {
            window.data = vec![NonNull::dangling(); self.columns.len()].into();
        }
        for (column, data) in self.columns.iter().zip(&mut window.data) {
            *data = column.block_read(block).data;
        }
        let handles = self.entities.block_read(block);
        window.handles = handles.data.cast();
        window.capacity = handles.capacity;
        window.block = block;
    }
}

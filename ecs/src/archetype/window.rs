//! Open blocks: rows come, go and move without asking each column again whether it may be written.
//!
//! To write a row of a column, its list and block must be ours alone, its tick set and its digest
//! forgotten. Asking all that costs several times what copying a small value does. An archetype
//! therefore keeps where the blocks begin that it has asked for, and asks again only when another
//! change tick, a fork or a state hash comes between.
//!
//! The starts lie in one list, those of a block side by side: rows taken out here and there come
//! back to a block many times, and find all of it in a cache line or two.
//!
//! ```text
//! starts: | handles, column 0, column 1, ... | the same of block 1 | ...   null: not open
//! ```

use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicU64, Ordering};

use super::Archetype;
use crate::entity::Entity;
use crate::storage::BLOCK_ROWS;
use crate::storage::column::{BlockPointer, Writer};

const CLOSED: usize = usize::MAX;

/// Change ticks begin at 1.
const SEEN: u64 = 0;

/// A block whose columns are all ours to write: valid until its archetype opens another one or
/// closes its blocks.
#[derive(Clone, Copy)]
pub(crate) struct Open {
    /// Of the block's handles, and behind it of each column.
    starts: NonNull<*mut u8>,
}

impl Open {
    #[inline(always)]
    fn of(starts: &[*mut u8]) -> Self {
        Self {
            starts: NonNull::from(starts).cast(),
        }
    }

    /// Start of the block's handles.
    ///
    /// # Safety
    /// It is valid.
    #[inline(always)]
    pub(super) unsafe fn handles(self) -> *mut Entity {
        // SAFETY: guaranteed by the caller.
        unsafe { self.starts.read() }.cast()
    }

    /// Start of the block in a column.
    ///
    /// # Safety
    /// It is valid, and there is such a column.
    #[inline(always)]
    pub(super) unsafe fn column(self, index: usize) -> *mut u8 {
        // SAFETY: guaranteed by the caller; the first start is that of the handles.
        let start = unsafe { self.starts.add(1 + index) };
        // SAFETY: as above.
        unsafe { start.read() }
    }

    /// The handle in a row of the block.
    ///
    /// # Safety
    /// It is valid, and the row exists.
    #[inline(always)]
    pub(super) unsafe fn entity(self, row: usize) -> Entity {
        // SAFETY: guaranteed by the caller.
        let handles = unsafe { self.handles() };
        // SAFETY: as above.
        let handle = unsafe { handles.add(row % BLOCK_ROWS) };
        // SAFETY: as above; handles are `Copy`.
        unsafe { handle.read() }
    }

    /// Writes the handle of a row of the block.
    ///
    /// # Safety
    /// It is valid, and has room for the row.
    #[inline(always)]
    pub(super) unsafe fn set_entity(self, row: usize, entity: Entity) {
        // SAFETY: guaranteed by the caller.
        let handles = unsafe { self.handles() };
        // SAFETY: as above.
        let handle = unsafe { handles.add(row % BLOCK_ROWS) };
        // SAFETY: as above.
        unsafe { handle.write(entity) };
    }
}

/// A row that can be taken out at once: its block is open, and that of the last row, which fills
/// the gap.
#[derive(Clone, Copy)]
pub(crate) struct Gap {
    pub(super) row: usize,
    pub(super) block: Open,
    pub(super) last: Open,
}

/// The open blocks of an archetype.
pub(super) struct Windows {
    starts: Vec<*mut u8>,
    /// The block that rows come to and go from at the end; `CLOSED` if there is none.
    tail: usize,
    tail_open: Open,
    /// Change tick that the open blocks are marked with; `SEEN` if a fork or a hash has seen the
    /// blocks since they were opened. Only stored through a shared borrow, only read through an
    /// exclusive one, and what hands over from one to the other orders the two; so relaxed is
    /// enough.
    tick: AtomicU64,
}

// SAFETY: the pointers are into blocks of the archetype that owns the windows, and components are
// Send.
unsafe impl Send for Windows {}
// SAFETY: shared windows give access to nothing; their users have the archetype exclusively.
unsafe impl Sync for Windows {}

impl Default for Windows {
    fn default() -> Self {
        Self {
            starts: Vec::new(),
            tail: CLOSED,
            tail_open: Open {
                starts: NonNull::dangling(),
            },
            tick: AtomicU64::new(SEEN),
        }
    }
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
        self.starts.clear();
        self.tail = CLOSED;
    }

    /// Closes all if another tick, a fork or a hash has come between.
    #[inline]
    fn refresh(&mut self, tick: u64) {
        if *self.tick.get_mut() != tick {
            self.close();
            *self.tick.get_mut() = tick;
        }
    }

    /// Finds the tail again in a list that may have moved, of so many starts for each block.
    fn find_tail(&mut self, stride: usize) {
        if self.tail != CLOSED {
            self.tail_open = Open::of(&self.starts[self.tail * stride..]);
        }
    }

    /// A block, if it is open, of an archetype with so many columns.
    #[inline(always)]
    fn get(&self, block: usize, columns: usize) -> Option<Open> {
        let first = block * (1 + columns);
        // The start of the handles is written last, so the others are there.
        if first < self.starts.len() && !self.starts[first].is_null() {
            Some(Open::of(&self.starts[first..]))
        } else {
            None
        }
    }
}

impl Archetype {
    /// Opens the block for the next row, after making room for it. A user's `clone` may run here,
    /// and panic, before anything has changed.
    #[inline]
    pub(super) fn open_next(&mut self, to: Writer<'_>) -> Open {
        // All columns have room for as many rows as the handles.
        if self.len == self.room {
            self.reserve(1, to);
        }
        self.windows.refresh(to.tick);
        self.open_tail(self.len / BLOCK_ROWS, to)
    }

    /// Opens the block of a row that exists and that of the last row.
    #[inline]
    pub(super) fn open_row(&mut self, row: usize, to: Writer<'_>) -> Gap {
        let (block, last) = (row / BLOCK_ROWS, (self.len - 1) / BLOCK_ROWS);
        self.windows.refresh(to.tick);
        self.open_tail(last, to);
        let block = match block == last {
            true => self.windows.tail_open,
            false => self.open(block, to),
        };
        // Opening another block may have moved the list of starts, and the tail with it.
        let last = self.windows.tail_open;
        Gap { row, block, last }
    }

    /// A row that exists as a gap, if nothing has to be readied for taking the row out.
    #[inline(always)]
    pub(crate) fn gap(&mut self, row: usize, tick: u64) -> Option<Gap> {
        let (block, last) = (row / BLOCK_ROWS, (self.len - 1) / BLOCK_ROWS);
        let windows = &mut self.windows;
        if *windows.tick.get_mut() != tick || windows.tail != last {
            return None;
        }
        let last_open = windows.tail_open;
        let block = match block == last {
            true => last_open,
            false => windows.get(block, self.columns.len())?,
        };
        Some(Gap {
            row,
            block,
            last: last_open,
        })
    }

    /// The open block for the next row, if nothing has to be readied for it.
    #[inline(always)]
    pub(crate) fn opened_next(&mut self, tick: u64) -> Option<Open> {
        let windows = &mut self.windows;
        let is_open = self.len != self.room
            && *windows.tick.get_mut() == tick
            && windows.tail == self.len / BLOCK_ROWS;
        is_open.then_some(windows.tail_open)
    }

    /// The block that was opened last for the next row, or holds the last one.
    #[inline]
    pub(super) fn tail(&self) -> Open {
        debug_assert!(self.windows.tail != CLOSED, "it was opened before");
        self.windows.tail_open
    }

    /// An open block of a column.
    ///
    /// # Safety
    /// `open` is valid.
    #[inline]
    pub(super) unsafe fn pointer(&self, open: Open, column: usize) -> BlockPointer {
        debug_assert!(column < self.columns.len(), "column {column}");
        // SAFETY: passed on from the caller; its users index the columns beside this.
        let start = unsafe { open.column(column) };
        BlockPointer {
            data: NonNull::new(start).expect("an open block begins somewhere"),
            capacity: self.block_room(),
        }
    }

    /// Rows that each block has room for: only a first one that is alone has less than others.
    #[inline]
    pub(super) fn block_room(&self) -> usize {
        self.room.min(BLOCK_ROWS)
    }

    #[inline]
    fn open_tail(&mut self, block: usize, to: Writer<'_>) -> Open {
        if self.windows.tail != block {
            // A `clone` that panics leaves what was the tail before.
            self.windows.tail_open = self.open(block, to);
            self.windows.tail = block;
        }
        self.windows.tail_open
    }

    #[inline]
    fn open(&mut self, block: usize, to: Writer<'_>) -> Open {
        match self.windows.get(block, self.columns.len()) {
            Some(open) => open,
            None => self.open_slowly(block, to),
        }
    }

    #[cold]
    #[inline(never)]
    fn open_slowly(&mut self, block: usize, to: Writer<'_>) -> Open {
        let (len, stride) = (self.len, 1 + self.columns.len());
        let first = block * stride;
        if self.windows.starts.len() < first + stride {
            self.windows.starts.resize(first + stride, null_mut());
            self.windows.find_tail(stride);
        }
        let starts = &mut self.windows.starts[first..first + stride];
        for (column, start) in self.columns.iter_mut().zip(&mut starts[1..]) {
            // SAFETY: `len` rows are initialised in every column, and the block exists: it holds
            // a row, or `reserve` made it.
            *start = unsafe { column.open(block, len, to) }.data.as_ptr();
        }
        // A `clone` that panicked above has left the block closed.
        // SAFETY: as above.
        starts[0] = unsafe { self.entities.open(block, len, to) }.data.as_ptr();
        Open::of(starts)
    }
}

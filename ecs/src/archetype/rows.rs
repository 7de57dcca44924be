//! Rows of an archetype: they come at the end, leave from anywhere, and go to other archetypes.
//!
//! Each operation first opens the blocks it touches, which may run a user's `clone`, and panic,
//! before anything has changed. What follows cannot fail; a panic of a value's drop is kept until
//! the row is gone.

use super::graph::Edge;
use super::window::{Gap, Open};
use super::{Archetype, ArchetypeId};
use crate::bundle::Bundle;
use crate::entity::{Entity, Location};
use crate::panics::FirstPanic;
use crate::storage::BLOCK_ROWS;
use crate::storage::column::{BlockPointer, Writer};

/// What becomes of the values that only the old archetype has.
#[derive(Clone, Copy)]
pub(crate) enum Leaving {
    Dropped,
    /// They belong to somebody else by now.
    MovedOut,
}

/// What a structural change left behind.
#[must_use]
pub(crate) struct Moved {
    /// The entity that now has the old row.
    pub(crate) filled_by: Option<Entity>,
    /// First panic of a value's drop. The change is complete; the caller resumes it once the
    /// entity table is up to date.
    pub(crate) panicked: FirstPanic,
}

impl Archetype {
    /// Makes room for one more row in blocks that are ours. A user's `clone` may run here, and
    /// panic, before anything has changed; adding the row does not fail afterwards.
    #[inline]
    pub(crate) fn ready_push(&mut self, to: Writer<'_>) {
        self.open_next(to);
    }

    /// Adds a row with a bundle's values and gives its number.
    ///
    /// # Safety
    /// - `ready_push` was called since the last change;
    /// - the archetype has exactly the bundle's components, in the columns that `columns` gives
    ///   in the bundle's order.
    #[inline]
    pub(crate) unsafe fn push<B: Bundle>(
        &mut self,
        entity: Entity,
        columns: &[u32],
        bundle: B,
        tick: u64,
    ) -> usize {
        // SAFETY: readied by the caller, who gives every component below.
        let row = unsafe { self.push_handle(entity) };
        let mut next = columns.iter();
        bundle.visit(&mut |value, _| {
            let column = *next.next().expect("as many columns as components");
            // SAFETY: the row is new, and the value is of the column's component, which the
            // bundle gives in the order of its `components`.
            unsafe { self.put_last(column as usize, value, tick) };
        });
        row
    }

    /// Adds a row for an entity, without values, and gives its number.
    ///
    /// # Safety
    /// `ready_push` was called since the last change, and every component of the row is written
    /// (`put_last`) before anything else happens to the archetype.
    #[inline]
    pub(crate) unsafe fn push_handle(&mut self, entity: Entity) -> usize {
        let row = self.len;
        // SAFETY: the next row's block is open, by the caller, and has room for it.
        unsafe { self.tail().set_entity(row, entity) };
        self.len = row + 1;
        row
    }

    /// Writes a component of the row that `push_handle` has just made.
    ///
    /// # Safety
    /// `value` points to a value of the column's component, moved from; the row is new, and
    /// nothing else happened to the archetype since.
    #[inline(always)]
    pub(crate) unsafe fn put_last(&mut self, column: usize, value: *const u8, tick: u64) {
        let row = self.len - 1;
        // SAFETY: the row's block was just found open.
        let block = unsafe { self.pointer(self.tail(), column) };
        // SAFETY: the block is the row's; the rest is passed on from the caller.
        unsafe { self.columns[column].put(block, row % BLOCK_ROWS, value, tick) };
    }

    /// Puts a value in the place of one in a row, and drops the old one last, so that the column
    /// is whole whatever the drop does.
    ///
    /// # Safety
    /// - `value` points to a value of the column's component, which is moved from;
    /// - the row exists, and its value is initialised.
    pub(crate) unsafe fn replace(
        &mut self,
        column: usize,
        row: usize,
        value: *mut u8,
        to: Writer<'_>,
        panicked: &mut FirstPanic,
    ) {
        // SAFETY: passed on from the caller.
        unsafe { self.exchange(column, row, value, to) };
        if let Some(drop) = self.columns[column].info().drop {
            // SAFETY: the old value now lies behind the pointer and is nobody else's.
            panicked.catch(|| unsafe { drop(value, 1) });
        }
    }

    /// Marks a row's component as one that has just come.
    pub(crate) fn mark_added(&mut self, column: usize, row: usize, to: Writer<'_>) {
        let block = self.open_at(column, row, to);
        if let Some(runs) = self.columns[column].tick_runs(block) {
            // SAFETY: the block is open for writing, and `open_row` asks for a row that exists.
            unsafe { runs.set_added(row % BLOCK_ROWS, to.tick) };
        }
    }

    /// Puts a value in the place of one in a row, which then lies behind the pointer.
    ///
    /// # Safety
    /// As `replace`.
    #[inline]
    pub(crate) unsafe fn exchange(
        &mut self,
        column: usize,
        row: usize,
        value: *mut u8,
        to: Writer<'_>,
    ) {
        let block = self.open_at(column, row, to);
        // SAFETY: the block was opened above; the rest is passed on from the caller.
        unsafe { self.columns[column].exchange(block, row % BLOCK_ROWS, value, to.tick) };
    }

    /// Opens the block of a row for a write to one of its columns.
    #[inline]
    fn open_at(&mut self, column: usize, row: usize, to: Writer<'_>) -> BlockPointer {
        let gap = self.open_row(row, to);
        // SAFETY: it was opened a line above.
        unsafe { self.pointer(gap.block, column) }
    }

    /// Opens the blocks that a removal of `row`, or a write to it, touches.
    ///
    /// # Panics
    /// When there is no such row.
    #[inline]
    pub(crate) fn ready_row(&mut self, row: usize, to: Writer<'_>) {
        assert!(row < self.len, "row {row} of {}", self.len);
        self.open_row(row, to);
    }

    /// Removes a row, whose values are dropped, by moving the last row into it.
    ///
    /// A panic of a `clone` comes out before anything has changed, one of a drop is kept.
    ///
    /// # Panics
    /// When there is no such row.
    #[inline]
    pub(crate) fn remove_row(&mut self, row: usize, to: Writer<'_>) -> Moved {
        assert!(row < self.len, "row {row} of {}", self.len);
        let gap = self.open_row(row, to);
        let mut panicked = FirstPanic::default();
        if self.shape.has_drop {
            self.drop_values(gap, 0..self.columns.len(), &mut panicked);
        }
        // SAFETY: the values were dropped above, where they have to be.
        let filled_by = unsafe { self.fill_from_last(gap) };
        Moved {
            filled_by,
            panicked,
        }
    }

    /// Removes a row whose values were moved out, by moving the last row into it.
    ///
    /// # Safety
    /// `ready_row` was called for the row since the last change, and all its values were moved
    /// out since.
    pub(crate) unsafe fn forget_row(&mut self, row: usize, to: Writer<'_>) -> Option<Entity> {
        let gap = self.open_row(row, to);
        // SAFETY: the caller moved the values out.
        unsafe { self.fill_from_last(gap) }
    }

    /// Drops the values of a row in some columns.
    #[cold]
    fn drop_values(
        &self,
        gap: Gap,
        columns: impl Iterator<Item = usize>,
        panicked: &mut FirstPanic,
    ) {
        for index in columns {
            let column = &self.columns[index];
            if column.info().drop.is_some() {
                // SAFETY: the callers have just opened the block.
                let block = unsafe { self.pointer(gap.block, index) };
                // SAFETY: the block is the row's; the callers fill the row.
                panicked.catch(|| unsafe { column.drop_row(block, gap.row % BLOCK_ROWS) });
            }
        }
    }

    /// Moves the last row into a gap, and gives its entity.
    ///
    /// # Safety
    /// As `fill_bytes`, but that values may be in several pieces.
    #[inline]
    unsafe fn fill_from_last(&mut self, gap: Gap) -> Option<Entity> {
        if self.shape.plain {
            // SAFETY: passed on from the caller.
            return unsafe { self.fill_bytes(gap) };
        }
        let last = self.len - 1;
        if gap.row == last {
            self.drop_last();
            return None;
        }
        let (target, source) = (gap.row % BLOCK_ROWS, last % BLOCK_ROWS);
        for (index, column) in self.columns.iter().enumerate() {
            // SAFETY: the blocks are open, by the caller.
            let from = unsafe { self.pointer(gap.last, index) };
            // SAFETY: as above.
            let into = unsafe { self.pointer(gap.block, index) };
            // SAFETY: two different rows in open blocks; the target holds no value.
            unsafe { column.transfer((from, source), (into, target)) };
        }
        // SAFETY: the block of the last row is open.
        let entity = unsafe { gap.last.entity(last) };
        // SAFETY: the row's block is open.
        unsafe { gap.block.set_entity(gap.row, entity) };
        self.drop_last();
        Some(entity)
    }

    /// Readies `move_row`: what may panic without having changed anything.
    #[inline(always)]
    pub(crate) fn ready_move(&mut self, row: usize, other: &mut Self, to: Writer<'_>) {
        other.open_next(to);
        self.open_row(row, to);
    }

    /// Moves the row of an entity into `other`, which gets a new last row: components that both
    /// have move, those that only `self` has leave.
    ///
    /// # Safety
    /// - `ready_move` was called since the last change, and `edge` leads from `self` to `other`;
    /// - for `Leaving::MovedOut` the caller has moved out the values that leave;
    /// - the caller writes every component that only `other` has before anything else happens.
    #[inline]
    pub(crate) unsafe fn move_row(
        &mut self,
        row: usize,
        other: &mut Self,
        edge: &Edge,
        to: Writer<'_>,
        leaving: Leaving,
    ) -> Moved {
        let (gap, next) = (self.open_row(row, to), other.tail());
        if edge.plain {
            // SAFETY: both blocks are open.
            unsafe { other.push_carried(edge, gap, next) };
        } else {
            // SAFETY: as above.
            unsafe { self.transfer_row(gap, other, edge, next) };
        }
        let mut panicked = FirstPanic::default();
        if self.shape.has_drop && matches!(leaving, Leaving::Dropped) {
            let columns = edge.leaving.iter().map(|&column| column as usize);
            self.drop_values(gap, columns, &mut panicked);
        }
        // SAFETY: every value was moved out or dropped above, or by the caller.
        let filled_by = unsafe { self.fill_from_last(gap) };
        Moved {
            filled_by,
            panicked,
        }
    }

    /// As `push_carried` of `other`, where a component is in several pieces.
    ///
    /// # Safety
    /// As `push_carried`, but that the edge need not be plain.
    unsafe fn transfer_row(&self, gap: Gap, other: &mut Self, edge: &Edge, next: Open) {
        let (old, new) = (gap.row % BLOCK_ROWS, other.len % BLOCK_ROWS);
        for carry in &edge.carried {
            let (from, into) = (carry.from as usize, carry.into as usize);
            // SAFETY: both blocks are open, by the caller.
            let source = unsafe { self.pointer(gap.block, from) };
            // SAFETY: as above.
            let target = unsafe { other.pointer(next, into) };
            // SAFETY: open blocks of one component in two archetypes; the new row is empty.
            unsafe { self.columns[from].transfer((source, old), (target, new)) };
        }
        // SAFETY: the block has the row.
        let entity = unsafe { gap.entity() };
        // SAFETY: the block has room for the next row.
        unsafe { next.set_entity(new, entity) };
        other.len += 1;
    }

    /// Where the next row will be.
    #[inline]
    pub(crate) fn next_location(&self) -> Location {
        self.id.location(self.len)
    }

    /// Where the last row is.
    pub(crate) fn last_location(&self) -> Location {
        Location {
            archetype: self.id.0,
            row: (self.len - 1) as u32,
        }
    }
}

impl ArchetypeId {
    /// A row of this archetype.
    pub(crate) fn location(self, row: usize) -> Location {
        Location {
            archetype: self.0,
            row: row as u32,
        }
    }
}

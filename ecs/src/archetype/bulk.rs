//! All rows of an archetype at once: columns change hands, rows are not touched.

use super::Archetype;
use super::graph::Edge;
use crate::entity::Entity;
use crate::panics::FirstPanic;
use crate::storage::column::{Column, Writer};

/// A column made for a change of all rows, and whose place it takes.
pub(crate) struct FreshColumn {
    /// Position in the target archetype.
    pub(crate) index: usize,
    pub(crate) column: Column,
}

impl Archetype {
    /// Makes every block ours that a user's `clone` would have to copy, so that nothing of
    /// `move_all` fails.
    pub(crate) fn ready_all(&mut self, to: Writer<'_>) {
        let len = self.len;
        for column in self.columns.iter_mut().filter(|column| column.runs_clone()) {
            for block in 0..len.div_ceil(crate::BLOCK_ROWS) {
                // SAFETY: `len` rows are initialised, and the block holds some of them.
                unsafe { column.open(block, len, to) };
            }
        }
    }

    /// Moves every row into `other`, behind the rows that it has, in order. Gives the first row.
    ///
    /// Where `other` is empty its columns become ours; else rows are copied block by block.
    /// Values that only `self` has, and those that a fresh column replaces, are dropped; the
    /// first panic of a drop is kept.
    ///
    /// # Safety
    /// - `ready_all` was called since the last change, and `edge` leads from `self` to `other`;
    /// - `fresh` has a column with the rows and the room of `self` for each component that only
    ///   `other` has, and no other but such that replace one.
    pub(crate) unsafe fn move_all(
        &mut self,
        other: &mut Self,
        edge: &Edge,
        fresh: Vec<FreshColumn>,
        to: Writer<'_>,
        panicked: &mut FirstPanic,
    ) -> usize {
        let (len, first) = (self.len, other.len);
        if first > 0 {
            other.reserve(len, to);
        }
        let mut arriving: Vec<Option<Column>> = other.columns.iter().map(|_| None).collect();
        for FreshColumn { index, column } in fresh {
            arriving[index] = Some(column);
        }
        for carry in &edge.carried {
            let mut column = self.columns[carry.from as usize].take();
            match &mut arriving[carry.into as usize] {
                place @ None => *place = Some(column),
                Some(fresh) => {
                    // SAFETY: both have `len` rows of one component.
                    unsafe { fresh.keep_added(&column, len, to) };
                    // SAFETY: the column has `len` rows and is forgotten.
                    unsafe { column.clear(len, panicked) };
                }
            }
        }
        for &index in &edge.leaving {
            // SAFETY: the column has `len` rows and is left empty.
            unsafe { self.columns[index as usize].clear(len, panicked) };
        }
        for (column, arriving) in other.columns.iter_mut().zip(arriving) {
            let arriving = arriving.expect("every component of the target comes from somewhere");
            // SAFETY: as many rows in each; room was reserved where rows are there already.
            unsafe { column.append(first, arriving, len, to) };
        }
        let handles = self.entities.take();
        // SAFETY: as above.
        unsafe { other.entities.append(first, handles, len, to) };
        self.forget_rows();
        other.len = first + len;
        other.windows.close();
        other.room = other.entities.room();
        first
    }

    /// Puts columns of new values in the place of those of the same components.
    ///
    /// # Safety
    /// Each has the rows and the room of the archetype.
    pub(crate) unsafe fn replace_all(
        &mut self,
        fresh: Vec<FreshColumn>,
        to: Writer<'_>,
        panicked: &mut FirstPanic,
    ) {
        self.windows.close();
        for FreshColumn { index, mut column } in fresh {
            // SAFETY: both have `len` rows of one component.
            unsafe { column.keep_added(&self.columns[index], self.len, to) };
            let mut old = std::mem::replace(&mut self.columns[index], column);
            // SAFETY: the column has `len` rows and is forgotten.
            unsafe { old.clear(self.len, panicked) };
        }
    }

    /// Forgets the rows, whose values have gone elsewhere.
    fn forget_rows(&mut self) {
        self.len = 0;
        self.room = 0;
        self.windows.close();
    }

    /// Handles of the rows of a block.
    pub(crate) fn handles(&self, block: usize) -> &[Entity] {
        let start = self.entities.block_read(block).data.cast::<Entity>();
        // SAFETY: the block's rows are initialised, and the borrow keeps writers out.
        unsafe { std::slice::from_raw_parts(start.as_ptr(), self.rows(block)) }
    }

    /// Rows that the blocks have room for.
    pub(crate) fn room(&self) -> usize {
        self.room
    }
}

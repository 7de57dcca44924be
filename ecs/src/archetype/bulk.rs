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

    /// Takes over all rows of another world's archetype of the same components, behind our own.
    /// Gives the first of them and the handles that they had; the caller gives them new ones.
    ///
    /// # Safety
    /// - `ready_all` was called for `other` since the last change;
    /// - `columns` gives for each column of `other` ours of the same component.
    pub(crate) unsafe fn adopt_rows(
        &mut self,
        other: &mut Self,
        columns: &[usize],
        to: Writer<'_>,
    ) -> (usize, Vec<Entity>) {
        let (len, first) = (other.len, self.len);
        let blocks = 0..other.block_count();
        let old = blocks
            .flat_map(|block| other.handles(block))
            .copied()
            .collect();
        if first > 0 {
            self.reserve(len, to);
        }
        for (column, &index) in other.columns.iter_mut().zip(columns) {
            // SAFETY: `len` rows of one component; room was reserved where rows are there already.
            unsafe { self.columns[index].append(first, column.take(), len, to) };
        }
        let handles = other.entities.take();
        // SAFETY: as above.
        unsafe { self.entities.append(first, handles, len, to) };
        other.forget_rows();
        self.windows.close();
        self.len = first + len;
        self.room = self.entities.room();
        (first, old)
    }

    /// Gives a row another handle.
    ///
    /// # Panics
    /// When there is no such row.
    pub(crate) fn set_entity(&mut self, row: usize, entity: Entity, to: Writer<'_>) {
        assert!(row < self.len, "row {row} of {}", self.len);
        // SAFETY: the row is one of `len`, and handles are in one piece.
        let place = unsafe { self.entities.row_mut(row, self.len, to) };
        // SAFETY: the column holds handles, which are `Copy`.
        unsafe { place.cast::<Entity>().write(entity) };
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

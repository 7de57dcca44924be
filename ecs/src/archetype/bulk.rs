//! All rows of an archetype at once: columns change hands, rows are not touched.

use super::Archetype;
use super::graph::Edge;
use crate::component::info::ComponentId;
use crate::entity::Entity;
use crate::panics::FirstPanic;
use crate::storage::column::{Column, Writer};

/// A column made for a change of all rows, and whose place it takes.
pub(crate) struct FreshColumn {
    /// Position in the target archetype.
    pub(crate) index: usize,
    pub(crate) column: Column,
}

/// A column whose rows belong to no archetype any more. Dropping it leaks its values.
#[must_use]
pub(crate) struct LeftColumn {
    pub(crate) component: ComponentId,
    column: Column,
    len: usize,
}

impl LeftColumn {
    /// Drops the values; the first panic is kept.
    pub(crate) fn discard(mut self, panicked: &mut FirstPanic) {
        // SAFETY: the column has `len` rows and is forgotten.
        unsafe { self.column.clear(self.len, panicked) };
    }

    /// Moves the values out, in order: `each` gets what writes one to an address.
    ///
    /// # Safety
    /// `Archetype::ready_all` was called before they left, so that blocks whose values have to be
    /// cloned for each owner are ours alone.
    pub(crate) unsafe fn move_out(self, mut each: impl FnMut(&dyn Fn(*mut u8))) {
        for row in 0..self.len {
            // SAFETY: the row exists, and the receiver gives room for a value. The column forgets
            // it: it has no drop of its own.
            each(&|value| unsafe { self.column.read(row, value) });
        }
    }

    /// Values in it.
    pub(crate) fn len(&self) -> usize {
        self.len
    }
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
    /// Values that only `self` has, and those that a fresh column replaces, are left to the
    /// caller in columns of their own.
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
        left: &mut Vec<LeftColumn>,
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
            let column = self.columns[carry.from as usize].take();
            match &mut arriving[carry.into as usize] {
                place @ None => *place = Some(column),
                Some(fresh) => {
                    // SAFETY: both have `len` rows of one component.
                    unsafe { fresh.keep_added(&column, len, to) };
                    let component = self.shape.components[carry.from as usize];
                    left.push(LeftColumn {
                        component,
                        column,
                        len,
                    });
                }
            }
        }
        for &index in &edge.leaving {
            let component = self.shape.components[index as usize];
            let column = self.columns[index as usize].take();
            left.push(LeftColumn {
                component,
                column,
                len,
            });
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

    /// Puts columns of new values in the place of those of the same components, which are left to
    /// the caller.
    ///
    /// # Safety
    /// Each has the rows and the room of the archetype.
    pub(crate) unsafe fn replace_all(
        &mut self,
        fresh: Vec<FreshColumn>,
        to: Writer<'_>,
        left: &mut Vec<LeftColumn>,
    ) {
        self.windows.close();
        for FreshColumn { index, mut column } in fresh {
            // SAFETY: both have `len` rows of one component.
            unsafe { column.keep_added(&self.columns[index], self.len, to) };
            let column = std::mem::replace(&mut self.columns[index], column);
            let (component, len) = (self.shape.components[index], self.len);
            left.push(LeftColumn {
                component,
                column,
                len,
            });
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

    /// Takes every value away and forgets every row.
    pub(crate) fn take_all(&mut self) -> Vec<LeftColumn> {
        let len = self.len;
        let columns = self.columns.iter_mut().zip(&self.shape.components);
        let left = columns.map(|(column, &component)| LeftColumn {
            component,
            column: column.take(),
            len,
        });
        let left = left.collect();
        self.entities.take();
        self.forget_rows();
        left
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

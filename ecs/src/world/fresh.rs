//! Columns made for all rows of an archetype at once.

use crate::archetype::{Archetype, FreshColumn};
use crate::bundle::{Bundle, RequiredColumn};
use crate::component::Registry;
use crate::component::info::ComponentId;
use crate::component::required::Make;
use crate::panics::FirstPanic;
use crate::storage::BLOCK_ROWS;
use crate::storage::block::BlockMemory;
use crate::storage::column::{BlockPointer, Column, Writer, rows_in_block};

/// Columns that are being filled; dropped with their values if they are not finished.
pub(super) struct Fresh {
    /// Those of the bundle in its order.
    columns: Vec<FreshColumn>,
    rows: usize,
    /// Those of what it brings along.
    required: Vec<FreshRequired>,
}

/// The column of a component that a bundle brings along.
struct FreshRequired {
    make: Make,
    column: FreshColumn,
    rows: usize,
}

impl Fresh {
    pub(super) fn none() -> Self {
        Self {
            columns: Vec::new(),
            required: Vec::new(),
            rows: 0,
        }
    }

    pub(super) fn new(
        components: &[ComponentId],
        required: &[RequiredColumn],
        target: &Archetype,
        registry: &Registry,
    ) -> Self {
        let columns = components.iter().map(|&component| FreshColumn {
            index: target
                .column_index(component)
                .expect("the target has the bundle"),
            column: Column::new(registry.info(component).clone()),
        });
        let required = required.iter().map(|one| {
            let column = FreshColumn {
                index: one.column as usize,
                column: Column::new(registry.info(one.requirement.component).clone()),
            };
            FreshRequired {
                make: one.requirement.make.clone(),
                column,
                rows: 0,
            }
        });
        Self {
            columns: columns.collect(),
            required: required.collect(),
            rows: 0,
        }
    }

    pub(super) fn fill<B: Bundle + Clone>(
        &mut self,
        len: usize,
        room: usize,
        bundle: &B,
        to: Writer<'_>,
    ) {
        for fresh in &mut self.columns {
            // SAFETY: it has no rows yet.
            unsafe { fresh.column.reserve(0, room, to) };
        }
        let plain = self.columns.iter().all(|fresh| fresh.column.is_plain());
        for block in 0..len.div_ceil(BLOCK_ROWS) {
            let open = self.columns.iter_mut().map(|fresh| {
                // SAFETY: `rows` rows are initialised, and room was made for more.
                unsafe { fresh.column.open(block, self.rows, to) }
            });
            let open: Vec<BlockPointer> = open.collect();
            for row in 0..rows_in_block(len, block) {
                let value = bundle.clone();
                if plain {
                    // SAFETY: the bundle's components in its order, each in one piece.
                    unsafe { put_pieces(value, &open, row) };
                } else {
                    self.put(value, &open, row, to.tick);
                }
                self.rows += 1;
            }
        }
    }

    /// Makes what the bundle brings along for as many rows.
    pub(super) fn make_required(&mut self, len: usize, room: usize, to: Writer<'_>) {
        for fresh in &mut self.required {
            let column = &mut fresh.column.column;
            // SAFETY: it has no rows yet.
            unsafe { column.reserve(0, room, to) };
            let layout = column.info().layout;
            let memory = BlockMemory::new(to.pool, layout.size(), layout.align());
            let value = memory.data().as_ptr();
            for row in 0..len {
                // SAFETY: `rows` rows are initialised, and room was made for more.
                let block = unsafe { column.open(row / BLOCK_ROWS, fresh.rows, to) };
                (fresh.make)(value);
                // SAFETY: the open block has room for the row, and the value was just made.
                unsafe { column.put(block, row % BLOCK_ROWS, value, to.tick) };
                fresh.rows += 1;
            }
        }
    }

    fn put<B: Bundle>(&self, value: B, open: &[BlockPointer], row: usize, tick: u64) {
        let mut next = self.columns.iter().zip(open);
        value.visit(&mut |value, _| {
            let (fresh, block) = next.next().expect("a column for each component");
            // SAFETY: an open block with room for the row, and the value of its component.
            unsafe { fresh.column.put(*block, row, value, tick) };
        });
    }

    /// The columns, whose values now belong to who gets them.
    pub(super) fn finish(mut self) -> Vec<FreshColumn> {
        self.rows = 0;
        let required = std::mem::take(&mut self.required);
        let mut columns = std::mem::take(&mut self.columns);
        columns.extend(required.into_iter().map(|fresh| fresh.column));
        columns
    }
}

/// Moves a bundle into a row of open blocks.
///
/// # Safety
/// The blocks are of the bundle's components in its order, in one piece each, with room for the
/// row.
#[inline]
unsafe fn put_pieces<B: Bundle>(value: B, open: &[BlockPointer], row: usize) {
    let mut index = 0;
    value.visit(&mut |value, size_bytes| {
        // SAFETY: guaranteed by the caller.
        let place = unsafe { open[index].data.add(row * size_bytes) };
        // SAFETY: `size_bytes` is the component's size, and the value is ours to move.
        unsafe { value.copy_to_nonoverlapping(place.as_ptr(), size_bytes) };
        index += 1;
    });
}

impl Drop for Fresh {
    fn drop(&mut self) {
        let mut panicked = FirstPanic::default();
        for fresh in &mut self.columns {
            // SAFETY: each has exactly `rows` rows, and is forgotten.
            unsafe { fresh.column.clear(self.rows, &mut panicked) };
        }
        for fresh in &mut self.required {
            // SAFETY: as above.
            unsafe { fresh.column.column.clear(fresh.rows, &mut panicked) };
        }
        // Only reached while a `clone`'s panic is on its way, which is the one to be told.
        panicked.hush();
    }
}

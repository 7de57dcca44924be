//! Single rows of a column: address, read, write, exchange, drop, move.

use super::{BlockPointer, Column, Writer, part_start, rows_in_block, split_row};

impl Column {
    /// Block and row inside it for writing one row; copies a shared block.
    ///
    /// # Safety
    /// The column has `len` initialised rows and room for `row`.
    #[inline]
    unsafe fn locate_mut(
        &mut self,
        row: usize,
        len: usize,
        to: Writer<'_>,
    ) -> (BlockPointer, usize) {
        let (block, inside) = split_row(row);
        self.unshare_list();
        // SAFETY: the list was just made ours and `&mut self` excludes everybody else.
        let pointer = unsafe { self.block_write(block, rows_in_block(len, block), to) };
        (pointer, inside)
    }

    /// Address of part `part` of a row.
    ///
    /// # Safety
    /// `row` lies inside the block.
    #[inline]
    pub(super) unsafe fn part_row(&self, block: BlockPointer, part: usize, row: usize) -> *mut u8 {
        let size = self.info.parts[part].size_bytes;
        let start = part_start(&self.info.parts, part, block.capacity);
        // SAFETY: every part has room for `capacity` rows, and the caller gives one of them.
        unsafe { block.data.as_ptr().add(start + size * row) }
    }

    /// Address of a row of a plain component.
    ///
    /// # Safety
    /// The column has a row `row` and is not split.
    #[inline]
    pub(crate) unsafe fn row(&self, row: usize) -> *mut u8 {
        let (block, inside) = split_row(row);
        let pointer = self.block_read(block);
        // SAFETY: the row exists, by the caller.
        unsafe { pointer.data.as_ptr().add(inside * self.info.layout.size()) }
    }

    /// Address of a row of a plain component for writing.
    ///
    /// # Safety
    /// The column has `len` initialised rows and room for `row`, and it is not split.
    #[inline]
    pub(crate) unsafe fn row_mut(&mut self, row: usize, len: usize, to: Writer<'_>) -> *mut u8 {
        // SAFETY: passed on from the caller.
        let (block, inside) = unsafe { self.locate_mut(row, len, to) };
        // SAFETY: the row exists, by the caller.
        unsafe { block.data.as_ptr().add(inside * self.info.layout.size()) }
    }

    /// Copies a whole value out of the column, fields of a split component put together.
    ///
    /// # Safety
    /// `row` is initialised and `value` has room for one.
    pub(crate) unsafe fn read(&self, row: usize, value: *mut u8) {
        let (block, inside) = split_row(row);
        let block = self.block_read(block);
        for (index, part) in self.info.value_parts().iter().enumerate() {
            // SAFETY: the row exists, by the caller.
            let source = unsafe { self.part_row(block, index, inside) };
            // SAFETY: a part lies inside the value.
            let target = unsafe { value.add(part.offset_bytes) };
            // SAFETY: `part.size_bytes` bytes on both sides, apart from each other.
            unsafe { source.copy_to_nonoverlapping(target, part.size_bytes) };
        }
    }

    /// Moves a value into row `row`, over nothing or over bytes that were moved out.
    ///
    /// # Safety
    /// - the column has `len` initialised rows and room for `row`;
    /// - `value` points to an initialised value that is not used afterwards.
    #[inline]
    pub(crate) unsafe fn write(
        &mut self,
        row: usize,
        len: usize,
        value: *const u8,
        to: Writer<'_>,
    ) {
        // SAFETY: passed on from the caller.
        let (block, inside) = unsafe { self.locate_mut(row, len, to) };
        for (index, part) in self.info.value_parts().iter().enumerate() {
            // SAFETY: the block has room for the row.
            let target = unsafe { self.part_row(block, index, inside) };
            // SAFETY: a part lies inside the value.
            let source = unsafe { value.add(part.offset_bytes) };
            // SAFETY: `part.size_bytes` bytes on both sides, apart from each other.
            unsafe { source.copy_to_nonoverlapping(target, part.size_bytes) };
        }
        if let Some(runs) = self.tick_runs(block) {
            // SAFETY: the block has room for the row, in its tick runs too.
            unsafe { runs.set_added(inside, to.tick) };
        }
    }

    /// Exchanges row `row` with the value behind the pointer, so that the caller drops the old
    /// one only after the column is whole again.
    ///
    /// # Safety
    /// - `row` is one of `len` initialised rows;
    /// - `value` points to an initialised value.
    pub(crate) unsafe fn exchange(
        &mut self,
        row: usize,
        len: usize,
        value: *mut u8,
        to: Writer<'_>,
    ) {
        // SAFETY: passed on from the caller.
        let (block, inside) = unsafe { self.locate_mut(row, len, to) };
        for (index, part) in self.info.value_parts().iter().enumerate() {
            // SAFETY: the row exists, by the caller.
            let ours = unsafe { self.part_row(block, index, inside) };
            // SAFETY: a part lies inside the value.
            let theirs = unsafe { value.add(part.offset_bytes) };
            // SAFETY: `part.size_bytes` bytes on both sides, apart from each other.
            unsafe { std::ptr::swap_nonoverlapping(ours, theirs, part.size_bytes) };
        }
        if let Some(runs) = self.tick_runs(block) {
            // SAFETY: the row exists, by the caller.
            unsafe { runs.set_changed(inside, to.tick) };
        }
    }

    /// Copies the block of a row if a fork shares it, so that no later write to it has to.
    ///
    /// # Safety
    /// The column has `len` initialised rows and room for `row`.
    pub(crate) unsafe fn own_row(&mut self, row: usize, len: usize, to: Writer<'_>) {
        // SAFETY: passed on from the caller.
        unsafe { self.locate_mut(row, len, to) };
    }

    /// Drops the value in `row` and leaves the bytes; the caller fills or forgets the row.
    ///
    /// # Safety
    /// `row` is one of `len` initialised rows, and not used as a value afterwards.
    pub(crate) unsafe fn drop_row(&mut self, row: usize, len: usize, to: Writer<'_>) {
        if self.info.drop.is_none() {
            return;
        }
        // SAFETY: passed on from the caller.
        let (block, inside) = unsafe { self.locate_mut(row, len, to) };
        // SAFETY: the row is initialised and forgotten by the caller.
        unsafe { self.drop_rows(block, inside, 1) };
    }

    /// Moves the last row into `row`, whose value was dropped or moved out.
    ///
    /// # Safety
    /// The column has `len` rows, all initialised but `row`; afterwards it has `len - 1`.
    pub(crate) unsafe fn fill_from_last(&mut self, row: usize, len: usize, to: Writer<'_>) {
        let last = len - 1;
        // SAFETY: both rows exist. Where copying runs a user's `clone`, the blocks are ours
        // already (`Archetype::ready_leave`); bytes may be copied whatever they stand for.
        let (target, inside) = unsafe { self.locate_mut(row, len, to) };
        if row != last {
            // SAFETY: the last row exists.
            let (source, from) = unsafe { self.locate_mut(last, len, to) };
            for index in 0..self.info.parts.len() {
                let size = self.info.parts[index].size_bytes;
                // SAFETY: the row exists.
                let source = unsafe { self.part_row(source, index, from) };
                // SAFETY: the row exists.
                let target = unsafe { self.part_row(target, index, inside) };
                // SAFETY: two different rows of `size` bytes.
                unsafe { source.copy_to_nonoverlapping(target, size) };
            }
        }
        self.trim(last);
    }

    /// Moves the value of `row` to the end of another column of the same component.
    ///
    /// # Safety
    /// - `row` is one of `len` initialised rows, and counts as moved out afterwards;
    /// - `other` has `other_len` initialised rows and room for one more.
    pub(crate) unsafe fn move_row(
        &mut self,
        row: usize,
        len: usize,
        other: &mut Self,
        other_len: usize,
        to: Writer<'_>,
    ) {
        // SAFETY: passed on from the caller; writing access, because the value leaves.
        let (from, inside) = unsafe { self.locate_mut(row, len, to) };
        // SAFETY: passed on from the caller.
        let (into, outside) = unsafe { other.locate_mut(other_len, other_len, to) };
        for index in 0..self.info.parts.len() {
            let size = self.info.parts[index].size_bytes;
            // SAFETY: the row exists.
            let source = unsafe { self.part_row(from, index, inside) };
            // SAFETY: there is room for the row.
            let target = unsafe { other.part_row(into, index, outside) };
            // SAFETY: `size` bytes in two different columns.
            unsafe { source.copy_to_nonoverlapping(target, size) };
        }
    }
}

//! Single rows of a column: address, read, write, exchange, drop, move.
//!
//! Structural changes open the blocks they touch first (`open`), which may copy one that a fork
//! shares and so run a user's `clone`; what follows works on the open blocks and cannot fail.

use super::{BlockPointer, Column, Writer, part_start, rows_in_block, split_row};

/// Copies one value of a few bytes without a call.
///
/// # Safety
/// `size` bytes are readable at `from`, writable at `to`, and apart from each other.
#[inline(always)]
pub(crate) unsafe fn copy_value(from: *const u8, to: *mut u8, size: usize) {
    /// Two words that may overlap cover every size between one word and two.
    ///
    /// # Safety
    /// As `copy_value`, and `size_of::<W>() <= size <= 2 * size_of::<W>()`.
    #[inline(always)]
    unsafe fn two_words<W: Copy>(from: *const u8, to: *mut u8, size: usize) {
        // SAFETY: guaranteed by the caller.
        let first = unsafe { from.cast::<W>().read_unaligned() };
        // SAFETY: as above, on the other side.
        unsafe { to.cast::<W>().write_unaligned(first) };
        let second = size - size_of::<W>();
        // SAFETY: `second + size_of::<W>() == size`.
        let source = unsafe { from.add(second) };
        // SAFETY: as above.
        let last = unsafe { source.cast::<W>().read_unaligned() };
        // SAFETY: as above.
        let target = unsafe { to.add(second) };
        // SAFETY: as above.
        unsafe { target.cast::<W>().write_unaligned(last) };
    }
    type Words<const N: usize> = [std::mem::MaybeUninit<u64>; N];
    // In the order of what components mostly are: vectors, numbers, matrices.
    if !(4..=64).contains(&size) {
        // SAFETY: passed on from the caller.
        return unsafe { from.copy_to_nonoverlapping(to, size) };
    }
    if size < 8 {
        // SAFETY: sizes as `two_words` asks for; the rest is passed on from the caller.
        unsafe { two_words::<std::mem::MaybeUninit<u32>>(from, to, size) }
    } else if size <= 16 {
        // SAFETY: as above.
        unsafe { two_words::<Words<1>>(from, to, size) }
    } else if size <= 32 {
        // SAFETY: as above.
        unsafe { two_words::<Words<2>>(from, to, size) }
    } else {
        // SAFETY: as above.
        unsafe { two_words::<Words<4>>(from, to, size) }
    }
}

impl Column {
    /// A block for writing rows: the list and the block are made ours, and marked as changed.
    ///
    /// # Safety
    /// The column has `len` initialised rows, and the block.
    #[inline]
    pub(crate) unsafe fn open(&mut self, block: usize, len: usize, to: Writer<'_>) -> BlockPointer {
        self.unshare_list();
        // SAFETY: the list was just made ours and `&mut self` excludes everybody else.
        unsafe { self.block_write(block, rows_in_block(len, block), to) }
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

    /// Address of a row of a component that is not split.
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

    /// Address of a row of a component that is not split, for writing; marks the row.
    ///
    /// # Safety
    /// The column has `len` initialised rows, `row` is one of them, and it is not split.
    #[inline]
    pub(crate) unsafe fn row_mut(&mut self, row: usize, len: usize, to: Writer<'_>) -> *mut u8 {
        let (block, inside) = split_row(row);
        // SAFETY: passed on from the caller.
        let block = unsafe { self.open(block, len, to) };
        if let Some(runs) = self.tick_runs(block) {
            // SAFETY: the row exists, by the caller.
            unsafe { runs.set_changed(inside, to.tick) };
        }
        // SAFETY: the row exists, by the caller.
        unsafe { block.data.as_ptr().add(inside * self.info.layout.size()) }
    }

    /// The block of a row for writing it, and the row in it. The row is not marked.
    ///
    /// # Safety
    /// The column has `len` initialised rows, and `row` is one of them.
    #[inline]
    pub(crate) unsafe fn open_at(
        &mut self,
        row: usize,
        len: usize,
        to: Writer<'_>,
    ) -> (BlockPointer, usize) {
        let (block, inside) = split_row(row);
        // SAFETY: passed on from the caller.
        (unsafe { self.open(block, len, to) }, inside)
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

    /// Moves a new value into a row of an open block, over nothing.
    ///
    /// # Safety
    /// - `block` is one of this column that `open` gave, and has room for `row`;
    /// - `value` points to an initialised value that is not used afterwards.
    #[inline]
    pub(crate) unsafe fn put(&self, block: BlockPointer, row: usize, value: *const u8, tick: u64) {
        if let Some(size) = self.info.piece() {
            // SAFETY: the block has room for the row.
            let target = unsafe { block.data.add(row * size) };
            // SAFETY: `size` bytes on both sides, apart from each other.
            return unsafe { copy_value(value, target.as_ptr(), size) };
        }
        // SAFETY: passed on from the caller.
        unsafe { self.put_parts(block, row, value) };
        if let Some(runs) = self.tick_runs(block) {
            // SAFETY: the block has room for the row, in its tick runs too.
            unsafe { runs.set_added(row, tick) };
        }
    }

    /// # Safety
    /// As `put`.
    unsafe fn put_parts(&self, block: BlockPointer, row: usize, value: *const u8) {
        for (index, part) in self.info.value_parts().iter().enumerate() {
            // SAFETY: the block has room for the row.
            let target = unsafe { self.part_row(block, index, row) };
            // SAFETY: a part lies inside the value.
            let source = unsafe { value.add(part.offset_bytes) };
            // SAFETY: `part.size_bytes` bytes on both sides, apart from each other.
            unsafe { source.copy_to_nonoverlapping(target, part.size_bytes) };
        }
    }

    /// Overwrites a `Copy` value.
    ///
    /// # Safety
    /// - `row` is one of `len` initialised rows;
    /// - `value` points to an initialised value that needs no drop.
    pub(crate) unsafe fn overwrite(
        &mut self,
        row: usize,
        len: usize,
        value: *const u8,
        to: Writer<'_>,
    ) {
        // SAFETY: passed on from the caller.
        let (block, inside) = unsafe { self.open_at(row, len, to) };
        // SAFETY: as above.
        unsafe { self.overwrite_in(block, inside, value, to.tick) };
    }

    /// Overwrites a `Copy` value in a block that is ours.
    ///
    /// # Safety
    /// - the block is of this column, ours alone and marked, and `row` is initialised in it;
    /// - nobody else has the row;
    /// - `value` points to an initialised value that needs no drop.
    pub(crate) unsafe fn overwrite_in(
        &self,
        block: BlockPointer,
        row: usize,
        value: *const u8,
        tick: u64,
    ) {
        // SAFETY: passed on from the caller.
        unsafe { self.put_parts(block, row, value) };
        if let Some(runs) = self.tick_runs(block) {
            // SAFETY: the row exists, by the caller.
            unsafe { runs.set_changed(row, tick) };
        }
    }

    /// Exchanges a row of an open block with the value behind the pointer, so that the caller
    /// drops the old one only after the column is whole again.
    ///
    /// # Safety
    /// - `block` is one of this column that `open` gave, and `row` is initialised;
    /// - `value` points to an initialised value.
    pub(crate) unsafe fn exchange(
        &self,
        block: BlockPointer,
        row: usize,
        value: *mut u8,
        tick: u64,
    ) {
        for (index, part) in self.info.value_parts().iter().enumerate() {
            // SAFETY: the row exists, by the caller.
            let ours = unsafe { self.part_row(block, index, row) };
            // SAFETY: a part lies inside the value.
            let theirs = unsafe { value.add(part.offset_bytes) };
            // SAFETY: `part.size_bytes` bytes on both sides, apart from each other.
            unsafe { std::ptr::swap_nonoverlapping(ours, theirs, part.size_bytes) };
        }
        if let Some(runs) = self.tick_runs(block) {
            // SAFETY: the row exists, by the caller.
            unsafe { runs.set_changed(row, tick) };
        }
    }

    /// Drops the value in a row of an open block and leaves the bytes; the caller fills or
    /// forgets the row.
    ///
    /// # Safety
    /// `block` is one of this column that `open` gave, `row` is initialised, and is not used as a
    /// value afterwards.
    pub(crate) unsafe fn drop_row(&self, block: BlockPointer, row: usize) {
        // SAFETY: guaranteed by the caller.
        unsafe { self.drop_rows(block, row, 1) };
    }

    /// Moves a row from one open block to another of the same component: in this column, or in
    /// that of another archetype. Its ticks go with it.
    ///
    /// # Safety
    /// - both blocks were given by `open` of a column of this component;
    /// - row `from.1` is initialised and counts as moved out afterwards, `into.1` holds no value,
    ///   and they are two different rows.
    #[inline]
    pub(crate) unsafe fn transfer(&self, from: (BlockPointer, usize), into: (BlockPointer, usize)) {
        if let Some(size) = self.info.piece() {
            // SAFETY: the row exists, by the caller.
            let source = unsafe { from.0.data.add(from.1 * size) };
            // SAFETY: as above.
            let target = unsafe { into.0.data.add(into.1 * size) };
            // SAFETY: two different rows of `size` bytes.
            return unsafe { copy_value(source.as_ptr(), target.as_ptr(), size) };
        }
        for (index, part) in self.info.parts.iter().enumerate() {
            // SAFETY: the row exists.
            let source = unsafe { self.part_row(from.0, index, from.1) };
            // SAFETY: there is room for the row.
            let target = unsafe { self.part_row(into.0, index, into.1) };
            // SAFETY: two different rows of `part.size_bytes` bytes.
            unsafe { source.copy_to_nonoverlapping(target, part.size_bytes) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::copy_value;

    #[test]
    fn a_value_of_any_size_is_copied_and_nothing_beside_it() {
        let from: Vec<u8> = (0..200).map(|byte| byte as u8 ^ 0x5a).collect();
        for size in 0..=160 {
            let mut to = vec![0xee_u8; 200];
            // SAFETY: both have 200 bytes, and 20 + 160 is less.
            let source = unsafe { from.as_ptr().add(7) };
            // SAFETY: as above.
            let target = unsafe { to.as_mut_ptr().add(20) };
            // SAFETY: as above.
            unsafe { copy_value(source, target, size) };
            assert_eq!(to[20..20 + size], from[7..7 + size], "{size}");
            assert!(
                to[..20]
                    .iter()
                    .chain(&to[20 + size..])
                    .all(|&byte| byte == 0xee)
            );
        }
    }
}

//! A row that is bytes, from one open block to another.
//!
//! What moves is known beforehand, so it is listed by size: which copy fits is asked once for all
//! columns of a size, and within the loop the compiler knows the size. Rows whose values all have
//! one size, which are most of those that move often, have a copy of their own.

use super::window::Open;
use crate::entity::Entity;
use crate::storage::column::copy_value;

/// The sizes in bytes that have a loop of their own: numbers, handles, vectors and matrices.
const SIZES: [usize; 5] = [4, 8, 12, 16, 64];

/// What moves of a row, beside its handle. Values without any bytes are left out.
#[derive(Debug)]
pub(crate) struct Pieces {
    /// Those of the first of `SIZES`, then those of the next, then all others.
    columns: Box<[Columns]>,
    /// Where those of each of `SIZES` end.
    ends: [usize; SIZES.len()],
    /// Sizes of the others in bytes.
    others: Box<[usize]>,
    copy: CopyRow,
}

/// A row of an open block.
pub(super) type Row = (Open, usize);

/// # Safety
/// As `Pieces::copy`.
type CopyRow = unsafe fn(&Pieces, Row, Row) -> Entity;

/// Where a value lies before and after.
#[derive(Clone, Copy, Debug)]
struct Columns {
    from: u32,
    into: u32,
}

impl Pieces {
    /// Of columns before and after, and the size of their values in bytes.
    pub(super) fn new(pieces: impl Iterator<Item = (u32, u32, usize)>) -> Self {
        let mut pieces: Vec<_> = pieces.filter(|&(_, _, size)| size > 0).collect();
        let class = |size: usize| SIZES.iter().position(|&one| one == size);
        let class = |size| class(size).unwrap_or(SIZES.len());
        pieces.sort_by_key(|&(_, _, size)| class(size));
        let up_to = |index| pieces.partition_point(|&(_, _, size)| class(size) <= index);
        let ends: [usize; SIZES.len()] = std::array::from_fn(up_to);
        let others = &pieces[ends[SIZES.len() - 1]..];
        let is_only = |&size: &usize| pieces.iter().all(|&(_, _, one)| one == size);
        let copy = match SIZES.iter().position(is_only) {
            Some(0) => Self::copy_one_size::<{ SIZES[0] }> as CopyRow,
            Some(1) => Self::copy_one_size::<{ SIZES[1] }>,
            Some(2) => Self::copy_one_size::<{ SIZES[2] }>,
            Some(3) => Self::copy_one_size::<{ SIZES[3] }>,
            Some(4) => Self::copy_one_size::<{ SIZES[4] }>,
            _ => Self::copy_sizes,
        };
        Self {
            copy,
            others: others.iter().map(|&(_, _, size)| size).collect(),
            columns: (pieces.iter())
                .map(|&(from, into, _)| Columns { from, into })
                .collect(),
            ends,
        }
    }

    /// Copies the values and the handle of a row of one block into a row of another. Gives the
    /// handle.
    ///
    /// # Safety
    /// - the blocks are open and have the columns and rows, in pieces of these sizes;
    /// - they are two different rows, and the second holds nothing.
    #[inline(always)]
    pub(super) unsafe fn copy(&self, from: Row, into: Row) -> Entity {
        // SAFETY: passed on from the caller.
        unsafe { (self.copy)(self, from, into) }
    }

    /// # Safety
    /// As `copy`, and all values have this size.
    unsafe fn copy_one_size<const SIZE: usize>(&self, from: Row, into: Row) -> Entity {
        // SAFETY: passed on from the caller.
        unsafe { self.copy_sized::<SIZE>(&mut 0, self.columns.len(), from, into) };
        // SAFETY: as above.
        unsafe { copy_handle(from, into) }
    }

    /// # Safety
    /// As `copy`.
    unsafe fn copy_sizes(&self, from: Row, into: Row) -> Entity {
        let mut at = 0;
        // SAFETY: passed on from the caller; the ends are in the order of the sizes.
        unsafe { self.copy_sized::<{ SIZES[0] }>(&mut at, self.ends[0], from, into) };
        // SAFETY: as above.
        unsafe { self.copy_sized::<{ SIZES[1] }>(&mut at, self.ends[1], from, into) };
        // SAFETY: as above.
        unsafe { self.copy_sized::<{ SIZES[2] }>(&mut at, self.ends[2], from, into) };
        // SAFETY: as above.
        unsafe { self.copy_sized::<{ SIZES[3] }>(&mut at, self.ends[3], from, into) };
        // SAFETY: as above.
        unsafe { self.copy_sized::<{ SIZES[4] }>(&mut at, self.ends[4], from, into) };
        for &size in &self.others {
            // SAFETY: `new` lists as many columns behind the ends.
            let columns = unsafe { self.columns.get_unchecked(at) };
            // SAFETY: passed on from the caller.
            let (source, target) = unsafe { columns.places(from, into, size) };
            // SAFETY: as above.
            unsafe { copy_value(source, target, size) };
            at += 1;
        }
        // SAFETY: as above.
        unsafe { copy_handle(from, into) }
    }

    /// Copies the values of one size.
    ///
    /// # Safety
    /// As `copy`, and the columns from `at` to `end` are there and of this size.
    #[inline(always)]
    unsafe fn copy_sized<const SIZE: usize>(
        &self,
        at: &mut usize,
        end: usize,
        from: Row,
        into: Row,
    ) {
        while *at < end {
            // SAFETY: guaranteed by the caller.
            let columns = unsafe { self.columns.get_unchecked(*at) };
            // SAFETY: as above.
            let (source, target) = unsafe { columns.places(from, into, SIZE) };
            // SAFETY: as above.
            unsafe { source.copy_to_nonoverlapping(target, SIZE) };
            *at += 1;
        }
    }
}

impl Columns {
    /// # Safety
    /// As `Pieces::copy`.
    #[inline(always)]
    unsafe fn places(
        self,
        (from, old): Row,
        (into, new): Row,
        size: usize,
    ) -> (*const u8, *mut u8) {
        // SAFETY: guaranteed by the caller.
        let source = unsafe { from.column(self.from as usize) };
        // SAFETY: as above.
        let target = unsafe { into.column(self.into as usize) };
        // SAFETY: as above.
        let source = unsafe { source.add(old * size) };
        // SAFETY: as above.
        (source, unsafe { target.add(new * size) })
    }
}

/// # Safety
/// As `Pieces::copy`.
#[inline(always)]
unsafe fn copy_handle((from, old): Row, (into, new): Row) -> Entity {
    // SAFETY: guaranteed by the caller.
    let entity = unsafe { from.entity(old) };
    // SAFETY: as above.
    unsafe { into.set_entity(new, entity) };
    entity
}

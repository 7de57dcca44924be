//! From the index of an entity to its row in a sparse set.

use std::ptr::NonNull;

use crate::storage::block::BlockMemory;
use crate::storage::column::Writer;
use crate::storage::list::SharedList;
use crate::storage::shared::Shared;

/// Rows of one page.
const PAGE: usize = 1024;

const NONE: u32 = u32::MAX;

/// Rows of 1,024 entity indices that follow each other.
struct Page {
    rows: NonNull<u32>,
    memory: Shared<BlockMemory>,
}

// SAFETY: the page owns the memory it points to, and rows are plain data.
unsafe impl Send for Page {}
// SAFETY: as above; only `&mut` writes.
unsafe impl Sync for Page {}

impl Clone for Page {
    /// Shares the rows.
    fn clone(&self) -> Self {
        Self {
            rows: self.rows,
            memory: self.memory.clone(),
        }
    }
}

impl Page {
    fn new(rows: &[u32; PAGE], to: Writer<'_>) -> Self {
        let memory = BlockMemory::new(to.pool, size_of_val(rows), align_of::<u32>());
        let start: NonNull<u32> = memory.data().cast();
        // SAFETY: `PAGE` numbers on both sides, the second nobody else's.
        unsafe {
            NonNull::from(rows)
                .cast::<u32>()
                .copy_to_nonoverlapping(start, PAGE)
        };
        Self {
            rows: start,
            memory,
        }
    }

    #[inline]
    fn rows(&self) -> &[u32; PAGE] {
        // SAFETY: `new` initialised every row; writers have the set exclusively.
        unsafe { self.rows.cast().as_ref() }
    }

    #[inline]
    fn rows_mut(&mut self, to: Writer<'_>) -> &mut [u32; PAGE] {
        if !self.memory.is_unique() {
            self.own(to);
        }
        // SAFETY: initialised as above; the memory is ours alone, and so is `self`.
        unsafe { self.rows.cast().as_mut() }
    }

    #[cold]
    #[inline(never)]
    fn own(&mut self, to: Writer<'_>) {
        *self = Self::new(self.rows(), to);
    }
}

/// Rows by entity index. Pages without any are left out.
#[derive(Default)]
pub(super) struct RowIndex {
    pages: SharedList<Option<Page>>,
}

impl RowIndex {
    /// An index that shares every page with this one.
    pub(super) fn share(&self) -> Self {
        Self {
            pages: self.pages.clone(),
        }
    }

    #[inline]
    pub(super) fn get(&self, index: u32) -> Option<usize> {
        let page = self.pages.get(index as usize / PAGE)?.as_ref()?;
        let row = page.rows()[index as usize % PAGE];
        (row != NONE).then_some(row as usize)
    }

    /// Whether `set` needs no memory for an index, and it has no row.
    #[inline]
    pub(super) fn is_vacant(&self, index: u32) -> bool {
        let page = self.pages.get(index as usize / PAGE);
        let page = page.and_then(Option::as_ref);
        page.is_some_and(|page| page.rows()[index as usize % PAGE] == NONE)
    }

    /// Makes the page of an index, so that `set` needs no memory.
    pub(super) fn ready(&mut self, index: u32, to: Writer<'_>) {
        let page = index as usize / PAGE;
        let missing = self.pages.get(page).is_none_or(Option::is_none);
        if missing {
            self.pages.grow(page + 1, || None);
            self.pages.make_mut()[page] = Some(Page::new(&[NONE; PAGE], to));
        }
    }

    #[inline(always)]
    fn place(&mut self, index: u32, to: Writer<'_>) -> &mut u32 {
        let page = self.pages.make_mut()[index as usize / PAGE].as_mut();
        let page = page.expect("`ready` made the page");
        &mut page.rows_mut(to)[index as usize % PAGE]
    }

    #[inline]
    pub(super) fn set(&mut self, index: u32, row: usize, to: Writer<'_>) {
        *self.place(index, to) = row as u32;
    }

    #[inline]
    pub(super) fn forget(&mut self, index: u32, to: Writer<'_>) {
        *self.place(index, to) = NONE;
    }
}

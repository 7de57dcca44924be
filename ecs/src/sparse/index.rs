//! From the index of an entity to its row in a sparse set.

use crate::storage::column::Writer;
use crate::storage::list::SharedList;
use crate::storage::page::{PAGE, Page};

const NONE: u32 = u32::MAX;

/// Rows by entity index. Pages without any are left out.
#[derive(Default)]
pub(super) struct RowIndex {
    pages: SharedList<Option<Page<u32>>>,
}

/// Where the row of an entity index is written down; ours to write.
pub(super) struct Place<'a>(&'a mut u32);

impl Place<'_> {
    #[inline(always)]
    pub(super) fn row(&self) -> Option<usize> {
        (*self.0 != NONE).then_some(*self.0 as usize)
    }

    #[inline(always)]
    pub(super) fn set(self, row: usize) {
        *self.0 = row as u32;
    }

    #[inline(always)]
    pub(super) fn forget(self) {
        *self.0 = NONE;
    }
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
        let row = page.values()[index as usize % PAGE];
        (row != NONE).then_some(row as usize)
    }

    /// Makes the page of an index, so that it has a place.
    pub(super) fn ready(&mut self, index: u32, to: Writer<'_>) {
        let page = index as usize / PAGE;
        let missing = self.pages.get(page).is_none_or(Option::is_none);
        if missing {
            self.pages.grow(page + 1, || None);
            self.pages.make_mut()[page] = Some(Page::filled(NONE, to.pool));
        }
    }

    /// The place of an index, if its page was made.
    #[inline(always)]
    pub(super) fn place(&mut self, index: u32, to: Writer<'_>) -> Option<Place<'_>> {
        let page = self.pages.make_mut().get_mut(index as usize / PAGE)?;
        let rows = page.as_mut()?.values_mut(to.pool);
        Some(Place(&mut rows[index as usize % PAGE]))
    }

    /// # Panics
    /// When `ready` was not called for the index, ever.
    #[inline]
    pub(super) fn set(&mut self, index: u32, row: usize, to: Writer<'_>) {
        let place = self.place(index, to);
        place.expect("`ready` made the page").set(row);
    }

    /// # Panics
    /// As `set`.
    #[inline]
    pub(super) fn forget(&mut self, index: u32, to: Writer<'_>) {
        let place = self.place(index, to);
        place.expect("`ready` made the page").forget();
    }
}

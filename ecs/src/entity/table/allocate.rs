//! Handles that come: one by one, or for many rows.

use std::ptr::NonNull;

use super::{EntityTable, Location, MAX_ENTITIES};
use crate::entity::Entity;
use crate::entity::page::{BLANK, PAGE, Page, RESERVED};

impl EntityTable {
    /// # Panics
    /// When fewer than `count` further entities can live.
    #[inline]
    pub(crate) fn assert_room(&self, count: u32) {
        let fresh = count.saturating_sub(self.free.len());
        assert!(
            fresh <= MAX_ENTITIES - self.len,
            "a world holds at most {MAX_ENTITIES} entities"
        );
    }

    /// Takes the next handle. It has no row until `set`.
    ///
    /// # Panics
    /// When 2^32 - 2 entities live or are retired.
    #[inline]
    pub(crate) fn allocate(&mut self) -> Entity {
        self.allocate_at(Location {
            archetype: RESERVED,
            row: 0,
        })
    }

    /// Takes the next handle for a row.
    ///
    /// # Panics
    /// As `allocate`.
    #[inline]
    pub(crate) fn allocate_at(&mut self, location: Location) -> Entity {
        let index = self.next_index();
        self.living += 1;
        let entry = self.entry_reborn(index);
        entry.archetype = location.archetype;
        entry.row = location.row;
        let generation = entry.generation;
        Entity { index, generation }
    }

    /// Takes the index that comes next and leaves its entry dead.
    #[inline]
    pub(in crate::entity) fn next_index(&mut self) -> u32 {
        match self.free.pop() {
            Some(index) => index,
            None => self.next_fresh(),
        }
    }

    /// Gives back a dead index, as the next one to be taken.
    pub(in crate::entity) fn push_free(&mut self, index: u32) {
        self.free.push(index);
    }

    #[inline]
    pub(super) fn next_fresh(&mut self) -> u32 {
        self.assert_room(1);
        let index = self.len;
        if index as usize / PAGE == self.pages.len() {
            self.add_page();
        }
        self.len += 1;
        index
    }

    #[cold]
    fn add_page(&mut self) {
        let page = Page::filled(BLANK, &self.pool);
        self.pages.push(page);
    }

    /// Takes handles for `rows` rows that lie one after the other, and writes them down.
    ///
    /// # Safety
    /// `handles` is writable for `rows` handles.
    ///
    /// # Panics
    /// As `allocate`; `assert_room` tells before.
    pub(crate) unsafe fn allocate_rows(
        &mut self,
        handles: NonNull<Entity>,
        rows: usize,
        first: Location,
    ) {
        let mut row = 0;
        while row < rows {
            let location = Location {
                row: first.row + row as u32,
                ..first
            };
            // SAFETY: `row < rows`, by the caller.
            let handles = unsafe { handles.add(row) };
            if self.free.len() > 0 {
                // SAFETY: `row` and what is left make `rows`.
                row += unsafe { self.allocate_free(handles, rows - row, location) };
                continue;
            }
            if self.len as usize / PAGE == self.pages.len() {
                self.add_page();
            }
            let count = (rows - row).min(PAGE - self.len as usize % PAGE);
            // SAFETY: `row + count <= rows`, by the caller; the page of the next fresh index exists
            // and has `count` more.
            unsafe { self.allocate_fresh(handles, count, location) };
            row += count;
        }
    }

    /// Takes free indices, as many as lie together, and says how many.
    ///
    /// # Safety
    /// `handles` is writable for `wanted` handles.
    unsafe fn allocate_free(
        &mut self,
        handles: NonNull<Entity>,
        wanted: usize,
        first: Location,
    ) -> usize {
        let indices = self.free.pop_many(wanted);
        let pages = self.pages.make_mut();
        let mut at = 0;
        while at < indices.len() {
            // Indices that were freed together often lie on one page.
            let page = |index: u32| index as usize / PAGE;
            let here = page(indices[indices.len() - 1 - at]);
            let entries = pages[here].values_touched(&self.pool);
            for &index in indices[..indices.len() - at].iter().rev() {
                if page(index) != here {
                    break;
                }
                let entry = &mut entries[index as usize % PAGE];
                entry.archetype = first.archetype;
                entry.row = first.row + at as u32;
                let generation = entry.generation;
                // SAFETY: `at < wanted`, by the caller.
                let handle = unsafe { handles.add(at) };
                // SAFETY: as above.
                unsafe { handle.write(Entity { index, generation }) };
                at += 1;
            }
        }
        self.living += at as u32;
        at
    }

    /// Takes fresh indices of one page.
    ///
    /// # Safety
    /// `handles` is writable for `count` handles, and the newest page has as many unused entries.
    unsafe fn allocate_fresh(&mut self, handles: NonNull<Entity>, count: usize, first: Location) {
        self.assert_room(count as u32);
        let index = self.len;
        let page = &mut self.pages.make_mut()[index as usize / PAGE];
        let entries = page.values_touched(&self.pool);
        let start = index as usize % PAGE;
        for (at, entry) in entries[start..start + count].iter_mut().enumerate() {
            entry.archetype = first.archetype;
            entry.row = first.row + at as u32;
            let entity = Entity {
                index: index + at as u32,
                generation: entry.generation,
            };
            // SAFETY: `at < count`, by the caller.
            let handle = unsafe { handles.add(at) };
            // SAFETY: as above.
            unsafe { handle.write(entity) };
        }
        self.len += count as u32;
        self.living += count as u32;
    }
}

//! Which entities live, and where their rows are.
//!
//! Pages of 1,024 entries, shared between forks until one writes. Handles come in one sequence:
//! free indices, last freed first, then fresh ones. Commands reserve from it while systems read
//! the table: `reserve` counts how far it has come and changes nothing else, `flush` then takes
//! the same handles in the same order.

use std::num::NonZeroU32;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::Entity;
use super::free::FreeList;
use super::page::{BLANK, Entry, FREE, PAGE, Page, RESERVED, RETIRED};
use crate::archetype::Stepped;
use crate::error::SpawnAtError;
use crate::hash::StateHasher;
use crate::query::prefetch;
use crate::storage::list::SharedList;
use crate::storage::pool::Pool;

/// An index of `u32::MAX` is never given out; neither is one beyond this many entities.
const MAX_ENTITIES: u32 = u32::MAX - 1;

/// How far beyond the table's end a handle may be claimed: 200 MB of entries.
const CLAIM_AHEAD_MAX: u32 = 1 << 24;

/// Where an entity's row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Location {
    pub(crate) archetype: u32,
    pub(crate) row: u32,
}

impl Location {
    /// Whether it is a row, and no mark of an entry without one.
    #[inline(always)]
    pub(crate) fn is_row(self) -> bool {
        self.archetype < RESERVED
    }
}

/// What a handle stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    At(Location),
    /// Handed out by `reserve`, flushed, not yet given a row.
    Reserved,
}

/// An entry that is about to be freed.
pub(crate) struct Leaving<'a> {
    entry: &'a mut Entry,
    index: u32,
    free: &'a mut FreeList,
    living: &'a mut u32,
}

impl Leaving<'_> {
    /// Where the row of the entity is; as `EntityTable::location` where it has none.
    #[inline(always)]
    pub(crate) fn location(&self) -> Location {
        Location {
            archetype: self.entry.archetype,
            row: self.entry.row,
        }
    }

    /// Frees the handle; an index without further generations is retired.
    #[inline(always)]
    pub(crate) fn free(self) {
        *self.living -= 1;
        if let Some(generation) = self.entry.generation.checked_add(1) {
            self.entry.generation = generation;
            self.entry.archetype = FREE;
            self.free.push(self.index);
        } else {
            self.entry.archetype = RETIRED;
        }
    }
}

pub(crate) struct EntityTable {
    pool: Arc<Pool>,
    pages: SharedList<Page<Entry>>,
    free: FreeList,
    /// Indices handed out so far.
    len: u32,
    living: u32,
    /// Handles of the sequence that are reserved.
    reserved: AtomicU32,
}

impl EntityTable {
    pub(crate) fn new(pool: Arc<Pool>) -> Self {
        Self {
            pool,
            pages: SharedList::default(),
            free: FreeList::new(),
            len: 0,
            living: 0,
            reserved: AtomicU32::new(0),
        }
    }

    /// A table that shares every page with this one, reservations included.
    pub(crate) fn share(&self) -> Self {
        Self {
            pool: Arc::clone(&self.pool),
            pages: self.pages.clone(),
            free: self.free.clone(),
            len: self.len,
            living: self.living,
            reserved: AtomicU32::new(self.reserved.load(Ordering::Relaxed)),
        }
    }

    /// Living entities.
    pub(crate) fn living_count(&self) -> u32 {
        self.living
    }

    #[inline]
    fn entry(&self, index: u32) -> Entry {
        self.pages[index as usize / PAGE].values()[index as usize % PAGE]
    }

    #[inline]
    fn entry_mut(&mut self, index: u32) -> &mut Entry {
        let page = &mut self.pages.make_mut()[index as usize / PAGE];
        &mut page.values_mut(&self.pool)[index as usize % PAGE]
    }

    /// An entry whose generation or liveness changes.
    #[inline]
    fn entry_reborn(&mut self, index: u32) -> &mut Entry {
        let page = &mut self.pages.make_mut()[index as usize / PAGE];
        &mut page.values_touched(&self.pool)[index as usize % PAGE]
    }

    /// Where a living entity is; `None` for a dead or unknown handle.
    #[inline]
    pub(crate) fn get(&self, entity: Entity) -> Option<Place> {
        let location = self.location(entity)?;
        if location.is_row() {
            return Some(Place::At(location));
        }
        (location.archetype == RESERVED).then_some(Place::Reserved)
    }

    /// Where the row of an entity is; any number from `RESERVED` on in place of the archetype
    /// where it has none, which `None` for a handle of another generation does not rule out.
    #[inline(always)]
    pub(crate) fn location(&self, entity: Entity) -> Option<Location> {
        let page = self.pages.get(entity.index as usize / PAGE)?;
        let entry = &page.values()[entity.index as usize % PAGE];
        (entry.generation == entity.generation).then_some(Location {
            archetype: entry.archetype,
            row: entry.row,
        })
    }

    /// Asks the processor for what `get` will read.
    #[inline]
    pub(crate) fn prefetch(&self, entity: Entity) {
        if let Some(page) = self.pages.get(entity.index as usize / PAGE) {
            prefetch(NonNull::from(&page.values()[entity.index as usize % PAGE]));
        }
    }

    /// The living entity of an index, with the generation it has now.
    pub(crate) fn living_at(&self, index: u32) -> Option<Entity> {
        let entry = (index < self.len).then(|| self.entry(index))?;
        let dead = matches!(entry.archetype, FREE | RETIRED);
        (!dead).then_some(Entity {
            index,
            generation: entry.generation,
        })
    }

    /// Living entities in order of their index.
    pub(crate) fn living(&self) -> impl Iterator<Item = Entity> {
        (0..self.len).filter_map(|index| self.living_at(index))
    }

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
    pub(super) fn next_index(&mut self) -> u32 {
        match self.free.pop() {
            Some(index) => index,
            None => self.next_fresh(),
        }
    }

    /// Gives back a dead index, as the next one to be taken.
    pub(super) fn push_free(&mut self, index: u32) {
        self.free.push(index);
    }

    #[inline]
    fn next_fresh(&mut self) -> u32 {
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

    /// Whether `claim` may take a handle.
    ///
    /// # Errors
    /// When its generation was used before, or its index is far beyond the table.
    pub(crate) fn check_claim(&self, entity: Entity) -> Result<(), SpawnAtError> {
        let index_max = self
            .len
            .saturating_add(CLAIM_AHEAD_MAX)
            .min(MAX_ENTITIES - 1);
        if entity.index > index_max {
            return Err(SpawnAtError::TooFar { entity, index_max });
        }
        if entity.index >= self.len {
            return Ok(());
        }
        let entry = self.entry(entity.index);
        let unused = match entry.archetype {
            RETIRED => None,
            FREE => Some(entry.generation),
            _ => entry.generation.checked_add(1),
        };
        match unused.map(NonZeroU32::get) {
            Some(generation) if entity.generation() >= generation => Ok(()),
            Some(generation) => Err(SpawnAtError::Used { entity, generation }),
            None => Err(SpawnAtError::Retired { entity }),
        }
    }

    /// Makes a dead handle that `check_claim` allowed a living one, without a row.
    pub(crate) fn claim(&mut self, entity: Entity) {
        while self.len <= entity.index {
            let index = self.next_fresh();
            self.free.push(index);
        }
        let was_free = self.free.take(entity.index);
        debug_assert!(was_free, "a dead index that is not retired is free");
        self.living += 1;
        let entry = self.entry_reborn(entity.index);
        entry.generation = entity.generation;
        entry.archetype = RESERVED;
    }

    /// The handle at a position of the sequence that allocation follows, from 0.
    pub(super) fn at_position(&self, position: u32) -> Entity {
        if position < self.free.len() {
            let index = self.free.nth_pop(position);
            let generation = self.entry(index).generation;
            return Entity { index, generation };
        }
        let fresh = position - self.free.len();
        assert!(
            fresh < MAX_ENTITIES - self.len,
            "a world holds at most {MAX_ENTITIES} entities"
        );
        Entity {
            index: self.len + fresh,
            generation: NonZeroU32::MIN,
        }
    }

    /// The handle that `allocate` would give now.
    pub(crate) fn next(&self) -> Entity {
        self.at_position(0)
    }

    /// Reserves a handle without changing the table. It lives from the next `flush` on.
    pub(crate) fn reserve(&self) -> Entity {
        // Relaxed: the count guards nothing but itself; the sequence does not change before
        // `flush`, which has the table to itself.
        self.at_position(self.reserved.fetch_add(1, Ordering::Relaxed))
    }

    /// Makes the reserved handles living ones, without a row.
    #[inline]
    pub(crate) fn flush(&mut self) {
        if *self.reserved.get_mut() != 0 {
            self.flush_slowly();
        }
    }

    #[cold]
    fn flush_slowly(&mut self) {
        for _ in 0..std::mem::take(self.reserved.get_mut()) {
            self.allocate();
        }
    }

    /// Takes back what was reserved since the last `flush`.
    pub(crate) fn cancel_reservations(&mut self) {
        *self.reserved.get_mut() = 0;
    }

    /// Sets the row of a living entity.
    #[inline]
    pub(crate) fn set(&mut self, entity: Entity, location: Location) {
        let entry = self.entry_mut(entity.index);
        debug_assert_eq!(entry.generation, entity.generation);
        entry.archetype = location.archetype;
        entry.row = location.row;
    }

    /// Sets the rows of an entity that went to another archetype, and of the one that has its old
    /// row now.
    #[inline(always)]
    pub(crate) fn step(&mut self, entity: Entity, from: Location, stepped: Stepped) {
        let pages = self.pages.make_mut();
        let mut set = |entity: Entity, at: Location| {
            let page = &mut pages[entity.index as usize / PAGE];
            let entry = &mut page.values_mut(&self.pool)[entity.index as usize % PAGE];
            (entry.archetype, entry.row) = (at.archetype, at.row);
        };
        set(entity, stepped.at);
        if let Some(filler) = stepped.filled_by {
            set(filler, from);
        }
    }

    /// Sets the rows of living entities that lie one after the other.
    pub(crate) fn set_many(&mut self, entities: &[Entity], first: Location) {
        let pages = self.pages.make_mut();
        let mut at = 0;
        while at < entities.len() {
            // Neighbours in a column are mostly neighbours here.
            let here = entities[at].index as usize / PAGE;
            let entries = pages[here].values_mut(&self.pool);
            for &entity in &entities[at..] {
                if entity.index as usize / PAGE != here {
                    break;
                }
                let entry = &mut entries[entity.index as usize % PAGE];
                entry.archetype = first.archetype;
                entry.row = first.row + at as u32;
                at += 1;
            }
        }
    }

    /// Frees the handle of a living entity; an index without further generations is retired.
    #[inline]
    pub(crate) fn free(&mut self, entity: Entity) {
        let leaving = self.leaving(entity);
        debug_assert!(leaving.is_some(), "{entity:?} lives");
        if let Some(leaving) = leaving {
            leaving.free();
        }
    }

    /// The entry of an entity that is about to be freed; `None` for a handle of another generation.
    #[inline(always)]
    pub(crate) fn leaving(&mut self, entity: Entity) -> Option<Leaving<'_>> {
        let page = self
            .pages
            .make_mut()
            .get_mut(entity.index as usize / PAGE)?;
        let place = entity.index as usize % PAGE;
        // Asked first, for what is dead is no reason to copy a page that a fork shares.
        if page.values()[place].generation != entity.generation {
            return None;
        }
        Some(Leaving {
            entry: &mut page.values_touched(&self.pool)[place],
            index: entity.index,
            free: &mut self.free,
            living: &mut self.living,
        })
    }

    /// Living handles that were reserved and have no row yet, in order of the indices.
    pub(crate) fn without_row(&self) -> Vec<Entity> {
        let living = (0..self.len).filter_map(|index| self.living_at(index));
        living
            .filter(|&entity| self.get(entity) == Some(Place::Reserved))
            .collect()
    }

    /// Frees every living handle in order of the indices.
    pub(crate) fn free_all(&mut self) {
        for index in 0..self.len {
            if let Some(entity) = self.living_at(index) {
                self.free(entity);
            }
        }
    }

    /// Generations, liveness and the free list. Rows enter the state hash by the archetypes' own
    /// columns of handles.
    pub(crate) fn hash_state(&self, hasher: &mut StateHasher) {
        hasher.u32(self.len);
        // What was reserved decides which handles come next.
        hasher.u32(self.reserved.load(Ordering::Relaxed));
        self.free.hash_state(hasher);
        for page in self.pages.iter() {
            hasher.u128(page.hash());
        }
    }
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;

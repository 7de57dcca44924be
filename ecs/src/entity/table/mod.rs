//! Which entities live, and where their rows are.
//!
//! Pages of 1,024 entries, shared between forks until one writes. Handles come in one sequence:
//! free indices, last freed first, then fresh ones. Commands reserve from it while systems read
//! the table: `reserve` counts how far it has come and changes nothing else, `flush` then takes
//! the same handles in the same order.

mod allocate;
mod leaving;
mod reserve;

use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::Entity;
use super::free::FreeList;
use super::page::{Entry, FREE, PAGE, Page, RESERVED, RETIRED};
use crate::archetype::Stepped;
use crate::hash::StateHasher;
use crate::query::prefetch;
use crate::storage::list::SharedList;
use crate::storage::pool::Pool;

/// An index of `u32::MAX` is never given out; neither is one beyond this many entities.
const MAX_ENTITIES: u32 = u32::MAX - 1;

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

    /// Living handles that were reserved and have no row yet, in order of the indices.
    pub(crate) fn without_row(&self) -> Vec<Entity> {
        let living = (0..self.len).filter_map(|index| self.living_at(index));
        living
            .filter(|&entity| self.get(entity) == Some(Place::Reserved))
            .collect()
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
mod tests;

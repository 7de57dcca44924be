//! Handles that are freed.

use super::{EntityTable, Location};
use crate::entity::Entity;
use crate::entity::free::FreeList;
use crate::entity::page::{Entry, FREE, PAGE, RETIRED};

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

impl EntityTable {
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

    /// Frees every living handle in order of the indices.
    pub(crate) fn free_all(&mut self) {
        for index in 0..self.len {
            if let Some(entity) = self.living_at(index) {
                self.free(entity);
            }
        }
    }
}

//! Components that come and go: a set for each, beside the archetypes.
//!
//! An entity that gains or loses a component in a table moves to another archetype, with all its
//! others. One with `#[component(sparse)]` lies in a set of its own and moves nothing:
//!
//! ```text
//! SparseSet
//!   index: pages of 1,024 rows by entity index, shared between forks
//!   rows: an archetype of this one component: handles, values, blocks of 4,096 rows
//! ```
//!
//! The price is paid by who walks over it: each row of a query is looked up by its handle.

mod index;
mod made;
mod sets;

use std::sync::Arc;

use crate::archetype::{Archetype, ArchetypeId};
use crate::bundle::Bundle;
use crate::component::Registry;
use crate::component::info::{ComponentId, ComponentInfo};
use crate::entity::{Entity, EntityMap};
use crate::panics::FirstPanic;
use crate::storage::column::{Writer, rows_in_block};
use index::RowIndex;

pub(crate) use made::MadeAside;
pub(crate) use sets::SparseSets;

/// All entities that have one sparse component, and its values.
pub(crate) struct SparseSet {
    rows: Archetype,
    index: RowIndex,
}

/// No location leads to the rows of a set.
const NO_ARCHETYPE: ArchetypeId = ArchetypeId(u32::MAX);

impl SparseSet {
    fn new(id: ComponentId, registry: &Registry, entity_info: &Arc<ComponentInfo>) -> Self {
        Self {
            rows: Archetype::new(NO_ARCHETYPE, vec![id], registry, entity_info),
            index: RowIndex::default(),
        }
    }

    /// A set that shares every block and page with this one.
    fn share(&self) -> Self {
        Self {
            rows: self.rows.share(),
            index: self.index.share(),
        }
    }

    /// Handles and values, in order of arrival but for gaps that the last one filled.
    pub(crate) fn rows(&self) -> &Archetype {
        &self.rows
    }

    /// For making the list of blocks ours before values are written through a shared borrow.
    pub(crate) fn rows_mut(&mut self) -> &mut Archetype {
        &mut self.rows
    }

    /// Makes every block ours and marks it as changed, for writing through a shared borrow.
    pub(crate) fn open(&mut self, to: Writer<'_>) {
        let (len, blocks) = (self.rows.len(), self.rows.block_count());
        let column = self.rows.column_mut(0);
        for block in 0..blocks {
            // SAFETY: the column has `len` rows, some of them in this block.
            unsafe { column.open(block, len, to) };
        }
    }

    /// Makes every block ours, so that single values may be written through a shared borrow.
    pub(crate) fn own(&mut self, to: Writer<'_>) {
        let (len, blocks) = (self.rows.len(), self.rows.block_count());
        let column = self.rows.column_mut(0);
        column.unshare_list();
        for block in 0..blocks {
            let rows = rows_in_block(len, block);
            // SAFETY: the list was just made ours and `&mut self` excludes everybody else; the
            // column has `len` rows.
            unsafe { column.block_own(block, rows, to) };
        }
    }

    /// Row of an entity's value.
    #[inline]
    pub(crate) fn row(&self, entity: Entity) -> Option<usize> {
        let row = self.index.get(entity.index())?;
        // The index may have been used again since; a set forgets the dead at once, so a row with
        // another generation cannot be, but for a handle that is dead itself.
        (self.rows.entity(row) == entity).then_some(row)
    }

    /// Readies `insert`: what may panic without having changed anything.
    pub(crate) fn ready_insert(&mut self, entity: Entity, to: Writer<'_>) {
        match self.row(entity) {
            Some(row) => self.rows.ready_row(row, to),
            None => {
                self.index.ready(entity.index(), to);
                self.rows.ready_push(to);
            }
        }
    }

    /// Gives an entity a value, in the place of the one it has; the old one is dropped last.
    ///
    /// # Safety
    /// - `ready_insert` was called since the last change;
    /// - `value` points to a value of the component, which is moved from.
    pub(crate) unsafe fn insert(
        &mut self,
        entity: Entity,
        value: *mut u8,
        to: Writer<'_>,
        panicked: &mut FirstPanic,
    ) {
        if let Some(row) = self.row(entity) {
            // SAFETY: passed on from the caller; the row exists.
            return unsafe { self.rows.replace(0, row, value, to, panicked) };
        }
        // SAFETY: readied by the caller, and the only component is written below.
        let row = unsafe { self.rows.push_handle(entity) };
        // SAFETY: passed on from the caller; the row is new.
        unsafe { self.rows.put_last(0, value, to.tick) };
        self.index.set(entity.index(), row, to);
    }

    /// Gives an entity that has none a value, if nothing has to be readied for it; otherwise the
    /// bundle comes back.
    ///
    /// # Safety
    /// The bundle is the set's component, whose values are bytes in one piece.
    #[inline(always)]
    pub(crate) unsafe fn push_bytes<B: Bundle>(
        &mut self,
        entity: Entity,
        bundle: B,
        to: Writer<'_>,
    ) -> Result<(), B> {
        let (Some(place), Some(next)) = (
            self.index.place(entity.index(), to),
            self.rows.opened_next(to.tick),
        ) else {
            return Err(bundle);
        };
        if place.row().is_some() {
            return Err(bundle);
        }
        // SAFETY: opened above; the rest is passed on from the caller.
        place.set(unsafe { self.rows.push_bytes(next, entity, bundle) });
        Ok(())
    }

    /// Forgets an entity's value, if there is one and nothing has to be readied for that; says
    /// whether it did.
    ///
    /// # Safety
    /// The set's values are bytes in one piece.
    #[inline(always)]
    pub(crate) unsafe fn forget_bytes(&mut self, entity: Entity, to: Writer<'_>) -> bool {
        let Some(place) = self.index.place(entity.index(), to) else {
            return false;
        };
        let Some(row) = place.row() else {
            return false;
        };
        let Some(gap) = self.rows.gap(row, to.tick) else {
            return false;
        };
        // SAFETY: it was given a line above.
        if unsafe { gap.entity() } != entity {
            return false;
        }
        place.forget();
        // SAFETY: as above; the value is bytes, by the caller.
        if let Some(filler) = unsafe { self.rows.fill_bytes(gap) } {
            self.index.set(filler.index(), row, to);
        }
        true
    }

    /// Marks an entity's value as one that has just come.
    pub(crate) fn mark_added(&mut self, entity: Entity, to: Writer<'_>) {
        if let Some(row) = self.row(entity) {
            self.rows.mark_added(0, row, to);
        }
    }

    /// Gives an entity that has a value another one; the old one then lies behind the pointer.
    ///
    /// # Safety
    /// As `insert`, for an entity that has a value.
    pub(crate) unsafe fn exchange(&mut self, entity: Entity, value: *mut u8, to: Writer<'_>) {
        let row = self.row(entity).expect("the caller looked it up");
        // SAFETY: passed on from the caller; the row exists.
        unsafe { self.rows.exchange(0, row, value, to) };
    }

    /// Readies `remove` and `take`: what may panic without having changed anything.
    #[inline(always)]
    pub(crate) fn ready_remove(&mut self, entity: Entity, to: Writer<'_>) {
        if let Some(row) = self.row(entity) {
            self.rows.ready_row(row, to);
        }
    }

    /// Drops an entity's value and says whether there was one.
    pub(crate) fn remove(
        &mut self,
        entity: Entity,
        to: Writer<'_>,
        panicked: &mut FirstPanic,
    ) -> bool {
        let Some(row) = self.row(entity) else {
            return false;
        };
        let moved = self.rows.remove_row(row, to);
        self.fill(entity, row, moved.filled_by, to);
        panicked.merge(moved.panicked);
        true
    }

    /// Moves an entity's value to the address that is given.
    ///
    /// # Safety
    /// `ready_remove` was called since the last change, the entity is in the set, and `value` has
    /// room for a value.
    pub(crate) unsafe fn take(&mut self, entity: Entity, value: *mut u8, to: Writer<'_>) {
        let row = self.row(entity).expect("the caller looked it up");
        // SAFETY: the row exists, and counts as moved out from here on.
        unsafe { self.rows.column(0).read(row, value) };
        // SAFETY: the value was moved out a line above.
        let filled_by = unsafe { self.rows.forget_row(row, to) };
        self.fill(entity, row, filled_by, to);
    }

    fn fill(&mut self, gone: Entity, row: usize, filled_by: Option<Entity>, to: Writer<'_>) {
        self.index.forget(gone.index(), to);
        if let Some(entity) = filled_by {
            self.index.set(entity.index(), row, to);
        }
    }

    /// Makes blocks ours that a user's `clone` would have to copy.
    fn ready_all(&mut self, to: Writer<'_>) {
        self.rows.ready_all(to);
    }

    /// Takes over all rows of another world's set of this component, with new handles. Gives the
    /// first of them.
    ///
    /// # Safety
    /// `other` is of the same component, and `ready_all` was called for it since the last change.
    pub(crate) unsafe fn adopt(
        &mut self,
        other: &mut Self,
        map: &EntityMap,
        to: Writer<'_>,
    ) -> usize {
        other.index = RowIndex::default();
        // SAFETY: sets have one column; the rest is passed on from the caller.
        let (first, old) = unsafe { self.rows.adopt_rows(&mut other.rows, &[0], to) };
        for (row, old) in (first..).zip(old) {
            let new = map.map(old);
            self.rows.set_entity(row, new, to);
            self.index.ready(new.index(), to);
            self.index.set(new.index(), row, to);
        }
        first
    }

    /// Gives back all memory of an empty set.
    fn release(&mut self) {
        self.index = RowIndex::default();
        self.rows.clear();
    }

    /// Drops every value.
    fn clear(&mut self, panicked: &mut FirstPanic) {
        self.index = RowIndex::default();
        panicked.catch(|| self.rows.clear());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Component, World};

    #[derive(Clone, Copy, Component)]
    #[component(sparse)]
    struct Frozen(u32);

    #[test]
    fn the_handle_of_a_dead_entity_takes_nothing_from_the_one_that_has_its_index_now() {
        let mut world = World::new();
        let dead = world.spawn(Frozen(1)).id();
        world.despawn(dead).expect("it lives");
        let heir = world.spawn(Frozen(2)).id();
        assert_eq!(dead.index(), heir.index());
        let id = world.component_id::<Frozen>().expect("it was spawned");
        let (pool, tick) = (Arc::clone(world.writer().pool), world.change_tick());
        let to = Writer { pool: &pool, tick };
        let set = world.sparse.get_mut(id).expect("it was spawned");
        // SAFETY: numbers are bytes in one piece.
        assert!(!unsafe { set.forget_bytes(dead, to) });
        // SAFETY: as above.
        assert!(unsafe { set.forget_bytes(heir, to) } && set.row(heir).is_none());
    }
}

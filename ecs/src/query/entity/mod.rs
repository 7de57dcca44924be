//! Whole entities: [`EntityRef`] reads every component of one, [`EntityMut`] writes every one.
//!
//! Which components an entity has is found out when one is asked for, by its type or number, so
//! that tools, scripts and generic code need not name them in a query.
//!
//! Neither leads to another entity, a resource or the world: a system may have resources, locals
//! and commands beside a `Query<EntityMut>`, and other queries that filters keep apart from it.
//!
//! A component is written through a shared borrow of its column, one row at a time, while others
//! hold other rows of the same block. So all blocks that may be written are made ours before the
//! first entity of them is given out (`EntityMut::fetch`; `prepare_run` for sparse sets), and only
//! marked when a value is asked for writing: a block of which nothing was written stays old.

mod data;
mod mutable;
mod shared;

pub use mutable::EntityMut;
pub use shared::EntityRef;

use std::ptr::NonNull;

use super::Look;
use crate::archetype::Archetype;
use crate::component::info::ComponentId;
use crate::component::{Component, Ref, Storage, TrackedComponent};
use crate::entity::{Entity, Place};
use crate::storage::BLOCK_ROWS;
use crate::storage::column::Column;

/// Where all components of one entity are found.
#[derive(Clone, Copy)]
struct EntityRow<'w> {
    look: Look<'w>,
    entity: Entity,
    /// `None` for a reserved handle that has no row yet.
    place: Option<(&'w Archetype, usize)>,
}

const fn plain<T: Component>() {
    assert!(
        !T::SPLIT,
        "a split component has no references to it: copy it by `read` and `write`"
    );
}

impl<'w> EntityRow<'w> {
    /// The row of a handle, wherever it leads.
    fn of(look: Look<'w>, entity: Entity) -> Self {
        let place = match look.world.entities.get(entity) {
            Some(Place::At(at)) => {
                let archetype = &look.world.archetypes()[at.archetype as usize];
                Some((archetype, at.row as usize))
            }
            _ => None,
        };
        Self {
            look,
            entity,
            place,
        }
    }

    fn archetype(self) -> Option<&'w Archetype> {
        self.place.map(|(archetype, _)| archetype)
    }

    /// Column and row of a component by its type.
    #[inline]
    fn find<T: Component>(self) -> Option<(&'w Column, usize)> {
        let world = self.look.world;
        let id = world.component_id::<T>()?;
        world.find_in(id, T::Storage::SPARSE, self.entity, self.place?)
    }

    /// Column and row of a component by its number.
    fn find_by_id(self, id: ComponentId) -> Option<(&'w Column, usize)> {
        let world = self.look.world;
        let is_sparse = world.known(id).ok()?.sparse;
        world.find_in(id, is_sparse, self.entity, self.place?)
    }

    /// As `find_by_id`, of a component whose value is one piece.
    fn find_piece(self, id: ComponentId) -> Option<(&'w Column, usize)> {
        let found = self.find_by_id(id)?;
        (found.0.info().value_parts().len() == 1).then_some(found)
    }

    /// # Safety
    /// Nobody writes the entity's `T` for `'w`.
    #[inline]
    unsafe fn get<T: Component>(self) -> Option<&'w T> {
        const { plain::<T>() };
        let (column, row) = self.find::<T>()?;
        // SAFETY: the row exists, and `T` is one piece.
        let value = unsafe { column.row(row) };
        // SAFETY: the column is of `T`, and nobody writes the row, by the caller.
        Some(unsafe { &*value.cast::<T>() })
    }

    /// # Safety
    /// As `get`.
    unsafe fn get_ref<T: TrackedComponent>(self) -> Option<Ref<'w, T>> {
        let (column, row) = self.find::<T>()?;
        let runs = column.tick_runs(column.block_read(row / BLOCK_ROWS));
        let runs = runs.expect("`describe` says of a component whether it is tracked");
        // SAFETY: the block has the row.
        let ticks = unsafe { runs.row(row % BLOCK_ROWS) };
        // SAFETY: passed on from the caller.
        let value = unsafe { self.get::<T>() }?;
        // SAFETY: the row's own ticks, which nobody writes without the right to the value.
        Some(unsafe { Ref::new(value, ticks, self.look.ticks) })
    }

    /// # Safety
    /// As `get`.
    unsafe fn read<T: Component + Copy>(self) -> Option<T> {
        let (column, row) = self.find::<T>()?;
        let mut value = std::mem::MaybeUninit::<T>::uninit();
        // SAFETY: the row exists, and the column is of `T`.
        unsafe { column.read(row, value.as_mut_ptr().cast()) };
        // SAFETY: `read` wrote every field.
        Some(unsafe { value.assume_init() })
    }

    fn get_by_id(self, id: ComponentId) -> Option<NonNull<u8>> {
        let (column, row) = self.find_piece(id)?;
        // SAFETY: the row exists, and its value is one piece.
        NonNull::new(unsafe { column.row(row) })
    }

    /// # Safety
    /// Nobody writes the component for `'w`.
    unsafe fn get_bytes(self, id: ComponentId) -> Option<&'w [u8]> {
        let size = self.bytes_of(id)?;
        let start = self.get_by_id(id)?;
        // SAFETY: plain components are bytes, and nobody writes them, by the caller.
        Some(unsafe { std::slice::from_raw_parts(start.as_ptr(), size) })
    }

    /// Size of a component of plain bytes.
    fn bytes_of(self, id: ComponentId) -> Option<usize> {
        let info = self.look.world.known(id).ok()?;
        info.plain.then(|| info.layout.size())
    }
}

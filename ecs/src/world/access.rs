//! Reading and writing single components and resources.

use super::World;
use crate::component::{Component, Tracking};
use crate::entity::{Entity, Place};
use crate::resource::Resource;
use crate::storage::BLOCK_ROWS;
use crate::storage::column::Writer;
use std::mem::MaybeUninit;

impl World {
    /// A component of an entity; `None` if the entity is dead or has none.
    ///
    /// A split component lies in several columns and does not compile here; see
    /// [`read`](World::read).
    #[inline]
    pub fn get<T: Component>(&self, entity: Entity) -> Option<&T> {
        const {
            assert!(
                !T::SPLIT,
                "a split component has no references to it: use World::read"
            )
        };
        let Place::At(location) = self.entities.get(entity)? else {
            return None;
        };
        let archetype = &self.archetypes[location.archetype as usize];
        let column = archetype.column(archetype.column_index(self.registry.id::<T>()?)?);
        // SAFETY: the entity table points to a row that exists, and `T` is plain.
        let row = unsafe { column.row(location.row as usize) };
        // SAFETY: the column is of `T`, and the borrow of the world keeps writers out.
        Some(unsafe { &*row.cast::<T>() })
    }

    /// A component of an entity for writing; its block is marked as changed, and its row if it is
    /// tracked.
    #[inline]
    pub fn get_mut<T: Component>(&mut self, entity: Entity) -> Option<&mut T> {
        const {
            assert!(
                !T::SPLIT,
                "a split component has no references to it: use World::write"
            )
        };
        let Place::At(location) = self.entities.get(entity)? else {
            return None;
        };
        let id = self.registry.id::<T>()?;
        let archetype = &mut self.archetypes[location.archetype as usize];
        let (index, len) = (archetype.column_index(id)?, archetype.len());
        let to = Writer {
            pool: &self.pool,
            tick: self.tick,
        };
        let (column, row) = (archetype.column_mut(index), location.row as usize);
        // SAFETY: the entity table points to one of `len` rows, and the column is plain.
        let value = unsafe { column.row_mut(row, len, to) };
        if T::Tracking::ROWS
            && let Some(runs) = column.tick_runs(column.block_read(row / BLOCK_ROWS))
        {
            // SAFETY: the row exists.
            let ticks = unsafe { runs.row(row % BLOCK_ROWS) };
            // SAFETY: its block was just made ours alone.
            unsafe { ticks.changed.write(self.tick) };
        }
        // SAFETY: the column is of `T`, the row's block is ours alone, and the borrow of the
        // world keeps everybody else out.
        Some(unsafe { &mut *value.cast::<T>() })
    }

    /// A copy of a component, put together from its columns if it is split.
    pub fn read<T: Component + Copy>(&self, entity: Entity) -> Option<T> {
        let Place::At(location) = self.entities.get(entity)? else {
            return None;
        };
        let archetype = &self.archetypes[location.archetype as usize];
        let column = archetype.column(archetype.column_index(self.registry.id::<T>()?)?);
        let mut value = MaybeUninit::<T>::uninit();
        // SAFETY: the row exists, and the column is of `T`.
        unsafe { column.read(location.row as usize, value.as_mut_ptr().cast()) };
        // SAFETY: `read` wrote every field.
        Some(unsafe { value.assume_init() })
    }

    /// Overwrites a component that the entity has; gives the value back if it has none.
    ///
    /// # Errors
    /// The value itself, if the entity is dead or lacks the component.
    pub fn write<T: Component + Copy>(&mut self, entity: Entity, value: T) -> Result<(), T> {
        let Some(Place::At(location)) = self.entities.get(entity) else {
            return Err(value);
        };
        let Some(id) = self.registry.id::<T>() else {
            return Err(value);
        };
        let archetype = &mut self.archetypes[location.archetype as usize];
        let (Some(index), len) = (archetype.column_index(id), archetype.len()) else {
            return Err(value);
        };
        let to = Writer {
            pool: &self.pool,
            tick: self.tick,
        };
        let column = archetype.column_mut(index);
        // SAFETY: the row is one of `len`, the column is of `T`, and the old value is `Copy`.
        unsafe { column.write(location.row as usize, len, (&raw const value).cast(), to) };
        Ok(())
    }

    /// Puts a resource into the world and returns the one it replaces.
    pub fn insert_resource<R: Resource>(&mut self, value: R) -> Option<R> {
        self.resources.insert(value)
    }

    /// Puts the default of a resource into the world unless there is one already.
    pub fn init_resource<R: Resource + Default>(&mut self) {
        if self.get_resource::<R>().is_none() {
            self.insert_resource(R::default());
        }
    }

    /// Takes a resource out of the world.
    pub fn remove_resource<R: Resource>(&mut self) -> Option<R> {
        self.resources.remove::<R>()
    }

    /// A resource, if the world has it.
    pub fn get_resource<R: Resource>(&self) -> Option<&R> {
        let id = self.resources.id::<R>()?;
        // SAFETY: the number is `R`'s, and the borrow of the world keeps writers out.
        unsafe { self.resources.get::<R>(id) }
    }

    /// A resource for writing, if the world has it.
    pub fn get_resource_mut<R: Resource>(&mut self) -> Option<&mut R> {
        let id = self.resources.id::<R>()?;
        self.resources.unshare(id);
        // SAFETY: the number is `R`'s, it was just unshared, and the borrow of the world keeps
        // everybody else out.
        unsafe { self.resources.get_mut::<R>(id) }
    }

    /// A resource.
    ///
    /// # Panics
    /// When the world does not have it; the message names the type.
    #[track_caller]
    pub fn resource<R: Resource>(&self) -> &R {
        match self.get_resource() {
            Some(resource) => resource,
            None => missing(R::NAME),
        }
    }

    /// A resource for writing.
    ///
    /// # Panics
    /// When the world does not have it; the message names the type.
    #[track_caller]
    pub fn resource_mut<R: Resource>(&mut self) -> &mut R {
        match self.get_resource_mut() {
            Some(resource) => resource,
            None => missing(R::NAME),
        }
    }
}

#[cold]
#[track_caller]
pub(crate) fn missing(name: &str) -> ! {
    panic!("the world has no resource {name}; insert it with World::insert_resource first")
}

//! Components by their number: for scripts, tools and loaders that know no Rust type.

use std::ptr::NonNull;

use super::{Arriving, World};
use crate::archetype::graph::Direction;
use crate::component::ComponentDescriptor;
use crate::component::info::{ComponentId, ComponentInfo};
use crate::entity::{Entity, Place};
use crate::error::{DynamicError, NoSuchEntity};
use crate::observer::Watch;
use crate::storage::block::BlockMemory;
use crate::storage::column::Writer;
use std::sync::Arc;

impl World {
    /// Registers a component that is defined at run time, and gives its number. One that is there
    /// already, alike in every respect, keeps its number.
    ///
    /// # Errors
    /// When a component of that name is there and is of another kind.
    ///
    /// ```
    /// use orrery_ecs::{ComponentDescriptor, DynamicError, World};
    /// let mut world = World::new();
    /// let heat = world.register_dynamic(ComponentDescriptor::plain("mod::Heat", 4, 4))?;
    /// assert_eq!(world.dynamic_id("mod::Heat"), Some(heat));
    /// assert_eq!(world.component_size(heat), 4);
    /// let other = world.register_dynamic(ComponentDescriptor::plain("mod::Heat", 8, 8));
    /// assert!(matches!(other, Err(DynamicError::NameTaken { .. })));
    /// # Ok::<(), DynamicError>(())
    /// ```
    pub fn register_dynamic(
        &mut self,
        descriptor: ComponentDescriptor,
    ) -> Result<ComponentId, DynamicError> {
        let info = Arc::new(descriptor.into_info());
        let adopted = self.registry.make_mut().adopt(&info);
        adopted.map_err(|_| DynamicError::NameTaken {
            name: info.name.to_owned(),
        })
    }

    /// Number of a component that was defined at run time.
    pub fn dynamic_id(&self, name: &str) -> Option<ComponentId> {
        self.registry.id_of_name(name)
    }

    /// Size of a component in bytes.
    ///
    /// # Panics
    /// When the number is of another world and higher than any here.
    pub fn component_size(&self, id: ComponentId) -> usize {
        self.registry.info(id).layout.size()
    }

    pub(crate) fn known(&self, id: ComponentId) -> Result<&Arc<ComponentInfo>, DynamicError> {
        if id.index() < self.registry.len() {
            return Ok(self.registry.info(id));
        }
        Err(DynamicError::UnknownComponent { number: id.index() })
    }

    /// Gives an entity a component of plain bytes, in the place of the one it has.
    ///
    /// # Errors
    /// When the entity does not live, or the component is unknown, not plain, or of another size.
    pub fn insert_bytes(
        &mut self,
        entity: Entity,
        id: ComponentId,
        bytes: &[u8],
    ) -> Result<(), DynamicError> {
        let info = self.known(id)?;
        let (component, layout) = (info.name, info.layout);
        if !info.plain {
            return Err(DynamicError::NotPlain { component });
        }
        if bytes.len() != layout.size() {
            return Err(DynamicError::Size {
                component,
                expected: layout.size(),
                found: bytes.len(),
            });
        }
        // In memory as aligned as the component.
        let room = BlockMemory::new(&self.pool, layout.size(), layout.align());
        // SAFETY: as many bytes on both sides; the second are nobody else's.
        unsafe {
            room.data()
                .copy_from_nonoverlapping(NonNull::from(bytes).cast(), bytes.len())
        };
        // SAFETY: a value of plain bytes, which needs no owner.
        Ok(unsafe { self.insert_by_id(entity, id, room.data()) }?)
    }

    /// Bytes of an entity's component, if it is plain; `None` if the entity does not live or has
    /// none.
    pub fn get_bytes(&self, entity: Entity, id: ComponentId) -> Option<&[u8]> {
        let info = self.known(id).ok().filter(|info| info.plain)?;
        let size = info.layout.size();
        let start = self.get_by_id(entity, id)?;
        // SAFETY: plain components are bytes, and the borrow of the world keeps writers out.
        Some(unsafe { std::slice::from_raw_parts(start.as_ptr(), size) })
    }

    /// Bytes of an entity's component for writing, if it is plain.
    ///
    /// ```
    /// use orrery_ecs::{ComponentDescriptor, DynamicError, World};
    /// let mut world = World::new();
    /// let heat = world.register_dynamic(ComponentDescriptor::plain("mod::Heat", 1, 1))?;
    /// let entity = world.spawn(()).id();
    /// world.insert_bytes(entity, heat, &[20])?;
    /// if let Some(bytes) = world.get_bytes_mut(entity, heat) {
    ///     bytes[0] += 1;
    /// }
    /// assert_eq!(world.get_bytes(entity, heat), Some(&[21][..]));
    /// assert_eq!(world.remove_by_id(entity, heat), Ok(true));
    /// assert!(!world.contains_by_id(entity, heat));
    /// # Ok::<(), DynamicError>(())
    /// ```
    pub fn get_bytes_mut(&mut self, entity: Entity, id: ComponentId) -> Option<&mut [u8]> {
        let info = self.known(id).ok().filter(|info| info.plain)?;
        let size = info.layout.size();
        let start = self.get_mut_by_id(entity, id)?;
        // SAFETY: plain components are bytes, in a block of our own, and the borrow of the world
        // keeps everybody else out.
        Some(unsafe { std::slice::from_raw_parts_mut(start.as_ptr(), size) })
    }

    /// Gives an entity a component, in the place of the one it has, which is dropped.
    ///
    /// # Errors
    /// When the entity does not live; the value is dropped then.
    ///
    /// # Panics
    /// When the number is of another world and higher than any here.
    ///
    /// # Safety
    /// `value` points to a value of the component, aligned, which is not used afterwards.
    pub unsafe fn insert_by_id(
        &mut self,
        entity: Entity,
        id: ComponentId,
        value: NonNull<u8>,
    ) -> Result<(), NoSuchEntity> {
        self.flush_reserved();
        let arriving = [Arriving {
            component: id,
            value: value.as_ptr(),
        }];
        if !self.contains(entity) {
            // SAFETY: passed on from the caller; the value arrives nowhere.
            unsafe { self.drop_arriving(&arriving[0]) };
            return Err(NoSuchEntity { entity });
        }
        let required = self.missing_requirements(entity, id);
        let arrives = std::iter::once(id).chain(required.iter().map(|one| one.component));
        if arrives
            .map(|id| self.watch_of(id))
            .any(|watch| watch.intersects(Watch::ARRIVAL))
        {
            // SAFETY: passed on from the caller.
            unsafe { self.insert_by_id_watched(entity, &arriving[0]) };
            return Ok(());
        }
        // SAFETY: passed on from the caller.
        unsafe { self.restructure(entity, &arriving, &[], &required) };
        Ok(())
    }

    /// Removes and drops a component, and says whether the entity had it.
    ///
    /// # Errors
    /// When the entity does not live.
    pub fn remove_by_id(&mut self, entity: Entity, id: ComponentId) -> Result<bool, NoSuchEntity> {
        self.flush_reserved();
        let place = self.entities.get(entity).ok_or(NoSuchEntity { entity })?;
        let Place::At(at) = place else {
            return Ok(false);
        };
        let had = self.has_component(entity, at, id);
        if had && self.is_watched(&[id], Watch::REMOVAL) {
            let bundle = self.single_bundle(id);
            self.find_edge(Direction::Remove, at, bundle);
            return Ok(self.remove_watched(entity, at, bundle));
        }
        if had {
            // SAFETY: nothing arrives.
            unsafe { self.restructure(entity, &[], &[id], &[]) };
        }
        Ok(had)
    }

    /// Whether an entity has a component; `false` if it does not live.
    pub fn contains_by_id(&self, entity: Entity, id: ComponentId) -> bool {
        match self.entities.get(entity) {
            Some(Place::At(at)) => self.has_component(entity, at, id),
            _ => false,
        }
    }

    /// Address of an entity's component, valid while the world is borrowed. `None` if it has none,
    /// or the component is split, so that its value does not lie in one piece.
    pub fn get_by_id(&self, entity: Entity, id: ComponentId) -> Option<NonNull<u8>> {
        let info = self.known(id).ok()?;
        if info.value_parts().len() != 1 {
            return None;
        }
        let Place::At(at) = self.entities.get(entity)? else {
            return None;
        };
        let archetype = &self.archetypes[at.archetype as usize];
        let place = (archetype, at.row as usize);
        let (column, row) = self.find_in(id, info.sparse, entity, place)?;
        // SAFETY: the row exists, and its value is one piece.
        NonNull::new(unsafe { column.row(row) })
    }

    /// Address of an entity's component for writing; its block, and its row if it is tracked, are
    /// marked as changed. As [`get_by_id`](World::get_by_id).
    /// `None` also if the component is immutable.
    pub fn get_mut_by_id(&mut self, entity: Entity, id: ComponentId) -> Option<NonNull<u8>> {
        if self.known(id).ok()?.immutable {
            return None;
        }
        self.value_mut(entity, id)
    }

    /// As `get_mut_by_id`, for the world itself.
    pub(crate) fn value_mut(&mut self, entity: Entity, id: ComponentId) -> Option<NonNull<u8>> {
        self.get_by_id(entity, id)?;
        let Place::At(at) = self.entities.get(entity)? else {
            return None;
        };
        let to = Writer {
            pool: &self.pool,
            tick: self.tick,
        };
        let (column, row, len) = if self.registry.info(id).sparse {
            let set = self.sparse.get_mut(id)?;
            let (row, len) = (set.row(entity)?, set.rows().len());
            (set.rows_mut().column_mut(0), row, len)
        } else {
            let archetype = &mut self.archetypes[at.archetype as usize];
            let (index, len) = (archetype.column_index(id)?, archetype.len());
            (archetype.column_mut(index), at.row as usize, len)
        };
        // SAFETY: the row is one of `len`, and its value is one piece.
        NonNull::new(unsafe { column.row_mut(row, len, to) })
    }
}

//! One entity together with its world.

use super::World;
use crate::archetype::Archetype;
use crate::bundle::Bundle;
use crate::component::{Component, MutableComponent};
use crate::entity::{Entity, Place};
use crate::error::{ComponentError, NoSuchEntity};

/// A living entity for reading. Nothing but this entity can be reached through it, and no query
/// gives one.
#[derive(Clone, Copy)]
pub struct EntityRef<'w> {
    world: &'w World,
    entity: Entity,
}

impl<'w> EntityRef<'w> {
    /// Its handle.
    pub fn id(self) -> Entity {
        self.entity
    }

    /// A component, if it has one.
    pub fn get<T: Component>(self) -> Option<&'w T> {
        self.world.get(self.entity)
    }

    /// Whether it has a component.
    pub fn contains<T: Component>(self) -> bool {
        let id = self.world.component_id::<T>();
        let place = self.world.entities.get(self.entity);
        match (id, place) {
            (Some(id), Some(Place::At(at))) => self.world.has_component(self.entity, at, id),
            _ => false,
        }
    }

    /// Its archetype; `None` for a reserved handle that has no row yet.
    pub fn archetype(self) -> Option<&'w Archetype> {
        match self.world.entities.get(self.entity) {
            Some(Place::At(location)) => Some(&self.world.archetypes[location.archetype as usize]),
            _ => None,
        }
    }
}

/// A living entity for reading, writing and structural change.
pub struct EntityMut<'w> {
    world: &'w mut World,
    entity: Entity,
}

impl<'w> EntityMut<'w> {
    pub(super) fn new(world: &'w mut World, entity: Entity) -> Self {
        Self { world, entity }
    }

    /// Its handle.
    pub fn id(&self) -> Entity {
        self.entity
    }

    /// Whether its own observers have despawned the entity since; nothing can be done to it then,
    /// and it has no components.
    pub fn is_despawned(&self) -> bool {
        !self.world.contains(self.entity)
    }

    pub(crate) fn world_mut(&mut self) -> &mut World {
        self.world
    }

    /// A component, if it has one.
    pub fn get<T: Component>(&self) -> Option<&T> {
        self.world.get(self.entity)
    }

    /// A component for writing, if it has one.
    pub fn get_mut<T: MutableComponent>(&mut self) -> Option<&mut T> {
        self.world.get_mut(self.entity)
    }

    /// Whether it has a component.
    pub fn contains<T: Component>(&self) -> bool {
        EntityRef {
            world: self.world,
            entity: self.entity,
        }
        .contains::<T>()
    }

    /// Adds the components of a bundle, unless the entity [is
    /// despawned](EntityMut::is_despawned); see [`World::insert`].
    ///
    /// # Panics
    /// When a component stands in the bundle twice.
    pub fn insert<B: Bundle>(&mut self, bundle: B) -> &mut Self {
        // Fails only where its own observers have despawned it.
        let _ = self.world.insert(self.entity, bundle);
        self
    }

    /// Removes and drops components, if it has them; see [`World::remove`].
    ///
    /// # Panics
    /// When a component stands in the bundle twice.
    pub fn remove<B: Bundle>(&mut self) -> &mut Self {
        // As above.
        let _ = self.world.remove::<B>(self.entity);
        self
    }

    /// Removes and returns components; see [`World::take`].
    ///
    /// # Errors
    /// When it lacks one of them, or its own observers have despawned it.
    pub fn take<B: Bundle>(&mut self) -> Result<B, ComponentError> {
        self.world.take(self.entity)
    }

    /// Removes the entity.
    pub fn despawn(self) {
        // As above.
        let _ = self.world.despawn(self.entity);
    }
}

impl World {
    /// A living entity.
    ///
    /// # Errors
    /// When the handle's entity does not live in this world.
    pub fn get_entity(&self, entity: Entity) -> Result<EntityRef<'_>, NoSuchEntity> {
        self.entities.get(entity).ok_or(NoSuchEntity { entity })?;
        Ok(EntityRef {
            world: self,
            entity,
        })
    }

    /// A living entity for writing.
    ///
    /// # Errors
    /// When the handle's entity does not live in this world.
    pub fn get_entity_mut(&mut self, entity: Entity) -> Result<EntityMut<'_>, NoSuchEntity> {
        self.flush_reserved();
        self.entities.get(entity).ok_or(NoSuchEntity { entity })?;
        Ok(EntityMut {
            world: self,
            entity,
        })
    }

    /// A living entity.
    ///
    /// # Panics
    /// When the handle's entity does not live in this world.
    #[track_caller]
    pub fn entity(&self, entity: Entity) -> EntityRef<'_> {
        self.get_entity(entity)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// A living entity for writing.
    ///
    /// # Panics
    /// When the handle's entity does not live in this world.
    #[track_caller]
    pub fn entity_mut(&mut self, entity: Entity) -> EntityMut<'_> {
        self.get_entity_mut(entity)
            .unwrap_or_else(|error| panic!("{error}"))
    }
}

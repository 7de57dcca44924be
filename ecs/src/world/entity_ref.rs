//! One entity together with its world.

use super::World;
use crate::bundle::Bundle;
use crate::component::{Component, MutOf, MutableComponent, Ticks};
use crate::entity::{Entity, Place};
use crate::error::{ComponentError, NoSuchEntity};
use crate::query::{EntityMut, EntityRef, Look};
use crate::storage::BLOCK_ROWS;

/// A living entity together with the whole world: for reading, writing and structural change.
///
/// [`EntityRef`] and [`EntityMut`] are an entity without the world, as queries give it.
///
/// ```
/// use orrery_ecs::{ChildOf, Component, World};
/// #[derive(Clone, Copy, Component)]
/// struct Health(u32);
/// #[derive(Clone, Copy, Component)]
/// struct Poison;
/// let mut world = World::new();
/// let mut snake = world.spawn(Health(3));
/// snake.insert(Poison).with_child(Poison);
/// if let Some(mut health) = snake.get_mut::<Health>() {
///     health.0 += 1;
/// }
/// assert!(snake.contains::<Poison>());
/// let snake = snake.id();
/// assert_eq!(world.children(snake).len(), 1);
/// world.entity_mut(snake).despawn();
/// assert!(world.is_empty());
/// ```
pub struct EntityWorldMut<'w> {
    world: &'w mut World,
    entity: Entity,
}

impl<'w> EntityWorldMut<'w> {
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

    /// A component for writing, if it has one; see [`World::get_mut`].
    pub fn get_mut<T: MutableComponent>(&mut self) -> Option<MutOf<'_, T>> {
        self.world.get_mut::<T>(self.entity)
    }

    /// Whether it has a component.
    pub fn contains<T: Component>(&self) -> bool {
        self.as_readonly().contains::<T>()
    }

    /// The entity alone, for reading.
    pub fn as_readonly(&self) -> EntityRef<'_> {
        self.world.entity_ref(self.entity)
    }

    /// The entity alone, for writing: what code takes that is also to run on a `Query<EntityMut>`.
    ///
    /// # Cost
    /// One look at every column of the entity and every block of the sparse sets; what a fork
    /// shares of them is copied.
    ///
    /// ```
    /// use orrery_ecs::{Component, EntityMut, World};
    /// #[derive(Clone, Copy, Component)]
    /// struct Health(u32);
    /// fn hurt(mut entity: EntityMut<'_>) {
    ///     if let Some(health) = entity.get_mut::<Health>() {
    ///         health.0 -= 1;
    ///     }
    /// }
    /// let mut world = World::new();
    /// let snake = world.spawn(Health(3)).id();
    /// hurt(world.entity_mut(snake).as_mutable());
    /// world.query::<EntityMut>().iter_mut(&mut world).for_each(hurt);
    /// assert_eq!(world.get::<Health>(snake).map(|health| health.0), Some(1));
    /// ```
    pub fn as_mutable(&mut self) -> EntityMut<'_> {
        let (world, entity) = (&mut *self.world, self.entity);
        world.own_entity(entity);
        let look = world.look_once();
        // SAFETY: made ours a line above; the borrow of the world keeps everybody else out.
        unsafe { EntityMut::new(look, entity) }
    }

    /// Adds the components of a bundle, unless the entity [is
    /// despawned](EntityWorldMut::is_despawned); see [`World::insert`].
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
    ///
    /// # Panics
    /// When a component stands in the bundle twice.
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
    fn look_once(&self) -> Look<'_> {
        Look {
            world: self,
            ticks: Ticks::once(self.change_tick()),
        }
    }

    fn entity_ref(&self, entity: Entity) -> EntityRef<'_> {
        // SAFETY: the borrow of the world keeps writers out.
        unsafe { EntityRef::new(self.look_once(), entity) }
    }

    /// Makes every block ours in which a component of an entity lies or may lie.
    fn own_entity(&mut self, entity: Entity) {
        self.own_sparse_sets();
        let Some(Place::At(at)) = self.entities.get(entity) else {
            return;
        };
        let (archetype, to) = self.archetype_and_writer(at.archetype as usize);
        archetype.unshare_lists();
        let block = at.row as usize / BLOCK_ROWS;
        let rows = archetype.rows(block);
        for column in archetype.columns() {
            // SAFETY: the list was just made ours and the borrow excludes everybody else; the
            // archetype has that many rows in the block.
            unsafe { column.block_own(block, rows, to) };
        }
    }

    /// A living entity.
    ///
    /// # Errors
    /// When the handle's entity does not live in this world.
    ///
    /// ```
    /// use orrery_ecs::{NoSuchEntity, World};
    /// let mut world = World::new();
    /// let entity = world.spawn(()).id();
    /// assert!(world.get_entity(entity).is_ok());
    /// world.get_entity_mut(entity)?.despawn();
    /// assert!(world.get_entity(entity).is_err());
    /// # Ok::<(), NoSuchEntity>(())
    /// ```
    pub fn get_entity(&self, entity: Entity) -> Result<EntityRef<'_>, NoSuchEntity> {
        self.entities.get(entity).ok_or(NoSuchEntity { entity })?;
        Ok(self.entity_ref(entity))
    }

    /// A living entity for writing.
    ///
    /// # Errors
    /// When the handle's entity does not live in this world.
    pub fn get_entity_mut(&mut self, entity: Entity) -> Result<EntityWorldMut<'_>, NoSuchEntity> {
        self.flush_reserved();
        self.entities.get(entity).ok_or(NoSuchEntity { entity })?;
        Ok(EntityWorldMut {
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
    pub fn entity_mut(&mut self, entity: Entity) -> EntityWorldMut<'_> {
        self.get_entity_mut(entity)
            .unwrap_or_else(|error| panic!("{error}"))
    }
}

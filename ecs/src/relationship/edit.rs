//! Making, changing and ordering relationships.

use std::cmp::Ordering;
use std::marker::PhantomData;

use super::{ChildOf, Relationship, RelationshipError, RelationshipInfo, Sources};
use crate::bundle::Bundle;
use crate::commands::{Commands, EntityCommands};
use crate::entity::Entity;
use crate::world::{EntityWorldMut, World};

impl World {
    /// Gives an entity a relationship, in the place of the one that it has, if nothing stands
    /// against it.
    ///
    /// # Errors
    /// When one of the two does not live, or the entity would be its own ancestor; nothing is
    /// changed then.
    ///
    /// ```
    /// use orrery_ecs::{ChildOf, RelationshipError, World};
    /// let mut world = World::new();
    /// let (top, below) = (world.spawn(()).id(), world.spawn(()).id());
    /// world.relate(below, ChildOf(top))?;
    /// assert_eq!(world.parent(below), Some(top));
    /// let circle = world.relate(top, ChildOf(below));
    /// assert!(matches!(circle, Err(RelationshipError::Cycle { .. })));
    /// # Ok::<(), RelationshipError>(())
    /// ```
    pub fn relate<R: Relationship>(
        &mut self,
        source: Entity,
        relationship: R,
    ) -> Result<(), RelationshipError> {
        self.flush_reserved();
        let (entity, target) = (source, relationship.target());
        let id = self.register_component::<R>();
        let relationship_name = self.registry.name(id);
        if !self.contains(entity) {
            return Err(RelationshipError::NoSuchSource {
                relationship: relationship_name,
                entity,
            });
        }
        if !self.contains(target) {
            return Err(RelationshipError::DeadTarget {
                relationship: relationship_name,
                entity,
                target,
            });
        }
        self.check_circle(entity, target, id, RelationshipInfo::of::<R>())?;
        // It lives, so there is nothing to report.
        let _ = self.insert(entity, relationship);
        Ok(())
    }

    /// Moves a source to another place in the list of its target, and says whether it has a target.
    /// Others keep their order; an index past the end is the end.
    ///
    /// # Cost
    /// A search through the list of the target.
    ///
    /// ```
    /// use orrery_ecs::{ChildOf, World};
    /// let mut world = World::new();
    /// let top = world.spawn(()).id();
    /// let (a, b) = (world.spawn(ChildOf(top)).id(), world.spawn(ChildOf(top)).id());
    /// assert!(world.move_source::<ChildOf>(b, 0));
    /// assert_eq!(world.children(top), [b, a]);
    /// ```
    pub fn move_source<R: Relationship>(&mut self, source: Entity, index: usize) -> bool {
        let Some(target) = self.target::<R>(source) else {
            return false;
        };
        let list = self.register_component::<Sources<R>>();
        if let Some(list) = self.list_mut(target, list)
            && let Some(at) = list.iter().position(|&other| other == source)
        {
            let entity = list.remove(at);
            list.insert(index.min(list.len()), entity);
        }
        true
    }

    /// Sorts the sources of an entity; those that compare as equal keep their order.
    ///
    /// # Cost
    /// A sort, and a copy of the list.
    ///
    /// ```
    /// use orrery_ecs::{ChildOf, Component, World};
    /// #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Component)]
    /// struct Layer(u32);
    /// let mut world = World::new();
    /// let window = world.spawn(()).id();
    /// let front = world.spawn((ChildOf(window), Layer(2))).id();
    /// let back = world.spawn((ChildOf(window), Layer(1))).id();
    /// world.sort_sources_by::<ChildOf>(window, |world, a, b| {
    ///     world.get::<Layer>(a).cmp(&world.get::<Layer>(b))
    /// });
    /// assert_eq!(world.children(window), [back, front]);
    /// ```
    pub fn sort_sources_by<R: Relationship>(
        &mut self,
        target: Entity,
        mut compare: impl FnMut(&Self, Entity, Entity) -> Ordering,
    ) {
        let mut sorted = self.sources::<R>(target).to_vec();
        sorted.sort_by(|&a, &b| compare(self, a, b));
        let list = self.register_component::<Sources<R>>();
        if let Some(list) = self.list_mut(target, list) {
            *list = sorted;
        }
    }
}

impl EntityWorldMut<'_> {
    /// Spawns an entity that points at this one.
    ///
    /// # Panics
    /// When the bundle has the relationship as well, or a component twice.
    pub fn with_source<R: Relationship>(&mut self, bundle: impl Bundle) -> &mut Self {
        let target = self.id();
        self.world_mut().spawn((R::to(target), bundle));
        self
    }

    /// Spawns a child of this entity.
    ///
    /// # Panics
    /// As [`with_source`](Self::with_source).
    pub fn with_child(&mut self, bundle: impl Bundle) -> &mut Self {
        self.with_source::<ChildOf>(bundle)
    }

    /// Makes an entity the last child of this one.
    ///
    /// # Errors
    /// As [`World::relate`].
    ///
    /// ```
    /// use orrery_ecs::World;
    /// let mut world = World::new();
    /// let child = world.spawn(()).id();
    /// let parent = world.spawn(()).add_child(child)?.with_child(()).id();
    /// assert_eq!(world.children(parent)[0], child);
    /// assert!(world.entity_mut(child).add_child(parent).is_err());
    /// # Ok::<(), orrery_ecs::RelationshipError>(())
    /// ```
    pub fn add_child(&mut self, child: Entity) -> Result<&mut Self, RelationshipError> {
        let parent = self.id();
        self.world_mut().relate(child, ChildOf(parent))?;
        Ok(self)
    }
}

impl<'w, 's> EntityCommands<'_, 'w, 's> {
    /// Spawns an entity that points at this one.
    ///
    /// # Panics
    /// Not here, but when the command is done: if the bundle has the relationship as well, or a
    /// component twice.
    pub fn with_source<R: Relationship>(&mut self, bundle: impl Bundle) -> &mut Self {
        let target = self.id();
        self.commands_mut().spawn((R::to(target), bundle));
        self
    }

    /// Spawns a child of this entity.
    ///
    /// # Panics
    /// As [`with_source`](Self::with_source).
    pub fn with_child(&mut self, bundle: impl Bundle) -> &mut Self {
        self.with_source::<ChildOf>(bundle)
    }

    /// Spawns any number of children.
    ///
    /// ```
    /// use orrery_ecs::{CommandQueue, Commands, World};
    /// let mut world = World::new();
    /// let mut queue = CommandQueue::default();
    /// let mut commands = Commands::new(&mut queue, &world);
    /// let mut hand = commands.spawn(());
    /// hand.with_children(|fingers| {
    ///     for _ in 0..5 {
    ///         fingers.spawn(()).with_child(());
    ///     }
    /// });
    /// let hand = hand.id();
    /// queue.apply(&mut world);
    /// assert_eq!((world.children(hand).len(), world.len()), (5, 11));
    /// ```
    pub fn with_children(
        &mut self,
        spawn: impl FnOnce(&mut RelatedSpawner<'_, 'w, 's, ChildOf>),
    ) -> &mut Self {
        let target = self.id();
        spawn(&mut RelatedSpawner {
            commands: self.commands_mut(),
            target,
            relationship: PhantomData,
        });
        self
    }

    /// Makes an entity the last child of this one.
    pub fn add_child(&mut self, child: Entity) -> &mut Self {
        let parent = self.id();
        self.commands_mut().insert(child, ChildOf(parent));
        self
    }
}

/// Spawns entities that point at one; see [`EntityCommands::with_children`].
pub struct RelatedSpawner<'c, 'w, 's, R> {
    commands: &'c mut Commands<'w, 's>,
    target: Entity,
    relationship: PhantomData<fn() -> R>,
}

impl<'w, 's, R: Relationship> RelatedSpawner<'_, 'w, 's, R> {
    /// The entity that they point at.
    pub fn target(&self) -> Entity {
        self.target
    }

    /// Spawns one.
    ///
    /// # Panics
    /// As [`EntityCommands::with_source`].
    pub fn spawn(&mut self, bundle: impl Bundle) -> EntityCommands<'_, 'w, 's> {
        self.commands.spawn((R::to(self.target), bundle))
    }
}

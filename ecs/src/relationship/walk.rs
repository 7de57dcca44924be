//! Walking along a relationship, up to targets and down to sources.

use std::marker::PhantomData;

use super::{AcyclicRelationship, ChildOf, Relationship, Sources};
use crate::entity::Entity;
use crate::world::World;

/// Who can say what an entity points at, and who points at it.
pub trait Look<R> {
    #[doc(hidden)]
    fn target_of(&self, source: Entity) -> Option<Entity>;
    #[doc(hidden)]
    fn sources_of(&self, target: Entity) -> &[Entity];
}

impl<R: Relationship> Look<R> for World {
    fn target_of(&self, source: Entity) -> Option<Entity> {
        self.get::<R>(source).map(R::target)
    }

    fn sources_of(&self, target: Entity) -> &[Entity] {
        self.get::<Sources<R>>(target).map_or(&[], |list| &**list)
    }
}

/// The entities that one comes to by going from target to target; see [`World::ancestors`].
pub struct Ancestors<'a, R, L> {
    look: &'a L,
    at: Entity,
    relationship: PhantomData<fn() -> R>,
}

impl<'a, R, L> Ancestors<'a, R, L> {
    pub(super) fn new(look: &'a L, of: Entity) -> Self {
        Self {
            look,
            at: of,
            relationship: PhantomData,
        }
    }
}

impl<R: AcyclicRelationship, L: Look<R>> Iterator for Ancestors<'_, R, L> {
    type Item = Entity;

    fn next(&mut self) -> Option<Entity> {
        self.at = self.look.target_of(self.at)?;
        Some(self.at)
    }
}

/// The entities below one, each before those below it; see [`World::descendants`].
pub struct Descendants<'a, R, L> {
    look: &'a L,
    /// What is left of the lists on the way down, the lowest one last.
    lists: Vec<std::slice::Iter<'a, Entity>>,
    relationship: PhantomData<fn() -> R>,
}

impl<'a, R: Relationship, L: Look<R>> Descendants<'a, R, L> {
    pub(super) fn new(look: &'a L, of: Entity) -> Self {
        Self {
            look,
            lists: vec![look.sources_of(of).iter()],
            relationship: PhantomData,
        }
    }
}

impl<R: AcyclicRelationship, L: Look<R>> Iterator for Descendants<'_, R, L> {
    type Item = Entity;

    fn next(&mut self) -> Option<Entity> {
        loop {
            let Some(&next) = self.lists.last_mut()?.next() else {
                self.lists.pop();
                continue;
            };
            let below = self.look.sources_of(next);
            if !below.is_empty() {
                self.lists.push(below.iter());
            }
            return Some(next);
        }
    }
}

impl World {
    /// The entity that another one points at with relationship `R`.
    pub fn target<R: Relationship>(&self, source: Entity) -> Option<Entity> {
        Look::<R>::target_of(self, source)
    }

    /// The entities that point at one with relationship `R`, in the order in which they came; none
    /// if it does not live.
    ///
    /// ```
    /// use orrery_ecs::{Component, Entity, World};
    /// #[derive(Clone, Copy, Component)]
    /// #[relationship]
    /// struct Aboard(Entity);
    /// let mut world = World::new();
    /// let ship = world.spawn(()).id();
    /// let crew: Vec<Entity> = world.spawn_batch([Aboard(ship); 2]).collect();
    /// assert_eq!(world.sources::<Aboard>(ship), crew);
    /// assert_eq!(world.target::<Aboard>(crew[1]), Some(ship));
    /// ```
    pub fn sources<R: Relationship>(&self, target: Entity) -> &[Entity] {
        Look::<R>::sources_of(self, target)
    }

    /// The parent of an entity.
    pub fn parent(&self, child: Entity) -> Option<Entity> {
        self.target::<ChildOf>(child)
    }

    /// The children of an entity, in order.
    pub fn children(&self, parent: Entity) -> &[Entity] {
        self.sources::<ChildOf>(parent)
    }

    /// The target of an entity, the target of that, and so on.
    ///
    /// # Cost
    /// One look at a component for each.
    ///
    /// ```
    /// use orrery_ecs::{ChildOf, World};
    /// let mut world = World::new();
    /// let house = world.spawn(()).id();
    /// let room = world.spawn(ChildOf(house)).id();
    /// let lamp = world.spawn(ChildOf(room)).id();
    /// assert!(world.ancestors::<ChildOf>(lamp).eq([room, house]));
    /// assert!(world.descendants::<ChildOf>(house).eq([room, lamp]));
    /// assert_eq!(world.root::<ChildOf>(lamp), house);
    /// ```
    pub fn ancestors<R: AcyclicRelationship>(&self, source: Entity) -> Ancestors<'_, R, Self> {
        Ancestors::new(self, source)
    }

    /// The sources of an entity and all of theirs, each entity before those below it and siblings
    /// in their order.
    ///
    /// # Cost
    /// One look at a component for each; memory in proportion to the depth.
    pub fn descendants<R: AcyclicRelationship>(&self, target: Entity) -> Descendants<'_, R, Self> {
        Descendants::new(self, target)
    }

    /// The last of an entity's ancestors; the entity itself if it has none.
    pub fn root<R: AcyclicRelationship>(&self, source: Entity) -> Entity {
        self.ancestors::<R>(source).last().unwrap_or(source)
    }
}

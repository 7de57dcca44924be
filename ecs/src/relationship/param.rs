//! Relationships as a parameter of systems.

use super::walk::Look;
use super::{AcyclicRelationship, Ancestors, Descendants, Relationship, Sources};
use crate::SystemParam;
use crate::entity::Entity;
use crate::query::Query;

/// Both sides of a relationship, for reading. A system parameter, which goes together with any
/// other one: nobody writes to relationships while systems run.
///
/// ```
/// use orrery_ecs::{ChildOf, Component, Entity, Query, Related, With, World};
/// #[derive(Clone, Copy, Component)]
/// struct Offset(f32);
/// #[derive(Clone, Copy, Component)]
/// struct Place(f32);
/// let mut world = World::new();
/// let arm = world.spawn((Offset(1.0), Place(0.0))).id();
/// let hand = world.spawn((Offset(0.5), Place(0.0), ChildOf(arm))).id();
/// let place = |tree: Related<ChildOf>,
///              offsets: Query<&Offset>,
///              mut places: Query<(Entity, &mut Place)>| {
///     for (entity, place) in &mut places {
///         let above = tree.ancestors(entity).chain([entity]);
///         place.0 = above.filter_map(|one| offsets.get(one).ok()).map(|offset| offset.0).sum();
///     }
/// };
/// world.run_system_once(place)?;
/// assert_eq!(world.get::<Place>(hand).map(|place| place.0), Some(1.5));
/// # Ok::<(), orrery_ecs::SystemError>(())
/// ```
#[derive(SystemParam)]
pub struct Related<'w, 's, R: Relationship> {
    targets: Query<'w, 's, &'static R>,
    sources: Query<'w, 's, &'static Sources<R>>,
}

impl<R: Relationship> Look<R> for Related<'_, '_, R> {
    fn target_of(&self, source: Entity) -> Option<Entity> {
        self.targets.get(source).ok().map(R::target)
    }

    fn sources_of(&self, target: Entity) -> &[Entity] {
        self.sources.get(target).map_or(&[], |list| &**list)
    }
}

impl<R: Relationship> Related<'_, '_, R> {
    /// As [`World::target`](crate::World::target).
    pub fn target(&self, source: Entity) -> Option<Entity> {
        self.target_of(source)
    }

    /// As [`World::sources`](crate::World::sources).
    pub fn sources(&self, target: Entity) -> &[Entity] {
        self.sources_of(target)
    }
}

impl<R: AcyclicRelationship> Related<'_, '_, R> {
    /// As [`World::ancestors`](crate::World::ancestors).
    pub fn ancestors(&self, source: Entity) -> Ancestors<'_, R, Self> {
        Ancestors::new(self, source)
    }

    /// As [`World::descendants`](crate::World::descendants).
    pub fn descendants(&self, target: Entity) -> Descendants<'_, R, Self> {
        Descendants::new(self, target)
    }

    /// As [`World::root`](crate::World::root).
    pub fn root(&self, source: Entity) -> Entity {
        self.ancestors(source).last().unwrap_or(source)
    }
}

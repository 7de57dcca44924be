//! What can be wrong with a relationship.

use thiserror::Error;

use crate::entity::Entity;

/// A relationship was refused, or its target was dead.
///
/// ```
/// use orrery_ecs::{ChildOf, RelationshipError, World};
/// let mut world = World::new();
/// let entity = world.spawn(()).id();
/// // Insertions have no place for an error, so it is kept.
/// world.entity_mut(entity).insert(ChildOf(entity));
/// let error = world.take_observer_error().expect("it was refused");
/// assert!(error.to_string().ends_with("points at the entity itself and was refused"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RelationshipError {
    /// The source does not live in this world.
    #[error("entity {entity} does not live, so it cannot have {relationship}")]
    NoSuchSource {
        /// Type of the relationship.
        relationship: &'static str,
        /// The entity that should have got it.
        entity: Entity,
    },
    /// The target does not live in this world.
    #[error(
        "{relationship} of entity {entity} points at {target}, which does not live; the entity was \
         treated as when its target is despawned"
    )]
    DeadTarget {
        /// Type of the relationship.
        relationship: &'static str,
        /// The entity that has or should have got it.
        entity: Entity,
        /// The target.
        target: Entity,
    },
    /// The target is the entity itself.
    #[error("{relationship} of entity {entity} points at the entity itself and was refused")]
    ToItself {
        /// Type of the relationship.
        relationship: &'static str,
        /// The entity.
        entity: Entity,
    },
    /// The entity would be its own ancestor.
    #[error(
        "{relationship} of entity {entity} points at {target}, which is one of its own \
         descendants, and was refused; take {target} out first, or let the relationship be \
         #[relationship(cyclic)]"
    )]
    Cycle {
        /// Type of the relationship.
        relationship: &'static str,
        /// The entity that should have got it.
        entity: Entity,
        /// The target.
        target: Entity,
    },
    /// Somebody inserted the list of sources, which the world alone keeps.
    #[error(
        "{sources} of entity {entity} is kept by the world and was refused; insert the \
         relationship into the sources instead"
    )]
    ListInserted {
        /// Type of the list.
        sources: &'static str,
        /// The entity that should have got it.
        entity: Entity,
    },
}

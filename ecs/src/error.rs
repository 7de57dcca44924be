//! Errors of world operations, each named as the statement it makes.

use thiserror::Error;

use crate::entity::Entity;

/// The handle's entity was despawned, or never lived in this world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("entity {entity} does not exist in this world (despawned, or of another world)")]
pub struct NoSuchEntity {
    /// The handle.
    pub entity: Entity,
}

/// A component of an entity could not be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ComponentError {
    /// See [`NoSuchEntity`].
    #[error(transparent)]
    NoSuchEntity(#[from] NoSuchEntity),
    /// The entity lives without that component.
    #[error("entity {entity} has no component {component}")]
    MissingComponent {
        /// The handle.
        entity: Entity,
        /// Name of the first component that is missing.
        component: &'static str,
    },
}

/// A query did not give what was asked for one entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum QueryError {
    /// See [`NoSuchEntity`].
    #[error(transparent)]
    NoSuchEntity(#[from] NoSuchEntity),
    /// The entity lives, but its components do not fit the query.
    #[error("entity {entity} does not match the query {query}")]
    NoMatch {
        /// The handle.
        entity: Entity,
        /// The query's type.
        query: &'static str,
    },
    /// `get_many_mut` was asked for an entity twice.
    #[error(
        "entity {entity} was asked for twice at once of the query {query}, which writes; a list \
         with repetitions can be visited by iter_many_mut"
    )]
    Repeated {
        /// The handle.
        entity: Entity,
        /// The query's type.
        query: &'static str,
    },
    /// `single` found nothing.
    #[error("no entity matches the query {query}, and exactly one was asked for")]
    NoneMatch {
        /// The query's type.
        query: &'static str,
    },
    /// `single` found more than one.
    #[error("more than one entity matches the query {query}, and exactly one was asked for")]
    ManyMatch {
        /// The query's type.
        query: &'static str,
    },
}

/// Two accesses to the same data exclude each other.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "{user}: {first} and {second} both access {data}, and at least one of them writes; {advice}"
)]
pub struct AccessConflict {
    /// The query or system that asks for both.
    pub user: String,
    /// The earlier of the two.
    pub first: &'static str,
    /// The later of the two.
    pub second: &'static str,
    /// The component or resource.
    pub data: &'static str,
    /// What to do.
    pub advice: &'static str,
}

/// A world cannot be forked, because something in it cannot be cloned.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "the world cannot be forked: {} opted out of Clone (`no_clone`); remove it first",
    names.join(", ")
)]
pub struct ForkError {
    /// Components and resources that are present and opted out, in order of registration.
    pub names: Vec<&'static str>,
}

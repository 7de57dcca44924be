//! Errors of world operations, each named as the statement it makes.

use std::borrow::Cow;
use std::fmt;

use thiserror::Error;

use crate::entity::Entity;
use crate::names::short;

/// The handle's entity was despawned, or never lived in this world.
///
/// ```
/// use orrery_ecs::{Entity, World};
/// let error = World::new().despawn(Entity::NONE).expect_err("it never lives");
/// assert_eq!(error.entity, Entity::NONE);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("entity {entity} does not exist in this world (despawned, or of another world)")]
pub struct NoSuchEntity {
    /// The handle.
    pub entity: Entity,
}

/// A component of an entity could not be had.
///
/// ```
/// use orrery_ecs::{Component, World};
/// #[derive(Clone, Copy, Debug, Component)]
/// struct Health(u32);
/// let mut world = World::new();
/// let stone = world.spawn(()).id();
/// let error = world.take::<Health>(stone).expect_err("a stone has none");
/// assert!(error.to_string().starts_with("entity 0v1 has no component"));
/// ```
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

/// An entity could not be spawned with the handle that was asked for.
///
/// ```
/// use orrery_ecs::{SpawnAtError, World};
/// let mut world = World::new();
/// let entity = world.spawn(()).id();
/// world.despawn(entity)?;
/// let error = world.spawn_at(entity, ()).map(|_| ()).expect_err("copies may be about");
/// assert_eq!(error, SpawnAtError::Used { entity, generation: 2 });
/// # Ok::<(), orrery_ecs::NoSuchEntity>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SpawnAtError {
    /// The index has come further, so that copies of the handle may still be about.
    #[error(
        "entity {entity} cannot be spawned: its index is at generation {generation} already; take \
         that generation or a later one"
    )]
    Used {
        /// The handle.
        entity: Entity,
        /// First generation of the index that was not used yet.
        generation: u32,
    },
    /// The index is retired or about to be: its last generation was given out.
    #[error("entity {entity} cannot be spawned: the generations of its index are used up")]
    Retired {
        /// The handle.
        entity: Entity,
    },
    /// The index is so far beyond all others that the table would be mostly empty.
    #[error("entity {entity} cannot be spawned: its index is beyond {index_max}, the highest now")]
    TooFar {
        /// The handle.
        entity: Entity,
        /// Highest index that could be asked for.
        index_max: u32,
    },
}

/// Columns that were handed over together have different lengths.
///
/// ```
/// use orrery_ecs::{Component, World};
/// #[derive(Clone, Copy, Component)]
/// struct Number(u32);
/// let mut world = World::new();
/// let short = vec![Number(1), Number(2)];
/// let error = world.spawn_columns(3, (short,)).map(|_| ()).expect_err("one is missing");
/// assert_eq!((error.found, error.expected, world.len()), (2, 3, 0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the column of {component} has {found} values, and {expected} entities were asked for")]
pub struct ColumnLengthError {
    /// Name of the component.
    pub component: &'static str,
    /// Values in its column.
    pub found: usize,
    /// Entities that were to be spawned.
    pub expected: usize,
}

/// Something that was asked of a component by its number, or of its bytes, could not be done.
///
/// ```
/// use orrery_ecs::{ComponentDescriptor, DynamicError, World};
/// let mut world = World::new();
/// let heat = world.register_dynamic(ComponentDescriptor::plain("mod::Heat", 4, 4))?;
/// let entity = world.spawn(()).id();
/// let error = world.insert_bytes(entity, heat, &[1, 2]).expect_err("it is too short");
/// assert_eq!(error.to_string(), "mod::Heat has 4 bytes, and 2 were given");
/// # Ok::<(), DynamicError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DynamicError {
    /// See [`NoSuchEntity`].
    #[error(transparent)]
    NoSuchEntity(#[from] NoSuchEntity),
    /// A component of that name is there, and is of another size, alignment or kind.
    #[error("a component named {name} is registered already, and is of another kind; rename one")]
    NameTaken {
        /// The name.
        name: String,
    },
    /// The number is of no component of this world.
    #[error("component number {number} is not of this world; register the component here first")]
    UnknownComponent {
        /// The number.
        number: usize,
    },
    /// The component's bytes are not for everybody: it is a Rust type, or has functions of its own.
    #[error(
        "the bytes of {component} cannot be accessed as such; only those of \
         ComponentDescriptor::plain can"
    )]
    NotPlain {
        /// Name of the component.
        component: &'static str,
    },
    /// More or fewer bytes than the component has.
    #[error("{component} has {expected} bytes, and {found} were given")]
    Size {
        /// Name of the component.
        component: &'static str,
        /// Its size.
        expected: usize,
        /// Bytes that were given.
        found: usize,
    },
}

/// Two worlds cannot be merged.
///
/// ```
/// use orrery_ecs::{ComponentDescriptor, World};
/// let (mut world, mut other) = (World::new(), World::new());
/// world.register_dynamic(ComponentDescriptor::plain("mod::Heat", 4, 4))?;
/// other.register_dynamic(ComponentDescriptor::plain("mod::Heat", 8, 8))?;
/// assert!(world.merge(other).is_err_and(|error| error.component == "mod::Heat"));
/// # Ok::<(), orrery_ecs::DynamicError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "the worlds cannot be merged: both have a component {component} that was defined at run time, \
     of different kinds; rename one"
)]
pub struct MergeError {
    /// Name of the component.
    pub component: &'static str,
}

/// A query did not give what was asked for one entity.
///
/// ```
/// use orrery_ecs::{Component, QueryError, World};
/// #[derive(Clone, Copy, Component)]
/// struct Health(u32);
/// let mut world = World::new();
/// let stone = world.spawn(()).id();
/// let mut healths = world.query::<&Health>();
/// assert!(matches!(healths.view(&world).get(stone), Err(QueryError::NoMatch { .. })));
/// world.despawn(stone)?;
/// assert!(matches!(healths.view(&world).get(stone), Err(QueryError::NoSuchEntity(_))));
/// # Ok::<(), orrery_ecs::NoSuchEntity>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum QueryError {
    /// See [`NoSuchEntity`].
    #[error(transparent)]
    NoSuchEntity(#[from] NoSuchEntity),
    /// The entity lives, but its components do not fit the query.
    #[error("entity {entity} does not match the query {}", short(.query))]
    NoMatch {
        /// The handle.
        entity: Entity,
        /// The query's type.
        query: &'static str,
    },
    /// `get_many_mut` was asked for an entity twice.
    #[error(
        "entity {entity} was asked for twice at once of the query {}, which writes; a list with \
         repetitions can be visited by iter_many_mut",
        short(.query)
    )]
    Repeated {
        /// The handle.
        entity: Entity,
        /// The query's type.
        query: &'static str,
    },
    /// `single` found nothing.
    #[error("no entity matches the query {}, and exactly one was asked for", short(.query))]
    NoneMatch {
        /// The query's type.
        query: &'static str,
    },
    /// `single` found more than one.
    #[error(
        "more than one entity matches the query {}, and exactly one was asked for",
        short(.query)
    )]
    ManyMatch {
        /// The query's type.
        query: &'static str,
    },
}

/// Two accesses to the same data exclude each other.
///
/// ```
/// use orrery_ecs::{Component, Query, SystemError, World};
/// #[derive(Clone, Copy, Component)]
/// struct Health(u32);
/// let twice = |_: Query<&mut Health>, _: Query<&Health>| ();
/// let error = World::new().run_system_once(twice).expect_err("it would alias");
/// let SystemError::Conflict(conflict) = error else {
///     panic!("{error}");
/// };
/// assert!(conflict.data.ends_with("Health"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessConflict {
    /// The query or system that asks for both.
    pub user: String,
    /// The earlier of the two.
    pub first: &'static str,
    /// The later of the two; [`ITSELF`](Self::ITSELF) where the first asks twice.
    pub second: &'static str,
    /// The component or resource.
    pub data: &'static str,
    /// What to do.
    pub advice: Cow<'static, str>,
}

impl AccessConflict {
    /// In place of the later of two accesses: there is only one, and it asks twice.
    pub const ITSELF: &'static str = "itself";
}

impl fmt::Display for AccessConflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            user,
            first,
            second,
            data,
            advice,
        } = self;
        // The data keeps its path, which tells types of one name apart.
        let (first, second) = (short(first), short(second));
        match second == Self::ITSELF {
            true => write!(
                f,
                "{user}: {first} accesses {data} twice, and writes; {advice}"
            ),
            false => write!(
                f,
                "{user}: {first} and {second} both access {data}, and at least one of them \
                 writes; {advice}"
            ),
        }
    }
}

impl std::error::Error for AccessConflict {}

/// A world cannot be forked, because something in it cannot be cloned.
///
/// ```
/// use orrery_ecs::{Component, World};
/// #[derive(Component)]
/// #[component(no_clone)]
/// struct Socket;
/// let mut world = World::new();
/// world.spawn(Socket);
/// let error = world.fork().map(|_| ()).expect_err("a socket has no clone");
/// assert!(error.to_string().contains("Socket"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ForkError {
    /// Components and resources that are present and opted out, in order of registration.
    pub names: Vec<&'static str>,
    /// Systems with locals that opted out, and the type of the local.
    pub locals: Vec<(&'static str, &'static str)>,
    /// Non-send resources that are present.
    pub non_send: Vec<&'static str>,
    /// Resources that a scope has out of the world, and systems whose run has not ended.
    pub in_use: Vec<&'static str>,
}

impl ForkError {
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Display for ForkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the world cannot be forked: ")?;
        let locals = self.locals.iter();
        let locals = locals.map(|(system, local)| format!("the local {local} of system {system}"));
        let opted_out = self.names.iter().map(|name| String::from(*name));
        let opted_out = opted_out.chain(locals).collect::<Vec<_>>();
        let mut reasons = Vec::new();
        if !opted_out.is_empty() {
            let names = opted_out.join(", ");
            reasons.push(format!(
                "{names} opted out of Clone (`no_clone` or `NoClone`); remove it first"
            ));
        }
        if !self.non_send.is_empty() {
            let names = self.non_send.join(", ");
            reasons.push(format!("{names} stays on its thread; remove it first"));
        }
        if !self.in_use.is_empty() {
            let names = self.in_use.join(", ");
            reasons.push(format!(
                "{names} is in use by a resource scope or a run; fork when that has ended"
            ));
        }
        f.write_str(&reasons.join("; "))
    }
}

impl std::error::Error for ForkError {}

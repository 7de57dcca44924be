//! What can go wrong while observers run.

use std::fmt;

use thiserror::Error;

use crate::entity::Entity;
use crate::error::QueryError;
use crate::relationship::RelationshipError;
use crate::resource::NonSendError;

/// How deep observers may cause each other, at most: an observer whose commands cause an event
/// whose observer's commands cause the next.
///
/// Deep enough for any chain that ends by itself, and shallow enough that the stack of a thread
/// holds it.
pub const OBSERVER_DEPTH_MAX: usize = 64;

/// Observers, or the world itself with a relationship, could not do all that they should have. The
/// world is whole.
///
/// ```
/// use orrery_ecs::{Add, Commands, Component, On, OBSERVER_DEPTH_MAX, ObserverError, World};
/// #[derive(Clone, Copy, Component)]
/// struct Rabbit;
/// let mut world = World::new();
/// world.add_observer(|_: On<Add, Rabbit>, mut commands: Commands| {
///     commands.spawn(Rabbit);
/// });
/// world.spawn(Rabbit);
/// let Some(ObserverError::TooDeep(chain)) = world.take_observer_error() else {
///     panic!("rabbits know no end");
/// };
/// assert_eq!(chain.steps.len(), OBSERVER_DEPTH_MAX + 1);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ObserverError {
    /// Observers caused each other without end.
    #[error(
        "observers caused each other {} deep, which is the limit: {}; {} commands and {} events of \
         the chain were dropped; let one of these observers end it, by asking whether there is \
         anything left to change",
        OBSERVER_DEPTH_MAX, Chain(.0.steps.as_slice()), .0.dropped_commands, .0.dropped_events
    )]
    TooDeep(Box<ObserverChain>),
    /// An observer was not run, because a resource that it needs is not in the world.
    #[error(
        "observer {observer} could not run for {event}: it needs the resource {resource}, which is \
         not in the world; insert it with World::insert_resource, or ask for Option<Res<..>>"
    )]
    MissingResource {
        /// The observer.
        observer: &'static str,
        /// The event.
        event: &'static str,
        /// The resource.
        resource: &'static str,
    },
    /// A relationship was refused, or its target was dead.
    #[error(transparent)]
    Relationship(#[from] RelationshipError),
    /// An observer was not run, because its `Single` found no entity, or more than one.
    #[error(
        "observer {observer} could not run for {event}: {source}; ask for a Query, or \
         Option<Single<..>> if none may match"
    )]
    Single {
        /// The observer.
        observer: &'static str,
        /// The event.
        event: &'static str,
        /// Which query, and whether none or several match.
        source: QueryError,
    },
    /// An observer was not run, because a non-send resource is not in the world, or belongs to
    /// another thread.
    #[error("observer {observer} could not run for {event}: {source}")]
    NonSend {
        /// The observer.
        observer: &'static str,
        /// The event.
        event: &'static str,
        /// Which resource, and why.
        source: NonSendError,
    },
    /// An observer was not run, because a parameter of it refused.
    #[error("observer {observer} could not run for {event}: {reason}")]
    Refused {
        /// The observer.
        observer: &'static str,
        /// The event.
        event: &'static str,
        /// What the parameter says.
        reason: String,
    },
}

/// A chain of observers that was cut off.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ObserverChain {
    /// Who ran for what, from the first on; the last one was to run next.
    pub steps: Vec<ObserverStep>,
    /// Commands that the observers of the chain had asked for and that were not done.
    pub dropped_commands: u64,
    /// Calls of observers and hooks that were due in the chain and left out.
    pub dropped_events: u64,
}

/// An observer or hook that ran for an event.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ObserverStep {
    /// The event.
    pub event: &'static str,
    /// The first component that the event was about.
    pub component: Option<&'static str>,
    /// The entity that it happened to.
    pub entity: Option<Entity>,
    /// Name of the observer's function, or which hook it was.
    pub observer: &'static str,
}

impl fmt::Display for ObserverStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.event)?;
        if let Some(component) = self.component {
            write!(f, " of {component}")?;
        }
        if let Some(entity) = self.entity {
            write!(f, " for {entity}")?;
        }
        write!(f, " ran {}", self.observer)
    }
}

/// Steps in one line; of many the first and the last, which show how it began and what repeats.
struct Chain<'a>(&'a [ObserverStep]);

/// Steps that are printed at either end of a long chain.
const ENDS: usize = 6;

impl fmt::Display for Chain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for (index, step) in self.0.iter().enumerate() {
            let hidden = self.0.len().saturating_sub(2 * ENDS);
            if index == ENDS && hidden > 0 {
                write!(f, "{separator}({hidden} more)")?;
            }
            if index >= ENDS && index < ENDS + hidden {
                continue;
            }
            write!(f, "{separator}{step}")?;
            separator = " -> ";
        }
        Ok(())
    }
}

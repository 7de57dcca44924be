//! Why a system could not be run, or failed.

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;

use thiserror::Error;

use crate::error::{AccessConflict, QueryError};
use crate::observer::ObserverError;
use crate::resource::NonSendError;
use crate::world::World;

/// A system could not be run, or failed.
///
/// ```
/// use orrery_ecs::{Res, Resource, SystemError, World};
/// #[derive(Clone, Resource)]
/// struct Wind(f32);
/// let mut world = World::new();
/// let error = world.run_system_once(|_: Res<Wind>| ()).expect_err("there is no wind");
/// let SystemError::MissingResource { resource, .. } = error else {
///     panic!("{error}");
/// };
/// assert!(resource.ends_with("Wind"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SystemError {
    /// Two parameters exclude each other.
    #[error(transparent)]
    Conflict(#[from] AccessConflict),
    /// A resource is not in the world.
    #[error(
        "system {system} needs the resource {resource}, which is not in the world; insert it \
             with World::insert_resource, or ask for Option<Res<..>>"
    )]
    MissingResource {
        /// The system.
        system: &'static str,
        /// The resource.
        resource: &'static str,
    },
    /// A `Single` found no entity, or more than one.
    #[error("system {system}: {source}; ask for a Query, or Option<Single<..>> if none may match")]
    Single {
        /// The system.
        system: &'static str,
        /// Which query, and whether none or several match.
        source: QueryError,
    },
    /// A non-send resource is not in the world, or belongs to another thread.
    #[error("system {system}: {source}")]
    NonSend {
        /// The system.
        system: &'static str,
        /// Which resource, and why.
        source: NonSendError,
    },
    /// A parameter refused the run.
    #[error("system {system}: {reason}")]
    Refused {
        /// The system.
        system: &'static str,
        /// What the parameter says.
        reason: String,
    },
    /// The system ran and returned an error.
    #[error("system {system} failed: {source}")]
    Failed {
        /// The system.
        system: &'static str,
        /// What it returned.
        source: SystemFailure,
    },
    /// Observers of what the system's commands did could not do all that they should have. The
    /// system has run, and its commands are done.
    #[error("after the commands of system {system}: {source}")]
    Observer {
        /// The system.
        system: &'static str,
        /// What went wrong first.
        source: ObserverError,
    },
}

/// Gives the error of observers that has come up since `before` errors were counted.
pub(super) fn observers_ended_well(
    system: &'static str,
    before: u64,
    world: &mut World,
) -> Result<(), SystemError> {
    if world.observer_error_count() == before {
        return Ok(());
    }
    match world.take_observer_error() {
        Some(source) => Err(SystemError::Observer { system, source }),
        None => Ok(()),
    }
}

/// The error that a system returned.
///
/// ```
/// use orrery_ecs::{IntoSystem, Serial, System, SystemError, World};
/// fn read_map() -> Result<(), std::num::ParseIntError> {
///     "twelve".parse::<u32>().map(|_| ())
/// }
/// let error = read_map.into_system().run(&mut World::new(), &Serial).expect_err("no number");
/// let SystemError::Failed { system, source } = error else {
///     panic!("{error}");
/// };
/// assert!(system.ends_with("read_map"));
/// assert!(source.downcast_ref::<std::num::ParseIntError>().is_some());
/// ```
#[derive(Clone, Debug)]
pub struct SystemFailure(Arc<dyn StdError + Send + Sync>);

impl SystemFailure {
    /// Wraps an error.
    pub fn new(error: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self(Arc::from(error.into()))
    }

    /// The error that the system returned, if it is an `E`.
    pub fn downcast_ref<E: StdError + 'static>(&self) -> Option<&E> {
        self.0.downcast_ref()
    }
}

/// The same error object, or one with the same words: errors in general cannot be compared.
impl PartialEq for SystemFailure {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.to_string() == other.to_string()
    }
}

impl Eq for SystemFailure {}

impl fmt::Display for SystemFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl StdError for SystemFailure {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source()
    }
}

/// Why a parameter cannot be given; the system adds its name.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub enum ParamError {
    MissingResource(&'static str),
    Single(QueryError),
    NonSend(NonSendError),
    Refused(String),
}

impl ParamError {
    pub(super) fn of_system(self, system: &'static str) -> SystemError {
        match self {
            Self::MissingResource(resource) => SystemError::MissingResource { system, resource },
            Self::Single(source) => SystemError::Single { system, source },
            Self::NonSend(source) => SystemError::NonSend { system, source },
            Self::Refused(reason) => SystemError::Refused { system, reason },
        }
    }

    pub(crate) fn of_observer(self, observer: &'static str, event: &'static str) -> ObserverError {
        match self {
            Self::MissingResource(resource) => ObserverError::MissingResource {
                observer,
                event,
                resource,
            },
            Self::Single(source) => ObserverError::Single {
                observer,
                event,
                source,
            },
            Self::NonSend(source) => ObserverError::NonSend {
                observer,
                event,
                source,
            },
            Self::Refused(reason) => ObserverError::Refused {
                observer,
                event,
                reason,
            },
        }
    }
}

/// What a system may return: nothing, or a `Result` whose error stops the schedule.
///
/// ```
/// use orrery_ecs::{IntoSystem, Query, Serial, System, World};
/// fn alone(entities: Query<()>) -> Result<(), &'static str> {
///     if entities.is_empty() { Err("nobody is here") } else { Ok(()) }
/// }
/// let error = alone.into_system().run(&mut World::new(), &Serial).expect_err("it is empty");
/// assert!(error.to_string().ends_with("nobody is here"));
/// ```
#[diagnostic::on_unimplemented(
    message = "a system cannot return `{Self}`",
    label = "not what a system returns",
    note = "a system returns nothing, or `Result<(), E>` with an error that can be boxed; what \
            else it finds goes into a resource, or to the next one by `pipe`"
)]
pub trait SystemOutput {
    #[doc(hidden)]
    fn into_result(self) -> Result<(), SystemFailure>;
}

impl SystemOutput for () {
    fn into_result(self) -> Result<(), SystemFailure> {
        Ok(())
    }
}

impl<E: Into<Box<dyn StdError + Send + Sync>>> SystemOutput for Result<(), E> {
    fn into_result(self) -> Result<(), SystemFailure> {
        self.map_err(SystemFailure::new)
    }
}

/// The type `!`, which has no name in stable Rust: what a closure that only panics returns.
#[doc(hidden)]
pub trait Returns {
    type Output;
}

impl<T> Returns for fn() -> T {
    type Output = T;
}

impl SystemOutput for <fn() -> ! as Returns>::Output {
    fn into_result(self) -> Result<(), SystemFailure> {
        self
    }
}

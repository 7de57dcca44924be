//! Systems: functions whose parameters say what of the world they use.
//!
//! Three kinds become a [`System`] by [`IntoSystem`]:
//!
//! - functions of [`SystemParam`]s: `fn(Query<(&mut Position, &Velocity)>, Res<Gravity>)`;
//! - chunk systems, whose first parameter is a [`Chunk`](crate::Chunk): they see one block at a
//!   time, so a runner may spread blocks over threads without changing the result;
//! - exclusive systems, `fn(&mut World)`.
//!
//! What a system's commands ask for is done when the system has ended.

mod chunk;
mod exclusive;
mod function;
mod param;

use thiserror::Error;

use crate::error::AccessConflict;
use crate::observer::ObserverError;
use crate::query::BlockRunner;
use crate::world::World;

pub use exclusive::ExclusiveMarker;
pub(crate) use param::SystemAccess;
pub use param::{SharedParam, SystemParam};

/// Something that runs on a world.
pub trait System: Send {
    /// Name of the function, with its module path.
    fn name(&self) -> &'static str;

    /// Finds out what the system uses of a world. `run` does it too where it was not done for
    /// that world.
    ///
    /// # Errors
    /// When two of its parameters exclude each other.
    fn initialize(&mut self, world: &mut World) -> Result<(), SystemError>;

    /// Runs once, then does what its commands ask for.
    ///
    /// # Errors
    /// When two of its parameters exclude each other, or a resource that it needs is not there;
    /// nothing was run then.
    fn run(&mut self, world: &mut World, runner: &dyn BlockRunner) -> Result<(), SystemError>;
}

/// A system could not be run.
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
pub(crate) fn observers_ended_well(
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

/// Functions that can be made into a [`System`].
///
/// `Marker` tells the kinds of function apart and is always inferred.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a system",
    label = "not a system",
    note = "a system is a function whose parameters are Query, Res, ResMut, Option<Res>, \
            Option<ResMut> or Commands; or a Chunk first and then Res; or only `&mut World`"
)]
pub trait IntoSystem<Marker>: Sized {
    /// The system that it becomes.
    type System: System + 'static;

    /// Makes the system.
    fn into_system(self) -> Self::System;
}

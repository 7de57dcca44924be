//! Systems: functions whose parameters say what of the world they use.
//!
//! Three kinds become a [`System`] by [`IntoSystem`]:
//!
//! - functions of [`SystemParam`]s: `fn(Query<(&mut Position, &Velocity)>, Res<Gravity>)`; two of
//!   them in a row become one by [`SystemParamFunction::pipe`];
//! - chunk systems, whose first parameter is a [`Chunk`](crate::Chunk): they see one block at a
//!   time, so a runner may spread blocks over threads without changing the result;
//! - exclusive systems, `fn(&mut World)`.
//!
//! What a system's commands ask for is done when the system has ended. What it keeps between runs
//! lies in the world (`states`); the system object holds only what can be found out again.
//!
//! Change ticks: a run has a tick of its own, which its writes are marked with. When it has ended
//! the world goes on to the next tick, so commands, and whoever writes outside of systems, are
//! newer than what the system has seen. A system therefore finds every change once: those of
//! others since its last run, those of its own commands, and not those that it wrote itself.

mod access;
mod chunk;
mod condition;
mod error;
mod exclusive;
mod function;
mod local;
mod once;
mod param;
mod parts;
mod pipe;
mod run;
mod stage;
mod states;
#[cfg(test)]
mod tests;

use crate::query::BlockRunner;
use crate::world::World;

pub use access::{SystemAccess, SystemMeta};
pub use condition::{Condition, IntoCondition};
pub use error::{ParamError, SystemError, SystemFailure, SystemOutput};
pub use exclusive::ExclusiveMarker;
use function::FunctionMarker;
pub use function::SystemParamFunction;
pub use local::{Local, LocalValue, NoClone, NotState};
pub use once::RunOnce;
pub use param::{
    Keep, KeepMut, Kept, KeptMut, Late, ParamOwner, ParamSet, Run, SharedParam, Single,
    SystemParam, TakenLanes,
};
use parts::SystemParts;
pub use pipe::{In, Pipe};
pub(crate) use run::SystemState;
pub use stage::{Answers, Stage, StageError, StagePart, StageUnit};
pub use states::SystemId;
pub(crate) use states::{SystemStates, SystemToken};

/// Something that runs on a world.
///
/// ```
/// use orrery_ecs::{Commands, IntoSystem, Serial, System, World};
/// fn populate(mut commands: Commands) {
///     commands.spawn(());
/// }
/// let mut world = World::new();
/// let mut system = populate.into_system();
/// assert!(system.name().ends_with("populate"));
/// for _ in 0..3 {
///     system.run(&mut world, &Serial)?;
/// }
/// assert_eq!(world.len(), 3);
/// let id = system.id().expect("it has run");
/// assert!(world.last_run(id) > 0);
/// # Ok::<(), orrery_ecs::SystemError>(())
/// ```
pub trait System: Send {
    /// Name of the function, with its module path.
    fn name(&self) -> &'static str;

    /// Its number in the world that it was last initialised for; `None` before.
    fn id(&self) -> Option<SystemId>;

    /// Whether it may run on any thread. One that uses non-send resources, or may do so because it
    /// has the whole world, must stay on the thread of those.
    fn is_send(&self) -> bool;

    /// What it touches of the world that it was last initialised for; `None` before.
    fn access(&self) -> Option<&SystemAccess>;

    /// Finds out what the system uses of a world, and gives it a number there. `run` does it too
    /// where it was not done for that world. The state hash stays as it is, unless a parameter
    /// puts something of its own into the world (see [`Kept`]).
    ///
    /// # Errors
    /// When two of its parameters exclude each other.
    fn initialize(&mut self, world: &mut World) -> Result<(), SystemError>;

    /// Runs once, then does what its commands ask for.
    ///
    /// A run that fails or panics does not count: what was new to the system is new to its next
    /// run as well, and its commands are forgotten. What it wrote until then stays.
    ///
    /// # Errors
    /// When two of its parameters exclude each other, or something that it needs is not there:
    /// nothing was run then, and the world is as it was. Or when the function returned an error.
    ///
    /// # Panics
    /// When the function or one of its commands does.
    fn run(&mut self, world: &mut World, runner: &dyn BlockRunner) -> Result<(), SystemError>;

    /// Whether the number is its own in a world, and not another one's by now.
    #[doc(hidden)]
    fn is_owner_in(&self, _: &World, _: SystemId) -> bool {
        false
    }

    /// As `run`, for a system that was initialised for this world. Whoever catches a panic of it
    /// closes and forgets its parts.
    #[doc(hidden)]
    fn run_whole(
        &mut self,
        world: &mut World,
        runner: &dyn BlockRunner,
    ) -> Result<(), SystemError> {
        self.run(world, runner)
    }

    /// The parts of a run, if it can be cut in parts. Whoever implements this trait has none.
    #[doc(hidden)]
    fn parts(&mut self) -> Option<&mut dyn SystemParts> {
        None
    }
}

/// Functions that can be made into a [`System`].
///
/// Every system made leaves its last run and its locals in the worlds that it runs on; what is
/// needed once is better run by [`World::run_system_once`].
///
/// `Marker` tells the kinds of function apart and is always inferred.
///
/// When a function is refused, [`check_system`](crate::check_system) above it shows which of its
/// parameters is at fault:
///
/// ```compile_fail,E0277
/// // error[E0277]: `f32` cannot be a parameter of a system
/// #[orrery_ecs::check_system]
/// fn fall(bodies: orrery_ecs::Query<orrery_ecs::Entity>, gravity: f32) {}
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a system",
    label = "not a system",
    note = "write `#[orrery_ecs::check_system]` above the function to see which parameter is wrong",
    note = "a system is a function whose parameters are Query, Single, Res, ResMut, Option of \
            these, Local, Commands, ParamSet, NonSend, NonSendMut, RemovedComponents, Related, \
            &World or tuples of these; or a Chunk first and then Res and Commands; or only \
            `&mut World`",
    note = "it returns nothing or `Result<(), E>`, and does not begin with `In<..>`"
)]
pub trait IntoSystem<Marker>: Sized {
    /// The system that it becomes.
    type System: System + 'static;

    /// Makes the system.
    fn into_system(self) -> Self::System;
}

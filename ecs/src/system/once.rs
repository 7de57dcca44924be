//! Systems that are run once, from outside a schedule.

use super::SystemError;
use crate::world::World;

/// What [`World::run_system_once`] takes: a function of system parameters, of a chunk, or of
/// `&mut World`, which may return anything.
///
/// `Marker` tells the kinds of function apart and is always inferred.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a system",
    label = "not a system",
    note = "write `#[orrery_ecs::check_system]` above the function to see which parameter is wrong",
    note = "a system is a function whose parameters are Query, Single, Res, ResMut, Option of \
            these, Local, Commands, ParamSet, NonSend, NonSendMut, RemovedComponents, Related, \
            &World or tuples of these; or a Chunk first and then Res and Commands; or only \
            `&mut World`"
)]
pub trait RunOnce<Marker>: Sized {
    /// What it returns.
    type Out;

    #[doc(hidden)]
    fn run_once(self, world: &mut World) -> Result<Self::Out, SystemError>;
}

impl World {
    /// Runs a function as a system, does what its commands ask for, and returns what it returned.
    ///
    /// It leaves nothing behind: its locals begin at their defaults, everything is new to it, and
    /// the world keeps no state for it, which it does for every system made by `into_system`.
    ///
    /// What the function returns is handed on as it is: an `Err` of its own is no failed run.
    ///
    /// # Errors
    /// When two of its parameters exclude each other, or something that it needs is not there;
    /// nothing was run then, and the world is as it was.
    ///
    /// ```
    /// use orrery_ecs::{Commands, Component, Entity, Query, World};
    /// #[derive(Clone, Copy, Component)]
    /// struct Age(u32);
    /// let mut world = World::new();
    /// world.spawn_batch((0..10).map(Age));
    /// let old = world.run_system_once(|ages: Query<(Entity, &Age)>, mut commands: Commands| {
    ///     let old = ages.iter().filter(|(_, age)| age.0 > 6);
    ///     old.map(|(entity, _)| commands.despawn(entity)).count()
    /// })?;
    /// assert_eq!((old, world.len()), (3, 7));
    /// # Ok::<(), orrery_ecs::SystemError>(())
    /// ```
    pub fn run_system_once<M, S: RunOnce<M>>(&mut self, system: S) -> Result<S::Out, SystemError> {
        system.run_once(self)
    }
}

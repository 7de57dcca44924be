//! How a system ends the app.

use std::fmt::Display;

use orrery_ecs::Resource;

/// Ends the app after the tick or frame in which a system asks for it.
///
/// ```
/// use orrery::prelude::*;
/// let mut app = App::new();
/// app.add_systems(FixedUpdate, |time: Res<Time>, mut exit: ResMut<Exit>| {
///     if time.tick() == 4 {
///         exit.request();
///     }
/// });
/// app.run(Runner::AsFastAsPossible)?;
/// assert_eq!(app.time().tick(), 5);
/// # Ok::<(), orrery::app::AppError>(())
/// ```
#[derive(Clone, Debug, Default, Resource)]
#[resource(not_state)]
pub struct Exit {
    requested: bool,
    failure: Option<String>,
}

impl Exit {
    /// Asks for the end.
    pub fn request(&mut self) {
        self.requested = true;
    }

    /// Ends the app with an error: for what a system cannot put right, such as a simulation that
    /// has blown up. The first reason counts.
    pub fn fail(&mut self, reason: impl Display) {
        self.failure.get_or_insert_with(|| reason.to_string());
    }

    /// Why a system ended the app, if one did.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// Whether somebody asked for the end.
    pub fn is_requested(&self) -> bool {
        self.requested
    }
}

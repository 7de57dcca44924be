//! How a system ends the app.

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
pub struct Exit(bool);

impl Exit {
    /// Asks for the end.
    pub fn request(&mut self) {
        self.0 = true;
    }

    /// Whether somebody asked for the end.
    pub fn is_requested(&self) -> bool {
        self.0
    }
}

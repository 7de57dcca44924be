//! Real time as systems see it: a resource that is no part of the state.

use std::time::Duration;

use orrery_ecs::Resource;

/// Real time: how long the frame before this one took, and the sum of all.
///
/// There are two groups of schedules and a clock for each:
///
/// | | simulation | real |
/// | --- | --- | --- |
/// | schedules | that of a tick: `FixedUpdate` | those of a frame: `First` to `Last` |
/// | resource | [`Time`](super::Time) | `RealTime` |
/// | pause, scale, single step | stop it, stretch it | do nothing to it |
/// | overrun, suspend | drop some of it, count it | are in it |
/// | delta | always the step | what the frame took |
/// | state | hashed, forked, rewound | outside, and goes on when the world goes back |
///
/// `Time` can be read in both; between two frames it stands where the last tick left it. Whoever
/// reads `RealTime` in a tick makes the state depend on the machine: don't.
///
/// The app sets it at the start of a frame. Runners that do not wait measure their frames as well;
/// who drives by [`App::frame`](crate::app::App::frame) says how much time has passed, and who
/// calls `tick` and `update` alone makes no frames, so real time stands still for them.
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use orrery::prelude::*;
///
/// #[derive(Clone, Default, Resource)]
/// struct Blink(bool);
///
/// let mut app = App::new();
/// app.world_mut().init_resource::<Blink>();
/// app.add_systems(Update, |real: Res<RealTime>, mut blink: ResMut<Blink>| {
///     blink.0 = real.elapsed().as_millis() / 500 % 2 == 1; // also while the clock is paused
/// });
/// app.clock_mut().pause();
/// app.frame(Duration::from_millis(600))?;
/// assert!(app.world().resource::<Blink>().0);
/// # Ok::<(), orrery::app::AppError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Resource)]
#[resource(not_state)]
pub struct RealTime {
    delta: Duration,
    elapsed: Duration,
    frame: u64,
}

impl RealTime {
    /// Real time before the first frame.
    pub fn new() -> Self {
        Self::default()
    }

    /// Real time from the start of the last frame to the start of this one: to the nanosecond what
    /// the runner measured, a suspend included.
    pub fn delta(&self) -> Duration {
        self.delta
    }

    /// [`delta`](Self::delta) in seconds.
    pub fn delta_seconds(&self) -> f64 {
        self.delta.as_secs_f64()
    }

    /// The sum of all deltas, exact.
    pub fn elapsed(&self) -> Duration {
        self.elapsed
    }

    /// Number of the frame, from 1; 0 before the first.
    pub fn frame(&self) -> u64 {
        self.frame
    }

    /// Begins the next frame, `delta` after the last one.
    pub fn advance(&mut self, delta: Duration) {
        self.delta = delta;
        self.elapsed = self.elapsed.saturating_add(delta);
        self.frame += 1;
    }
}

//! One stamp for a whole tick.

use orrery_ecs::{ResMut, Resource};

use super::Stamp;

/// The time at which the tick began, for whoever asks many times in it: a look costs a load.
///
/// Rate limits, time-outs of connections and budgets need no finer time than a tick. They must not
/// decide what becomes of the state, of which this is no part.
///
/// # Examples
/// ```
/// use orrery::prelude::*;
/// use orrery::stamps::{TickClock, begin_tick};
///
/// let mut app = App::new();
/// app.world_mut().insert_resource(TickClock::new());
/// app.add_systems(FixedUpdate, begin_tick); // before the systems that look at it
/// app.add_systems(FixedUpdate, |clock: Res<TickClock>| assert!(clock.now_ns() > 0));
/// app.run(Runner::Ticks(10))?;
/// # Ok::<(), orrery::app::AppError>(())
/// ```
#[derive(Clone, Copy, Debug, Resource)]
#[resource(not_state)]
pub struct TickClock {
    origin: Stamp,
    now: Stamp,
    now_ns: u64,
}

impl TickClock {
    /// A clock that starts now, at 0 ns.
    pub fn new() -> Self {
        let now = Stamp::now();
        Self {
            origin: now,
            now,
            now_ns: 0,
        }
    }

    /// Takes the stamp of a tick.
    pub fn begin(&mut self) {
        // A processor that runs late must not turn the time back.
        self.now = self.now.max(Stamp::now());
        self.now_ns = self.now.ns_since(self.origin);
    }

    /// The stamp with which the tick began.
    #[inline]
    pub fn stamp(&self) -> Stamp {
        self.now
    }

    /// Nanoseconds from the start of the clock to the beginning of the tick.
    #[inline]
    pub fn now_ns(&self) -> u64 {
        self.now_ns
    }

    /// Nanoseconds that the tick has taken so far, by a new stamp.
    #[inline]
    pub fn elapsed_ns(&self) -> u64 {
        self.now.elapsed_ns()
    }
}

impl Default for TickClock {
    fn default() -> Self {
        Self::new()
    }
}

/// The system that takes the stamp: add it as the first one of the tick.
pub fn begin_tick(mut clock: ResMut<TickClock>) {
    clock.begin();
}

//! Simulated time as systems see it: a resource that is part of the state.

use std::time::Duration;

use orrery_ecs::{Entity, MapEntities, Resource, StateHash, StateHasher};

use super::Step;

/// Simulated time: the number of the tick and the length of one.
///
/// Inside a tick it stands still; `elapsed` is exactly `tick * step`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Resource)]
pub struct Time {
    tick: u64,
    step: Step,
}

impl Time {
    /// Time at tick 0.
    pub fn new(step: Step) -> Self {
        Self { tick: 0, step }
    }

    /// Number of the tick that runs now or is next, from 0.
    pub fn tick(&self) -> u64 {
        self.tick
    }

    /// Length of a tick.
    pub fn step(&self) -> Step {
        self.step
    }

    /// Length of a tick in seconds.
    pub fn delta_seconds(&self) -> f64 {
        self.step.seconds()
    }

    /// Simulated time before this tick: `tick * step`, exact.
    pub fn elapsed(&self) -> Duration {
        self.step.times(self.tick)
    }

    /// Goes on by one tick.
    pub fn advance(&mut self) {
        self.tick += 1;
    }

    /// Changes the length of a tick from now on. `elapsed` is then counted in the new one.
    pub fn set_step(&mut self, step: Step) {
        self.step = step;
    }
}

impl MapEntities for Step {
    const MAPS: bool = false;

    fn map_entities(&mut self, _: &mut dyn FnMut(Entity) -> Entity) {}
}

impl StateHash for Step {
    fn hash_state(&self, hasher: &mut StateHasher) {
        hasher.u64(self.as_ns());
    }
}

//! Systems that have the whole world to themselves.

use super::{IntoSystem, System, SystemError, observers_ended_well};
use crate::query::BlockRunner;
use crate::world::World;

/// Marks exclusive functions among all that can be made into systems.
pub struct ExclusiveMarker;

/// A system made of a function of `&mut World`.
pub struct ExclusiveSystem<F>(F);

impl<F: FnMut(&mut World) + Send + 'static> System for ExclusiveSystem<F> {
    fn name(&self) -> &'static str {
        std::any::type_name::<F>()
    }

    fn initialize(&mut self, _: &mut World) -> Result<(), SystemError> {
        Ok(())
    }

    fn run(&mut self, world: &mut World, _: &dyn BlockRunner) -> Result<(), SystemError> {
        world.advance_change_tick();
        let errors = world.observer_error_count();
        (self.0)(world);
        observers_ended_well(self.name(), errors, world)
    }
}

impl<F: FnMut(&mut World) + Send + 'static> IntoSystem<ExclusiveMarker> for F {
    type System = ExclusiveSystem<F>;

    fn into_system(self) -> ExclusiveSystem<F> {
        ExclusiveSystem(self)
    }
}

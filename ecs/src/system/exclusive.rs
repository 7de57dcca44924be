//! Systems that have the whole world to themselves.

use std::any::{TypeId, type_name};

use super::access::SystemAccess;
use super::error::{SystemOutput, observers_ended_well};
use super::once::RunOnce;
use super::states::{SystemId, SystemShape, SystemToken};
use super::{IntoSystem, System, SystemError};
use crate::query::BlockRunner;
use crate::world::{World, WorldId};

/// Marks exclusive functions among all that can be made into systems.
pub struct ExclusiveMarker;

/// A system made of a function of `&mut World`.
pub struct ExclusiveSystem<F> {
    function: F,
    token: SystemToken,
    access: SystemAccess,
    slot: Option<(WorldId, SystemId)>,
}

impl<F: FnMut(&mut World) -> Out + Send + 'static, Out: SystemOutput> System
    for ExclusiveSystem<F>
{
    fn name(&self) -> &'static str {
        type_name::<F>()
    }

    fn id(&self) -> Option<SystemId> {
        self.slot.map(|(_, id)| id)
    }

    fn is_send(&self) -> bool {
        // It may ask the world for what must stay on its thread, and nobody can see that.
        false
    }

    fn access(&self) -> Option<&SystemAccess> {
        self.slot.map(|_| &self.access)
    }

    fn initialize(&mut self, world: &mut World) -> Result<(), SystemError> {
        let slot = self.slot.filter(|&(home, id)| {
            // `World::release_systems` may have given the slot to another one.
            home == world.id() && world.systems.is_owner(id, self.token)
        });
        if slot.is_none() {
            let shape = SystemShape {
                name: self.name(),
                function: TypeId::of::<F>(),
                locals: &[],
            };
            let id = world.systems.claim(self.token, self.id(), &shape);
            self.slot = Some((world.id(), id));
        }
        Ok(())
    }

    fn is_owner_in(&self, world: &World, id: SystemId) -> bool {
        world.systems.is_owner(id, self.token)
    }

    fn run(&mut self, world: &mut World, _: &dyn BlockRunner) -> Result<(), SystemError> {
        self.initialize(world)?;
        let (home, id) = self.slot.expect("`initialize` set it");
        let ticks = world.next_run(id);
        world.advance_change_tick();
        let errors = world.observer_error_count();
        let result = (self.function)(world).into_result();
        let system = self.name();
        result.map_err(|source| SystemError::Failed { system, source })?;
        // A function that went back to a fork has left this run behind with the old world.
        if world.id() == home {
            world.finish_run(id, ticks);
            observers_ended_well(system, errors, world)?;
        }
        Ok(())
    }
}

impl<F, Out> IntoSystem<(ExclusiveMarker, Out)> for F
where
    F: FnMut(&mut World) -> Out + Send + 'static,
    Out: SystemOutput,
{
    type System = ExclusiveSystem<F>;

    fn into_system(self) -> ExclusiveSystem<F> {
        ExclusiveSystem {
            function: self,
            token: SystemToken::next(),
            access: SystemAccess::exclusive(),
            slot: None,
        }
    }
}

impl<F, Out> RunOnce<(ExclusiveMarker, Out)> for F
where
    F: FnOnce(&mut World) -> Out,
{
    type Out = Out;

    fn run_once(self, world: &mut World) -> Result<Out, SystemError> {
        world.advance_change_tick();
        let out = self(world);
        world.advance_change_tick();
        Ok(out)
    }
}

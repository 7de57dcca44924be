//! Commands around observers.

use super::event::Event;
use super::function::ObserverFunction;
use crate::commands::{Commands, EntityCommands};
use crate::entity::Entity;

impl Commands<'_, '_> {
    /// Adds an observer; see [`World::add_observer`](crate::World::add_observer), which may panic
    /// when the command is done.
    pub fn add_observer<M: 'static>(&mut self, observer: impl ObserverFunction<M>) {
        self.queue(move |world| {
            world.add_observer(observer);
        });
    }

    /// Runs the observers of an event; see [`World::trigger`](crate::World::trigger).
    pub fn trigger<E: Event>(&mut self, event: E) {
        self.queue(move |world| world.trigger(event));
    }

    /// Runs the observers of an event that concerns one entity; see
    /// [`World::trigger_for`](crate::World::trigger_for). If the entity is dead by then, the event
    /// is dropped and counted as missed.
    pub fn trigger_for<E: Event>(&mut self, entity: Entity, event: E) {
        self.queue_for(move |world| world.trigger_for(entity, event).is_ok());
    }

    /// Adds an observer for one entity; see [`World::observe`](crate::World::observe). If the
    /// entity is dead by then, this is counted as missed.
    pub fn observe<M: 'static>(&mut self, entity: Entity, observer: impl ObserverFunction<M>) {
        self.queue_for(move |world| world.observe(entity, observer).is_ok());
    }
}

impl EntityCommands<'_, '_, '_> {
    /// Adds an observer for this entity; see [`Commands::observe`].
    pub fn observe<M: 'static>(&mut self, observer: impl ObserverFunction<M>) -> &mut Self {
        let entity = self.id();
        self.commands_mut().observe(entity, observer);
        self
    }

    /// Runs the observers of an event that concerns this entity; see [`Commands::trigger_for`].
    pub fn trigger<E: Event>(&mut self, event: E) -> &mut Self {
        let entity = self.id();
        self.commands_mut().trigger_for(entity, event);
        self
    }
}

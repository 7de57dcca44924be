//! Queues of events for who has the world.

use orrery_ecs::World;

use super::{EventId, Events, QueuedEvent};

/// Queues of events for who has the world: exclusive systems, commands, and what is no system.
pub trait WorldEvents {
    /// Gives the queue of a type of event its capacity and policy. A queue that is there already
    /// keeps its events, readers and counters.
    ///
    /// Nobody has to call this: the first reader or writer makes a queue as [`Events::new`] does.
    ///
    /// ```
    /// use orrery::ecs::{Event, StateHash, World};
    /// use orrery::event::{Events, Overflow, WorldEvents};
    /// #[derive(Clone, Event, StateHash)]
    /// struct Order(u32);
    /// let mut world = World::new();
    /// let orders = world.add_event(Events::<Order>::with_capacity(100, Overflow::Block));
    /// assert_eq!(orders.capacity(), 100);
    /// ```
    fn add_event<E: QueuedEvent>(&mut self, queue: Events<E>) -> &mut Events<E>;

    /// Sends an event, also where there is no queue of its type yet. `None` if a full queue refused
    /// it.
    ///
    /// ```
    /// use orrery::ecs::{Commands, Event, StateHash, World};
    /// use orrery::event::{Events, WorldEvents};
    /// #[derive(Clone, Event, StateHash)]
    /// struct Order(u32);
    /// let mut world = World::new();
    /// let later = |mut commands: Commands| {
    ///     commands.queue(|world| _ = world.send_event(Order(3)));
    /// };
    /// world.run_system_once(later)?;
    /// assert_eq!(world.resource::<Events<Order>>().len(), 1);
    /// # Ok::<(), orrery::ecs::SystemError>(())
    /// ```
    fn send_event<E: QueuedEvent>(&mut self, event: E) -> Option<EventId>;
}

impl WorldEvents for World {
    fn add_event<E: QueuedEvent>(&mut self, queue: Events<E>) -> &mut Events<E> {
        if !self.contains_resource::<Events<E>>() {
            self.insert_resource(queue);
            return self.resource_mut();
        }
        let there = self.resource_mut::<Events<E>>();
        there.set_overflow(queue.overflow());
        there.set_capacity(queue.capacity());
        there
    }

    fn send_event<E: QueuedEvent>(&mut self, event: E) -> Option<EventId> {
        self.get_resource_or_init::<Events<E>>().send(event)
    }
}

//! Sending as a parameter of systems.

use std::any::type_name;
use std::marker::PhantomData;

use orrery_ecs::{Keep, KeepMut, KeptMut, ParamOwner, SystemParam, Ticks, World};

use super::{EventId, EventIds, Events, QueuedEvent, SendError};

/// Which run it is.
struct Source<E> {
    leaves_nothing: bool,
    run: Option<Ticks>,
    event: PhantomData<fn() -> E>,
}

impl<E: QueuedEvent> Keep for Source<E> {
    type Resource = Events<E>;

    fn name() -> &'static str {
        type_name::<EventWriter<'static, 'static, E>>()
    }

    fn attach(world: &mut World, owner: ParamOwner) -> Self {
        world.init_resource::<Events<E>>();
        Self {
            leaves_nothing: owner.system.is_none(),
            run: None,
            event: PhantomData,
        }
    }

    fn validate(&self, events: &Events<E>) -> Result<(), String> {
        events.validate()
    }

    fn begin(&mut self, run: Ticks) {
        self.run = Some(run);
    }
}

impl<E: QueuedEvent> KeepMut for Source<E> {
    /// Also for a run that sends nothing: what is old retires where nobody sends.
    fn begin_mut(&mut self, events: &mut Events<E>) {
        if let Some(run) = self.run.take().filter(|_| !self.leaves_nothing) {
            events.begin_run(run);
        }
    }
}

/// Sends events of type `E` to those who read them. A system parameter.
///
/// An event is there at once: the next system reads it, and this one could, if it had a reader in a
/// [`ParamSet`](orrery_ecs::ParamSet). What a run has sent stays sent also if the run fails later.
/// Two systems that send events of one type do not run at the same time, so the order of sending is
/// that of the schedule.
///
/// ```
/// use orrery::prelude::*;
/// use orrery::event::SendError;
/// #[derive(Clone, Event, StateHash)]
/// struct Order(u32);
/// // A full queue stops the run, with an error that says who does not read.
/// fn give(mut orders: EventWriter<Order>) -> Result<(), SendError<Order>> {
///     let first = orders.try_send(Order(1))?;
///     let ids = orders.send_batch((2..5).map(Order));
///     assert_eq!(ids.last().map(|id| id.number()), Some(first.number() + 3));
///     Ok(())
/// }
/// let mut app = App::new();
/// app.add_systems(FixedUpdate, give);
/// app.run(Runner::Ticks(3))?;
/// # Ok::<(), orrery::app::AppError>(())
/// ```
#[derive(SystemParam)]
pub struct EventWriter<'w, 's, E: QueuedEvent> {
    events: KeptMut<'w, 's, Source<E>>,
}

impl<E: QueuedEvent> EventWriter<'_, '_, E> {
    /// Sends an event. `None` if a full queue refused it, which its policy `Block` or `Error` does
    /// and its counters count; [`try_send`](Self::try_send) hands it back.
    #[inline]
    pub fn send(&mut self, event: E) -> Option<EventId> {
        self.events.resource_mut().send(event)
    }

    /// Sends an event.
    ///
    /// # Errors
    /// When the queue is full and its policy is `Block` or `Error`; the event is handed back.
    #[inline]
    pub fn try_send(&mut self, event: E) -> Result<EventId, SendError<E>> {
        self.events.resource_mut().try_send(event)
    }

    /// Sends events one after the other, and returns the ids of those that were taken. The others
    /// are refused as by [`send`](Self::send).
    pub fn send_batch(&mut self, events: impl IntoIterator<Item = E>) -> EventIds {
        self.events.resource_mut().send_batch(events)
    }

    /// Sends the default of the type.
    pub fn send_default(&mut self) -> Option<EventId>
    where
        E: Default,
    {
        self.send(E::default())
    }
}

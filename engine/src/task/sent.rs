//! Events that scripts read from a queue: those that are sent.

use std::fmt;
use std::marker::PhantomData;

use orrery_ecs::World;

use super::script::Script;
use crate::event::{Events, QueuedEvent};

/// The events of a queue since it was made, each once; made by
/// [`Script::sent`](super::Script::sent).
///
/// It is no registered reader: it holds nothing up and is no part of the state. It looks once a
/// tick, while a queue keeps events for a round after that in which they were sent, so it misses
/// only those for which a full queue had no room, and counts them.
#[must_use = "it reads when it is asked"]
pub struct SentEvents<E: QueuedEvent> {
    script: Script,
    /// Number of the next event.
    place: u64,
    missed: u64,
    event: PhantomData<fn() -> E>,
}

impl<E: QueuedEvent> SentEvents<E> {
    pub(super) fn new(script: Script) -> Self {
        let next = |world: &mut World| {
            let events = world.get_resource::<Events<E>>();
            events.map_or(0, |events| events.next_id().number())
        };
        Self {
            script,
            place: script.with(next),
            missed: 0,
            event: PhantomData,
        }
    }

    /// Waits for the next event and returns a clone of it.
    ///
    /// # Cost
    /// A turn in each tick until it comes.
    ///
    /// # Panics
    /// As [`Script::with`](super::Script::with).
    pub async fn next(&mut self) -> E {
        loop {
            if let Some(event) = self.try_next() {
                return event;
            }
            self.script.next_tick().await;
        }
    }

    /// Takes the next event if there is one already.
    ///
    /// # Panics
    /// As [`Script::with`](super::Script::with).
    pub fn try_next(&mut self) -> Option<E> {
        let place = self.place;
        let (number, event) = self.script.with(|world| {
            let events = world.get_resource::<Events<E>>()?;
            let next = events.next_id().number();
            let number = place.max(next - events.len() as u64);
            // Somebody may have put another queue in the place of the one that was read.
            let event = (number < next).then(|| events.iter_from(number).next())??;
            Some((number, event.clone()))
        })?;
        self.missed += number - place;
        self.place = number + 1;
        Some(event)
    }

    /// Events that a full queue had dropped before the script came to them.
    pub fn missed(&self) -> u64 {
        self.missed
    }
}

impl<E: QueuedEvent> fmt::Debug for SentEvents<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SentEvents")
            .field("place", &self.place)
            .field("missed", &self.missed)
            .finish()
    }
}

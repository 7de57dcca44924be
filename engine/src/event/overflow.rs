//! What happens to an event for which there is no room, and what is counted.

use std::error::Error;
use std::fmt;

use orrery_ecs::StateHash;

/// What a full queue does with one more event. A queue is full when as many events as its capacity
/// wait for the [`EventReader`](super::EventReader) that is furthest behind.
///
/// Nothing can wait inside a tick, so no policy makes the writer wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, StateHash)]
pub enum Overflow {
    /// The new event goes in, and the oldest one makes room. It is counted as dropped, and each
    /// reader that had not read it counts it as missed; the other readers lose nothing.
    ///
    /// For what is soon out of date, and for queues that must never stop a game.
    #[default]
    DropOldest,
    /// The new event is refused and counted; those in the queue stay.
    /// [`try_send`](super::EventWriter::try_send) hands it back, so the writer keeps it and tries
    /// again in a later tick: nothing is lost, and who sends too much feels it.
    ///
    /// For orders and messages that must all be seen to.
    Block,
    /// As `Block`, and the queue has failed: no system that reads or writes it is run any more, so
    /// the schedule stops with an error that names the reader all wait for. That lasts until
    /// [`Events::clear`](super::Events::clear), or until the world is taken back to a fork from
    /// before.
    ///
    /// For queues that can only be full by a mistake in the program.
    Error,
}

/// What has happened in a queue since it was made. A fork goes on from there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct EventCounters {
    /// Events that were taken.
    pub sent: u64,
    /// Events that were read, by all readers together.
    pub read: u64,
    /// Events that made room, by `DropOldest` or a lower capacity, or were cleared, before every
    /// `EventReader` had read them.
    pub dropped: u64,
    /// Events that were not taken, by `Block` or `Error`.
    pub refused: u64,
    /// The most events that the queue ever held.
    pub high_water: usize,
}

/// A queue is full.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueueFull {
    /// The type of the events.
    pub event: &'static str,
    /// How many of them the queue holds.
    pub capacity: usize,
    /// The system whose reader is furthest behind.
    pub reader: &'static str,
}

impl fmt::Display for QueueFull {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            event,
            capacity,
            reader,
        } = self;
        write!(
            f,
            "the queue of {event} is full: {capacity} events wait for system {reader}; let it run \
             more often, give the queue a greater capacity or the policy DropOldest by \
             add_event, or take the reader out by Events::remove_reader if its system is gone"
        )
    }
}

impl Error for QueueFull {}

/// An event was refused; it is handed back.
pub struct SendError<E> {
    /// The event.
    pub event: E,
    /// Why.
    pub reason: QueueFull,
}

impl<E> fmt::Debug for SendError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("SendError");
        shown.field("reason", &self.reason).finish_non_exhaustive()
    }
}

impl<E> fmt::Display for SendError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.reason, f)
    }
}

impl<E> Error for SendError<E> {}

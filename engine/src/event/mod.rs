//! Events: typed queues that every reader empties at its own rate.
//!
//! ```text
//! world -> resource Events<E>
//!            ring      |e4 e5 e6 e7 e8|   numbers never come again: next is e9
//!            readers   system and place: one of each tick at 9, one of each eighth at 4
//!            rounds    where the present round and the one before it began
//! EventWriter<E> --send--> ring --read--> EventReader<E>   its place goes on after a whole run
//! ```
//!
//! - **Each reader sees each event exactly once**, in the order of sending, whatever its rate. A
//!   reader is registered when its system is initialised; from then on the queue keeps what it has
//!   not read. Its place lies in the world, so a fork takes it along and going back takes it back.
//! - **A run that fails or panics has read nothing**: its next run reads the same events again.
//!   What it sent stays sent, as everything else that it wrote.
//! - **Events retire when all readers have read them**, though not before the round after the one
//!   in which they were sent is over; so a reader that is made late begins with the events of the
//!   present round and the one before. A round ends when a system that has read or written in it
//!   comes again: where every system runs once a tick, a round is a tick. Readers and writers do
//!   all this themselves when they run. Nobody asks a clock, so a pause stops nothing, and there is
//!   no list of queues that somebody has to go through.
//! - **Memory is bounded.** A queue holds [`Events::capacity`] events at most, and says by
//!   [`Overflow`] what happens to one more; [`Events::counters`] counts it. Events that only late
//!   readers could still want make room first, and count as no loss.
//! - **Who only looks on changes nothing.** An [`EventViewer`] is for `Update` and whatever else
//!   shows the state: its place is no part of the state hash, since frames come and go as the
//!   screen likes, and the queue never waits for it. An [`EventReader`] is part of the simulation.
//!
//! # A reader that is gone
//!
//! A system object that is dropped tells nobody, nor does one that a schedule gives back; its place
//! stays in the world, for another object of the same function may go on with it. `forget_system`
//! of the world says that it will not run there again, and takes its readers out of all queues;
//! [`Events::remove_reader`] does it for one queue. Until then the queue keeps events for it, up to
//! the capacity: under `DropOldest` the others lose nothing by that but memory; under `Block` and
//! `Error` it fills, and the error names the system that all wait for.
//!
//! # Systems side by side
//!
//! Readers of one type run at the same time; writers exclude each other and the readers. A reader's
//! place goes on at the sync point after it, which comes before the next system that writes to the
//! queue or has the resource itself. So the result is that of one by one.
//!
//! # Events and signals
//!
//! A type with `#[derive(Clone, Event, StateHash)]` can be both sent and triggered, and the two
//! never mix. `World::trigger` is a signal: observers run at once, and with nobody there it is
//! over. [`EventWriter::send`] puts the event into the queue, where it waits for its readers, and
//! no observer hears of it.

mod condition;
mod id;
mod iter;
mod overflow;
mod queue;
mod reader;
mod register;
mod rounds;
mod world;
mod writer;

#[cfg(test)]
mod tests;

pub use condition::on_event;
pub use id::{EventId, EventIds};
pub use iter::{EventIter, EventWithIdIter};
pub use overflow::{EventCounters, Overflow, QueueFull, SendError};
pub use queue::{EVENTS_MAX, Events, QueuedEvent};
pub use reader::{EventReader, EventViewer};
pub use register::ReaderInfo;
pub use world::WorldEvents;
pub use writer::EventWriter;

//! The queue of one type of event.
//!
//! `first <= held <= next`: events before `held` wait for no `EventReader`, and those before
//! `first` are gone. What the simulation can see of a queue, and so its state hash, depends on
//! nothing before `held`; viewers and late readers live on what happens to be there still.

use std::collections::{VecDeque, vec_deque};

use orrery_ecs::{Event, ParamOwner, Resource, StateHash, StateHasher, SystemId, Ticks};

use super::register::Reader;
use super::rounds::Rounds;
use super::{EventCounters, EventId, EventIds, Overflow, QueueFull, ReaderInfo, SendError};

/// Events that a new queue holds, at most.
pub const EVENTS_MAX: usize = 1 << 16;

/// What can be sent: an [`Event`] that a fork can clone and the state hash can read.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be sent to a queue of events",
    label = "not an event that can be queued",
    note = "it is part of the world's state, which is cloned by a fork and hashed: write \
            `#[derive(Clone, Event, StateHash)]` above its definition"
)]
pub trait QueuedEvent: Event + Clone + StateHash {}

#[diagnostic::do_not_recommend]
impl<E: Event + Clone + StateHash> QueuedEvent for E {}

/// The queue of events of type `E`: a resource, made by the first reader or writer that a world
/// knows, or by [`WorldEvents::add_event`](super::WorldEvents::add_event) with settings of one's
/// own.
///
/// Systems send by [`EventWriter`](super::EventWriter) and read by
/// [`EventReader`](super::EventReader). What is not a system has the resource itself.
///
/// The state hash covers what waits for readers, their places and what was sent, dropped and
/// refused. It does not cover what is kept for late readers and viewers.
///
/// # Cost
/// A send is a store, and a read a load; see the cases `events_send` and `events_read` of the
/// benches. Memory grows by doubling to what was in the queue at once, at most to twice the
/// capacity, and stays.
///
/// ```
/// use orrery::ecs::{Event, StateHash, World};
/// use orrery::event::{Events, Overflow};
/// #[derive(Clone, Debug, PartialEq, Event, StateHash)]
/// struct Scored(u32);
/// let mut world = World::new();
/// world.insert_resource(Events::<Scored>::with_capacity(100, Overflow::Block));
/// let events = world.resource_mut::<Events<Scored>>();
/// let id = events.send(Scored(3));
/// assert_eq!(events.iter().next(), id.map(|id| (id, &Scored(3))));
/// ```
#[derive(Clone, Debug)]
pub struct Events<E> {
    pub(super) ring: VecDeque<E>,
    /// Number of the next event, and so of all that were sent.
    next: u64,
    /// Number of the first event that an `EventReader` has not read; `u64::MAX` without one.
    held: u64,
    capacity: usize,
    overflow: Overflow,
    readers: Vec<Reader>,
    rounds: Rounds,
    read: u64,
    dropped: u64,
    refused: u64,
    high_water: usize,
    /// Set by `Overflow::Error`.
    failure: Option<QueueFull>,
}

impl<E: QueuedEvent> Default for Events<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E: QueuedEvent> Events<E> {
    /// A queue that holds [`EVENTS_MAX`] events and then drops the oldest.
    pub fn new() -> Self {
        Self::with_capacity(EVENTS_MAX, Overflow::default())
    }

    /// A queue that holds so many events, at least one, and a policy for one more. Memory is taken
    /// when events come.
    pub fn with_capacity(capacity: usize, overflow: Overflow) -> Self {
        Self {
            ring: VecDeque::new(),
            next: 0,
            held: u64::MAX,
            capacity: capacity.max(1),
            overflow,
            readers: Vec::new(),
            rounds: Rounds::default(),
            read: 0,
            dropped: 0,
            refused: 0,
            high_water: 0,
            failure: None,
        }
    }

    /// How many events it holds, at most.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// What it does with one more.
    pub fn overflow(&self) -> Overflow {
        self.overflow
    }

    /// Sets how many events it holds, at least one. The oldest of those that are too many make
    /// room; where they were unread, they count as dropped.
    pub fn set_capacity(&mut self, capacity: usize) {
        self.capacity = capacity.max(1);
        while self.ring.len() > self.capacity {
            self.drop_oldest();
        }
    }

    /// Sets what it does when it is full.
    pub fn set_overflow(&mut self, overflow: Overflow) {
        self.overflow = overflow;
    }

    /// Sends an event. `None` if a full queue refused it, which is counted; a writer that wants it
    /// back then uses [`try_send`](Events::try_send).
    #[inline]
    pub fn send(&mut self, event: E) -> Option<EventId> {
        self.try_send(event).ok()
    }

    /// Sends an event.
    ///
    /// # Errors
    /// When the queue is full and its policy is `Block` or `Error`; the event is handed back.
    #[inline]
    pub fn try_send(&mut self, event: E) -> Result<EventId, SendError<E>> {
        if self.ring.len() >= self.capacity && !self.make_room() {
            return Err(self.refuse(event));
        }
        self.ring.push_back(event);
        self.high_water = self.high_water.max(self.ring.len());
        let id = EventId::from_number(self.next);
        self.next += 1;
        Ok(id)
    }

    /// Sends events one after the other and returns the ids of those that were taken.
    pub fn send_batch(&mut self, events: impl IntoIterator<Item = E>) -> EventIds {
        let from = self.next;
        for event in events {
            self.send(event);
        }
        EventIds(from..self.next)
    }

    /// Takes the oldest event out, unless it is unread and the policy keeps it.
    #[cold]
    fn make_room(&mut self) -> bool {
        let is_unread = self.held <= self.first();
        if is_unread && self.overflow != Overflow::DropOldest {
            return false;
        }
        self.drop_oldest();
        true
    }

    fn drop_oldest(&mut self) {
        self.dropped += u64::from(self.held <= self.first());
        // At the very end, for it may be of a type whose drop panics.
        drop(self.ring.pop_front());
    }

    #[cold]
    fn refuse(&mut self, event: E) -> SendError<E> {
        self.refused += 1;
        let first = self.first();
        let readers = self.readers.iter().filter(|reader| !reader.views);
        let last = readers.min_by_key(|reader| reader.place(first));
        let reason = QueueFull {
            event: E::NAME,
            capacity: self.capacity,
            reader: last.map_or("(none)", Reader::name),
        };
        if self.overflow == Overflow::Error {
            self.failure = Some(reason.clone());
        }
        SendError { event, reason }
    }

    /// Number of the oldest event that is still there.
    #[inline]
    fn first(&self) -> u64 {
        self.next - self.ring.len() as u64
    }

    /// How many events are there, read or not.
    pub fn len(&self) -> usize {
        self.ring.len()
    }

    /// Whether no event is there.
    pub fn is_empty(&self) -> bool {
        self.ring.is_empty()
    }

    /// The events that are there, read or not, in the order of sending.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (EventId, &E)> {
        let mut number = self.first();
        self.ring.iter().map(move |event| {
            let id = EventId::from_number(number);
            number += 1;
            (id, event)
        })
    }

    /// The id that the next event will have.
    pub fn next_id(&self) -> EventId {
        EventId::from_number(self.next)
    }

    /// What has happened so far.
    pub fn counters(&self) -> EventCounters {
        EventCounters {
            sent: self.next,
            read: self.read,
            dropped: self.dropped,
            refused: self.refused,
            high_water: self.high_water,
        }
    }

    /// The readers, in order of registration.
    pub fn readers(&self) -> impl ExactSizeIterator<Item = ReaderInfo> {
        let (first, next) = (self.first(), self.next);
        let info = move |reader: &Reader| reader.info(first, next);
        self.readers.iter().map(info)
    }

    /// Forgets the readers of a system that is gone, and says how many they were. Should it run
    /// again, it begins as a new one does.
    pub fn remove_reader(&mut self, system: SystemId) -> usize {
        let before = self.readers.len();
        self.readers.retain(|reader| !reader.is_of(system));
        self.settle();
        before - self.readers.len()
    }

    /// Takes all events out. Those that were unread count as dropped, and by their readers as
    /// missed. A queue that has failed by [`Overflow::Error`] has not any more.
    pub fn clear(&mut self) {
        self.failure = None;
        self.dropped += self.next - self.held.clamp(self.first(), self.next);
        self.ring.clear();
    }

    /// Why no system may use the queue, after [`Overflow::Error`].
    pub fn failure(&self) -> Option<&QueueFull> {
        self.failure.as_ref()
    }

    /// Whether systems may use the queue.
    pub(super) fn validate(&self) -> Result<(), String> {
        self.failure
            .as_ref()
            .map_or(Ok(()), |failure| Err(failure.to_string()))
    }

    /// Index of a reader; `hint` is where it was.
    #[inline]
    pub(super) fn find(&self, owner: ParamOwner, hint: usize) -> Option<usize> {
        let is = |reader: &Reader| reader.is(owner);
        if self.readers.get(hint).is_some_and(is) {
            return Some(hint);
        }
        self.readers.iter().position(is)
    }

    /// Makes a reader known, at the oldest event that is not older than the previous round.
    pub(super) fn register(&mut self, owner: ParamOwner, views: bool) {
        // A number that was another system's: that one is gone.
        self.readers.retain(|reader| !reader.takes_place_of(owner));
        let place = self.late_place();
        self.readers.extend(Reader::new(owner, views, place));
        self.settle();
    }

    /// Where a reader that is made now begins.
    pub(super) fn late_place(&self) -> u64 {
        self.rounds.recent().max(self.first())
    }

    /// Number of the next event that a reader has not read.
    #[inline]
    pub(super) fn place(&self, owner: ParamOwner, hint: usize) -> u64 {
        let found = self.find(owner, hint);
        found.map_or_else(
            || self.late_place(),
            |index| self.readers[index].place(self.first()),
        )
    }

    /// Events that a reader has never seen and will not.
    pub(super) fn missed(&self, owner: ParamOwner, hint: usize) -> u64 {
        let found = self.find(owner, hint);
        found.map_or(0, |index| self.readers[index].missed(self.first()))
    }

    /// How many events come after a place.
    #[inline]
    pub(super) fn len_from(&self, place: u64) -> usize {
        (self.next - place) as usize
    }

    /// The events from a place on.
    #[inline]
    pub(crate) fn iter_from(&self, place: u64) -> vec_deque::Iter<'_, E> {
        self.ring.range((place - self.first()) as usize..)
    }

    /// Notes what a reader has read.
    pub(super) fn advance(&mut self, reader: Option<usize>, from: u64, to: u64) {
        self.read += to - from;
        if let Some(reader) = reader {
            self.readers[reader].advance(from, to);
            self.settle();
        }
    }

    /// Whether a run begins a round, and there is something that could grow old by it.
    #[inline]
    pub(super) fn has_old_round(&self, run: Ticks) -> bool {
        !self.ring.is_empty() && self.rounds.is_over(run)
    }

    /// Begins a round if the run does.
    #[inline]
    pub(super) fn begin_run(&mut self, run: Ticks) {
        if self.rounds.is_over(run) {
            self.rounds.begin(run, self.next);
            self.retire();
        }
    }

    /// Finds out what is held, and lets go of the rest.
    fn settle(&mut self) {
        let places = self.readers.iter().filter(|reader| !reader.views);
        let first = self.first();
        let held = places.map(|reader| reader.place(first)).min();
        self.held = held.unwrap_or(u64::MAX);
        self.retire();
    }

    /// Takes out what is read by all and old.
    fn retire(&mut self) {
        let first = self.first();
        let viewers = self.readers.iter().filter(|reader| reader.views);
        let places = viewers.map(|viewer| viewer.place(first));
        let until = places.fold(self.held.min(self.rounds.recent()), u64::min);
        if until > first {
            self.ring.drain(..(until - first) as usize);
        }
    }
}

impl<E: QueuedEvent> Resource for Events<E> {
    const NAME: &'static str = concat!(module_path!(), "::Events");
    const STATE: bool = true;
    const CLONE: bool = true;

    fn duplicate(&self) -> Option<Self> {
        Some(self.clone())
    }

    fn hash_fields(&self, hasher: &mut StateHasher) {
        let first = self.first();
        hasher.len(self.capacity);
        self.overflow.hash_state(hasher);
        self.failure.is_some().hash_state(hasher);
        for number in [self.next, self.dropped, self.refused] {
            hasher.u64(number);
        }
        let mut readers: Vec<&Reader> =
            self.readers.iter().filter(|reader| !reader.views).collect();
        // Who was initialised first does not matter to what they will read.
        readers.sort_by_key(|reader| reader.name());
        hasher.len(readers.len());
        for reader in readers {
            reader.hash(first, hasher);
        }
        let held = self.held.clamp(first, self.next);
        hasher.len(self.len_from(held));
        for event in self.iter_from(held) {
            event.hash_state(hasher);
        }
    }
}

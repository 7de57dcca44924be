//! The short ways of events that users trigger: nobody hears them, or only listeners do that
//! cannot cause anything.
//!
//! ```text
//! trigger -> the event's bit       nobody hears it: one load, one test, both inlined
//!         -> the event's listeners each a call, if no observer is running and none of them can
//!                                  queue commands or hold anything
//!         -> deliver               everybody else, with the chain, states and queues
//! ```
//!
//! What is left out is what such listeners cannot need. They have no commands and nothing of the
//! world but their parameters, so none of them can add or remove an observer, trigger an event or
//! put another world here; no chain begins with them, and their states stay where they are. One
//! without parameters begins no change tick. All else is as in `deliver`: order, ticks, last runs,
//! errors, panics.
//!
//! Bits come from a hash of the type's number, which the compiler works out. Two events with one
//! bit cost each other the second way; which these are may differ between builds, and what is
//! done never does.

use std::any::{Any, TypeId};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use super::event::{Event, Occurrence, Watched, What};
use crate::entity::Entity;
use crate::recent::place;
use crate::world::World;

/// An observer that cannot cause anything, with its state on one world.
pub(crate) trait Listener: Send {
    /// Calls it, as the run after a change tick, and gives the tick that comes next. It was not
    /// called if something is missing; that is reported.
    fn hear(&mut self, world: &mut World, occurrence: &Occurrence<'_>, tick: u64) -> u64;
}

/// What only `&mut` leads to.
struct Alone<T>(T);

// SAFETY: there is no way from `&Alone<T>` to the value, which threads that share a world
// therefore do not share.
unsafe impl<T: Send> Sync for Alone<T> {}

type Listeners = Vec<Alone<Box<dyn Listener>>>;

/// An event as it is looked for.
#[derive(Clone, Copy)]
pub(super) struct EventKey {
    event: TypeId,
    bit: usize,
}

impl EventKey {
    #[inline]
    pub(super) fn of<E: 'static>() -> Self {
        Self::new(TypeId::of::<E>())
    }

    #[inline]
    fn new(event: TypeId) -> Self {
        let bit = place(event, BITS);
        Self { event, bit }
    }
}

/// What a world knows of the events that users trigger.
#[derive(Default)]
pub(super) struct Signals {
    /// The bits of events that somebody hears.
    heard: u64,
    /// By bit; none before the first observer of an event.
    buckets: Option<Box<[Bucket; BITS]>>,
}

const BITS: usize = 64;

#[derive(Default)]
struct Bucket {
    /// Listeners of events that were triggered since their observers changed. The first is apart,
    /// since seldom there is another.
    first: Option<List>,
    others: Vec<List>,
    /// Observers of its events, those of single entities included.
    observers: u32,
}

struct List {
    event: TypeId,
    /// None where one of the observers needs the long way.
    listeners: Option<Listeners>,
}

impl Bucket {
    /// The listeners of an event, if they are listed.
    #[inline]
    fn find(&mut self, event: TypeId) -> Option<&mut List> {
        match &mut self.first {
            Some(list) if list.event == event => Some(list),
            _ => self.others.iter_mut().find(|list| list.event == event),
        }
    }

    fn list(&mut self, event: TypeId, listeners: Option<Listeners>) {
        let list = List { event, listeners };
        match &self.first {
            None => self.first = Some(list),
            Some(_) => self.others.push(list),
        }
    }

    /// Forgets the listeners of an event.
    fn forget(&mut self, event: TypeId) {
        self.first = self.first.take().filter(|list| list.event != event);
        self.others.retain(|list| list.event != event);
    }
}

impl Signals {
    /// Whether somebody may hear an event.
    #[inline]
    pub(super) fn is_heard(&self, key: EventKey) -> bool {
        self.heard & (1 << key.bit) != 0
    }

    /// The same observers for a fork, which lists its own listeners.
    pub(super) fn share(&self) -> Self {
        let bucket = |bucket: &Bucket| Bucket {
            observers: bucket.observers,
            ..Bucket::default()
        };
        let buckets = self.buckets.as_ref();
        Self {
            heard: self.heard,
            buckets: buckets.map(|all| Box::new(all.each_ref().map(bucket))),
        }
    }

    /// An observer has come.
    pub(super) fn add(&mut self, watched: &Watched) {
        let &Watched::Event(event) = watched else {
            return;
        };
        let bit = EventKey::new(event).bit;
        let bucket = &mut self.buckets.get_or_insert_with(no_buckets)[bit];
        bucket.forget(event);
        bucket.observers += 1;
        self.heard |= 1 << bit;
    }

    /// An observer has gone.
    pub(super) fn remove(&mut self, watched: &Watched) {
        let &Watched::Event(event) = watched else {
            return;
        };
        let bit = EventKey::new(event).bit;
        let bucket = &mut self.buckets.get_or_insert_with(no_buckets)[bit];
        bucket.forget(event);
        bucket.observers -= 1;
        if bucket.observers == 0 {
            self.heard &= !(1 << bit);
        }
    }

    #[inline]
    fn find(&mut self, key: EventKey) -> Option<&mut List> {
        self.buckets.as_mut()?[key.bit].find(key.event)
    }
}

fn no_buckets() -> Box<[Bucket; BITS]> {
    Box::new(std::array::from_fn(|_| Bucket::default()))
}

impl World {
    /// Brings an event to its observers, of which there are some.
    // Apart, so that a place that triggers holds the test and this call.
    #[inline(never)]
    pub(super) fn tell<E: Event>(&mut self, entity: Option<Entity>, event: &E) {
        let occurrence = Occurrence {
            entity,
            what: What::Event {
                name: E::NAME,
                data: event,
            },
        };
        if !self.tell_listeners(EventKey::of::<E>(), &occurrence) {
            self.deliver(&occurrence);
        }
    }

    /// Runs the observers of an event if it is known that all of them are listeners, and says
    /// whether it is.
    // Into each `tell`, so that the event's key is a constant there.
    #[inline(always)]
    fn tell_listeners(&mut self, key: EventKey, occurrence: &Occurrence<'_>) -> bool {
        let has_own = |entity| self.observers.list.has_own(entity);
        if self.observers.chain.depth() > 0 || occurrence.entity.is_some_and(has_own) {
            return false;
        }
        let Some(list) = self.observers.signals.find(key) else {
            self.list_listeners(key);
            return false;
        };
        let Some(listeners) = &mut list.listeners else {
            return false;
        };
        let listeners: *mut [Alone<Box<dyn Listener>>] = listeners.as_mut_slice();
        let ran = catch_unwind(AssertUnwindSafe(|| {
            let mut tick = self.change_tick();
            // SAFETY: the slice lies in the memory of a vector that only `Signals::add`, `remove`
            // and the end of the world change. Nothing of that can be reached while they are
            // called: a listener has its parameters alone, which lead to no observers.
            for listener in unsafe { &mut *listeners } {
                tick = listener.0.hear(self, occurrence, tick);
            }
        }));
        if let Err(panic) = ran {
            self.end_of_panic(panic);
        }
        true
    }

    #[cold]
    fn end_of_panic(&mut self, panic: Box<dyn Any + Send>) -> ! {
        self.entities.cancel_reservations();
        resume_unwind(panic)
    }

    /// Lists the listeners of an event for the next time, if all its observers of all entities are
    /// some.
    #[cold]
    #[inline(never)]
    fn list_listeners(&mut self, key: EventKey) {
        let mut listeners = Some(Listeners::new());
        for id in self.observers.list.of_event(key.event) {
            let found = self.observers.list.get(id);
            let (observer, slot) = found.expect("the list of an event names those that are there");
            let listener = Arc::clone(observer).listener(self, slot);
            listeners = listeners.zip(listener).map(|(mut all, one)| {
                all.push(Alone(one));
                all
            });
        }
        let buckets = &mut self.observers.signals.buckets;
        buckets.get_or_insert_with(no_buckets)[key.bit].list(key.event, listeners);
    }
}

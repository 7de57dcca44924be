//! The scripts of one world: their slots, whose turn it is, and what happens when it is over.

use std::collections::VecDeque;
use std::fmt;
use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{RawWakerVTable, Waker};

use orrery_ecs::{Entity, World, WorldId};

use super::body::{Boxed, Filling, Pools};
use super::error::{ScriptName, TaskError};
use super::listen::Listeners;
use super::order::{Order, Turn};
use super::owner::Owners;
use super::scripts::TaskCounters;
use super::turns::end_body;
use super::waker::{Link, slot_waker};

/// Turns that scripts may give each other in one tick, by waking and spawning. More is taken for an
/// endless chain, such as two scripts that answer each other's events.
pub const WAKES_MAX: u64 = 1 << 20;

/// Errors that are kept until somebody takes them; more are counted alone.
pub const ERRORS_MAX: usize = 64;

/// Which script of a world. Ids come in order of spawning and never again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ScriptId {
    pub(super) number: u64,
    pub(super) slot: u32,
}

impl fmt::Display for ScriptId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "script {}", self.number)
    }
}

/// A place for a script, used again when it has ended by those of the same function. One line of
/// cache.
#[repr(align(64))]
struct Slot {
    /// Of the script, by order of spawning; 0 without one.
    number: u64,
    /// Absent while it runs; without a future while there is no script.
    body: Option<Boxed>,
    /// Absent while it runs.
    waker: Option<Waker>,
    entity: Option<Entity>,
    /// Where it was spawned.
    place: &'static Location<'static>,
    pool: u32,
    /// Whether it has a turn already.
    is_ready: bool,
}

/// What tells wakers apart, for `Waker::will_wake` where the waker is not at hand.
#[derive(Clone, Copy)]
struct WakerKey {
    address: usize,
    table: &'static RawWakerVTable,
}

impl WakerKey {
    #[inline]
    fn of(waker: &Waker) -> Self {
        let (address, table) = (waker.data().addr(), waker.vtable());
        Self { address, table }
    }
}

impl PartialEq for WakerKey {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.address == other.address && std::ptr::eq(self.table, other.table)
    }
}

/// A script on its turn. Body and waker are there from its beginning to its end.
pub(super) struct Run {
    pub(super) id: ScriptId,
    pub(super) body: Option<Boxed>,
    pub(super) waker: Option<Waker>,
}

impl Slot {
    /// Hands body and waker over, or takes them back: a script runs once at a time, so one of the
    /// two has both. An exchange drops nothing, so nothing is asked about drops.
    #[inline]
    fn exchange(&mut self, run: &mut Run) {
        std::mem::swap(&mut self.body, &mut run.body);
        std::mem::swap(&mut self.waker, &mut run.waker);
    }
}

/// What is left of a turn.
pub(super) enum Ended {
    /// The script waits.
    Waits,
    /// It has come to its end.
    Finished,
    /// It panicked; the future is gone and who waits has been told.
    Panicked(Box<TaskError>),
}

/// What comes after a turn.
pub(super) enum After {
    /// The next one, if there is one.
    Turn(bool),
    Cancel,
    /// The last script of an entity has ended.
    Unmark(Entity),
}

pub(super) struct Executor {
    pub(super) id: u64,
    /// The world that its scripts ran in last.
    pub(super) home: Option<WorldId>,
    /// Stands in for the world while scripts run.
    pub(super) spare: Option<Box<World>>,
    pub(super) order: Order,
    pub(super) listeners: Listeners,
    /// To be woken in the next run.
    pub(super) wakers: Vec<Waker>,
    pub(super) counters: TaskCounters,
    pub(super) errors: Vec<TaskError>,
    pub(super) owners: Owners,
    link: Arc<Link>,
    slots: Vec<Slot>,
    next_number: u64,
    living: usize,
    pools: Pools,
    cancels: VecDeque<ScriptId>,
    current: Option<(ScriptId, WakerKey)>,
    /// Turns of this run that scripts gave each other.
    late_turns: u64,
}

impl Default for Executor {
    fn default() -> Self {
        // Tells executors apart; no order and no state comes from it.
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        Self {
            id,
            home: None,
            spare: None,
            order: Order::new(),
            listeners: Listeners::default(),
            wakers: Vec::new(),
            counters: TaskCounters::default(),
            errors: Vec::new(),
            owners: Owners::default(),
            link: Arc::new(Link::new(id)),
            slots: Vec::new(),
            next_number: 1,
            living: 0,
            pools: Pools::default(),
            cancels: VecDeque::new(),
            current: None,
            late_turns: 0,
        }
    }
}

impl Executor {
    pub(super) fn living(&self) -> usize {
        self.living
    }

    /// Names of all living scripts, in order of spawning.
    pub(super) fn names(&self) -> Vec<ScriptName> {
        let living = self.slots.iter().filter(|slot| slot.number != 0);
        let mut names: Vec<_> = living
            .map(|slot| (slot.number, self.name_of(slot)))
            .collect();
        names.sort_unstable_by_key(|&(number, _)| number);
        names.into_iter().map(|(_, name)| name).collect()
    }

    /// Adds a script, whose turn comes in the present run, or else in the next.
    #[inline]
    pub(super) fn spawn<F>(
        &mut self,
        filling: &mut Filling<F>,
        entity: Option<Entity>,
        name: ScriptName,
    ) -> ScriptId
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let pool = self.pools.of::<F>(name.function);
        let slot = match self.pools.take(pool) {
            Some(slot) => slot,
            None => self.add_slot(Filling::<F>::new_body(), name.place, pool),
        };
        let number = self.next_number;
        self.next_number += 1;
        let at = &mut self.slots[slot as usize];
        (at.number, at.is_ready) = (number, true);
        (at.entity, at.place) = (entity, name.place);
        let body = at
            .body
            .as_mut()
            .expect("it is out only while a script runs");
        body.as_mut().fill(filling, &self.link);
        if let Some(entity) = entity {
            self.owners.push(entity, slot);
        }
        self.order.spawn(number, slot);
        self.living += 1;
        self.counters.spawned += 1;
        ScriptId { number, slot }
    }

    #[cold]
    fn add_slot(&mut self, body: Boxed, place: &'static Location<'static>, pool: u32) -> u32 {
        let slot = u32::try_from(self.slots.len()).expect("fewer than 2^32 scripts live at once");
        self.slots.push(Slot {
            number: 0,
            body: Some(body),
            waker: Some(slot_waker(slot, &self.link)),
            entity: None,
            place,
            pool,
            is_ready: false,
        });
        slot
    }

    /// Gives the script of a slot a turn, unless it has one.
    #[inline]
    pub(super) fn wake(&mut self, slot: u32) {
        let place = &mut self.slots[slot as usize];
        if place.number != 0 && !std::mem::replace(&mut place.is_ready, true) {
            self.order.wake(place.number, slot);
        }
    }

    /// The script that runs, if this waker is its own and not one of a combinator.
    #[inline]
    pub(super) fn current_of(&self, waker: &Waker) -> Option<ScriptId> {
        let (current, own) = self.current?;
        (own == WakerKey::of(waker)).then_some(current)
    }

    /// Ends a script before the next one has its turn.
    pub(super) fn cancel(&mut self, script: ScriptId) {
        self.cancels.push_back(script);
    }

    /// Ends the scripts of an entity, as `cancel` does, and says whether there are any.
    pub(super) fn cancel_of(&mut self, entity: Entity) -> bool {
        let mut at = self.owners.first(entity);
        let has_any = at.is_some();
        while let Some(slot) = at {
            let number = self.slots[slot as usize].number;
            self.cancels.push_back(ScriptId { number, slot });
            at = self.owners.next(slot);
        }
        has_any
    }

    /// Begins a run and returns who is to be woken at once.
    pub(super) fn begin(&mut self, tick: u64) -> Vec<Waker> {
        self.take_notes();
        self.late_turns = 0;
        let slots = &mut self.slots;
        let is_ready = |turn: &Turn| {
            let place = &mut slots[turn.slot as usize];
            place.number == turn.number && !std::mem::replace(&mut place.is_ready, true)
        };
        let due = self.order.begin(tick, is_ready);
        let mut wakers = std::mem::take(&mut self.wakers);
        wakers.extend(due);
        wakers
    }

    /// Ends a run.
    pub(super) fn end(&mut self) {
        self.current = None;
        self.order.end();
    }

    /// Frees the slot of a script that was cancelled; returns what `free` does.
    pub(super) fn end_cancelled(&mut self, slot: u32, body: Boxed) -> Option<Entity> {
        self.counters.cancelled += 1;
        self.slots[slot as usize].body = Some(body);
        self.free(slot)
    }

    /// Looks at what came from outside.
    fn take_notes(&mut self) {
        let Some(notes) = self.link.take() else {
            return;
        };
        // Systems that run at the same time leave notes in no order.
        let mut cancels = notes.cancels;
        cancels.sort_unstable();
        self.cancels.extend(cancels);
        let mut strays = notes.strays;
        strays.sort_unstable_by_key(|&slot| self.slots[slot as usize].number);
        for slot in strays {
            self.counters.strays += 1;
            if self.slots[slot as usize].number != 0 {
                let script = self.name(slot);
                self.report(TaskError::StrayWake { script });
            }
        }
    }

    pub(super) fn report(&mut self, error: TaskError) {
        match self.errors.len() < ERRORS_MAX {
            true => self.errors.push(error),
            false => self.counters.errors_lost += 1,
        }
    }

    /// Says whether there is a next one. It is written into the place of the last: as a value of
    /// its own it would go over the stack, and be read there before it has arrived.
    #[inline]
    pub(super) fn start_next(&mut self, run: &mut Run) -> bool {
        loop {
            let Some((turn, is_late)) = self.order.take() else {
                return false;
            };
            let Turn { number, slot, .. } = turn;
            let place = &mut self.slots[slot as usize];
            if place.number != number {
                continue;
            }
            self.late_turns += u64::from(is_late);
            if self.late_turns > WAKES_MAX {
                self.stop_chain(turn);
                return false;
            }
            place.is_ready = false;
            place.exchange(run);
            run.id = ScriptId { number, slot };
            self.current = run.waker.as_ref().map(|own| (run.id, WakerKey::of(own)));
            self.counters.turns += 1;
            return true;
        }
    }

    /// Leaves a turn and all behind it to the next tick.
    #[cold]
    fn stop_chain(&mut self, turn: Turn) {
        self.order.wake(turn.number, turn.slot);
        let script = self.name(turn.slot);
        let (tick, limit) = (self.order.tick, WAKES_MAX);
        self.report(TaskError::EndlessTick {
            script,
            tick,
            limit,
        });
    }

    pub(super) fn name(&self, slot: u32) -> ScriptName {
        self.name_of(&self.slots[slot as usize])
    }

    fn name_of(&self, slot: &Slot) -> ScriptName {
        let (function, place) = (self.pools.function(slot.pool), slot.place);
        ScriptName { function, place }
    }

    /// Ends a turn and begins the next one, unless something is to be done before.
    #[inline]
    pub(super) fn change_turns(&mut self, run: &mut Run, ended: Ended) -> After {
        match self.end_turn(run, ended) {
            After::Turn(_) => After::Turn(self.start_next(run)),
            after => after,
        }
    }

    #[inline]
    fn end_turn(&mut self, run: &mut Run, ended: Ended) -> After {
        self.current = None;
        let slot = run.id.slot;
        let place = &mut self.slots[slot as usize];
        place.exchange(run);
        let bare = match ended {
            Ended::Waits => None,
            Ended::Finished => {
                self.counters.finished += 1;
                self.free(slot)
            }
            Ended::Panicked(error) => {
                self.counters.panicked += 1;
                self.report(*error);
                self.free(slot)
            }
        };
        match bare {
            Some(entity) => After::Unmark(entity),
            None if self.cancels.is_empty() => After::Turn(false),
            None => After::Cancel,
        }
    }

    /// Frees the slot of a script that has ended; returns its entity if that has no other script.
    #[inline]
    fn free(&mut self, slot: u32) -> Option<Entity> {
        let place = &mut self.slots[slot as usize];
        (place.number, place.is_ready) = (0, false);
        let entity = place.entity;
        self.pools.put_back(place.pool, slot);
        self.living -= 1;
        entity.filter(|&entity| self.owners.remove(entity, slot))
    }

    pub(super) fn next_cancelled(&mut self) -> Option<(ScriptId, ScriptName, Boxed)> {
        loop {
            let id = self.cancels.pop_front()?;
            let place = &mut self.slots[id.slot as usize];
            if place.number == id.number
                && let Some(body) = place.body.take()
            {
                return Some((id, self.name(id.slot), body));
            }
        }
    }
}

/// What is left when a world is dropped with its scripts: each is dropped in order of spawning, and
/// its handle says that it was cancelled. None of them reaches the world any more.
impl Drop for Executor {
    fn drop(&mut self) {
        let mut slots = std::mem::take(&mut self.slots);
        slots.retain(|slot| slot.number != 0);
        slots.sort_unstable_by_key(|slot| slot.number);
        for mut slot in slots {
            let script = self.name_of(&slot);
            if let Some(body) = &mut slot.body {
                // Nobody is left who could be told of a panic.
                end_body(self.id, body, script, TaskError::Cancelled { script });
            }
        }
    }
}

impl fmt::Debug for Executor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Executor")
            .field("living", &self.names())
            .field("tick", &self.order.tick)
            .finish()
    }
}

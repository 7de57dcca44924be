//! What a world keeps for each system: its last run and its locals.
//!
//! They lie in the world and not in the system object, so that a fork takes them along and going
//! back to a fork takes them back:
//!
//! ```text
//! World -> SystemStates -> slot: name, owner, last run, locals (shared by forks, copy on write)
//! system object -> token; number of its slot in the world it last ran on
//! ```
//!
//! A slot belongs to one system object, whose token it carries. Forks carry the same tokens, so
//! one object that runs on a world and on its fork finds the state of each.
//!
//! Locals that are state enter the state hash, by the name of their system, from the first run
//! on. The last run does not, as the change ticks of blocks and resources do not: they count the
//! runs of all systems, those included that only look, so they differ between worlds that are
//! equal. A fork copies both, so what a fork's systems find changed is what the origin's do.

use std::any::{Any, TypeId};
use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::local::LocalValue;
use crate::component::Ticks;
use crate::hash::{Node, StateHash, StateHasher};
use crate::system::System;
use crate::world::World;

/// Number of a system in one world and its forks, in order of first initialisation.
///
/// ```
/// use orrery_ecs::{IntoSystem, Serial, System, World};
/// fn rest() {}
/// let mut world = World::new();
/// let mut system = rest.into_system();
/// system.run(&mut world, &Serial)?;
/// let (id, name) = world.systems().next().expect("it has run");
/// assert!(system.id() == Some(id) && name.ends_with("rest"));
/// # Ok::<(), orrery_ecs::SystemError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SystemId(u32);

impl SystemId {
    /// Stands for a system that runs once and leaves nothing behind.
    pub(crate) const ONCE: Self = Self(u32::MAX);

    fn index(self) -> usize {
        self.0 as usize
    }
}

/// Tells the system objects of this process apart; never part of state, hash or order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SystemToken(NonZeroU64);

impl SystemToken {
    pub(crate) fn next() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let token = NEXT.fetch_add(1, Ordering::Relaxed);
        Self(NonZeroU64::new(token).expect("2^64 systems are not made"))
    }
}

/// A local with its type erased.
pub(crate) trait ErasedLocal: Any + Send + Sync {
    fn duplicate(&self) -> Option<Arc<dyn ErasedLocal>>;
    fn hash(&self, hasher: &mut StateHasher);
}

impl<T: LocalValue> ErasedLocal for T {
    fn duplicate(&self) -> Option<Arc<dyn ErasedLocal>> {
        LocalValue::duplicate(self).map(|value| Arc::new(value) as _)
    }

    fn hash(&self, hasher: &mut StateHasher) {
        self.hash_value(hasher);
    }
}

/// The type of a local, as the system's parameters ask for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalInfo {
    name: &'static str,
    kind: TypeId,
    state: bool,
    clone: bool,
}

impl LocalInfo {
    pub(crate) fn of<T: LocalValue>() -> Self {
        Self {
            name: std::any::type_name::<T>(),
            kind: TypeId::of::<T>(),
            state: T::STATE,
            clone: T::CLONE,
        }
    }
}

#[derive(Clone)]
struct LocalCell {
    info: LocalInfo,
    /// `None` before the first run, and while the system runs.
    value: Option<Arc<dyn ErasedLocal>>,
}

/// What a system object brings to find its slot.
pub(crate) struct SystemShape<'a> {
    pub(crate) name: &'static str,
    /// Type of the function; closures of one function share a name.
    pub(crate) function: TypeId,
    pub(crate) locals: &'a [LocalInfo],
}

#[derive(Clone)]
struct Slot {
    name: &'static str,
    function: TypeId,
    /// `None` while it waits for a system object to take it over.
    owner: Option<SystemToken>,
    last_run: u64,
    locals: Vec<LocalCell>,
    /// Whether the locals are out, with a run that has not ended.
    running: bool,
}

impl Slot {
    /// Nobody's, and never anybody's by its name.
    fn vacant() -> Self {
        Self {
            name: "",
            function: TypeId::of::<Self>(),
            owner: None,
            last_run: 0,
            locals: Vec::new(),
            running: false,
        }
    }

    fn fits(&self, shape: &SystemShape<'_>) -> bool {
        let kinds = self.locals.iter().map(|cell| cell.info.kind);
        self.owner.is_none()
            && self.name == shape.name
            && self.function == shape.function
            && kinds.eq(shape.locals.iter().map(|local| local.kind))
    }
}

/// Frees what a type of parameter has left in the world for a system.
pub(crate) type Forgetter = fn(&mut World, SystemId);

/// The systems that one world knows.
#[derive(Clone, Default)]
pub(crate) struct SystemStates {
    slots: Vec<Slot>,
    /// Numbers of observers and systems that were removed.
    free: Vec<SystemId>,
    /// How often a slot came to have another owner.
    changes: u64,
    /// What else is to be done when a number is freed, by the type of parameter that asked for it.
    forgetters: Vec<(TypeId, Forgetter)>,
    /// The running system during whose run the world must not be forked.
    pub(super) unforkable: Option<&'static str>,
}

impl SystemStates {
    /// The slot of a system object: its own, else a free one that fits, else a new one. `hint` is
    /// the number that it had in the world it was last used with.
    pub(crate) fn claim(
        &mut self,
        token: SystemToken,
        hint: Option<SystemId>,
        shape: &SystemShape<'_>,
    ) -> SystemId {
        let hint = hint.filter(|hint| hint.index() < self.slots.len());
        let find = |is: &dyn Fn(&Slot) -> bool| {
            let hinted = hint.filter(|hint| is(&self.slots[hint.index()]));
            let position = || self.slots.iter().position(is);
            hinted.or_else(|| position().map(|index| SystemId(index as u32)))
        };
        let own = find(&|slot| slot.owner == Some(token));
        if let Some(id) = own.or_else(|| find(&|slot| slot.fits(shape))) {
            self.changes += u64::from(own.is_none());
            self.slots[id.index()].owner = Some(token);
            return id;
        }
        self.add(token, shape)
    }

    /// A new slot.
    pub(crate) fn add(&mut self, token: SystemToken, shape: &SystemShape<'_>) -> SystemId {
        let cell = |&info: &LocalInfo| LocalCell { info, value: None };
        let slot = Slot {
            name: shape.name,
            function: shape.function,
            owner: Some(token),
            last_run: 0,
            locals: shape.locals.iter().map(cell).collect(),
            running: false,
        };
        if let Some(id) = self.free.pop() {
            self.slots[id.index()] = slot;
            return id;
        }
        let number = u32::try_from(self.slots.len()).ok();
        let id = SystemId(
            number
                .filter(|&n| n < u32::MAX)
                .expect("fewer than 2^32 systems"),
        );
        self.slots.push(slot);
        id
    }

    /// Forgets what a system kept; the number may become another one's.
    pub(crate) fn remove(&mut self, id: SystemId) {
        if let Some(slot) = self.slots.get_mut(id.index()) {
            *slot = Slot::vacant();
            self.changes += 1;
            self.free.push(id);
        }
    }

    /// Asks that a function be called when a number is freed, once for each type of parameter.
    pub(super) fn add_forgetter(&mut self, kind: TypeId, forget: Forgetter) {
        if !self.forgetters.iter().any(|(known, _)| *known == kind) {
            self.forgetters.push((kind, forget));
        }
    }

    pub(crate) fn forgetters(&self) -> Vec<Forgetter> {
        self.forgetters.iter().map(|(_, forget)| *forget).collect()
    }

    /// Another number than before where a system object may have lost its slot since.
    pub(crate) fn changes(&self) -> u64 {
        self.changes
    }

    pub(crate) fn is_owner(&self, id: SystemId, token: SystemToken) -> bool {
        let slot = self.slots.get(id.index());
        slot.is_some_and(|slot| slot.owner == Some(token))
    }

    #[inline]
    fn last_run(&self, id: SystemId) -> u64 {
        self.slots.get(id.index()).map_or(0, |slot| slot.last_run)
    }

    /// Makes a local ours alone, so that its system may write to it.
    pub(crate) fn unshare_local(&mut self, id: SystemId, index: usize) {
        let Some(slot) = self.slots.get_mut(id.index()) else {
            return;
        };
        if let Some(value) = &mut slot.locals[index].value
            && Arc::get_mut(value).is_none()
        {
            let copy = value.duplicate();
            *value = copy.expect("a world whose locals cannot be cloned is not forked");
        }
    }

    /// Takes a local out for a run; `None` before the first one. `put_back_local` ends it.
    pub(crate) fn take_local(
        &mut self,
        id: SystemId,
        index: usize,
    ) -> Option<Arc<dyn ErasedLocal>> {
        let slot = self.slots.get_mut(id.index())?;
        slot.running = true;
        slot.locals[index].value.take()
    }

    pub(crate) fn put_back_local(
        &mut self,
        id: SystemId,
        index: usize,
        value: Option<Arc<dyn ErasedLocal>>,
    ) {
        if let Some(slot) = self.slots.get_mut(id.index()) {
            slot.running = false;
            slot.locals[index].value = value;
        }
    }

    /// Systems whose locals cannot be cloned, each with the type of the local.
    pub(crate) fn refusing_clone(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.slots.iter().flat_map(|slot| {
            let refusing = |cell: &&LocalCell| cell.value.is_some() && !cell.info.clone;
            let cells = slot.locals.iter().filter(refusing);
            cells.map(|cell| (slot.name, cell.info.name))
        })
    }

    /// Names of systems whose run must end before the world can be forked: their locals are out,
    /// or they may write to what a fork would share.
    pub(crate) fn running(&self) -> impl Iterator<Item = &'static str> {
        let running = self.slots.iter().filter(|slot| slot.running);
        running.map(|slot| slot.name).chain(self.unforkable)
    }

    /// One digest for each system that has state, by name; those of one name by number.
    pub(crate) fn hash_state(&self, mut each: impl FnMut(u128)) {
        let has_state = |cell: &LocalCell| cell.info.state && cell.value.is_some();
        let with_state = |slot: &&Slot| slot.locals.iter().any(has_state);
        let mut slots: Vec<&Slot> = self.slots.iter().filter(with_state).collect();
        // Who was initialised first does not matter to what they will do.
        slots.sort_by_key(|slot| slot.name);
        for slot in slots {
            let count = slot.locals.iter().filter(|cell| has_state(cell)).count();
            let mut node = StateHasher::node(Node::System, count);
            slot.name.hash_state(&mut node);
            for (index, cell) in slot.locals.iter().enumerate() {
                if let Some(value) = cell.value.as_ref().filter(|_| cell.info.state) {
                    node.len(index);
                    cell.info.name.hash_state(&mut node);
                    value.hash(&mut node);
                }
            }
            each(node.finish());
        }
    }
}

impl World {
    /// Change tick of a system's last whole run in this world, and 0 before the first. What was
    /// written after it is new to the system.
    ///
    /// A run that failed or panicked does not count.
    pub fn last_run(&self, id: SystemId) -> u64 {
        self.systems.last_run(id)
    }

    /// The systems that this world knows, by number, with their names.
    pub fn systems(&self) -> impl ExactSizeIterator<Item = (SystemId, &'static str)> {
        let number = |(index, slot): (usize, &Slot)| (SystemId(index as u32), slot.name);
        self.systems.slots.iter().enumerate().map(number)
    }

    /// Says that the system objects which this world knows are gone: the next ones of the same
    /// functions take over their last runs and locals, in order of initialisation.
    ///
    /// For a world that came from elsewhere and goes on with other system objects, for example a
    /// fork of another app's world. Without it these start anew, beside what the old ones left.
    ///
    /// ```
    /// use orrery_ecs::{IntoSystem, Local, Serial, System, World};
    /// fn count(mut runs: Local<u32>) {
    ///     *runs += 1;
    /// }
    /// let mut world = World::new();
    /// count.into_system().run(&mut world, &Serial)?;
    /// let mut other = world.fork()?;
    /// other.release_systems();
    /// // Another system object of the same function goes on where the first one was.
    /// count.into_system().run(&mut other, &Serial)?;
    /// assert_eq!(other.systems().len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn release_systems(&mut self) {
        self.systems.changes += 1;
        for slot in &mut self.systems.slots {
            slot.owner = None;
        }
    }

    /// Frees what this world keeps for a system that will not run here again: its last run, its
    /// locals and its readers, of removed components or whatever else. Its number may become
    /// another one's. Gives whether there was something.
    ///
    /// ```
    /// use orrery_ecs::{IntoSystem, Local, Serial, System, World};
    /// let mut world = World::new();
    /// let mut system = (|mut runs: Local<u32>| *runs += 1).into_system();
    /// let before = world.state_hash();
    /// system.run(&mut world, &Serial)?;
    /// assert_ne!(world.state_hash(), before);
    /// assert!(world.forget_system(&system));
    /// assert_eq!(world.state_hash(), before);
    /// # Ok::<(), orrery_ecs::SystemError>(())
    /// ```
    pub fn forget_system(&mut self, system: &dyn System) -> bool {
        let id = system.id().filter(|&id| system.is_owner_in(self, id));
        if let Some(id) = id {
            self.forget_slot(id);
        }
        id.is_some()
    }

    /// Last run of a system, and the change tick that its next run will have.
    #[inline]
    pub(crate) fn next_run(&self, id: SystemId) -> Ticks {
        Ticks {
            last_run: self.last_run(id),
            this_run: self.change_tick() + 1,
        }
    }

    /// Notes a whole run. What is written from here on, by commands or from outside, is newer
    /// than what the system has seen.
    #[inline]
    pub(crate) fn finish_run(&mut self, id: SystemId, ticks: Ticks) {
        self.note_run(id, ticks);
        self.advance_change_tick();
    }

    /// Notes a whole run alone.
    #[inline]
    pub(crate) fn note_run(&mut self, id: SystemId, ticks: Ticks) {
        if let Some(slot) = self.systems.slots.get_mut(id.index()) {
            slot.last_run = ticks.this_run;
        }
    }
}

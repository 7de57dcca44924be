//! Commands in one growing buffer, without an allocation for each.
//!
//! A record is a header (what to do, with which entity) and the payload behind it: a bundle, or a
//! closure. Payloads are moved in by bytes and lie aligned, so that components are moved from
//! where they lie.

use std::mem::MaybeUninit;

use super::merge::Merge;
use super::record::{self, ALIGN, Action};
use crate::entity::Entity;
use crate::panics::FirstPanic;
use crate::world::World;

/// Sixteen bytes, so that every record is aligned.
#[derive(Clone, Copy)]
#[repr(align(16))]
struct Unit(#[expect(dead_code, reason = "only its address is used")] [MaybeUninit<u8>; ALIGN]);

const BLANK: Unit = Unit([MaybeUninit::uninit(); ALIGN]);

struct Header {
    action: Action,
    entity: Entity,
    /// Units of the whole record.
    units: u32,
}

const HEADER_UNITS: usize = size_of::<Header>().div_ceil(ALIGN);
const _: () = assert!(align_of::<Header>() <= ALIGN);

/// A record as it is seen while the queue is applied.
#[derive(Clone, Copy)]
pub(super) struct Record {
    pub(super) action: Action,
    pub(super) entity: Entity,
    pub(super) payload: *mut u8,
    /// Where it starts, for `mark_done`.
    at: usize,
}

/// Commands waiting to be applied, in order.
///
/// Dropping a queue drops what was not applied. Handles that it reserved live on without
/// components, and no query visits them: [`World::despawn`] or [`World::clear`] ends them.
///
/// ```
/// use orrery_ecs::{CommandQueue, Commands, World};
/// let mut world = World::new();
/// let entity = world.spawn(()).id();
/// let mut queue = CommandQueue::default();
/// let mut commands = Commands::new(&mut queue, &world);
/// commands.despawn(entity);
/// commands.despawn(entity);
/// queue.apply(&mut world);
/// assert!(world.is_empty() && queue.is_empty());
/// assert_eq!(queue.missed(), 1);
/// ```
#[derive(Default)]
pub struct CommandQueue {
    units: Vec<Unit>,
    /// Start of the first record that was not consumed.
    next: usize,
    missed: u64,
    merge: Merge,
}

// SAFETY: every payload is Send, by the bounds of what pushes.
unsafe impl Send for CommandQueue {}
// SAFETY: a shared queue gives access to no payload.
unsafe impl Sync for CommandQueue {}

impl CommandQueue {
    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.next == self.units.len()
    }

    /// Commands so far whose entity was dead when they were applied.
    pub fn missed(&self) -> u64 {
        self.missed
    }

    /// # Safety
    /// `action` takes a `T` as payload.
    pub(super) unsafe fn push<T: Send>(&mut self, action: Action, entity: Entity, payload: T) {
        let units = HEADER_UNITS + record::size_in_queue::<T>().div_ceil(ALIGN);
        let at = self.units.len();
        self.units.resize(at + units, BLANK);
        let header = Header {
            action,
            entity,
            units: u32::try_from(units).expect("a command is smaller than 64 GiB"),
        };
        let start: *mut Unit = &raw mut self.units[at];
        // SAFETY: the record was just made, and begins with room for a header.
        unsafe { start.cast::<Header>().write(header) };
        let payload_start = self.payload(at);
        // SAFETY: the rest of the record has room for the payload, and units are aligned.
        unsafe { record::write(payload, payload_start) };
    }

    fn payload(&mut self, at: usize) -> *mut u8 {
        self.units[at + HEADER_UNITS..].as_mut_ptr().cast()
    }

    /// Does everything that was asked for and keeps the memory for the next time. Observers of each
    /// command run before the next command is done.
    ///
    /// In a chain of observers that came to its limit commands are dropped and counted; see
    /// [`World::take_observer_error`].
    ///
    /// What is asked of one entity between two closures (`queue`, `insert_resource`), or commands
    /// that somebody watches, is put together and done in one move, entities in the order in which
    /// they were first spoken of. The result is the one that the commands have one by one, in their
    /// order.
    ///
    /// If a command panics, those that were not done stay in the queue.
    ///
    /// # Panics
    /// When a command does: a closure, an observer, a drop, or a bundle that has a component twice.
    pub fn apply(&mut self, world: &mut World) {
        world.flush_reserved();
        let mut merge = std::mem::take(&mut self.merge);
        while !self.is_empty() {
            if world.observers.chain.is_cut() {
                world.observers.chain.drop_command();
                self.drop_next();
                continue;
            }
            let end = merge.collect(self, world);
            if end > self.next {
                merge.apply(self, world);
                self.next = end;
                continue;
            }
            let record = self.record(self.next);
            self.pass_over(record.at);
            // SAFETY: the record is passed.
            let lives = unsafe { super::merge::apply_one(&record, world) };
            self.count_missed(!lives);
            world.flush_reserved();
        }
        self.merge = merge;
        self.units.clear();
        self.next = 0;
    }

    pub(super) fn count_missed(&mut self, missed: bool) {
        self.missed += u64::from(missed);
    }

    /// Start of the first record that was not passed, and the end of all.
    pub(super) fn waiting(&self) -> std::ops::Range<usize> {
        self.next..self.units.len()
    }

    /// The record at a start.
    pub(super) fn record(&mut self, at: usize) -> Record {
        let header = self.header(at);
        let (action, entity) = (header.action, header.entity);
        Record {
            action,
            entity,
            payload: self.payload(at),
            at,
        }
    }

    fn header(&mut self, at: usize) -> &mut Header {
        let start: *mut Unit = &raw mut self.units[at];
        // SAFETY: `at` is the start of a record, which begins with a header.
        unsafe { &mut *start.cast::<Header>() }
    }

    /// Start of the record after one.
    pub(super) fn after(&mut self, at: usize) -> usize {
        at + self.header(at).units as usize
    }

    /// Says that a record's payload belongs to somebody else now.
    pub(super) fn mark_done(&mut self, record: &Record) {
        self.header(record.at).action = Action::Nothing;
    }

    fn pass_over(&mut self, at: usize) {
        self.next = self.after(at);
    }

    /// Drops the first record that was not passed.
    fn drop_next(&mut self) {
        let Record {
            action,
            payload,
            at,
            ..
        } = self.record(self.next);
        self.pass_over(at);
        match action {
            Action::Spawn(bundle) | Action::Insert(bundle) => {
                // SAFETY: the payload is the bundle's, and the record is passed.
                unsafe { (bundle.drop)(payload) };
            }
            Action::Call { drop, .. } => {
                // SAFETY: the payload is the closure's, and the record is passed.
                unsafe { drop(payload) };
            }
            Action::Remove(_) | Action::Despawn | Action::Nothing => {}
        }
    }
}

impl Drop for CommandQueue {
    fn drop(&mut self) {
        let mut panicked = FirstPanic::default();
        while !self.is_empty() {
            panicked.catch(|| self.drop_next());
        }
        panicked.resume_from_drop();
    }
}

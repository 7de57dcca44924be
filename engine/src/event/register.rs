//! The readers of a queue: who they are and how far they have come.

use orrery_ecs::{ParamOwner, StateHash, StateHasher, SystemId};

/// A reader as a queue knows it; see [`Events::readers`](super::Events::readers).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReaderInfo {
    /// Its system in the world.
    pub system: SystemId,
    /// Name of the system's function.
    pub name: &'static str,
    /// Events that wait for it.
    pub unread: u64,
    /// Events that it has never seen and will not.
    pub missed: u64,
    /// Whether it is an [`EventViewer`](super::EventViewer), which the queue never waits for.
    pub views: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Reader {
    system: SystemId,
    name: &'static str,
    /// Which reader of the system.
    number: u32,
    pub(super) views: bool,
    /// Number of the next event that it has not read.
    next: u64,
    /// Events that made room before it came to read them, as far as that is settled.
    missed: u64,
}

impl Reader {
    /// A reader at a place, unless its system leaves nothing behind.
    pub(super) fn new(owner: ParamOwner, views: bool, next: u64) -> Option<Self> {
        owner.system.map(|system| Self {
            system,
            name: owner.name,
            number: owner.number,
            views,
            next,
            missed: 0,
        })
    }

    pub(super) fn is(&self, owner: ParamOwner) -> bool {
        self.takes_place_of(owner) && self.name == owner.name
    }

    /// Whether it has the number of another reader, whose system was there before its own.
    pub(super) fn takes_place_of(&self, owner: ParamOwner) -> bool {
        Some(self.system) == owner.system && self.number == owner.number
    }

    pub(super) fn is_of(&self, system: SystemId) -> bool {
        self.system == system
    }

    pub(super) fn name(&self) -> &'static str {
        self.name
    }

    /// Number of the next event that it has not read, in a queue that begins with `first`.
    #[inline]
    pub(super) fn place(&self, first: u64) -> u64 {
        self.next.max(first)
    }

    pub(super) fn missed(&self, first: u64) -> u64 {
        self.missed + first.saturating_sub(self.next)
    }

    /// Notes that it has read the events from one number up to another.
    pub(super) fn advance(&mut self, from: u64, to: u64) {
        self.missed += from.saturating_sub(self.next);
        self.next = to;
    }

    pub(super) fn info(&self, first: u64, next: u64) -> ReaderInfo {
        ReaderInfo {
            system: self.system,
            name: self.name,
            unread: next - self.place(first),
            missed: self.missed(first),
            views: self.views,
        }
    }

    /// Who it is, where it is and what it has missed.
    pub(super) fn hash(&self, first: u64, hasher: &mut StateHasher) {
        self.name.hash_state(hasher);
        hasher.u32(self.number);
        hasher.u64(self.place(first));
        hasher.u64(self.missed(first));
    }
}

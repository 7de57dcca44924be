//! Numbers of events.

use std::iter::FusedIterator;
use std::ops::Range;

use orrery_ecs::StateHash;

/// Number of an event among all that its queue has taken, from 0. It is never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, StateHash)]
pub struct EventId(u64);

impl EventId {
    /// The id with a number.
    pub fn from_number(number: u64) -> Self {
        Self(number)
    }

    /// The number.
    pub fn number(self) -> u64 {
        self.0
    }
}

/// The ids of a batch: one after the other, without those that were refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventIds(pub(super) Range<u64>);

impl Iterator for EventIds {
    type Item = EventId;

    fn next(&mut self) -> Option<EventId> {
        self.0.next().map(EventId)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = (self.0.end - self.0.start) as usize;
        (len, Some(len))
    }
}

impl ExactSizeIterator for EventIds {}
impl FusedIterator for EventIds {}

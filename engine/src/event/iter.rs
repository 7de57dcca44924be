//! Iterators over what a reader has not read.

use std::collections::vec_deque;
use std::iter::FusedIterator;

use super::EventId;

/// Events in the order of sending; each counts as read when it comes out.
#[derive(Debug)]
pub struct EventIter<'a, E>(pub(super) EventWithIdIter<'a, E>);

/// Events in the order of sending, with their ids; each counts as read when it comes out.
#[derive(Debug)]
pub struct EventWithIdIter<'a, E> {
    pub(super) unread: vec_deque::Iter<'a, E>,
    /// Number of the next one.
    pub(super) next: &'a mut u64,
}

impl<'a, E> Iterator for EventWithIdIter<'a, E> {
    type Item = (EventId, &'a E);

    #[inline]
    fn next(&mut self) -> Option<(EventId, &'a E)> {
        let event = self.unread.next()?;
        let id = EventId::from_number(*self.next);
        *self.next += 1;
        Some((id, event))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.unread.size_hint()
    }

    fn nth(&mut self, n: usize) -> Option<(EventId, &'a E)> {
        *self.next += n.min(self.unread.len()) as u64;
        let event = self.unread.nth(n)?;
        let id = EventId::from_number(*self.next);
        *self.next += 1;
        Some((id, event))
    }
}

impl<'a, E> Iterator for EventIter<'a, E> {
    type Item = &'a E;

    #[inline]
    fn next(&mut self) -> Option<&'a E> {
        self.0.next().map(|(_, event)| event)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }

    fn nth(&mut self, n: usize) -> Option<&'a E> {
        self.0.nth(n).map(|(_, event)| event)
    }
}

impl<E> ExactSizeIterator for EventWithIdIter<'_, E> {}
impl<E> ExactSizeIterator for EventIter<'_, E> {}
impl<E> FusedIterator for EventWithIdIter<'_, E> {}
impl<E> FusedIterator for EventIter<'_, E> {}

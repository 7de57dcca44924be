//! What the entities of a list give, with a look ahead.
//!
//! At random in a large world nearly every entity costs two misses of the cache, one after the
//! other: its entry in the entity table, then its value. A plain loop overlaps as many entities as
//! fit into the processor's window; here a batch of them is looked up before the first value is
//! used, and each value is asked for as soon as its place is known.

use super::lookup::Found;
use super::{Query, QueryData, QueryFilter, ReadOnlyQueryData};
use crate::entity::Entity;

/// Entities that are looked up before the first of them is used.
const BATCH: usize = 32;

/// A world with fewer entities fits into the second-level cache or nearly so, where looking ahead
/// costs more than it saves; measured at 10,000 and 1,000,000 entities of 12 bytes.
const LOOKS_AHEAD_FROM: usize = 65_536;

/// The rows of a list of entities; those that are dead or do not match are passed over.
///
/// An [`Iterator`] where the query only reads. Where it writes, the list may name an entity twice,
/// so its items come one at a time, by [`fetch_next`](Self::fetch_next).
pub struct QueryManyIter<'w, 's, 'e, D: QueryData, F: QueryFilter = ()> {
    query: Query<'w, 's, D, F>,
    /// Not yet looked up.
    entities: std::slice::Iter<'e, Entity>,
    /// Looked up and asked for: a ring, of which `next..end` are not given yet.
    ring: [Found; 2 * BATCH],
    next: usize,
    end: usize,
    looks_ahead: bool,
}

impl<'w, 's, 'e, D: QueryData, F: QueryFilter> QueryManyIter<'w, 's, 'e, D, F> {
    #[inline]
    fn new(query: Query<'w, 's, D, F>, entities: &'e [Entity]) -> Self {
        Self {
            looks_ahead: query.look.world.len() >= LOOKS_AHEAD_FROM,
            query,
            entities: entities.iter(),
            ring: [Found::default(); 2 * BATCH],
            next: 0,
            end: 0,
        }
    }

    /// Where the next entity is that lives and whose archetype matches.
    #[inline]
    fn next_looked_up(&mut self) -> Option<Found> {
        // One batch is being fetched while the one before it is used.
        if self.end - self.next <= BATCH && !self.entities.as_slice().is_empty() {
            self.look_up_batch();
        }
        if self.next == self.end {
            return None;
        }
        let found = self.ring[self.next % self.ring.len()];
        self.next += 1;
        Some(found)
    }

    /// Fills the ring, as far as there are entities.
    #[inline(never)]
    fn look_up_batch(&mut self) {
        let entities = &self.query.look.world.entities;
        while self.end - self.next <= BATCH && !self.entities.as_slice().is_empty() {
            let left = self.entities.as_slice();
            let (batch, rest) = left.split_at(BATCH.min(left.len()));
            for &entity in &rest[..BATCH.min(rest.len())] {
                entities.prefetch(entity);
            }
            for &entity in batch {
                if let Some(found) = self.query.find(entity) {
                    // SAFETY: just found.
                    unsafe { self.query.prefetch(found) };
                    self.ring[self.end % self.ring.len()] = found;
                    self.end += 1;
                }
            }
            self.entities = rest.iter();
        }
    }

    /// What the next row gives.
    ///
    /// # Safety
    /// No other item of that row lives for `'q`, unless the query only reads.
    #[inline]
    unsafe fn next_item<'q>(&mut self) -> Option<D::Item<'q>>
    where
        'w: 'q,
    {
        loop {
            let found = match self.looks_ahead {
                true => self.next_looked_up()?,
                false => match self.query.find(*self.entities.next()?) {
                    Some(found) => found,
                    None => continue,
                },
            };
            // SAFETY: the rights of the query that this iterator was made of.
            let query: Query<'q, 's, D, F> =
                unsafe { Query::new(self.query.look, self.query.matches) };
            // SAFETY: found by the same query; passed on from the caller.
            let item = unsafe { query.open(found) };
            if item.is_some() {
                return item;
            }
        }
    }

    /// What the next entity gives.
    #[inline]
    pub fn fetch_next(&mut self) -> Option<D::Item<'_>> {
        // SAFETY: the item borrows `self`, so the one before is gone.
        unsafe { self.next_item() }
    }
}

impl<'w, D: ReadOnlyQueryData, F: QueryFilter> Iterator for QueryManyIter<'w, '_, '_, D, F> {
    type Item = D::Item<'w>;

    #[inline]
    fn next(&mut self) -> Option<D::Item<'w>> {
        // SAFETY: it only reads.
        unsafe { self.next_item() }
    }

    /// A small world's loop is that of single calls.
    #[inline]
    fn fold<B, G: FnMut(B, D::Item<'w>) -> B>(mut self, start: B, mut each: G) -> B {
        let mut folded = start;
        if self.looks_ahead {
            for item in &mut self {
                folded = each(folded, item);
            }
            return folded;
        }
        for &entity in self.entities {
            let found = self.query.find(entity);
            // SAFETY: just found, and it only reads.
            if let Some(item) = found.and_then(|found| unsafe { self.query.open(found) }) {
                folded = each(folded, item);
            }
        }
        folded
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.end - self.next + self.entities.len()))
    }
}

impl<'w, 's, D: QueryData, F: QueryFilter> Query<'w, 's, D, F> {
    /// What the entities of a list give, read only and in order of the list; those that are dead
    /// or do not match are passed over.
    ///
    /// # Cost
    /// In a large world less than as many calls of [`get`](Self::get): entities are looked up ahead
    /// of their use.
    ///
    /// ```
    /// use orrery_ecs::{Component, Entity, World};
    /// #[derive(Clone, Copy, Component)]
    /// struct Number(u32);
    /// let mut world = World::new();
    /// let all: Vec<Entity> = world.spawn_batch((0..10).map(Number)).collect();
    /// let mut query = world.query::<&Number>();
    /// let (view, list) = (query.view(&world), [all[3], all[7], all[3]]);
    /// assert!(view.iter_many(&list).map(|number| number.0).eq([3, 7, 3]));
    /// ```
    pub fn iter_many<'e>(
        &self,
        entities: &'e [Entity],
    ) -> QueryManyIter<'_, 's, 'e, D::ReadOnly, F> {
        QueryManyIter::new(self.as_read_only(), entities)
    }

    /// What the entities of a list give, by [`fetch_next`](QueryManyIter::fetch_next), as
    /// [`iter_many`](Self::iter_many). An entity that the list names twice comes twice.
    ///
    /// ```
    /// use orrery_ecs::{Component, World};
    /// #[derive(Clone, Copy, Component)]
    /// struct Number(u32);
    /// let mut world = World::new();
    /// let entity = world.spawn(Number(1)).id();
    /// let mut query = world.query::<&mut Number>();
    /// let (mut view, list) = (query.view_mut(&mut world), [entity, entity]);
    /// let mut many = view.iter_many_mut(&list);
    /// while let Some(number) = many.fetch_next() {
    ///     number.0 *= 3;
    /// }
    /// assert_eq!(view.get(entity).map(|number| number.0), Ok(9));
    /// ```
    pub fn iter_many_mut<'e>(&mut self, entities: &'e [Entity]) -> QueryManyIter<'_, 's, 'e, D, F> {
        QueryManyIter::new(self.reborrow(), entities)
    }
}

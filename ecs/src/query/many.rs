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
    entities: std::slice::Iter<'e, Entity>,
    /// Looked up but not given yet, the next one last.
    batch: Vec<Found<'w, 's, D, F>>,
    looks_ahead: bool,
}

impl<'w, 's, 'e, D: QueryData, F: QueryFilter> QueryManyIter<'w, 's, 'e, D, F> {
    fn new(query: Query<'w, 's, D, F>, entities: &'e [Entity]) -> Self {
        Self {
            looks_ahead: query.look.world.len() >= LOOKS_AHEAD_FROM,
            query,
            entities: entities.iter(),
            batch: Vec::new(),
        }
    }

    /// Where the next entity is that lives and whose archetype matches.
    #[inline]
    fn next_found(&mut self) -> Option<Found<'w, 's, D, F>> {
        if self.looks_ahead {
            if self.batch.is_empty() {
                self.look_up_batch();
            }
            return self.batch.pop();
        }
        self.entities
            .by_ref()
            .find_map(|&entity| self.query.find(entity))
    }

    fn look_up_batch(&mut self) {
        while self.batch.is_empty() && !self.entities.as_slice().is_empty() {
            let left = self.entities.as_slice();
            let (batch, rest) = left.split_at(BATCH.min(left.len()));
            let found = |&entity| self.query.find(entity);
            self.batch.extend(batch.iter().rev().filter_map(found));
            self.entities = rest.iter();
        }
        self.batch.iter().rev().for_each(Found::prefetch);
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
            let found = self.next_found()?;
            // SAFETY: the rights of the query that this iterator was made of.
            let query: Query<'q, 's, D, F> =
                unsafe { Query::new(self.query.look, self.query.matches) };
            // SAFETY: passed on from the caller.
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

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.batch.len() + self.entities.len()))
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

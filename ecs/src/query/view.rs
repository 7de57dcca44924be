//! A query together with its world: what of it concerns all its entities.

use std::marker::PhantomData;

use super::state::{MatchedBy, MatchesOf};
use super::{ArchetypeFilter, ArchetypeQueryData, Look, QueryData, QueryFilter, QueryIter};
use crate::error::QueryError;

/// A query together with its world, as systems get it.
///
/// Visits archetypes in order of creation and rows in order. Writing marks the blocks that are
/// visited as changed, whether or not a value is stored; a tracked component's row is marked by
/// the first write through its [`Mut`](crate::Mut).
///
/// ```
/// use orrery_ecs::{Component, World};
/// #[derive(Clone, Copy, Component)]
/// struct Position(f32);
/// #[derive(Clone, Copy, Component)]
/// struct Velocity(f32);
/// let mut world = World::new();
/// let entity = world.spawn((Position(1.0), Velocity(0.5))).id();
/// let mut state = world.query::<(&mut Position, &Velocity)>();
/// let mut query = state.view_mut(&mut world);
/// query.for_each(|(position, velocity)| position.0 += velocity.0);
/// assert_eq!(query.get(entity)?.0.0, 1.5);
/// # Ok::<(), orrery_ecs::QueryError>(())
/// ```
///
/// While rows are visited the world cannot change its structure; [`Commands`](crate::Commands)
/// ask for that to be done afterwards:
///
/// ```compile_fail,E0502
/// use orrery_ecs::{Component, Entity, World};
/// #[derive(Clone, Copy, Component)]
/// struct Position(f32);
/// let mut world = World::new();
/// let mut query = world.query::<(Entity, &Position)>();
/// for (entity, _) in query.iter(&world) {
///     world.despawn(entity).unwrap();
/// }
/// ```
pub struct Query<'w, 's, D: QueryData, F: QueryFilter = ()> {
    pub(super) look: Look<'w>,
    pub(super) matches: &'s MatchesOf<D, F>,
    marker: PhantomData<(D, F)>,
}

impl<'w, 's, D: QueryData, F: QueryFilter> Query<'w, 's, D, F> {
    /// # Safety
    /// - the matches are of this world, and up to date;
    /// - the written columns are prepared, unless the query only reads;
    /// - nobody else touches what this query writes, or writes what it reads, for `'w`.
    #[inline]
    pub(super) unsafe fn new(look: Look<'w>, matches: &'s MatchesOf<D, F>) -> Self {
        Self {
            look,
            matches,
            marker: PhantomData,
        }
    }

    pub(crate) fn look(&self) -> Look<'w> {
        self.look
    }

    /// The archetypes that match, in order of creation.
    pub(crate) fn matched(&self) -> &'s [MatchedBy<D, F>] {
        &self.matches.list
    }

    /// The same query without its right to write.
    #[inline]
    pub fn as_read_only(&self) -> Query<'_, 's, D::ReadOnly, F> {
        // SAFETY: it only reads, and the borrow of `self` keeps its writes out.
        unsafe { Query::new(self.look, self.matches) }
    }

    /// A shorter borrow of the same query.
    #[inline]
    pub fn reborrow(&mut self) -> Query<'_, 's, D, F> {
        // SAFETY: the rights of `self`, which cannot be used meanwhile.
        unsafe { Query::new(self.look, self.matches) }
    }

    /// All matching entities, read only.
    ///
    /// A `for` loop asks at every row whether its block has ended. Where that shows,
    /// [`for_each`](Self::for_each) and [`for_each_chunk`](Self::for_each_chunk) have a plain loop
    /// for each block.
    #[inline]
    pub fn iter(&self) -> QueryIter<'_, 's, D::ReadOnly, F> {
        self.as_read_only().into_iter()
    }

    /// All matching entities.
    #[inline]
    pub fn iter_mut(&mut self) -> QueryIter<'_, 's, D, F> {
        self.reborrow().into_iter()
    }

    /// Calls a function for each matching entity; its loop over a block is plain enough for the
    /// compiler to vectorize.
    ///
    /// ```
    /// use orrery_ecs::{Component, World};
    /// #[derive(Clone, Copy, Component)]
    /// struct Number(u32);
    /// let mut world = World::new();
    /// world.spawn_batch((0..10).map(Number));
    /// let mut query = world.query::<&mut Number>();
    /// query.view_mut(&mut world).for_each(|number| number.0 *= 2);
    /// assert_eq!(query.iter(&world).map(|number| number.0).sum::<u32>(), 90);
    /// ```
    #[inline]
    pub fn for_each(&mut self, each: impl FnMut(D::Item<'_>)) {
        self.iter_mut().for_each(each);
    }

    /// Entities that match, without looking at rows.
    ///
    /// For filters that decide row by row there is [`count`](Self::count).
    pub fn len(&self) -> usize
    where
        D: ArchetypeQueryData,
        F: ArchetypeFilter,
    {
        self.iter().rows_left()
    }

    /// Entities that match.
    ///
    /// # Cost
    /// As [`len`](Self::len) where that is known; else one look at each row of the blocks that may
    /// match.
    ///
    /// ```
    /// use orrery_ecs::{Changed, Component, World};
    /// #[derive(Clone, Copy, Component)]
    /// #[component(track)]
    /// struct Number(u32);
    /// let mut world = World::new();
    /// world.spawn_batch((0..10).map(Number));
    /// assert_eq!(world.query::<&Number>().view(&world).len(), 10);
    /// assert_eq!(world.query_filtered::<(), Changed<Number>>().view(&world).count(), 10);
    /// ```
    pub fn count(&self) -> usize {
        self.iter().count()
    }

    /// Whether no entity matches.
    pub fn is_empty(&self) -> bool {
        !self.iter().advance()
    }

    /// What the one matching entity gives, read only.
    ///
    /// # Errors
    /// When none or several match.
    ///
    /// ```
    /// use orrery_ecs::{Component, QueryError, World};
    /// #[derive(Clone, Copy, Component)]
    /// struct Sun(f32);
    /// let mut world = World::new();
    /// let mut suns = world.query::<&Sun>();
    /// assert!(matches!(suns.view(&world).single(), Err(QueryError::NoneMatch { .. })));
    /// world.spawn(Sun(1.0));
    /// assert!(suns.view(&world).single().is_ok());
    /// world.spawn(Sun(2.0));
    /// assert!(matches!(suns.view(&world).single(), Err(QueryError::ManyMatch { .. })));
    /// ```
    pub fn single(&self) -> Result<<D::ReadOnly as QueryData>::Item<'_>, QueryError> {
        only(self.iter())
    }

    /// What the one matching entity gives.
    ///
    /// # Errors
    /// When none or several match.
    pub fn single_mut(&mut self) -> Result<D::Item<'_>, QueryError> {
        only(self.iter_mut())
    }

    /// What the one matching entity gives, for as long as the world is borrowed.
    ///
    /// # Errors
    /// When none or several match.
    pub fn single_inner(self) -> Result<D::Item<'w>, QueryError> {
        only(self.into_iter())
    }
}

fn only<'w, D: QueryData, F: QueryFilter>(
    mut iter: QueryIter<'w, '_, D, F>,
) -> Result<D::Item<'w>, QueryError> {
    let query = std::any::type_name::<D>();
    let first = iter.next().ok_or(QueryError::NoneMatch { query })?;
    if iter.advance() {
        Err(QueryError::ManyMatch { query })
    } else {
        Ok(first)
    }
}

impl<'w, 's, D: QueryData, F: QueryFilter> IntoIterator for Query<'w, 's, D, F> {
    type Item = D::Item<'w>;
    type IntoIter = QueryIter<'w, 's, D, F>;

    #[inline]
    fn into_iter(self) -> QueryIter<'w, 's, D, F> {
        QueryIter::new(self)
    }
}

impl<'q, 's, D: QueryData, F: QueryFilter> IntoIterator for &'q Query<'_, 's, D, F> {
    type Item = <D::ReadOnly as QueryData>::Item<'q>;
    type IntoIter = QueryIter<'q, 's, D::ReadOnly, F>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'q, 's, D: QueryData, F: QueryFilter> IntoIterator for &'q mut Query<'_, 's, D, F> {
    type Item = D::Item<'q>;
    type IntoIter = QueryIter<'q, 's, D, F>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

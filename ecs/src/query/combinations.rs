//! Every set of `K` rows, once.

use super::{Query, QueryData, QueryFilter, QueryIter, ReadOnlyQueryData};

/// Every combination of `K` different rows, each once, in order of their rows: with rows a, b, c
/// the pairs ab, ac, bc.
///
/// An [`Iterator`] where the query only reads. Where it writes a row comes back in many
/// combinations, so they come one at a time, by [`fetch_next`](Self::fetch_next).
pub struct QueryCombinations<'w, 's, D: QueryData, F: QueryFilter, const K: usize> {
    /// Each at the row that it gives; all rows differ, in increasing order.
    cursors: [QueryIter<'w, 's, D, F>; K],
    begun: bool,
}

impl<'w, 's, D: QueryData, F: QueryFilter, const K: usize> QueryCombinations<'w, 's, D, F, K> {
    fn new(query: Query<'w, 's, D, F>) -> Self {
        const { assert!(K > 0, "combinations of no rows: ask for at least one") };
        let first = QueryIter::new(query);
        Self {
            // SAFETY: `fetch_next` and `next` see to it that no row is given twice at a time.
            cursors: std::array::from_fn(|_| unsafe { first.duplicate() }),
            begun: false,
        }
    }

    /// Goes to the next combination; false at the end.
    fn advance(&mut self) -> bool {
        if !std::mem::replace(&mut self.begun, true) {
            return self.cursors[0].advance() && self.place_after(0);
        }
        // The last cursor that can go on does, and those behind it start right after it. Where
        // they do not fit they would not fit further on either.
        (0..K)
            .rev()
            .any(|at| self.cursors[at].advance() && self.place_after(at))
    }

    /// Places the cursors behind one right after it; false if there are too few rows.
    fn place_after(&mut self, at: usize) -> bool {
        (at + 1..K).all(|next| {
            // SAFETY: as in `new`.
            self.cursors[next] = unsafe { self.cursors[next - 1].duplicate() };
            self.cursors[next].advance()
        })
    }

    /// # Safety
    /// The last call of `advance` was true, and no items of an earlier combination live that the
    /// query writes.
    unsafe fn items<'q>(&self) -> [D::Item<'q>; K]
    where
        'w: 'q,
    {
        let cursors = self.cursors.each_ref();
        // SAFETY: the cursors' rows differ, so each is given once.
        cursors.map(|cursor| unsafe { cursor.current() })
    }

    /// The next combination.
    ///
    /// ```
    /// use orrery_ecs::{Component, World};
    /// #[derive(Clone, Copy, Component)]
    /// struct Mass(u32);
    /// let mut world = World::new();
    /// world.spawn_batch([Mass(1), Mass(2), Mass(3)]);
    /// let mut masses = world.query::<&mut Mass>();
    /// let mut view = masses.view_mut(&mut world);
    /// let mut pairs = view.iter_combinations_mut();
    /// while let Some([a, b]) = pairs.fetch_next() {
    ///     std::mem::swap(&mut a.0, &mut b.0);
    /// }
    /// assert!(view.iter().map(|mass| mass.0).eq([3, 2, 1]));
    /// ```
    pub fn fetch_next(&mut self) -> Option<[D::Item<'_>; K]> {
        if !self.advance() {
            return None;
        }
        // SAFETY: the items borrow `self`, so those of the last combination are gone.
        Some(unsafe { self.items() })
    }

    /// Combinations of the rows that matched at the start, or more: all that may still come.
    fn most_left(&self) -> Option<usize> {
        let rows = self.cursors[0].rows_left() + usize::from(self.begun);
        (0..K).try_fold(1_usize, |count, at| {
            let factor = rows.saturating_sub(at);
            Some(count.checked_mul(factor)? / (at + 1))
        })
    }
}

impl<'w, D, F, const K: usize> Iterator for QueryCombinations<'w, '_, D, F, K>
where
    D: ReadOnlyQueryData,
    F: QueryFilter,
{
    type Item = [D::Item<'w>; K];

    fn next(&mut self) -> Option<[D::Item<'w>; K]> {
        if !self.advance() {
            return None;
        }
        // SAFETY: it only reads.
        Some(unsafe { self.items() })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, self.most_left())
    }
}

impl<'w, 's, D: QueryData, F: QueryFilter> Query<'w, 's, D, F> {
    /// Every combination of `K` different matching entities, read only: each once, in order.
    ///
    /// ```
    /// use orrery_ecs::{Component, World};
    /// #[derive(Clone, Copy, Component)]
    /// struct Number(u32);
    /// let mut world = World::new();
    /// world.spawn_batch([1, 2, 3].map(Number));
    /// let mut numbers = world.query::<&Number>();
    /// let numbers = numbers.view(&world);
    /// let products = numbers.iter_combinations().map(|[a, b]| a.0 * b.0);
    /// assert!(products.eq([2, 3, 6]));
    /// ```
    pub fn iter_combinations<const K: usize>(
        &self,
    ) -> QueryCombinations<'_, 's, D::ReadOnly, F, K> {
        QueryCombinations::new(self.as_read_only())
    }

    /// Every combination of `K` different matching entities, by
    /// [`fetch_next`](QueryCombinations::fetch_next): each once, in order.
    ///
    /// ```
    /// use orrery_ecs::{Component, World};
    /// #[derive(Clone, Copy, Component)]
    /// struct Number(u32);
    /// let mut world = World::new();
    /// world.spawn_batch([1, 2, 3].map(Number));
    /// let mut numbers = world.query::<&mut Number>();
    /// let mut view = numbers.view_mut(&mut world);
    /// let mut pairs = view.iter_combinations_mut();
    /// while let Some([a, b]) = pairs.fetch_next() {
    ///     b.0 += a.0;
    /// }
    /// assert!(numbers.iter(&world).map(|number| number.0).eq([1, 3, 7]));
    /// ```
    pub fn iter_combinations_mut<const K: usize>(&mut self) -> QueryCombinations<'_, 's, D, F, K> {
        QueryCombinations::new(self.reborrow())
    }
}

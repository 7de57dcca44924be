//! Row by row over all blocks of all matching archetypes.

use std::iter::FusedIterator;

use super::state::{Matched, MatchedBy};
use super::{
    ArchetypeFilter, ArchetypeQueryData, Look, Query, QueryData, QueryFilter, ReadOnlyQueryData,
};
use crate::archetype::Archetype;
use crate::storage::BLOCK_ROWS;

/// Iterator over the rows of a query.
///
/// Exact in length unless the query decides row by row, as with [`Changed`](crate::Changed); then
/// the upper bound of `size_hint` counts all rows that are left.
pub struct QueryIter<'w, 's, D: QueryData, F: QueryFilter = ()> {
    look: Look<'w>,
    matched: std::slice::Iter<'s, MatchedBy<D, F>>,
    /// The archetype being visited, and its next block.
    current: Option<(MatchedBy<D, F>, usize)>,
    opened: Option<Opened<'w, D, F>>,
    row: usize,
    rows: usize,
}

/// Pointers into one block.
pub(super) struct Opened<'w, D: QueryData, F: QueryFilter> {
    pub(super) data: D::Fetch<'w>,
    /// Only where the filter decides row by row.
    filter: Option<F::Fetch<'w>>,
}

impl<D: QueryData, F: QueryFilter> Clone for Opened<'_, D, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<D: QueryData, F: QueryFilter> Copy for Opened<'_, D, F> {}

impl<'w, D: QueryData, F: QueryFilter> Opened<'w, D, F> {
    /// Whether each row has to be asked.
    pub(super) const BY_ROW: bool = D::BY_ROW || F::BY_ROW;

    /// Fetches a block, unless the filter holds for none of its rows; gives the first row for
    /// which it holds. Only then does writing mark the block, or copy it.
    ///
    /// # Safety
    /// - the archetype is the matched one, has the block and is prepared;
    /// - nobody else touches what the query writes in it, or writes what it reads, for `'w`.
    #[inline]
    pub(super) unsafe fn new(
        matched: &MatchedBy<D, F>,
        archetype: &'w Archetype,
        block: usize,
        look: Look<'w>,
    ) -> Option<(Self, usize)> {
        let &Matched {
            columns, filter, ..
        } = matched;
        if !F::BY_ROW {
            // SAFETY: passed on from the caller.
            let data = unsafe { D::fetch(columns, archetype, block, look) };
            return Some((Self { data, filter: None }, 0));
        }
        // SAFETY: passed on from the caller.
        let before = unsafe { F::fetch(filter, archetype, block, look) }?;
        // SAFETY: the rows are the block's.
        let holds = |&row: &usize| unsafe { F::has_row(before, row) };
        let first = (0..archetype.rows(block)).find(holds)?;
        // SAFETY: passed on from the caller.
        let data = unsafe { D::fetch(columns, archetype, block, look) };
        // That may have copied the block which the filter looked at, and the old one may be gone.
        // SAFETY: passed on from the caller.
        let filter = unsafe { F::fetch(filter, archetype, block, look) };
        Some((Self { data, filter }, first))
    }

    /// # Safety
    /// The block has the row.
    #[inline]
    pub(super) unsafe fn has_row(self, row: usize) -> bool {
        // SAFETY: passed on from the caller.
        let holds = |filter| unsafe { F::has_row(filter, row) };
        // SAFETY: passed on from the caller.
        (!F::BY_ROW || self.filter.is_some_and(holds)) && unsafe { D::has_row(self.data, row) }
    }
}

impl<'w, 's, D: QueryData, F: QueryFilter> QueryIter<'w, 's, D, F> {
    #[inline]
    pub(super) fn new(query: Query<'w, 's, D, F>) -> Self {
        Self {
            look: query.look,
            matched: query.matches.list.iter(),
            current: None,
            opened: None,
            row: 0,
            rows: 0,
        }
    }

    /// Goes to the next block with rows that may match; false at the end.
    #[inline]
    fn next_block(&mut self) -> bool {
        loop {
            if let Some((matched, block)) = &mut self.current {
                let archetype = self.look.world.archetype(matched.archetype);
                if *block < archetype.block_count() {
                    // SAFETY: the iterator has the query's rights, and visits each block once.
                    let opened = unsafe { Opened::new(matched, archetype, *block, self.look) };
                    let number = *block;
                    *block += 1;
                    if let Some((opened, first)) = opened {
                        self.opened = Some(opened);
                        (self.row, self.rows) = (first, archetype.rows(number));
                        return true;
                    }
                    continue;
                }
            }
            match self.matched.next() {
                Some(matched) => self.current = Some((*matched, 0)),
                None => {
                    self.current = None;
                    (self.row, self.rows) = (0, 0);
                    return false;
                }
            }
        }
    }

    #[inline(never)]
    fn next_block_out_of_line(&mut self) -> bool {
        self.next_block()
    }

    /// Goes to the next row that matches, without what it gives; false at the end.
    #[inline]
    pub(super) fn advance(&mut self) -> bool {
        loop {
            if self.row == self.rows && !self.next_block_out_of_line() {
                return false;
            }
            let row = self.row;
            self.row += 1;
            if !Opened::<D, F>::BY_ROW {
                return true;
            }
            // SAFETY: `row < rows`, the rows of the block.
            let matches = |opened: Opened<'w, D, F>| unsafe { opened.has_row(row) };
            if self.opened.is_some_and(matches) {
                return true;
            }
        }
    }

    /// What the row gives that `advance` went to.
    ///
    /// # Safety
    /// - `advance` was true, and nothing was called since;
    /// - no other item of a written column of that row lives.
    #[inline]
    pub(super) unsafe fn current<'q>(&self) -> Option<D::Item<'q>>
    where
        'w: 'q,
    {
        let row = self.row - 1;
        let fetch = D::shrink(self.opened?.data);
        // SAFETY: `advance` saw that the block has the row and it matches.
        Some(unsafe { D::item(fetch, row) })
    }

    /// Rows that were not visited, whether or not they match.
    pub(super) fn rows_left(&self) -> usize {
        let rest = self.rows - self.row;
        let rows = |matched: &MatchedBy<D, F>| self.look.world.archetype(matched.archetype).len();
        let current = self.current.as_ref().map_or(0, |(matched, block)| {
            rows(matched).saturating_sub(block * BLOCK_ROWS)
        });
        rest + current + self.matched.clone().map(rows).sum::<usize>()
    }
}

impl<'w, D: QueryData, F: QueryFilter> Iterator for QueryIter<'w, '_, D, F> {
    type Item = D::Item<'w>;

    #[inline]
    fn next(&mut self) -> Option<D::Item<'w>> {
        if !self.advance() {
            return None;
        }
        // SAFETY: each row is visited once.
        unsafe { self.current() }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.rows_left();
        let least = if Opened::<D, F>::BY_ROW { 0 } else { left };
        (least, Some(left))
    }

    /// A loop for each block, so that the compiler may vectorize what it does with a row.
    #[inline]
    fn fold<B, G: FnMut(B, D::Item<'w>) -> B>(mut self, start: B, mut each: G) -> B {
        let mut folded = start;
        loop {
            if let Some(opened) = self.opened {
                for row in self.row..self.rows {
                    // SAFETY: the block has the row.
                    if Opened::<D, F>::BY_ROW && !unsafe { opened.has_row(row) } {
                        continue;
                    }
                    // SAFETY: as above, it matches, and each row is visited once.
                    folded = each(folded, unsafe { D::item(opened.data, row) });
                }
            }
            if !self.next_block() {
                return folded;
            }
        }
    }

    fn count(mut self) -> usize {
        if !Opened::<D, F>::BY_ROW {
            return self.rows_left();
        }
        let mut count = 0;
        while self.advance() {
            count += 1;
        }
        count
    }
}

impl<D, F> ExactSizeIterator for QueryIter<'_, '_, D, F>
where
    D: ArchetypeQueryData,
    F: ArchetypeFilter,
{
}

impl<D: QueryData, F: QueryFilter> FusedIterator for QueryIter<'_, '_, D, F> {}

/// Where the query writes, a copy would give a row twice.
impl<D: ReadOnlyQueryData, F: QueryFilter> Clone for QueryIter<'_, '_, D, F> {
    fn clone(&self) -> Self {
        // SAFETY: it only reads.
        unsafe { self.duplicate() }
    }
}

impl<'w, 's, D: QueryData, F: QueryFilter> QueryIter<'w, 's, D, F> {
    /// An iterator at the same row.
    ///
    /// # Safety
    /// Items of the same row of the two do not live at the same time, unless the query only reads.
    pub(super) unsafe fn duplicate(&self) -> Self {
        Self {
            look: self.look,
            matched: self.matched.clone(),
            current: self.current,
            opened: self.opened,
            row: self.row,
            rows: self.rows,
        }
    }
}

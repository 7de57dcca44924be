//! Row by row over all blocks of all matching archetypes.

use std::iter::FusedIterator;

use super::source::{BlockRows, blocks};
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
    /// Those behind the one being visited.
    blocks: Blocks<'w, 's, D, F>,
    /// The one being visited; there is one wherever a row is left.
    opened: Option<Opened<'w, D, F>>,
    row: usize,
    rows: usize,
}

/// The blocks of the matching archetypes, of which some row may match.
struct Blocks<'w, 's, D: QueryData, F: QueryFilter> {
    look: Look<'w>,
    matched: std::slice::Iter<'s, MatchedBy<D, F>>,
    /// The archetype being visited, and its next block.
    current: Option<(&'s MatchedBy<D, F>, usize)>,
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
        block: BlockRows,
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
        let first = (0..block.rows).find(holds)?;
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

impl<'w, 's, D: QueryData, F: QueryFilter> Blocks<'w, 's, D, F> {
    /// Opens the next block with rows that may match; gives the first of them and all there are.
    ///
    /// Out of line, so that the caller's loop over rows keeps what it needs in registers.
    #[inline(never)]
    fn next(&mut self) -> Option<(Opened<'w, D, F>, usize, usize)> {
        loop {
            if let Some((matched, next)) = &mut self.current {
                let archetype = self.look.world.archetype(matched.archetype);
                while let Some(block) = blocks(archetype, *next).next() {
                    *next += 1;
                    // SAFETY: the iterator has the query's rights, and visits each block once.
                    let opened = unsafe { Opened::new(matched, archetype, block, self.look) };
                    if let Some((opened, first)) = opened {
                        return Some((opened, first, block.rows));
                    }
                }
                self.current = None;
            }
            self.current = Some((self.matched.next()?, 0));
        }
    }

    /// Calls a function for each block that is left, as `next` gives them.
    #[inline]
    fn for_each(self, mut each: impl FnMut(Opened<'w, D, F>, usize, usize)) {
        let coming = self.matched.map(|matched| (matched, 0));
        for (matched, start) in self.current.into_iter().chain(coming) {
            // SAFETY: a query has the matches of its world.
            let archetype = unsafe { matched.archetype(self.look.world) };
            for block in blocks(archetype, start) {
                // SAFETY: the iterator has the query's rights, and visits each block once.
                let opened = unsafe { Opened::new(matched, archetype, block, self.look) };
                if let Some((opened, first)) = opened {
                    each(opened, first, block.rows);
                }
            }
        }
    }

    /// Rows in these blocks, whether or not they match.
    fn rows(&self) -> usize {
        let rows = |matched: &MatchedBy<D, F>| self.look.world.archetype(matched.archetype).len();
        let current = self.current.as_ref().map_or(0, |(matched, block)| {
            rows(matched).saturating_sub(block * BLOCK_ROWS)
        });
        current + self.matched.clone().map(rows).sum::<usize>()
    }
}

impl<'w, 's, D: QueryData, F: QueryFilter> QueryIter<'w, 's, D, F> {
    #[inline]
    pub(super) fn new(query: Query<'w, 's, D, F>) -> Self {
        let blocks = Blocks {
            look: query.look,
            matched: query.matches.list.iter(),
            current: None,
        };
        Self {
            blocks,
            opened: None,
            row: 0,
            rows: 0,
        }
    }

    /// Goes to the next row that matches, without what it gives; false at the end.
    #[inline]
    pub(super) fn advance(&mut self) -> bool {
        loop {
            if self.row == self.rows {
                let Some((opened, first, rows)) = self.blocks.next() else {
                    return false;
                };
                self.opened = Some(opened);
                (self.row, self.rows) = (first, rows);
            }
            let row = self.row;
            self.row += 1;
            if !Opened::<D, F>::BY_ROW {
                return true;
            }
            // SAFETY: a row was gone to.
            let opened = unsafe { self.opened() };
            // SAFETY: `row < rows`, the rows of the block.
            if unsafe { opened.has_row(row) } {
                return true;
            }
        }
    }

    /// The block being visited.
    ///
    /// # Safety
    /// `advance` has gone to a row of it.
    #[inline]
    unsafe fn opened(&self) -> Opened<'w, D, F> {
        debug_assert!(self.opened.is_some(), "`advance` opened a block");
        // SAFETY: it was set when the row was gone to, by the caller, and is never taken back.
        unsafe { self.opened.unwrap_unchecked() }
    }

    /// What the row gives that `advance` went to.
    ///
    /// # Safety
    /// - the last call of `advance` was true;
    /// - no other item of a written column of that row lives.
    #[inline]
    pub(super) unsafe fn current<'q>(&self) -> D::Item<'q>
    where
        'w: 'q,
    {
        // SAFETY: passed on from the caller.
        let fetch = D::shrink(unsafe { self.opened() }.data);
        // SAFETY: `advance` saw that the block has the row and it matches.
        unsafe { D::item(fetch, self.row - 1) }
    }

    /// Rows that were not visited, whether or not they match.
    pub(super) fn rows_left(&self) -> usize {
        self.rows - self.row + self.blocks.rows()
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
        Some(unsafe { self.current() })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.rows_left();
        let least = if Opened::<D, F>::BY_ROW { 0 } else { left };
        (least, Some(left))
    }

    /// A loop for each block, so that the compiler may vectorize what it does with a row.
    #[inline]
    fn fold<B, G: FnMut(B, D::Item<'w>) -> B>(self, start: B, mut each: G) -> B {
        let mut folded = Some(start);
        let mut block = |opened: Opened<'w, D, F>, first: usize, rows: usize| {
            let mut sum = folded.take().expect("put back below");
            for row in first..rows {
                // SAFETY: the block has the row.
                if Opened::<D, F>::BY_ROW && !unsafe { opened.has_row(row) } {
                    continue;
                }
                // SAFETY: as above, it matches, and each row is visited once.
                sum = each(sum, unsafe { D::item(opened.data, row) });
            }
            folded = Some(sum);
        };
        if let Some(opened) = self.opened {
            block(opened, self.row, self.rows);
        }
        self.blocks.for_each(block);
        folded.expect("put back above")
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
        let blocks = Blocks {
            look: self.blocks.look,
            matched: self.blocks.matched.clone(),
            current: self.blocks.current,
        };
        Self {
            blocks,
            opened: self.opened,
            row: self.row,
            rows: self.rows,
        }
    }
}

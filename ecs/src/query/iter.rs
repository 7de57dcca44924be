//! Row by row over all blocks of all matching archetypes.

use crate::query::QueryData;
use crate::query::state::Matched;
use crate::world::World;

/// Iterator over the rows of a query. Exact in length.
pub struct QueryIter<'w, 's, D: QueryData> {
    world: &'w World,
    matched: std::slice::Iter<'s, Matched<D::Columns>>,
    /// The archetype being visited, and its next block.
    current: Option<(Matched<D::Columns>, usize)>,
    fetch: Option<D::Fetch<'w>>,
    row: usize,
    rows: usize,
}

impl<'w, 's, D: QueryData> QueryIter<'w, 's, D> {
    pub(crate) fn new(world: &'w World, matched: &'s [Matched<D::Columns>]) -> Self {
        let matched = matched.iter();
        Self {
            world,
            matched,
            current: None,
            fetch: None,
            row: 0,
            rows: 0,
        }
    }

    /// Goes to the next block that holds rows; false at the end.
    #[inline(never)]
    fn next_block(&mut self) -> bool {
        loop {
            if let Some((matched, block)) = &mut self.current {
                let archetype = self.world.archetype(matched.archetype);
                if *block < archetype.block_count() {
                    let to = self.world.writer();
                    // SAFETY: the iterator has the query's exclusive right to what it writes, and
                    // visits each block once.
                    self.fetch = Some(unsafe { D::fetch(matched.columns, archetype, *block, to) });
                    (self.row, self.rows) = (0, archetype.rows(*block));
                    *block += 1;
                    return true;
                }
            }
            match self.matched.next() {
                Some(matched) => self.current = Some((*matched, 0)),
                None => {
                    self.current = None;
                    self.rows = 0;
                    self.row = 0;
                    return false;
                }
            }
        }
    }

    fn remaining(&self) -> usize {
        let rest = self.rows - self.row;
        let current = self.current.map_or(0, |(matched, block)| {
            let len = self.world.archetype(matched.archetype).len();
            len.saturating_sub(block * crate::BLOCK_ROWS)
        });
        let coming = self.matched.clone();
        let coming = coming.map(|matched| self.world.archetype(matched.archetype).len());
        rest + current + coming.sum::<usize>()
    }
}

impl<'w, D: QueryData> Iterator for QueryIter<'w, '_, D> {
    type Item = D::Item<'w>;

    #[inline]
    fn next(&mut self) -> Option<D::Item<'w>> {
        if self.row == self.rows && !self.next_block() {
            return None;
        }
        let fetch = self.fetch?;
        let row = self.row;
        self.row += 1;
        // SAFETY: `row < rows`, and each row is given once.
        Some(unsafe { D::item(fetch, row) })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.remaining();
        (left, Some(left))
    }
}

impl<D: QueryData> ExactSizeIterator for QueryIter<'_, '_, D> {}
impl<D: QueryData> std::iter::FusedIterator for QueryIter<'_, '_, D> {}

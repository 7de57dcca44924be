//! The short way from one archetype to another: a copy of bytes between blocks that are open.
//!
//! Most entities that gain or lose a component do it beside many others of their kind, and most
//! components are plain numbers. Where an edge says that a move copies bytes and nothing else, and
//! both archetypes have the blocks open that the move touches, nothing is left to ready and nothing
//! can fail. Everything else takes the way of `rows.rs`.

use super::Archetype;
use super::graph::Edge;
use super::window::Which;
use crate::bundle::Bundle;
use crate::entity::{Entity, Location};
use crate::storage::BLOCK_ROWS;
use crate::storage::column::copy_value;

/// A row that can go to another archetype at once.
pub(crate) struct Step<'a> {
    source: &'a mut Archetype,
    target: &'a mut Archetype,
    edge: &'a Edge,
    row: usize,
    which: Which,
}

/// Where the entity is now, and who has its old row.
pub(crate) struct Stepped {
    pub(crate) at: Location,
    pub(crate) filled_by: Option<Entity>,
}

impl<'a> Step<'a> {
    /// The step along an edge, where it copies bytes between open blocks.
    #[inline(always)]
    pub(crate) fn along(
        edge: &'a Edge,
        archetypes: &'a mut [Archetype],
        from: Location,
        tick: u64,
    ) -> Option<Self> {
        if !edge.is_bytes {
            return None;
        }
        let both = [from.archetype as usize, edge.target.index()];
        let [source, target] = archetypes.get_disjoint_mut(both).ok()?;
        let row = from.row as usize;
        let which = source.opened(row, tick)?;
        target.has_opened_next(tick).then_some(Self {
            source,
            target,
            edge,
            row,
            which,
        })
    }

    /// Goes, and gives the new row the values of a bundle.
    ///
    /// # Safety
    /// The edge is that of an insertion of `B`.
    #[inline(always)]
    pub(crate) unsafe fn insert<B: Bundle>(self, bundle: B) -> Stepped {
        let next = self.target.len % BLOCK_ROWS;
        let into = self.target.windows.get(Which::Tail).data().as_ptr();
        let mut columns = self.edge.bundle.iter();
        bundle.visit(&mut |value, size| {
            let place = columns
                .next()
                .expect("as many as the bundle has components");
            // SAFETY: the edge names columns of the target.
            let start = unsafe { into.add(place.column as usize) };
            // SAFETY: as above; the window has the start of each column's open block.
            let start = unsafe { start.read() };
            // SAFETY: the open block has room for the next row, in values of this size.
            let row = unsafe { start.as_ptr().add(next * size) };
            // SAFETY: `size` bytes on both sides, apart from each other; the row holds nothing.
            unsafe { value.copy_to_nonoverlapping(row, size) };
        });
        // SAFETY: what the target has beyond the source was written above.
        unsafe { self.go() }
    }

    /// Goes.
    ///
    /// # Safety
    /// The caller wrote what the target has and the source lacks into the target's next row.
    #[inline(always)]
    pub(crate) unsafe fn go(self) -> Stepped {
        let (from, into) = (
            self.source.windows.get(self.which),
            self.target.windows.get(Which::Tail),
        );
        let (old, next) = (self.row % BLOCK_ROWS, self.target.len % BLOCK_ROWS);
        for carry in &self.edge.carried {
            // SAFETY: the edge names columns of the source, whose open block has the row.
            let source = unsafe { from.value(carry.from as usize, old, carry.size) };
            // SAFETY: as above, of the target, whose open block has room for the next row.
            let target = unsafe { into.value(carry.into as usize, next, carry.size) };
            // SAFETY: rows of two archetypes; the new one holds nothing.
            unsafe { copy_value(source, target, carry.size) };
        }
        // SAFETY: the row's block is open, so its handle is in it.
        let entity = unsafe { from.handles().add(old) };
        // SAFETY: the open block has room for the next row's handle.
        let place = unsafe { into.handles().add(next) };
        // SAFETY: as above; handles are `Copy`.
        unsafe { place.copy_from_nonoverlapping(entity, 1) };
        let at = self.target.next_location();
        self.target.len += 1;
        // SAFETY: `opened` saw to it; the values were copied above or need no drop.
        let filled_by = unsafe { self.source.fill_bytes(self.which, self.row) };
        Stepped { at, filled_by }
    }
}

impl Archetype {
    /// Adds the row of an entity with the value of its only component.
    ///
    /// # Safety
    /// - `has_opened_next` said yes since the last change;
    /// - the archetype has one component, the bundle's, in one piece.
    #[inline(always)]
    pub(crate) unsafe fn push_bytes<B: Bundle>(&mut self, entity: Entity, bundle: B) -> usize {
        let row = self.len;
        let tail = self.windows.get(Which::Tail);
        bundle.visit(&mut |value, size| {
            // SAFETY: the open block has room for the next row of the only column.
            let place = unsafe { tail.value(0, row % BLOCK_ROWS, size) };
            // SAFETY: `size` bytes on both sides, apart from each other; the row holds nothing.
            unsafe { value.copy_to_nonoverlapping(place, size) };
        });
        // SAFETY: the open block has room for the next row's handle.
        let handle = unsafe { tail.handles().add(row % BLOCK_ROWS) };
        // SAFETY: as above.
        unsafe { handle.write(entity) };
        self.len = row + 1;
        row
    }

    /// The handle in a row of an open block.
    ///
    /// # Safety
    /// `opened` gave `which` for the row since the last change.
    #[inline(always)]
    pub(crate) unsafe fn opened_entity(&self, which: Which, row: usize) -> Entity {
        // SAFETY: the row's block is open, so its handle is in it.
        let handle = unsafe { self.windows.get(which).handles().add(row % BLOCK_ROWS) };
        // SAFETY: as above; handles are `Copy`.
        unsafe { handle.read() }
    }

    /// As `fill_from_last`, for values that are bytes.
    ///
    /// # Safety
    /// As `fill_from_last`, and the archetype is plain.
    #[inline(always)]
    pub(crate) unsafe fn fill_bytes(&mut self, which: Which, row: usize) -> Option<Entity> {
        let last = self.len - 1;
        if row != last {
            let (into, from) = (self.windows.get(which), self.windows.get(Which::Tail));
            let (target, source) = (row % BLOCK_ROWS, last % BLOCK_ROWS);
            for (column, &size) in self.sizes.iter().enumerate() {
                // SAFETY: both blocks are open, by the caller, and every column has a size.
                let from = unsafe { from.value(column, source, size) };
                // SAFETY: as above.
                let into = unsafe { into.value(column, target, size) };
                // SAFETY: two different rows; the target holds no value.
                unsafe { copy_value(from, into, size) };
            }
        }
        // SAFETY: passed on from the caller.
        unsafe { self.close_gap(which, row) }
    }

    /// Moves the last row's handle into `row`, and counts one row less.
    ///
    /// # Safety
    /// As `fill_from_last`, which has moved the values.
    #[inline(always)]
    pub(super) unsafe fn close_gap(&mut self, which: Which, row: usize) -> Option<Entity> {
        let last = self.len - 1;
        self.len = last;
        let mut filled_by = None;
        if row != last {
            // SAFETY: the tail is open at the last row's block.
            let entity = unsafe { self.opened_entity(Which::Tail, last) };
            // SAFETY: the row's block is open, by the caller.
            let place = unsafe { self.windows.get(which).handles().add(row % BLOCK_ROWS) };
            // SAFETY: as above.
            unsafe { place.write(entity) };
            filled_by = Some(entity);
        }
        if last.is_multiple_of(BLOCK_ROWS) {
            self.trim();
        }
        filled_by
    }
}

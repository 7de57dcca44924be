//! The short way from one archetype to another: a copy of bytes between blocks that are open.
//!
//! Most entities that gain or lose a component do it beside many others of their kind, and most
//! components are plain numbers. Where an edge says that a move copies bytes and nothing else, and
//! both archetypes have the blocks open that the move touches, nothing is left to ready and nothing
//! can fail. Everything else takes the way of `rows.rs`.

use super::Archetype;
use super::graph::Edge;
use super::window::{Gap, Open};
use crate::bundle::Bundle;
use crate::entity::{Entity, Location};
use crate::storage::BLOCK_ROWS;

/// A row that can go to another archetype at once.
pub(crate) struct Step<'a> {
    source: &'a mut Archetype,
    target: &'a mut Archetype,
    edge: &'a Edge,
    gap: Gap,
    next: Open,
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
        Some(Self {
            gap: source.gap(from.row as usize, tick)?,
            next: target.opened_next(tick)?,
            source,
            target,
            edge,
        })
    }

    /// Goes, and gives the new row the values of a bundle.
    ///
    /// # Safety
    /// The edge is that of an insertion of `B`.
    #[inline(always)]
    pub(crate) unsafe fn insert<B: Bundle>(self, bundle: B) -> Stepped {
        let (next, row) = (self.next, self.target.len % BLOCK_ROWS);
        let mut columns = self.edge.bundle.iter();
        bundle.visit(&mut |value, size| {
            let place = columns
                .next()
                .expect("as many as the bundle has components");
            // SAFETY: the edge names columns of the target.
            let start = unsafe { next.column(place.column as usize) };
            // SAFETY: the open block has room for the next row, in values of this size.
            let place = unsafe { start.add(row * size) };
            // SAFETY: `size` bytes on both sides, apart from each other; the row holds nothing.
            unsafe { value.copy_to_nonoverlapping(place, size) };
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
        let (gap, next, at) = (self.gap, self.next, self.target.next_location());
        // SAFETY: both blocks are open, and the edge is plain.
        unsafe { self.target.push_carried(self.edge, gap, next) };
        // SAFETY: the values were copied above or need no drop.
        let filled_by = unsafe { self.source.fill_bytes(gap) };
        Stepped { at, filled_by }
    }
}

impl Archetype {
    /// Adds the row that is in a gap of another archetype, with what comes along an edge.
    ///
    /// # Safety
    /// - the edge is plain and leads to us from the archetype that has the gap;
    /// - `next` is the open block of the next row; what does not come along is written into it
    ///   before anything else happens.
    #[inline(always)]
    pub(super) unsafe fn push_carried(&mut self, edge: &Edge, gap: Gap, next: Open) {
        let (old, new) = (gap.row % BLOCK_ROWS, self.len % BLOCK_ROWS);
        // SAFETY: the edge names columns of both, whose open blocks have the rows; the new one
        // holds nothing.
        unsafe { edge.pieces.copy((gap.block, old), (next, new)) };
        self.len += 1;
    }

    /// Adds the row of an entity with the value of its only component.
    ///
    /// # Safety
    /// - `opened_next` gave `next` since the last change;
    /// - the archetype has one component, the bundle's, in one piece.
    #[inline(always)]
    pub(crate) unsafe fn push_bytes<B: Bundle>(
        &mut self,
        next: Open,
        entity: Entity,
        bundle: B,
    ) -> usize {
        let row = self.len;
        bundle.visit(&mut |value, size| {
            // SAFETY: the archetype has a column.
            let start = unsafe { next.column(0) };
            // SAFETY: the open block has room for the next row.
            let place = unsafe { start.add(row % BLOCK_ROWS * size) };
            // SAFETY: `size` bytes on both sides, apart from each other; the row holds nothing.
            unsafe { value.copy_to_nonoverlapping(place, size) };
        });
        // SAFETY: the open block has room for the next row.
        unsafe { next.set_entity(row, entity) };
        self.len = row + 1;
        row
    }

    /// Moves the last row into a gap, for values that are bytes, and gives its entity.
    ///
    /// # Safety
    /// - `gap` or `open_row` gave the gap since the last change;
    /// - the archetype is plain, and the values of the row were dropped, moved out or need neither.
    #[inline(always)]
    pub(crate) unsafe fn fill_bytes(&mut self, gap: Gap) -> Option<Entity> {
        if gap.row == self.len - 1 {
            self.drop_last();
            return None;
        }
        let (old, new) = ((self.len - 1) % BLOCK_ROWS, gap.row % BLOCK_ROWS);
        // SAFETY: two different rows in open blocks.
        let entity = unsafe { self.shape.pieces.copy((gap.last, old), (gap.block, new)) };
        self.drop_last();
        Some(entity)
    }

    /// The entity whose row will fill a gap; `None` if the gap is the last row.
    ///
    /// # Safety
    /// `gap` gave it since the last change.
    #[inline(always)]
    pub(crate) unsafe fn filler(&self, gap: Gap) -> Option<Entity> {
        let last = self.len - 1;
        // SAFETY: the last row's block is open.
        (gap.row != last).then(|| unsafe { gap.last.entity(last) })
    }

    /// Counts one row less.
    #[inline(always)]
    pub(super) fn drop_last(&mut self) {
        self.len -= 1;
        if self.len.is_multiple_of(BLOCK_ROWS) {
            self.trim();
        }
    }
}

impl Gap {
    /// The entity of the row.
    ///
    /// # Safety
    /// As `Archetype::fill_bytes`.
    #[inline(always)]
    pub(crate) unsafe fn entity(self) -> Entity {
        // SAFETY: the row's block is open, by the caller.
        unsafe { self.block.entity(self.row) }
    }
}

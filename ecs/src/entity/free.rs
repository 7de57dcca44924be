//! Indices of dead entities: a stack in pieces that forks share.

use std::sync::OnceLock;

use crate::hash::{Node, StateHasher};
use crate::storage::list::SharedList;
use crate::storage::shared::Shared;

/// Indices of one piece: 4 KiB.
const PIECE: usize = 1024;

#[derive(Clone)]
struct Piece {
    indices: [u32; PIECE],
    /// Hash of the whole piece; only kept while it is full.
    digest: OnceLock<u128>,
}

/// Free indices; the one freed last is used first.
#[derive(Clone)]
pub(super) struct FreeList {
    pieces: SharedList<Shared<Piece>>,
    len: u32,
}

impl FreeList {
    pub(super) fn new() -> Self {
        Self {
            pieces: SharedList::default(),
            len: 0,
        }
    }

    #[inline]
    pub(super) fn len(&self) -> u32 {
        self.len
    }

    /// The index that the `position`-th pop from now would give, from 0.
    #[inline]
    pub(super) fn nth_pop(&self, position: u32) -> u32 {
        let place = (self.len - 1 - position) as usize;
        self.pieces[place / PIECE].indices[place % PIECE]
    }

    #[inline]
    fn piece_mut(&mut self, place: usize) -> &mut Piece {
        self.pieces.make_mut()[place / PIECE].make_mut()
    }

    /// A piece whose index at `place` is popped. Forgets its digest if it was full until now; one
    /// that is not full has none, so pushing need not ask.
    #[inline]
    fn piece_popped(&mut self, place: usize) -> &mut Piece {
        let piece = self.piece_mut(place);
        if place % PIECE == PIECE - 1 {
            piece.digest.take();
        }
        piece
    }

    #[inline]
    pub(super) fn push(&mut self, index: u32) {
        let place = self.len as usize;
        if place / PIECE == self.pieces.len() {
            self.add_piece();
        }
        self.piece_mut(place).indices[place % PIECE] = index;
        self.len += 1;
    }

    #[cold]
    fn add_piece(&mut self) {
        let piece = Piece {
            indices: [0; PIECE],
            digest: OnceLock::new(),
        };
        self.pieces.push(Shared::new(piece));
    }

    #[inline]
    pub(super) fn pop(&mut self) -> Option<u32> {
        let place = self.len.checked_sub(1)? as usize;
        let index = self.piece_popped(place).indices[place % PIECE];
        self.len -= 1;
        Some(index)
    }

    /// Pops up to `wanted` indices at once and hands them over as they lie, the first one last.
    ///
    /// Gives none only where the list is empty.
    pub(super) fn pop_many(&mut self, wanted: usize) -> &[u32] {
        let Some(top) = self.len.checked_sub(1) else {
            return &[];
        };
        let end = top as usize % PIECE + 1;
        let start = end.saturating_sub(wanted);
        self.len -= (end - start) as u32;
        &self.piece_popped(top as usize).indices[start..end]
    }

    /// Takes an index out of the middle, and keeps the order of the others.
    ///
    /// # Cost
    /// In proportion to the length of the list.
    pub(super) fn take(&mut self, index: u32) -> bool {
        let mut above = Vec::new();
        let mut found = false;
        while let Some(top) = self.pop() {
            if top == index {
                found = true;
                break;
            }
            above.push(top);
        }
        above.into_iter().rev().for_each(|index| self.push(index));
        found
    }

    /// The list's order decides which handles come next, so it is state.
    pub(super) fn hash_state(&self, hasher: &mut StateHasher) {
        hasher.u32(self.len);
        let (full, rest) = (self.len as usize / PIECE, self.len as usize % PIECE);
        let hash = |indices: &[u32]| {
            let mut node = StateHasher::node(Node::FreeList, indices.len());
            indices.iter().for_each(|&index| node.u32(index));
            node.finish()
        };
        for piece in &self.pieces[..full] {
            hasher.u128(*piece.digest.get_or_init(|| hash(&piece.indices)));
        }
        if rest > 0 {
            hasher.u128(hash(&self.pieces[full].indices[..rest]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(list: &FreeList) -> u128 {
        let mut hasher = StateHasher::default();
        list.hash_state(&mut hasher);
        hasher.finish()
    }

    #[test]
    fn the_last_freed_comes_first_and_can_be_looked_at_before() {
        let mut list = FreeList::new();
        (0..5_000).for_each(|index| list.push(index));
        for position in [0, 1, 903, 904, 1_927, 4_999] {
            assert_eq!(list.nth_pop(position), 4_999 - position);
        }
        for index in (0..5_000).rev() {
            assert_eq!(list.pop(), Some(index));
        }
        assert_eq!(list.pop(), None);
    }

    #[test]
    fn popping_many_gives_what_popping_one_by_one_would() {
        let mut list = FreeList::new();
        (0..5_000).for_each(|index| list.push(index));
        let mut popped: Vec<u32> = Vec::new();
        for wanted in (1..).step_by(37) {
            let piece = list.pop_many(wanted);
            assert!(piece.len() <= wanted);
            popped.extend(piece.iter().rev());
            if piece.is_empty() {
                break;
            }
        }
        assert!(popped.iter().copied().eq((0..5_000).rev()));
    }

    #[test]
    fn an_index_leaves_the_middle_and_the_others_keep_their_order() {
        let mut list = FreeList::new();
        (0..2_000).for_each(|index| list.push(index));
        assert!(list.take(700) && !list.take(700));
        let rest: Vec<u32> = std::iter::from_fn(|| list.pop()).collect();
        let expected: Vec<u32> = (0..2_000).filter(|&index| index != 700).rev().collect();
        assert_eq!(rest, expected);
    }

    #[test]
    fn the_hash_sees_order_and_length_however_the_list_came_about() {
        let mut list = FreeList::new();
        (0..3_000).for_each(|index| list.push(index));
        let (before, twin) = (hash(&list), list.clone());
        let (top, next) = (list.pop(), list.pop());
        assert_ne!(hash(&list), before);
        [top, next]
            .into_iter()
            .flatten()
            .for_each(|index| list.push(index));
        assert_ne!(hash(&list), before, "the two at the top changed places");
        (0..952).for_each(|_| assert!(list.pop().is_some()));
        (2_048..3_000).for_each(|index| list.push(index));
        assert_eq!(hash(&list), before);
        assert_eq!(hash(&twin), before);
    }
}

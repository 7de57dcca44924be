//! Cutting work into pieces that threads may do in any order.
//!
//! The force code never starts a thread. It hands out numbered pieces to a [`BlockRunner`]; no
//! result depends on their order: each piece writes only memory of its own, and each atom sums
//! its own forces in an order fixed by the neighbour list.

use std::sync::Mutex;

use orrery::ecs::BlockRunner;

/// Most pieces that [`for_each_piece`] makes of a slice: enough for the 8 threads we promise
/// equal results for, few enough to live on the stack.
const PIECES_MAX: usize = 16;

/// Below this many items a piece costs more to hand over than to do.
const PIECE_ITEMS_MIN: usize = 1024;

/// Splits `items` into pieces and calls `body(first_index, piece)` for each, possibly in
/// parallel. The split depends on the length only.
pub(super) fn for_each_piece<T: Send>(
    parallel: &dyn BlockRunner,
    items: &mut [T],
    body: &(dyn Fn(usize, &mut [T]) + Sync),
) {
    let size = items.len().div_ceil(PIECES_MAX).max(PIECE_ITEMS_MIN);
    let count = items.len().div_ceil(size);
    let mut rest = items.chunks_mut(size);
    // A mutex per piece makes the disjoint writes safe code; each is locked once, by one thread.
    let pieces: [Mutex<&mut [T]>; PIECES_MAX] =
        std::array::from_fn(|_| Mutex::new(rest.next().unwrap_or_default()));
    parallel.for_each(count, &|index| {
        with_lock(&pieces[index], |piece| body(index * size, piece))
    });
}

/// Runs `body` on the guarded value. A panic in another piece does not matter here: the value
/// is written anew each time before it is read.
pub(super) fn with_lock<T, R>(mutex: &Mutex<T>, body: impl FnOnce(&mut T) -> R) -> R {
    body(
        &mut mutex
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner),
    )
}

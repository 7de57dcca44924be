//! Commands of a system that visits blocks on several threads.
//!
//! Each block has a queue and a lane of handles of its own, so what it asks for, and which handles
//! it is given, does not depend on the threads. Queues are applied in the order of the blocks.

use std::ptr::NonNull;
use std::sync::{Mutex, PoisonError};

use super::CommandQueue;
use crate::entity::Lane;
use crate::panics::FirstPanic;
use crate::storage::lock::lock;
use crate::world::World;

/// One block's queue and lane.
pub(super) struct BlockQueue {
    block: usize,
    pub(super) lane: Lane,
    pub(super) queue: CommandQueue,
}

/// Queues by block: those in use, and empty ones from earlier runs.
///
/// Each queue keeps its address, so the list may grow while threads fill theirs.
#[derive(Default)]
pub(crate) struct BlockQueues(Mutex<Lists>);

#[derive(Default)]
struct Lists {
    used: Vec<NonNull<BlockQueue>>,
    spare: Vec<NonNull<BlockQueue>>,
}

// SAFETY: the queues belong to the lists, and queues are Send.
unsafe impl Send for Lists {}

impl BlockQueues {
    /// The queue of block `block` of `count`, whose handles come from a part of `lane`.
    ///
    /// # Safety
    /// Each block is asked for once before the next `apply` or `discard`, and what is given is not
    /// used after that.
    #[allow(clippy::mut_from_ref, reason = "the caller asks for each block once")]
    pub(super) unsafe fn of_block(
        &self,
        block: usize,
        count: usize,
        lane: Option<Lane>,
    ) -> &mut BlockQueue {
        let lane = lane.map_or_else(|| Lane::new(block, count), |lane| lane.part(block, count));
        let mut lists = lock(&self.0);
        let spare = lists.spare.pop();
        let mut queue = spare.unwrap_or_else(|| {
            let new = BlockQueue {
                block,
                lane,
                queue: CommandQueue::default(),
            };
            NonNull::from(Box::leak(Box::new(new)))
        });
        lists.used.push(queue);
        // SAFETY: a queue that was spare or is new, in use by nobody else, by the caller.
        let queue = unsafe { queue.as_mut() };
        queue.block = block;
        queue.lane = lane;
        queue
    }

    /// Hands over what was taken of the lanes, for whoever flushes them together with others.
    pub(crate) fn take_lanes(&mut self, taken: &mut Vec<Lane>) {
        let lists = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        for queue in &mut lists.used {
            // SAFETY: the queues are the list's, and the caller of `of_block` is done with them.
            let queue = unsafe { queue.as_mut() };
            taken.push(queue.lane.take());
        }
    }

    /// Does what was asked for, block by block. Nothing was reserved in the world beside the lanes,
    /// or they were taken and flushed.
    ///
    /// If a command panics, those of later blocks are dropped.
    pub(crate) fn apply(&mut self, world: &mut World) {
        let lists = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        if lists.used.is_empty() {
            return;
        }
        // SAFETY: the queues are the list's, and the caller of `of_block` is done with them.
        let block = |queue: &NonNull<BlockQueue>| unsafe { queue.as_ref() }.block;
        lists.used.sort_unstable_by_key(block);
        // SAFETY: as above.
        let lanes = lists
            .used
            .iter()
            .map(|queue| unsafe { queue.as_ref() }.lane);
        world.entities.flush_lanes(lanes);
        lists.used.reverse();
        let used = Used(lists);
        while let Some(mut queue) = used.0.used.last().copied() {
            // SAFETY: as above.
            unsafe { queue.as_mut() }.queue.apply(world);
            used.0.used.pop();
            used.0.spare.push(queue);
        }
    }

    /// Forgets what was asked for.
    pub(crate) fn discard(&mut self) {
        let lists = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        drop(Used(lists));
    }
}

/// The queues in use; what is left of them is dropped at the end, however that comes.
struct Used<'a>(&'a mut Lists);

impl Drop for Used<'_> {
    fn drop(&mut self) {
        let mut panicked = FirstPanic::default();
        free(&mut self.0.used, &mut panicked);
        panicked.resume_from_drop();
    }
}

/// Frees all queues of a list, whatever is dropped with them.
fn free(queues: &mut Vec<NonNull<BlockQueue>>, panicked: &mut FirstPanic) {
    for queue in queues.drain(..) {
        // SAFETY: `of_block` made it from a box, and it is in no list any more.
        panicked.catch(|| drop(unsafe { Box::from_raw(queue.as_ptr()) }));
    }
}

impl Drop for BlockQueues {
    fn drop(&mut self) {
        let lists = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mut panicked = FirstPanic::default();
        free(&mut lists.used, &mut panicked);
        free(&mut lists.spare, &mut panicked);
        panicked.resume_from_drop();
    }
}

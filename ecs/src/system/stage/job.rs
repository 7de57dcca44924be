//! A loop over blocks that threads without a unit of their own may help with.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::panics::drop_quietly;
use crate::query::BlockRunner;
use crate::storage::lock::lock;

/// A panic and the block that it came from.
type Caught = (usize, Box<dyn Any + Send>);

/// A loop over `0..count` on its owner's stack.
pub(super) struct Job<'a> {
    next: AtomicUsize,
    count: usize,
    body: &'a (dyn Fn(usize) + Sync),
    caught: Mutex<Option<Caught>>,
    /// Helpers inside; written under the board's lock.
    pub(super) helpers: AtomicUsize,
}

impl<'a> Job<'a> {
    pub(super) fn new(count: usize, body: &'a (dyn Fn(usize) + Sync)) -> Self {
        Self {
            next: AtomicUsize::new(0),
            count,
            body,
            caught: Mutex::new(None),
            helpers: AtomicUsize::new(0),
        }
    }

    /// Whether a helper would find something to do.
    pub(super) fn has_work(&self) -> bool {
        self.next.load(Ordering::Relaxed) < self.count
    }

    /// Claims and runs blocks until none is left. Never unwinds: a panic stops no other block, on
    /// any number of threads.
    pub(super) fn work(&self) {
        loop {
            // Relaxed: it carries no data. What the owner wrote before reaches helpers by the
            // board's lock, and what they wrote reaches it by the same.
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            if index >= self.count {
                return;
            }
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| (self.body)(index))) {
                self.keep(index, panic);
            }
        }
    }

    /// Keeps the panic of the lowest block, which does not depend on who was faster.
    fn keep(&self, index: usize, panic: Box<dyn Any + Send>) {
        let mut caught = lock(&self.caught);
        let loser = match &*caught {
            Some((kept, _)) if *kept < index => Some(panic),
            _ => caught.replace((index, panic)).map(|(_, loser)| loser),
        };
        drop(caught);
        drop_quietly(loser);
    }

    /// Goes on with the kept panic, if there was one.
    pub(super) fn resume_panic(&self) {
        let caught = lock(&self.caught).take();
        if let Some((_, panic)) = caught {
            resume_unwind(panic);
        }
    }
}

/// Runs blocks on the caller's thread, and all of them whatever panics, as threads would.
pub(super) struct Alone;

impl BlockRunner for Alone {
    fn for_each(&self, count: usize, body: &(dyn Fn(usize) + Sync)) {
        let job = Job::new(count, body);
        job.work();
        job.resume_panic();
    }
}

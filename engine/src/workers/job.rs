//! One loop being shared: its body, the next index to claim, and the panic to pass on.

use std::any::Any;
use std::ops::Range;
use std::panic::{self, AssertUnwindSafe};
use std::sync::PoisonError;

use orrery_ecs::drop_quietly;

use super::sync::{AtomicUsize, Mutex, Ordering};

/// A claim takes this part of what is left for each thread: large batches first, so that the
/// counter is touched seldom, single indices last, so that all threads end together.
const BATCHES_PER_THREAD: usize = 4;

/// A panic caught in a body, with the index it came from.
type Caught = (usize, Box<dyn Any + Send>);

/// A loop over `0..count`; lives on the caller's stack, in cache lines of its own.
#[repr(align(128))]
pub(super) struct Job<'a> {
    /// The first index that nobody has claimed.
    next: AtomicUsize,
    count: usize,
    /// What a claim divides the rest by.
    divisor: usize,
    body: &'a (dyn Fn(usize) + Sync),
    caught: Mutex<Option<Caught>>,
}

impl<'a> Job<'a> {
    pub(super) fn new(count: usize, threads: usize, body: &'a (dyn Fn(usize) + Sync)) -> Self {
        Self {
            next: AtomicUsize::new(0),
            count,
            divisor: threads.saturating_mul(BATCHES_PER_THREAD),
            body,
            caught: Mutex::new(None),
        }
    }

    /// Claims and runs indices until none is left. Never unwinds.
    pub(super) fn work(&self) {
        while let Some(batch) = self.claim() {
            self.run(batch);
        }
    }

    /// Takes the next batch of indices, each of which no other claim ever returns.
    fn claim(&self) -> Option<Range<usize>> {
        let mut start = self.next.load(Ordering::Relaxed);
        while start < self.count {
            let end = start + ((self.count - start) / self.divisor).max(1);
            // Relaxed: the counter carries no data. The caller's writes reach a worker by the
            // state word when it enters, the worker's reach the caller by it when it leaves.
            match self
                .next
                .compare_exchange_weak(start, end, Ordering::Relaxed, Ordering::Relaxed)
            {
                Ok(_) => return Some(start..end),
                Err(now) => start = now,
            }
        }
        None
    }

    /// Runs every index of `batch`, going on behind one that panics.
    fn run(&self, batch: Range<usize>) {
        let mut rest = batch;
        while !rest.is_empty() {
            // AssertUnwindSafe: a half-done body may leave its data torn. The panic goes on in the
            // caller, so only code that catches it there can look, as with any panic.
            let result = panic::catch_unwind(AssertUnwindSafe(|| {
                for index in &mut rest {
                    (self.body)(index);
                }
            }));
            if let Err(payload) = result {
                // The range has already moved past the index that panicked.
                self.keep(rest.start - 1, payload);
            }
        }
    }

    /// Keeps the panic of the lowest index, which does not depend on who was faster.
    fn keep(&self, index: usize, payload: Box<dyn Any + Send>) {
        let mut caught = self.caught.lock().unwrap_or_else(PoisonError::into_inner);
        let loser = match &*caught {
            Some((kept, _)) if *kept < index => Some(payload),
            _ => caught.replace((index, payload)).map(|(_, loser)| loser),
        };
        drop(caught);
        // In a thread that must not unwind.
        drop_quietly(loser);
    }

    /// Goes on with the kept panic, if there was one. For the caller, when all have left.
    pub(super) fn resume_panic(self) {
        let caught = self
            .caught
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some((_, payload)) = caught {
            panic::resume_unwind(payload);
        }
    }
}

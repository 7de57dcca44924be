//! tokio's wheel of timers, a tick a millisecond.
//!
//! Deadlines are instants that are made before, so that no clock is read; they lie an hour ahead,
//! so that none of them passes while it is measured.

use std::sync::LazyLock;
use std::time::Duration;

use orrery_benches::cases::timers::{Arming, Cancelling, Crowd, Queue};
use orrery_benches::harness::Work;
use tokio::runtime::{Builder, Runtime};
use tokio::time::Instant;
use tokio_util::time::DelayQueue;
use tokio_util::time::delay_queue::Key;

/// What sleeps are bound to, although nothing here waits for one.
static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    let runtime = Builder::new_current_thread().enable_time().build();
    runtime.expect("a runtime on the calling thread needs nothing")
});

const HOUR: Duration = Duration::from_secs(3_600);

struct Tokio {
    queue: DelayQueue<u64>,
    start: Instant,
}

impl Queue for Tokio {
    type Handle = Key;

    fn arm(&mut self, after: u64, value: u64) -> Key {
        let when = self.start + Duration::from_millis(after);
        self.queue.insert_at(value, when)
    }

    fn cancel(&mut self, handle: Key) -> u64 {
        self.queue.remove(&handle).into_inner()
    }
}

fn crowd(size: usize, seed: u64) -> Crowd<Tokio> {
    let queue = Tokio {
        queue: DelayQueue::new(),
        start: Instant::now() + HOUR,
    };
    Crowd::new(queue, size, seed)
}

pub(super) fn arm(size: usize, seed: u64) -> Box<dyn Work> {
    let _context = RUNTIME.enter();
    Box::new(InRuntime(Arming(crowd(size, seed))))
}

pub(super) fn cancel(size: usize, seed: u64) -> Box<dyn Work> {
    let _context = RUNTIME.enter();
    Box::new(InRuntime(Cancelling(crowd(size, seed))))
}

/// A work inside the runtime, which is entered once a run.
struct InRuntime<W>(W);

impl<W: Work> Work for InRuntime<W> {
    fn run(&mut self) {
        let _context = RUNTIME.enter();
        self.0.run();
    }

    fn result(&mut self) -> u64 {
        let _context = RUNTIME.enter();
        self.0.result()
    }

    fn needs_reset(&self) -> bool {
        self.0.needs_reset()
    }

    fn reset(&mut self) {
        let _context = RUNTIME.enter();
        self.0.reset();
    }
}

//! The threads.

use std::collections::VecDeque;
use std::fmt;
use std::num::NonZeroU32;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use orrery_ecs::{Resource, drop_quietly};

use super::super::waker::lock;
use super::error::BlockingError;

/// When results are delivered. The order is always that of the requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// So many ticks after the request, or as many more as one before it was given: so many calls
    /// of [`run_tasks`](super::super::WorldTasks::run_tasks), of which an app does one a tick. The
    /// tick waits for work that is not done by then, and for all that was asked for before: the run
    /// does not depend on how long it took. More ticks give the work more time.
    AfterTicks(NonZeroU32),
    /// At the beginning of the first tick at which it and all before it are done. No tick waits,
    /// and which tick it is depends on the machine.
    WhenDone,
}

/// A few threads for work that blocks, and how much of it there may be. A world makes its own with
/// the first request: two threads, room for 1,024, [`Delivery::AfterTicks`] of 1. Insert another to
/// have it otherwise.
///
/// Work begins in the order of the requests and must not need the result of a later one. Threads
/// are started when there is work, and joined when the last clone of the pool is dropped: what runs
/// is waited for, what has not begun is given up.
///
/// Room is counted in undelivered requests, so that under [`Delivery::AfterTicks`] it is a function
/// of the ticks whether there is any.
///
/// ```
/// use orrery::ecs::World;
/// use orrery::task::{Blocking, BlockingError, Delivery, WorldBlocking, WorldTasks};
/// let mut world = World::new();
/// world.insert_resource(Blocking::new(1, 2)?.with_delivery(Delivery::WhenDone));
/// let mut first = world.spawn_blocking(|| 6 * 7)?;
/// let second = world.spawn_blocking(|| panic!("no disk"))?;
/// assert_eq!(world.spawn_blocking(|| ()).err(), Some(BlockingError::Full { capacity: 2 }));
/// while !second.is_delivered() {
///     world.run_tasks(1);
/// }
/// assert_eq!(first.take(), Some(Ok(42)));
/// # Ok::<(), BlockingError>(())
/// ```
#[derive(Clone, Debug, Resource)]
#[resource(not_state)]
pub struct Blocking {
    pool: Arc<Pool>,
    capacity: usize,
    delivery: Delivery,
}

impl Default for Blocking {
    fn default() -> Self {
        Self {
            pool: Arc::new(Pool::new(2)),
            capacity: 1_024,
            delivery: Delivery::AfterTicks(NonZeroU32::MIN),
        }
    }
}

impl Blocking {
    /// The highest number of threads: they wait most of the time, and more would rather hide an
    /// error.
    pub const MAX_THREADS: usize = 256;

    /// A pool of so many threads with room for so many undelivered requests. Starts none yet.
    ///
    /// # Errors
    /// When one of the two is 0, or there are more threads than [`MAX_THREADS`](Self::MAX_THREADS).
    pub fn new(threads: usize, capacity: usize) -> Result<Self, BlockingError> {
        match (threads, capacity) {
            (0, _) => Err(BlockingError::ZeroThreads),
            (_, 0) => Err(BlockingError::ZeroCapacity),
            (Self::MAX_THREADS.., _) if threads > Self::MAX_THREADS => {
                let max = Self::MAX_THREADS;
                Err(BlockingError::TooManyThreads { threads, max })
            }
            _ => Ok(Self {
                pool: Arc::new(Pool::new(threads)),
                capacity,
                ..Self::default()
            }),
        }
    }

    /// Sets when results are delivered, for requests from now on.
    #[must_use]
    pub fn with_delivery(mut self, delivery: Delivery) -> Self {
        self.delivery = delivery;
        self
    }

    /// When results are delivered.
    pub fn delivery(&self) -> Delivery {
        self.delivery
    }

    /// Requests that may be undelivered at once.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Threads that it may start.
    pub fn thread_count(&self) -> usize {
        self.pool.threads_max
    }

    /// Sees to it that there is a thread for one more job.
    pub(super) fn reserve(&self) -> Result<(), BlockingError> {
        self.pool.reserve()
    }

    pub(super) fn push(&self, job: Job) {
        lock(&self.pool.jobs.queue).waiting.push_back(job);
        self.pool.jobs.come.notify_one();
    }
}

/// Work with the place for its result.
pub(super) type Job = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Job>,
    idle: usize,
    is_closed: bool,
}

/// What the threads share.
#[derive(Default)]
struct Jobs {
    queue: Mutex<Queue>,
    come: Condvar,
}

struct Pool {
    jobs: Arc<Jobs>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    threads_max: usize,
}

impl Pool {
    fn new(threads_max: usize) -> Self {
        Self {
            jobs: Arc::default(),
            threads: Mutex::default(),
            threads_max,
        }
    }

    fn reserve(&self) -> Result<(), BlockingError> {
        let mut threads = lock(&self.threads);
        let is_enough = {
            let queue = lock(&self.jobs.queue);
            queue.idle > queue.waiting.len()
        };
        if is_enough || threads.len() == self.threads_max {
            return Ok(());
        }
        let jobs = Arc::clone(&self.jobs);
        let name = format!("orrery-blocking-{}", threads.len());
        match thread::Builder::new().name(name).spawn(move || jobs.work()) {
            Ok(thread) => threads.push(thread),
            Err(error) if threads.is_empty() => {
                let kind = error.kind();
                return Err(BlockingError::NoThread { kind });
            }
            // Those that are there do it, later.
            Err(_) => {}
        }
        Ok(())
    }
}

impl Jobs {
    fn work(&self) {
        let mut queue = lock(&self.queue);
        loop {
            if let Some(job) = queue.waiting.pop_front() {
                drop(queue);
                // It contains the panics of the work. What is left is that of a result which nobody
                // waits for any more, in its drop.
                let done = catch_unwind(AssertUnwindSafe(job));
                done.unwrap_or_else(drop_quietly);
                queue = lock(&self.queue);
            } else if queue.is_closed {
                return;
            } else {
                queue.idle += 1;
                queue = self
                    .come
                    .wait(queue)
                    .unwrap_or_else(PoisonError::into_inner);
                queue.idle -= 1;
            }
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        let given_up = {
            let mut queue = lock(&self.jobs.queue);
            queue.is_closed = true;
            std::mem::take(&mut queue.waiting)
        };
        self.jobs.come.notify_all();
        for job in given_up {
            // What the work holds is dropped here, which is code of users.
            let dropped = catch_unwind(AssertUnwindSafe(|| drop(job)));
            dropped.unwrap_or_else(drop_quietly);
        }
        let threads = self.threads.get_mut();
        let threads = threads.unwrap_or_else(PoisonError::into_inner);
        let this = thread::current().id();
        for thread in threads.drain(..) {
            // Work that holds the last clone of its pool ends up here on a thread of that pool,
            // which cannot wait for itself.
            if thread.thread().id() != this {
                let _ = thread.join();
            }
        }
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool")
            .field("threads_max", &self.threads_max)
            .field("waiting", &lock(&self.jobs.queue).waiting.len())
            .finish()
    }
}

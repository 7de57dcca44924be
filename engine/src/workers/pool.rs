//! The threads, and the protocol by which they enter and leave a job.
//!
//! All of it turns on one atomic word (`state.rs`); the mutex and the two condition variables
//! only carry sleep.
//!
//! 1. **Post.** The caller sets `BUSY` (a second caller that finds it set works alone), stores the
//!    address of its job, then sets `OPEN` with the next epoch (Release).
//! 2. **Enter.** A worker that sees `OPEN` with a new epoch adds itself to `entered` by
//!    compare-exchange on the same word (Acquire, partner of 1). So entering a closed job is not
//!    possible, and the address read after it is that of the job that is open: the slot is written
//!    only under `BUSY`, before `OPEN` is set and while `entered` is 0.
//! 3. **Leave.** The worker subtracts itself (Release). If it was the last and `WAITING` is set,
//!    it wakes the caller.
//! 4. **Close.** The caller, out of indices, clears `OPEN`, and waits until it reads `entered == 0`
//!    (Acquire, partner of 3). Nobody holds the address any more: the job leaves the stack. Then it
//!    clears `BUSY` (Release; partner: the Acquire of the next caller in 1).
//!
//! **A job is posted while a worker falls asleep.** The worker announces itself in `sleeping` by
//! compare-exchange under the mutex, and only from a state without a new job. If the post comes
//! first the exchange fails and the worker takes the job; if it comes second the caller sees
//! `sleeping > 0` and must pass through the mutex, which it gets only when the worker waits.
//! **The last worker leaves while the caller falls asleep:** the same with `WAITING`.

use std::fmt;
use std::ptr;
use std::sync::PoisonError;
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use super::WorkersError;
use super::affinity::{Affinity, current_core};
use super::job::Job;
use super::state::{
    BUSY, ENTERED_MASK, ENTERED_ONE, EPOCH_MASK, EPOCH_ONE, OPEN, SHUTDOWN, SLEEPING_MASK,
    SLEEPING_ONE, WAITING, offers_job,
};
use super::sync::{
    Arc, AtomicPtr, AtomicU64, AtomicUsize, Condvar, JoinHandle, Mutex, MutexGuard, Ordering, hint,
    thread,
};

/// How long a worker without a job, or a caller whose workers are busy, spins before it sleeps:
/// long enough to bridge the serial parts of a tick, short enough to be nothing at 60 Hz.
const SPIN_MAX: Duration = Duration::from_micros(50);

/// Spins between two looks at the clock, which costs some ten of them.
const SPINS_PER_CLOCK: u32 = 32;

/// A pool of threads that runs loops; cloning the handle is cheap, the last one joins them.
///
/// # Examples
/// ```
/// use orrery::workers::Workers;
///
/// let workers = Workers::new(2)?;
/// let mut squares = vec![0; 1_000];
/// workers.chunks_mut(&mut squares, 64, &|chunk, squares| {
///     for (offset, square) in squares.iter_mut().enumerate() {
///         *square = (chunk * 64 + offset).pow(2);
///     }
/// });
/// assert_eq!(squares[999], 998_001);
/// # Ok::<(), orrery::workers::WorkersError>(())
/// ```
#[derive(Clone)]
pub struct Workers {
    pool: Arc<Pool>,
}

/// Owns the threads.
struct Pool {
    shared: Arc<Shared>,
    handles: Vec<JoinHandle<()>>,
}

/// What the threads see.
struct Shared {
    state: State,
    /// The job on offer; valid for those counted in `entered`.
    job: AtomicPtr<()>,
    /// Holds nothing; orders falling asleep with waking up.
    sleep: Mutex<()>,
    job_posted: Condvar,
    all_left: Condvar,
    /// The core whose thread last woke workers; a hint only.
    caller_core: AtomicUsize,
    /// Zero where threads outnumber cores: a spinner would keep the thread it waits for away.
    spin_max: Duration,
}

/// The word of `state.rs`, alone in its cache lines.
#[repr(align(128))]
struct State(AtomicU64);

impl Workers {
    /// The most threads: far above any machine, far below what the state word can count.
    pub const MAX_THREADS: usize = 1_024;

    /// Makes a pool of `threads` threads, the calling one included: 1 starts none.
    ///
    /// # Errors
    /// - [`WorkersError::ZeroThreads`] for 0.
    /// - [`WorkersError::TooManyThreads`] above [`Self::MAX_THREADS`].
    /// - [`WorkersError::Spawn`] if the system refuses a thread.
    pub fn new(threads: usize) -> Result<Self, WorkersError> {
        if threads == 0 {
            return Err(WorkersError::ZeroThreads);
        }
        if threads > Self::MAX_THREADS {
            return Err(WorkersError::TooManyThreads {
                threads,
                max: Self::MAX_THREADS,
            });
        }
        let cores = available_parallelism().map_or(1, usize::from);
        let shared = Arc::new(Shared::new(if threads > cores || cfg!(loom) {
            Duration::ZERO
        } else {
            SPIN_MAX
        }));
        // Ends the threads already started if a later one is refused.
        let mut pool = Pool {
            shared,
            handles: Vec::with_capacity(threads - 1),
        };
        for index in 1..threads {
            let shared = Arc::clone(&pool.shared);
            let handle = thread::Builder::new()
                .name(format!("orrery-{index}"))
                .spawn(move || shared.worker_loop())
                .map_err(|source| WorkersError::Spawn {
                    index,
                    threads,
                    source,
                })?;
            pool.handles.push(handle);
        }
        Ok(Self {
            pool: Arc::new(pool),
        })
    }

    /// Makes a pool without threads: every loop runs on its caller.
    pub fn serial() -> Self {
        let shared = Arc::new(Shared::new(Duration::ZERO));
        Self {
            pool: Arc::new(Pool {
                shared,
                handles: Vec::new(),
            }),
        }
    }

    /// Returns the number of threads that a loop may use, the caller included.
    pub fn thread_count(&self) -> usize {
        self.pool.handles.len() + 1
    }

    /// Whether a worker would have to be woken to help.
    pub(super) fn is_asleep(&self) -> bool {
        self.pool.shared.state.0.load(Ordering::Relaxed) & SLEEPING_MASK != 0
    }

    /// Runs `body(index)` once for every index in `0..count` and returns when all are done.
    ///
    /// Blocks until then. Called from inside a body, or while another thread uses the pool, it
    /// runs all of them on the calling thread, in order.
    ///
    /// # Panics
    /// With the panic of the lowest index whose body panicked, after all others have run.
    ///
    /// # Cost
    /// No allocation. Atomics: three, and one for each batch of indices. See the module's figures.
    pub fn for_each(&self, count: usize, body: &(dyn Fn(usize) + Sync)) {
        let threads = self.thread_count();
        let job = Job::new(count, threads, body);
        if threads > 1 && count > 1 && self.pool.shared.lock_slot() {
            self.pool.shared.share(&job, threads.min(count) - 1);
        } else {
            job.work();
        }
        job.resume_panic();
    }
}

#[cfg(all(test, not(loom)))]
impl Workers {
    /// Returns the word of state, for tests of what a job leaves behind.
    pub(super) fn state(&self) -> u64 {
        self.pool.shared.state.0.load(Ordering::Relaxed)
    }
}

impl fmt::Debug for Workers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workers")
            .field("thread_count", &self.thread_count())
            .finish()
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        let shared = &self.shared;
        shared.state.0.fetch_or(SHUTDOWN, Ordering::Relaxed);
        // Through the mutex, as for a post: a worker is before its check or in its wait.
        drop(shared.lock_sleep());
        shared.job_posted.notify_all();
        for handle in self.handles.drain(..) {
            // A body cannot unwind a worker, so a failed join has nothing to report. This is never
            // one of these threads: while they run a body, its caller borrows a handle.
            let _ = handle.join();
        }
    }
}

impl Shared {
    fn new(spin_max: Duration) -> Self {
        Self {
            // Epoch 0 is what a fresh worker has seen; the first job is epoch 1.
            state: State(AtomicU64::new(0)),
            job: AtomicPtr::new(ptr::null_mut()),
            sleep: Mutex::new(()),
            job_posted: Condvar::new(),
            all_left: Condvar::new(),
            caller_core: AtomicUsize::new(current_core()),
            spin_max,
        }
    }

    /// Takes the job slot; false if another caller has it.
    fn lock_slot(&self) -> bool {
        // Acquire: partner is the Release that clears BUSY.
        self.state.0.fetch_or(BUSY, Ordering::Acquire) & BUSY == 0
    }

    /// Posts `job`, works on it, and returns when every worker has left it. `helpers` is how many
    /// workers could be of use. Never unwinds: while a worker may hold the job, it must stay.
    fn share(&self, job: &Job<'_>, helpers: usize) {
        let address = ptr::from_ref(job).cast::<()>().cast_mut();
        self.job.store(address, Ordering::Relaxed);
        self.post(helpers);
        job.work();
        self.close_and_wait();
        // Release: partner is the Acquire of the next caller.
        self.state.0.fetch_and(!BUSY, Ordering::Release);
    }

    /// Opens the posted job and wakes as many sleepers as could be of use.
    fn post(&self, helpers: usize) {
        let quiet = |state| state & (OPEN | ENTERED_MASK) == 0;
        // Before the job is on offer: a panic after it would free a job that workers hold.
        debug_assert!(
            quiet(self.state.0.load(Ordering::Relaxed)),
            "the last job is still open"
        );
        // OPEN is clear and only the owner of BUSY sets it, so adding it sets it. Release:
        // publishes the job and everything the caller wrote before; partner in `try_enter`.
        let before = self.state.0.fetch_add(EPOCH_ONE | OPEN, Ordering::Release);
        let sleeping = ((before & SLEEPING_MASK) / SLEEPING_ONE) as usize;
        if sleeping == 0 {
            return;
        }
        self.caller_core.store(current_core(), Ordering::Relaxed);
        drop(self.lock_sleep());
        for _ in 0..sleeping.min(helpers) {
            self.job_posted.notify_one();
        }
    }

    /// Lets nobody in any more and waits until everybody is out.
    fn close_and_wait(&self) {
        // Acquire here and below: partner is the Release in `leave`.
        let before = self.state.0.fetch_and(!OPEN, Ordering::Acquire);
        if before & ENTERED_MASK == 0 || self.spin(|state| state & ENTERED_MASK == 0) {
            return;
        }
        let mut guard = self.lock_sleep();
        let mut state = self.state.0.fetch_or(WAITING, Ordering::Acquire);
        while state & ENTERED_MASK != 0 {
            guard = self
                .all_left
                .wait(guard)
                .unwrap_or_else(PoisonError::into_inner);
            state = self.state.0.load(Ordering::Acquire);
        }
        self.state.0.fetch_and(!WAITING, Ordering::Relaxed);
    }

    /// The life of a worker.
    fn worker_loop(&self) {
        let mut seen = 0;
        let mut affinity = Affinity::of_this_thread();
        loop {
            let ready = |state| offers_job(state, seen) || state & SHUTDOWN != 0;
            if !self.spin(ready) {
                // With more threads than cores every core has several of them anyway.
                if !self.spin_max.is_zero() {
                    affinity.avoid(self.caller_core.load(Ordering::Relaxed));
                }
                self.sleep_until(ready);
            }
            let state = self.state.0.load(Ordering::Relaxed);
            if state & SHUTDOWN != 0 {
                return;
            }
            if let Some(epoch) = self.try_enter(state, seen) {
                seen = epoch;
                let address = self.job.load(Ordering::Relaxed);
                // SAFETY: `share` stored the address of a live `Job` before it set OPEN, and
                // returns only when `entered` is 0; this thread is counted in it until `leave`
                // below. A `Job` is shared by reference only, and all in it is Sync.
                let job: &Job<'_> = unsafe { &*address.cast::<Job<'_>>() };
                job.work();
                self.leave();
            }
        }
    }

    /// Enters the job that `state` offers; returns its epoch, or `None` if there is none.
    fn try_enter(&self, mut state: u64, seen: u64) -> Option<u64> {
        while offers_job(state, seen) {
            // Acquire: partner is the Release in `post`, directly or through other workers'
            // exchanges, which continue its release sequence.
            let entered = state + ENTERED_ONE;
            match self.state.0.compare_exchange_weak(
                state,
                entered,
                Ordering::Acquire,
                Ordering::Relaxed,
            ) {
                Ok(_) => return Some(state & EPOCH_MASK),
                Err(now) => state = now,
            }
        }
        None
    }

    /// Leaves the job; the last one wakes the caller if it sleeps.
    fn leave(&self) {
        // Release: hands what the bodies wrote to the caller; partner in `close_and_wait`.
        let before = self.state.0.fetch_sub(ENTERED_ONE, Ordering::Release);
        if before & ENTERED_MASK == ENTERED_ONE && before & WAITING != 0 {
            drop(self.lock_sleep());
            self.all_left.notify_one();
        }
    }

    /// Spins until `ready` holds; false if it does not within the limit.
    fn spin(&self, ready: impl Fn(u64) -> bool) -> bool {
        if ready(self.state.0.load(Ordering::Acquire)) {
            return true;
        }
        if self.spin_max.is_zero() {
            return false;
        }
        let start = Instant::now();
        while start.elapsed() < self.spin_max {
            for _ in 0..SPINS_PER_CLOCK {
                hint::spin_loop();
                if ready(self.state.0.load(Ordering::Acquire)) {
                    return true;
                }
            }
        }
        false
    }

    /// Sleeps until `ready` holds, counted in `sleeping`.
    fn sleep_until(&self, ready: impl Fn(u64) -> bool) {
        let mut guard = self.lock_sleep();
        let mut state = self.state.0.load(Ordering::Relaxed);
        loop {
            if ready(state) {
                return;
            }
            // Not an addition: a post between the look and the count would see no sleeper.
            let counted = state + SLEEPING_ONE;
            match self.state.0.compare_exchange_weak(
                state,
                counted,
                Ordering::Relaxed,
                Ordering::Relaxed,
            ) {
                Ok(_) => break,
                Err(now) => state = now,
            }
        }
        while !ready(self.state.0.load(Ordering::Relaxed)) {
            guard = self
                .job_posted
                .wait(guard)
                .unwrap_or_else(PoisonError::into_inner);
        }
        self.state.0.fetch_sub(SLEEPING_ONE, Ordering::Relaxed);
        drop(guard);
    }

    fn lock_sleep(&self) -> MutexGuard<'_, ()> {
        self.sleep.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

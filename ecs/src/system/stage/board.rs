//! What threads that work on a stage agree on: which units are ready, running and done.
//!
//! Everything is behind one lock; units are worth far more than it costs, or they would not be
//! given away. A thread that finds nothing to do spins for some microseconds on a version number
//! and then sleeps. Whoever makes something ready, or ends something, raises the version under the
//! lock and wakes the sleepers, who look at it under the same lock: no wake-up is missed.
//!
//! The caller's thread alone runs units that must stay on it, and never leaves before the end. The
//! others are free to come late, to leave, or not to come at all.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::job::Job;
use super::plan::Plan;
use crate::query::BlockRunner;
use crate::storage::lock::lock;

/// Looks at the version before a thread without work sleeps: some 10 us.
const SPINS: u32 = 400;

#[derive(Default)]
struct State {
    /// How many units each one still waits for.
    waits: Vec<u32>,
    /// Units that any thread may run, the first one on top.
    ready: BinaryHeap<Reverse<u32>>,
    /// Units that the caller's thread must run.
    ready_here: BinaryHeap<Reverse<u32>>,
    running: usize,
    left: usize,
    /// Loops that take helpers.
    jobs: Vec<NonNull<Job<'static>>>,
    sleeping: usize,
}

// SAFETY: the pointers are to jobs, which are Sync; who follows one holds it by `helpers`.
unsafe impl Send for State {}

/// What a thread shall do next.
enum Task {
    Unit(usize),
    Help(NonNull<Job<'static>>),
    /// Nothing now; look again when the version is another.
    Wait(u64),
    Leave,
}

#[derive(Default)]
pub(super) struct Board {
    state: Mutex<State>,
    changed: Condvar,
    version: AtomicU64,
    /// The lowest node that failed: those behind it are not begun any more.
    limit: AtomicUsize,
}

impl Board {
    /// Says that the nodes from `limit` on are not to be begun.
    pub(super) fn set_limit(&mut self, limit: usize) {
        *self.limit.get_mut() = limit;
    }

    /// Readies the board for one run of a plan.
    pub(super) fn reset(&mut self, plan: &Plan) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        state.waits.clear();
        state.waits.extend(plan.units.iter().map(|unit| unit.waits));
        state.ready.clear();
        state.ready_here.clear();
        for (number, unit) in plan.units.iter().enumerate() {
            if unit.waits == 0 {
                state.push(number as u32, unit.is_send);
            }
        }
        (state.running, state.left) = (0, plan.units.len());
    }

    /// Whether a node is still to be begun.
    pub(super) fn is_wanted(&self, node: usize) -> bool {
        // Relaxed: units that a node depends on have ended under the lock, their failures told
        // before.
        node < self.limit.load(Ordering::Relaxed)
    }

    /// Says that a node has failed.
    pub(super) fn fail(&self, node: usize) {
        self.limit.fetch_min(node, Ordering::Relaxed);
    }

    /// The lowest node that failed, or the limit that was set.
    pub(super) fn limit(&mut self) -> usize {
        *self.limit.get_mut()
    }

    /// Works until the stage is done, or on another thread than the caller's until there is
    /// nothing that it could do before the caller has done something.
    ///
    /// `run` runs a unit and never unwinds.
    pub(super) fn take_part(&self, plan: &Plan, is_caller: bool, run: &(dyn Fn(usize) + Sync)) {
        loop {
            match self.next(is_caller) {
                Task::Unit(unit) => {
                    run(unit);
                    self.finish(plan, unit);
                }
                Task::Help(job) => self.help(job),
                Task::Wait(version) => self.wait(version),
                Task::Leave => return,
            }
        }
    }

    fn next(&self, is_caller: bool) -> Task {
        let mut state = lock(&self.state);
        if state.left == 0 {
            return Task::Leave;
        }
        let here = match is_caller {
            true => state.ready_here.pop(),
            false => None,
        };
        if let Some(Reverse(unit)) = here.or_else(|| state.ready.pop()) {
            state.running += 1;
            return Task::Unit(unit as usize);
        }
        // SAFETY: a listed job lives, for its owner takes it off the list before it ends.
        let has_work = |job: &&NonNull<Job<'static>>| unsafe { job.as_ref() }.has_work();
        if let Some(&job) = state.jobs.iter().find(has_work) {
            // SAFETY: as above; counted under the lock, it lives until `help` has ended.
            unsafe { job.as_ref() }
                .helpers
                .fetch_add(1, Ordering::Relaxed);
            return Task::Help(job);
        }
        if !is_caller && state.running == 0 {
            return Task::Leave;
        }
        Task::Wait(self.version.load(Ordering::Relaxed))
    }

    fn finish(&self, plan: &Plan, unit: usize) {
        let mut state = lock(&self.state);
        state.running -= 1;
        state.left -= 1;
        for &next in &plan.units[unit].next {
            let waits = &mut state.waits[next as usize];
            *waits -= 1;
            if *waits == 0 {
                state.push(next, plan.units[next as usize].is_send);
            }
        }
        self.tell(state);
    }

    fn help(&self, job: NonNull<Job<'static>>) {
        // SAFETY: `next` counted us among its helpers, for whom its owner waits.
        let helped = unsafe { job.as_ref() };
        helped.work();
        let state = lock(&self.state);
        helped.helpers.fetch_sub(1, Ordering::Relaxed);
        self.tell(state);
    }

    /// Says that something has changed.
    fn tell(&self, state: MutexGuard<'_, State>) {
        self.version.fetch_add(1, Ordering::Relaxed);
        let sleeping = state.sleeping;
        drop(state);
        if sleeping > 0 {
            self.changed.notify_all();
        }
    }

    /// Waits until the version is another.
    fn wait(&self, version: u64) {
        let is_new = || self.version.load(Ordering::Relaxed) != version;
        for spin in 0..SPINS {
            if is_new() {
                return;
            }
            match spin % 64 {
                // With more threads than cores the one that we wait for needs ours.
                63 => std::thread::yield_now(),
                _ => std::hint::spin_loop(),
            }
        }
        // std's condition variable orders nothing that ThreadSanitizer can see.
        if cfg!(orrery_tsan) {
            return;
        }
        let mut state = lock(&self.state);
        state.sleeping += 1;
        while !is_new() {
            let woken = self.changed.wait(state);
            state = woken.unwrap_or_else(PoisonError::into_inner);
        }
        state.sleeping -= 1;
    }

    /// Runs a loop with whoever has nothing else to do, and returns when all have left it.
    fn share(&self, count: usize, body: &(dyn Fn(usize) + Sync)) {
        let job = Job::new(count, body);
        let shared = NonNull::from(&job).cast::<Job<'static>>();
        let mut state = lock(&self.state);
        state.jobs.push(shared);
        self.tell(state);
        job.work();
        state = lock(&self.state);
        state.jobs.retain(|&other| other != shared);
        while job.helpers.load(Ordering::Relaxed) > 0 {
            let version = self.version.load(Ordering::Relaxed);
            drop(state);
            self.wait(version);
            state = lock(&self.state);
        }
        drop(state);
        job.resume_panic();
    }
}

impl State {
    fn push(&mut self, unit: u32, is_send: bool) {
        match is_send {
            true => self.ready.push(Reverse(unit)),
            false => self.ready_here.push(Reverse(unit)),
        }
    }
}

/// Shares loops with the threads that work on the same stage.
impl BlockRunner for Board {
    fn for_each(&self, count: usize, body: &(dyn Fn(usize) + Sync)) {
        self.share(count, body);
    }
}

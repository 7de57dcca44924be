//! The handle of a script.

use std::fmt;
use std::pin::Pin;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use super::error::TaskError;
use super::executor::ScriptId;
use super::running::running;
use super::waker::{Link, lock};

/// Someone has the handle, and there is no value yet.
const OPEN: u8 = 0;
/// Someone has the handle, and what came of the script is there or was taken.
const SETTLED: u8 = 1;
/// The handle is gone and does nothing any more; the outcome is empty.
const LEFT: u8 = 2;

/// Where a script leaves its value.
///
/// ```text
/// OPEN --settle--> SETTLED --leave--> LEFT --reopen--> OPEN
///   \----------------leave------------/
/// ```
///
/// One lies beside each future and is used again. The script settles it and opens it anew, the
/// handle leaves it, and each by one atomic step, so that a value is taken out by exactly one of
/// them wherever the handle is dropped. A script whose handle has gone touches no lock.
pub(super) struct Shared<T> {
    link: Arc<Link>,
    state: AtomicU8,
    outcome: Mutex<Outcome<T>>,
}

struct Outcome<T> {
    result: Option<Result<T, Box<TaskError>>>,
    waiter: Option<Waker>,
}

impl<T> Shared<T> {
    /// An open one.
    pub(super) fn new(link: Arc<Link>) -> Self {
        let (result, waiter) = (None, None);
        Self {
            link,
            state: AtomicU8::new(OPEN),
            outcome: Mutex::new(Outcome { result, waiter }),
        }
    }

    /// Opens it for another handle, if the one before has left.
    #[inline]
    pub(super) fn reopen(&self) -> bool {
        // Acquire, with the release in `leave`. The new handle gets it from this thread.
        let has_left = self.state.load(Ordering::Acquire) == LEFT;
        if has_left {
            self.state.store(OPEN, Ordering::Relaxed);
        }
        has_left
    }

    /// Whether a handle waits for a result. If it says no, that does not change.
    #[inline]
    pub(super) fn is_open(&self) -> bool {
        self.state.load(Ordering::Relaxed) == OPEN
    }

    /// Leaves a result, unless there is one already or nobody could take it, and wakes who waits.
    pub(super) fn settle(&self, result: Result<T, TaskError>) {
        let mut outcome = lock(&self.outcome);
        // Release, with the acquire in `is_finished`; who sees it finds the result behind the lock.
        let (success, failure) = (Ordering::Release, Ordering::Relaxed);
        let step = self.state.compare_exchange(OPEN, SETTLED, success, failure);
        if step.is_err() {
            // The handle left just now. The result is dropped last: it is a value of users.
            drop(outcome);
            return;
        }
        outcome.result = Some(result.map_err(Box::new));
        let waiter = outcome.waiter.take();
        drop(outcome);
        if let Some(waiter) = waiter {
            waiter.wake();
        }
    }

    /// The handle goes.
    fn leave(&self) {
        // Release, with the acquire in `reopen`; acquire, with the release of `settle`.
        let (success, failure) = (Ordering::Release, Ordering::Acquire);
        if self
            .state
            .compare_exchange(OPEN, LEFT, success, failure)
            .is_err()
        {
            let result = lock(&self.outcome).result.take();
            self.state.store(LEFT, Ordering::Release);
            // Last, because it is a value of users.
            drop(result);
        }
    }
}

/// A script: await it for its value, cancel it, or let it go by [`detach`](Task::detach).
///
/// Awaiting gives an error if it panicked or was cancelled. **Dropping the handle cancels the
/// script**, so that a script that is no longer waited for, as the loser of a
/// [`race`](super::race), ends with those who wanted it. Where a script is cancelled, its
/// destructors run before the next script does, or, outside a run, when scripts run next, in order
/// of spawning: systems that drop handles at the same time make no order.
///
/// ```
/// use orrery::ecs::World;
/// use orrery::task::WorldTasks;
/// let mut world = World::new();
/// let mut answer = world.spawn_task(async |script| {
///     script.sleep(2).await;
///     42
/// });
/// world.run_tasks(1);
/// assert!(!answer.is_finished());
/// world.run_tasks(3);
/// assert_eq!(answer.take(), Some(Ok(42)));
/// ```
#[must_use = "dropping the handle cancels the script; call `detach` to let it go on"]
pub struct Task<T> {
    shared: Arc<Shared<T>>,
    id: ScriptId,
    is_detached: bool,
    /// Whether a waker may lie there.
    has_waited: bool,
}

impl<T> Task<T> {
    pub(super) fn new(shared: Arc<Shared<T>>, id: ScriptId) -> Self {
        let (is_detached, has_waited) = (false, false);
        Self {
            shared,
            id,
            is_detached,
            has_waited,
        }
    }

    /// Which script it is.
    pub fn id(&self) -> ScriptId {
        self.id
    }

    /// Whether it has come to its end, was cancelled or has panicked.
    #[inline]
    pub fn is_finished(&self) -> bool {
        self.shared.state.load(Ordering::Acquire) == SETTLED
    }

    /// Takes what came of it, once it is finished and nobody has taken it before.
    pub fn take(&mut self) -> Option<Result<T, TaskError>> {
        let result = lock(&self.shared.outcome).result.take();
        result.map(|result| result.map_err(|error| *error))
    }

    /// Lets the script go on without a handle.
    #[inline]
    pub fn detach(mut self) {
        self.is_detached = true;
    }

    /// Ends the script where it waits, as dropping the handle does.
    pub fn cancel(self) {}

    #[cold]
    fn cancel_script(&self) {
        let link = &self.shared.link;
        if running(link.executor, |executor| executor.cancel(self.id)).is_none() {
            link.cancel(self.id);
        }
    }
}

impl<T> Drop for Task<T> {
    #[inline]
    fn drop(&mut self) {
        if self.has_waited {
            // Before it leaves: what lies there afterwards is of the next handle.
            let waiter = lock(&self.shared.outcome).waiter.take();
            drop(waiter);
        }
        if !self.is_detached && !self.is_finished() {
            self.cancel_script();
        }
        self.shared.leave();
    }
}

impl<T> Future for Task<T> {
    type Output = Result<T, TaskError>;

    /// # Panics
    /// When its value was taken before.
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.has_waited = true;
        let mut outcome = lock(&self.shared.outcome);
        if let Some(result) = outcome.result.take() {
            return Poll::Ready(result.map_err(|error| *error));
        }
        assert!(
            !self.is_finished(),
            "{} was awaited after its value had been taken",
            self.id
        );
        match &mut outcome.waiter {
            Some(waiter) => waiter.clone_from(cx.waker()),
            none => *none = Some(cx.waker().clone()),
        }
        Poll::Pending
    }
}

impl<T> fmt::Debug for Task<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Task")
            .field("id", &self.id)
            .field("is_finished", &self.is_finished())
            .finish()
    }
}

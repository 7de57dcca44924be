//! Where a result waits until it is delivered.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use super::super::error::{ScriptName, panic_message};
use super::super::waker::lock;
use super::error::BlockingError;
use super::pool::Job;

/// What came of work.
pub(super) type Outcome<T> = Result<T, BlockingError>;

struct State<T> {
    is_done: bool,
    is_delivered: bool,
    outcome: Option<Outcome<T>>,
    waker: Option<Waker>,
}

/// Shared by the job, the delivery and the handle.
pub(super) struct Pending<T> {
    state: Mutex<State<T>>,
    done: Condvar,
    work: ScriptName,
}

impl<T> Pending<T> {
    fn finish(&self, outcome: Outcome<T>) {
        let mut state = lock(&self.state);
        if !state.is_done {
            (state.is_done, state.outcome) = (true, Some(outcome));
            drop(state);
            self.done.notify_all();
        }
    }

    pub(super) fn is_done(&self) -> bool {
        lock(&self.state).is_done
    }

    /// Blocks until the work is done, and takes what came of it.
    pub(super) fn wait(&self) -> Option<Outcome<T>> {
        let mut state = lock(&self.state);
        while !state.is_done {
            state = self
                .done
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        state.outcome.take()
    }

    /// Blocks until the work is done, lets the handle see it, and returns who waits.
    pub(super) fn deliver(&self) -> Option<Waker> {
        let outcome = self.wait();
        let mut state = lock(&self.state);
        (state.is_delivered, state.outcome) = (true, outcome);
        state.waker.take()
    }

    /// Lets the handle see that nothing will come, and wakes who waits.
    pub(super) fn give_up(&self) {
        let work = self.work;
        let mut state = lock(&self.state);
        (state.is_done, state.is_delivered) = (true, true);
        let given_up = Some(Err(BlockingError::GivenUp { work }));
        let old = std::mem::replace(&mut state.outcome, given_up);
        let waker = state.waker.take();
        drop(state);
        // Both are code of users.
        drop(old);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// Sees to it that a job that is dropped without being done leaves a result as well.
struct Unfinished<T>(Arc<Pending<T>>);

impl<T> Drop for Unfinished<T> {
    fn drop(&mut self) {
        let work = self.0.work;
        self.0.finish(Err(BlockingError::GivenUp { work }));
    }
}

/// A job, and where its result will be.
pub(super) fn job<T, W>(work: W, name: ScriptName) -> (Job, Arc<Pending<T>>)
where
    W: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    let pending = Arc::new(Pending {
        state: Mutex::new(State {
            is_done: false,
            is_delivered: false,
            outcome: None,
            waker: None,
        }),
        done: Condvar::new(),
        work: name,
    });
    let unfinished = Unfinished(Arc::clone(&pending));
    let job = move || {
        let result = catch_unwind(AssertUnwindSafe(work));
        let outcome = result.map_err(|panic| BlockingError::Panicked {
            work: name,
            message: panic_message(panic),
        });
        unfinished.0.finish(outcome);
    };
    (Box::new(job), pending)
}

/// Work that was handed over: await it in a script, or [`take`](Request::take) its result in a
/// system. Neither sees anything before the tick in which it is delivered; see
/// [`Delivery`](super::Delivery). Dropping it does not stop the work.
#[must_use = "the result comes to nobody; use `spawn_blocking_then` for work without a handle"]
pub struct Request<T> {
    pending: Arc<Pending<T>>,
}

impl<T> Request<T> {
    pub(super) fn new(pending: Arc<Pending<T>>) -> Self {
        Self { pending }
    }

    /// Whether the result has been delivered.
    pub fn is_delivered(&self) -> bool {
        lock(&self.pending.state).is_delivered
    }

    /// Takes the result, once it is delivered and nobody has taken it before.
    pub fn take(&mut self) -> Option<Result<T, BlockingError>> {
        let mut state = lock(&self.pending.state);
        let is_delivered = state.is_delivered;
        is_delivered.then(|| state.outcome.take()).flatten()
    }
}

impl<T> Drop for Request<T> {
    fn drop(&mut self) {
        // Who does not wait any more is not to be woken.
        let waker = lock(&self.pending.state).waker.take();
        drop(waker);
    }
}

impl<T> Future for Request<T> {
    type Output = Result<T, BlockingError>;

    /// # Panics
    /// When its result was taken before.
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut state = lock(&self.pending.state);
        if state.is_delivered {
            let outcome = state.outcome.take();
            drop(state);
            return Poll::Ready(outcome.expect("a request is awaited before its result is taken"));
        }
        match &mut state.waker {
            Some(waker) => waker.clone_from(cx.waker()),
            none => *none = Some(cx.waker().clone()),
        }
        Poll::Pending
    }
}

impl<T> fmt::Debug for Request<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("work", &self.pending.work)
            .field("is_delivered", &self.is_delivered())
            .finish()
    }
}

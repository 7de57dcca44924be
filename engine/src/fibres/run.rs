//! The future that runs a fibre.

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use super::error::FibreError;
use super::fibre::Fibre;
use super::table::Seat;
use crate::task::Script;

/// Runs a function as a fibre when it is awaited; made by
/// [`ScriptFibres::fibre`](super::ScriptFibres::fibre). Dropping it unwinds the fibre.
#[must_use = "it runs when it is awaited"]
pub struct FibreRun<T, F> {
    script: Script,
    /// Until it begins.
    function: Option<F>,
    seat: Option<Seat>,
    /// That the fibre has; nothing is handed over while it stays the same.
    waker: Option<Waker>,
    result: Arc<Mutex<Option<T>>>,
}

impl<T, F> FibreRun<T, F> {
    pub(super) fn new(script: Script, function: F) -> Self {
        Self {
            script,
            function: Some(function),
            seat: None,
            waker: None,
            result: Arc::default(),
        }
    }
}

impl<T, F> Unpin for FibreRun<T, F> {}

impl<T, F> Future for FibreRun<T, F>
where
    F: FnOnce(&Fibre<'_>) -> T + 'static,
    T: 'static,
{
    type Output = Result<T, FibreError>;

    /// # Panics
    /// When the fibre does, or it is polled again after its end.
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        if let Some(function) = this.function.take() {
            let (script, result) = (this.script, Arc::clone(&this.result));
            let seat = Seat::new(move |suspend, waker| {
                let value = function(&Fibre::new(script, suspend, waker));
                *result.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
            });
            match seat {
                Ok(seat) => this.seat = Some(seat),
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
        let is_known = |known: &Waker| known.will_wake(cx.waker());
        let waker = match this.waker.as_ref().is_some_and(is_known) {
            true => None,
            false => Some(cx.waker().clone()),
        };
        if waker.is_some() {
            this.waker.clone_from(&waker);
        }
        // Taken out, so that a panic leaves nothing to be unwound.
        let seat = this
            .seat
            .take()
            .expect("a fibre that has ended is not polled");
        match seat.resume(waker) {
            Ok(false) => {
                this.seat = Some(seat);
                Poll::Pending
            }
            Ok(true) => {
                let result = this.result.lock();
                let value = result.unwrap_or_else(PoisonError::into_inner).take();
                Poll::Ready(Ok(value.expect("it has returned")))
            }
            Err(error) => {
                seat.leave();
                Poll::Ready(Err(error))
            }
        }
    }
}

impl<T, F> Drop for FibreRun<T, F> {
    fn drop(&mut self) {
        if let Some(seat) = self.seat.take() {
            seat.leave();
        }
    }
}

impl<T, F> fmt::Debug for FibreRun<T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FibreRun")
            .field("script", &self.script)
            .field("has_begun", &self.function.is_none())
            .finish()
    }
}

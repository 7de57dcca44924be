//! Panics of user code that must wait until a structural change is whole.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// The first panic of several pieces of user code, kept for later.
///
/// Dropping one that holds a panic swallows it; whoever makes one ends with `resume`.
#[must_use]
#[derive(Default)]
pub(crate) struct FirstPanic(Option<Box<dyn Any + Send>>);

impl FirstPanic {
    /// Runs user code that may leave nothing half done: drop of values.
    pub(crate) fn catch(&mut self, code: impl FnOnce()) {
        let Err(panic) = catch_unwind(AssertUnwindSafe(code)) else {
            return;
        };
        if self.0.is_none() {
            self.0 = Some(panic);
        } else {
            // The payload's own drop is user code too and could panic in the middle of a change.
            std::mem::forget(panic);
        }
    }

    /// Takes over a panic that somebody else kept, if it is the first.
    pub(crate) fn merge(&mut self, other: Self) {
        match other.0 {
            Some(panic) if self.0.is_none() => self.0 = Some(panic),
            // As in `catch`.
            Some(panic) => std::mem::forget(panic),
            None => {}
        }
    }

    /// Goes on with the panic, if there was one.
    pub(crate) fn resume(self) {
        if let Some(panic) = self.0 {
            resume_unwind(panic);
        }
    }
}

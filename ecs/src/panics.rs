//! Panics of user code that must wait until a structural change is whole.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// What a drop panics with may panic when it is dropped, and so on without an end: so many are
/// dropped, the next one is left where it is.
const PANICS_MAX: usize = 16;

/// Drops a value of user code, for instance what a panic carries, where a panic must not get out:
/// in the middle of a change, or instead of another one. What the drop itself panics with is lost.
#[doc(hidden)]
pub fn drop_quietly<T>(value: T) {
    let mut next = catch_unwind(AssertUnwindSafe(|| drop(value))).err();
    for _ in 0..PANICS_MAX {
        let Some(panic) = next else {
            return;
        };
        next = catch_unwind(AssertUnwindSafe(|| drop(panic))).err();
    }
    std::mem::forget(next);
}

/// What the panic says that ends a change whose world has gone.
const REPLACED: &str = "an observer or a hook put another world in the place of the one that was \
                        changing, which is lost; do that in an exclusive system, in commands of a \
                        system, or in an observer of an event of your own";

/// Ends a change whose world user code has replaced. Nothing of the old world is left, and its
/// numbers mean something else in the new one, so nobody waits with this panic: whatever else the
/// change had to do is not done.
#[cold]
pub(crate) fn world_is_replaced() -> ! {
    std::panic::panic_any(REPLACED)
}

fn says_replaced(panic: &(dyn Any + Send)) -> bool {
    let text = panic.downcast_ref::<&'static str>();
    text.is_some_and(|text| *text == REPLACED)
}

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
        if says_replaced(&*panic) && !std::thread::panicking() {
            drop_quietly(self.0.take());
            resume_unwind(panic);
        }
        if self.0.is_none() {
            self.0 = Some(panic);
        } else {
            drop_quietly(panic);
        }
    }

    /// Takes over a panic that somebody else kept, if it is the first.
    pub(crate) fn merge(&mut self, other: Self) {
        match other.0 {
            Some(panic) if self.0.is_none() => self.0 = Some(panic),
            Some(panic) => drop_quietly(panic),
            None => {}
        }
    }

    /// Says nothing of it: for a place where another panic is on its way, which is the one to be
    /// told.
    pub(crate) fn hush(self) {
        drop_quietly(self.0);
    }

    /// For the end of a `Drop`: goes on with the panic, unless another one is already on its way to
    /// the user, which a second would turn into an abort.
    pub(crate) fn resume_from_drop(self) {
        if std::thread::panicking() {
            self.hush();
        } else {
            self.resume();
        }
    }

    /// Goes on with the panic, if there was one.
    pub(crate) fn resume(self) {
        if let Some(panic) = self.0 {
            resume_unwind(panic);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
    use std::sync::Arc;

    use super::{FirstPanic, drop_quietly};

    /// What is carried by a panic, and panics itself when it is dropped.
    struct Bomb(Option<Arc<()>>);

    impl Drop for Bomb {
        fn drop(&mut self) {
            if let Some(token) = self.0.take() {
                drop(token);
                resume_unwind(Box::new(Self(None)));
            }
        }
    }

    fn explode(token: &Arc<()>) {
        resume_unwind(Box::new(Bomb(Some(Arc::clone(token)))));
    }

    #[test]
    fn of_several_panics_the_first_goes_on_and_what_the_others_carry_is_dropped() {
        let token = Arc::new(());
        let (mut first, mut second) = (FirstPanic::default(), FirstPanic::default());
        first.catch(|| resume_unwind(Box::new("first")));
        for panicked in [&mut first, &mut second] {
            panicked.catch(|| explode(&token));
            panicked.catch(|| explode(&token));
        }
        assert_eq!(
            Arc::strong_count(&token),
            2,
            "the second list keeps its first"
        );
        first.merge(second);
        assert_eq!(Arc::strong_count(&token), 1);
        let panic = catch_unwind(AssertUnwindSafe(|| first.resume())).expect_err("it panicked");
        assert_eq!(panic.downcast_ref(), Some(&"first"));
    }

    #[test]
    fn a_panic_that_is_hushed_is_dropped_and_says_nothing() {
        let token = Arc::new(());
        let mut panicked = FirstPanic::default();
        panicked.catch(|| explode(&token));
        panicked.hush();
        drop_quietly(Bomb(Some(Arc::clone(&token))));
        assert_eq!(Arc::strong_count(&token), 1);
    }
}

//! A run: the turns of the scripts that are due, one after the other, and what panics on the way.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::{Context, Poll, Waker};

use super::body::Boxed;
use super::error::{ScriptName, TaskError, panic_message};
use super::executor::{After, Ended, Executor, Run, ScriptId};
use super::owner::unmark;
use super::running::{lend, running};

/// Ends a run, also where code of users panics between two turns.
struct Ending(u64);

impl Drop for Ending {
    fn drop(&mut self) {
        running(self.0, Executor::end);
    }
}

/// Runs the scripts whose turn it is, in order. The world has been entered.
pub(super) fn run(executor: u64, tick: u64) {
    let _ending = Ending(executor);
    let wakers = running(executor, |it| it.begin(tick)).unwrap_or_default();
    wake_all(executor, wakers);
    cancel_all(executor);
    let mut run = Run {
        id: ScriptId { number: 0, slot: 0 },
        body: None,
        waker: None,
    };
    let mut goes_on = running(executor, |it| it.start_next(&mut run)) == Some(true);
    while goes_on {
        let ended = poll(executor, &mut run);
        // One visit to the executor a turn, as a rule.
        goes_on = match running(executor, |it| it.change_turns(&mut run, ended)) {
            Some(After::Turn(goes_on)) => goes_on,
            Some(after) => {
                clean(executor, after);
                running(executor, |it| it.start_next(&mut run)) == Some(true)
            }
            None => false,
        };
    }
}

#[inline]
fn poll(executor: u64, run: &mut Run) -> Ended {
    let (Some(body), Some(waker)) = (&mut run.body, &run.waker) else {
        return Ended::Waits;
    };
    let cx = &mut Context::from_waker(waker);
    match catch_unwind(AssertUnwindSafe(|| body.as_mut().poll(cx))) {
        Ok(Poll::Pending) => Ended::Waits,
        Ok(Poll::Ready(())) => Ended::Finished,
        Err(panic) => fail(executor, body, run.id.slot, panic_message(panic)),
    }
}

#[cold]
fn clean(executor: u64, after: After) {
    if let After::Unmark(entity) = after {
        let _ = lend(|world| unmark(world, entity));
    }
    // Who observes the marker may despawn in its turn.
    cancel_all(executor);
}

/// Drops what a panic left of a future, and tells who waits.
#[cold]
fn fail(executor: u64, body: &mut Boxed, slot: u32, message: String) -> Ended {
    let script = running(executor, |it| it.name(slot));
    let script = script.expect("it has run on");
    let error = TaskError::Panicked { script, message };
    end_body(executor, body, script, error.clone());
    Ended::Panicked(Box::new(error))
}

/// Drops a future and tells who waits. Both are code of users, whose panics are kept.
pub(super) fn end_body(executor: u64, body: &mut Boxed, script: ScriptName, error: TaskError) {
    let dropped = catch_unwind(AssertUnwindSafe(|| body.as_mut().drop_future()));
    let told = catch_unwind(AssertUnwindSafe(|| body.fail(error)));
    for panic in [dropped, told].into_iter().filter_map(Result::err) {
        let message = panic_message(panic);
        running(executor, |it| {
            it.report(TaskError::Panicked { script, message });
        });
    }
}

/// Wakes in a run. Wakers of combinators are code of users, and one that panics keeps nobody else
/// from being woken.
pub(super) fn wake_all(executor: u64, wakers: Vec<Waker>) {
    for waker in wakers {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| waker.wake())) {
            let message = panic_message(panic);
            running(executor, |it| {
                it.report(TaskError::WakerPanicked { message });
            });
        }
    }
}

/// Ends all scripts that were cancelled, in that order. The world has been entered.
pub(super) fn cancel_all(executor: u64) {
    while let Some((id, script, mut body)) = running(executor, Executor::next_cancelled).flatten() {
        end_body(executor, &mut body, script, TaskError::Cancelled { script });
        let bare = running(executor, |it| it.end_cancelled(id.slot, body));
        if let Some(entity) = bare.flatten() {
            let _ = lend(|world| unmark(world, entity));
        }
    }
}

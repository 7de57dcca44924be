//! Waiting for ticks.

use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use super::executor::Executor;
use super::order::Sleeper;
use super::running::running;
use crate::time::TimerId;

/// Waits for a tick; made by [`Script::sleep`](super::Script::sleep). Counts from the tick in which
/// it is first polled.
#[derive(Debug)]
#[must_use = "it waits when it is awaited"]
pub struct Sleep {
    executor: u64,
    ticks: u64,
    due: Option<u64>,
    place: Place,
}

/// Who will wake it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    None,
    /// The list of those who wait for the next tick; the script is woken.
    Next,
    Wheel(TimerId),
}

impl Sleep {
    pub(super) fn new(executor: u64, ticks: u64) -> Self {
        Self {
            executor,
            ticks,
            due: None,
            place: Place::None,
        }
    }

    fn poll_in(&mut self, executor: &mut Executor, waker: &Waker) -> Poll<()> {
        let now = executor.order.tick;
        let due = *self.due.get_or_insert(now.saturating_add(self.ticks));
        if due <= now {
            return Poll::Ready(());
        }
        let current = executor.current_of(waker);
        match (self.place, current) {
            // As a rule.
            (Place::None, Some(it)) if self.ticks == 1 => {
                executor.order.wake_next_tick(it.number, it.slot);
                self.place = Place::Next;
            }
            // Polled for something else; the script is woken all the same.
            (Place::Next, Some(_)) => {}
            (place, current) => {
                let sleeper = match current {
                    Some(it) => Sleeper::Script {
                        number: it.number,
                        slot: it.slot,
                    },
                    None => Sleeper::Waker(waker.clone()),
                };
                match place {
                    Place::Wheel(timer) => executor.order.set_sleeper(timer, sleeper),
                    _ => self.place = Place::Wheel(executor.order.arm(due, sleeper)),
                }
            }
        }
        Poll::Pending
    }
}

impl Future for Sleep {
    type Output = ();

    /// # Panics
    /// When it is polled by anything but a script of its world.
    #[inline]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let polled = running(self.executor, |executor| self.poll_in(executor, cx.waker()));
        let polled = polled.expect("a script awaits what came from its own handle");
        if polled.is_ready() {
            // The wheel has given its timer out.
            self.place = Place::None;
        }
        polled
    }
}

impl Drop for Sleep {
    #[inline]
    fn drop(&mut self) {
        if let Place::Wheel(timer) = self.place {
            // What slept is dropped when nothing is borrowed any more.
            drop(running(self.executor, |it| it.order.cancel(timer)));
        }
    }
}

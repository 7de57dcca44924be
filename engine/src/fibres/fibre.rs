//! What a fibre has in its hands.

use std::cell::RefCell;
use std::fmt;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use orrery_ecs::{Entity, Event, World};

use super::table::Suspend;
use crate::task::{BlockingError, Script};

/// A fibre's own handle. It waits for the same things as a [`Script`], and returns when they have
/// come.
///
/// A destructor must not wait while its fibre is unwound: that is a panic in a panic, which ends
/// the process.
pub struct Fibre<'a> {
    script: Script,
    suspend: &'a Suspend,
    waker: RefCell<Option<Waker>>,
}

impl<'a> Fibre<'a> {
    pub(super) fn new(script: Script, suspend: &'a Suspend, waker: Option<Waker>) -> Self {
        let waker = RefCell::new(waker);
        Self {
            script,
            suspend,
            waker,
        }
    }

    /// The handle of the script that it is, for [`wait`](Self::wait) and for spawning.
    pub fn script(&self) -> Script {
        self.script
    }

    /// The entity that it belongs to.
    pub fn entity(&self) -> Option<Entity> {
        self.script.entity()
    }

    /// The tick that runs.
    pub fn tick(&self) -> u64 {
        self.script.tick()
    }

    /// Calls a function with the world; see [`Script::with`]. The function must not wait.
    ///
    /// # Panics
    /// As [`Script::with`].
    pub fn with<R>(&self, call: impl FnOnce(&mut World) -> R) -> R {
        self.script.with(call)
    }

    /// Waits for any future that a script can await.
    ///
    /// ```
    /// use orrery::ecs::World;
    /// use orrery::fibres::WorldFibres;
    /// use orrery::task::{Either, WorldTasks, race};
    /// let mut world = World::new();
    /// let mut winner = world.spawn_fibre(|fibre| {
    ///     let script = fibre.script();
    ///     fibre.wait(race(script.sleep(9), script.sleep(2)))
    /// });
    /// (1..=3).for_each(|tick| world.run_tasks(tick));
    /// assert_eq!(winner.take(), Some(Ok(Ok(Either::Right(())))));
    /// ```
    ///
    /// # Panics
    /// While the thread unwinds: whoever runs next would find it panicking. Inside
    /// [`with`](Self::with): whoever runs next would find no world.
    pub fn wait<F: IntoFuture>(&self, future: F) -> F::Output {
        assert!(
            !std::thread::panicking(),
            "a destructor must not wait while its fibre is unwound"
        );
        assert!(
            self.script.has_world(),
            "a fibre must not wait inside `with`: it would keep the world from all others"
        );
        let mut future = pin!(future.into_future());
        loop {
            // A clone, because the future may wait on this fibre in its turn.
            let waker = self.waker.borrow().clone();
            let waker = waker.unwrap_or_else(|| Waker::noop().clone());
            match future.as_mut().poll(&mut Context::from_waker(&waker)) {
                Poll::Ready(value) => return value,
                Poll::Pending => {
                    if let Some(other) = self.suspend.suspend(()) {
                        self.waker.replace(Some(other));
                    }
                }
            }
        }
    }

    /// Waits for the next tick.
    pub fn next_tick(&self) {
        self.wait(self.script.next_tick());
    }

    /// Waits for so many ticks; 0 goes on at once.
    pub fn sleep(&self, ticks: u64) {
        self.wait(self.script.sleep(ticks));
    }

    /// Waits until a question has an answer; see [`Script::until`].
    pub fn until<R>(&self, ask: impl FnMut(&mut World) -> Option<R>) -> R {
        self.wait(self.script.until(ask))
    }

    /// Waits for the next event of a type; see [`Script::event`].
    pub fn event<E: Event + Clone>(&self) -> E {
        self.wait(self.script.event())
    }

    /// Waits for the next event of a type that is triggered for one entity.
    pub fn event_for<E: Event + Clone>(&self, entity: Entity) -> E {
        self.wait(self.script.event_for(entity))
    }

    /// Does work that blocks on another thread; see [`Script::blocking`].
    ///
    /// # Errors
    /// As [`Script::blocking`].
    pub fn blocking<T, W>(&self, work: W) -> Result<T, BlockingError>
    where
        W: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        self.wait(self.script.blocking(work))
    }
}

impl fmt::Debug for Fibre<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fibre")
            .field("script", &self.script)
            .finish()
    }
}

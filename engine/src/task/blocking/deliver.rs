//! Requests of a world, and their delivery in order.

use std::any::type_name;
use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::sync::Arc;

use orrery_ecs::{Commands, Resource, World};

use super::super::error::{ScriptName, TaskError, panic_message};
use super::super::listen::wake_in_run;
use super::super::scripts::report;
use super::error::BlockingError;
use super::pool::{Blocking, Delivery};
use super::request::{Outcome, Pending, Request, job};

/// What is to be delivered, with the type of its result erased.
trait Deliver: Send + Sync {
    fn is_done(&self) -> bool;
    /// Blocks until the work is done.
    fn deliver(&mut self, world: &mut World);
    fn give_up(&self);
}

/// To a handle.
struct ToHandle<T>(Arc<Pending<T>>);

impl<T: Send> Deliver for ToHandle<T> {
    fn is_done(&self) -> bool {
        self.0.is_done()
    }

    fn deliver(&mut self, world: &mut World) {
        if let Some(waker) = self.0.deliver() {
            wake_in_run(world, vec![waker]);
        }
    }

    fn give_up(&self) {
        self.0.give_up();
    }
}

/// To a function. The mutex is there because resources are shared with systems.
struct ToFunction<T, F> {
    pending: Arc<Pending<T>>,
    then: std::sync::Mutex<Option<F>>,
    name: ScriptName,
}

impl<T, F> Deliver for ToFunction<T, F>
where
    T: Send,
    F: FnOnce(&mut World, Outcome<T>) + Send,
{
    fn is_done(&self) -> bool {
        self.pending.is_done()
    }

    fn deliver(&mut self, world: &mut World) {
        let then = super::super::waker::lock(&self.then).take();
        if let (Some(outcome), Some(then)) = (self.pending.wait(), then) {
            call(world, then, outcome, self.name);
        }
    }

    fn give_up(&self) {}
}

/// A panic of the function is contained, as that of a script.
fn call<T>(
    world: &mut World,
    then: impl FnOnce(&mut World, Outcome<T>),
    outcome: Outcome<T>,
    script: ScriptName,
) {
    let called = catch_unwind(AssertUnwindSafe(|| then(world, outcome)));
    if let Err(panic) = called {
        let message = panic_message(panic);
        report(world, TaskError::Panicked { script, message });
    }
}

struct Expected {
    /// The run of tasks in which it is delivered; `None` for when it is done.
    due: Option<u64>,
    to: Box<dyn Deliver>,
}

/// Requests of a world that are not delivered, in order. The resource is there while there are any,
/// and then a fork is refused by its name. Taking it out takes them all out; dropping it gives them
/// up. A script that awaits one of them must be of the world in whose run they are delivered or
/// dropped; otherwise it is not woken, and that is reported ([`TaskError::StrayWake`]).
#[derive(Default, Resource)]
#[resource(no_clone, not_state)]
pub struct Requests {
    expected: VecDeque<Expected>,
    /// Runs of tasks since it was made.
    runs: u64,
    /// The last `due` so far, which they follow in order.
    last_due: u64,
}

impl Requests {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.expected.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.expected.is_empty()
    }

    fn next_due(&mut self) -> Option<Expected> {
        // One that is due also waits for those before it. As a rule they are all of one kind.
        let first_due = match self.last_due {
            0 => None,
            _ => self.expected.iter().find_map(|expected| expected.due),
        };
        let is_due = first_due.is_some_and(|due| due <= self.runs);
        self.expected
            .pop_front_if(|first| is_due || (first.due.is_none() && first.to.is_done()))
    }
}

impl Drop for Requests {
    fn drop(&mut self) {
        self.expected
            .iter()
            .for_each(|expected| expected.to.give_up());
    }
}

impl fmt::Debug for Requests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Requests")
            .field("len", &self.len())
            .finish()
    }
}

/// Delivers what is due, in order. What is asked for meanwhile waits for the next run.
pub(in super::super) fn deliver(world: &mut World) {
    let Some(requests) = world.get_resource_mut::<Requests>() else {
        return;
    };
    requests.runs += 1;
    for _ in 0..requests.len() {
        let requests = world.get_resource_mut::<Requests>();
        let Some(mut expected) = requests.and_then(Requests::next_due) else {
            break;
        };
        expected.to.deliver(world);
    }
    let requests = world.get_resource::<Requests>();
    if requests.is_some_and(Requests::is_empty) {
        world.remove_resource::<Requests>();
    }
}

/// Hands work over, or gives it back.
fn request<T, W>(
    world: &mut World,
    work: W,
    name: ScriptName,
    to: impl FnOnce(Arc<Pending<T>>) -> Box<dyn Deliver>,
) -> Result<Arc<Pending<T>>, (BlockingError, W)>
where
    W: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    let pool = world.get_resource_or_init::<Blocking>().clone();
    let requests = world.get_resource_or_init::<Requests>();
    let capacity = pool.capacity();
    if requests.len() >= capacity {
        return Err((BlockingError::Full { capacity }, work));
    }
    if let Err(error) = pool.reserve() {
        return Err((error, work));
    }
    let due = match pool.delivery() {
        Delivery::AfterTicks(ticks) => {
            let due = requests.runs + u64::from(ticks.get());
            requests.last_due = requests.last_due.max(due);
            Some(requests.last_due)
        }
        Delivery::WhenDone => None,
    };
    let (job, pending) = job(work, name);
    let to = to(Arc::clone(&pending));
    requests.expected.push_back(Expected { due, to });
    pool.push(job);
    Ok(pending)
}

/// Hands work over, or gives it back for another time.
#[track_caller]
pub(in super::super) fn try_spawn<T, W>(
    world: &mut World,
    work: W,
) -> Result<Request<T>, (BlockingError, W)>
where
    W: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    let name = name::<W>(Location::caller());
    let to = |pending| -> Box<dyn Deliver> { Box::new(ToHandle(pending)) };
    request(world, work, name, to).map(Request::new)
}

fn name<W>(place: &'static Location<'static>) -> ScriptName {
    let function = type_name::<W>();
    ScriptName { function, place }
}

fn spawn_then<T, W, F>(
    world: &mut World,
    work: W,
    then: F,
    name: ScriptName,
) -> Result<(), (BlockingError, F)>
where
    W: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
    F: FnOnce(&mut World, Outcome<T>) + Send + 'static,
{
    let mut then = Some(then);
    let to = |pending| -> Box<dyn Deliver> {
        let then = std::sync::Mutex::new(then.take());
        Box::new(ToFunction {
            pending,
            then,
            name,
        })
    };
    match request(world, work, name, to) {
        Ok(_) => Ok(()),
        Err((error, _)) => Err((error, then.expect("it was not handed over"))),
    }
}

/// Blocking work from a world.
pub trait WorldBlocking {
    /// Hands work to the world's [`Blocking`], which is made if there is none.
    ///
    /// # Errors
    /// When there is no room, or no thread.
    #[track_caller]
    fn spawn_blocking<T, W>(&mut self, work: W) -> Result<Request<T>, BlockingError>
    where
        W: FnOnce() -> T + Send + 'static,
        T: Send + 'static;

    /// Hands work over with a function for what comes of it, which gets the world at the beginning
    /// of a tick. If it panics, [`Tasks`](super::super::Tasks) has the error.
    ///
    /// # Errors
    /// As [`spawn_blocking`](Self::spawn_blocking); the function is not called then.
    #[track_caller]
    fn spawn_blocking_then<T, W, F>(&mut self, work: W, then: F) -> Result<(), BlockingError>
    where
        W: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
        F: FnOnce(&mut World, Result<T, BlockingError>) + Send + 'static;
}

impl WorldBlocking for World {
    #[track_caller]
    fn spawn_blocking<T, W>(&mut self, work: W) -> Result<Request<T>, BlockingError>
    where
        W: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        try_spawn(self, work).map_err(|(error, _)| error)
    }

    #[track_caller]
    fn spawn_blocking_then<T, W, F>(&mut self, work: W, then: F) -> Result<(), BlockingError>
    where
        W: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
        F: FnOnce(&mut World, Outcome<T>) + Send + 'static,
    {
        let name = name::<W>(Location::caller());
        spawn_then(self, work, then, name).map_err(|(error, _)| error)
    }
}

/// Blocking work from systems.
pub trait CommandBlocking {
    /// Hands work over when the commands are done; see [`WorldBlocking::spawn_blocking_then`]. If
    /// it cannot be taken, the function gets the error at once.
    ///
    /// ```
    /// use orrery::ecs::{Commands, Resource, World};
    /// use orrery::task::{CommandBlocking, WorldTasks};
    /// #[derive(Clone, Resource)]
    /// struct Level(String);
    /// let mut world = World::new();
    /// world.run_system_once(|mut commands: Commands| {
    ///     let read = || String::from("as if from a file");
    ///     commands.spawn_blocking_then(read, |world, text| {
    ///         world.insert_resource(Level(text.expect("reading does not panic")));
    ///     });
    /// })?;
    /// world.run_tasks(1);
    /// assert_eq!(world.resource::<Level>().0, "as if from a file");
    /// # Ok::<(), orrery::ecs::SystemError>(())
    /// ```
    #[track_caller]
    fn spawn_blocking_then<T, W, F>(&mut self, work: W, then: F)
    where
        W: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
        F: FnOnce(&mut World, Result<T, BlockingError>) + Send + 'static;
}

impl CommandBlocking for Commands<'_, '_> {
    #[track_caller]
    fn spawn_blocking_then<T, W, F>(&mut self, work: W, then: F)
    where
        W: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
        F: FnOnce(&mut World, Outcome<T>) + Send + 'static,
    {
        let name = name::<W>(Location::caller());
        self.queue(move |world| {
            if let Err((error, then)) = spawn_then(world, work, then, name) {
                call(world, then, Err(error), name);
            }
        });
    }
}

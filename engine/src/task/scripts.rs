//! The resources: living scripts, and what is known of all of them.

use std::any::type_name;
use std::fmt;
use std::panic::Location;
use std::sync::{Arc, Mutex, PoisonError};

use orrery_ecs::{Entity, Resource, World};

use super::body::Filling;
use super::error::{ScriptName, TaskError};
use super::executor::{ERRORS_MAX, Executor, ScriptId};
use super::handle::{Shared, Task};
use super::owner::mark;
use super::running::running_in;
use super::script::Script;
use super::waker::lock;

/// The living scripts of a world. The resource is there while there are any, and then a fork is
/// refused by its name: a future has no clone.
///
/// Taking it out takes all scripts out, so that the world can be forked; putting it back lets them
/// go on, in the fork if that is where it is put. Dropping it cancels them.
///
/// ```
/// use orrery::ecs::World;
/// use orrery::task::{Scripts, WorldTasks};
/// let mut world = World::new();
/// world.spawn_task(async |script| script.sleep(9).await).detach();
/// let error = world.fork().map(|_| ()).expect_err("a future has no clone");
/// assert!(error.to_string().contains("task::scripts::Scripts"));
/// let scripts = world.remove_resource::<Scripts>().expect("one lives");
/// let without_scripts = world.fork()?;
/// world.insert_resource(scripts);
/// # Ok::<(), orrery::ecs::ForkError>(())
/// ```
#[derive(Resource)]
#[resource(no_clone, not_state)]
pub struct Scripts {
    /// A mutex only because resources are shared with systems, and futures are not.
    executor: Mutex<Option<Box<Executor>>>,
}

impl Scripts {
    fn new(executor: Box<Executor>) -> Self {
        let executor = Mutex::new(Some(executor));
        Self { executor }
    }

    /// How many scripts live.
    pub fn len(&self) -> usize {
        lock(&self.executor).as_ref().map_or(0, |it| it.living())
    }

    /// Whether none lives.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Which scripts live, in order of spawning.
    pub fn names(&self) -> Vec<ScriptName> {
        let executor = lock(&self.executor);
        executor.as_ref().map_or(Vec::new(), |it| it.names())
    }

    pub(super) fn executor(&mut self) -> Option<&mut Executor> {
        self.place().as_deref_mut()
    }

    pub(super) fn id(&mut self) -> Option<u64> {
        self.executor().map(|executor| executor.id)
    }

    pub(super) fn take(&mut self) -> Option<Box<Executor>> {
        self.place().take()
    }

    pub(super) fn put(&mut self, executor: Box<Executor>) {
        *self.place() = Some(executor);
    }

    fn place(&mut self) -> &mut Option<Box<Executor>> {
        let place = self.executor.get_mut();
        place.unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Scripts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scripts")
            .field("names", &self.names())
            .finish()
    }
}

/// What scripts of a world did so far. No part of the state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TaskCounters {
    /// Scripts that were spawned.
    pub spawned: u64,
    /// Those that came to their end.
    pub finished: u64,
    /// Those that were cancelled.
    pub cancelled: u64,
    /// Those that panicked.
    pub panicked: u64,
    /// Turns that scripts had: how often one was polled.
    pub turns: u64,
    /// Wakes from outside a run, which had no effect.
    pub strays: u64,
    /// Events that a listener lost because it held [`LISTENER_EVENTS_MAX`].
    ///
    /// [`LISTENER_EVENTS_MAX`]: super::LISTENER_EVENTS_MAX
    pub events_lost: u64,
    /// Errors beyond [`ERRORS_MAX`] that were not kept.
    pub errors_lost: u64,
}

/// A resource that tells what became of scripts, as of the end of their last run. It is there from
/// the first script on, a fork takes it along, and it is no part of the state.
#[derive(Clone, Debug, Default, Resource)]
#[resource(not_state)]
pub struct Tasks {
    counters: TaskCounters,
    errors: Vec<TaskError>,
    parked: Parked,
}

impl Tasks {
    /// Counts over the life of the world.
    pub fn counters(&self) -> TaskCounters {
        self.counters
    }

    /// Errors that nobody has taken, in the order in which they came; [`ERRORS_MAX`] at most.
    pub fn errors(&self) -> &[TaskError] {
        &self.errors
    }

    /// Takes the errors.
    pub fn take_errors(&mut self) -> Vec<TaskError> {
        std::mem::take(&mut self.errors)
    }
}

/// An executor without scripts, kept for its memory. A fork makes its own.
#[derive(Default)]
struct Parked(Mutex<Option<Box<Executor>>>);

impl Parked {
    fn place(&mut self) -> &mut Option<Box<Executor>> {
        let place = self.0.get_mut();
        place.unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&mut self) -> Box<Executor> {
        self.place().take().unwrap_or_default()
    }

    fn id(&mut self) -> u64 {
        self.place().get_or_insert_default().id
    }
}

impl Clone for Parked {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl fmt::Debug for Parked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Parked")
    }
}

/// Writes down what happened, and takes the resource away if no script lives.
pub(super) fn settle(world: &mut World) {
    let Some(scripts) = world.get_resource_mut::<Scripts>() else {
        return;
    };
    let Some(executor) = scripts.executor() else {
        return;
    };
    let counters = executor.counters;
    let errors = std::mem::take(&mut executor.errors);
    let is_empty = executor.living() == 0;
    let tasks = world.get_resource_or_init::<Tasks>();
    tasks.counters = counters;
    for error in errors {
        match tasks.errors.len() < ERRORS_MAX {
            true => tasks.errors.push(error),
            false => tasks.counters.errors_lost += 1,
        }
    }
    let errors_lost = tasks.counters.errors_lost;
    if let Some(executor) = world
        .get_resource_mut::<Scripts>()
        .and_then(Scripts::executor)
    {
        executor.counters.errors_lost = errors_lost;
    }
    if is_empty
        && let Some(mut scripts) = world.remove_resource::<Scripts>()
        && let Some(executor) = scripts.take()
    {
        let parked = &mut world.get_resource_or_init::<Tasks>().parked;
        *parked.place() = Some(executor);
    }
}

/// Keeps an error of a world whose scripts may be running.
pub(super) fn report(world: &mut World, error: TaskError) {
    let mut error = Some(error);
    let mut keep = |executor: &mut Executor| {
        if let Some(error) = error.take() {
            executor.report(error);
        }
    };
    if running_in(world.id(), &mut keep).is_none() {
        with_executor(world, keep);
        settle(world);
    }
}

/// Calls a function with the executor of a world outside a run, made if there is none. The function
/// must not panic where there is none.
#[inline]
fn with_executor<R>(world: &mut World, call: impl FnOnce(&mut Executor) -> R) -> R {
    let scripts = world.get_resource_mut::<Scripts>();
    if let Some(executor) = scripts.and_then(Scripts::executor) {
        return call(executor);
    }
    unpark(world);
    let executor = world.resource_mut::<Scripts>().executor();
    call(executor.expect("it is out only while scripts run, which was asked before"))
}

#[cold]
fn unpark(world: &mut World) {
    let tasks = world.get_resource_or_init::<Tasks>();
    let mut executor = tasks.parked.take();
    executor.counters = tasks.counters;
    world.insert_resource(Scripts::new(executor));
}

/// The number of the executor of a world. Where no script lives, none is said to.
fn executor_id(world: &mut World) -> u64 {
    if let Some(id) = running_in(world.id(), |executor| executor.id) {
        return id;
    }
    let scripts = world.get_resource_mut::<Scripts>();
    match scripts.and_then(Scripts::id) {
        Some(id) => id,
        None => world.get_resource_or_init::<Tasks>().parked.id(),
    }
}

/// What a script is made of.
pub(super) struct Spawning<F> {
    pub(super) function: F,
    pub(super) name: ScriptName,
    pub(super) has_handle: bool,
}

/// The id of a script, and what its handle looks at if it has one.
pub(super) type Spawned<T> = (ScriptId, Option<Arc<Shared<T>>>);

/// Spawns a script that belongs to no entity, in a world whose scripts may be running.
#[inline]
pub(super) fn spawn<F, Fut>(world: &mut World, spawning: Spawning<F>) -> Spawned<Fut::Output>
where
    F: FnOnce(Script) -> Fut,
    Fut: Future + Send + 'static,
    Fut::Output: Send + 'static,
{
    let Spawning {
        function,
        name,
        has_handle,
    } = spawning;
    // As a rule; one visit.
    if running_in(world.id(), |_| ()).is_none() {
        let scripts = world.get_resource_mut::<Scripts>();
        if let Some(executor) = scripts.and_then(Scripts::executor) {
            let future = function(Script::new(executor.id, None));
            let mut filling = Filling::new(future, has_handle);
            let id = executor.spawn(&mut filling, None, name);
            return (id, filling.into_shared());
        }
    }
    // Called while nothing is borrowed, and before a script is said to live: it is code of users.
    let future = function(Script::new(executor_id(world), None));
    add(world, future, None, name, has_handle)
}

/// Spawns a script that belongs to an entity; `None` if that does not live.
pub(super) fn spawn_for<F, Fut>(
    world: &mut World,
    entity: Entity,
    spawning: Spawning<F>,
) -> Option<Spawned<Fut::Output>>
where
    F: FnOnce(Script) -> Fut,
    Fut: Future + Send + 'static,
    Fut::Output: Send + 'static,
{
    if !world.contains(entity) {
        return None;
    }
    let Spawning {
        function,
        name,
        has_handle,
    } = spawning;
    // Before the mark, which would stay if it panicked.
    let future = function(Script::new(executor_id(world), Some(entity)));
    mark(world, entity).then(|| add(world, future, Some(entity), name, has_handle))
}

fn add<F>(
    world: &mut World,
    future: F,
    entity: Option<Entity>,
    name: ScriptName,
    has_handle: bool,
) -> Spawned<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    let mut filling = Filling::new(future, has_handle);
    let mut add = |executor: &mut Executor| executor.spawn(&mut filling, entity, name);
    let id = match running_in(world.id(), &mut add) {
        Some(id) => id,
        None => with_executor(world, add),
    };
    (id, filling.into_shared())
}

impl<F> Spawning<F> {
    pub(super) fn new(function: F, place: &'static Location<'static>, has_handle: bool) -> Self {
        let name = type_name::<F>();
        Self {
            function,
            name: ScriptName {
                function: name,
                place,
            },
            has_handle,
        }
    }
}

/// The handle of a script that was spawned with one.
pub(super) fn handle<T>((id, shared): Spawned<T>) -> Task<T> {
    Task::new(shared.expect("a handle was asked for"), id)
}

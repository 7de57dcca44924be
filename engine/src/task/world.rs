//! What worlds and commands offer around scripts.

use std::panic::Location;

use orrery_ecs::{Commands, Entity, NoSuchEntity, World};

use super::blocking::deliver;
use super::error::TaskError;
use super::handle::Task;
use super::running::{enter, running_in};
use super::script::Script;
use super::scripts::{Spawning, handle, report, spawn, spawn_for};
use super::turns::run;

/// Spawning and running of scripts.
pub trait WorldTasks {
    /// Spawns a script: an async function or closure of a [`Script`]. Its first turn comes in the
    /// present run, if scripts run, or else in the next one. The function itself is called at once
    /// and makes the future.
    ///
    /// # Cost
    /// No allocation if a script of the same function has ended before.
    ///
    /// ```
    /// use orrery::ecs::World;
    /// use orrery::task::WorldTasks;
    /// let mut world = World::new();
    /// let name = String::from("one");
    /// world.spawn_task(async move |script| {
    ///     script.next_tick().await;
    ///     assert_eq!((script.tick(), &*name), (6, "one"));
    /// }).detach();
    /// world.run_tasks(5);
    /// world.run_tasks(6);
    /// ```
    #[track_caller]
    fn spawn_task<F, Fut>(&mut self, function: F) -> Task<Fut::Output>
    where
        F: FnOnce(Script) -> Fut,
        Fut: Future + Send + 'static,
        Fut::Output: Send + 'static;

    /// As [`spawn_task`](Self::spawn_task) with [`detach`](Task::detach), for a script that nobody
    /// waits for: without a handle there is no place for its value either.
    ///
    /// # Cost
    /// A tenth less than spawning one with a handle, which takes three atomic steps.
    ///
    /// ```
    /// use orrery::ecs::World;
    /// use orrery::task::{Tasks, WorldTasks};
    /// let mut world = World::new();
    /// world.spawn_task_detached(async |script| script.next_tick().await);
    /// (1..=2).for_each(|tick| world.run_tasks(tick));
    /// assert_eq!(world.resource::<Tasks>().counters().finished, 1);
    /// ```
    #[track_caller]
    fn spawn_task_detached<F, Fut>(&mut self, function: F)
    where
        F: FnOnce(Script) -> Fut,
        Fut: Future + Send + 'static,
        Fut::Output: Send + 'static;

    /// Spawns a script that belongs to an entity: when that is despawned, the script is cancelled.
    /// Its destructors run at once, before whatever else the despawn causes; if it is a script that
    /// despawns the entity, they run when that script waits or ends, before the next one's turn.
    ///
    /// # Errors
    /// When the entity does not live; the function is not called then.
    ///
    /// # Cost
    /// The entity has a sparse marker component of this module while it has scripts.
    #[track_caller]
    fn spawn_task_for<F, Fut>(
        &mut self,
        entity: Entity,
        function: F,
    ) -> Result<Task<Fut::Output>, NoSuchEntity>
    where
        F: FnOnce(Script) -> Fut,
        Fut: Future + Send + 'static,
        Fut::Output: Send + 'static;

    /// Delivers what came of blocking work, then runs each script that is due by `tick`, in order.
    /// An app does it at the beginning of each tick. Inside a run of the same world it does
    /// nothing.
    ///
    /// A tick that lies behind the last one is taken for that one.
    ///
    /// # Panics
    /// When a script puts another world in the place of this one.
    ///
    /// # Cost
    /// Two look-ups where there are no scripts.
    fn run_tasks(&mut self, tick: u64);
}

impl WorldTasks for World {
    #[track_caller]
    fn spawn_task<F, Fut>(&mut self, function: F) -> Task<Fut::Output>
    where
        F: FnOnce(Script) -> Fut,
        Fut: Future + Send + 'static,
        Fut::Output: Send + 'static,
    {
        handle(spawn(
            self,
            Spawning::new(function, Location::caller(), true),
        ))
    }

    #[track_caller]
    #[inline]
    fn spawn_task_detached<F, Fut>(&mut self, function: F)
    where
        F: FnOnce(Script) -> Fut,
        Fut: Future + Send + 'static,
        Fut::Output: Send + 'static,
    {
        spawn(self, Spawning::new(function, Location::caller(), false));
    }

    #[track_caller]
    fn spawn_task_for<F, Fut>(
        &mut self,
        entity: Entity,
        function: F,
    ) -> Result<Task<Fut::Output>, NoSuchEntity>
    where
        F: FnOnce(Script) -> Fut,
        Fut: Future + Send + 'static,
        Fut::Output: Send + 'static,
    {
        let spawning = Spawning::new(function, Location::caller(), true);
        let spawned = spawn_for(self, entity, spawning);
        spawned.map(handle).ok_or(NoSuchEntity { entity })
    }

    fn run_tasks(&mut self, tick: u64) {
        if running_in(self.id(), |_| ()).is_some() {
            return;
        }
        deliver(self);
        enter(self, |executor| run(executor, tick));
    }
}

/// Scripts from systems. They go on without a handle.
pub trait CommandTasks {
    /// Spawns a script when the commands are done; see [`WorldTasks::spawn_task`].
    ///
    /// ```
    /// use orrery::ecs::{Commands, World};
    /// use orrery::task::{CommandTasks, Tasks, WorldTasks};
    /// let mut world = World::new();
    /// world.run_system_once(|mut commands: Commands| {
    ///     commands.spawn_task(async |script| script.next_tick().await);
    /// })?;
    /// world.run_tasks(1);
    /// world.run_tasks(2);
    /// assert_eq!(world.resource::<Tasks>().counters().finished, 1);
    /// # Ok::<(), orrery::ecs::SystemError>(())
    /// ```
    #[track_caller]
    fn spawn_task<F, Fut>(&mut self, function: F)
    where
        F: FnOnce(Script) -> Fut + Send + 'static,
        Fut: Future + Send + 'static,
        Fut::Output: Send + 'static;

    /// Spawns a script for an entity when the commands are done; see
    /// [`WorldTasks::spawn_task_for`]. If the entity is dead by then, there is no script, and
    /// [`Tasks`](super::Tasks) has the error.
    #[track_caller]
    fn spawn_task_for<F, Fut>(&mut self, entity: Entity, function: F)
    where
        F: FnOnce(Script) -> Fut + Send + 'static,
        Fut: Future + Send + 'static,
        Fut::Output: Send + 'static;
}

impl CommandTasks for Commands<'_, '_> {
    #[track_caller]
    fn spawn_task<F, Fut>(&mut self, function: F)
    where
        F: FnOnce(Script) -> Fut + Send + 'static,
        Fut: Future + Send + 'static,
        Fut::Output: Send + 'static,
    {
        let spawning = Spawning::new(function, Location::caller(), false);
        self.queue(move |world| _ = spawn(world, spawning));
    }

    #[track_caller]
    fn spawn_task_for<F, Fut>(&mut self, entity: Entity, function: F)
    where
        F: FnOnce(Script) -> Fut + Send + 'static,
        Fut: Future + Send + 'static,
        Fut::Output: Send + 'static,
    {
        let spawning = Spawning::new(function, Location::caller(), false);
        self.queue(move |world| {
            let script = spawning.name;
            if spawn_for(world, entity, spawning).is_none() {
                report(world, TaskError::NoEntity { script, entity });
            }
        });
    }
}

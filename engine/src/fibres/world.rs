//! Spawning of fibres.

use orrery_ecs::{Entity, NoSuchEntity, World};

use super::error::FibreError;
use super::fibre::Fibre;
use super::run::FibreRun;
use crate::task::{Script, Task, WorldTasks};

/// Fibres from a script.
pub trait ScriptFibres {
    /// Runs a function as a fibre when it is awaited.
    fn fibre<T, F>(self, function: F) -> FibreRun<T, F>
    where
        F: FnOnce(&Fibre<'_>) -> T + 'static,
        T: 'static;
}

impl ScriptFibres for Script {
    fn fibre<T, F>(self, function: F) -> FibreRun<T, F>
    where
        F: FnOnce(&Fibre<'_>) -> T + 'static,
        T: 'static,
    {
        FibreRun::new(self, function)
    }
}

/// Fibres from a world.
pub trait WorldFibres {
    /// Spawns a script that runs a function as a fibre; see
    /// [`spawn_task`](WorldTasks::spawn_task).
    #[track_caller]
    fn spawn_fibre<T, F>(&mut self, function: F) -> Task<Result<T, FibreError>>
    where
        F: FnOnce(&Fibre<'_>) -> T + Send + 'static,
        T: Send + 'static;

    /// Spawns such a script for an entity; see [`spawn_task_for`](WorldTasks::spawn_task_for).
    ///
    /// # Errors
    /// When the entity does not live.
    #[track_caller]
    fn spawn_fibre_for<T, F>(
        &mut self,
        entity: Entity,
        function: F,
    ) -> Result<Task<Result<T, FibreError>>, NoSuchEntity>
    where
        F: FnOnce(&Fibre<'_>) -> T + Send + 'static,
        T: Send + 'static;
}

impl WorldFibres for World {
    #[track_caller]
    fn spawn_fibre<T, F>(&mut self, function: F) -> Task<Result<T, FibreError>>
    where
        F: FnOnce(&Fibre<'_>) -> T + Send + 'static,
        T: Send + 'static,
    {
        self.spawn_task(|script| script.fibre(function))
    }

    #[track_caller]
    fn spawn_fibre_for<T, F>(
        &mut self,
        entity: Entity,
        function: F,
    ) -> Result<Task<Result<T, FibreError>>, NoSuchEntity>
    where
        F: FnOnce(&Fibre<'_>) -> T + Send + 'static,
        T: Send + 'static,
    {
        self.spawn_task_for(entity, |script| script.fibre(function))
    }
}

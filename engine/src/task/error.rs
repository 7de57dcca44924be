//! What can happen to a script.

use std::any::Any;
use std::fmt;
use std::panic::Location;

use orrery_ecs::{Entity, drop_quietly};
use thiserror::Error;

/// Which script: the function that it was made of, and where it was spawned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScriptName {
    pub(super) function: &'static str,
    pub(super) place: &'static Location<'static>,
}

impl ScriptName {
    /// Path of the function, or of the function in which the closure stands.
    pub fn function(&self) -> &'static str {
        let mut name = self.function;
        while let Some(outer) = name.strip_suffix("::{{closure}}") {
            name = outer;
        }
        name
    }

    /// Where it was spawned.
    pub fn place(&self) -> &'static Location<'static> {
        self.place
    }
}

impl fmt::Display for ScriptName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} spawned at {}", self.function(), self.place)
    }
}

/// Why a script came to no value, or was not woken.
///
/// ```
/// use orrery::ecs::World;
/// use orrery::task::{TaskError, Tasks, WorldTasks};
/// let mut world = World::new();
/// world.spawn_task(async |_| panic!("no key")).detach();
/// world.run_tasks(1);
/// let errors = world.resource_mut::<Tasks>().take_errors();
/// assert!(matches!(&errors[0], TaskError::Panicked { message, .. } if message == "no key"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TaskError {
    /// It panicked, or its destructors did. Other scripts go on.
    #[error("the script {script} panicked: {message}")]
    Panicked {
        /// Which.
        script: ScriptName,
        /// What the panic said.
        message: String,
    },
    /// Its entity was despawned, its handle dropped, or its world.
    #[error("the script {script} was cancelled")]
    Cancelled {
        /// Which.
        script: ScriptName,
    },
    /// A command spawned it for an entity that was dead when the command was done.
    #[error("the script {script} was not spawned: its entity {entity} does not live any more")]
    NoEntity {
        /// Which.
        script: ScriptName,
        /// The handle.
        entity: Entity,
    },
    /// It waits for something of another thread or world, which would make its runs depend on
    /// what the machine does besides. It was not woken. If the waker is of a script that has ended,
    /// this is the one that has its place now.
    #[error(
        "the script {script} was to be woken from outside its world's ticks, and was not; wait for \
         an event, or for other threads through Script::blocking"
    )]
    StrayWake {
        /// Which.
        script: ScriptName,
    },
    /// A waker that a combinator had put in front of a script's own panicked. Others were woken.
    #[error("a waker that a script had left with what it awaits panicked: {message}")]
    WakerPanicked {
        /// What the panic said.
        message: String,
    },
    /// Scripts woke and spawned each other without end in one tick; the others wait for the next.
    #[error(
        "scripts woke or spawned each other {limit} times in tick {tick}, last {script}; the \
         others wait for the next tick"
    )]
    EndlessTick {
        /// The one whose turn it was.
        script: ScriptName,
        /// The tick.
        tick: u64,
        /// How often is too often: [`WAKES_MAX`](super::WAKES_MAX).
        limit: u64,
    },
}

/// What a panic said.
pub(super) fn panic_message(panic: Box<dyn Any + Send>) -> String {
    match panic.downcast::<String>() {
        Ok(text) => *text,
        Err(panic) => match panic.downcast::<&'static str>() {
            Ok(text) => (*text).to_owned(),
            Err(other) => {
                drop_quietly(other);
                "a value that is no text".to_owned()
            }
        },
    }
}

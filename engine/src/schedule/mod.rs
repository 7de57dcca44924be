//! Systems in the order in which they were added.
//!
//! A schedule runs its systems one after the other; a chunk system's blocks are spread over the
//! workers. What a system's commands ask for is done before the next system runs, so each one
//! sees the world as if all before it had run alone (contract C3).
//!
//! Left out so far: sets, ordering constraints, run conditions, systems side by side, fusion.

mod systems;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use orrery_ecs::{BlockRunner, System, SystemError, World};
use thiserror::Error;

pub use systems::IntoSystems;

/// A list of systems that run together.
///
/// ```
/// use orrery::ecs::{ResMut, Resource, Serial, World};
/// use orrery::schedule::Schedule;
///
/// #[derive(Clone, Resource)]
/// struct Log(Vec<&'static str>);
///
/// let mut world = World::new();
/// world.insert_resource(Log(Vec::new()));
/// let mut schedule = Schedule::new("example");
/// schedule.add_systems((
///     |mut log: ResMut<Log>| log.0.push("first"),
///     |mut log: ResMut<Log>| log.0.push("second"),
/// ));
/// schedule.run(&mut world, &Serial)?;
/// assert_eq!(world.resource::<Log>().0, ["first", "second"]);
/// # Ok::<(), orrery::schedule::ScheduleError>(())
/// ```
pub struct Schedule {
    name: &'static str,
    systems: Vec<Box<dyn System>>,
}

/// A schedule stopped before its end.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ScheduleError {
    /// A system could not be run; those before it have run.
    #[error("schedule {schedule}: {source}")]
    System {
        /// The schedule.
        schedule: &'static str,
        /// Why.
        source: SystemError,
    },
    /// A system panicked; those before it have run, those after it have not.
    #[error("schedule {schedule}: system {system} panicked: {message}")]
    Panicked {
        /// The schedule.
        schedule: &'static str,
        /// The system.
        system: &'static str,
        /// What it said.
        message: String,
    },
}

impl Schedule {
    /// A schedule without systems.
    pub fn new(name: &'static str) -> Self {
        Self {
            name,
            systems: Vec::new(),
        }
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Adds a system, or a tuple of systems, behind those already there.
    pub fn add_systems<M>(&mut self, systems: impl IntoSystems<M>) -> &mut Self {
        systems.add_to(&mut self.systems);
        self
    }

    /// Names of its systems in the order in which they run.
    pub fn systems(&self) -> impl ExactSizeIterator<Item = &'static str> {
        self.systems.iter().map(|system| system.name())
    }

    /// Finds out what every system uses, so that mistakes show before the first tick.
    ///
    /// # Errors
    /// When two parameters of a system exclude each other.
    pub fn initialize(&mut self, world: &mut World) -> Result<(), ScheduleError> {
        let schedule = self.name;
        for system in &mut self.systems {
            system
                .initialize(world)
                .map_err(|source| ScheduleError::System { schedule, source })?;
        }
        Ok(())
    }

    /// Runs every system once, in order.
    ///
    /// # Errors
    /// When a system cannot be run or panics; the systems after it are not run. The world is
    /// whole, as far as that system left it so.
    pub fn run(
        &mut self,
        world: &mut World,
        runner: &dyn BlockRunner,
    ) -> Result<(), ScheduleError> {
        let schedule = self.name;
        for system in &mut self.systems {
            let ran = catch_unwind(AssertUnwindSafe(|| system.run(world, runner)));
            match ran {
                Ok(Ok(())) => {}
                Ok(Err(source)) => return Err(ScheduleError::System { schedule, source }),
                Err(panic) => {
                    let (system, message) = (system.name(), message_of(&*panic));
                    // A payload whose own drop panics has said enough.
                    if let Err(second) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
                        std::mem::forget(second);
                    }
                    return Err(ScheduleError::Panicked {
                        schedule,
                        system,
                        message,
                    });
                }
            }
        }
        Ok(())
    }
}

fn message_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| String::from(*text));
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| String::from("(no message)"))
}

#[cfg(test)]
mod tests {
    use orrery_ecs::{Commands, Component, Query, Res, ResMut, Resource, Serial};

    use super::*;

    #[derive(Clone, Copy, Component)]
    struct Number(u64);

    #[derive(Clone, Default, Resource)]
    struct Seen(Vec<usize>);

    fn spawn_one(mut commands: Commands) {
        commands.spawn(Number(1));
    }

    fn count(numbers: Query<&Number>, mut seen: ResMut<Seen>) {
        let count = numbers.iter().map(|number| number.0 as usize).sum();
        seen.0.push(count);
    }

    #[test]
    fn a_system_sees_what_the_commands_of_the_one_before_it_did() {
        let mut world = World::new();
        world.init_resource::<Seen>();
        let mut schedule = Schedule::new("test");
        schedule.add_systems((count, spawn_one, count, spawn_one, count));
        schedule
            .run(&mut world, &Serial)
            .expect("nothing is missing");
        assert_eq!(world.resource::<Seen>().0, [0, 1, 2]);
    }

    #[test]
    fn a_missing_resource_is_an_error_that_names_system_and_resource() {
        let mut schedule = Schedule::new("test");
        schedule.add_systems(|_: Res<Seen>| ());
        let error = schedule
            .run(&mut World::new(), &Serial)
            .expect_err("there is no Seen");
        let text = error.to_string();
        assert!(
            text.contains("Seen") && text.contains("a_missing_resource"),
            "{text}"
        );
    }

    #[test]
    fn a_panic_names_its_system_and_stops_the_schedule() {
        let mut world = World::new();
        world.init_resource::<Seen>();
        let mut schedule = Schedule::new("test");
        fn explode(_: Query<&Number>) {
            panic!("a number is missing");
        }
        schedule.add_systems((count, explode, count));
        let error = schedule.run(&mut world, &Serial).expect_err("it panics");
        let text = error.to_string();
        assert!(
            text.contains("explode") && text.contains("a number is missing"),
            "{text}"
        );
        assert_eq!(world.resource::<Seen>().0.len(), 1);
    }

    #[test]
    fn one_schedule_runs_on_a_world_and_on_its_fork() {
        let mut world = World::new();
        world.init_resource::<Seen>();
        let mut schedule = Schedule::new("test");
        schedule.add_systems((spawn_one, count));
        schedule
            .run(&mut world, &Serial)
            .expect("nothing is missing");
        let mut fork = world.fork().expect("everything is Clone");
        schedule
            .run(&mut fork, &Serial)
            .expect("nothing is missing");
        schedule
            .run(&mut world, &Serial)
            .expect("nothing is missing");
        assert_eq!(fork.state_hash(), world.state_hash());
        assert_eq!(fork.resource::<Seen>().0, [1, 2]);
    }
}

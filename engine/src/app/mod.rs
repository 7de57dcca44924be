//! The app: a world, its schedules, and who drives the ticks.
//!
//! ```text
//! run(Runner)
//!   Startup once
//!   frame: First, PreUpdate
//!          0..n ticks (scripts, FixedUpdate, then Time goes on by one step)
//!          Update, PostUpdate, Last
//! ```
//!
//! Real time decides how many ticks a frame has, never what a tick sees.

#[cfg(test)]
mod event_tests;
mod exit;
mod runner;

#[cfg(test)]
mod clock_tests;
#[cfg(test)]
mod complaints;
#[cfg(test)]
mod task_tests;

use std::any::TypeId;

use orrery_ecs::World;
use thiserror::Error;

use crate::event::{Events, QueuedEvent, WorldEvents};
use crate::schedule::{Ambiguity, IntoSystems, Schedule, ScheduleError};
use crate::task::WorldTasks;
use crate::time::{FixedStep, RealTime, Step, Time, TimeError};
use crate::workers::Workers;

pub use exit::Exit;
pub use runner::Runner;

/// When a system runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScheduleLabel {
    /// Once, before the first frame.
    Startup,
    /// Once a frame, before all others.
    First,
    /// Once a frame, before its ticks: what comes from outside is made ready for them.
    PreUpdate,
    /// Once a tick. The simulation lives here.
    FixedUpdate,
    /// Once a frame, after its ticks: what shows the state and does not change it.
    Update,
    /// Once a frame, after `Update`.
    PostUpdate,
    /// Once a frame, after all others.
    Last,
}

impl ScheduleLabel {
    /// All labels, in the order in which they run in the first frame.
    pub const ALL: [Self; 7] = [
        Self::Startup,
        Self::First,
        Self::PreUpdate,
        Self::FixedUpdate,
        Self::Update,
        Self::PostUpdate,
        Self::Last,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Startup => "Startup",
            Self::First => "First",
            Self::PreUpdate => "PreUpdate",
            Self::FixedUpdate => "FixedUpdate",
            Self::Update => "Update",
            Self::PostUpdate => "PostUpdate",
            Self::Last => "Last",
        }
    }
}

/// Something that adds systems and resources to an app.
pub trait Plugin: 'static {
    /// Adds what the plugin is made of.
    fn build(&self, app: &mut App);
}

/// An app stopped.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AppError {
    /// A schedule could not run to its end.
    #[error(transparent)]
    Schedule(#[from] ScheduleError),
    /// `Startup` did not run to its end before; what it did is half done.
    #[error("Startup failed before and left the app half made; make a new one")]
    HalfStarted,
    /// A system took the resource `Time` or `FixedStep` away, or replaced the world by one without.
    #[error(
        "the world has no Time or FixedStep any more: a system removed it or replaced the world"
    )]
    NoTime,
    /// A system reported by [`Exit::fail`] that the run cannot go on.
    #[error("{0}")]
    Failed(String),
    /// The clock refused a rate, or a frame was overrun under the policy `Error`.
    #[error(transparent)]
    Time(#[from] TimeError),
}

/// A world with schedules, time and workers.
///
/// ```
/// use orrery::prelude::*;
///
/// #[derive(Clone, Default, Resource)]
/// struct Count(u64);
///
/// let mut app = App::new();
/// app.world_mut().init_resource::<Count>();
/// app.add_systems(FixedUpdate, |mut count: ResMut<Count>| count.0 += 1);
/// app.run(Runner::Ticks(10))?;
/// assert_eq!(app.world().resource::<Count>().0, 10);
/// # Ok::<(), orrery::app::AppError>(())
/// ```
pub struct App {
    world: World,
    /// By label.
    schedules: [Schedule; ScheduleLabel::ALL.len()],
    workers: Workers,
    started: Started,
    plugins: Vec<TypeId>,
}

impl Default for App {
    fn default() -> Self {
        Self::new()
    }
}

/// How far `Startup` has come.
#[derive(Clone, Copy, PartialEq)]
enum Started {
    No,
    Yes,
    Failed,
}

/// The step of a new app: 1/60 s, to the nanosecond.
const DEFAULT_STEP: Step = match Step::from_ns(16_666_667) {
    Ok(step) => step,
    Err(_) => panic!("the constant is a valid step"),
};

impl App {
    /// An app with an empty world, 60 ticks a simulated second, on the calling thread alone.
    pub fn new() -> Self {
        let step = DEFAULT_STEP;
        let mut world = World::new();
        world.insert_resource(Time::new(step));
        world.insert_resource(FixedStep::new(step));
        world.insert_resource(RealTime::new());
        world.insert_resource(Exit::default());
        let workers = Workers::serial();
        world.insert_resource(workers.clone());
        Self {
            world,
            schedules: ScheduleLabel::ALL.map(|label| Schedule::new(label.name())),
            workers,
            started: Started::No,
            plugins: Vec::new(),
        }
    }

    /// The world.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The world, for changes between ticks.
    pub fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }

    /// Puts another world in the place of this one, for example a fork to go back to, and returns
    /// the old one. The clock goes on at the new world's tick with its step, on this app's workers;
    /// real time does not go back. The systems go on with the last runs and locals that the new
    /// world has for systems of the same functions, also where those were another app's, made
    /// alike.
    ///
    /// # Panics
    /// When the new world has no [`Time`]: it was not made by an app.
    pub fn replace_world(&mut self, mut world: World) -> World {
        let time = world.get_resource::<Time>().copied();
        let time = time.expect("a world without Time was not made by an app");
        // Both follow real time, so neither goes back.
        let real = self.world.get_resource::<RealTime>().copied();
        let clock = self.world.get_resource::<FixedStep>().cloned();
        let mut clock = clock.unwrap_or(FixedStep::new(time.step()));
        clock.set_step(time.step());
        clock.set_tick(time.tick());
        world.insert_resource(clock);
        world.insert_resource(self.workers.clone());
        world.insert_resource(real.unwrap_or_default());
        world.init_resource::<Exit>();
        world.release_systems();
        if self.started == Started::Yes {
            for schedule in &mut self.schedules {
                // In the order of `start`, so that each system finds its own. What it refuses was
                // refused there, and is again when it runs.
                let _ = schedule.initialize(&mut world);
            }
        }
        std::mem::replace(&mut self.world, world)
    }

    /// Adds a system, or a tuple of them, behind those already under the label.
    pub fn add_systems<M>(
        &mut self,
        label: ScheduleLabel,
        systems: impl IntoSystems<M>,
    ) -> &mut Self {
        self.schedule_mut(label).add_systems(systems);
        self
    }

    /// The schedule of a label.
    pub fn schedule(&self, label: ScheduleLabel) -> &Schedule {
        &self.schedules[label as usize]
    }

    /// The schedule of a label, for sets, for removing systems, and for what else it can do.
    pub fn schedule_mut(&mut self, label: ScheduleLabel) -> &mut Schedule {
        &mut self.schedules[label as usize]
    }

    /// Runs the schedule of a label once.
    fn run_schedule(&mut self, label: ScheduleLabel) -> Result<(), AppError> {
        let schedule = &mut self.schedules[label as usize];
        schedule.run(&mut self.world, &self.workers)?;
        self.failure()
    }

    /// Pairs of systems whose order matters and is only that in which they were added, for each
    /// schedule that has some.
    ///
    /// # Errors
    /// When a schedule cannot be initialised.
    pub fn ambiguities(&mut self) -> Result<Vec<(ScheduleLabel, Ambiguity)>, AppError> {
        let mut all = Vec::new();
        for label in ScheduleLabel::ALL {
            let found = self.schedules[label as usize].ambiguities(&mut self.world)?;
            all.extend(found.into_iter().map(|one| (label, one)));
        }
        Ok(all)
    }

    /// A schedule and the world, for what needs both.
    ///
    /// ```
    /// use orrery::prelude::*;
    /// let mut app = App::new();
    /// app.add_systems(Update, || ());
    /// let (schedule, world) = app.schedule_and_world(Update);
    /// assert!(schedule.to_svg(world)?.starts_with("<svg"));
    /// # Ok::<(), orrery::schedule::ScheduleError>(())
    /// ```
    pub fn schedule_and_world(&mut self, label: ScheduleLabel) -> (&mut Schedule, &mut World) {
        (&mut self.schedules[label as usize], &mut self.world)
    }

    /// Gives the queue of a type of event its capacity and policy. Nobody has to call this: the
    /// first reader or writer makes a queue as [`Events::new`] does. One that is there already
    /// keeps its events, readers and counters.
    ///
    /// ```
    /// use orrery::prelude::*;
    /// #[derive(Clone, Event, StateHash)]
    /// struct Order(u32);
    /// let mut app = App::new();
    /// app.add_event(Events::<Order>::with_capacity(100, Overflow::Block));
    /// ```
    pub fn add_event<E: QueuedEvent>(&mut self, queue: Events<E>) -> &mut Self {
        self.world.add_event(queue);
        self
    }

    /// Lets a plugin add its part. A second one of the same type does nothing.
    pub fn add_plugin<P: Plugin>(&mut self, plugin: P) -> &mut Self {
        if !self.plugins.contains(&TypeId::of::<P>()) {
            self.plugins.push(TypeId::of::<P>());
            plugin.build(self);
        }
        self
    }

    /// Sets the length of a tick in simulated time. Tick, pause and scale stay.
    ///
    /// # Panics
    /// When a system took the resource [`Time`] or [`FixedStep`] away.
    pub fn set_step(&mut self, step: Step) -> &mut Self {
        self.clock_mut().set_step(step);
        self.world.resource_mut::<Time>().set_step(step);
        self
    }

    /// Sets the threads that chunk systems and [`Workers`] use. The result does not depend on
    /// them.
    pub fn set_workers(&mut self, workers: Workers) -> &mut Self {
        self.world.insert_resource(workers.clone());
        self.workers = workers;
        self
    }

    /// The threads.
    pub fn workers(&self) -> &Workers {
        &self.workers
    }

    /// The clock that turns real time into ticks: pause, scale, overrun policy, counters. Systems
    /// have it as `ResMut<FixedStep>`.
    ///
    /// # Panics
    /// When a system took the resource [`FixedStep`] away.
    pub fn clock_mut(&mut self) -> &mut FixedStep {
        self.world.resource_mut::<FixedStep>()
    }

    /// Simulated time.
    ///
    /// # Panics
    /// When a system took the resource [`Time`] away.
    pub fn time(&self) -> Time {
        *self.world.resource::<Time>()
    }

    /// Runs `Startup` unless it has run. Every runner and [`tick`](App::tick) does it first.
    ///
    /// # Errors
    /// When a system cannot be run, panics or fails; systems of all schedules are checked here.
    /// A `Startup` that failed is not run again.
    pub fn start(&mut self) -> Result<(), AppError> {
        match self.started {
            Started::Yes => return Ok(()),
            Started::Failed => return Err(AppError::HalfStarted),
            Started::No => {}
        }
        for schedule in &mut self.schedules {
            schedule.initialize(&mut self.world)?;
        }
        self.started = Started::Failed;
        self.run_schedule(ScheduleLabel::Startup)?;
        self.started = Started::Yes;
        Ok(())
    }

    /// The clock, unless a system took it away.
    fn clock(&mut self) -> Result<&mut FixedStep, AppError> {
        let clock = self.world.get_resource_mut::<FixedStep>();
        clock.ok_or(AppError::NoTime)
    }

    /// What a system reported as a reason not to go on.
    fn failure(&self) -> Result<(), AppError> {
        let failure = self.world.get_resource::<Exit>().and_then(Exit::failure);
        failure.map_or(Ok(()), |reason| Err(AppError::Failed(reason.to_owned())))
    }

    /// Runs one tick: the [scripts](crate::task) that are due, `FixedUpdate`, then time goes on by
    /// one step.
    ///
    /// # Errors
    /// When a system cannot be run, panics or fails; time does not go on then.
    pub fn tick(&mut self) -> Result<(), AppError> {
        self.start()?;
        let tick = self.world.get_resource::<Time>().map(Time::tick);
        self.world.run_tasks(tick.ok_or(AppError::NoTime)?);
        self.failure()?;
        self.run_schedule(ScheduleLabel::FixedUpdate)?;
        self.world
            .get_resource_mut::<Time>()
            .ok_or(AppError::NoTime)?
            .advance();
        self.clock()?.finish_step();
        Ok(())
    }

    /// Runs what comes before the ticks of a frame: `First` and `PreUpdate`.
    ///
    /// # Errors
    /// When a system cannot be run, panics or fails.
    pub fn begin_frame(&mut self) -> Result<(), AppError> {
        self.start()?;
        self.run_schedule(ScheduleLabel::First)?;
        self.run_schedule(ScheduleLabel::PreUpdate)
    }

    /// Runs what comes after the ticks of a frame: `Update`, `PostUpdate` and `Last`.
    ///
    /// # Errors
    /// When a system cannot be run, panics or fails.
    pub fn update(&mut self) -> Result<(), AppError> {
        self.start()?;
        self.run_schedule(ScheduleLabel::Update)?;
        self.run_schedule(ScheduleLabel::PostUpdate)?;
        self.run_schedule(ScheduleLabel::Last)
    }

    /// Whether a system asked for the end.
    pub fn exit_requested(&self) -> bool {
        self.world
            .get_resource::<Exit>()
            .is_some_and(Exit::is_requested)
    }
}

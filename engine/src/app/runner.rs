//! Who drives the ticks.

use std::time::Duration;

use super::{App, AppError};
use crate::time::{Pacer, RealTime, Step, Steps, SystemTimer, Timer};

/// How long an app runs, and how fast.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Runner {
    /// In real time: this many frames a second by deadline, each with the ticks that are due.
    /// Ends when a system requests [`Exit`](super::Exit). Idle time is slept.
    Fixed(f64),
    /// One tick a frame without waiting, until a system requests the end.
    AsFastAsPossible,
    /// So many ticks without waiting, one a frame, or fewer if a system requests the end.
    Ticks(u64),
    /// Only `Startup`; the caller drives by [`App::tick`] and [`App::update`].
    Manual,
}

impl App {
    /// Runs until the runner or a system ends it.
    ///
    /// # Errors
    /// When a system cannot be run or panics, the rate is not a number above zero, or a frame is
    /// overrun under [`Overrun::Error`](crate::time::Overrun::Error).
    pub fn run(&mut self, runner: Runner) -> Result<(), AppError> {
        self.start()?;
        match runner {
            Runner::Manual => Ok(()),
            Runner::Fixed(hz) => self.run_paced(Step::from_hz_f64(hz)?, SystemTimer::new()),
            Runner::AsFastAsPossible => self.run_ticks(u64::MAX),
            Runner::Ticks(count) => self.run_ticks(count),
        }
    }

    fn run_ticks(&mut self, count: u64) -> Result<(), AppError> {
        let (mut timer, mut last_ns) = (SystemTimer::new(), 0);
        for _ in 0..count {
            let now_ns = timer.now_ns();
            self.advance_real_time(Duration::from_nanos(now_ns - last_ns));
            last_ns = now_ns;
            self.begin_frame()?;
            self.tick()?;
            self.update()?;
            if self.exit_requested() {
                break;
            }
        }
        Ok(())
    }

    /// Runs frames at the deadlines of a timer until a system requests the end. Tests give a
    /// simulated timer.
    ///
    /// # Errors
    /// As [`run`](App::run).
    pub fn run_paced(&mut self, frame: Step, timer: impl Timer) -> Result<(), AppError> {
        self.start()?;
        let mut pacer = Pacer::new(frame, timer);
        while !self.exit_requested() {
            let wake = pacer.wait();
            self.frame(wake.elapsed)?;
        }
        Ok(())
    }

    /// Lets real time go on and says which ticks are due.
    pub(crate) fn advance_clocks(&mut self, elapsed: Duration) -> Result<Steps, AppError> {
        self.advance_real_time(elapsed);
        Ok(self.clock()?.advance(elapsed)?)
    }

    fn advance_real_time(&mut self, elapsed: Duration) {
        if let Some(real) = self.world_mut().get_resource_mut::<RealTime>() {
            real.advance(elapsed);
        }
    }

    /// Runs one frame: `First` and `PreUpdate`, the ticks that are due after `elapsed` real time,
    /// then `Update`, `PostUpdate` and `Last`.
    ///
    /// # Errors
    /// As [`run`](App::run).
    pub fn frame(&mut self, elapsed: Duration) -> Result<(), AppError> {
        let steps = self.advance_clocks(elapsed)?;
        self.begin_frame()?;
        for _ in 0..steps.count {
            self.tick()?;
            if self.exit_requested() {
                break;
            }
        }
        self.update()
    }
}

#[cfg(test)]
mod tests {
    use orrery_ecs::{Local, Res, ResMut, Resource};

    use super::super::ScheduleLabel::{FixedUpdate, Startup, Update};
    use super::super::{Exit, Plugin};
    use super::*;
    use crate::time::{FixedStep, SimulatedTimer, Time};

    #[derive(Clone, Debug, Default, PartialEq, Resource)]
    struct Calls {
        startup: u64,
        ticks: u64,
        frames: u64,
    }

    fn counting() -> App {
        let mut app = App::new();
        app.world_mut().init_resource::<Calls>();
        app.add_systems(Startup, |mut calls: ResMut<Calls>| calls.startup += 1);
        app.add_systems(FixedUpdate, |mut calls: ResMut<Calls>| calls.ticks += 1);
        app.add_systems(Update, |mut calls: ResMut<Calls>| calls.frames += 1);
        app
    }

    #[test]
    fn ticks_run_startup_once_and_one_update_for_each() {
        let mut app = counting();
        app.run(Runner::Ticks(7)).expect("nothing fails");
        app.run(Runner::Ticks(3)).expect("nothing fails");
        let calls = app.world().resource::<Calls>();
        assert_eq!(
            *calls,
            Calls {
                startup: 1,
                ticks: 10,
                frames: 10
            }
        );
        assert_eq!(app.time().tick(), 10);
    }

    #[test]
    fn a_manual_app_only_starts() {
        let mut app = counting();
        app.run(Runner::Manual).expect("nothing fails");
        assert_eq!(
            *app.world().resource::<Calls>(),
            Calls {
                startup: 1,
                ticks: 0,
                frames: 0
            }
        );
    }

    #[test]
    fn a_paced_app_runs_the_ticks_that_are_due() {
        let mut app = counting();
        app.set_step(Step::from_hz(100).expect("a valid rate"));
        app.add_systems(Update, |calls: Res<Calls>, mut exit: ResMut<Exit>| {
            if calls.frames >= 50 {
                exit.request();
            }
        });
        let frame = Step::from_hz(50).expect("a valid rate");
        app.run_paced(frame, SimulatedTimer::new())
            .expect("nothing fails");
        let calls = app.world().resource::<Calls>();
        assert!(
            calls.frames >= 50 && calls.ticks.abs_diff(2 * calls.frames) <= 2,
            "{calls:?}"
        );
        assert_eq!(app.time().tick(), calls.ticks);
    }

    #[test]
    fn a_rate_that_is_no_rate_is_an_error() {
        for hz in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e30] {
            assert!(App::new().run(Runner::Fixed(hz)).is_err(), "{hz}");
        }
    }

    #[test]
    fn a_plugin_is_built_once() {
        struct Adds;
        impl Plugin for Adds {
            fn build(&self, app: &mut App) {
                app.add_systems(FixedUpdate, |mut calls: ResMut<Calls>| calls.ticks += 10);
            }
        }
        let mut app = counting();
        app.add_plugin(Adds).add_plugin(Adds);
        app.run(Runner::Ticks(1)).expect("nothing fails");
        assert_eq!(app.world().resource::<Calls>().ticks, 11);
    }

    #[test]
    fn a_startup_that_failed_is_not_run_again() {
        let mut app = counting();
        app.add_systems(Startup, |_: Res<Calls>| panic!("no data"));
        let first = app.tick().expect_err("it panics").to_string();
        assert!(first.contains("no data"), "{first}");
        assert!(matches!(app.tick(), Err(AppError::HalfStarted)));
        assert_eq!(app.world().resource::<Calls>().startup, 1);
    }

    #[test]
    fn what_a_panicking_system_queued_is_forgotten() {
        let mut app = App::new();
        let mut first = true;
        app.add_systems(FixedUpdate, move |mut commands: orrery_ecs::Commands| {
            commands.spawn(());
            assert!(!std::mem::take(&mut first), "the first time fails");
        });
        app.tick().expect_err("it panics");
        app.tick().expect("it does not");
        assert_eq!(app.world().len(), 1);
    }

    #[test]
    fn a_system_that_fails_ends_the_run_with_its_reason() {
        let mut app = counting();
        app.add_systems(FixedUpdate, |mut exit: ResMut<Exit>| {
            exit.fail("it blew up")
        });
        let error = app.run(Runner::Ticks(5)).expect_err("it fails");
        assert_eq!(error.to_string(), "it blew up");
        assert_eq!(app.time().tick(), 0);
    }

    #[test]
    fn a_world_that_lost_its_time_is_an_error() {
        let mut app = App::new();
        app.add_systems(FixedUpdate, |world: &mut orrery_ecs::World| {
            world.remove_resource::<Time>();
        });
        assert!(matches!(app.tick(), Err(AppError::NoTime)));
        let mut app = App::new();
        app.add_systems(Update, |world: &mut orrery_ecs::World| {
            world.remove_resource::<FixedStep>();
        });
        app.frame(Duration::ZERO).expect("it is there until then");
        let error = app.frame(Duration::ZERO);
        assert!(matches!(error, Err(AppError::NoTime)));
    }

    #[test]
    fn a_new_step_or_world_keeps_pause_and_workers() {
        let mut app = counting();
        app.run(Runner::Ticks(3)).expect("nothing fails");
        let fork = app.world().fork().expect("everything is Clone");
        app.set_workers(crate::workers::Workers::new(2).expect("two threads can be had"));
        app.clock_mut().pause();
        app.set_step(Step::from_hz(100).expect("a valid rate"));
        assert!(app.clock_mut().is_paused());
        app.run(Runner::Ticks(4)).expect("nothing fails");
        app.replace_world(fork);
        assert_eq!((app.time().tick(), app.clock_mut().tick()), (3, 3));
        assert_eq!(app.clock_mut().step(), app.time().step());
        assert_eq!(
            app.world()
                .resource::<crate::workers::Workers>()
                .thread_count(),
            2
        );
        assert!(app.clock_mut().is_paused());
    }

    /// Two closures alike, so that it shows which of them got what.
    fn remembering() -> App {
        let mut app = counting();
        for step in [1, 100] {
            let count = move |mut runs: Local<u64>, mut calls: ResMut<Calls>| {
                *runs += step;
                calls.ticks = calls.ticks * 3 + *runs;
            };
            app.add_systems(Startup, count);
            app.add_systems(FixedUpdate, (count, count));
        }
        app
    }

    #[test]
    fn a_world_brings_what_systems_remember_to_another_app_made_alike() {
        let mut straight = remembering();
        straight.run(Runner::Ticks(8)).expect("nothing fails");
        let mut first = remembering();
        first.run(Runner::Ticks(5)).expect("nothing fails");
        let early = first.world().fork().expect("everything is Clone");
        first.run(Runner::Ticks(2)).expect("nothing fails");
        let mut other = remembering();
        other.run(Runner::Ticks(3)).expect("nothing fails");
        let fork = early.fork().expect("everything is Clone");
        for app in [&mut first, &mut other] {
            app.replace_world(early.fork().expect("everything is Clone"));
            app.run(Runner::Ticks(3)).expect("nothing fails");
            assert_eq!(app.world().state_hash(), straight.world().state_hash());
        }
        assert_eq!(fork.systems().len(), first.world().systems().len());
    }

    #[test]
    fn inside_a_tick_time_is_exact() {
        let mut app = App::new();
        app.add_systems(FixedUpdate, |time: Res<Time>| {
            assert_eq!(time.elapsed(), time.step().times(time.tick()));
        });
        app.run(Runner::Ticks(1000)).expect("nothing fails");
    }
}

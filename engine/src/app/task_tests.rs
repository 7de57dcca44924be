//! Scripts in an app: when they run, and what stops a run.

use orrery_ecs::{ResMut, Resource};

use super::ScheduleLabel::FixedUpdate;
use super::{App, AppError, Exit, Runner};
use crate::task::{Script, Tasks, WorldTasks};
use crate::time::Time;

#[derive(Clone, Default, Resource)]
struct Log(Vec<(u64, &'static str)>);

#[test]
fn scripts_run_at_the_beginning_of_each_tick_before_its_systems() {
    let mut app = App::new();
    app.world_mut().init_resource::<Log>();
    app.add_systems(
        FixedUpdate,
        |time: orrery_ecs::Res<Time>, mut log: ResMut<Log>| {
            log.0.push((time.tick(), "system"));
        },
    );
    let script = async |script: Script| {
        for _ in 0..3 {
            script.with(|world| {
                assert_eq!(world.resource::<Time>().tick(), script.tick());
                world
                    .resource_mut::<Log>()
                    .0
                    .push((script.tick(), "script"));
            });
            script.next_tick().await;
        }
    };
    app.world_mut().spawn_task(script).detach();
    app.run(Runner::Ticks(2)).expect("nothing fails");
    let expected = [(0, "script"), (0, "system"), (1, "script"), (1, "system")];
    assert_eq!(app.world().resource::<Log>().0, expected);
}

#[test]
fn a_script_that_reports_a_failure_stops_the_run_before_the_systems_of_its_tick() {
    let mut app = App::new();
    app.world_mut().init_resource::<Log>();
    app.add_systems(FixedUpdate, |mut log: ResMut<Log>| {
        log.0.push((0, "system"))
    });
    let script = async |script: Script| {
        script.sleep(2).await;
        script.with(|world| world.resource_mut::<Exit>().fail("it is over"));
    };
    app.world_mut().spawn_task(script).detach();
    let error = app.run(Runner::Ticks(9)).expect_err("a script says so");
    assert!(matches!(error, AppError::Failed(reason) if reason == "it is over"));
    assert_eq!(
        (app.time().tick(), app.world().resource::<Log>().0.len()),
        (2, 2)
    );
}

#[test]
fn a_script_that_panics_stops_nothing() {
    let mut app = App::new();
    app.world_mut().spawn_task(async |_| panic!("no")).detach();
    app.run(Runner::Ticks(3)).expect("the app goes on");
    assert_eq!(app.world().resource::<Tasks>().counters().panicked, 1);
    assert!(app.world().fork().is_ok());
}

#[test]
fn a_world_that_is_put_back_brings_no_scripts_and_the_old_one_keeps_its_own() {
    let mut app = App::new();
    let early = app.world().fork().expect("no script lives");
    let task = app
        .world_mut()
        .spawn_task(async |script| script.sleep(5).await);
    app.run(Runner::Ticks(2)).expect("nothing fails");
    let mut old = app.replace_world(early);
    app.run(Runner::Ticks(20)).expect("nothing fails");
    assert!(!task.is_finished());
    (2..=6).for_each(|tick| old.run_tasks(tick));
    assert!(task.is_finished());
}

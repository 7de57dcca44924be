//! Systems that cannot be run, fail or panic.

use orrery_ecs::{Commands, Query, Res, ResMut, Resource, Serial, World};

use super::super::{IntoSystems, Schedule};
use super::{A, B, Log, note, world};
use crate::workers::Workers;

#[derive(Clone, Resource)]
struct Missing;

fn needs(_: Res<Missing>) {}

fn explode(_: Query<&A>, _: ResMut<Log>) {
    panic!("a number is missing");
}

#[test]
fn a_missing_resource_is_an_error_that_names_system_and_resource() {
    let mut schedule = Schedule::new("test");
    schedule.add_systems((note::<1>, needs, note::<2>));
    let mut world = world();
    let error = schedule
        .run(&mut world, &Serial)
        .expect_err("there is none");
    let text = error.to_string();
    assert!(text.contains("Missing") && text.contains("needs"), "{text}");
    assert_eq!(world.resource::<Log>().0, [1]);
}

#[test]
fn a_panic_names_its_system_and_stops_the_schedule() {
    for threads in [1, 2] {
        let workers = Workers::new(threads).expect("threads can be had");
        let mut world = world();
        let mut schedule = Schedule::new("test");
        let spawn = |mut commands: Commands| {
            commands.spawn(B(1));
        };
        schedule.add_systems((note::<1>, |_: Query<&mut B>| (), explode, note::<2>, spawn));
        for run in 1..=8 {
            let error = schedule.run(&mut world, &workers).expect_err("it panics");
            let text = error.to_string();
            assert!(
                text.contains("explode") && text.contains("a number is missing"),
                "{text}"
            );
            assert_eq!(world.resource::<Log>().0.len(), run);
            assert_eq!(world.len(), 0, "what was put off behind it is not done");
        }
    }
}

#[test]
fn a_command_that_panics_names_its_system() {
    fn queue(mut commands: Commands) {
        commands.queue(|_| panic!("not so"));
    }
    let mut world = world();
    let mut schedule = Schedule::new("test");
    schedule.add_systems((queue, queue).share_sync_point());
    schedule.add_systems(note::<1>);
    let error = schedule.run(&mut world, &Serial).expect_err("it panics");
    let text = error.to_string();
    assert!(text.contains("queue") && text.contains("not so"), "{text}");
    assert!(world.resource::<Log>().0.is_empty());
}

#[test]
fn one_schedule_runs_on_a_world_and_on_its_fork() {
    let spawn = |mut commands: Commands| {
        commands.spawn(A(1));
    };
    let count = |all: Query<&A>, mut log: ResMut<Log>| log.0.push(all.iter().count() as u64);
    let mut world = world();
    let mut schedule = Schedule::new("test");
    schedule.add_systems((spawn, count));
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
    assert_eq!(fork.resource::<Log>().0, [1, 2]);
}

#[test]
fn an_empty_schedule_runs() {
    let mut schedule = Schedule::new("test");
    schedule
        .run(&mut World::new(), &Serial)
        .expect("there is nothing to fail");
}

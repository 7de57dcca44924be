//! Conditions.

use orrery_ecs::{IntoCondition, Local, Query, Res, ResMut, Resource, Serial, StateHash};

use super::super::{
    IntoSystems, Schedule, any_with_component, every_n_runs, resource_changed, resource_exists,
    run_once,
};
use super::{A, Log, note, noted, world};
use crate::workers::Workers;

#[derive(Clone, Default, Resource, StateHash)]
struct Asked(u64);

fn yes(mut asked: ResMut<Asked>) -> bool {
    asked.0 += 1;
    true
}

fn no(mut asked: ResMut<Asked>) -> bool {
    asked.0 += 1;
    false
}

#[test]
fn run_conditions_are_evaluated_once_and_a_skipped_system_unblocks_the_others() {
    for threads in [1, 2] {
        let workers = Workers::new(threads).expect("threads can be had");
        let mut world = world();
        world.init_resource::<Asked>();
        let mut schedule = Schedule::new("test");
        let three = (note::<1>, note::<2>, note::<3>).chain();
        schedule.add_systems((three.run_if(no), note::<4>.run_if(yes), note::<5>).chain());
        schedule.configure_set("all").run_if(yes);
        schedule.add_systems((note::<6>, note::<7>).in_set("all").after(note::<5>));
        for run in 1..=5 {
            world.resource_mut::<Log>().0.clear();
            schedule
                .run(&mut world, &workers)
                .expect("nothing is missing");
            assert_eq!(world.resource::<Log>().0, [4, 5, 6, 7]);
            assert_eq!(world.resource::<Asked>().0, 3 * run);
        }
    }
}

#[test]
fn all_conditions_of_a_system_are_asked_and_all_must_say_yes() {
    let mut world = world();
    world.init_resource::<Asked>();
    let mut schedule = Schedule::new("test");
    schedule.add_systems(note::<1>.run_if(yes).run_if(no).run_if(yes));
    schedule.add_systems(note::<2>.run_if(yes.and(no.not())));
    schedule.add_systems(note::<3>.run_if(no.or(no)));
    assert_eq!(noted(&mut schedule, &mut world), [2]);
    assert_eq!(world.resource::<Asked>().0, 7);
}

#[test]
fn a_condition_sees_what_the_systems_before_it_have_done() {
    let mut schedule = Schedule::new("test");
    let has = |number: u64| move |log: Res<Log>| log.0.contains(&number);
    schedule.add_systems((
        note::<1>.run_if(has(2)),
        note::<2>.run_if(has(1).not()),
        note::<3>.run_if(has(2)),
    ));
    assert_eq!(noted(&mut schedule, &mut world()), [2, 3]);
}

#[test]
fn what_is_new_to_a_system_that_did_not_run_stays_new() {
    let mut world = world();
    world.init_resource::<Asked>();
    let mut schedule = Schedule::new("test");
    let saw = |asked: Res<Asked>, mut log: ResMut<Log>| log.0.push(u64::from(asked.is_changed()));
    schedule.add_systems(saw.run_if(every_n_runs(2)));
    let mut seen = Vec::new();
    for run in 0..6 {
        if run == 2 {
            world.resource_mut::<Asked>().0 += 1;
        }
        seen.extend(noted(&mut schedule, &mut world));
    }
    assert_eq!(seen, [1, 1, 0]);
}

#[test]
fn ready_made_conditions_say_what_their_names_say() {
    let mut world = world();
    let mut schedule = Schedule::new("test");
    schedule.add_systems((
        note::<1>.run_if(resource_exists::<Asked>),
        note::<2>.run_if(resource_changed::<Asked>),
        note::<3>.run_if(run_once),
        note::<4>.run_if(any_with_component::<A>),
        note::<5>.run_if(every_n_runs(0)),
    ));
    assert_eq!(noted(&mut schedule, &mut world), [3]);
    world.init_resource::<Asked>();
    world.spawn(A(1));
    assert_eq!(noted(&mut schedule, &mut world), [1, 2, 4]);
    assert_eq!(noted(&mut schedule, &mut world), [1, 4]);
}

#[test]
fn what_a_condition_remembers_is_forked_with_the_world() {
    let odd = |mut runs: Local<u64>| {
        *runs += 1;
        *runs % 2 == 1
    };
    let mut schedule = Schedule::new("test");
    schedule.add_systems((|mut all: Query<&mut A>| all.for_each(|a| a.0 += 1)).run_if(odd));
    let mut world = world();
    world.spawn(A(0));
    schedule
        .run(&mut world, &Serial)
        .expect("nothing is missing");
    let mut fork = world.fork().expect("everything is Clone");
    for _ in 0..3 {
        schedule
            .run(&mut world, &Serial)
            .expect("nothing is missing");
    }
    for _ in 0..3 {
        schedule
            .run(&mut fork, &Serial)
            .expect("nothing is missing");
    }
    assert_eq!(fork.state_hash(), world.state_hash());
    assert_eq!(
        world.query::<&A>().iter(&world).next().map(|a| a.0),
        Some(2)
    );
}

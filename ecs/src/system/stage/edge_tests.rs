//! What a stage owes to worlds that change under it, and to code that misbehaves.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::tests::{Threads, boxed};
use super::{Answers, Stage, StageError};
use crate::{
    BlockRunner, Chunk, Commands, Component, IntoCondition, Local, ParamSet, Query,
    RemovedComponents, Res, ResMut, Resource, Serial, StateHash, World, WorldHash,
};

#[derive(Clone, Copy, Component, StateHash)]
struct A(u64);
#[derive(Clone, Copy, Component, StateHash)]
struct B(u64);
#[derive(Clone, Default, Resource, StateHash)]
struct Number(u64);
#[derive(Clone, Default, Resource, StateHash)]
struct Text(String);

/// A stage without conditions.
fn stage(systems: impl IntoIterator<Item = Box<dyn crate::System>>) -> Stage {
    let mut stage = Stage::default();
    for system in systems {
        stage.add_system(system, &[]);
    }
    stage
}

fn run(stage: &mut Stage, world: &mut World, runner: &dyn BlockRunner) {
    let ran = stage.run(world, runner, &Answers::default());
    ran.expect("nothing fails");
}

#[test]
fn a_system_that_could_write_to_what_a_fork_shares_does_not_fork_in_a_stage_either() {
    let mut world = World::new();
    let entity = world.spawn(A(1)).id();
    let fork_and_write = |mut set: ParamSet<(&World, Query<&mut A>)>| {
        let fork = set.p0().fork();
        set.p1().for_each(|a| a.0 = 2);
        let error = fork.err().map(|error| error.to_string());
        let error = error.expect("the fork would share what is written");
        assert!(
            error.contains("fork_and_write") || error.contains("closure"),
            "{error}"
        );
    };
    let mut stage = stage([boxed(fork_and_write)]);
    for _ in 0..3 {
        run(&mut stage, &mut world, &Serial);
        assert!(world.fork().is_ok(), "it has ended");
    }
    assert_eq!(world.get::<A>(entity).map(|a| a.0), Some(2));
}

#[test]
fn a_stage_whose_system_was_initialised_for_another_world_finds_its_own_again() {
    let add = |mut number: ResMut<Number>| number.0 += 1;
    let (mut one, mut other) = (World::new(), World::new());
    one.init_resource::<Number>();
    // Numbers of resources mean something else there.
    other.init_resource::<Text>();
    other.init_resource::<Number>();
    let mut stage = stage([boxed(add)]);
    run(&mut stage, &mut one, &Serial);
    let again = stage.system_mut(0).initialize(&mut other);
    again.expect("nothing conflicts");
    run(&mut stage, &mut one, &Serial);
    let ran = stage.system_mut(0).run(&mut other, &Serial);
    ran.expect("it is there");
    run(&mut stage, &mut one, &Serial);
    assert_eq!(one.resource::<Number>().0, 3);
    assert_eq!(other.resource::<Number>().0, 1);
}

#[test]
fn systems_behind_one_that_replaces_the_world_run_on_the_new_one() {
    for threads in [1, 2] {
        let replace = |world: &mut World| {
            let mut next = World::new();
            next.init_resource::<Text>();
            next.insert_resource(Number(world.resource::<Number>().0 + 10));
            *world = next;
        };
        let add = |mut number: ResMut<Number>, mut runs: Local<u64>| {
            *runs += 1;
            number.0 += *runs;
        };
        let mut world = World::new();
        world.init_resource::<Number>();
        let mut stage = stage([boxed(replace), boxed(add)]);
        for round in 1..4 {
            run(&mut stage, &mut world, &Threads(threads));
            assert_eq!(world.resource::<Number>().0, round * 11);
        }
    }
}

#[test]
fn systems_behind_a_command_that_replaces_the_world_run_on_the_new_one() {
    // Nothing that the second one has could see the command, so it is done at once.
    let replace = |mut commands: Commands| commands.queue(|world| *world = World::new());
    let mut stage = stage([boxed(replace), boxed(|| ())]);
    let mut world = World::new();
    for _ in 0..3 {
        run(&mut stage, &mut world, &Serial);
    }
}

#[test]
fn a_command_sees_the_locals_of_others_alike_on_any_threads() {
    #[derive(Clone, Default, Resource, StateHash)]
    struct Seen(Vec<u128>);
    let hashes = |threads| {
        let look = |mut commands: Commands| {
            commands.queue(|world| {
                let hash = world.state_hash().0;
                world.resource_mut::<Seen>().0.push(hash);
            });
        };
        let count = |mut runs: Local<u64>| *runs += 1;
        let mut stage = stage([boxed(look), boxed(count)]);
        let mut world = World::new();
        world.init_resource::<Seen>();
        for _ in 0..8 {
            run(&mut stage, &mut world, &Threads(threads));
        }
        world.state_hash()
    };
    assert_eq!(hashes(1), hashes(2));
}

/// Its drop panics.
struct Grenade;

impl Drop for Grenade {
    fn drop(&mut self) {
        panic!("dropped");
    }
}

#[test]
fn what_forgotten_commands_say_when_dropped_hides_no_error_and_loses_no_local() {
    for threads in [1, 2] {
        for fails_itself in [false, true] {
            let count = |mut runs: Local<u64>, _: Query<&B>| *runs += 1;
            let arm = move |mut commands: Commands, _: Query<&mut A>| {
                commands.spawn(B(1));
                let grenade = Grenade;
                commands.queue(move |_| std::mem::forget(grenade));
                assert!(!fails_itself, "as it should");
            };
            let fail = move |_: Query<&A>| assert!(fails_itself, "as it should");
            let mut stage = match fails_itself {
                true => stage([boxed(count), boxed(arm), boxed(fail)]),
                // The plan lets the one with the grenade run beside the one that fails.
                false => stage([
                    boxed(count),
                    boxed(fail),
                    boxed(|_: Query<&B>| ()),
                    boxed(arm),
                ]),
            };
            let mut world = World::new();
            let mut twin = World::new();
            for turn in 0..6 {
                let ran = catch_unwind(AssertUnwindSafe(|| {
                    stage.run(&mut world, &Threads(threads), &Answers::default())
                }));
                let error = ran.expect("a panic is an error").expect_err("one fails");
                let StageError::Panicked { payload, .. } = error else {
                    panic!("it is a panic: {error}");
                };
                assert_eq!(
                    StageError::message(&*payload),
                    "as it should",
                    "turn {turn}"
                );
                assert_eq!(world.len(), 0);
                world.spawn(()).despawn();
                twin.spawn(()).despawn();
                assert!(world.fork().is_ok(), "all locals are back");
                assert_eq!(world.spawn(()).id(), twin.spawn(()).id());
                world.clear();
                twin.clear();
            }
        }
    }
}

#[test]
fn a_runner_that_panics_leaves_every_local_where_it_was() {
    struct Broken;
    impl BlockRunner for Broken {
        fn for_each(&self, _: usize, _: &(dyn Fn(usize) + Sync)) {
            panic!("no threads today");
        }
        fn threads(&self) -> usize {
            2
        }
        fn handoff_ns(&self) -> u64 {
            0
        }
    }
    let count = |mut runs: Local<u64>, _: Query<&A>| *runs += 1;
    let mut systems = stage([boxed(count), boxed(|_: Query<&B>| ())]);
    let mut world = World::new();
    let mut panics = 0;
    for _ in 0..8 {
        let ran = catch_unwind(AssertUnwindSafe(|| run(&mut systems, &mut world, &Broken)));
        panics += u32::from(ran.is_err());
    }
    assert!(panics > 0, "the runner is used");
    let mut twin = World::new();
    let mut systems = stage([boxed(count), boxed(|_: Query<&B>| ())]);
    (0..8).for_each(|_| run(&mut systems, &mut twin, &Serial));
    assert_eq!(world.state_hash(), twin.state_hash());
}

#[test]
fn a_number_that_nobody_answers_is_an_answer_of_no() {
    let count = |chunk: Chunk<&mut A>| chunk.slices()[0].0 += 1;
    for threads in [1, 2] {
        let mut stage = Stage::default();
        stage.add_system(boxed(count), &[]);
        stage.add_system(boxed(count), &[7]);
        stage.add_system(boxed(|_: Query<&B>| ()), &[]);
        let mut world = World::new();
        let entity = world.spawn(A(0)).id();
        for _ in 0..6 {
            run(&mut stage, &mut world, &Threads(threads));
        }
        assert_eq!(world.get::<A>(entity).map(|a| a.0), Some(6));
    }
}

#[test]
fn a_system_before_its_condition_goes_by_the_answer_of_the_run_before() {
    let hashes = |threads| {
        let mut stage = Stage::default();
        let answers = Answers::new(1);
        stage.add_system(boxed(|mut number: ResMut<Number>| number.0 += 1), &[0]);
        let asks = |number: Res<Number>, mut runs: Local<u64>| {
            *runs += 1;
            !(*runs + number.0).is_multiple_of(3)
        };
        stage.add_condition(Box::new(asks.into_condition()), 0);
        stage.add_system(
            boxed(|mut all: Query<&mut A>| all.for_each(|a| a.0 += 1)),
            &[0],
        );
        let mut world = World::new();
        world.init_resource::<Number>();
        world.spawn(A(0));
        let mut hashes = Vec::new();
        for _ in 0..8 {
            let ran = stage.run(&mut world, &Threads(threads), &answers);
            ran.expect("nothing fails");
            hashes.push(world.state_hash());
        }
        hashes
    };
    let serial: Vec<WorldHash> = hashes(1);
    assert_eq!(hashes(2), serial);
}

#[test]
fn what_a_set_gives_twice_is_read_once() {
    let read = |mut set: ParamSet<(RemovedComponents<A>, ResMut<Number>)>| {
        let first = set.p0().read().count();
        let second = set.p0().read().count();
        set.p1().0 += (first + second) as u64;
    };
    let mut stage = stage([boxed(read)]);
    let mut world = World::new();
    world.init_resource::<Number>();
    stage.initialize(&mut world).expect("nothing conflicts");
    for round in 1..5 {
        for _ in 0..3 {
            world.spawn(A(1)).despawn();
        }
        run(&mut stage, &mut world, &Serial);
        assert_eq!(world.resource::<Number>().0, 3 * round);
    }
}

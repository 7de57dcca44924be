//! Random stages give what their systems give one by one, whoever runs them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::thread;

use super::{Answers, Stage, StageError};
use crate::{
    BlockRunner, Chunk, Commands, Component, Entity, IntoCondition, IntoSystem, Local, Query, Res,
    ResMut, Resource, Serial, StateHash, System, With, Without, World,
};

#[derive(Clone, Copy, Component, StateHash)]
struct A(u64);
#[derive(Clone, Copy, Component, StateHash)]
struct B(u64);
#[derive(Clone, Copy, Component, StateHash)]
struct C(u64);
#[derive(Clone, Copy, Component, StateHash)]
struct Tag;
#[derive(Clone, Default, Resource, StateHash)]
struct R(u64);
#[derive(Clone, Default, Resource, StateHash)]
struct S(u64);

/// A thread for each piece of work, and no cost that would keep work from being given away.
pub(super) struct Threads(pub(super) usize);

impl BlockRunner for Threads {
    fn for_each(&self, count: usize, body: &(dyn Fn(usize) + Sync)) {
        let next = AtomicUsize::new(0);
        let work = || {
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= count {
                    return;
                }
                body(index);
            }
        };
        thread::scope(|scope| {
            for _ in 1..self.0 {
                scope.spawn(work);
            }
            work();
        });
    }

    fn threads(&self) -> usize {
        self.0
    }

    fn handoff_ns(&self) -> u64 {
        0
    }
}

fn mix(a: u64, b: u64) -> u64 {
    (a ^ b.rotate_left(17)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

pub(super) fn boxed<M>(system: impl IntoSystem<M>) -> Box<dyn System> {
    Box::new(system.into_system())
}

/// Systems that mind their order wherever they exclude each other.
fn system(kind: usize) -> Box<dyn System> {
    let k = kind as u64;
    match kind {
        0 => boxed(move |mut all: Query<&mut A>| all.for_each(|a| a.0 = mix(a.0, k))),
        1 => boxed(move |mut all: Query<(&mut A, &B)>| all.for_each(|(a, b)| a.0 = mix(a.0, b.0))),
        2 => boxed(move |mut all: Query<(&mut B, &A), With<Tag>>| {
            all.for_each(|(b, a)| b.0 = mix(b.0, a.0));
        }),
        3 => boxed(move |mut all: Query<&mut B, Without<Tag>>| all.for_each(|b| b.0 = mix(b.0, k))),
        4 => boxed(move |all: Query<&C>, mut r: ResMut<R>| {
            r.0 = all.iter().fold(r.0, |sum, c| mix(sum, c.0));
        }),
        5 => boxed(move |r: Res<R>, mut s: ResMut<S>| s.0 = mix(s.0, r.0)),
        6 => boxed(move |s: Res<S>, mut runs: Local<u64>| *runs = mix(*runs, s.0)),
        7 => boxed(move |chunk: Chunk<&mut A>| {
            chunk.slices().iter_mut().for_each(|a| a.0 = mix(a.0, k));
        }),
        8 => boxed(move |chunk: Chunk<(&mut C, &A)>, r: Res<R>| {
            let (c, a) = chunk.slices();
            c.iter_mut()
                .zip(a)
                .for_each(|(c, a)| c.0 = mix(c.0, a.0 ^ r.0));
        }),
        9 => boxed(move |chunk: Chunk<(&mut A, &mut B), With<Tag>>| {
            let (a, b) = chunk.slices();
            a.iter_mut().zip(b).for_each(|(a, b)| {
                (a.0, b.0) = (mix(b.0, k), mix(a.0, k));
            });
        }),
        10 => boxed(move |chunk: Chunk<(&mut B, &C)>| {
            let (b, c) = chunk.slices();
            b.iter_mut().zip(c).for_each(|(b, c)| b.0 = mix(b.0, c.0));
        }),
        11 => boxed(move |mut commands: Commands, mut runs: Local<u64>| {
            *runs += 1;
            for _ in 0..*runs % 4 {
                commands.spawn((A(*runs), B(k)));
            }
        }),
        12 => boxed(move |all: Query<(Entity, &A)>, mut commands: Commands| {
            for (entity, a) in &all {
                match a.0 % 97 {
                    0 => commands.despawn(entity),
                    1 => commands.insert(entity, Tag),
                    2 => commands.remove::<Tag>(entity),
                    3 => {
                        commands.spawn((C(a.0), B(1)));
                    }
                    _ => {}
                }
            }
        }),
        13 => boxed(move |chunk: Chunk<(Entity, &C)>, mut commands: Commands| {
            let (entities, c) = chunk.slices();
            for (&entity, c) in entities.iter().zip(c) {
                match c.0 % 89 {
                    0 => commands.despawn(entity),
                    1 => {
                        commands.spawn((A(c.0), C(k), Tag));
                    }
                    _ => {}
                }
            }
        }),
        _ => boxed(move |mut s: ResMut<S>| s.0 = mix(s.0, k)),
    }
}
const KINDS: usize = 15;
const RESERVING: [usize; 3] = [11, 12, 13];

fn world() -> World {
    let mut world = World::new();
    world.init_resource::<R>();
    world.init_resource::<S>();
    world.spawn_batch((0..9000).map(|n| (A(n), B(n * 3))));
    world.spawn_batch((0..5000).map(|n| (A(n), B(n * 7), C(n), Tag)));
    world.spawn_batch((0..300).map(|n| (C(n), A(n))));
    world
}

/// A list of systems, some of them behind conditions.
#[derive(Clone, Debug)]
struct List {
    kinds: Vec<usize>,
    /// Which systems are asked about right before them, and how often they say yes.
    gates: Vec<Option<u64>>,
}

impl List {
    fn random(seed: u64, kinds: impl Fn(u64) -> usize) -> Self {
        let random = |n: u64| mix(mix(seed, 1), n) >> 20;
        let len = 1 + random(0) % 9;
        let gate = |n| (random(100 + n) % 4 == 0).then(|| 1 + random(200 + n) % 3);
        Self {
            kinds: (0..len).map(|n| kinds(random(1 + n))).collect(),
            gates: (0..len).map(gate).collect(),
        }
    }

    fn stage(&self, fuse: bool) -> (Stage, Answers) {
        let mut stage = Stage::default();
        stage.set_fusing(fuse);
        for (number, (&kind, gate)) in self.kinds.iter().zip(&self.gates).enumerate() {
            let mut gates = Vec::new();
            if let Some(every) = *gate {
                let asks = move |s: Res<S>, mut runs: Local<u64>| {
                    *runs += 1;
                    runs.wrapping_add(s.0 & 1).is_multiple_of(every)
                };
                stage.add_condition(Box::new(asks.into_condition()), number);
                gates.push(number);
            }
            stage.add_system(system(kind), &gates);
        }
        (stage, Answers::new(self.kinds.len()))
    }

    fn hash_of(&self, fuse: bool, runner: &dyn BlockRunner) -> Vec<crate::WorldHash> {
        let (mut stage, answers) = self.stage(fuse);
        let mut world = world();
        let run = |_| {
            stage
                .run(&mut world, runner, &answers)
                .expect("nothing is missing");
            world.state_hash()
        };
        (0..6).map(run).collect()
    }
}

#[test]
fn random_stages_give_the_same_on_any_threads_with_and_without_fusion() {
    for seed in 0..120 {
        let list = List::random(seed, |random| random as usize % KINDS);
        let expected = list.hash_of(false, &Serial);
        for (fuse, threads) in [(true, 1), (false, 2), (true, 2), (true, 3)] {
            let got = list.hash_of(fuse, &Threads(threads));
            assert_eq!(
                got, expected,
                "seed {seed}, fuse {fuse}, {threads} threads: {list:?}"
            );
        }
    }
}

#[test]
fn a_stage_gives_what_its_systems_give_one_by_one() {
    for seed in 0..60 {
        // Where none reserves handles the numbers of handles are no matter.
        let kinds = |random: u64| {
            let kind = random as usize % KINDS;
            if RESERVING.contains(&kind) { 0 } else { kind }
        };
        let mut list = List::random(seed, kinds);
        list.gates.iter_mut().for_each(|gate| *gate = None);
        let mut world = world();
        let mut systems: Vec<_> = list.kinds.iter().map(|&kind| system(kind)).collect();
        let one_by_one = |_| {
            for system in &mut systems {
                system.run(&mut world, &Serial).expect("nothing is missing");
            }
            world.state_hash()
        };
        let expected: Vec<_> = (0..6).map(one_by_one).collect();
        assert_eq!(
            list.hash_of(true, &Threads(2)),
            expected,
            "seed {seed}: {list:?}"
        );
    }
}

#[test]
fn systems_that_do_not_exclude_each_other_run_at_the_same_time() {
    let meet = Arc::new(Barrier::new(2));
    let (here, there) = (Arc::clone(&meet), meet);
    let mut stage = Stage::default();
    // Each one waits for the other, from the run on that is not measured.
    let mut runs = 0;
    let first = move |_: Query<&mut A>| {
        runs += 1;
        if runs == 4 {
            here.wait();
        }
    };
    let mut runs = 0;
    let second = move |_: Query<&mut B>| {
        runs += 1;
        if runs == 4 {
            there.wait();
        }
    };
    stage.add_system(boxed(first), &[]);
    stage.add_system(boxed(second), &[]);
    let mut world = world();
    for _ in 0..4 {
        let ran = stage.run(&mut world, &Threads(2), &Answers::default());
        ran.expect("nothing is missing");
    }
}

#[test]
fn chunk_systems_are_fused_where_nobody_between_them_minds() {
    let units = |kinds: &[usize]| {
        let mut stage = Stage::default();
        for &kind in kinds {
            stage.add_system(system(kind), &[]);
        }
        stage.initialize(&mut world()).expect("nothing conflicts");
        stage
            .units()
            .map(|unit| unit.nodes.to_vec())
            .collect::<Vec<_>>()
    };
    assert_eq!(units(&[7, 8, 10]), [vec![0, 1, 2]]);
    // 14 writes S, which no chunk system reads; 4 writes R, which 8 reads, and reads C.
    assert_eq!(units(&[7, 14, 8]), [vec![0, 2], vec![1]]);
    assert_eq!(units(&[7, 4, 8]), [vec![0], vec![1], vec![2]]);
    // 0 writes A as well, but is no chunk system.
    assert_eq!(units(&[7, 0, 7]), [vec![0], vec![1], vec![2]]);
}

fn explode(_: Query<&mut A>) {
    panic!("a number is missing");
}

fn explode_by_block(chunk: Chunk<&mut A>) {
    assert!(chunk.first_row() == 0, "row {}", chunk.first_row());
}

#[test]
fn the_first_system_that_fails_is_named_and_those_before_it_have_run() {
    for threads in [1, 2, 3] {
        for (by_block, fuse) in [(false, true), (true, true), (true, false)] {
            let mut stage = Stage::default();
            stage.set_fusing(fuse);
            let failing = match by_block {
                true => boxed(explode_by_block),
                false => boxed(explode),
            };
            stage.add_system(system(14), &[]);
            stage.add_system(system(7), &[]);
            stage.add_system(failing, &[]);
            stage.add_system(system(8), &[]);
            stage.add_system(system(11), &[]);
            let mut world = world();
            for run in 1..6 {
                let before = (world.len(), world.resource::<S>().0);
                let ran = stage.run(&mut world, &Threads(threads), &Answers::default());
                let Err(StageError::Panicked { system, payload }) = ran else {
                    panic!("it panics");
                };
                let message = match by_block {
                    true => "row 4096",
                    false => "a number is missing",
                };
                assert!(system.contains("explode"), "{system}");
                assert_eq!(StageError::message(&*payload), message, "run {run}");
                // The commands of the last one are forgotten, and handles with them.
                let after = (world.len(), world.resource::<S>().0);
                assert_eq!(after, (before.0, mix(before.1, 14)));
            }
        }
    }
}

#[test]
fn a_missing_resource_is_an_error_that_names_the_system_in_every_mode() {
    #[derive(Clone, Resource)]
    struct Missing;
    fn needs(_: Chunk<&mut A>, _: Res<Missing>) {}
    for threads in [1, 2] {
        let mut stage = Stage::default();
        stage.add_system(system(7), &[]);
        stage.add_system(boxed(needs), &[]);
        stage.add_system(system(7), &[]);
        let mut world = world();
        let expected = {
            let mut alone = system(7);
            let mut twin = world.fork().expect("everything is Clone");
            move || {
                alone.run(&mut twin, &Serial).expect("nothing is missing");
                twin.state_hash()
            }
        };
        let mut expected = expected;
        for _ in 0..5 {
            let ran = stage.run(&mut world, &Threads(threads), &Answers::default());
            let error = ran.expect_err("it is missing").to_string();
            assert!(
                error.contains("needs") && error.contains("Missing"),
                "{error}"
            );
            assert_eq!(world.state_hash(), expected());
        }
    }
}

#[test]
fn a_system_that_must_stay_on_its_thread_does() {
    struct Window(u32);
    let mut world = world();
    world
        .insert_non_send(Window(0))
        .expect("the thread is its own");
    let mut stage = Stage::default();
    stage.add_system(system(0), &[]);
    let show = |window: crate::NonSendMut<Window>| window.0.0 += 1;
    stage.add_system(boxed(show), &[]);
    stage.add_system(system(5), &[]);
    for _ in 0..20 {
        let ran = stage.run(&mut world, &Threads(3), &Answers::default());
        ran.expect("it is here");
    }
    assert_eq!(
        world.get_non_send::<Window>().map(|window| window.0),
        Ok(20)
    );
}

#[test]
fn a_stage_runs_on_a_world_and_on_its_fork() {
    let list = List {
        kinds: vec![7, 11, 8, 12],
        gates: vec![None, Some(2), None, None],
    };
    let (mut stage, answers) = list.stage(true);
    let mut world = world();
    stage
        .run(&mut world, &Threads(2), &answers)
        .expect("nothing is missing");
    let mut fork = world.fork().expect("everything is Clone");
    for _ in 0..5 {
        stage
            .run(&mut world, &Threads(2), &answers)
            .expect("nothing is missing");
        stage
            .run(&mut fork, &Serial, &answers)
            .expect("nothing is missing");
        assert_eq!(world.state_hash(), fork.state_hash());
    }
}

//! Systems of a stage on several threads, for ThreadSanitizer (`.ci/run tsan`); else a short test.
//!
//! A program without the test harness, as `workers_race`. Random stages run on workers that are
//! said to cost nothing, so units, blocks and helpers meet in every way; what fails returns an
//! error, since std's panics take locks of their own.

use std::mem;

use orrery::workers::Workers;
use orrery_ecs::{
    Added, Answers, BlockRunner, Changed, Chunk, Commands, Component, Entity, IntoCondition,
    IntoSystem, Local, ParamSet, Query, RemovedComponents, Res, ResMut, Resource, Serial, Single,
    Stage, StageError, StateHash, System, With, Without, World, WorldHash,
};

const SEEDS: u64 = 40;
const RUNS: usize = 7;
const KINDS: u64 = 17;

#[derive(Clone, Copy, Component, StateHash)]
struct A(u64);
#[derive(Clone, Copy, Component, StateHash)]
#[component(track)]
struct B(u64);
#[derive(Clone, Component, StateHash)]
struct Named(String);
#[derive(Clone, Copy, Component, StateHash)]
#[component(track, sparse)]
struct Sparse(u64);
#[derive(Clone, Copy, Component, StateHash)]
struct Hero(u64);
#[derive(Clone, Default, Resource, StateHash)]
struct R(u64);
#[derive(Clone, Default, Resource, StateHash)]
struct S(Vec<u64>);

/// Workers that are said to cost nothing, so that everything is given away that can be.
struct Eager(Workers);

impl BlockRunner for Eager {
    fn for_each(&self, count: usize, body: &(dyn Fn(usize) + Sync)) {
        self.0.for_each(count, body);
    }

    fn threads(&self) -> usize {
        self.0.thread_count()
    }

    fn handoff_ns(&self) -> u64 {
        0
    }
}

/// SplitMix64 (Steele, Lea, Flood 2014), at a place of its sequence.
fn random(seed: u64, place: u64) -> u64 {
    let z = seed.wrapping_add((place + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (z ^ (z >> 31)) >> 8
}

fn mix(a: u64, b: u64) -> u64 {
    random(a, b & 0xFFFF)
}

fn boxed<M>(system: impl IntoSystem<M>) -> Box<dyn System> {
    Box::new(system.into_system())
}

/// Systems over everything that a stage shares out.
fn system(kind: u64) -> Box<dyn System> {
    match kind {
        0..9 => by_row(kind),
        _ => by_block_or_late(kind),
    }
}

/// Queries and resources.
fn by_row(kind: u64) -> Box<dyn System> {
    let k = kind;
    match kind {
        0 => boxed(move |mut all: Query<&mut A>| all.for_each(|a| a.0 = mix(a.0, k))),
        1 => boxed(move |mut all: Query<(&mut A, &B), With<Hero>>| {
            all.for_each(|(a, b)| a.0 = mix(a.0, b.0));
        }),
        2 => boxed(move |mut all: Query<&mut B, Without<Hero>>| {
            all.for_each(|mut b| {
                if b.0 % 5 == 0 {
                    b.0 = mix(b.0, k);
                }
            });
        }),
        3 => boxed(
            |all: Query<&B, Changed<B>>, new: Query<&B, Added<B>>, mut r: ResMut<R>| {
                r.0 = mix(r.0, (all.iter().count() * 7 + new.iter().count()) as u64);
            },
        ),
        4 => boxed(|mut gone: RemovedComponents<B>, mut seen: Local<u64>| {
            *seen = mix(*seen, gone.read().count() as u64);
        }),
        5 => boxed(|mut all: Query<&mut Sparse, With<Hero>>| all.for_each(|mut s| s.0 += 1)),
        6 => boxed(|mut all: Query<&mut Sparse, Without<Hero>>| all.for_each(|mut s| s.0 += 2)),
        7 => boxed(|r: Res<R>, mut s: ResMut<S>| s.0.push(r.0)),
        _ => boxed(|s: Res<S>, mut runs: Local<Vec<u64>>| runs.push(s.0.len() as u64)),
    }
}

/// Chunk systems, commands, and what may fail.
fn by_block_or_late(kind: u64) -> Box<dyn System> {
    let k = kind;
    match kind {
        9 => boxed(move |chunk: Chunk<&mut A>| {
            chunk.slices().iter_mut().for_each(|a| a.0 = mix(a.0, k));
        }),
        10 => boxed(|chunk: Chunk<(&mut B, &A)>, r: Res<R>| {
            let (b, a) = chunk.slices();
            b.iter_mut().zip(a).for_each(|(b, a)| b.0 = mix(a.0, r.0));
        }),
        11 => boxed(|chunk: Chunk<(&mut A, &B)>| {
            let (a, b) = chunk.slices();
            a.iter_mut().zip(b).for_each(|(a, b)| a.0 ^= b.0);
        }),
        12 => boxed(move |chunk: Chunk<(Entity, &A)>, mut commands: Commands| {
            let (entities, a) = chunk.slices();
            for (&entity, a) in entities.iter().zip(a) {
                match mix(a.0, k) % 199 {
                    0 => commands.despawn(entity),
                    1 => drop(commands.spawn((A(a.0), B(k)))),
                    2 => commands.insert(entity, Named(a.0.to_string())),
                    _ => {}
                }
            }
        }),
        13 => boxed(|all: Query<(Entity, &A)>, mut commands: Commands| {
            for (entity, a) in all.iter().filter(|(_, a)| a.0 % 211 == 0) {
                commands.insert(entity, Sparse(a.0));
                commands.spawn((Sparse(1), A(a.0)));
            }
        }),
        14 => boxed(
            |mut set: ParamSet<(Commands, Query<&mut Named>, Commands)>| {
                let _ = set.p0().spawn(Named(String::from("one")));
                set.p1().for_each(|named| named.0.push('x'));
                let _ = set.p2().spawn(A(1));
            },
        ),
        15 => boxed(|mut hero: Single<&mut Hero>, named: Query<&Named>| {
            let all: usize = named.iter().map(|named| named.0.len()).sum();
            hero.0 = mix(hero.0, all as u64);
        }),
        _ => boxed(|mut runs: Local<u64>, _: Query<&A>| {
            *runs += 1;
            match *runs % 5 {
                0 => Err("every fifth time"),
                _ => Ok(()),
            }
        }),
    }
}

fn stage(seed: u64, fuse: bool) -> (Stage, Answers) {
    let (mut stage, mut gates) = (Stage::default(), Vec::new());
    stage.set_fusing(fuse);
    let count = 2 + random(seed, 0) % 8;
    for number in 0..count {
        let of = |n: u64| random(seed, 1 + number * 4 + n);
        if of(0) % 5 == 0 {
            let every = 1 + of(1) % 3;
            let asks = move |r: Res<R>, mut runs: Local<u64>| {
                *runs += 1;
                (*runs + r.0 % 2).is_multiple_of(every)
            };
            stage.add_condition(Box::new(asks.into_condition()), gates.len());
            gates.push(gates.len());
        }
        let asked: Vec<usize> = match of(2) % 3 {
            0 => gates.last().copied().into_iter().collect(),
            _ => Vec::new(),
        };
        stage.add_system(system(of(3) % KINDS), &asked);
    }
    (stage, Answers::new(gates.len()))
}

fn world() -> World {
    let mut world = World::new();
    world.init_resource::<R>();
    world.init_resource::<S>();
    world.spawn_batch((0..9000).map(|n| (A(n), B(n * 3))));
    world.spawn_batch((0..40).map(|n| (A(n), B(n), Sparse(n), Named(n.to_string()))));
    world.spawn((Hero(1), A(1), B(2), Sparse(3)));
    world
}

/// After each run that succeeds the hash, else who failed: what those behind it have begun by then
/// is not defined, so the world goes back to before.
fn results(seed: u64, fuse: bool, runner: &dyn BlockRunner) -> Vec<Result<WorldHash, String>> {
    let (mut stage, answers) = stage(seed, fuse);
    let mut world = world();
    let mut results = Vec::new();
    // What std counts lives on, for its `Arc` orders the end of a value by a fence.
    let mut kept = Vec::new();
    for _ in 0..RUNS {
        let before = world.fork().expect("everything is Clone");
        match stage.run(&mut world, runner, &answers) {
            Ok(()) => results.push(Ok(world.state_hash())),
            Err(StageError::System(error)) => {
                results.push(Err(error.to_string()));
                kept.push(mem::replace(&mut world, before));
                continue;
            }
            Err(error) => panic!("{error}"),
        }
        kept.push(before);
    }
    results
}

fn main() {
    let expected: Vec<_> = (0..SEEDS)
        .map(|seed| results(seed, false, &Serial))
        .collect();
    for threads in [2, 3, 4] {
        let workers = Workers::new(threads).expect("the system gives a test a few threads");
        let eager = Eager(workers);
        for (seed, expected) in (0..).zip(&expected) {
            for fuse in [true, false] {
                let got = results(seed, fuse, &eager);
                assert!(
                    got == *expected,
                    "seed {seed}, {threads} threads, fused {fuse}"
                );
            }
        }
        mem::forget(eager);
    }
    println!("stages_race: 2, 3 and 4 threads agree with one");
}

//! Random schedules of random access sets give the serial result (contract C3).

use orrery_ecs::{
    BlockRunner, Chunk, Commands, Component, Entity, IntoSystem, Local, Query, Res, ResMut,
    Resource, Serial, StateHash, System, With, World, WorldHash,
};

use super::super::build::mixed;
use super::super::{IntoSystems, Schedule};
use crate::workers::Workers;

#[derive(Clone, Copy, Component, StateHash)]
struct C<const N: usize>(u64);
#[derive(Clone, Default, Resource, StateHash)]
struct R<const N: usize>(u64);

fn mix(a: u64, b: u64) -> u64 {
    (a ^ b.rotate_left(17)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

fn boxed<M>(system: impl IntoSystem<M>) -> Box<dyn System> {
    Box::new(system.into_system())
}

/// One of several kinds of system over chosen components and a resource. All mind their order.
fn of_kind<const X: usize, const Y: usize, const Z: usize>(kind: u64) -> Box<dyn System> {
    match kind % 8 {
        0 => boxed(|mut all: Query<&mut C<X>>, r: Res<R<Z>>| {
            all.for_each(|x| x.0 = mix(x.0, r.0));
        }),
        1 => boxed(|all: Query<&C<X>, With<C<Y>>>, mut r: ResMut<R<Z>>| {
            r.0 = all.iter().fold(r.0, |sum, x| mix(sum, x.0));
        }),
        2 => boxed(|mut all: Query<(&mut C<X>, Option<&C<3>>), With<C<Y>>>| {
            all.for_each(|(x, y)| x.0 = mix(x.0, y.map_or(1, |y| y.0)));
        }),
        3 => boxed(|chunk: Chunk<&mut C<X>>| {
            chunk
                .slices()
                .iter_mut()
                .for_each(|x| x.0 = mix(x.0, Y as u64));
        }),
        4 => boxed(|chunk: Chunk<(&mut C<X>, &C<3>)>, r: Res<R<Z>>| {
            let (x, y) = chunk.slices();
            x.iter_mut()
                .zip(y)
                .for_each(|(x, y)| x.0 = mix(x.0, y.0 ^ r.0));
        }),
        5 => boxed(|r: Res<R<Z>>, mut runs: Local<u64>| *runs = mix(*runs, r.0)),
        6 => boxed(|chunk: Chunk<(Entity, &C<X>)>, mut commands: Commands| {
            let (entities, x) = chunk.slices();
            for (&entity, x) in entities.iter().zip(x) {
                match x.0 % 61 {
                    0 => commands.despawn(entity),
                    1 => {
                        // Mixed, so that the children of many have no children at once.
                        commands.spawn((C::<X>(mix(x.0, 3)), C::<3>(Y as u64)));
                    }
                    _ => {}
                }
            }
        }),
        _ => boxed(|all: Query<(Entity, &C<X>)>, mut commands: Commands| {
            for (entity, x) in &all {
                match x.0 % 67 {
                    0 => commands.insert(entity, C::<Y>(x.0)),
                    1 => commands.remove::<C<Y>>(entity),
                    2 => {
                        commands.spawn(C::<X>(mix(x.0, 5)));
                    }
                    _ => {}
                }
            }
        }),
    }
}

fn system(random: u64) -> Box<dyn System> {
    let kind = random >> 8;
    match random % 6 {
        0 => of_kind::<0, 1, 0>(kind),
        1 => of_kind::<1, 2, 1>(kind),
        2 => of_kind::<2, 0, 0>(kind),
        3 => of_kind::<0, 2, 1>(kind),
        4 => of_kind::<1, 0, 1>(kind),
        _ => of_kind::<2, 1, 0>(kind),
    }
}

fn world(seed: u64) -> World {
    let mut world = World::new();
    world.init_resource::<R<0>>();
    world.init_resource::<R<1>>();
    let some = |n: u64| 1 + mixed(seed, 900 + n) % 400;
    world.spawn_batch((0..some(0)).map(|n| (C::<0>(n), C::<1>(n * 3))));
    world.spawn_batch((0..some(1)).map(|n| (C::<1>(n), C::<2>(n * 7), C::<3>(n))));
    world.spawn_batch((0..some(2) * 20).map(|n| (C::<0>(n), C::<2>(n), C::<3>(n))));
    world
}

/// Random systems, conditions, groups that share sync points, and constraints.
fn schedule(seed: u64, fuse: bool) -> Schedule {
    let random = |n: u64| mixed(seed, n);
    let mut schedule = Schedule::new("random");
    schedule.set_fusing(fuse);
    for number in 0..2 + random(0) % 10 {
        let of = |n: u64| random(10 + number * 20 + n);
        let set = ["one", "two", "three"][of(0) as usize % 3];
        let mut configs = (system(of(1)),).in_set(set);
        if of(2) % 4 == 0 {
            configs = (configs, system(of(3))).share_sync_point();
        }
        if of(4) % 4 == 0 {
            let every = 1 + of(5) % 3;
            configs = configs.run_if(move |r: Res<R<0>>, mut runs: Local<u64>| {
                *runs += 1;
                (*runs + r.0 % 2).is_multiple_of(every)
            });
        }
        schedule.add_systems(configs);
    }
    if random(1) % 3 == 0 {
        schedule.configure_set("two").before("one");
    }
    schedule
}

/// Workers that are said to cost nothing, so that everything is given away that can be.
pub(super) struct Eager(pub(super) Workers);

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

fn hashes(seed: u64, fuse: bool, runner: &dyn BlockRunner, ticks: usize) -> Vec<WorldHash> {
    let (mut world, mut schedule) = (world(seed), schedule(seed, fuse));
    let tick = |_| {
        schedule
            .run(&mut world, runner)
            .expect("nothing is missing");
        world.state_hash()
    };
    (0..ticks).map(tick).collect()
}

/// `ORRERY_SOAK=1000000` for so many ticks.
#[test]
fn random_schedules_give_the_serial_result_on_any_workers_fused_or_not() {
    const TICKS: usize = 8;
    let wanted = std::env::var("ORRERY_SOAK").ok();
    let wanted = wanted.and_then(|ticks| ticks.parse::<u64>().ok());
    let pool = |threads| Workers::new(threads).expect("threads can be had");
    let pools = [Eager(pool(1)), Eager(pool(2)), Eager(pool(5))];
    let mut ticks = 0;
    let mut seed = 0;
    while ticks < wanted.unwrap_or(1_500) {
        let expected = hashes(seed, false, &Serial, TICKS);
        let frugal = &pools[1].0;
        let eager = pools.iter().map(|eager| eager as &dyn BlockRunner);
        for runner in eager.chain([frugal as &dyn BlockRunner]) {
            for fuse in [true, false] {
                let got = hashes(seed, fuse, runner, TICKS);
                let threads = runner.threads();
                assert_eq!(
                    got, expected,
                    "seed {seed}, {threads} threads, fused {fuse}"
                );
                ticks += TICKS as u64;
            }
        }
        seed += 1;
    }
    println!("{ticks} ticks of {seed} schedules, no difference");
}

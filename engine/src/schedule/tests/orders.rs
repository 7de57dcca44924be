//! Schedules without ambiguities give the same in every order that their constraints permit.

use std::hash::{DefaultHasher, Hash, Hasher};

use orrery_ecs::{
    Added, Changed, Chunk, Commands, Component, Entity, IntoCondition, Local, ParamSet, Query,
    RemovedComponents, Res, ResMut, Resource, Serial, Single, StateHash, With, Without, World,
};

use super::super::build::mixed;
use super::super::{IntoSystems, Schedule, SystemConfigs, resource_changed};
use crate::workers::Workers;

#[derive(Clone, Copy, Component, StateHash)]
#[component(track)]
struct X(u64);
#[derive(Clone, Copy, Component, StateHash)]
#[component(track, sparse)]
struct S(u64);
#[derive(Clone, Copy, Component, StateHash)]
struct P(u64);
#[derive(Clone, Copy, Component, StateHash)]
struct Hero(u64);
#[derive(Clone, Default, Resource, StateHash)]
struct R(u64);
#[derive(Clone, Default, Resource, StateHash)]
struct Q(u64);

fn mix(a: u64, b: u64) -> u64 {
    (a ^ b.rotate_left(17)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

fn of(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Systems that look at whatever could tell in which order they ran.
fn system(kind: u64, k: u64) -> SystemConfigs {
    match kind % 20 {
        kind @ 0..7 => watcher(kind, k),
        kind @ 7..12 => changer(kind - 7, k),
        kind => writer(kind - 12, k),
    }
}

/// Systems that keep what they see of others.
fn watcher(kind: u64, k: u64) -> SystemConfigs {
    match kind {
        0 => (move |all: Query<(Entity, &X), Added<X>>, mut seen: Local<u64>| {
            *seen = all
                .iter()
                .fold(*seen, |sum, (entity, x)| mix(sum, of(entity) ^ x.0));
        })
        .into_configs(),
        1 => (move |mut gone: RemovedComponents<P>, mut seen: Local<u64>| {
            *seen = gone.read().fold(*seen, |sum, entity| mix(sum, of(entity)));
        })
        .into_configs(),
        2 => (move |world: &World, mut seen: Local<u64>| {
            *seen = mix(*seen, world.state_hash().0 as u64);
        })
        .into_configs(),
        3 => (move |mut runs: Local<u64>| *runs = mix(*runs, k)).into_configs(),
        4 => (move |r: Res<R>, mut seen: Local<u64>| *seen += u64::from(r.is_changed()))
            .into_configs(),
        5 => (move |all: Query<&S, Changed<S>>, mut seen: Local<u64>| {
            *seen = all.iter().fold(*seen, |sum, s| mix(sum, s.0));
        })
        .into_configs(),
        _ => (move |all: Query<Entity>, mut seen: Local<u64>| {
            *seen = all.iter().fold(*seen, |sum, entity| mix(sum, of(entity)));
        })
        .into_configs(),
    }
}

/// Systems that add and remove, and such as have the whole world.
fn changer(kind: u64, k: u64) -> SystemConfigs {
    match kind {
        0 => (move |all: Query<(Entity, &P)>, mut commands: Commands| {
            for (entity, p) in &all {
                match mix(p.0, k) >> 59 {
                    0 => commands.remove::<P>(entity),
                    1 => commands.insert(entity, (S(p.0), P(p.0 + 1))),
                    2 => commands.remove::<S>(entity),
                    3 if p.0 % 2 == 0 => commands.despawn(entity),
                    3 => drop(commands.spawn((P(p.0 + 3), X(k)))),
                    _ => {}
                }
            }
        })
        .into_configs(),
        1 => (move |mut commands: Commands| {
            commands.queue(move |world| {
                let hash = world.state_hash().0 as u64;
                world.resource_mut::<R>().0 = mix(hash, k);
            });
        })
        .into_configs(),
        2 => (move |world: &mut World| {
            let hash = world.state_hash().0 as u64;
            world.resource_mut::<Q>().0 = mix(hash, k);
        })
        .into_configs(),
        3 => (move |chunk: Chunk<(Entity, &X)>, mut commands: Commands| {
            let (entities, x) = chunk.slices();
            for (&entity, x) in entities.iter().zip(x) {
                match mix(x.0, k) >> 58 {
                    0 => commands.remove::<X>(entity),
                    1 => drop(commands.spawn((X(x.0), S(k)))),
                    _ => {}
                }
            }
        })
        .into_configs(),
        _ => (move |mut set: ParamSet<(Commands, Query<&mut P>, Commands)>| {
            let _ = set.p0().spawn(P(k));
            set.p1().for_each(|p| p.0 = mix(p.0, k) >> 1);
            let _ = set.p2().spawn((P(k), S(1)));
        })
        .into_configs(),
    }
}

/// Systems that write to values.
fn writer(kind: u64, k: u64) -> SystemConfigs {
    match kind {
        0 => (move |mut all: Query<&mut X>| {
            all.for_each(|mut x| {
                if x.0 % 3 == k % 3 {
                    x.0 = mix(x.0, k);
                } else {
                    // Looked at and not written.
                }
            });
        })
        .into_configs(),
        1 => (move |all: Query<&X, Changed<X>>, mut r: ResMut<R>| {
            r.0 = all.iter().fold(r.0, |sum, x| mix(sum, x.0));
        })
        .into_configs(),
        2 => (move |mut q: ResMut<Q>, r: Res<R>| q.0 = mix(q.0, r.0)).into_configs(),
        3 => (move |chunk: Chunk<&mut X>| {
            chunk.slices().iter_mut().for_each(|x| x.0 = mix(x.0, k));
        })
        .into_configs(),
        4 => {
            (move |mut hero: Single<&mut Hero>, r: Res<R>| hero.0 = mix(hero.0, r.0)).into_configs()
        }
        5 => (move |mut all: Query<&mut S, With<X>>| all.for_each(|mut s| s.0 = mix(s.0, k)))
            .into_configs(),
        6 => (move |mut all: Query<&mut S, Without<X>>| all.for_each(|mut s| s.0 += 1))
            .into_configs(),
        _ => (move |mut all: Query<(&mut P, Option<&X>)>| {
            all.for_each(|(p, x)| p.0 = mix(p.0, x.map_or(k, |x| x.0)) >> 1);
        })
        .into_configs(),
    }
}

fn gated(configs: SystemConfigs, kind: u64) -> SystemConfigs {
    match kind % 12 {
        0 => configs.run_if(|mut runs: Local<u64>| {
            *runs += 1;
            runs.is_multiple_of(2)
        }),
        1 => configs.run_if(resource_changed::<R>),
        2 => configs.run_if(resource_changed::<Q>.and(|all: Query<&X>| !all.is_empty())),
        3 => configs.run_if(|mut gone: RemovedComponents<P>| gone.read().count() > 0),
        4 => configs.run_if(|mut commands: Commands| {
            let _ = commands.spawn(P(9));
            true
        }),
        _ => configs,
    }
}

fn one(seed: u64, number: u64) -> SystemConfigs {
    let random = |n: u64| mixed(seed, 100 + number * 10 + n) >> 8;
    gated(system(random(0), random(1)), random(2))
}

fn world() -> World {
    let mut world = World::new();
    world.init_resource::<R>();
    world.init_resource::<Q>();
    world.spawn(Hero(1));
    world.spawn_batch((0..300).map(|n| (X(n), P(n * 5))));
    world.spawn_batch((0..4200).map(|n| (X(n), Hero2)));
    world.spawn_batch((0..70).map(|n| (P(n), S(n))));
    world.spawn_batch((0..70).map(|n| (P(n), S(n), X(n))));
    world
}

/// Makes an archetype of more than one block.
#[derive(Clone, Copy, Component, StateHash)]
struct Hero2;

/// Systems of which every pair whose order matters was put into one: that of adding, or another.
fn schedule(seed: u64) -> Schedule {
    let count = 3 + mixed(seed, 0) % 6;
    let mut schedule = Schedule::new("random");
    let sets = ["0", "1", "2", "3", "4", "5", "6", "7", "8"];
    // By which pairs are put into order.
    let rank = |number: u64| (mixed(seed, 50 + number) % 3, number);
    for number in 0..count {
        let mut configs = one(seed, number).in_set(sets[number as usize]);
        for other in 0..count {
            let mut pair = Schedule::new("pair");
            pair.add_systems((one(seed, other), one(seed, number)));
            let found = pair.ambiguities(&mut World::new());
            if rank(other) < rank(number) && !found.expect("no circle").is_empty() {
                configs = configs.after(sets[other as usize]);
            }
        }
        schedule.add_systems(configs);
    }
    schedule
}

#[test]
fn schedules_without_ambiguities_give_the_same_in_every_order_and_on_any_workers() {
    let wanted = std::env::var("ORRERY_SOAK").ok();
    let wanted = wanted.and_then(|ticks| ticks.parse::<u64>().ok());
    let workers = Workers::new(2).expect("threads can be had");
    let eager = super::random::Eager(workers);
    let world = world();
    let mut several = 0;
    for seed in 0..wanted.map_or(60, |ticks| ticks / 60) {
        let mut schedule = schedule(seed);
        let found = schedule.ambiguities(&mut world.fork().expect("everything is Clone"));
        assert_eq!(found, Ok(Vec::new()), "seed {seed}");
        let serial = schedule.compare_orders(&world, &Serial, 6, 5);
        let hash = serial.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let spread = schedule.compare_orders(&world, &eager, 2, 5);
        assert_eq!(spread, Ok(hash), "seed {seed}");
        let order = |schedule: &mut Schedule, seed| {
            schedule.set_shuffled(seed);
            let mut fork = world.fork().expect("everything is Clone");
            schedule.initialize(&mut fork).expect("no circle");
            schedule.to_text(&mut fork)
        };
        several += u32::from(order(&mut schedule, None) != order(&mut schedule, Some(seed)));
    }
    assert!(several > 5, "there are orders to compare: {several}");
}

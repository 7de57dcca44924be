//! Worlds on several threads, for ThreadSanitizer (`.ci/run tsan`); else a short stress test.
//!
//! A program without the test harness, as `workers_race`: the sanitizer sees what is compiled with
//! us, which the workers are, and so are the counts of blocks and the lock of the pool. Left out
//! are the last owners of what std counts (descriptions of components, values of resources): `Arc`
//! orders their end by a fence that it does not know. Hence one fork outlives every loop.

use std::hint;
use std::mem;

use orrery::workers::Workers;
use orrery_ecs::{
    Added, Changed, Chunk, CommandQueue, Commands, Component, Entity, IntoSystem, Query,
    RemovedComponents, System, With, World, WorldHash,
};

/// Three blocks.
const ROWS: u32 = 9000;
const ROUNDS: u64 = 12;
/// Pieces of work: more than threads, so that each has several.
const PIECES: usize = 12;

#[derive(Clone, Copy, Component)]
struct Num(u32);

#[derive(Clone, Component)]
struct Named(String);

#[derive(Clone, Copy, Component)]
#[component(track)]
struct Left(u32);

#[derive(Clone, Copy, Component)]
#[component(sparse)]
struct Frozen(u32);

fn world() -> (World, Vec<Entity>) {
    let mut world = World::new();
    let bundle = |i: u32| (Num(i), Left(i), Named(i.to_string()));
    let all: Vec<Entity> = world.spawn_batch((0..ROWS).map(bundle)).collect();
    for &entity in all.iter().step_by(3) {
        world.entity_mut(entity).insert(Frozen(1));
    }
    (world, all)
}

fn fork(world: &World) -> World {
    world.fork().expect("everything can be cloned")
}

/// SplitMix64 (Steele, Lea, Flood 2014).
fn random(state: &mut u64) -> usize {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 16) as usize
}

/// Changes a world; the same seed changes any fork of the same origin alike.
fn change(world: &mut World, all: &[Entity], seed: u64) -> WorldHash {
    let mut state = seed;
    let mut nums = world.query::<(&mut Num, Option<&mut Left>)>();
    for _ in 0..24 {
        let (what, entity) = (random(&mut state) % 9, all[random(&mut state) % all.len()]);
        let number = random(&mut state) as u32;
        match what {
            0 => drop(world.despawn(entity)),
            1 => drop(world.insert(entity, (Named(number.to_string()), Frozen(number)))),
            2 => drop(world.remove::<(Named, Frozen)>(entity)),
            3 => drop(world.take::<Left>(entity)),
            4 => {
                world.spawn((Num(number), Named(number.to_string())));
            }
            5 => nums.view_mut(world).for_each(|(num, _)| num.0 ^= number),
            6 => drop(fork(world)),
            7 => {
                let mut queue = CommandQueue::default();
                let mut commands = Commands::new(&mut queue, world);
                commands.spawn(Num(number));
                commands.despawn(entity);
                queue.apply(world);
            }
            _ => {
                if let Some(named) = world.get_mut::<Named>(entity) {
                    named.0.push('x');
                }
            }
        }
    }
    world.state_hash()
}

/// Rows, slices, sparse sets and change ticks by block, and commands of blocks, each while a fork
/// shares all blocks, so that threads copy some of them and write to others in place.
fn loops(workers: &Workers) -> WorldHash {
    let (mut world, _) = world();
    let mut each = (|chunk: Chunk<(&mut Num, &Left)>, mut commands: Commands| {
        for (row, &entity) in chunk.entities().iter().enumerate().step_by(97) {
            if row % 2 == 0 {
                commands.despawn(entity);
            }
            commands.spawn((Num(row as u32), Left(3)));
        }
    })
    .into_system();
    let mut look = (|new: Query<Entity, Added<Left>>,
                     changed: Query<Entity, Changed<Left>>,
                     mut gone: RemovedComponents<Left>,
                     mut nums: Query<&mut Num>| {
        let seen = (new.iter().count() + changed.iter().count() + gone.read().count()) as u32;
        nums.iter_mut()
            .for_each(|num| num.0 = num.0.wrapping_add(seen));
    })
    .into_system();
    let mut kept = fork(&world);
    for round in 0..ROUNDS {
        let fork = fork(&world);
        let mut rows = world.query::<(&mut Num, &Named, Option<&Frozen>)>();
        rows.view_mut(&mut world)
            .par_for_each(workers, |(num, named, frozen)| {
                num.0 = num
                    .0
                    .wrapping_add(named.0.len() as u32 + frozen.is_some() as u32);
            });
        let mut left = world.query_filtered::<&mut Left, With<Num>>();
        left.view_mut(&mut world).par_for_each(workers, |mut left| {
            if left.0 % 5 == 0 {
                left.0 += 1;
            }
        });
        let mut frozen = world.query::<&mut Frozen>();
        frozen
            .view_mut(&mut world)
            .par_for_each(workers, |frozen| frozen.0 += 1);
        each.run(&mut world, workers).expect("nothing is missing");
        look.run(&mut world, workers).expect("nothing is missing");
        if round % 4 == 0 {
            // Back, as in a replay; the other one goes on from there the next time.
            mem::swap(&mut world, &mut kept);
        }
        drop(fork);
    }
    world.state_hash()
}

/// Handles that threads reserve from one world at once are distinct, and all of them live.
fn reservations(workers: &Workers) -> usize {
    let (mut world, _) = world();
    let mut queues: Vec<(CommandQueue, Vec<Entity>)> = Vec::new();
    queues.resize_with(PIECES, Default::default);
    let shared = &world;
    workers.chunks_mut(&mut queues, 1, &|piece, queues| {
        let (queue, entities) = &mut queues[0];
        let mut commands = Commands::new(queue, shared);
        for number in 0..200 {
            entities.push(commands.spawn((Num(number), Frozen(piece as u32))).id());
        }
    });
    let mut entities: Vec<Entity> = Vec::new();
    for (mut queue, own) in queues {
        queue.apply(&mut world);
        entities.extend(own);
    }
    assert!(entities.iter().all(|&entity| world.contains(entity)));
    entities.sort_unstable();
    entities.dedup();
    assert_eq!(entities.len(), PIECES * 200);
    world.len()
}

/// An origin and its forks go their own ways at once and end there, in any order.
fn forks(workers: &Workers) -> Vec<WorldHash> {
    let mut hashes = Vec::new();
    let (mut origin, all) = world();
    for round in 0..ROUNDS {
        let kept = fork(&origin);
        let mut slots: Vec<(Option<World>, WorldHash)> = Vec::new();
        for _ in 1..PIECES {
            slots.push((Some(fork(&origin)), WorldHash(0)));
        }
        slots.push((Some(origin), WorldHash(0)));
        workers.chunks_mut(&mut slots, 1, &|piece, slots| {
            let (slot, hash) = &mut slots[0];
            let mut own = slot.take().expect("it was put there a moment ago");
            *hash = change(&mut own, &all, round * 100 + piece as u64);
        });
        hashes.extend(slots.into_iter().map(|(_, hash)| hash));
        origin = kept;
    }
    hashes
}

/// The last owner of a block writes to it in place, right after another one has read it and gone.
///
/// Nothing else that orders threads comes between, no lock of the pool and no digest, so this rests
/// on the count of the block's owners alone.
fn last_owners(workers: &Workers) -> Vec<u64> {
    let mut sums = Vec::new();
    let (origin, _) = world();
    for round in 0..10 * ROUNDS {
        let mut slots: Vec<(Option<World>, u64)> = Vec::new();
        let mut kept = Vec::new();
        for _ in 0..PIECES / 2 {
            // Blocks of their own, which nobody else shares.
            let mut one = fork(&origin);
            one.query::<&mut Num>()
                .view_mut(&mut one)
                .for_each(|num| num.0 += 1);
            let other = fork(&one);
            // What std counts lives on.
            let mut rest = fork(&one);
            rest.clear();
            kept.push(rest);
            slots.extend([(Some(other), 0), (Some(one), 0)]);
        }
        workers.chunks_mut(&mut slots, 1, &|piece, slots| {
            let (slot, sum) = &mut slots[0];
            let mut own = slot.take().expect("it was put there a moment ago");
            if piece % 2 == 0 {
                let mut nums = own.query::<&Num>();
                nums.view(&own).for_each(|num| *sum += u64::from(num.0));
                return;
            }
            // The other one may be done by now, or not yet begun.
            for _ in 0..(round % 6) * 3000 {
                hint::spin_loop();
            }
            let mut nums = own.query::<&mut Num>();
            nums.view_mut(&mut own).for_each(|num| {
                num.0 *= 2;
                *sum += u64::from(num.0);
            });
        });
        sums.extend(slots.into_iter().map(|(_, sum)| sum));
    }
    sums
}

/// Threads read, hash and fork one world at once; each then changes its fork.
fn readers(workers: &Workers) -> Vec<WorldHash> {
    let (mut world, all) = world();
    let kept = fork(&world);
    let mut hashes = Vec::new();
    for round in 0..ROUNDS {
        let mut found = vec![WorldHash(0); PIECES];
        let shared = &world;
        workers.chunks_mut(&mut found, 1, &|piece, found| {
            let before = shared.state_hash();
            let mut own = fork(shared);
            found[0] = change(&mut own, &all, round * 100 + piece as u64);
            assert!(shared.state_hash() == before);
        });
        hashes.extend(found);
        hashes.push(change(&mut world, &all, round));
    }
    drop(kept);
    hashes
}

fn main() {
    let stress = |workers: &Workers| {
        (
            loops(workers),
            reservations(workers),
            forks(workers),
            last_owners(workers),
            readers(workers),
        )
    };
    let expected = stress(&Workers::serial());
    for threads in [2, 3, 6] {
        let workers = Workers::new(threads).expect("the system gives a test a few threads");
        assert!(stress(&workers) == expected, "{threads} threads");
        mem::forget(workers);
    }
    println!("worlds_race: 2, 3 and 6 threads agree with one");
}

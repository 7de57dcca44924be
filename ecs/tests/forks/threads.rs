//! Forks on several threads: they share blocks, lists, pages and the pool.

use std::sync::Barrier;

use orrery_ecs::{Entity, World};

use crate::support::{Ghost, Ledger, Named, Num, Parts, Random, SeedOnFailure};

/// `TEST` keeps the ghosts of two tests apart, which run at the same time.
fn world<const TEST: usize>(count: u32, ledger: &Ledger) -> (World, Vec<Entity>) {
    let mut world = World::new();
    let all = world.spawn_batch((0..count).map(|i| {
        let parts = Parts {
            a: i as f32,
            b: f64::from(i),
            c: i as u16,
        };
        (Num(i), parts, Named::new(i, ledger), Ghost::<TEST>::new())
    }));
    let all = all.collect();
    (world, all)
}

/// Changes a world at random; the same seed changes any fork of the same origin alike.
fn change<const TEST: usize>(world: &mut World, all: &[Entity], ledger: &Ledger, seed: u64) {
    let mut random = Random::new(seed);
    let mut nums = world.query::<(&mut Num, Option<&mut Named>)>();
    for _ in 0..12 {
        let entity = all[random.below(all.len())];
        let number = random.below(1000) as u32;
        match random.below(8) {
            0 => drop(world.despawn(entity)),
            1 => drop(world.insert(entity, Named::new(number, ledger))),
            2 => drop(world.remove::<Named>(entity)),
            3 => drop(world.take::<(Named, Num)>(entity)),
            4 => {
                world.spawn((
                    Num(number),
                    Named::new(number, ledger),
                    Ghost::<TEST>::new(),
                ));
            }
            5 => {
                let _ = world.write(
                    entity,
                    Parts {
                        a: 1.0,
                        b: 2.0,
                        c: 3,
                    },
                );
            }
            6 => nums
                .view_mut(world)
                .for_each(|(num, _)| num.0 = num.0.wrapping_add(number)),
            _ => {
                if let Some(named) = world.get_mut::<Named>(entity) {
                    named.text = number.to_string();
                }
            }
        }
    }
}

#[test]
fn forks_on_threads_change_and_end_in_any_order() {
    let seed = 0xf0_4b5;
    let _seed = SeedOnFailure(seed);
    let (ledger, mut random) = (Ledger::default(), Random::new(seed));
    for round in 0..400_u32 {
        let count = [3, 40, 700, 5000][if round % 40 == 0 {
            3
        } else {
            round as usize % 3
        }];
        let (world, all) = world::<2>(count, &ledger);
        let before = world.state_hash();
        let seeds = [random.next(), random.next(), random.next()];
        let alone = seeds.map(|seed| {
            let mut fork = world.fork().expect("it can be cloned");
            change::<2>(&mut fork, &all, &ledger, seed);
            fork.state_hash()
        });
        let forks = seeds.map(|_| world.fork().expect("it can be cloned"));
        let start = Barrier::new(seeds.len() + 1);
        std::thread::scope(|scope| {
            for ((mut fork, seed), hash) in forks.into_iter().zip(seeds).zip(alone) {
                let (start, all, ledger) = (&start, &all, &ledger);
                scope.spawn(move || {
                    start.wait();
                    if seed % 3 == 0 {
                        assert_eq!(fork.state_hash(), before);
                    }
                    change::<2>(&mut fork, all, ledger, seed);
                    if seed % 2 == 0 {
                        assert_eq!(fork.state_hash(), hash);
                    }
                });
            }
            start.wait();
            if round % 2 == 0 {
                drop(world);
            } else {
                let late = world.fork().expect("it can be cloned");
                drop(world);
                assert_eq!(late.state_hash(), before);
            }
        });
        assert_eq!(
            (ledger.alive(), Ghost::<2>::alive()),
            (0, 0),
            "in round {round}"
        );
    }
}

#[test]
fn many_threads_read_hash_and_fork_one_world() {
    let ledger = Ledger::default();
    {
        let (mut world, all) = world::<3>(9000, &ledger);
        for round in 0..20_u64 {
            let shared = &world;
            std::thread::scope(|scope| {
                for number in 0..4_u64 {
                    let (all, ledger) = (&all, &ledger);
                    scope.spawn(move || {
                        let hash = shared.state_hash();
                        let mut fork = shared.fork().expect("it can be cloned");
                        assert_eq!(fork.state_hash(), hash);
                        change::<3>(&mut fork, all, ledger, round * 4 + number);
                        assert_eq!(shared.state_hash(), hash);
                    });
                }
            });
            change::<3>(&mut world, &all, &ledger, 1000 + round);
        }
    }
    assert_eq!((ledger.alive(), Ghost::<3>::alive()), (0, 0));
}

#[test]
fn worlds_and_queries_may_cross_threads() {
    fn send<T: Send>() {}
    fn sync<T: Sync>() {}
    send::<World>();
    sync::<World>();
    send::<orrery_ecs::CommandQueue>();
    send::<orrery_ecs::QueryState<(&mut Num, &Named)>>();
    send::<orrery_ecs::Query<'_, '_, &mut Num>>();
    sync::<orrery_ecs::Query<'_, '_, &mut Num>>();
    send::<orrery_ecs::Chunk<'_, &mut Num>>();
    sync::<orrery_ecs::EntityRef<'_>>();
}

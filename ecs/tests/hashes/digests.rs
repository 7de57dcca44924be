//! The hash of a block is kept with the block: each door that writes must make it go.
//!
//! Every test hashes the world first, so that all digests are there, writes through one door, and
//! compares with a world that has the same contents and was never hashed before.

use orrery_ecs::{Entity, Fields, World, WorldHash};

use crate::support::{Ledger, Named, Num, Parts, Pos};

const COUNT: u32 = 4096 + 20;

fn parts(i: u32) -> Parts {
    Parts {
        a: i as f32,
        b: f64::from(i),
        c: i as u16,
    }
}

fn build(count: u32, ledger: &Ledger) -> (World, Vec<Entity>) {
    let mut world = World::new();
    let bundles = (0..count).map(|i| (Num(i), parts(i), Named::new(i, ledger)));
    let all = world.spawn_batch(bundles).collect();
    (world, all)
}

/// Does the same to a world that was hashed, to a fork of it, and to one that never was; repeated
/// with a hash between every two changes.
fn check(what: &str, count: u32, change: impl Fn(&mut World, &[Entity], &Ledger)) {
    let ledger = Ledger::default();
    let (mut hashed, all) = build(count, &ledger);
    let before = hashed.state_hash();
    let mut fork = hashed.fork().expect("it can be cloned");
    let fresh = |times: u32| -> WorldHash {
        let (mut fresh, all) = build(count, &ledger);
        (0..times).for_each(|_| change(&mut fresh, &all, &ledger));
        fresh.state_hash()
    };
    change(&mut fork, &all, &ledger);
    assert_eq!(hashed.state_hash(), before, "{what}: the origin of a fork");
    assert_eq!(fork.state_hash(), fresh(1), "{what}: the fork");
    assert_ne!(fork.state_hash(), before, "{what} changes something");
    drop(fork);
    for times in 1..4 {
        change(&mut hashed, &all, &ledger);
        assert_eq!(hashed.state_hash(), fresh(times), "{what}, {times} times");
    }
}

#[test]
fn writing_single_values_makes_the_digest_go() {
    check("get_mut", COUNT, |world, all, _| {
        world.get_mut::<Num>(all[4100]).expect("lives").0 += 1;
    });
    check("write", COUNT, |world, all, _| {
        let old = world.read::<Parts>(all[7]).expect("lives");
        world
            .write(
                all[7],
                Parts {
                    c: old.c + 1,
                    ..old
                },
            )
            .expect("lives");
    });
    check("entity_mut", COUNT, |world, all, _| {
        let mut entity = world.entity_mut(all[3]);
        entity.get_mut::<Named>().expect("lives").text.push('1');
    });
    check("get_mut of a query", COUNT, |world, all, _| {
        let mut query = world.query::<&mut Num>();
        query.view_mut(world).get_mut(all[8]).expect("matches").0 += 1;
    });
}

#[test]
fn writing_by_queries_makes_the_digests_go() {
    check("rows", COUNT, |world, _, _| {
        let mut query = world.query::<(&mut Num, &mut Named)>();
        for (num, named) in query.iter_mut(world) {
            num.0 += 1;
            named.text.push('2');
        }
    });
    check("for_each", COUNT, |world, _, _| {
        world
            .query::<&mut Num>()
            .view_mut(world)
            .for_each(|num| num.0 += 1);
    });
    check("chunks", COUNT, |world, _, _| {
        let mut query = world.query::<Option<&mut Num>>();
        query.view_mut(world).for_each_chunk(|nums| {
            nums.into_iter().flatten().for_each(|num| num.0 += 1);
        });
    });
    check("fields", COUNT, |world, _, _| {
        let mut query = world.query::<Fields<&mut Parts>>();
        query.iter_mut(world).for_each(|parts| *parts.c += 1);
        query
            .view_mut(world)
            .for_each_chunk(|parts| parts.b[0] += 1.0);
    });
    check("threads", COUNT, |world, _, _| {
        let mut query = world.query::<&mut Num>();
        let mut view = query.view_mut(world);
        view.par_for_each_chunk(&crate::support::Threads(2), |nums| nums[0].0 += 1);
    });
}

#[test]
fn moving_rows_makes_the_digests_go() {
    for count in [20, 4096, 4097, COUNT] {
        check("insert over", count, |world, all, ledger| {
            let old = world.get::<Named>(all[2]).expect("lives").number();
            world
                .insert(all[2], (Named::new(old + 1, ledger), Num(old)))
                .expect("lives");
        });
        check("swap-remove", count, |world, _, _| {
            let first = world.query::<Entity>().iter(world).next();
            world.despawn(first.expect("some live")).expect("lives");
        });
        check("despawn of the last", count, |world, _, _| {
            let last = world.query::<Entity>().iter(world).last();
            world.despawn(last.expect("some live")).expect("lives");
        });
        check("a move away", count, |world, _, _| {
            let first = world
                .query::<(Entity, &Named)>()
                .iter(world)
                .next()
                .map(|x| x.0);
            world
                .remove::<Named>(first.expect("some have"))
                .expect("lives");
        });
        check("a move there", count, |world, _, _| {
            let first = world
                .query::<(Entity, &Named)>()
                .iter(world)
                .next()
                .map(|x| x.0);
            let pos = Pos {
                x: 1.0,
                y: 2.0,
                z: 3.0,
            };
            world.insert(first.expect("some have"), pos).expect("lives");
        });
    }
}

#[test]
fn new_rows_make_the_digests_go() {
    // 16 rows: growth of the first block; 17 and COUNT: a partly filled one; 4096: a new one.
    for count in [1, 15, 16, 17, 4095, 4096, COUNT] {
        check("spawn", count, |world, _, ledger| {
            world.spawn((Num(5), parts(6), Named::new(7, ledger)));
        });
        check("spawn a batch", count, |world, _, ledger| {
            world.spawn_batch((0..3).map(|i| (Num(i), parts(i), Named::new(i, ledger))));
        });
        check(
            "despawn and spawn to the same length",
            count,
            |world, _, ledger| {
                let last = world.query::<Entity>().iter(world).last();
                world.despawn(last.expect("some live")).expect("lives");
                world.spawn((Num(50), parts(60), Named::new(70, ledger)));
            },
        );
    }
}

#[test]
fn clear_makes_the_digests_go_and_a_shorter_block_is_another() {
    let ledger = Ledger::default();
    let (mut world, all) = build(20, &ledger);
    let mut seen = vec![world.state_hash()];
    for &entity in all.iter().rev() {
        world.despawn(entity).expect("it lives");
        let hash = world.state_hash();
        assert!(!seen.contains(&hash));
        seen.push(hash);
    }
    let (mut again, _) = build(20, &ledger);
    again.state_hash();
    again.clear();
    let (mut fresh, _) = build(20, &ledger);
    fresh.clear();
    assert_eq!(again.state_hash(), fresh.state_hash());
}

#[test]
fn a_fork_that_hashes_first_does_not_hide_what_its_origin_writes() {
    let ledger = Ledger::default();
    let (mut world, all) = build(COUNT, &ledger);
    for &entity in &all[..20] {
        let fork = world.fork().expect("it can be cloned");
        assert_eq!(fork.state_hash(), world.state_hash());
        let before = fork.state_hash();
        world.get_mut::<Num>(entity).expect("it lives").0 += 1;
        assert_eq!(fork.state_hash(), before);
        assert_ne!(world.state_hash(), before);
        drop(fork);
        let between = world.state_hash();
        world.get_mut::<Num>(entity).expect("it lives").0 -= 1;
        assert_ne!(world.state_hash(), between);
        assert_eq!(world.state_hash(), before);
    }
}

//! User code that panics in the middle: drop, clone, iterators. The world stays whole and no
//! value is dropped twice.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use orrery_ecs::{CommandQueue, Commands, Component, Entity, Fields, World};

use crate::support::{Ledger, Named, Num, Parts, ignore, named, names, panic_of, whole};

#[test]
fn a_drop_that_panics_while_despawning_or_removing_completes_the_change() {
    let ledger = Ledger::default();
    let (mut world, all) = named(20, &ledger);
    ledger.panic_in_drop(1);
    assert!(panic_of(|| world.despawn(all[3]).expect("it lives")).is_some());
    assert!(!world.contains(all[3]));
    ledger.panic_in_drop(1);
    assert!(panic_of(|| ignore(world.remove::<Named>(all[5]))).is_some());
    assert!(world.get::<Named>(all[5]).is_none() && world.get::<Num>(all[5]).is_some());
    assert_eq!((world.len(), ledger.alive()), (19, 18));
    whole(&mut world, &ledger, 18);
    drop(world);
    assert_eq!(ledger.alive(), 0);
}

#[test]
fn a_drop_that_panics_while_clearing_does_not_keep_the_others() {
    let ledger = Ledger::default();
    let (mut world, _) = named(10_000, &ledger);
    ledger.panic_in_drop(5);
    assert!(panic_of(|| world.clear()).is_some());
    assert_eq!((world.len(), ledger.alive()), (0, 0));
    whole(&mut world, &ledger, 0);
    let (world, _) = named(10_000, &ledger);
    ledger.panic_in_drop(7);
    assert!(panic_of(move || drop(world)).is_some());
    assert_eq!(ledger.alive(), 0);
}

/// Asks for ten spawns, insertions and closures, each with a name that is counted.
fn ask_for_names(mut commands: Commands<'_, '_>, ledger: &Ledger) {
    for number in 0..10 {
        let entity = commands.spawn(Named::new(number, ledger)).id();
        commands.insert(entity, Named::new(number, ledger));
        let name = Named::new(number, ledger);
        commands.queue(move |_: &mut World| ignore(name));
    }
}

#[test]
fn a_payload_that_panics_when_its_queue_is_dropped_does_not_keep_the_others() {
    for number in [1, 2, 3, 29, 30] {
        let (ledger, world) = (Ledger::default(), World::new());
        let mut queue = CommandQueue::default();
        ask_for_names(Commands::new(&mut queue, &world), &ledger);
        assert_eq!(ledger.alive(), 30);
        ledger.panic_in_drop(number);
        let panic = panic_of(move || drop(queue));
        assert_eq!(panic.as_deref(), Some("planned panic in a drop"));
        assert_eq!(ledger.alive(), 0, "drop {number}");
    }
}

#[test]
fn a_queue_that_is_dropped_by_a_panic_lets_that_panic_through_and_drops_every_payload() {
    let (ledger, world) = (Ledger::default(), World::new());
    let mut queue = CommandQueue::default();
    ask_for_names(Commands::new(&mut queue, &world), &ledger);
    ledger.panic_in_drop(3);
    let panic = panic_of(move || {
        let _queue = queue;
        panic!("the first");
    });
    assert_eq!(panic.as_deref(), Some("the first"));
    assert_eq!(ledger.alive(), 0);
}

#[test]
fn a_panic_with_a_payload_that_panics_in_its_own_drop_does_no_harm() {
    struct Payload;
    impl Drop for Payload {
        fn drop(&mut self) {
            assert!(std::thread::panicking(), "the payload's own drop");
        }
    }
    #[derive(Clone, Component)]
    #[component(not_state)]
    struct Bomb<const NUMBER: usize>(Arc<AtomicBool>);
    impl<const NUMBER: usize> Drop for Bomb<NUMBER> {
        fn drop(&mut self) {
            if self.0.load(Ordering::Relaxed) {
                std::panic::panic_any(Payload);
            }
        }
    }
    let armed = Arc::new(AtomicBool::new(true));
    let bombs = || (Bomb::<1>(armed.clone()), Bomb::<2>(armed.clone()), Num(1));
    let mut world = World::new();
    let first = world.spawn(bombs()).id();
    let second = world.spawn(bombs()).id();
    let caught = catch_unwind(AssertUnwindSafe(|| world.despawn(first)));
    std::mem::forget(caught.expect_err("two drops panic"));
    assert_eq!((world.len(), Arc::strong_count(&armed)), (1, 3));
    assert_eq!(world.get::<Num>(second), Some(&Num(1)));
    armed.store(false, Ordering::Relaxed);
    drop(world);
    assert_eq!(Arc::strong_count(&armed), 1);
}

/// Changes a fork so that a shared block with names is copied, the clone with the given number
/// panics, and compares what is left with the state before.
fn change_with_panicking_clone(
    what: &str,
    count: u32,
    change: impl Fn(&mut World, &[Entity], &Ledger),
) {
    let ledger = Ledger::default();
    let (mut world, all) = named(count, &ledger);
    let others = world.spawn_batch((0..9).map(|i| Named::new(i, &ledger)));
    let all: Vec<Entity> = all.into_iter().chain(others).collect();
    let before = (world.state_hash(), names(&mut world));
    for number in [1, 2, 9, 10] {
        let mut fork = world.fork().expect("it can be cloned");
        ledger.panic_in_clone(number);
        let panic = panic_of(|| change(&mut fork, &all, &ledger));
        assert_eq!(
            panic.as_deref(),
            Some("planned panic in a clone"),
            "{what}, {number}"
        );
        // The archetype that an entity would have gone to may be there by now, empty.
        if fork.archetypes().len() == world.archetypes().len() {
            assert_eq!(fork.state_hash(), before.0, "{what}, clone {number}");
        }
        assert_eq!(fork.len(), world.len(), "{what}, clone {number}");
        assert_eq!(names(&mut fork), before.1, "{what}, clone {number}");
        ledger.panic_in_clone(0);
        change(&mut fork, &all, &ledger);
        let rows = fork_rows(&fork);
        whole(&mut fork, &ledger, rows);
        assert_eq!(world.state_hash(), before.0, "{what}, clone {number}");
        assert_eq!(names(&mut world), before.1, "{what}, clone {number}");
        drop(fork);
        assert_eq!(
            ledger.alive(),
            i64::from(count) + 9,
            "{what}, clone {number}"
        );
    }
    drop(world);
    assert_eq!(ledger.alive(), 0, "{what}");
}

fn fork_rows(world: &World) -> usize {
    let both = |world: &World, entity| {
        world.get::<Num>(entity).is_some() && world.get::<Named>(entity).is_some()
    };
    let living = (0..20_000).filter_map(|index| world.entity_at(index));
    living.filter(|&entity| both(world, entity)).count()
}

#[test]
fn a_clone_that_panics_while_a_block_is_copied_changes_nothing() {
    // The counts make the changed block the first, a full one, and the second of two.
    for count in [12, 16, 4096 + 12] {
        change_with_panicking_clone("get_mut", count, |world, all, _| {
            world.get_mut::<Named>(all[11]).expect("it lives").text = String::from("11");
        });
        change_with_panicking_clone("despawn", count, |world, all, _| {
            world.despawn(all[1]).expect("it lives");
        });
        change_with_panicking_clone("despawn the last", count, |world, all, _| {
            world.despawn(all[count as usize - 1]).expect("it lives");
        });
        change_with_panicking_clone("remove", count, |world, all, _| {
            world.remove::<Named>(all[1]).expect("it lives");
        });
        change_with_panicking_clone("take", count, |world, all, _| {
            assert_eq!(
                world.take::<Named>(all[1]).expect("it is there").number(),
                1
            );
        });
        change_with_panicking_clone("move with", count, |world, all, _| {
            world.remove::<Num>(all[1]).expect("it lives");
        });
        change_with_panicking_clone("insert over", count, |world, all, ledger| {
            world
                .insert(all[1], (Num(1), Named::new(1, ledger)))
                .expect("it lives");
        });
        change_with_panicking_clone("insert beside", count, |world, all, _| {
            world
                .insert(
                    all[1],
                    Parts {
                        a: 0.0,
                        b: 0.0,
                        c: 0,
                    },
                )
                .expect("it lives");
        });
    }
    // Where the last block is full, a new row copies nothing.
    for count in [12, 16, 4096 + 12] {
        change_with_panicking_clone("spawn", count, |world, _, ledger| {
            world.spawn((Num(5), Named::new(5, ledger)));
        });
        change_with_panicking_clone("spawn a batch", count, |world, _, ledger| {
            world.spawn_batch([
                (Num(5), Named::new(5, ledger)),
                (Num(6), Named::new(6, ledger)),
            ]);
        });
    }
}

#[test]
fn an_iterator_that_panics_midway_leaves_what_it_gave() {
    let (ledger, mut world) = (Ledger::default(), World::new());
    let bundles = (0..100).map(|i| {
        assert!(i < 40, "planned panic in an iterator");
        (Num(i), Named::new(i, &ledger))
    });
    let panic = panic_of(|| ignore(world.spawn_batch(bundles)));
    assert_eq!(panic.as_deref(), Some("planned panic in an iterator"));
    assert_eq!((world.len(), ledger.alive()), (40, 40));
    whole(&mut world, &ledger, 40);
}

#[test]
fn a_query_function_that_panics_leaves_the_world_usable() {
    let ledger = Ledger::default();
    let (mut world, _) = named(5000, &ledger);
    let mut query = world.query::<&mut Num>();
    let panic = panic_of(|| {
        query
            .view_mut(&mut world)
            .for_each(|num| assert!(num.0 < 4500, "planned"));
    });
    assert!(panic.is_some());
    whole(&mut world, &ledger, 5000);
}

#[derive(Clone, Copy, Component)]
#[component(track)]
struct Tracked(u16);

/// Rows of a split and of a tracked component, beside a name.
fn parted(world: &mut World, ledger: &Ledger, count: u32) -> Vec<Entity> {
    let one = |i: u32| {
        let (a, b) = (i as f32, f64::from(i));
        (
            Parts { a, b, c: i as u16 },
            Tracked(i as u16),
            Named::new(i, ledger),
        )
    };
    world.spawn_batch((0..count).map(one)).collect()
}

#[test]
fn a_clone_that_panics_while_blocks_grow_leaves_their_sizes_alike() {
    let ledger = Ledger::default();
    for wanted in [1, 1000] {
        let mut world = World::new();
        let all = parted(&mut world, &ledger, 16);
        let fork = world.fork().expect("all of it can be cloned");
        ledger.panic_in_clone(5);
        let more = panic_of(|| ignore(parted(&mut world, &ledger, wanted)));
        assert!(more.is_some(), "the block of names is copied");
        drop(fork);
        world.advance_change_tick();
        for &entity in &all[..8] {
            world.despawn(entity).expect("it lives");
        }
        parted(&mut world, &ledger, 5);
        let mut query = world.query::<(Fields<&Parts>, &Tracked, &Named)>();
        for (parts, tracked, named) in query.iter(&world) {
            let number = named.number();
            let (a, b) = (number as f32, f64::from(number));
            assert_eq!((*parts.a, *parts.b, *parts.c), (a, b, number as u16));
            assert_eq!(u32::from(tracked.0), number);
        }
    }
    assert_eq!(ledger.alive(), 0);
}

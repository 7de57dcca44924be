//! Queues as part of a world: forked, hashed, gone back to, taken over.

use super::super::EventViewer;
use super::*;

#[test]
fn a_fork_in_the_middle_goes_on_as_its_origin_does() {
    let mut world = world();
    let mut write = made(&mut world, send_three);
    let mut often = made(&mut world, read::<0>);
    let mut seldom = made(&mut world, read::<1>);
    let mut tick = |world: &mut World, tick: u64| {
        run(&mut write, world);
        run(&mut often, world);
        if tick % 8 == 7 {
            run(&mut seldom, world);
        }
    };
    (0..21).for_each(|number| tick(&mut world, number));
    let mut fork = world.fork().expect("everything is Clone");
    assert_eq!(world.state_hash(), fork.state_hash());
    (21..50).for_each(|number| tick(&mut world, number));
    (21..50).for_each(|number| tick(&mut fork, number));
    assert_eq!(world.state_hash(), fork.state_hash());
    assert_eq!(seen::<1>(&fork), (0..144).collect::<Vec<u64>>());
    assert_eq!(seen::<1>(&world), seen::<1>(&fork));
    assert_eq!(queue(&world).counters(), queue(&fork).counters());
    let readers = |world: &World| queue(world).readers().collect::<Vec<_>>();
    assert_eq!(readers(&world), readers(&fork));
}

#[test]
fn going_back_to_a_fork_brings_back_what_was_unread_then() {
    let mut world = world();
    let mut write = made(&mut world, send_three);
    let mut reader = made(&mut world, read::<0>);
    run(&mut write, &mut world);
    let early = world.fork().expect("everything is Clone");
    for _ in 0..5 {
        run(&mut reader, &mut world);
        run(&mut write, &mut world);
    }
    let mut world = early;
    run(&mut reader, &mut world);
    run(&mut write, &mut world);
    run(&mut reader, &mut world);
    assert_eq!(seen::<0>(&world), [0, 1, 2, 3, 4, 5]);
}

#[test]
fn a_run_that_does_nothing_copies_no_queue_that_a_fork_shares() {
    let mut world = world();
    world.send_event(Num(1));
    let mut reader = made(&mut world, |_: EventReader<Num>| ());
    let place = |world: &World| std::ptr::from_ref(queue(world));
    run(&mut reader, &mut world);
    let mut fork = world.fork().expect("everything is Clone");
    let mut other = made(&mut fork, |nums: EventViewer<Num>| {
        assert_eq!(nums.len(), 1)
    });
    let copied = place(&fork);
    assert_ne!(place(&world), copied, "a new reader was written down");
    let mut third = fork.fork().expect("everything is Clone");
    run(&mut other, &mut third);
    assert_eq!(place(&third), copied);
}

/// A world after some ticks with two readers, made in one order or the other.
fn lived(swapped: bool, ticks: u64) -> World {
    let mut world = world();
    let (mut first, mut second) = (read::<0>.into_system(), read::<1>.into_system());
    let order: [&mut dyn System; 2] = if swapped {
        [&mut second, &mut first]
    } else {
        [&mut first, &mut second]
    };
    for system in order {
        system.initialize(&mut world).expect("its parameters agree");
    }
    let mut write = made(&mut world, send_three);
    for tick in 0..ticks {
        run(&mut write, &mut world);
        run(&mut first, &mut world);
        if tick % 4 == 3 {
            run(&mut second, &mut world);
        }
    }
    world
}

#[test]
fn equal_worlds_have_equal_hashes_and_a_lost_event_shows() {
    assert_eq!(lived(false, 10).state_hash(), lived(false, 10).state_hash());
    assert_eq!(lived(false, 10).state_hash(), lived(true, 10).state_hash());
    assert_ne!(lived(false, 10).state_hash(), lived(false, 11).state_hash());
    let whole = lived(false, 10).state_hash();
    let change = |change: &dyn Fn(&mut Events<Num>)| {
        let mut world = lived(false, 10);
        change(world.resource_mut());
        world.state_hash()
    };
    assert_eq!(change(&|_| ()), whole);
    // One of those that wait for the slow reader is dropped, cleared, or another one.
    let unread = lived(false, 10)
        .resource::<Events<Num>>()
        .readers()
        .map(|r| r.unread)
        .max();
    assert_eq!(unread, Some(6));
    let hashes = [
        whole,
        change(&|queue| queue.set_capacity(5)),
        change(&|queue| queue.clear()),
        change(&|queue| _ = queue.send(Num(1))),
        change(&|queue| _ = queue.send(Num(2))),
        change(&|queue| queue.set_overflow(Overflow::Block)),
        change(&|queue| {
            let slow = queue.readers().max_by_key(|reader| reader.unread);
            queue.remove_reader(slow.expect("there are two").system);
        }),
    ];
    for (index, hash) in hashes.iter().enumerate() {
        assert!(!hashes[..index].contains(hash), "{index}");
    }
}

#[test]
fn the_place_of_each_reader_enters_the_hash() {
    fn slow(_: EventReader<Num>) {}
    fn quiet<const KIND: usize>(mut nums: EventReader<Num>) {
        nums.read().take(KIND).for_each(drop);
    }
    let hash = |reads: bool, swapped: bool| {
        let mut world = world();
        // It holds all events, so that they are the same in every world.
        let _slow = made(&mut world, slow);
        let mut one = made(&mut world, quiet::<1>);
        let mut two = made(&mut world, quiet::<2>);
        run(&mut made(&mut world, send_three), &mut world);
        if reads && swapped {
            run(&mut one, &mut world);
        } else if reads {
            run(&mut two, &mut world);
        }
        world.state_hash()
    };
    let hashes = [hash(false, false), hash(true, false), hash(true, true)];
    assert!(hashes[0] != hashes[1] && hashes[1] != hashes[2] && hashes[0] != hashes[2]);
}

#[test]
fn a_system_that_takes_over_a_number_takes_over_no_place() {
    let mut world = world();
    let old = made(&mut world, |_: EventReader<Num>| ());
    world.send_event(Num(1));
    // Out of the world, the queue does not hear that the system is forgotten.
    let queue = world.remove_resource::<Events<Num>>().expect("it is there");
    assert!(world.forget_system(&old));
    world.insert_resource(queue);
    let mut new = made(&mut world, read::<0>);
    assert_eq!(new.id(), old.id());
    run(&mut new, &mut world);
    let names: Vec<&str> = super::queue(&world)
        .readers()
        .map(|reader| reader.name)
        .collect();
    assert!(
        names.len() == 1 && names[0].contains("read<0>"),
        "{names:?}"
    );
}

#[test]
fn the_hash_does_not_depend_on_who_looks_on_or_how_often() {
    let hash = |every: Option<u64>| {
        let mut world = limited(20, Overflow::Block);
        let mut write = made(&mut world, send_three);
        let mut reader = made(&mut world, read::<0>);
        let mut view = every.map(|_| {
            made(&mut world, |mut nums: EventViewer<Num>| {
                nums.read().for_each(drop);
            })
        });
        for tick in 0..50_u64 {
            run(&mut write, &mut world);
            if tick % 3 == 0 {
                run(&mut reader, &mut world);
            }
            if let Some((view, every)) = view.as_mut().zip(every)
                && tick.is_multiple_of(every)
            {
                run(view, &mut world);
                run(view, &mut world);
            }
        }
        world.state_hash()
    };
    let alone = hash(None);
    for every in [1, 2, 5, 49, 1000] {
        assert_eq!(hash(Some(every)), alone, "{every}");
    }
}

#[test]
fn another_object_of_the_same_system_goes_on_where_the_first_one_was() {
    let mut world = world();
    let mut write = made(&mut world, send_three);
    let mut first = made(&mut world, read::<0>);
    run(&mut write, &mut world);
    run(&mut first, &mut world);
    run(&mut write, &mut world);
    let mut other = world.fork().expect("everything is Clone");
    other.release_systems();
    let mut second = read::<0>.into_system();
    run(&mut second, &mut other);
    assert_eq!(seen::<0>(&other), [0, 1, 2, 3, 4, 5]);
    assert_eq!(queue(&other).readers().len(), 1);
}

#[test]
fn a_reader_finds_its_way_when_another_queue_stands_there_or_none() {
    let mut world = world();
    let mut reader = made(&mut world, read::<0>);
    world.send_event(Num(1));
    run(&mut reader, &mut world);
    world.insert_resource(Events::<Num>::with_capacity(9, Overflow::Block));
    world.send_event(Num(2));
    for _ in 0..2 {
        run(&mut reader, &mut world);
        world.send_event(Num(3));
    }
    assert_eq!(seen::<0>(&world), [1, 2, 3]);
    assert_eq!(queue(&world).readers().len(), 1);
    world.remove_resource::<Events<Num>>();
    let error = reader.run(&mut world, &Serial).expect_err("it is gone");
    assert!(
        error.to_string().contains("event::queue::Events"),
        "{error}"
    );
}

//! When events go, and what a reader finds that is made late.

use super::super::EventViewer;
use super::*;

/// What a reader would read that is made now.
fn late(world: &mut World) -> Vec<u64> {
    let read = |mut nums: EventReader<Num>| nums.read().map(|num| num.0).collect();
    let before = queue(world).len();
    let found = world.run_system_once(read).expect("nothing is missing");
    assert_eq!(queue(world).len(), before, "it leaves all where it is");
    found
}

#[test]
fn a_late_reader_begins_with_the_present_round_and_the_one_before() {
    for with_reader in [false, true] {
        let mut world = world();
        let mut write = made(&mut world, send_three);
        let mut reader = with_reader.then(|| made(&mut world, read::<0>));
        for tick in 0..20_u64 {
            run(&mut write, &mut world);
            if let Some(reader) = &mut reader {
                run(reader, &mut world);
            }
            let expected: Vec<u64> = (3 * tick.saturating_sub(1)..3 * tick + 3).collect();
            assert_eq!(late(&mut world), expected, "tick {tick}, {with_reader}");
            assert_eq!(queue(&world).len(), expected.len());
        }
        let mut late = made(&mut world, read::<1>);
        run(&mut write, &mut world);
        run(&mut late, &mut world);
        assert_eq!(seen::<1>(&world), (54..63).collect::<Vec<u64>>());
    }
}

#[test]
fn what_a_slow_reader_or_a_viewer_does_is_nothing_to_late_readers() {
    let mut world = world();
    let mut write = made(&mut world, send_three);
    let _slow = made(&mut world, read::<1>);
    let mut view = made(&mut world, |mut nums: EventViewer<Num>| {
        nums.read().take(2).for_each(drop);
    });
    for tick in 0..20_u64 {
        run(&mut write, &mut world);
        for _ in 0..tick % 4 {
            run(&mut view, &mut world);
        }
        let expected: Vec<u64> = (3 * tick.saturating_sub(1)..3 * tick + 3).collect();
        assert_eq!(late(&mut world), expected, "tick {tick}");
    }
    assert_eq!(queue(&world).len(), 60);
}

#[test]
fn without_a_reader_events_retire_when_the_next_round_is_over() {
    let mut world = world();
    // It sends once; quiet runs are runs as well.
    let once = |mut nums: EventWriter<Num>, mut runs: Local<u32>| {
        if *runs == 2 {
            nums.send(Num(5));
        }
        *runs += 1;
    };
    let mut once = made(&mut world, once);
    let mut kept = Vec::new();
    for _ in 0..7 {
        run(&mut once, &mut world);
        kept.push(queue(&world).len());
    }
    assert_eq!(kept, [0, 0, 1, 1, 0, 0, 0]);
    assert_eq!(queue(&world).counters().dropped, 0);
}

#[test]
fn systems_that_meet_the_queue_one_by_one_see_all_of_their_first_round() {
    // As in a schedule that initializes each system when it runs first.
    let mut world = world();
    let (mut write, mut first) = (send_three.into_system(), read::<0>.into_system());
    let mut second = read::<1>.into_system();
    for _ in 0..5 {
        run(&mut write, &mut world);
        run(&mut first, &mut world);
        run(&mut second, &mut world);
    }
    let all: Vec<u64> = (0..15).collect();
    assert_eq!((seen::<0>(&world), seen::<1>(&world)), (&*all, &*all));
}

#[test]
fn what_was_sent_before_any_system_was_made_is_read() {
    let mut world = world();
    for number in 0..5 {
        world.send_event(Num(number));
    }
    let mut reader = made(&mut world, read::<0>);
    let mut other = made(&mut world, read::<1>);
    for _ in 0..3 {
        run(&mut reader, &mut world);
        run(&mut other, &mut world);
    }
    assert_eq!(seen::<0>(&world), [0, 1, 2, 3, 4]);
    assert_eq!(seen::<1>(&world), [0, 1, 2, 3, 4]);
    assert!(queue(&world).is_empty());
}

#[test]
fn a_reader_alone_lets_old_events_go_that_no_system_sent() {
    let mut world = world();
    let mut reader = made(&mut world, read::<0>);
    for number in 0..1000 {
        world.send_event(Num(number));
        run(&mut reader, &mut world);
        assert!(queue(&world).len() <= 2, "{}", queue(&world).len());
    }
    assert_eq!(seen::<0>(&world).len(), 1000);
}

#[test]
fn memory_stays_once_it_is_warm() {
    let mut world = world();
    let mut write = made(&mut world, send_three);
    let mut reader = made(&mut world, read::<0>);
    for _ in 0..10 {
        run(&mut write, &mut world);
        run(&mut reader, &mut world);
    }
    let warm = queue(&world).ring.capacity();
    for _ in 0..1000 {
        run(&mut write, &mut world);
        run(&mut reader, &mut world);
    }
    assert_eq!(queue(&world).ring.capacity(), warm);
    assert!(warm <= 16, "{warm}");
}

#[test]
fn a_reader_that_is_gone_is_taken_out_by_its_system() {
    let mut world = limited(100, Overflow::Block);
    let mut write = made(&mut world, send_three);
    let mut living = made(&mut world, read::<0>);
    let gone = made(&mut world, read::<1>).id().expect("initialized");
    for _ in 0..50 {
        run(&mut write, &mut world);
        run(&mut living, &mut world);
    }
    // It holds the queue, which says so.
    let counters = queue(&world).counters();
    assert_eq!((counters.sent, counters.refused), (100, 50));
    let lag = queue(&world).readers().find(|reader| reader.system == gone);
    assert!(lag.is_some_and(|lag| lag.unread == 100 && lag.name.contains("read<1>")));
    let queue = world.resource_mut::<Events<Num>>();
    assert_eq!(
        (queue.remove_reader(gone), queue.remove_reader(gone)),
        (1, 0)
    );
    for _ in 0..50 {
        run(&mut write, &mut world);
        run(&mut living, &mut world);
    }
    let counters = super::queue(&world).counters();
    assert_eq!((counters.sent, counters.refused), (250, 50));
    assert!(super::queue(&world).len() <= 6);
}

#[test]
fn a_viewer_sees_each_event_once_and_holds_up_nobody() {
    let mut world = limited(30, Overflow::Block);
    let mut write = made(&mut world, send_three);
    let mut reader = made(&mut world, read::<0>);
    fn view(mut nums: EventViewer<Num>, mut seen: ResMut<Seen<1>>) {
        assert_eq!(nums.len(), nums.read().len());
        seen.0.extend(nums.read().map(|num| num.0));
        assert!(nums.is_empty());
    }
    let mut view = made(&mut world, view);
    for tick in 0..40 {
        run(&mut write, &mut world);
        run(&mut reader, &mut world);
        if tick % 5 == 4 {
            run(&mut view, &mut world);
        }
    }
    assert_eq!(seen::<1>(&world), (0..120).collect::<Vec<u64>>());
    // So late that the queue has had to make room: it misses the oldest, and the others nothing.
    for _ in 0..40 {
        run(&mut write, &mut world);
        run(&mut reader, &mut world);
    }
    let missed = |world: &World| {
        let viewers = queue(world).readers().find(|reader| reader.views);
        viewers.map(|viewer| viewer.missed)
    };
    assert_eq!(missed(&world), Some(90));
    run(&mut view, &mut world);
    assert_eq!(missed(&world), Some(90));
    assert_eq!(seen::<0>(&world), (0..240).collect::<Vec<u64>>());
    assert_eq!(seen::<1>(&world)[120..], (210..240).collect::<Vec<u64>>());
    let counters = queue(&world).counters();
    assert_eq!(
        (counters.sent, counters.refused, counters.dropped),
        (240, 0, 0)
    );
}

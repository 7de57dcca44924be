//! Full queues: each policy does what it says, and counts it.

use orrery_ecs::SystemError;

use super::super::{EVENTS_MAX, EventCounters, SendError};
use super::*;

fn counters(world: &World) -> [u64; 4] {
    let EventCounters {
        sent,
        read,
        dropped,
        refused,
        ..
    } = queue(world).counters();
    [sent, read, dropped, refused]
}

#[test]
fn drop_oldest_makes_room_and_counts_what_nobody_could_read() {
    let mut world = limited(5, Overflow::DropOldest);
    let mut write = made(&mut world, send_three);
    let mut often = made(&mut world, read::<0>);
    let missing = |mut nums: EventReader<Num>, mut seen: ResMut<Seen<1>>| {
        assert_eq!((nums.missed(), nums.len()), (7, 5));
        seen.0.extend(nums.read().map(|num| num.0));
        assert_eq!(nums.missed(), 7);
    };
    let mut missing = made(&mut world, missing);
    for _ in 0..4 {
        run(&mut write, &mut world);
        run(&mut often, &mut world);
    }
    run(&mut missing, &mut world);
    assert_eq!(seen::<0>(&world), (0..12).collect::<Vec<u64>>());
    assert_eq!(seen::<1>(&world), (7..12).collect::<Vec<u64>>());
    assert_eq!(counters(&world), [12, 17, 7, 0]);
    assert_eq!(queue(&world).counters().high_water, 5);
    let missed: Vec<u64> = queue(&world)
        .readers()
        .map(|reader| reader.missed)
        .collect();
    assert_eq!(missed, [0, 7]);
}

#[test]
fn events_that_all_have_read_make_room_first_and_are_no_loss() {
    for overflow in [Overflow::DropOldest, Overflow::Block, Overflow::Error] {
        let mut world = limited(4, overflow);
        let mut write = made(&mut world, send_three);
        let mut reader = made(&mut world, read::<0>);
        for _ in 0..10 {
            run(&mut write, &mut world);
            run(&mut reader, &mut world);
        }
        assert_eq!(counters(&world), [30, 30, 0, 0], "{overflow:?}");
        assert_eq!(queue(&world).counters().high_water, 4);
    }
}

#[test]
fn block_refuses_the_new_event_hands_it_back_and_counts_it() {
    let mut world = limited(4, Overflow::Block);
    let mut reader = made(&mut world, read::<0>);
    // Keeps what it could not send, and sends it first the next time.
    let write = |mut nums: EventWriter<Num>, mut next: Local<u64>, mut kept: Local<Vec<Num>>| {
        kept.extend((*next..*next + 3).map(Num));
        *next += 3;
        let mut refused = Vec::new();
        for num in kept.drain(..) {
            match nums.try_send(num) {
                Ok(_) => assert!(refused.is_empty(), "none overtakes another"),
                Err(SendError { event, reason }) => {
                    assert!(reason.to_string().contains("read<0>"), "{reason}");
                    refused.push(event);
                }
            }
        }
        *kept = refused;
    };
    let mut write = made(&mut world, write);
    for tick in 0..100 {
        run(&mut write, &mut world);
        if tick % 2 == 1 {
            run(&mut reader, &mut world);
        }
    }
    assert_eq!(seen::<0>(&world), (0..200).collect::<Vec<u64>>());
    let [sent, read, dropped, refused] = counters(&world);
    assert_eq!((sent, read, dropped), (200, 200, 0));
    assert!(refused > 100, "{refused}");
    // A batch is cut off where it is full.
    let batch = |mut nums: EventWriter<Num>| nums.send_batch((0..10).map(Num)).len();
    assert_eq!(world.run_system_once(batch), Ok(4));
    assert_eq!(counters(&world), [204, 200, 0, refused + 6]);
    let one = |mut nums: EventWriter<Num>| nums.send(Num(0));
    assert_eq!(world.run_system_once(one), Ok(None));
}

#[test]
fn error_stops_every_system_of_the_queue_and_names_who_did_not_read() {
    let mut world = limited(7, Overflow::Error);
    let mut write = made(&mut world, send_three);
    let mut often = made(&mut world, read::<0>);
    let mut never = made(&mut world, read::<1>);
    for _ in 0..2 {
        run(&mut write, &mut world);
        run(&mut often, &mut world);
    }
    let before = world.fork().expect("everything is Clone");
    run(&mut write, &mut world);
    assert_eq!(counters(&world), [7, 6, 0, 2]);
    for system in [&mut write as &mut dyn System, &mut often, &mut never] {
        let error = system
            .run(&mut world, &Serial)
            .expect_err("the queue has failed");
        let SystemError::Refused { reason, .. } = error else {
            panic!("{error}");
        };
        let parts = [
            "event::tests::Num is full: 7 events",
            "read<1>",
            "Events::remove_reader",
        ];
        assert!(parts.iter().all(|part| reason.contains(part)), "{reason}");
    }
    assert_eq!(counters(&world), [7, 6, 0, 2]);
    // Back to a world in which it has not failed, with the mistake mended.
    let mut world = before;
    run(&mut never, &mut world);
    run(&mut write, &mut world);
    assert_eq!(seen::<1>(&world), [0, 1, 2, 3, 4, 5]);
    // Or emptied.
    let queue = world.resource_mut::<Events<Num>>();
    assert!(queue.send_batch((0..5).map(Num)).len() == 4 && queue.failure().is_some());
    queue.clear();
    assert!(queue.failure().is_none() && queue.is_empty());
    run(&mut write, &mut world);
    run(&mut often, &mut world);
}

#[test]
fn a_writer_that_hands_its_error_on_stops_the_schedule_at_once() {
    let mut world = limited(2, Overflow::Error);
    let _held = made(&mut world, read::<0>);
    let send = |mut nums: EventWriter<Num>| -> Result<(), SendError<Num>> {
        nums.try_send(Num(1))?;
        Ok(())
    };
    let mut send = made(&mut world, send);
    for _ in 0..2 {
        run(&mut send, &mut world);
    }
    let error = send.run(&mut world, &Serial).expect_err("it is full");
    assert!(
        error.to_string().contains("2 events wait for system"),
        "{error}"
    );
}

#[test]
fn memory_is_bounded_by_the_capacity_and_begins_with_nothing() {
    let mut world = world();
    let _never = made(&mut world, read::<0>);
    assert_eq!(queue(&world).ring.capacity(), 0);
    let batch = |mut nums: EventWriter<Num>| nums.send_batch((0..3000).map(Num)).len();
    for _ in 0..100 {
        assert_eq!(world.run_system_once(batch), Ok(3000));
    }
    let lost = 300_000 - EVENTS_MAX as u64;
    assert_eq!(counters(&world), [300_000, 0, lost, 0]);
    assert_eq!(queue(&world).counters().high_water, EVENTS_MAX);
    assert_eq!(queue(&world).ring.capacity(), EVENTS_MAX);
}

#[test]
fn a_queue_that_exists_keeps_what_it_has_when_it_is_set_up() {
    let mut world = world();
    let mut write = made(&mut world, send_three);
    let mut reader = made(&mut world, read::<0>);
    run(&mut write, &mut world);
    run(&mut reader, &mut world);
    run(&mut write, &mut world);
    world.add_event(Events::<Num>::with_capacity(2, Overflow::Block));
    assert_eq!(
        (queue(&world).capacity(), queue(&world).overflow()),
        (2, Overflow::Block)
    );
    // Of the three that were unread one had no place any more.
    assert_eq!(counters(&world), [6, 3, 1, 0]);
    run(&mut reader, &mut world);
    assert_eq!(seen::<0>(&world), [0, 1, 2, 4, 5]);
    assert_eq!(
        Events::<Num>::with_capacity(0, Overflow::Block).capacity(),
        1
    );
}

#[test]
fn clearing_counts_as_dropped_what_somebody_had_not_read() {
    let mut world = world();
    let mut write = made(&mut world, send_three);
    let mut reader = made(&mut world, read::<0>);
    run(&mut write, &mut world);
    run(&mut reader, &mut world);
    world.resource_mut::<Events<Num>>().clear();
    assert_eq!(counters(&world), [3, 3, 0, 0]);
    run(&mut write, &mut world);
    world.resource_mut::<Events<Num>>().clear();
    assert_eq!(counters(&world), [6, 3, 3, 0]);
    run(&mut write, &mut world);
    run(&mut reader, &mut world);
    assert_eq!(seen::<0>(&world), [0, 1, 2, 6, 7, 8]);
    assert_eq!(
        queue(&world).readers().next().map(|reader| reader.missed),
        Some(3)
    );
}

//! Each event reaches each reader once, in order, whatever the two do.

use std::panic::{AssertUnwindSafe, catch_unwind};

use orrery_ecs::{Commands, On, ParamSet, SystemError};

use super::super::EventId;
use super::*;

#[test]
fn each_reader_sees_each_event_exactly_once_at_its_own_rate() {
    let mut world = world();
    let mut write = made(&mut world, send_three);
    let mut often = made(&mut world, read::<0>);
    let mut seldom = made(&mut world, read::<1>);
    for tick in 0..4000 {
        run(&mut write, &mut world);
        run(&mut often, &mut world);
        if tick % 8 == 7 {
            run(&mut seldom, &mut world);
        }
    }
    let all: Vec<u64> = (0..12_000).collect();
    assert_eq!((seen::<0>(&world), seen::<1>(&world)), (&*all, &*all));
    assert_eq!(queue(&world).counters().read, 24_000);
    // Eight ticks for the slow one, and never more.
    assert_eq!(queue(&world).counters().high_water, 24);
}

#[test]
fn len_is_what_is_left_to_read() {
    let mut world = world();
    let mut write = made(&mut world, send_three);
    let mut part = made(&mut world, |mut nums: EventReader<Num>| {
        assert_eq!((nums.len(), nums.is_empty()), (6, false));
        assert_eq!(nums.read().len(), 6);
        assert_eq!(nums.read().take(2).count(), 2);
        assert_eq!(nums.len(), 4);
        assert_eq!(nums.read().nth(1), Some(&Num(3)));
        assert_eq!(nums.len(), 2);
        assert_eq!(nums.read().nth(9), None);
        assert_eq!((nums.len(), nums.is_empty()), (0, true));
        assert_eq!(nums.read().next(), None);
    });
    let mut clear = made(&mut world, |mut nums: EventReader<Num>| {
        assert_eq!(nums.len(), 6);
        nums.clear();
        assert_eq!((nums.len(), nums.read().count()), (0, 0));
    });
    for _ in 0..2 {
        run(&mut write, &mut world);
    }
    run(&mut part, &mut world);
    run(&mut clear, &mut world);
    let mut nothing = made(&mut world, |_: EventReader<Num>| ());
    let unread: Vec<u64> = queue(&world)
        .readers()
        .map(|reader| reader.unread)
        .collect();
    assert_eq!(unread, [0, 0, 6]);
    run(&mut nothing, &mut world);
    assert_eq!(queue(&world).readers().last().map(|r| r.unread), Some(6));
}

#[test]
fn ids_count_the_events_of_a_queue_and_come_with_them() {
    let mut world = world();
    let mut write = made(&mut world, |mut nums: EventWriter<Num>| {
        let first = nums.send(Num(7)).expect("there is room");
        let ids = nums.send_batch([Num(8), Num(9)]);
        assert_eq!(
            (ids.len(), ids.clone().next()),
            (2, Some(EventId::from_number(first.number() + 1)))
        );
        assert_eq!(
            nums.try_send(Num(10)).ok(),
            ids.last().map(|id| EventId::from_number(id.number() + 1))
        );
        nums.send_default();
    });
    let mut read = made(&mut world, |mut nums: EventReader<Num>| {
        let found: Vec<(u64, u64)> = nums
            .read_with_id()
            .map(|(id, num)| (id.number(), num.0))
            .collect();
        let from = found[0].0;
        assert_eq!(
            found,
            [
                (from, 7),
                (from + 1, 8),
                (from + 2, 9),
                (from + 3, 10),
                (from + 4, 0)
            ]
        );
    });
    for tick in 1..4 {
        run(&mut write, &mut world);
        run(&mut read, &mut world);
        assert_eq!(queue(&world).next_id().number(), 5 * tick);
    }
}

#[test]
fn what_a_run_leaves_unread_is_there_for_the_next_one() {
    let mut world = world();
    let mut write = made(&mut world, send_three);
    let two = |mut nums: EventReader<Num>, mut seen: ResMut<Seen<0>>| {
        seen.0.extend(nums.read().take(2).map(|num| num.0));
    };
    let mut two = made(&mut world, two);
    for _ in 0..5 {
        run(&mut write, &mut world);
    }
    for _ in 0..9 {
        run(&mut two, &mut world);
    }
    assert_eq!(seen::<0>(&world), (0..15).collect::<Vec<u64>>());
}

#[test]
fn a_run_that_fails_or_panics_has_read_nothing_and_the_next_one_reads_again() {
    let mut world = world();
    let mut write = made(&mut world, send_three);
    let fails = |mut nums: EventReader<Num>, mut seen: ResMut<Seen<0>>| {
        let found: Vec<u64> = nums.read().map(|num| num.0).collect();
        seen.0.extend(&found);
        assert!(seen.0.len() != 6, "planned");
        if seen.0.len() == 3 {
            Err("planned")
        } else {
            Ok(())
        }
    };
    let mut fails = made(&mut world, fails);
    run(&mut write, &mut world);
    let failed = fails.run(&mut world, &Serial);
    assert!(matches!(failed, Err(SystemError::Failed { .. })));
    let panicked = catch_unwind(AssertUnwindSafe(|| fails.run(&mut world, &Serial)));
    assert!(panicked.is_err());
    assert_eq!(queue(&world).counters().read, 0);
    run(&mut write, &mut world);
    run(&mut fails, &mut world);
    assert_eq!(seen::<0>(&world), [0, 1, 2, 0, 1, 2, 0, 1, 2, 3, 4, 5]);
    assert_eq!(queue(&world).counters().read, 6);
}

#[test]
fn what_a_failed_run_has_sent_stays_sent() {
    let mut world = world();
    let mut write = made(&mut world, |mut nums: EventWriter<Num>| {
        nums.send(Num(1));
        Err::<(), _>("planned")
    });
    assert!(write.run(&mut world, &Serial).is_err());
    assert_eq!(queue(&world).len(), 1);
}

#[test]
fn one_system_may_write_and_read() {
    let mut world = world();
    fn system(
        mut nums: ParamSet<(EventWriter<Num>, EventReader<Num>)>,
        mut next: Local<u64>,
        mut seen: ResMut<Seen<0>>,
    ) {
        nums.p0().send(Num(*next));
        seen.0.extend(nums.p1().read().map(|num| num.0));
        nums.p0().send(Num(*next + 1));
        assert_eq!(nums.p1().len(), 1);
        *next += 2;
    }
    let mut system = made(&mut world, system);
    for _ in 0..50 {
        run(&mut system, &mut world);
    }
    assert_eq!(seen::<0>(&world), (0..99).collect::<Vec<u64>>());
    assert!(queue(&world).len() <= 5, "{}", queue(&world).len());
    let both = |_: EventWriter<Num>, _: EventReader<Num>| ();
    let refused = world.run_system_once(both).expect_err("both at once");
    assert!(matches!(refused, SystemError::Conflict(_)), "{refused}");
}

#[test]
fn two_readers_of_one_system_read_independently() {
    let mut world = world();
    let mut write = made(&mut world, send_three);
    let system = |mut a: EventReader<Num>, mut b: EventReader<Num>, mut seen: ResMut<Seen<0>>| {
        seen.0.extend(a.read().map(|num| num.0));
        if seen.0.len() == 9 {
            assert_eq!(b.read().count(), 9);
        }
    };
    let mut system = made(&mut world, system);
    for _ in 0..3 {
        run(&mut write, &mut world);
        run(&mut system, &mut world);
    }
    assert_eq!(seen::<0>(&world).len(), 9);
    assert_eq!(queue(&world).readers().len(), 2);
}

#[test]
fn commands_and_exclusive_systems_send_as_writers_do() {
    let mut world = world();
    let mut reader = made(&mut world, read::<0>);
    let by_command = |mut commands: Commands, mut nums: EventWriter<Num>| {
        commands.queue(|world| _ = world.send_event(Num(2)));
        nums.send(Num(1));
    };
    let mut by_command = made(&mut world, by_command);
    run(&mut by_command, &mut world);
    let mut exclusive = made(&mut world, |world: &mut World| {
        world.send_event(Num(3));
        world.resource_mut::<Events<Num>>().send(Num(4));
    });
    run(&mut exclusive, &mut world);
    run(&mut reader, &mut world);
    assert_eq!(seen::<0>(&world), [1, 2, 3, 4]);
}

#[test]
fn a_signal_and_a_queue_go_side_by_side_and_never_mix() {
    let mut world = world();
    let mut reader = made(&mut world, read::<0>);
    // With nobody who listens it is over at once, and nothing waits.
    world.trigger(Num(1));
    assert!(queue(&world).is_empty());
    world.add_observer(|on: On<Num>, mut heard: ResMut<Seen<1>>| heard.0.push(on.event().0));
    world.trigger(Num(2));
    world.send_event(Num(3));
    run(&mut reader, &mut world);
    assert_eq!((seen::<0>(&world), seen::<1>(&world)), (&[3][..], &[2][..]));
}

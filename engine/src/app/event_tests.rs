//! Events in an app: ticks and frames at different rates, pauses, and who looks on.

use std::time::Duration;

use orrery_ecs::{
    BlockRunner, Event, IntoSystem, Local, Res, ResMut, Resource, Serial, StateHash, System,
};

use super::ScheduleLabel::{FixedUpdate, Startup, Update};
use super::{App, AppError, Runner};
use crate::event::{EventReader, EventViewer, EventWriter, Events, Overflow, WorldEvents};
use crate::schedule::{IntoSystems, Schedule, every_n_runs};
use crate::time::{Step, Time};
use crate::workers::Workers;

#[derive(Clone, Debug, PartialEq, Eq, Event, StateHash)]
struct Num(u64);

#[derive(Clone, Default, Resource)]
struct Seen<const KIND: usize>(Vec<u64>);

/// What was sent, so that writers in ticks and in frames go on from each other.
#[derive(Clone, Default, Resource)]
struct Sent(u64);

fn send(mut nums: EventWriter<Num>, mut sent: ResMut<Sent>) {
    nums.send(Num(sent.0));
    sent.0 += 1;
}

fn read<const KIND: usize>(mut nums: EventReader<Num>, mut seen: ResMut<Seen<KIND>>) {
    seen.0.extend(nums.read().map(|num| num.0));
}

/// Reads in every eighth run alone.
fn read_eighth<const KIND: usize>(
    mut nums: EventReader<Num>,
    mut seen: ResMut<Seen<KIND>>,
    mut runs: Local<u64>,
) {
    *runs += 1;
    if runs.is_multiple_of(8) {
        seen.0.extend(nums.read().map(|num| num.0));
    }
}

/// An app of 100 ticks a second.
fn app() -> App {
    let mut app = App::new();
    app.set_step(Step::from_hz(100).expect("a valid rate"));
    app.world_mut().init_resource::<Sent>();
    app.world_mut().init_resource::<Seen<0>>();
    app.world_mut().init_resource::<Seen<1>>();
    app
}

fn seen<const KIND: usize>(app: &App) -> &[u64] {
    &app.world().resource::<Seen<KIND>>().0
}

fn queue(app: &App) -> &Events<Num> {
    app.world().resource()
}

fn frame(app: &mut App, ms: u64) {
    app.frame(Duration::from_millis(ms)).expect("nothing fails");
}

fn counted(end: u64) -> Vec<u64> {
    (0..end).collect()
}

#[test]
fn two_readers_of_each_tick_and_each_eighth_get_every_one_of_10_000_events() {
    let mut app = app();
    app.add_systems(FixedUpdate, (send, read::<0>, read_eighth::<1>));
    app.run(Runner::Ticks(10_000)).expect("nothing fails");
    let all = counted(10_000);
    assert_eq!((seen::<0>(&app), seen::<1>(&app)), (&*all, &*all));
    let counters = queue(&app).counters();
    assert_eq!((counters.sent, counters.read), (10_000, 20_000));
    assert!(
        counters.high_water <= 8 && queue(&app).len() <= 2,
        "{counters:?}"
    );
}

#[test]
fn a_reader_behind_a_run_condition_gets_every_event_as_well() {
    let mut app = app();
    let seldom = read::<1>.run_if(every_n_runs(8));
    app.add_systems(FixedUpdate, (send, read::<0>, seldom));
    app.run(Runner::Ticks(801)).expect("nothing fails");
    let (often, unread) = (
        seen::<0>(&app),
        queue(&app).readers().map(|r| r.unread).max(),
    );
    assert_eq!(often, counted(801));
    let seldom = 801 - unread.expect("it is registered");
    assert!(seldom > 790 && seen::<1>(&app) == counted(seldom));
}

#[test]
fn two_readers_of_each_frame_and_each_eighth_get_every_event_also_while_time_is_paused() {
    let mut app = app();
    app.add_systems(Update, (send, read::<0>, read_eighth::<1>));
    for number in 0..10_000 {
        match number {
            2000 => app.clock_mut().pause(),
            9000 => app.clock_mut().resume(),
            _ => {}
        }
        frame(&mut app, 10);
    }
    assert_eq!(app.time().tick(), 3000);
    let all = counted(10_000);
    assert_eq!((seen::<0>(&app), seen::<1>(&app)), (&*all, &*all));
    let counters = queue(&app).counters();
    assert_eq!(
        (counters.sent, counters.read, counters.dropped),
        (10_000, 20_000, 0)
    );
    assert!(
        counters.high_water <= 8 && queue(&app).len() <= 2,
        "{counters:?}"
    );
}

#[test]
fn frames_read_all_that_ticks_send_and_ticks_all_that_frames_send() {
    // From none to four ticks in a frame.
    let frames = [0, 10, 5, 5, 40, 3, 2, 25, 0, 30];
    let total: u64 = frames.iter().sum::<u64>() / 10;
    let mut ticks = app();
    ticks.add_systems(FixedUpdate, send);
    ticks.add_systems(Update, (read::<0>, read_eighth::<1>));
    let mut shown = app();
    shown.add_systems(Update, send);
    shown.add_systems(FixedUpdate, (read::<0>, read_eighth::<1>));
    for _ in 0..80 {
        for ms in frames {
            frame(&mut ticks, ms);
            frame(&mut shown, ms);
        }
    }
    let all = counted(80 * total);
    assert_eq!((seen::<0>(&ticks), seen::<1>(&ticks)), (&*all, &*all));
    assert!(queue(&ticks).counters().high_water <= 40);
    // What the last frames send waits for the ticks after them.
    let unread: Vec<u64> = queue(&shown)
        .readers()
        .map(|reader| reader.unread)
        .collect();
    let sent = shown.world().resource::<Sent>().0;
    assert!(unread.iter().all(|&unread| unread < 20), "{unread:?}");
    let expected = (counted(sent - unread[0]), counted(sent - unread[1]));
    assert!(seen::<0>(&shown) == expected.0 && seen::<1>(&shown) == expected.1);
    assert!(queue(&shown).counters().high_water <= 40);
}

#[test]
fn what_frames_send_in_a_pause_waits_for_the_ticks_as_far_as_there_is_room() {
    let mut app = app();
    app.add_event(Events::<Num>::with_capacity(50, Overflow::DropOldest));
    app.add_systems(Update, send);
    app.add_systems(FixedUpdate, read::<0>);
    app.clock_mut().pause();
    for _ in 0..120 {
        frame(&mut app, 10);
    }
    assert_eq!(
        (queue(&app).len(), queue(&app).counters().dropped),
        (50, 70)
    );
    app.clock_mut().resume();
    frame(&mut app, 10);
    assert_eq!(seen::<0>(&app), (70..120).collect::<Vec<u64>>());
}

#[test]
fn a_pause_stops_no_retirement_where_nobody_reads() {
    let mut app = app();
    app.add_systems(Update, send);
    app.clock_mut().pause();
    for _ in 0..2000 {
        frame(&mut app, 10);
        assert!(queue(&app).len() <= 2, "{}", queue(&app).len());
    }
}

#[test]
fn what_startup_and_main_send_before_the_first_tick_is_read_in_it() {
    let mut app = app();
    app.world_mut().send_event(Num(7));
    app.add_systems(Startup, |mut nums: EventWriter<Num>| _ = nums.send(Num(8)));
    app.add_systems(FixedUpdate, (read::<0>, read_eighth::<1>));
    app.run(Runner::Ticks(8)).expect("nothing fails");
    assert_eq!(
        (seen::<0>(&app), seen::<1>(&app)),
        (&[7, 8][..], &[7, 8][..])
    );
}

#[test]
fn frames_that_look_on_change_no_hash_whatever_their_number() {
    let hashes = |frames: &[u64], looks_on: bool| {
        let mut app = app();
        app.add_event(Events::<Num>::with_capacity(20, Overflow::Block));
        app.add_systems(FixedUpdate, (send, read_eighth::<1>));
        if looks_on {
            app.add_systems(Update, |mut nums: EventViewer<Num>, time: Res<Time>| {
                if time.tick() > 100 {
                    nums.read().for_each(drop);
                }
            });
        }
        for &ms in frames.iter().cycle() {
            if app.time().tick() == 150 {
                break;
            }
            frame(&mut app, ms);
        }
        app.world().state_hash()
    };
    let headless = hashes(&[10], false);
    for frames in [&[10][..], &[5], &[30], &[1, 9, 0, 20]] {
        assert_eq!(hashes(frames, true), headless, "{frames:?}");
    }
}

#[test]
fn a_queue_that_fails_stops_the_app_with_the_name_of_who_does_not_read() {
    let mut app = app();
    app.add_event(Events::<Num>::with_capacity(5, Overflow::Error));
    let lazy = |_: EventReader<Num>| ();
    app.add_systems(FixedUpdate, (send, lazy));
    let error = app.run(Runner::Ticks(100)).expect_err("it is full");
    assert!(matches!(error, AppError::Schedule(_)));
    let error = error.to_string();
    let parts = [
        "FixedUpdate",
        "5 events wait for system",
        "a_queue_that_fails",
    ];
    assert!(parts.iter().all(|part| error.contains(part)), "{error}");
    assert_eq!(app.time().tick(), 5);
}

#[test]
fn an_app_that_goes_back_to_a_fork_reads_what_was_unread_then() {
    let made = || {
        let mut app = app();
        app.add_systems(FixedUpdate, (send, read::<0>, read_eighth::<1>));
        app
    };
    let mut straight = made();
    straight.run(Runner::Ticks(30)).expect("nothing fails");
    let mut app = made();
    app.run(Runner::Ticks(13)).expect("nothing fails");
    let early = app.world().fork().expect("everything is Clone");
    app.run(Runner::Ticks(9)).expect("nothing fails");
    app.replace_world(early.fork().expect("everything is Clone"));
    let mut other = made();
    other.run(Runner::Ticks(2)).expect("nothing fails");
    other.replace_world(early);
    for mut app in [app, other] {
        app.run(Runner::Ticks(17)).expect("nothing fails");
        assert_eq!(seen::<1>(&app), counted(24));
        assert_eq!(app.world().state_hash(), straight.world().state_hash());
        assert_eq!(queue(&app).readers().len(), 2);
    }
}

/// Workers to whom everything is given, however small.
struct Eager(Workers);

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

/// A queue that is full again and again, so that it matters when a reader's place goes on. None of
/// the systems asks for commands: only the events keep them in order.
fn crowded() -> (App, Schedule) {
    let mut app = app();
    app.add_event(Events::<Num>::with_capacity(4, Overflow::Block));
    app.world_mut().init_resource::<Seen<2>>();
    app.world_mut().init_resource::<Seen<3>>();
    let mut schedule = Schedule::new("crowded");
    schedule.add_systems((read::<0>, send, send, read::<1>, read_eighth::<2>));
    schedule.add_systems((send, read_eighth::<3>, send, send));
    (app, schedule)
}

#[test]
fn the_result_is_that_of_one_by_one_on_any_threads() {
    let run = |runner: &dyn BlockRunner| {
        let (mut app, mut schedule) = crowded();
        for _ in 0..100 {
            schedule
                .run(app.world_mut(), runner)
                .expect("nothing fails");
        }
        (queue(&app).counters(), app.world().state_hash())
    };
    // Without a schedule, and each system whole before the next one begins.
    let mut world = crowded().0.world().fork().expect("everything is Clone");
    let mut systems: [Box<dyn System>; 9] = [
        Box::new(read::<0>.into_system()),
        Box::new(send.into_system()),
        Box::new(send.into_system()),
        Box::new(read::<1>.into_system()),
        Box::new(read_eighth::<2>.into_system()),
        Box::new(send.into_system()),
        Box::new(read_eighth::<3>.into_system()),
        Box::new(send.into_system()),
        Box::new(send.into_system()),
    ];
    for system in &mut systems {
        system.initialize(&mut world).expect("its parameters agree");
    }
    for _ in 0..100 {
        for system in &mut systems {
            system.run(&mut world, &Serial).expect("nothing fails");
        }
    }
    let counters = world.resource::<Events<Num>>().counters();
    assert!(counters.refused > 0 && counters.sent > 50, "{counters:?}");
    let expected = (counters, world.state_hash());
    assert_eq!(run(&Serial), expected);
    for threads in [2, 8] {
        let workers = Workers::new(threads).expect("threads can be had");
        assert_eq!(run(&Eager(workers)), expected, "{threads} threads");
    }
}

#[test]
fn a_system_that_was_removed_and_forgotten_holds_no_queue() {
    let mut app = app();
    app.add_event(Events::<Num>::with_capacity(10, Overflow::Block));
    fn lazy(_: EventReader<Num>) {}
    app.add_systems(FixedUpdate, (send, read::<0>, lazy));
    app.run(Runner::Ticks(15)).expect("nothing fails");
    assert_eq!(queue(&app).counters().refused, 5);
    for system in app.schedule_mut(FixedUpdate).remove_systems(lazy) {
        assert!(app.world_mut().forget_system(&*system));
    }
    app.run(Runner::Ticks(15)).expect("nothing fails");
    let counters = queue(&app).counters();
    assert_eq!((counters.sent, counters.refused), (25, 5));
    assert_eq!(queue(&app).readers().len(), 1);
}

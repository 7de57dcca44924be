//! Events that are triggered, and those that are sent.

use std::sync::Arc;
use std::sync::Mutex;
use std::task::Waker;

use orrery_ecs::{Commands, Event, NoSuchEntity, StateHash, World};

use super::super::waker::lock;
use super::super::{Either, LISTENER_EVENTS_MAX, Script, TaskError, Tasks, WorldTasks, race};
use super::{Log, run};
use crate::event::{Events, Overflow, WorldEvents};

#[derive(Clone, Debug, PartialEq, Event, StateHash)]
struct Hit(u32);

#[test]
fn an_event_of_a_script_wakes_in_the_same_tick_and_that_of_a_system_in_the_next() {
    let (mut world, log) = (World::new(), Log::new());
    let entries = log.clone();
    let listener = async move |script: Script| loop {
        let hit: Hit = script.event().await;
        entries.push((script.tick(), hit.0));
    };
    world.spawn_task(listener).detach();
    world.run_tasks(1);
    let system = |mut commands: Commands| commands.trigger(Hit(1));
    world.run_system_once(system).expect("it can run");
    assert_eq!(log.all(), []);
    world.run_tasks(2);
    let trigger = async |script: Script| script.with(|world| world.trigger(Hit(2)));
    world.spawn_task(trigger).detach();
    world.run_tasks(3);
    assert_eq!(log.all(), [(2, 1), (3, 2)]);
}

#[test]
fn an_event_reaches_every_script_that_waits_in_order_of_spawning() {
    let (mut world, log) = (World::new(), Log::new());
    for number in 0..5 {
        let log = log.clone();
        let script = async move |script: Script| {
            // They begin to listen in another order.
            script.sleep(5 - number).await;
            script.event::<Hit>().await;
            log.push(number);
        };
        world.spawn_task(script).detach();
    }
    run(&mut world, 1..=7);
    world.trigger(Hit(0));
    world.run_tasks(8);
    assert_eq!(log.all(), [0, 1, 2, 3, 4]);
}

#[test]
fn what_comes_while_nobody_waits_is_for_listeners_alone() {
    let mut world = World::new();
    let mut single = world.spawn_task(async |script| {
        script.event::<Hit>().await;
        script.next_tick().await;
        script.event::<Hit>().await.0
    });
    let mut all = world.spawn_task(async |script| {
        let mut hits = script.events::<Hit>();
        script.sleep(3).await;
        let mut sum = Vec::new();
        while let Some(hit) = hits.try_next() {
            sum.push(hit.0);
        }
        sum
    });
    for tick in 1..=5 {
        world.run_tasks(tick);
        world.trigger(Hit(tick as u32));
    }
    world.run_tasks(6);
    assert_eq!(single.take(), Some(Ok(3)));
    assert_eq!(all.take(), Some(Ok(vec![1, 2, 3])));
}

#[test]
fn an_event_for_one_entity_reaches_those_who_wait_for_it_or_for_any() -> Result<(), NoSuchEntity> {
    let mut world = World::new();
    let [first, second] = [(); 2].map(|()| world.spawn(()).id());
    let mut mine = world.spawn_task(async move |script| {
        let mut hits = script.events_for::<Hit>(second);
        (hits.next().await.0, hits.next().await.0)
    });
    let mut any = world.spawn_task(async |script| script.event::<Hit>().await.0);
    world.run_tasks(1);
    world.trigger_for(first, Hit(1))?;
    world.trigger(Hit(2));
    world.trigger_for(second, Hit(3))?;
    world.trigger_for(second, Hit(4))?;
    world.run_tasks(2);
    assert_eq!((mine.take(), any.take()), (Some(Ok((3, 4))), Some(Ok(1))));
    Ok(())
}

#[test]
fn a_listener_that_lost_a_race_hears_no_more_and_its_place_is_used_again() {
    let mut world = World::new();
    let mut won = world.spawn_task(async |script| {
        let mut rights = 0;
        for _ in 0..10 {
            match race(script.event::<Hit>(), script.next_tick()).await {
                Either::Left(_) => {}
                Either::Right(()) => rights += 1,
            }
        }
        rights
    });
    for tick in 1..=12 {
        world.run_tasks(tick);
        if tick == 4 {
            world.trigger(Hit(1));
        }
    }
    assert_eq!(won.take(), Some(Ok(9)));
}

#[test]
fn a_listener_that_is_full_loses_the_oldest_and_it_is_counted() {
    let mut world = World::new();
    let mut first = world.spawn_task(async |script| {
        let mut hits = script.events::<Hit>();
        script.next_tick().await;
        hits.next().await.0
    });
    world.run_tasks(1);
    for number in 0..LISTENER_EVENTS_MAX as u32 + 3 {
        world.trigger(Hit(number));
    }
    world.run_tasks(2);
    assert_eq!(first.take(), Some(Ok(3)));
    assert_eq!(world.resource::<Tasks>().counters().events_lost, 3);
}

#[test]
fn an_answer_to_an_event_comes_in_the_same_tick() {
    #[derive(Clone, Event)]
    struct Ping(u32);
    #[derive(Clone, Event)]
    struct Pong(u32);
    let mut world = World::new();
    let server = async |script: Script| {
        let mut pings = script.events::<Ping>();
        loop {
            let ping = pings.next().await;
            script.with(|world| world.trigger(Pong(ping.0 * 2)));
        }
    };
    world.spawn_task(server).detach();
    let mut client = world.spawn_task(async |script| {
        let mut pongs = script.events::<Pong>();
        let mut sum = 0;
        for number in 0..100 {
            script.with(|world| world.trigger(Ping(number)));
            sum += pongs.next().await.0;
        }
        (sum, script.tick())
    });
    world.run_tasks(1);
    assert_eq!(client.take(), Some(Ok((9_900, 1))));
}

#[test]
fn sent_events_are_read_once_each_and_missed_ones_counted() {
    let mut world = World::new();
    world.add_event(Events::<Hit>::with_capacity(4, Overflow::DropOldest));
    world.send_event(Hit(0));
    let mut read = world.spawn_task(async |script| {
        let mut hits = script.sent::<Hit>();
        let first = (hits.next().await.0, hits.next().await.0);
        script.sleep(2).await;
        (first, hits.next().await.0, hits.missed(), hits.try_next())
    });
    world.run_tasks(1);
    world.send_event(Hit(1));
    world.run_tasks(2);
    world.send_event(Hit(2));
    world.run_tasks(3);
    (3..10).for_each(|number| _ = world.send_event(Hit(number)));
    run(&mut world, 4..=5);
    assert_eq!(read.take(), Some(Ok(((1, 2), 6, 3, Some(Hit(7))))));
}

#[test]
fn a_wake_from_outside_a_run_is_refused_and_reported_by_name() {
    let mut world = World::new();
    let stolen: Arc<Mutex<Option<Waker>>> = Arc::default();
    let waker = Arc::clone(&stolen);
    let turns = Log::new();
    let polls = turns.clone();
    let wait = std::future::poll_fn(move |cx| {
        *lock(&waker) = Some(cx.waker().clone());
        polls.push(());
        std::task::Poll::<()>::Pending
    });
    let line = line!() + 1;
    world.spawn_task(|_| wait).detach();
    world.run_tasks(1);
    std::thread::scope(|scope| {
        scope.spawn(|| lock(&stolen).as_ref().expect("it was polled").wake_by_ref());
    });
    run(&mut world, 2..=3);
    assert_eq!(turns.all().len(), 1);
    let tasks = world.resource::<Tasks>();
    assert_eq!(tasks.counters().strays, 1);
    let [TaskError::StrayWake { script }] = tasks.errors() else {
        panic!("{:?}", tasks.errors());
    };
    assert_eq!(script.place().line(), line);
}

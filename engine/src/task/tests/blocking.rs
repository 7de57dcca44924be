//! Blocking work: its order, its ticks, its ends. Nobody sleeps: work waits at gates.

use std::num::NonZeroU32;
use std::sync::mpsc::{Receiver, Sender, channel};

use orrery_ecs::{Resource, World};

use super::super::{
    Blocking, BlockingError, Delivery, Request, Requests, Script, TaskError, Tasks, WorldBlocking,
    WorldTasks,
};
use super::{Log, run};

/// Work that ends when told to.
fn gated() -> (Sender<u32>, impl FnOnce() -> u32 + Send) {
    let (open, gate): (Sender<u32>, Receiver<u32>) = channel();
    (open, move || gate.recv().expect("it is opened"))
}

fn pool(threads: usize, capacity: usize, delivery: Delivery) -> Blocking {
    let pool = Blocking::new(threads, capacity).expect("a possible pool");
    pool.with_delivery(delivery)
}

fn after(ticks: u32) -> Delivery {
    Delivery::AfterTicks(NonZeroU32::new(ticks).expect("not 0"))
}

#[test]
fn results_come_in_the_order_of_the_requests_whichever_is_done_first() {
    let (mut world, log) = (World::new(), Log::new());
    world.insert_resource(pool(2, 10, Delivery::WhenDone));
    let (open_first, first) = gated();
    let (open_second, second) = gated();
    for work in [
        Box::new(first) as Box<dyn FnOnce() -> u32 + Send>,
        Box::new(second),
    ] {
        let log = log.clone();
        let then = move |_: &mut World, result: Result<u32, _>| log.push(result);
        world
            .spawn_blocking_then(work, then)
            .expect("there is room");
    }
    let mut third = world.spawn_blocking(|| 3).expect("there is room");
    open_second.send(2).expect("it waits");
    // The other thread does the third, which is behind the first all the same.
    run(&mut world, 1..=3);
    assert_eq!((log.all(), third.take()), (vec![], None));
    open_first.send(1).expect("it waits");
    while !third.is_delivered() {
        world.run_tasks(4);
    }
    assert_eq!((log.all(), third.take()), (vec![Ok(1), Ok(2)], Some(Ok(3))));
    assert!(!world.contains_resource::<Requests>());
}

#[test]
fn the_tick_of_delivery_does_not_depend_on_how_long_work_takes() {
    for threads in 1..=3 {
        for spin in [0, 200_000] {
            let (mut world, log) = (World::new(), Log::new());
            world.insert_resource(pool(threads, 100, after(3)));
            for number in 0..6 {
                let entries = log.clone();
                let script = async move |script: Script| {
                    script.sleep(number / 2).await;
                    let spins = if number % 2 == 0 { spin } else { 0 };
                    let work = move || (0..spins).fold(number, |sum, _| std::hint::black_box(sum));
                    let value = script.blocking(work).await;
                    entries.push((script.tick(), value));
                };
                world.spawn_task(script).detach();
            }
            run(&mut world, 1..=6);
            let expected = [(4, 0), (4, 1), (5, 2), (5, 3), (6, 4), (6, 5)];
            assert_eq!(log.all(), expected.map(|(tick, value)| (tick, Ok(value))));
        }
    }
}

#[test]
fn a_full_pool_is_an_error_and_a_script_waits_for_room() {
    let mut world = World::new();
    world.insert_resource(pool(1, 2, after(1)));
    let log = Log::new();
    for number in 0..5 {
        let log = log.clone();
        let script = async move |script: Script| {
            let value = script.blocking(move || number).await;
            log.push((script.tick(), value));
        };
        world.spawn_task(script).detach();
    }
    world.run_tasks(1);
    let full = world.spawn_blocking(|| ());
    assert_eq!(full.map(|_| ()), Err(BlockingError::Full { capacity: 2 }));
    run(&mut world, 2..=6);
    let expected = [(2, 0), (2, 1), (3, 2), (3, 3), (4, 4)];
    assert_eq!(log.all(), expected.map(|(tick, value)| (tick, Ok(value))));
}

#[test]
fn panics_of_work_and_of_what_follows_are_contained_and_named() {
    let mut world = World::new();
    let work = || -> () { panic!("no disk") };
    let line = line!() + 1;
    let bad = world.spawn_blocking(work);
    let mut bad: Request<()> = bad.expect("there is room");
    let then = |_: &mut World, _: Result<u32, BlockingError>| panic!("no use");
    world
        .spawn_blocking_then(|| 1, then)
        .expect("there is room");
    let mut good = world.spawn_blocking(|| 2).expect("there is room");
    world.run_tasks(1);
    let Some(Err(BlockingError::Panicked { work, message })) = bad.take() else {
        panic!("it panicked");
    };
    assert_eq!((work.place().line(), &*message), (line, "no disk"));
    assert_eq!(good.take(), Some(Ok(2)));
    let errors = world.resource::<Tasks>().errors();
    assert!(
        matches!(errors, [TaskError::Panicked { message, .. }] if message == "no use"),
        "{errors:?}"
    );
}

#[test]
fn a_request_that_is_not_delivered_keeps_the_world_from_being_forked() {
    let mut world = World::new();
    let request = world.spawn_blocking(|| ()).expect("there is room");
    let error = world.fork().map(|_| ()).expect_err("it is not delivered");
    assert_eq!(error.names, ["orrery::task::blocking::deliver::Requests"]);
    world.run_tasks(1);
    assert!(request.is_delivered() && world.fork().is_ok());
}

#[test]
fn a_pool_that_is_dropped_waits_for_what_runs_and_gives_up_the_rest() {
    let mut world = World::new();
    world.insert_resource(pool(1, 10, after(9)));
    let (begun, begin) = channel();
    let (ended, end) = channel();
    let (open, work) = gated();
    let running = move || {
        begun.send(()).expect("somebody waits");
        let value = work();
        ended.send(value).expect("somebody waits");
    };
    let first = world.spawn_blocking(running).expect("there is room");
    // Opens the gate when the work is dropped without being done.
    struct Opens(Sender<u32>);
    impl Drop for Opens {
        fn drop(&mut self) {
            self.0.send(8).expect("it waits");
        }
    }
    let opens = Opens(open);
    let mut second = world
        .spawn_blocking(move || drop(opens))
        .expect("there is room");
    begin.recv().expect("it begins");
    world.remove_resource::<Blocking>();
    // Joined: it has ended when the pool is gone.
    assert_eq!(end.try_recv(), Ok(8));
    run(&mut world, 1..=9);
    assert!(first.is_delivered());
    assert!(matches!(
        second.take(),
        Some(Err(BlockingError::GivenUp { .. }))
    ));
}

#[test]
fn requests_of_a_world_that_is_dropped_are_given_up() {
    let mut world = World::new();
    let mut request = world.spawn_blocking(|| 1).expect("there is room");
    drop(world);
    assert!(matches!(
        request.take(),
        Some(Err(BlockingError::GivenUp { .. }))
    ));
}

#[test]
fn work_that_holds_the_last_clone_of_its_pool_does_not_wait_for_itself() {
    let mut world = World::new();
    let (open, work) = gated();
    let (ended, end) = channel();
    let own = Blocking::default();
    world.insert_resource(own.clone());
    let request = world.spawn_blocking(move || {
        work();
        drop(own);
        ended.send(()).expect("somebody waits");
    });
    let request = request.expect("there is room");
    drop(world);
    open.send(0).expect("it waits");
    end.recv().expect("it comes to its end");
    drop(request);
}

#[test]
fn a_pool_that_nobody_could_use_is_an_error() {
    let error = |threads, capacity| Blocking::new(threads, capacity).map(|_| ());
    assert_eq!(error(0, 1), Err(BlockingError::ZeroThreads));
    assert_eq!(error(1, 0), Err(BlockingError::ZeroCapacity));
    let (threads, max) = (Blocking::MAX_THREADS + 1, Blocking::MAX_THREADS);
    assert_eq!(
        error(threads, 1),
        Err(BlockingError::TooManyThreads { threads, max })
    );
    assert_eq!(error(max, 1), Ok(()));
}

#[test]
fn a_function_that_asks_again_gets_its_answer_in_the_next_run() {
    #[derive(Clone, Default, Resource)]
    struct Answers(u32);
    fn ask(world: &mut World) {
        let then = |world: &mut World, _: Result<(), BlockingError>| {
            world.resource_mut::<Answers>().0 += 1;
            ask(world);
        };
        world
            .spawn_blocking_then(|| (), then)
            .expect("there is room");
    }
    let mut world = World::new();
    world.init_resource::<Answers>();
    ask(&mut world);
    run(&mut world, 1..=5);
    assert_eq!(world.resource::<Answers>().0, 5);
}

#[test]
fn a_request_with_a_tick_is_delivered_in_it_behind_one_that_comes_when_it_is_done() {
    let mut world = World::new();
    let own = pool(2, 10, Delivery::WhenDone);
    world.insert_resource(own.clone());
    let (open, slow) = gated();
    let slow = world.spawn_blocking(slow).expect("there is room");
    world.insert_resource(own.with_delivery(after(2)));
    let quick = world.spawn_blocking(|| 2).expect("there is room");
    world.run_tasks(1);
    assert!(!slow.is_delivered() && !quick.is_delivered());
    std::thread::scope(|scope| {
        // The tick waits for both; the order stays.
        let opener = scope.spawn(move || open.send(1));
        world.run_tasks(2);
        opener.join().expect("no panic").expect("it waits");
    });
    assert!(slow.is_delivered() && quick.is_delivered());
}

#[test]
fn fewer_ticks_than_a_request_before_was_given_change_no_order() {
    let (mut world, log) = (World::new(), Log::new());
    for (number, ticks) in [(0, 3), (1, 1), (2, 2)] {
        world.insert_resource(pool(1, 10, after(ticks)));
        let log = log.clone();
        let then = move |_: &mut World, _: Result<(), _>| log.push(number);
        world
            .spawn_blocking_then(|| (), then)
            .expect("there is room");
    }
    run(&mut world, 1..=2);
    assert_eq!(log.all(), []);
    world.run_tasks(3);
    assert_eq!(log.all(), [0, 1, 2]);
}

#[test]
fn a_result_that_panics_in_its_drop_takes_no_thread_with_it() {
    struct Bad;
    impl Drop for Bad {
        fn drop(&mut self) {
            panic!("in drop");
        }
    }
    let mut world = World::new();
    world.insert_resource(pool(1, 10, after(1)));
    let (open, gate) = gated();
    let work = move || {
        gate();
        Bad
    };
    let bad = world.spawn_blocking(work).expect("there is room");
    // Given up, so the result is dropped by the thread of the pool.
    world.remove_resource::<Requests>();
    drop(bad);
    open.send(0).expect("it waits");
    let mut next = world.spawn_blocking(|| 5).expect("there is room");
    world.run_tasks(1);
    assert_eq!(next.take(), Some(Ok(5)));
}

#[test]
fn a_script_whose_request_is_given_up_hears_of_it_in_a_run_and_is_named_outside_one() {
    let asking = async |script: Script| script.blocking(|| 1).await;
    let mut world = World::new();
    world.insert_resource(pool(1, 10, after(9)));
    let mut heard = world.spawn_task(asking);
    world.run_tasks(1);
    let giving_up = async |script: Script| {
        script.with(|world| drop(world.remove_resource::<Requests>()));
    };
    world.spawn_task(giving_up).detach();
    world.run_tasks(2);
    assert!(matches!(
        heard.take(),
        Some(Ok(Err(BlockingError::GivenUp { .. })))
    ));
    let waits = world.spawn_task(asking);
    world.run_tasks(3);
    drop(world.remove_resource::<Requests>());
    world.run_tasks(4);
    assert!(!waits.is_finished());
    let errors = world.resource::<Tasks>().errors();
    assert!(
        matches!(errors, [TaskError::StrayWake { .. }]),
        "{errors:?}"
    );
}

#[test]
fn a_request_of_another_world_wakes_no_script_and_is_reported() {
    let (mut world, mut other) = (World::new(), World::new());
    let request = other.spawn_blocking(|| 1).expect("there is room");
    world.spawn_task(|_| request).detach();
    world.run_tasks(1);
    other.run_tasks(1);
    world.run_tasks(2);
    let errors = world.resource::<Tasks>().errors();
    assert!(
        matches!(errors, [TaskError::StrayWake { .. }]),
        "{errors:?}"
    );
}

#[test]
fn a_request_that_lost_a_race_gives_its_script_no_turn() {
    let mut world = World::new();
    world.insert_resource(pool(1, 10, after(3)));
    let script = async |script: Script| {
        super::super::race(script.blocking(|| ()), script.next_tick()).await;
        super::forever(script).await;
    };
    world.spawn_task(script).detach();
    run(&mut world, 1..=6);
    assert_eq!(world.resource::<Tasks>().counters().turns, 2);
}

//! Ticks, handles and combinations.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use orrery_ecs::{Commands, World};

use super::super::{
    CommandTasks, Either, Script, Tasks, WAKES_MAX, WorldTasks, join, join_all, race, race_all,
};
use super::{Log, OnDrop, forever, run};

#[test]
fn a_script_sleeps_exactly_so_many_ticks() {
    let (mut world, log) = (World::new(), Log::new());
    let entries = log.clone();
    let script = async move |script: Script| {
        for ticks in [0, 1, 2, 64, 0, 5_000, 1] {
            script.sleep(ticks).await;
            entries.push(script.tick());
        }
        script.next_tick().await;
        entries.push(script.tick());
    };
    world.spawn_task(script).detach();
    run(&mut world, 10..=6_000);
    assert_eq!(log.all(), [10, 11, 13, 77, 77, 5_077, 5_078, 5_079]);
}

#[test]
fn after_a_jump_over_ticks_those_who_were_due_longest_come_first() {
    let (mut world, log) = (World::new(), Log::new());
    for (number, ticks) in [5, 3, 9, 1, 3, 40].into_iter().enumerate() {
        let log = log.clone();
        let script = async move |script: Script| {
            script.sleep(ticks).await;
            log.push((number, script.tick()));
        };
        world.spawn_task(script).detach();
    }
    world.run_tasks(0);
    world.run_tasks(20);
    assert_eq!(
        log.all().iter().map(|entry| entry.0).collect::<Vec<_>>(),
        [3, 1, 4, 0, 2]
    );
    assert!(log.all().iter().all(|entry| entry.1 == 20));
}

#[test]
fn a_tick_that_comes_twice_or_lies_behind_runs_nobody_early() {
    let (mut world, log) = (World::new(), Log::new());
    let entries = log.clone();
    let script = async move |script: Script| {
        for _ in 0..3 {
            script.next_tick().await;
            entries.push(script.tick());
        }
    };
    world.spawn_task(script).detach();
    for tick in [5, 5, 4, 6, 6, 0, 7] {
        world.run_tasks(tick);
    }
    assert_eq!(log.all(), [6, 7]);
}

#[test]
fn scripts_of_one_tick_run_in_the_order_of_spawning_whoever_woke_them() {
    let (mut world, log) = (World::new(), Log::new());
    for number in 0..100_u64 {
        let log = log.clone();
        let script = async move |script: Script| {
            // All meet in tick 30, by the wheel and by the list of the next tick.
            script.sleep(1 + number * 7 % 29).await;
            script.sleep(30 - script.tick()).await;
            log.push(number);
        };
        world.spawn_task(script).detach();
    }
    run(&mut world, 0..=29);
    assert_eq!(log.all(), []);
    world.run_tasks(30);
    assert!(log.all().into_iter().eq(0..100));
}

#[test]
fn a_script_that_a_script_spawns_has_its_turn_in_the_same_tick_behind_the_others() {
    let (mut world, log) = (World::new(), Log::new());
    for number in 0..3 {
        let log = log.clone();
        let script = async move |script: Script| {
            log.push(number);
            let inner = log.clone();
            let child = script.spawn(async move |_| inner.push(10 + number));
            child.await.expect("it ends");
            log.push(20 + number);
        };
        world.spawn_task(script).detach();
    }
    world.run_tasks(1);
    // Who waits was spawned earlier, and so comes before the next child.
    assert_eq!(log.all(), [0, 1, 2, 10, 20, 11, 21, 12, 22]);
}

#[test]
fn commands_spawn_scripts_for_the_next_run() {
    let (mut world, log) = (World::new(), Log::new());
    let entries = log.clone();
    let system = move |mut commands: Commands| {
        let entries = entries.clone();
        commands.spawn_task(async move |script| entries.push(script.tick()));
    };
    world.run_tasks(1);
    world.run_system_once(system).expect("it can run");
    assert_eq!(log.all(), []);
    run(&mut world, 2..=3);
    assert_eq!(log.all(), [2]);
}

#[test]
fn a_race_drops_the_loser_and_gives_ties_to_the_first() {
    let (mut world, log) = (World::new(), Log::new());
    let entries = log.clone();
    let mut winner = world.spawn_task(async move |script| {
        let slow = async {
            let _guard = OnDrop(entries.clone(), "slow");
            script.sleep(100).await;
        };
        let first = race(slow, async {
            script.sleep(3).await;
            7
        })
        .await;
        entries.push("won");
        let tie = race(script.sleep(2), script.sleep(2)).await;
        (first, tie, script.tick())
    });
    run(&mut world, 1..=6);
    let expected = (Either::Right(7), Either::Left(()), 6);
    assert_eq!(winner.take(), Some(Ok(expected)));
    assert_eq!(log.all(), ["slow", "won"]);
}

#[test]
fn many_are_joined_and_raced_in_their_order() {
    let mut world = World::new();
    let mut result = world.spawn_task(async |script| {
        let one = |ticks| async move {
            script.sleep(ticks).await;
            ticks
        };
        let all = join_all([4, 1, 3].map(one)).await;
        let none = join_all(Vec::<std::future::Ready<()>>::new()).await;
        let first = race_all([4, 1, 1].map(one)).await;
        let both = join(one(2), script.spawn(async |_| 5)).await;
        (all, none.len(), first, both, script.tick())
    });
    run(&mut world, 1..=8);
    let expected = (vec![4, 1, 3], 0, (1, 1), (2, Ok(5)), 8);
    assert_eq!(result.take(), Some(Ok(expected)));
}

#[test]
fn a_handle_that_loses_a_race_cancels_its_script() {
    let mut world = World::new();
    let mut result = world.spawn_task(async |script| {
        let child = script.spawn(forever);
        race(child, script.next_tick()).await
    });
    run(&mut world, 1..=2);
    assert_eq!(result.take(), Some(Ok(Either::Right(()))));
    let counters = world.resource::<Tasks>().counters();
    assert_eq!(
        (counters.spawned, counters.finished, counters.cancelled),
        (2, 1, 1)
    );
}

/// Hands its children a waker of its own, as the queues of other crates do.
struct Relay(Waker);

impl Wake for Relay {
    fn wake(self: Arc<Self>) {
        self.0.wake_by_ref();
    }
}

#[test]
fn wakers_of_other_combinators_are_woken() {
    let mut world = World::new();
    let mut ticks = world.spawn_task(async |script| {
        let mut sleep = pin!(async {
            script.next_tick().await;
            script.sleep(3).await;
            script.tick()
        });
        poll_fn(|cx| {
            let relay = Waker::from(Arc::new(Relay(cx.waker().clone())));
            sleep.as_mut().poll(&mut Context::from_waker(&relay))
        })
        .await
    });
    run(&mut world, 1..=5);
    assert_eq!(ticks.take(), Some(Ok(5)));
}

#[test]
fn a_sleep_that_moves_behind_another_waker_wakes_it() {
    /// Polls once with the script's waker and from then on with a relay of its own.
    struct Moving<F>(F, u32);
    impl<F: Future + Unpin> Future for Moving<F> {
        type Output = u32;
        fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<u32> {
            self.1 += 1;
            let relay = Waker::from(Arc::new(Relay(cx.waker().clone())));
            let first = self.1 == 1;
            let waker = if first { cx.waker() } else { &relay };
            let polls = self.1;
            Pin::new(&mut self.0)
                .poll(&mut Context::from_waker(waker))
                .map(|_| polls)
        }
    }
    let mut world = World::new();
    let mut polls = world.spawn_task(async |script| {
        let sleep = Moving(script.sleep(4), 0);
        match race(sleep, async {
            script.sleep(2).await;
            std::future::pending::<()>().await
        })
        .await
        {
            Either::Left(polls) => polls,
            Either::Right(()) => 0,
        }
    });
    run(&mut world, 1..=5);
    assert_eq!(polls.take(), Some(Ok(3)));
}

#[test]
fn a_chain_without_end_goes_on_in_the_next_tick_and_is_reported() {
    fn chain(script: Script) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(async move {
            script.spawn(chain).detach();
        })
    }
    let mut world = World::new();
    world.spawn_task(chain).detach();
    world.run_tasks(1);
    let tasks = world.resource_mut::<Tasks>();
    assert_eq!(tasks.counters().turns, WAKES_MAX + 1);
    let errors = tasks.take_errors();
    assert_eq!(errors.len(), 1);
    assert!(errors[0].to_string().contains("in tick 1"), "{}", errors[0]);
    world.run_tasks(2);
    assert_eq!(
        world.resource::<Tasks>().counters().turns,
        2 * (WAKES_MAX + 1)
    );
}

//! Returns, panics, cancellation, despawns.

use std::pin::Pin;

use orrery_ecs::{Commands, Component, Entity, On, Query, Remove, ResMut, Resource, World};

use super::super::{CommandTasks, Script, Scripts, TaskError, Tasks, WorldTasks};
use super::{Log, OnDrop, forever, run};

#[derive(Clone, Copy, Component)]
struct Door;

/// Waits with a guard that logs its number.
fn guarded(
    log: &Log<u32>,
    number: u32,
) -> impl FnOnce(Script) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + use<> {
    let guard = OnDrop(log.clone(), number);
    move |script: Script| {
        Box::pin(async move {
            let _guard = guard;
            forever(script).await;
        })
    }
}

#[test]
fn a_panic_ends_one_script_and_names_it_and_its_place() {
    async fn careless(script: Script) {
        script.next_tick().await;
        assert!(script.tick() == 0, "at {}", script.tick());
    }
    let mut world = World::new();
    let line = line!() + 1;
    let mut bad = world.spawn_task(careless);
    let mut good = world.spawn_task(async |script| script.sleep(2).await);
    run(&mut world, 1..=3);
    assert_eq!(good.take(), Some(Ok(())));
    let errors = world.resource_mut::<Tasks>().take_errors();
    let TaskError::Panicked { script, message } = &errors[0] else {
        panic!("{errors:?}");
    };
    assert_eq!(message, "at 2");
    assert!(script.function().ends_with("::careless"), "{script}");
    assert_eq!(
        (script.place().file(), script.place().line()),
        (file!(), line)
    );
    assert_eq!(bad.take(), Some(Err(errors[0].clone())));
    assert_eq!(world.resource::<Tasks>().counters().panicked, 1);
}

#[test]
fn who_awaits_a_script_that_panicked_gets_the_error_and_goes_on() {
    let mut world = World::new();
    let mut outer = world.spawn_task(async |script| {
        let inner = script.spawn(async |_| panic!("inner"));
        matches!(inner.await, Err(TaskError::Panicked { message, .. }) if message == "inner")
    });
    world.run_tasks(1);
    assert_eq!(outer.take(), Some(Ok(true)));
}

#[test]
fn a_panic_with_the_world_in_hand_leaves_the_world_in_its_place() {
    let mut world = World::new();
    let door = world.spawn(Door).id();
    let bad = async |script: Script| script.with(|_| panic!("half way"));
    world.spawn_task(bad).detach();
    let mut good = world.spawn_task(async move |script| script.with(|world| world.contains(door)));
    world.run_tasks(1);
    assert_eq!(good.take(), Some(Ok(true)));
    assert!(world.contains(door));
}

#[test]
fn with_inside_with_ends_the_script_by_a_message() {
    let mut world = World::new();
    let nested = async |script: Script| script.with(|_| script.with(|_| ()));
    world.spawn_task(nested).detach();
    world.run_tasks(1);
    let error = world.resource::<Tasks>().errors()[0].to_string();
    assert!(
        error.contains("the outer closure has the world already"),
        "{error}"
    );
}

#[test]
fn a_panic_while_a_cancelled_script_is_dropped_is_contained() {
    struct Bad;
    impl Drop for Bad {
        fn drop(&mut self) {
            panic!("in drop");
        }
    }
    let mut world = World::new();
    let task = world.spawn_task(async |script| {
        let _bad = Bad;
        forever(script).await;
    });
    world.run_tasks(1);
    drop(task);
    world.run_tasks(2);
    let errors = world.resource::<Tasks>().errors();
    assert!(matches!(&errors[0], TaskError::Panicked { message, .. } if message == "in drop"));
    assert!(!world.contains_resource::<Scripts>());
}

#[test]
fn a_despawn_ends_the_scripts_of_its_entity_at_once_in_order_of_spawning() {
    let (mut world, log) = (World::new(), Log::new());
    let [door, other] = [(); 2].map(|()| world.spawn(Door).id());
    for number in 0..4 {
        let entity = if number == 2 { other } else { door };
        let task = world.spawn_task_for(entity, guarded(&log, number));
        task.expect("it lives").detach();
    }
    world.run_tasks(1);
    world.despawn(door).expect("it lives");
    assert_eq!(log.all(), [0, 1, 3]);
    assert_eq!(world.resource::<Scripts>().len(), 1);
    world.clear();
    assert_eq!(log.all(), [0, 1, 3, 2]);
    assert!(!world.contains_resource::<Scripts>());
    assert_eq!(world.resource::<Tasks>().counters().cancelled, 4);
}

#[test]
fn a_script_that_despawns_its_entity_goes_on_to_its_next_wait_and_no_further() {
    let (mut world, log) = (World::new(), Log::new());
    let door = world.spawn(Door).id();
    let entries = log.clone();
    let script = async move |script: Script| {
        let _guard = OnDrop(entries.clone(), "dropped");
        script.with(|world| world.despawn(door)).expect("it lives");
        entries.push("despawned");
        script.next_tick().await;
        entries.push("not reached");
    };
    let mut task = world.spawn_task_for(door, script).expect("it lives");
    let entries = log.clone();
    world
        .spawn_task(async move |_| entries.push("next"))
        .detach();
    run(&mut world, 1..=3);
    assert_eq!(log.all(), ["despawned", "dropped", "next"]);
    assert!(matches!(
        task.take(),
        Some(Err(TaskError::Cancelled { .. }))
    ));
}

#[test]
fn a_script_whose_entity_another_script_despawns_has_no_turn_more() {
    let (mut world, log) = (World::new(), Log::new());
    let door = world.spawn(Door).id();
    let killer = async move |script: Script| {
        script.next_tick().await;
        script.with(|world| world.despawn(door)).expect("it lives");
    };
    world.spawn_task(killer).detach();
    let entries = log.clone();
    let victim = async move |script: Script| loop {
        entries.push(script.tick());
        script.next_tick().await;
    };
    world
        .spawn_task_for(door, victim)
        .expect("it lives")
        .detach();
    run(&mut world, 1..=4);
    assert_eq!(log.all(), [1]);
}

#[test]
fn systems_despawn_through_commands_and_spawn_for_the_dead_is_reported() {
    let (mut world, log) = (World::new(), Log::new());
    let door = world.spawn(Door).id();
    let entries = log.clone();
    let system = move |doors: Query<Entity, orrery_ecs::With<Door>>, mut commands: Commands| {
        for door in doors.iter() {
            commands.spawn_task_for(door, guarded(&entries, 1));
            commands.despawn(door);
            commands.spawn_task_for(door, guarded(&entries, 2));
        }
    };
    world.run_system_once(system).expect("it can run");
    assert!(!world.contains(door));
    let mut dropped = log.all();
    dropped.sort_unstable();
    assert_eq!(dropped, [1, 2]);
    let errors = world.resource_mut::<Tasks>().take_errors();
    assert!(
        errors
            .iter()
            .all(|error| matches!(error, TaskError::NoEntity { .. })),
        "{errors:?}"
    );
    assert!(!errors.is_empty());
    assert!(world.spawn_task_for(door, forever).is_err());
}

#[test]
fn an_entity_keeps_no_mark_of_scripts_that_have_ended() {
    let mut world = World::new();
    let door = world.spawn(Door).id();
    let before = world.state_hash();
    for ticks in [1, 3] {
        let script = async move |script: Script| script.sleep(ticks).await;
        world
            .spawn_task_for(door, script)
            .expect("it lives")
            .detach();
    }
    run(&mut world, 1..=2);
    assert_ne!(world.state_hash(), before);
    run(&mut world, 3..=4);
    assert_eq!(world.state_hash(), before);
}

#[test]
fn an_observer_of_the_despawn_finds_the_scripts_ended() {
    #[derive(Clone, Default, Resource)]
    struct Living(Vec<usize>);
    let (mut world, log) = (World::new(), Log::new());
    world.init_resource::<Living>();
    let door = world.spawn(Door).id();
    world.add_observer(
        |_: On<Remove, Door>,
         scripts: Option<orrery_ecs::Res<Scripts>>,
         mut living: ResMut<Living>| {
            living.0.push(scripts.map_or(0, |scripts| scripts.len()));
        },
    );
    world
        .spawn_task_for(door, guarded(&log, 1))
        .expect("it lives")
        .detach();
    world.run_tasks(1);
    world.despawn(door).expect("it lives");
    assert_eq!(
        (log.all(), &world.resource::<Living>().0),
        (vec![1], &vec![0])
    );
}

#[test]
fn dropping_a_handle_cancels_and_detaching_does_not() {
    let (mut world, log) = (World::new(), Log::new());
    let first = world.spawn_task(guarded(&log, 1));
    let second = world.spawn_task(guarded(&log, 2));
    world.spawn_task(guarded(&log, 3)).detach();
    world.run_tasks(1);
    // Two threads could have done it in either order.
    second.cancel();
    drop(first);
    assert_eq!(log.all(), []);
    world.run_tasks(2);
    assert_eq!(log.all(), [1, 2]);
    drop(world);
    assert_eq!(log.all(), [1, 2, 3]);
}

#[test]
fn handles_that_threads_drop_at_the_same_time_end_their_scripts_in_order_of_spawning() {
    let (mut world, log) = (World::new(), Log::new());
    let mut tasks: Vec<_> = (0..64)
        .map(|number| world.spawn_task(guarded(&log, number)))
        .collect();
    world.run_tasks(1);
    let odd: Vec<_> = (0..32).map(|at| tasks.remove(at)).collect();
    std::thread::scope(|scope| {
        scope.spawn(move || odd.into_iter().rev().for_each(drop));
        scope.spawn(move || tasks.into_iter().rev().for_each(drop));
    });
    world.run_tasks(2);
    assert!(log.all().into_iter().eq(0..64));
    assert!(!world.contains_resource::<Scripts>());
}

#[test]
fn a_value_that_nobody_takes_is_dropped_with_its_handle() {
    let (mut world, log) = (World::new(), Log::new());
    let kept = spawn_giving(&mut world, &log, 1);
    world.run_tasks(1);
    assert!(kept.is_finished());
    assert_eq!(log.all(), []);
    drop(kept);
    assert_eq!(log.all(), [1]);
    // Without a handle it is dropped at once, and the handle of one that is reused tells nothing
    // of the script before.
    spawn_giving(&mut world, &log, 2).detach();
    let third = spawn_giving(&mut world, &log, 3);
    assert!(!third.is_finished());
    world.run_tasks(2);
    assert_eq!(log.all(), [1, 2]);
    assert!(third.is_finished());
}

fn spawn_giving(world: &mut World, log: &Log<u32>, number: u32) -> super::super::Task<OnDrop<u32>> {
    let value = OnDrop(log.clone(), number);
    world.spawn_task(|_| std::future::ready(value))
}

#[test]
fn a_handle_outlives_many_scripts_of_the_same_function() {
    let mut world = World::new();
    let mut tasks = Vec::new();
    for tick in 1..=5 {
        let value = move |_| std::future::ready(tick);
        tasks.push(world.spawn_task(value));
        world.spawn_task(value).detach();
        world.run_tasks(tick);
    }
    let values: Vec<_> = tasks.iter_mut().map(super::super::Task::take).collect();
    assert!(values.into_iter().eq((1..=5).map(|tick| Some(Ok(tick)))));
}

#[test]
fn a_handle_that_a_thread_drops_while_its_script_ends_loses_no_value() {
    let (mut world, log) = (World::new(), Log::new());
    for round in 0..500 {
        let task = spawn_giving(&mut world, &log, round);
        std::thread::scope(|scope| {
            scope.spawn(move || drop(task));
            world.run_tasks(u64::from(round));
        });
        // What was cancelled too late or in time has ended now, and left its value nowhere.
        world.run_tasks(u64::from(round));
        assert_eq!(log.all().len(), round as usize + 1);
    }
}

#[test]
fn a_waker_that_panics_keeps_nobody_else_from_being_woken() {
    struct Bad;
    impl std::task::Wake for Bad {
        fn wake(self: std::sync::Arc<Self>) {
            panic!("no bell");
        }
    }
    /// Awaits with a waker of its own.
    fn badly<F: Future + Send>(future: F) -> impl Future<Output = ()> + Send {
        let mut future = Box::pin(future);
        std::future::poll_fn(move |_| {
            let waker = std::sync::Arc::new(Bad).into();
            let mut cx = std::task::Context::from_waker(&waker);
            future.as_mut().poll(&mut cx).map(|_| ())
        })
    }
    let mut world = World::new();
    // By a tick, by the end of a script, by the cancelling of one.
    let inner = [world.spawn_task(forever), world.spawn_task(forever)];
    let entity = world.spawn(Door).id();
    let doomed = world.spawn_task_for(entity, forever).expect("it lives");
    world.spawn_task(|script| badly(script.sleep(2))).detach();
    world.spawn_task(|_| badly(doomed)).detach();
    let mut ending = world.spawn_task(async |script| script.sleep(3).await);
    let mut good = world.spawn_task(async |script| {
        script.sleep(2).await;
        script.tick()
    });
    run(&mut world, 1..=3);
    assert_eq!(good.take(), Some(Ok(3)));
    world.despawn(entity).expect("it lives");
    run(&mut world, 4..=4);
    assert_eq!(ending.take(), Some(Ok(())));
    let errors = world.resource_mut::<Tasks>().take_errors();
    let [TaskError::WakerPanicked { message: first }, second] = &*errors else {
        panic!("{errors:?}");
    };
    assert_eq!(first, "no bell");
    let TaskError::Panicked {
        message: second, ..
    } = second
    else {
        panic!("{errors:?}");
    };
    assert_eq!(second, "no bell");
    // The two inner ones and the two that are never woken.
    assert_eq!(world.resource::<Scripts>().len(), 4);
    drop(inner);
}

#[test]
fn a_function_that_panics_before_it_makes_a_script_leaves_nothing() {
    let mut world = World::new();
    let door = world.spawn(Door).id();
    let before = world.state_hash();
    for with_others in [false, true] {
        let other = with_others.then(|| world.spawn_task(forever));
        let bad = |_: Script| -> std::future::Ready<()> { panic!("no future") };
        let spawn = std::panic::AssertUnwindSafe(|| drop(world.spawn_task(bad)));
        assert!(std::panic::catch_unwind(spawn).is_err());
        let spawn = std::panic::AssertUnwindSafe(|| drop(world.spawn_task_for(door, bad)));
        assert!(std::panic::catch_unwind(spawn).is_err());
        let living = world.get_resource::<Scripts>().map_or(0, Scripts::len);
        assert_eq!(living, usize::from(with_others));
        assert_eq!(world.contains_resource::<Scripts>(), with_others);
        assert_eq!(world.state_hash(), before);
        drop(other);
        world.run_tasks(1);
    }
}

#[test]
fn a_destructor_of_a_cancelled_script_still_has_the_world() {
    struct Close(Script);
    impl Drop for Close {
        fn drop(&mut self) {
            self.0.with(|world| world.insert_resource(Closed));
        }
    }
    #[derive(Clone, Resource)]
    struct Closed;
    let mut world = World::new();
    let door = world.spawn(Door).id();
    let script = async |script: Script| {
        let _close = Close(script);
        forever(script).await;
    };
    world
        .spawn_task_for(door, script)
        .expect("it lives")
        .detach();
    world.run_tasks(1);
    world.despawn(door).expect("it lives");
    assert!(world.contains_resource::<Closed>());
}

#[test]
fn a_world_that_is_dropped_tells_the_handles_in_order_of_spawning() {
    let (mut world, log) = (World::new(), Log::new());
    // The last slot that became free is used first, so the order of slots is another.
    let short = [0; 3].map(|_| world.spawn_task(async |_| ()));
    world.run_tasks(1);
    drop(short);
    let mut tasks = [4, 5, 6, 7].map(|number| world.spawn_task(guarded(&log, number)));
    world.run_tasks(2);
    drop(world);
    assert_eq!(log.all(), [4, 5, 6, 7]);
    let cancelled = |task: &mut super::super::Task<()>| {
        matches!(task.take(), Some(Err(TaskError::Cancelled { .. })))
    };
    assert!(tasks.iter_mut().all(cancelled));
}

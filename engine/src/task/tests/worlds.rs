//! Forks, threads, worlds inside worlds, apps.

use std::sync::atomic::{AtomicBool, Ordering};

use orrery_ecs::{Component, Resource, World};

use super::super::{Script, Scripts, Tasks, WorldTasks};
use super::{Log, forever, run};

#[derive(Clone, Copy, Component)]
struct Number(u32);

#[test]
fn a_world_with_living_scripts_refuses_to_be_forked_by_name() {
    let mut world = World::new();
    assert!(world.fork().is_ok());
    let task = world.spawn_task(forever);
    for tick in 1..3 {
        let error = world.fork().map(|_| ()).expect_err("a script lives");
        assert_eq!(error.names, ["orrery::task::scripts::Scripts"]);
        world.run_tasks(tick);
    }
    drop(task);
    world.run_tasks(3);
    let fork = world.fork().expect("none lives");
    // What is known of them goes along.
    assert_eq!(
        fork.resource::<Tasks>().counters(),
        world.resource::<Tasks>().counters()
    );
}

#[test]
fn a_script_cannot_fork_the_world_that_runs_it() {
    let mut world = World::new();
    let mut refused = world.spawn_task(async |script| {
        script.with(|world| world.fork().map(|_| ()).expect_err("it runs").in_use)
    });
    world.run_tasks(1);
    assert_eq!(
        refused.take(),
        Some(Ok(vec!["orrery::task::scripts::Scripts"]))
    );
}

#[test]
fn scripts_that_are_taken_out_go_on_where_they_are_put_back() {
    #[derive(Event, Clone)]
    struct Go;
    use orrery_ecs::Event;
    let mut world = World::new();
    let entity = world.spawn(Number(0)).id();
    let script = async move |script: Script| loop {
        script.with(|world| world.get_mut::<Number>(entity).expect("it lives").0 += 1);
        script.event::<Go>().await;
    };
    let task = world.spawn_task_for(entity, script).expect("it lives");
    world.run_tasks(1);
    let scripts = world.remove_resource::<Scripts>().expect("one lives");
    let mut fork = world.fork().expect("no script is in it");
    fork.insert_resource(scripts);
    for there in [&mut world, &mut fork] {
        there.trigger(Go);
        there.run_tasks(2);
    }
    assert_eq!(world.get::<Number>(entity).map(|number| number.0), Some(1));
    assert_eq!(fork.get::<Number>(entity).map(|number| number.0), Some(2));
    fork.despawn(entity).expect("it lives");
    assert!(task.is_finished());
}

#[test]
fn a_world_goes_to_another_thread_with_its_scripts() {
    let mut world = World::new();
    let mut sum = world.spawn_task(async |script| {
        let first = script.tick();
        script.next_tick().await;
        first + script.tick()
    });
    world.run_tasks(1);
    let moved = std::thread::spawn(move || {
        world.run_tasks(2);
        world
    });
    moved.join().expect("nothing panics");
    assert_eq!(sum.take(), Some(Ok(3)));
}

#[test]
fn a_script_can_run_another_world_with_scripts_of_its_own() {
    let mut world = World::new();
    let mut result = world.spawn_task(async |script| {
        let mut inner = World::new();
        let mut sum = inner.spawn_task(async |script| {
            script.sleep(2).await;
            script.with(|world| world.spawn(Number(7)).id());
            script.tick()
        });
        for tick in 10..=12 {
            // In the closure, so that the outer world is out as well.
            script.with(|outer| {
                inner.run_tasks(tick);
                outer.spawn(Number(1));
            });
        }
        script.next_tick().await;
        (
            sum.take(),
            inner.len(),
            script.with(|outer| outer.len()),
            script.tick(),
        )
    });
    run(&mut world, 1..=2);
    assert_eq!(result.take(), Some(Ok((Some(Ok(12)), 1, 3, 2))));
}

#[test]
fn a_world_that_a_script_replaces_is_the_panic_of_the_run() {
    let mut world = World::new();
    let script = async |script: Script| script.with(|world| *world = World::new());
    world.spawn_task(script).detach();
    let run = std::panic::AssertUnwindSafe(|| world.run_tasks(1));
    assert!(std::panic::catch_unwind(run).is_err());
    // Nothing of it is left on this thread.
    let mut other = World::new();
    let mut answer = other.spawn_task(async |_| 4);
    other.run_tasks(1);
    assert_eq!(answer.take(), Some(Ok(4)));
}

#[test]
fn a_script_ends_without_a_turn_if_its_world_never_runs() {
    static DROPPED: AtomicBool = AtomicBool::new(false);
    struct Guard;
    impl Drop for Guard {
        fn drop(&mut self) {
            DROPPED.store(true, Ordering::Relaxed);
        }
    }
    let mut world = World::new();
    let guard = Guard;
    let task = world.spawn_task(async move |script| {
        let _guard = guard;
        forever(script).await;
    });
    drop(world);
    assert!(DROPPED.load(Ordering::Relaxed) && task.is_finished());
}

#[test]
fn scripts_leave_no_trace_in_the_state_hash_but_what_they_write() {
    #[derive(Clone, Default, Resource)]
    struct Sum(u64);
    let made = |with_scripts| {
        let mut world = World::new();
        world.init_resource::<Sum>();
        for tick in 1..=20 {
            if with_scripts {
                world.run_tasks(tick);
                let add = async move |script: Script| {
                    script.with(|world| world.resource_mut::<Sum>().0 += tick);
                };
                world.spawn_task(add).detach();
            } else if tick > 1 {
                world.resource_mut::<Sum>().0 += tick - 1;
            }
        }
        world.state_hash()
    };
    assert_eq!(made(true), made(false));
}

#[test]
fn a_finished_script_leaves_its_memory_to_the_next_of_its_kind() {
    let (mut world, log) = (World::new(), Log::new());
    let mut tick = 0;
    for round in 0..50 {
        for number in 0..10 {
            let log = log.clone();
            let script = async move |script: Script| {
                script.sleep(number % 3).await;
                log.push(round * 10 + number);
            };
            world.spawn_task(script).detach();
        }
        for _ in 0..3 {
            tick += 1;
            world.run_tasks(tick);
        }
        assert!(!world.contains_resource::<Scripts>());
    }
    let mut all = log.all();
    all.sort_unstable();
    assert!(all.into_iter().eq(0..500));
    assert_eq!(world.resource::<Tasks>().counters().finished, 500);
}

//! Fibres wait as scripts do, end as scripts do, and stay at home.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use orrery_ecs::{Event, Resource, World};

use super::table::free_stacks;
use super::{FibreError, WorldFibres};
use crate::task::{Scripts, TaskError, Tasks, WorldTasks};

#[derive(Clone, Default, Debug, PartialEq, Resource)]
struct Log(Vec<(u64, u32)>);

#[derive(Clone, Event)]
struct Knock(u32);

fn world() -> World {
    let mut world = World::new();
    world.init_resource::<Log>();
    world
}

struct OnDrop(Arc<AtomicU32>);

impl Drop for OnDrop {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn a_fibre_that_waits_while_it_has_the_world_is_ended_and_the_world_is_back() {
    let mut world = world();
    let mut greedy = world.spawn_fibre(|fibre| {
        fibre.with(|world| {
            world.resource_mut::<Log>().0.push((1, 1));
            fibre.next_tick();
        });
    });
    world.spawn_task_detached(async |script| {
        script.with(|world| world.resource_mut::<Log>().0.push((1, 2)));
    });
    (1..=2).for_each(|tick| world.run_tasks(tick));
    let error = greedy
        .take()
        .and_then(Result::err)
        .map(|error| error.to_string());
    assert!(error.is_some_and(|error| error.contains("must not wait inside `with`")));
    assert_eq!(world.resource::<Log>().0, [(1, 1), (1, 2)]);
}

#[test]
fn a_fibre_waits_for_ticks_events_and_blocking_work_at_any_depth() {
    fn deep(fibre: &super::Fibre<'_>, depth: u32) -> u32 {
        if depth > 0 {
            return deep(fibre, depth - 1) + 1;
        }
        fibre.next_tick();
        let number = fibre.event::<Knock>().0;
        number + fibre.blocking(|| 100).expect("it does not panic")
    }
    let mut world = world();
    let mut sum = world.spawn_fibre(|fibre| {
        let sum = deep(fibre, 50);
        (fibre.tick(), sum)
    });
    world.run_tasks(1);
    world.run_tasks(2);
    world.trigger(Knock(7));
    (3..=4).for_each(|tick| world.run_tasks(tick));
    assert_eq!(sum.take(), Some(Ok(Ok((4, 157)))));
}

#[test]
fn fibres_and_scripts_have_their_turns_in_one_order() {
    let mut world = world();
    for number in 0..6 {
        let log = move |world: &mut World, tick| world.resource_mut::<Log>().0.push((tick, number));
        if number % 2 == 0 {
            let run = move |fibre: &super::Fibre<'_>| {
                for ticks in [1, u64::from(number), 2] {
                    fibre.with(|world| log(world, fibre.tick()));
                    fibre.sleep(ticks);
                }
            };
            world.spawn_fibre(run).detach();
        } else {
            let run = async move |script: crate::task::Script| {
                for ticks in [1, u64::from(number), 2] {
                    script.with(|world| log(world, script.tick()));
                    script.sleep(ticks).await;
                }
            };
            world.spawn_task(run).detach();
        }
    }
    (0..12).for_each(|tick| world.run_tasks(tick));
    let log = &world.resource::<Log>().0;
    assert_eq!(log.len(), 18);
    assert!(log[1..].is_sorted(), "{log:?}");
}

#[test]
fn a_fibre_that_is_cancelled_is_unwound_and_its_stack_used_again() {
    let mut world = world();
    let dropped = Arc::new(AtomicU32::new(0));
    let entity = world.spawn(()).id();
    let before = free_stacks();
    let value = OnDrop(Arc::clone(&dropped));
    let run = move |fibre: &super::Fibre<'_>| {
        let _value = value;
        fibre.sleep(100);
    };
    let task = world.spawn_fibre_for(entity, run).expect("it lives");
    world.run_tasks(1);
    assert_eq!(dropped.load(Ordering::Relaxed), 0);
    world.despawn(entity).expect("it lives");
    assert_eq!(dropped.load(Ordering::Relaxed), 1);
    assert!(task.is_finished() && !world.contains_resource::<Scripts>());
    assert_eq!(free_stacks(), before.max(1));
}

#[test]
fn a_panic_in_a_fibre_ends_it_alone() {
    let mut world = world();
    let mut bad = world.spawn_fibre(|fibre| {
        fibre.next_tick();
        assert!(fibre.tick() == 0, "no way");
    });
    let mut good = world.spawn_fibre(|fibre| fibre.sleep(2));
    (1..=3).for_each(|tick| world.run_tasks(tick));
    assert_eq!(good.take(), Some(Ok(Ok(()))));
    let error = bad.take();
    assert!(
        matches!(&error, Some(Err(TaskError::Panicked { message, .. })) if message == "no way"),
        "{error:?}"
    );
    assert_eq!(world.resource::<Tasks>().errors().len(), 1);
    // Its stack is whole.
    let mut again = world.spawn_fibre(|_| 3);
    world.run_tasks(4);
    assert_eq!(again.take(), Some(Ok(Ok(3))));
}

#[test]
fn a_fibre_does_not_leave_its_thread() {
    let mut world = world();
    let dropped = Arc::new(AtomicU32::new(0));
    let value = OnDrop(Arc::clone(&dropped));
    let mut task = world.spawn_fibre(move |fibre| {
        let _value = value;
        fibre.next_tick();
    });
    world.run_tasks(1);
    std::thread::scope(|scope| scope.spawn(|| world.run_tasks(2)).join()).expect("no panic");
    assert_eq!(task.take(), Some(Ok(Err(FibreError::OtherThread))));
    assert_eq!(dropped.load(Ordering::Relaxed), 0);
    // Unwound at home, when the next one begins.
    world.spawn_fibre(|_| ()).detach();
    world.run_tasks(3);
    assert_eq!(dropped.load(Ordering::Relaxed), 1);
}

#[test]
fn a_fibre_can_wait_for_a_future_that_waits_on_it() {
    let mut world = world();
    let mut ticks = world.spawn_fibre(|fibre| {
        fibre.wait(async {
            fibre.sleep(2);
            fibre.script().sleep(3).await;
        });
        fibre.tick()
    });
    (1..=6).for_each(|tick| world.run_tasks(tick));
    assert_eq!(ticks.take(), Some(Ok(Ok(6))));
}

#[test]
fn a_world_that_is_dropped_while_its_thread_panics_unwinds_its_fibres() {
    let dropped = Arc::new(AtomicU32::new(0));
    let value = OnDrop(Arc::clone(&dropped));
    let unwound = std::panic::catch_unwind(std::panic::AssertUnwindSafe(move || {
        let mut world = world();
        let run = move |fibre: &super::Fibre<'_>| {
            let _value = value;
            fibre.sleep(100);
        };
        world.spawn_fibre(run).detach();
        world.run_tasks(1);
        panic!("with a fibre that waits");
    }));
    assert!(unwound.is_err());
    assert_eq!(dropped.load(Ordering::Relaxed), 1);
}

#[test]
fn a_thread_that_ends_unwinds_the_fibres_that_it_left() {
    let dropped = Arc::new(AtomicU32::new(0));
    let value = OnDrop(Arc::clone(&dropped));
    let waiting = std::thread::spawn(move || {
        let mut world = world();
        let task = world.spawn_fibre(move |fibre| {
            let _value = value;
            fibre.next_tick();
        });
        world.run_tasks(1);
        (world, task)
    });
    let (mut world, mut task) = waiting.join().expect("no panic");
    assert_eq!(dropped.load(Ordering::Relaxed), 1);
    world.run_tasks(2);
    assert_eq!(task.take(), Some(Ok(Err(FibreError::OtherThread))));
}

/// Runs itself again, because the overflow ends the process.
#[cfg(target_os = "linux")]
#[test]
fn a_fibre_that_overflows_its_stack_ends_the_process_at_the_guard_page() {
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Command, Stdio};

    const CHILD: &str = "ORRERY_TEST_FIBRE_OVERFLOW";
    #[expect(unconditional_recursion, reason = "it overflows the stack")]
    #[inline(never)]
    fn deeper(depth: u64) -> u64 {
        std::hint::black_box(deeper(std::hint::black_box(depth + 1)) + depth)
    }
    if std::env::var_os(CHILD).is_some() {
        let mut world = world();
        world.spawn_fibre(|_| deeper(0)).detach();
        world.run_tasks(1);
        return;
    }
    let name = "fibres::tests::a_fibre_that_overflows_its_stack_ends_the_process_at_the_guard_page";
    let program = std::env::current_exe().expect("the test runs from a file");
    let status = Command::new(program)
        .args([name, "--exact"])
        .env(CHILD, "1")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    let signal = status.expect("it can be started").signal();
    // SIGSEGV or SIGBUS; the runtime may turn either into an abort.
    assert!(matches!(signal, Some(11 | 7 | 6)), "{signal:?}");
}

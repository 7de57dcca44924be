//! What an app costs that has nothing to do, by the time that its own threads had a core: other
//! tests and programs at the same time do not change that.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use orrery_ecs::{Res, ResMut};

use super::super::ScheduleLabel::{FixedUpdate, Update};
use super::super::{App, Exit, Runner};
use crate::time::RealTime;
use crate::workers::Workers;

const FRAMES: u64 = 30;

/// Part of one core. It takes a tenth of that in a build without optimization; a thread that never
/// sleeps takes twenty times as much.
const SHARE_MAX: f64 = 0.05;

/// Where Linux counts the time of the calling thread.
fn own_count() -> Option<PathBuf> {
    let thread = fs::read_link("/proc/thread-self").ok()?;
    let file = Path::new("/proc").join(thread).join("schedstat");
    on_core(&file).map(|_| file)
}

/// How long the thread of a file had a core.
fn on_core(file: &Path) -> Option<Duration> {
    let text = fs::read_to_string(file).ok()?;
    let ns = text.split_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(ns))
}

/// The files of all threads of a pool, the caller's included.
fn counts(workers: &Workers) -> Option<Vec<PathBuf>> {
    let threads = workers.thread_count();
    let (arrived, files) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    // Indices that wait for each other end only if each has a thread of its own.
    workers.for_each(threads, &|_| {
        arrived.fetch_add(1, Ordering::Relaxed);
        while arrived.load(Ordering::Relaxed) < threads {
            thread::yield_now();
        }
        files
            .lock()
            .expect("no panic while it is held")
            .push(own_count());
    });
    let files = files.into_inner().expect("no panic while it was held");
    files.into_iter().collect()
}

/// The part of one core that the threads of an app took, with its workers, at 60 frames a second.
/// None where the system does not tell.
fn share_of_a_core(add: impl FnOnce(&mut App)) -> Option<f64> {
    let workers = Workers::new(2).expect("two threads can be had");
    let files = counts(&workers)?;
    let spent = || -> Option<Duration> { files.iter().map(|file| on_core(file)).sum() };
    let mut app = App::new();
    app.set_workers(workers);
    add(&mut app);
    app.add_systems(Update, |real: Res<RealTime>, mut exit: ResMut<Exit>| {
        if real.frame() == FRAMES {
            exit.request();
        }
    });
    app.start().expect("nothing fails");
    let (before, start) = (spent()?, Instant::now());
    app.run(Runner::Fixed(60.0)).expect("nothing fails");
    let (took, passed) = (spent()?.saturating_sub(before), start.elapsed());
    assert!(
        passed >= Duration::from_millis(490),
        "it was paced: {passed:?}"
    );
    Some(took.as_secs_f64() / passed.as_secs_f64())
}

fn assert_idle(share: Option<f64>) {
    match share {
        Some(share) => assert!(share < SHARE_MAX, "{:.2} % of a core", 100.0 * share),
        None => println!("skipped: the system does not count the time of threads"),
    }
}

// KBVE/kbve#14145, defold/defold#8029: a loop without a window took a whole core.
#[test]
fn an_empty_app_at_60_hz_leaves_the_core_alone_with_its_workers_parked() {
    assert_idle(share_of_a_core(|_| ()));
}

// bevyengine/bevy#4718: threads that had nothing to do took 10 to 15 % of a core.
#[test]
fn workers_that_are_done_with_a_tick_sleep_until_the_next() {
    assert_idle(share_of_a_core(|app| {
        app.add_systems(FixedUpdate, |workers: Res<Workers>| {
            let sum = AtomicUsize::new(0);
            workers.for_each(64, &|index| {
                sum.fetch_add(index, Ordering::Relaxed);
            });
            assert_eq!(sum.into_inner(), 64 * 63 / 2);
        });
    }));
}

//! The protocol under loom: every order of events that threads can come to, up to some switches
//! where no thread has to wait. How to run them, and what each is about: `README.md`.

use std::panic::{AssertUnwindSafe, catch_unwind};

use loom::sync::atomic::{AtomicUsize, Ordering};

use super::Workers;

/// Tries all orders with at most so many switches that no thread asked for.
fn explore(switches: usize, model: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(switches);
    builder.check(model);
}

fn workers(threads: usize) -> Workers {
    Workers::new(threads).expect("models have threads")
}

/// Runs a loop that writes to its caller's stack, and looks at it afterwards.
fn run_loop(workers: &Workers, count: usize) {
    let runs: Vec<AtomicUsize> = (0..count).map(|_| AtomicUsize::new(0)).collect();
    workers.for_each(count, &|index| {
        // Relaxed: that the caller sees it below is what the protocol promises.
        runs[index].fetch_add(1, Ordering::Relaxed);
    });
    for run in &runs {
        assert_eq!(run.load(Ordering::Relaxed), 1, "each index runs once");
    }
}

#[test]
fn a_job_is_handed_over_and_every_index_runs_once() {
    explore(3, || run_loop(&workers(2), 2));
}

#[test]
fn a_job_posted_while_a_worker_falls_asleep_wakes_it_or_is_done_without_it() {
    explore(2, || {
        let workers = workers(2);
        run_loop(&workers, 2);
        run_loop(&workers, 2);
    });
}

#[test]
fn a_caller_that_falls_asleep_is_woken_by_the_last_worker_to_leave() {
    explore(2, || {
        let workers = workers(3);
        run_loop(&workers, 3);
    });
}

#[test]
fn the_threads_end_whatever_they_were_about_to_do() {
    explore(3, || drop(workers(2)));
}

#[test]
fn a_second_caller_works_alone_and_both_come_to_an_end() {
    explore(2, || {
        let workers = workers(2);
        let other = workers.clone();
        let second = loom::thread::spawn(move || run_loop(&other, 2));
        run_loop(&workers, 2);
        second.join().expect("it does not panic");
    });
}

#[test]
fn a_panic_in_a_body_leaves_no_worker_inside() {
    explore(2, || {
        let workers = workers(2);
        let ran = catch_unwind(AssertUnwindSafe(|| {
            workers.for_each(2, &|index| assert_eq!(index, 0, "the second one panics"));
        }));
        assert!(ran.is_err());
        run_loop(&workers, 2);
    });
}

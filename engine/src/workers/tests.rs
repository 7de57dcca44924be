//! Every index once, panics passed on, nobody left waiting; with more threads than cores too.

use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use super::state::{
    BUSY, ENTERED_MASK, EPOCH_MASK, EPOCH_ONE, OPEN, SLEEPING_MASK, SLEEPING_ONE, WAITING,
};
use super::{Workers, WorkersError};

const THREAD_COUNTS: [usize; 4] = [1, 2, 3, 8];

fn pool(threads: usize) -> Workers {
    Workers::new(threads).expect("the system gives a test a few threads")
}

/// Runs `count` indices and returns how often each ran.
fn run_counts(workers: &Workers, count: usize) -> Vec<usize> {
    let runs: Vec<AtomicUsize> = (0..count).map(|_| AtomicUsize::new(0)).collect();
    workers.for_each(count, &|index| {
        runs[index].fetch_add(1, Ordering::Relaxed);
    });
    runs.into_iter().map(AtomicUsize::into_inner).collect()
}

/// Returns the message of the panic that `run` ends with.
fn panic_message(run: impl FnOnce()) -> Option<String> {
    let payload = panic::catch_unwind(AssertUnwindSafe(run)).err()?;
    payload.downcast::<String>().ok().map(|message| *message)
}

#[test]
fn every_index_runs_once_on_any_number_of_threads() {
    for threads in THREAD_COUNTS {
        let workers = pool(threads);
        assert_eq!(workers.thread_count(), threads);
        for count in [0, 1, 2, 3, 7, 64, 1_000, 12_345] {
            assert_eq!(
                run_counts(&workers, count),
                vec![1; count],
                "{threads} threads"
            );
        }
    }
    assert_eq!(run_counts(&Workers::serial(), 100), vec![1; 100]);
}

#[test]
fn many_short_loops_in_a_row_lose_nothing() {
    for threads in THREAD_COUNTS {
        let workers = pool(threads);
        let sum = AtomicUsize::new(0);
        for round in 0..2_000 {
            workers.for_each(round % 9, &|index| {
                sum.fetch_add(index + 1, Ordering::Relaxed);
            });
        }
        let want: usize = (0..2_000).map(|round| (1..=round % 9).sum::<usize>()).sum();
        assert_eq!(sum.into_inner(), want);
    }
}

#[test]
fn workers_take_part() {
    let workers = pool(2);
    let here = thread::current().id();
    let elsewhere = AtomicBool::new(false);
    // Two indices that wait for each other can only end if two threads run them.
    let arrived = AtomicUsize::new(0);
    workers.for_each(2, &|_| {
        arrived.fetch_add(1, Ordering::Relaxed);
        while arrived.load(Ordering::Relaxed) < 2 {
            thread::yield_now();
        }
        if thread::current().id() != here {
            elsewhere.store(true, Ordering::Relaxed);
        }
    });
    assert!(elsewhere.into_inner());
}

#[test]
fn a_caller_that_is_done_first_waits_for_slow_workers() {
    for threads in [2, 8] {
        let workers = pool(threads);
        let here = thread::current().id();
        for _ in 0..20 {
            let (started, done) = (AtomicBool::new(false), AtomicUsize::new(0));
            workers.for_each(threads, &|_| {
                if thread::current().id() == here {
                    while !started.load(Ordering::Relaxed) {
                        thread::yield_now();
                    }
                } else {
                    started.store(true, Ordering::Relaxed);
                    // Long enough that the caller gives up spinning and sleeps.
                    let begin = std::time::Instant::now();
                    while begin.elapsed().as_micros() < 200 {
                        thread::yield_now();
                    }
                }
                done.fetch_add(1, Ordering::Relaxed);
            });
            assert_eq!(done.into_inner(), threads);
        }
    }
}

#[test]
fn a_nested_loop_runs_serially_in_order_on_the_thread_of_its_body() {
    for threads in THREAD_COUNTS {
        let workers = pool(threads);
        let sum = AtomicUsize::new(0);
        workers.for_each(16, &|_| {
            let here = thread::current().id();
            let next = AtomicUsize::new(0);
            workers.for_each(10, &|index| {
                assert_eq!(thread::current().id(), here);
                assert_eq!(next.fetch_add(1, Ordering::Relaxed), index);
                sum.fetch_add(index, Ordering::Relaxed);
            });
        });
        assert_eq!(sum.into_inner(), 16 * 45, "{threads} threads");
    }
}

#[test]
fn a_loop_leaves_no_mark_but_its_number() {
    for threads in [2, 8] {
        let workers = pool(threads);
        for round in 1..=1_000 {
            workers.for_each(threads, &|_| thread::yield_now());
            let state = workers.state();
            assert_eq!(
                state & (BUSY | OPEN | WAITING | ENTERED_MASK),
                0,
                "{state:#x}"
            );
            assert_eq!(state & EPOCH_MASK, round * EPOCH_ONE, "{state:#x}");
            // A sleeper that is not counted off would be counted again.
            let sleeping = (state & SLEEPING_MASK) / SLEEPING_ONE;
            assert!(sleeping < threads as u64, "{sleeping} of {threads} sleep");
        }
    }
}

#[test]
fn two_callers_at_once_both_get_their_work_done() {
    let workers = pool(3);
    thread::scope(|scope| {
        for _ in 0..4 {
            let workers = workers.clone();
            scope.spawn(move || {
                for count in 0..300 {
                    assert_eq!(run_counts(&workers, count), vec![1; count]);
                }
            });
        }
    });
}

#[test]
fn a_panic_lets_all_other_indices_run_and_the_lowest_one_is_passed_on() {
    for threads in THREAD_COUNTS {
        let workers = pool(threads);
        for round in 0..50 {
            let done = AtomicUsize::new(0);
            let message = panic_message(|| {
                workers.for_each(200, &|index| {
                    if index % 50 == 13 {
                        // Unlike panic!, this does not print.
                        panic::resume_unwind(Box::new(format!("index {index}")));
                    }
                    done.fetch_add(1, Ordering::Relaxed);
                });
            });
            assert_eq!(
                message.as_deref(),
                Some("index 13"),
                "{threads} threads, round {round}"
            );
            assert_eq!(done.into_inner(), 196);
        }
        assert_eq!(
            run_counts(&workers, 1_000),
            vec![1; 1_000],
            "the pool works on"
        );
    }
}

#[test]
fn a_panic_in_a_nested_loop_reaches_the_outer_caller() {
    for threads in THREAD_COUNTS {
        let workers = pool(threads);
        let message = panic_message(|| {
            workers.for_each(4, &|outer| {
                workers.for_each(4, &|inner| {
                    if (outer, inner) == (2, 1) {
                        panic::resume_unwind(Box::new(format!("{outer} {inner}")));
                    }
                });
            });
        });
        assert_eq!(message.as_deref(), Some("2 1"));
    }
}

#[test]
fn a_payload_that_panics_when_dropped_does_no_harm() {
    struct Bomb(Arc<()>);
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic::resume_unwind(Box::new(Arc::strong_count(&self.0)));
        }
    }
    let workers = pool(2);
    let token = Arc::new(());
    let result = panic::catch_unwind(AssertUnwindSafe(|| {
        workers.for_each(64, &|_| {
            panic::resume_unwind(Box::new(Bomb(Arc::clone(&token))))
        });
    }));
    assert_eq!(
        Arc::strong_count(&token),
        2,
        "of all the others nothing is left"
    );
    std::mem::forget(result);
    assert_eq!(run_counts(&workers, 64), vec![1; 64]);
}

#[test]
fn chunks_cover_the_slice_and_bear_their_index() {
    for threads in THREAD_COUNTS {
        let workers = pool(threads);
        for (len, chunk_len) in [(0, 4), (1, 4), (4, 4), (10, 4), (1_000, 7), (9, usize::MAX)] {
            let mut values: Vec<usize> = (0..len).collect();
            workers.chunks_mut(&mut values, chunk_len, &|chunk, values| {
                assert!(!values.is_empty() && values.len() <= chunk_len);
                assert_eq!(values[0], chunk * chunk_len);
                values.iter_mut().for_each(|value| *value += 1_000);
            });
            assert!(
                values
                    .iter()
                    .enumerate()
                    .all(|(index, value)| *value == index + 1_000)
            );
        }
    }
}

#[test]
fn chunks_of_values_without_size_and_of_boxes_work() {
    let workers = pool(2);
    let seen = AtomicUsize::new(0);
    workers.chunks_mut(&mut [(); 1_000], 10, &|_, units| {
        seen.fetch_add(units.len(), Ordering::Relaxed);
    });
    assert_eq!(seen.into_inner(), 1_000);
    let mut boxes: Vec<Box<usize>> = (0..100).map(Box::new).collect();
    workers.chunks_mut(&mut boxes, 3, &|_, boxes| {
        boxes.iter_mut().for_each(|value| **value *= 2);
    });
    assert!(
        boxes
            .iter()
            .enumerate()
            .all(|(index, value)| **value == index * 2)
    );
}

#[test]
#[should_panic(expected = "chunks of 0 elements")]
fn chunks_of_nothing_are_a_mistake() {
    Workers::serial().chunks_mut(&mut [1], 0, &|_, _| ());
}

#[test]
fn pools_come_and_go_used_or_not() {
    for round in 0..100 {
        let workers = pool(1 + round % 8);
        if round % 2 == 0 {
            assert_eq!(run_counts(&workers, 10), vec![1; 10]);
        }
    }
}

#[test]
fn the_last_handle_may_be_dropped_inside_a_body() {
    for _ in 0..50 {
        let slot = std::sync::Mutex::new(None);
        let outer = pool(2);
        *slot.lock().expect("nobody panics here") = Some(pool(2));
        outer.for_each(2, &|_| {
            drop(slot.lock().expect("nobody panics here").take())
        });
    }
}

#[test]
fn impossible_thread_counts_are_refused() {
    assert!(matches!(Workers::new(0), Err(WorkersError::ZeroThreads)));
    let many = Workers::new(Workers::MAX_THREADS + 1);
    assert!(many.is_err_and(|error| error.to_string().contains("1025")));
}

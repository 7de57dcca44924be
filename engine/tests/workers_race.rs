//! The worker pool alone, for ThreadSanitizer (`.ci/run tsan`); else a short stress test.
//!
//! A program without the test harness: std is not instrumented, so the sanitizer does not see what
//! its channels, its joins and the slow path of its locks order, and reports them. Hence nothing
//! of these is used here; the pools are leaked, for joining is one of them.

use std::mem;
use std::thread;
use std::time::Duration;

use orrery::workers::Workers;

const ROUNDS: u64 = 3_000;
const LEN: usize = 1_000;

/// Adds to every element in every round, by chunks, in loops of changing length.
fn stress(workers: &Workers) -> Vec<u64> {
    let mut values = vec![0; LEN];
    for round in 0..ROUNDS {
        let len = 1 + (round as usize * 37) % LEN;
        workers.chunks_mut(&mut values[..len], 3, &|chunk, values| {
            for value in values {
                *value += round + chunk as u64;
            }
        });
        if round % 100 == 0 {
            // Longer than workers spin, so that parking and waking take part.
            thread::sleep(Duration::from_micros(200));
        }
    }
    values
}

fn main() {
    let expected = stress(&Workers::serial());
    for threads in [2, 3, 8] {
        let workers = Workers::new(threads).expect("the system gives a test a few threads");
        assert_eq!(stress(&workers), expected, "{threads} threads");
        mem::forget(workers);
    }
    println!("workers_race: 2, 3 and 8 threads agree with one");
}

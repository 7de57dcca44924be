//! What both programs do: the table of ratios, then criterion's absolute times.
//!
//! Without `--bench`, which cargo gives to `cargo bench` alone, each case runs once at its smoke
//! size, so that `cargo test --all-targets` stays quick. Words pick cases by parts of their names,
//! and `--ratios` leaves criterion out.

use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput};
use orrery_benches::harness::{self, Case, Machine, Plan, Work, in_place_bandwidth};

/// Runs cases as the command line says.
pub(crate) fn run(cases: &[Case]) {
    let (options, words): (Vec<String>, Vec<String>) = std::env::args()
        .skip(1)
        .partition(|argument| argument.starts_with("--"));
    let has = |option: &str| options.iter().any(|given| given == option);
    if !has("--bench") {
        for case in harness::select(cases, &words) {
            assert_eq!(case.smoke_result(), case.expected.smoke, "{}", case.name);
        }
        return;
    }
    println!("{}", Machine::find());
    // Once in the shared cache, as the walks of a million are, and once far beyond it.
    println!("{}", in_place_bandwidth(24 << 20, 200));
    println!("{}", in_place_bandwidth(256 << 20, 10));
    let (met, goals) = harness::compare(cases, &words, &Plan::full());
    println!("met {met} of {goals}");
    if !has("--ratios") {
        absolute(cases, &words);
    }
}

fn absolute(cases: &[Case], words: &[String]) {
    let mut criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    for case in harness::select(cases, words) {
        let mut work = case.prepare_full();
        let mut group = criterion.benchmark_group("orrery");
        group.throughput(Throughput::Elements(case.full as u64));
        group.bench_function(case.name, |bencher| {
            bencher.iter_custom(|iterations| timed(work.as_mut(), iterations));
        });
        group.finish();
    }
    criterion.final_summary();
}

/// Time of so many runs, without their resets.
fn timed(work: &mut dyn Work, iterations: u64) -> Duration {
    if !work.needs_reset() {
        let start = Instant::now();
        (0..iterations).for_each(|_| work.run());
        return start.elapsed();
    }
    let mut total = Duration::ZERO;
    for _ in 0..iterations {
        work.reset();
        let start = Instant::now();
        work.run();
        total += start.elapsed();
    }
    total
}

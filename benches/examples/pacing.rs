//! What an idle app costs, and how well it keeps time: `cargo run --release -p orrery-benches
//! --example pacing`. Takes half a minute of real time, so it is no criterion bench.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use orrery::app::AppError;
use orrery::prelude::*;
use orrery::time::Step;

/// Seconds of the idle run.
const IDLE_SECONDS: u64 = 20;

/// Ticks of the drift run, at 1,000 a second.
const DRIFT_TICKS: u64 = 10_000;

fn main() -> ExitCode {
    match measure() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("pacing: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure() -> Result<(), AppError> {
    let (before, start) = (cpu_time(), Instant::now());
    run_for(60, 60 * IDLE_SECONDS)?;
    let (cpu, wall) = (cpu_time().saturating_sub(before), start.elapsed());
    let share = 100.0 * cpu.as_secs_f64() / wall.as_secs_f64();
    println!(
        "idle Fixed(60) for {:.2} s: {share:.2} % of a core (goal below 1)",
        wall.as_secs_f64()
    );
    let start = Instant::now();
    run_for(1_000, DRIFT_TICKS)?;
    let drift = start.elapsed().as_secs_f64() * 1e3 - DRIFT_TICKS as f64;
    println!("{DRIFT_TICKS} ticks at 1 kHz: {drift:+.3} ms of drift (goal below 2)");
    Ok(())
}

/// An app without entities that ends after so many ticks.
fn run_for(hz: u32, ticks: u64) -> Result<(), AppError> {
    let mut app = App::new();
    let step = Step::from_hz(hz).map_err(AppError::from)?;
    app.set_step(step);
    app.add_systems(
        FixedUpdate,
        move |time: Res<Time>, mut exit: ResMut<Exit>| {
            if time.tick() + 1 == ticks {
                exit.request();
            }
        },
    );
    app.run(Runner::Fixed(f64::from(hz)))?;
    println!("  {:?}", app.clock_mut().counters());
    Ok(())
}

/// Time that all threads of this process have spent on a core, to a hundredth of a second.
fn cpu_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name in parentheses may hold anything; fields 14 and 15 count from the state behind it.
    let fields = stat
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .skip(11)
        .take(2);
    let hundredths = fields
        .filter_map(|field| field.parse::<u64>().ok())
        .sum::<u64>();
    Duration::from_millis(10 * hundredths)
}

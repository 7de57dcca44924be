//! Instructions that each case needs, counted by callgrind: figures that repeat where times do
//! not, and so can guard against getting slower.
//!
//! ```text
//! instructions            counts every case in a process of its own -> instructions.toml
//! instructions --check    counts again and fails where a case needs 2 % more than recorded
//! ```
//!
//! Only [`Work::run`] counts: callgrind collects between entering and leaving [`counted_run`]. It
//! runs once before, uncounted, so that a warm world is what is measured.
//!
//! A count says nothing of memory, branches or threads. It belongs to one compiler and, because
//! the C library copies memory in the way that fits the processor, to one kind of processor;
//! where either differs from the record, `--check` warns and does not fail.

mod callgrind;
mod record;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use crate::cases;
use crate::harness::{Case, Machine, Work, select};
use orrery_math::simd::Level;

pub use callgrind::CountError;
pub use record::{Origin, Record, RecordError};

/// More elements than this would only take longer to count.
const ELEMENTS_MAX: usize = 20_000;

/// What a case may need more than recorded, in hundredths.
const TOLERANCE_PERCENT: u64 = 2;

/// Cases that are not counted, by parts of their names: those in which threads wait for each
/// other, and those that do the same as another after they swept the caches.
const UNCOUNTED: [&str; 4] = ["two_workers", "cold", "probe", "_time"];

/// Runs what is counted.
///
/// Callgrind knows it by its name, so it must stay a function of its own.
#[inline(never)]
pub fn counted_run(work: &mut dyn Work) {
    work.run();
    // Without something after the call it would be a jump, and the function would end before it.
    std::hint::black_box(());
}

/// The cases that are counted.
#[must_use]
pub fn counted() -> Vec<Case> {
    let counts = |case: &Case| !UNCOUNTED.iter().any(|part| case.name.contains(part));
    cases::all().into_iter().filter(counts).collect()
}

/// Runs one case as it is counted; to be called in a process under callgrind.
///
/// Returns whether there is such a case.
#[must_use]
pub fn run_case(name: &str) -> bool {
    let Some(case) = counted().into_iter().find(|case| case.name == name) else {
        return false;
    };
    let mut work = (case.prepare)(case.full.min(ELEMENTS_MAX), case.seed);
    work.reset();
    work.run();
    work.reset();
    counted_run(work.as_mut());
    true
}

/// Counts the cases whose names contain one of the words, all without a word, and writes them
/// down or compares them with what is written.
pub fn main(words: &[String], check: bool) -> ExitCode {
    if !callgrind::is_there() {
        println!("skipped: no valgrind");
        return ExitCode::SUCCESS;
    }
    let path = path();
    let old = match Record::read(&path) {
        Ok(record) => record,
        Err(error) => {
            eprintln!("instructions: {error}");
            return ExitCode::from(2);
        }
    };
    let found = match count(words) {
        Ok(counts) => counts,
        Err(error) => {
            eprintln!("instructions: {error}");
            return ExitCode::from(2);
        }
    };
    let new = Record {
        origin: origin(),
        counts: found,
    };
    if check {
        return verdict(&old, &new);
    }
    let names: Vec<&str> = counted().iter().map(|case| case.name).collect();
    match old.updated(new, &names).write(&path) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("instructions: {error}");
            ExitCode::from(2)
        }
    }
}

fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("instructions.toml")
}

fn count(words: &[String]) -> Result<BTreeMap<String, u64>, CountError> {
    let cases = counted();
    let mut counts = BTreeMap::new();
    for case in select(&cases, words) {
        let count = callgrind::count(case.name)?;
        println!("{:<34} {count:>12}", case.name);
        counts.insert(case.name.to_owned(), count);
    }
    Ok(counts)
}

fn origin() -> Origin {
    let compiler = Command::new("rustc").arg("--version").output();
    let compiler = compiler.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    Origin {
        compiler: compiler.unwrap_or_else(|_| String::from("unknown")),
        processor: format!("{}, {}", Machine::find().cpu, Level::detect()),
    }
}

fn verdict(old: &Record, new: &Record) -> ExitCode {
    let findings = old.compare(new, TOLERANCE_PERCENT);
    for finding in &findings {
        println!("{finding}");
    }
    let elsewhere = old.origin != new.origin;
    if elsewhere {
        println!(
            "warning: recorded with {}\n         counted with  {}",
            old.origin, new.origin
        );
    }
    let worse = findings.iter().filter(|finding| finding.is_bad()).count();
    println!(
        "{} cases, {worse} beyond {TOLERANCE_PERCENT} %",
        new.counts.len()
    );
    ExitCode::from(u8::from(worse > 0 && !elsewhere))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_counted_case_runs_and_others_are_refused() {
        let counted = counted();
        assert!(counted.len() > 40, "{}", counted.len());
        assert!(run_case(counted[0].name));
        assert!(!run_case("pass_1m_cold"), "it does what pass_1m_warm does");
        assert!(!run_case("no such case"));
    }
}

//! Orrery beside its peers: the same work, in turn, in one process.
//!
//! `orrery-compare ecs [WORD ...]` prints a table of the rows whose name contains a word, all of
//! them without one, and in the last line how many rows met their goals. Peers must give the
//! digest that ours and R give, or the program stops: a peer that does something else is no peer.
//!
//! `orrery-compare schedule [WORD ...]` does the same for schedules, and
//! `orrery-compare task [WORD ...]` for scripts, `orrery-compare time [WORD ...]` for timers and
//! stamps.
//!
//! `orrery-compare ecs --beside PROGRAM` prints the rows of another build of this program beside
//! its own; `orrery-compare build` says for which processors a build is.
//!
//! `orrery-compare model` does the same random operations to three engines and to a plain map, and
//! says in the last line how often they differed.
//!
//! It is outside the workspace's default members: building the peers takes a minute or more, and
//! nobody who works on the engine should wait for them.

mod beside;
mod ecs;
mod model;
mod print;
mod schedule;
mod table;
mod task;
mod time;

use std::process::ExitCode;
use std::time::Instant;

use orrery_benches::harness::{Machine, in_place_bandwidth};
use print::Format;
use table::Row;

const USAGE: &str = "\
usage: orrery-compare ecs [--markdown | --beside PROGRAM] [WORD ...]
       orrery-compare schedule|task|time [--markdown] [WORD ...]
       orrery-compare build
       orrery-compare model [--operations N] [--seed S]";

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    match arguments.next().as_deref() {
        Some("ecs") => compare_ecs(arguments.collect()),
        Some("schedule") => compare(&schedule::rows(), arguments.collect()),
        Some("task") => compare(&task::rows(), arguments.collect()),
        Some("time") => compare(&time::rows(), arguments.collect()),
        Some("model") => walk(arguments),
        Some("build") => {
            println!("{}", print::build());
            ExitCode::SUCCESS
        }
        Some("--help" | "-h") => {
            println!("{USAGE}");
            ExitCode::SUCCESS
        }
        _ => refuse("a command is missing"),
    }
}

fn refuse(reason: &str) -> ExitCode {
    eprintln!("orrery-compare: {reason}\n{USAGE}");
    ExitCode::from(2)
}

fn compare_ecs(mut arguments: Vec<String>) -> ExitCode {
    if arguments.first().is_some_and(|option| option == "--beside") {
        if arguments.len() < 2 {
            return refuse("--beside needs another build of this program");
        }
        let words = arguments.split_off(2);
        println!("{}", Machine::find());
        return match beside::rows(&ecs::rows(), &words, &arguments[1]) {
            Ok(()) => ExitCode::SUCCESS,
            Err(reason) => refuse(&reason),
        };
    }
    compare(&ecs::rows(), arguments)
}

fn compare(rows: &[Row], arguments: Vec<String>) -> ExitCode {
    let (options, words): (Vec<String>, Vec<String>) = arguments
        .into_iter()
        .partition(|argument| argument.starts_with("--"));
    let mut format = Format::Text;
    for option in options {
        match option.as_str() {
            "--markdown" => format = Format::Markdown,
            _ => return refuse(&format!("there is no option {option}")),
        }
    }
    println!("{}, {}", Machine::find(), print::build());
    println!("{}", in_place_bandwidth(24 << 20, 200));
    println!("{}", in_place_bandwidth(256 << 20, 10));
    if format == Format::Markdown {
        println!();
    }
    let tally = print::rows(rows, &words, format);
    println!("\nmet {} of {}", tally.met, tally.rows);
    ExitCode::SUCCESS
}

fn walk(mut arguments: impl Iterator<Item = String>) -> ExitCode {
    let mut plan = model::Plan {
        operations: 1_000_000,
        seed: 7,
    };
    while let Some(option) = arguments.next() {
        let value = arguments.next().and_then(|text| text.parse::<u64>().ok());
        match (option.as_str(), value) {
            ("--operations", Some(count)) if count > 0 => plan.operations = count as usize,
            ("--seed", Some(seed)) => plan.seed = seed,
            ("--operations" | "--seed", _) => {
                return refuse(&format!("{option} needs a whole number"));
            }
            _ => return refuse(&format!("there is no option {option}")),
        }
    }
    let start = Instant::now();
    let outcome = model::run(&plan, &mut |done| {
        eprintln!(
            "{done} of {} operations, {:.1?}",
            plan.operations,
            start.elapsed()
        );
    });
    for difference in &outcome.differences {
        println!("{difference}");
    }
    println!(
        "engines {}, seed {}, operations {}, differences {}",
        outcome.engines.join(" "),
        plan.seed,
        outcome.operations,
        outcome.differences.len()
    );
    ExitCode::from(u8::from(!outcome.differences.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use orrery_benches::harness::Case;

    #[test]
    fn every_peer_gives_the_digest_of_ours_at_smoke_size() {
        let all = [ecs::rows(), schedule::rows(), task::rows(), time::rows()];
        for row in all.into_iter().flatten() {
            for peer in row.peers {
                let as_case = Case {
                    prepare: peer.prepare,
                    ..row.case
                };
                let (found, expected) = (as_case.smoke_result(), row.case.expected.smoke);
                assert_eq!(found, expected, "{} at {}", peer.name, row.case.name);
            }
        }
    }
}

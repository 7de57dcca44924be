//! Orrery beside its peers: the same work, in turn, in one process.
//!
//! `orrery-compare ecs [WORD ...]` prints a table of the rows whose name contains a word, all of
//! them without one, and in the last line how many rows met their goals. Peers must give the
//! digest that ours and R give, or the program stops: a peer that does something else is no peer.
//!
//! It is outside the workspace's default members: building the peers takes a minute or more, and
//! nobody who works on the engine should wait for them.

mod ecs;
mod print;
mod table;

use std::process::ExitCode;

use orrery_benches::harness::{Machine, in_place_bandwidth};
use print::Format;

const USAGE: &str = "\
usage: orrery-compare ecs [--markdown] [WORD ...]";

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    match arguments.next().as_deref() {
        Some("ecs") => compare(arguments.collect()),
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

fn compare(arguments: Vec<String>) -> ExitCode {
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
    println!("{}", Machine::find());
    println!("{}", in_place_bandwidth(24 << 20, 200));
    println!("{}", in_place_bandwidth(256 << 20, 10));
    if format == Format::Markdown {
        println!();
    }
    let tally = print::rows(&ecs::rows(), &words, format);
    println!("\nmet {} of {}", tally.met, tally.rows);
    ExitCode::SUCCESS
}

//! Orrery beside its peers: the same work, in turn, in one process.
//!
//! `orrery-compare ecs [WORD ...]` prints a table of the rows whose name contains a word, all of
//! them without one, and in the last line how many goals were met. Peers must give the digest
//! that ours and R give, or the program stops: a peer that does something else is no peer.
//!
//! It is outside the workspace's default members: building the peers takes a minute or more, and
//! nobody who works on the engine should wait for them.

mod ecs;
mod table;

use std::process::ExitCode;

use orrery_benches::harness::{Machine, in_place_bandwidth};

const USAGE: &str = "usage: orrery-compare ecs [WORD ...]";

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    match arguments.next().as_deref() {
        Some("ecs") => {
            println!("{}", Machine::find());
            println!("{}", in_place_bandwidth(24 << 20, 200));
            println!("{}", in_place_bandwidth(256 << 20, 10));
            let words: Vec<String> = arguments.collect();
            let (met, goals) = table::print(&ecs::rows(), &words);
            println!("met {met} of {goals}");
            ExitCode::SUCCESS
        }
        Some("--help" | "-h") => {
            println!("{USAGE}");
            ExitCode::SUCCESS
        }
        _ => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
}

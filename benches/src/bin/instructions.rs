//! Counts the instructions of the cases, or checks them against the record.

use std::process::ExitCode;

use orrery_benches::instructions;

const USAGE: &str = "usage: instructions [--check] [WORD ...]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // How this program calls itself under callgrind.
    if let [option, case] = arguments.as_slice()
        && option == "--case"
    {
        return ExitCode::from(u8::from(!instructions::run_case(case)));
    }
    let (options, words): (Vec<String>, Vec<String>) = arguments
        .into_iter()
        .partition(|argument| argument.starts_with("--"));
    match options.as_slice() {
        [] => instructions::main(&words, false),
        [check] if check == "--check" => instructions::main(&words, true),
        [help] if help == "--help" => {
            println!("{USAGE}");
            ExitCode::SUCCESS
        }
        _ => {
            eprintln!("instructions: unknown options {options:?}\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

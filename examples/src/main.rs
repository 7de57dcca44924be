//! The program `orrery` over the models of this package.

use std::process::ExitCode;

fn main() -> ExitCode {
    orrery::cli::main(orrery_examples::register)
}

//! The command line: what turns a set of models into a program.
//!
//! A user's `main` is three lines:
//!
//! ```no_run
//! use std::process::ExitCode;
//! # use orrery::cli::{Setup, SetupError};
//! # fn build(setup: &mut Setup) -> Result<(), SetupError> { Ok(()) }
//!
//! fn main() -> ExitCode {
//!     orrery::cli::main(|models| models.add("swarm", "many birds", build))
//! }
//! ```
//!
//! and gives `list`, `run` and `help`. A model is a function that fills an [`App`](crate::app::App)
//! through a [`Setup`], which also reads its settings and takes what it reports, checks and draws.
//!
//! Exit status: 0 all is well, 1 a check or a system failed, 2 the command line asks for what
//! cannot be done, 130 the run was interrupted (to end a picture is no interruption); then one
//! line on standard error says what, and where a name is wrong which one is nearest. Progress
//! shows on a terminal only. `NO_COLOR` is honoured.

mod arguments;
mod canvas;
mod check;
mod error;
mod help;
mod output;
mod report;
mod run;
mod setup;
mod view;

use std::ffi::OsString;
use std::io::Write as _;
use std::process::ExitCode;

pub use canvas::Canvas;
pub use check::{Check, Verdict};
pub use error::{CliError, SetupError};
pub use setup::{Setup, View};

use arguments::Command;

/// Builds a model into an app.
pub type Build = fn(&mut Setup<'_>) -> Result<(), SetupError>;

/// The models of a program, in the order in which `list` shows them.
#[derive(Default)]
pub struct Models(Vec<Model>);

struct Model {
    name: &'static str,
    about: &'static str,
    build: Build,
}

impl Models {
    /// Adds a model: its name on the command line, one line about it, and what builds it.
    ///
    /// # Panics
    /// When two models have the same name.
    pub fn add(&mut self, name: &'static str, about: &'static str, build: Build) {
        assert!(
            self.0.iter().all(|model| model.name != name),
            "two models are called {name}"
        );
        self.0.push(Model { name, about, build });
    }

    fn find(&self, name: &str) -> Result<&Model, CliError> {
        let names = || self.0.iter().map(|model| model.name);
        self.0
            .iter()
            .find(|model| model.name == name)
            .ok_or_else(|| CliError::UnknownModel {
                name: name.to_owned(),
                nearest: error::nearest(name, names()),
            })
    }
}

/// Builds a model into an app, with settings as `--set` gives them; for tests and programs that
/// drive a model themselves. What it reports, checks and draws is left out.
///
/// # Errors
/// When a setting is unknown or not what it should be.
pub fn build_into(
    app: &mut crate::app::App,
    seed: u64,
    settings: &[(String, String)],
    build: Build,
) -> Result<(), SetupError> {
    let mut setup = Setup::new(app, seed, false, settings);
    build(&mut setup)?;
    setup.finish()
}

/// Runs the program with the arguments of the process.
pub fn main(register: impl FnOnce(&mut Models)) -> ExitCode {
    match run_with(register, std::env::args_os().skip(1)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        // Whoever reads our output went away, as `head` does; there is nobody to tell.
        Err(CliError::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        Err(error) => {
            // One line, whatever stood in the arguments. If it cannot be written, nobody is told.
            let line = error.to_string().replace(['\n', '\r'], " ");
            let _ = writeln!(std::io::stderr(), "{}: {line}", help::program());
            ExitCode::from(error.exit_status())
        }
    }
}

/// Runs the program with given arguments, program name left out. Says whether all checks passed.
///
/// # Errors
/// When the arguments ask for what cannot be done, or a system failed.
pub fn run_with(
    register: impl FnOnce(&mut Models),
    arguments: impl IntoIterator<Item = OsString>,
) -> Result<bool, CliError> {
    let mut models = Models::default();
    register(&mut models);
    match arguments::parse(arguments)? {
        Command::Help => help::general(&models).map(|()| true),
        Command::Version => help::version().map(|()| true),
        Command::List => help::list(&models).map(|()| true),
        Command::RunHelp(model) => help::model(models.find(&model)?).map(|()| true),
        Command::Run(options) => {
            let model = models.find(&options.model)?;
            run::run(model, *options)
        }
    }
}

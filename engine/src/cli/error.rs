//! What can be wrong with a command line, each in one line that says what to do.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::app::AppError;
use crate::math::simd::LevelError;
use crate::workers::WorkersError;

/// A program run by [`main`](super::main) could not do what was asked.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CliError {
    /// The arguments are not of a known form.
    #[error("{0}; `help` shows what there is")]
    Arguments(String),
    /// No such command.
    #[error("unknown command `{name}`{}; `help` shows all", suggestion(nearest))]
    UnknownCommand {
        /// What was given.
        name: String,
        /// The nearest that exists.
        nearest: Option<String>,
    },
    /// No such option.
    #[error("unknown option `{name}`{}; `help` shows all", suggestion(nearest))]
    UnknownOption {
        /// What was given.
        name: String,
        /// The nearest that exists.
        nearest: Option<String>,
    },
    /// No such model.
    #[error("unknown model `{name}`{}; `list` shows all", suggestion(nearest))]
    UnknownModel {
        /// What was given.
        name: String,
        /// The nearest that exists.
        nearest: Option<String>,
    },
    /// An option's value is not of its type or range.
    #[error("{option} takes {wanted}, not `{value}`")]
    BadValue {
        /// The option.
        option: &'static str,
        /// What it takes.
        wanted: &'static str,
        /// What was given.
        value: String,
    },
    /// The model refused a setting or could not be built.
    #[error("model {model}: {source}")]
    Setup {
        /// The model.
        model: &'static str,
        /// Why.
        source: SetupError,
    },
    /// The model has nothing to check itself against.
    #[error("model {model} has no check; run it without --check")]
    NoCheck {
        /// The model.
        model: &'static str,
    },
    /// A check needs more ticks than were asked for.
    #[error("--check of {model} needs {needed} ticks, not {ticks}; leave --ticks out")]
    TooFewTicks {
        /// The model.
        model: &'static str,
        /// The ticks that the check needs.
        needed: u64,
        /// The ticks that were asked for.
        ticks: u64,
    },
    /// `--simd` names no level, or one that this machine lacks.
    #[error("--simd: {0}")]
    Simd(#[from] LevelError),
    /// `--threads` cannot be had.
    #[error("--threads: {0}")]
    Threads(#[from] WorkersError),
    /// The file of `--record` cannot be written.
    #[error("--record: {} cannot be written: {source}", path.display())]
    Record {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Standard output cannot be written.
    #[error("standard output cannot be written: {0}")]
    Output(io::Error),
    /// Ctrl-C, or a polite request to end, came first; what was done is written.
    #[error("interrupted after {tick} of {ticks} ticks")]
    Interrupted {
        /// Ticks done.
        tick: u64,
        /// Ticks that were wanted.
        ticks: u64,
    },
    /// A system failed while the model ran.
    #[error(transparent)]
    App(#[from] AppError),
}

impl CliError {
    /// 2 for what the command line asked wrongly, 1 for what went wrong while it ran, 130 for a
    /// run that was interrupted.
    pub fn exit_status(&self) -> u8 {
        match self {
            Self::App(_) | Self::Output(_) => 1,
            // As shells have it: 128 and the number of the signal.
            Self::Interrupted { .. } => 130,
            _ => 2,
        }
    }
}

/// A model could not be built.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SetupError {
    /// The model has no such setting.
    #[error(
        "unknown setting `{key}`{}; its settings: {known}",
        suggestion(nearest)
    )]
    UnknownSetting {
        /// What was given.
        key: String,
        /// The nearest that exists.
        nearest: Option<String>,
        /// All there are.
        known: String,
    },
    /// A setting's value is not of its type or range.
    #[error("setting {key} takes {wanted}, not `{value}`")]
    BadSetting {
        /// The setting.
        key: &'static str,
        /// What it takes.
        wanted: String,
        /// What was given.
        value: String,
    },
    /// A setting is of its type and range, and still not possible.
    #[error("setting {key}: {reason}")]
    Refused {
        /// The setting.
        key: &'static str,
        /// Why, and what would do.
        reason: String,
    },
    /// Something else that the model says.
    #[error("{0}")]
    Model(String),
}

impl SetupError {
    /// An error in the model's own words.
    pub fn new(message: impl std::fmt::Display) -> Self {
        Self::Model(message.to_string())
    }
}

fn suggestion(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or_else(String::new, |nearest| {
        format!(", did you mean `{nearest}`?")
    })
}

/// The name nearest to `given` that is near enough to be meant.
pub(super) fn nearest(
    given: &str,
    names: impl IntoIterator<Item = &'static str>,
) -> Option<String> {
    let scored = names
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(given, name), name));
    let (distance, name) = scored.min()?;
    // Half of the longer name wrong is no typing mistake.
    (2 * distance <= given.chars().count().max(name.len())).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_name_is_offered_and_a_far_one_is_not() {
        let names = ["melt", "solar", "swarm"];
        assert_eq!(nearest("swram", names).as_deref(), Some("swarm"));
        assert_eq!(nearest("sola", names).as_deref(), Some("solar"));
        assert_eq!(nearest("xyzzy", names), None);
        assert_eq!(nearest("", names), None);
    }
}

//! What can go wrong in the solar system.

use std::fmt;

/// Reasons why the model cannot be set up.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SolarError {
    /// The step is not a whole part of the span that is compared.
    Step {
        /// The step asked for, in days.
        step_days: f64,
    },
    /// A data file does not have the form that its README states.
    Data {
        /// The file.
        file: &'static str,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong there.
        problem: &'static str,
    },
}

impl fmt::Display for SolarError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Step { step_days } => write!(
                f,
                "a step of {step_days} days does not divide 360 days into 1 to 10000000 whole steps"
            ),
            Self::Data {
                file,
                line,
                problem,
            } => write!(f, "{file} line {line}: {problem}"),
        }
    }
}

impl std::error::Error for SolarError {}

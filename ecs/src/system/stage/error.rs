//! Why a stage stopped.

use std::any::Any;
use std::fmt;

use crate::system::SystemError;

/// A stage stopped before its end.
pub enum StageError {
    /// A system could not be run, or failed; those before it have run.
    System(SystemError),
    /// A system panicked, or one of its commands did; those before it have run.
    Panicked {
        /// The system.
        system: &'static str,
        /// What it panicked with.
        payload: Box<dyn Any + Send>,
    },
}

impl StageError {
    /// What a panic said, if it said something.
    pub fn message(payload: &(dyn Any + Send)) -> &str {
        let text = payload.downcast_ref::<&str>().copied();
        let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        text.unwrap_or("(no message)")
    }
}

impl fmt::Debug for StageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for StageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::System(error) => fmt::Display::fmt(error, f),
            Self::Panicked { system, payload } => {
                write!(f, "system {system} panicked: {}", Self::message(&**payload))
            }
        }
    }
}

impl std::error::Error for StageError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::System(error) => error.source(),
            Self::Panicked { .. } => None,
        }
    }
}

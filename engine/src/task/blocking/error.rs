//! Why work was not done.

use std::io;

use thiserror::Error;

use super::super::error::ScriptName;

/// The errors of [`Blocking`](super::Blocking) and of the work that it does.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BlockingError {
    /// Nobody would do anything.
    #[error("0 threads cannot do anything: give 1 or more")]
    ZeroThreads,
    /// More threads than [`Blocking::MAX_THREADS`](super::Blocking::MAX_THREADS).
    #[error("{threads} threads are too many: give at most {max}")]
    TooManyThreads {
        /// The number that was asked for.
        threads: usize,
        /// The highest number allowed.
        max: usize,
    },
    /// Nothing could be asked for.
    #[error("a pool with room for 0 requests cannot take any: give 1 or more")]
    ZeroCapacity,
    /// As many requests are undelivered as the pool has room for.
    #[error(
        "{capacity} requests are undelivered already: ask again in a later tick, await \
         Script::blocking, which does, or make a pool with more room"
    )]
    Full {
        /// Requests that may be undelivered at once.
        capacity: usize,
    },
    /// The system refused the pool its first thread.
    #[error("no thread could be started for blocking work ({kind}); end others first")]
    NoThread {
        /// What the system said.
        kind: io::ErrorKind,
    },
    /// The work panicked.
    #[error("the blocking work {work} panicked: {message}")]
    Panicked {
        /// The function, and where it was handed over.
        work: ScriptName,
        /// What the panic said.
        message: String,
    },
    /// The pool was dropped before the work began, or the world before it was delivered.
    #[error("the blocking work {work} was given up: its pool or its world was dropped")]
    GivenUp {
        /// The function, and where it was handed over.
        work: ScriptName,
    },
}

//! Why a pool could not be made.

use std::io;

use thiserror::Error;

/// The errors of [`Workers::new`](super::Workers::new).
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WorkersError {
    /// Nobody would run anything.
    #[error("0 threads cannot run anything: give 1 for the calling thread alone")]
    ZeroThreads,
    /// More threads than [`Workers::MAX_THREADS`](super::Workers::MAX_THREADS).
    #[error("{threads} threads are too many: give at most {max}")]
    TooManyThreads {
        /// The number that was asked for.
        threads: usize,
        /// The highest number allowed.
        max: usize,
    },
    /// The system refused a thread; those already started have ended again.
    #[error("thread {index} of {threads} could not be started: {source}; ask for fewer threads")]
    Spawn {
        /// Which thread, counted from 1; the calling thread is number 0.
        index: usize,
        /// The number that was asked for.
        threads: usize,
        /// What the system said.
        source: io::Error,
    },
}

//! Why a fibre did not run.

use std::io;

use thiserror::Error;

/// The errors of fibres.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FibreError {
    /// The system gave no memory for a stack.
    #[error("no stack could be had for a fibre ({kind}); let fewer live at once")]
    NoStack {
        /// What the system said.
        kind: io::ErrorKind,
    },
    /// The world was taken to another thread while the fibre waited.
    #[error(
        "a fibre stays on the thread that ran it first, and this is another one; run its world \
         there, or use an async script, which can move"
    )]
    OtherThread,
}

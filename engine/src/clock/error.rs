//! What can be wrong with a moment, a zone or a pattern.

use thiserror::Error;

/// The errors of the wall clock.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ClockError {
    /// The moment is before the year -9999 or after 9999.
    #[error("{ns} ns since 1970 is outside the years -9999 to 9999")]
    OutOfRange {
        /// Nanoseconds since 1970.
        ns: i128,
    },
    /// The text is no moment.
    #[error(
        "\"{text}\" is no moment: write date, time and offset like 2024-07-11T01:14:00Z ({reason})"
    )]
    BadMoment {
        /// What was read.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
    /// No zone has this name.
    #[error("there is no time zone \"{name}\": give a name of the IANA database, as Europe/Berlin")]
    UnknownZone {
        /// The name that was asked for.
        name: String,
    },
    /// The pattern cannot be followed.
    #[error("the pattern \"{pattern}\" cannot be followed: {reason}")]
    BadPattern {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
}

//! Why a schedule cannot run, or stopped.

use orrery_ecs::{StageError, SystemError};
use thiserror::Error;

use super::Ambiguity;

/// A schedule cannot run, or stopped before its end.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ScheduleError {
    /// A system could not be run; those before it have run.
    #[error("schedule {schedule}: {source}")]
    System {
        /// The schedule.
        schedule: &'static str,
        /// Why.
        source: SystemError,
    },
    /// A system panicked; those before it have run, and of those after it nothing is done that
    /// waited for a sync point.
    #[error("schedule {schedule}: system {system} panicked: {message}")]
    Panicked {
        /// The schedule.
        schedule: &'static str,
        /// The system.
        system: &'static str,
        /// What it said.
        message: String,
    },
    /// Every one of these systems is to run before the next, and the last before the first.
    #[error(
        "schedule {schedule}: no order fits, for each of these is to run before the next: {}; \
         take one before, after or chain away",
        circle(.systems)
    )]
    Cycle {
        /// The schedule.
        schedule: &'static str,
        /// The systems, in that order.
        systems: Vec<&'static str>,
    },
    /// A set is a member of itself, over these sets.
    #[error(
        "schedule {schedule}: each of these sets is in the next, and the last in the first: {}",
        .sets.join(", ")
    )]
    SetCycle {
        /// The schedule.
        schedule: &'static str,
        /// The sets.
        sets: Vec<String>,
    },
    /// Systems whose order matters and that nobody put into one, where that is denied.
    #[error(
        "schedule {schedule}: the order of some systems matters, and none is given: {}",
        listed(.ambiguities)
    )]
    Ambiguous {
        /// The schedule.
        schedule: &'static str,
        /// All pairs.
        ambiguities: Vec<Ambiguity>,
    },
}

impl ScheduleError {
    pub(super) fn of_stage(schedule: &'static str, error: StageError) -> Self {
        match error {
            StageError::System(source) => Self::System { schedule, source },
            StageError::Panicked { system, payload } => {
                let message = StageError::message(&*payload).to_owned();
                orrery_ecs::drop_quietly(payload);
                Self::Panicked {
                    schedule,
                    system,
                    message,
                }
            }
        }
    }
}

fn circle(systems: &[&'static str]) -> String {
    let first = systems.first().copied();
    let all: Vec<&str> = systems.iter().copied().chain(first).collect();
    all.join(", ")
}

fn listed(ambiguities: &[Ambiguity]) -> String {
    let all: Vec<String> = ambiguities.iter().map(ToString::to_string).collect();
    all.join("; ")
}

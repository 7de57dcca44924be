//! A system or a condition in its place in a stage, and what came of its run.

use std::any::Any;

use smallvec::SmallVec;

use super::Answers;
use crate::query::BlockRunner;
use crate::system::parts::{OwnLane, SystemParts};
use crate::system::{Condition, System, SystemError, TakenLanes};
use crate::world::World;

/// What a node is.
pub(super) enum Work {
    System(Box<dyn System>),
    /// A condition, and the number of its answer.
    Condition(Box<dyn Condition>, usize),
}

/// What came of a node's run.
#[derive(Default)]
pub(super) enum Outcome {
    #[default]
    NotRun,
    /// A condition said no.
    Skipped,
    Done,
    Failed(SystemError),
    Panicked(Box<dyn Any + Send>),
}

impl Outcome {
    pub(super) fn is_failure(&self) -> bool {
        matches!(self, Self::Failed(_) | Self::Panicked(_))
    }

    pub(super) fn of(result: std::thread::Result<Result<(), SystemError>>) -> Self {
        match result {
            Ok(Ok(())) => Self::Done,
            Ok(Err(error)) => Self::Failed(error),
            Err(panic) => Self::Panicked(panic),
        }
    }
}

pub(super) struct Node {
    pub(super) work: Work,
    /// Numbers of the answers that must all be yes.
    pub(super) gates: SmallVec<[usize; 2]>,
    pub(super) outcome: Outcome,
}

impl Node {
    pub(super) fn system(&self) -> &dyn System {
        match &self.work {
            Work::System(system) => &**system,
            Work::Condition(condition, _) => &**condition,
        }
    }

    pub(super) fn system_mut(&mut self) -> &mut dyn System {
        match &mut self.work {
            Work::System(system) => &mut **system,
            Work::Condition(condition, _) => &mut **condition,
        }
    }

    pub(super) fn parts(&mut self) -> &mut dyn SystemParts {
        let parts = self.system_mut().parts();
        parts.expect("only nodes with parts share a stage")
    }

    /// Whether its conditions let it run.
    #[inline]
    pub(super) fn is_wanted(&self, answers: &Answers) -> bool {
        self.gates.iter().all(|&gate| answers.get(gate))
    }

    /// Runs it whole, if its conditions let it.
    #[inline]
    pub(super) fn run(
        &mut self,
        world: &mut World,
        runner: &dyn BlockRunner,
        answers: &Answers,
    ) -> Result<(), SystemError> {
        if !self.is_wanted(answers) {
            return Ok(());
        }
        match &mut self.work {
            Work::System(system) => system.run_whole(world, runner),
            Work::Condition(condition, number) => {
                condition.run_whole(world, runner)?;
                answers.set(*number, condition.answer());
                Ok(())
            }
        }
    }

    /// Puts back what a run that panicked has taken, and forgets what it has put off.
    #[cold]
    pub(super) fn recover(&mut self, world: &mut World) {
        if let Some(parts) = self.system_mut().parts() {
            parts.close(world, false);
            parts.forget();
        }
    }

    pub(super) fn open(&mut self, world: &mut World, lane: OwnLane) {
        self.outcome = Outcome::NotRun;
        self.parts().open(world, lane);
    }

    /// Runs the function of an opened node, if its conditions let it.
    ///
    /// # Safety
    /// As `SystemParts::execute`.
    pub(super) unsafe fn execute(
        &mut self,
        world: &World,
        runner: &dyn BlockRunner,
        answers: &Answers,
    ) -> Outcome {
        if !self.is_wanted(answers) {
            return Outcome::Skipped;
        }
        // SAFETY: passed on from the caller.
        let result = unsafe { self.parts().execute(world, runner) };
        if let Err(error) = result {
            return Outcome::Failed(error);
        }
        if let Work::Condition(condition, number) = &self.work {
            answers.set(*number, condition.answer());
        }
        Outcome::Done
    }

    /// Ends the run of an opened node; one that is not wanted any more does not count.
    pub(super) fn close(&mut self, world: &mut World, wanted: bool) {
        let counts = wanted && matches!(self.outcome, Outcome::Done);
        if !counts && matches!(self.outcome, Outcome::Done) {
            self.outcome = Outcome::NotRun;
        }
        self.parts().close(world, counts);
    }

    pub(super) fn take_lanes(&mut self, lanes: &mut TakenLanes) {
        if matches!(self.outcome, Outcome::Done) {
            self.parts().take_lanes(lanes);
        }
    }
}

//! One run of a stage.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Mutex, MutexGuard};
use std::thread;

use smallvec::SmallVec;

use super::board::Board;
use super::cost::Mode;
use super::fused::{self, Common, Failure};
use super::job::Alone;
use super::node::{Node, Outcome, Work};
use super::plan::Unit;
use super::setup::Turn;
use super::{Answers, Stage, StageError, get_mut};
use crate::entity::Lane;
use crate::panics::drop_quietly;
use crate::query::BlockRunner;
use crate::storage::lock::lock;
use crate::system::parts::{BlockParts, OwnLane};
use crate::world::World;

/// How far a run on one thread has come.
struct Progress {
    /// The next turn, or the present one.
    turn: usize,
    /// Nodes from it on are not to be run any more.
    limit: usize,
    /// Whether something waits for the sync point.
    put_off: bool,
    measured: bool,
}

impl Stage {
    /// Runs every system and condition once, then does what their commands ask for.
    ///
    /// # Errors
    /// When a system cannot be run, fails or panics: the first one in order. See the module's
    /// words on what has happened then.
    ///
    /// # Panics
    /// When the runner does. The systems have run, and what they put off is done.
    pub fn run(
        &mut self,
        world: &mut World,
        runner: &dyn BlockRunner,
        answers: &Answers,
    ) -> Result<(), StageError> {
        if !self.is_ready_for(world) {
            self.initialize(world).map_err(StageError::System)?;
        }
        let mode = match self.is_apart {
            true => Mode::InTurn,
            false => self.costs.mode(runner, self.plan.units.len()),
        };
        if mode == Mode::AtOnce {
            return self.run_at_once(world, runner, answers);
        }
        self.run_in_turn(world, runner, answers, mode == Mode::Measured)
    }

    /// One unit after the other on the caller's thread.
    fn run_in_turn(
        &mut self,
        world: &mut World,
        runner: &dyn BlockRunner,
        answers: &Answers,
        measured: bool,
    ) -> Result<(), StageError> {
        let mut progress = Progress {
            turn: 0,
            limit: self.nodes.len(),
            put_off: false,
            measured,
        };
        world.flush_reserved();
        // Caught here for all turns, which costs a small system less than a catch of its own.
        while let Err(panic) = catch_unwind(AssertUnwindSafe(|| {
            self.take_turns(&mut progress, world, runner, answers);
        })) {
            let first = self.turns[progress.turn].first as usize;
            let node = get_mut(&mut self.nodes[first]);
            node.outcome = Outcome::Panicked(panic);
            let recovered = catch_unwind(AssertUnwindSafe(|| node.recover(world)));
            // What its values say when they are dropped is nobody's error.
            drop_quietly(recovered);
            progress.limit = progress.limit.min(first);
            progress.turn += 1;
        }
        if measured && !self.is_apart {
            self.costs.plan(&self.plan);
        }
        match progress.put_off || progress.limit < self.nodes.len() {
            true => self.sync(world, progress.limit),
            false => Ok(()),
        }
    }

    /// Takes turns until the last one. When it unwinds, the turn is that of the system to blame.
    fn take_turns(
        &mut self,
        progress: &mut Progress,
        world: &mut World,
        runner: &dyn BlockRunner,
        answers: &Answers,
    ) {
        let is_many = !self.is_apart && runner.threads() > 1;
        let is_simple = !is_many && !progress.measured;
        loop {
            if is_simple && progress.limit == self.nodes.len() {
                self.take_simple_turns(progress, world, runner);
            }
            let Some(&Turn {
                first, is_whole, ..
            }) = self.turns.get(progress.turn)
            else {
                return;
            };
            let (unit, first) = (progress.turn, first as usize);
            let since = progress.measured.then(|| self.costs.begin());
            let alone = progress.measured || (is_many && self.costs.is_small(unit, runner));
            let runner = if alone { &Alone } else { runner };
            // Units come in an order of their own: behind one that failed, those of lower nodes
            // are still to be run.
            if first < progress.limit {
                if is_whole {
                    let node = get_mut(&mut self.nodes[first]);
                    // What has the whole world may have put another one here, or have given the
                    // slots of systems away.
                    let is_ready = match self.is_apart {
                        true => node.system_mut().initialize(world),
                        false => Ok(()),
                    };
                    let ran = is_ready.and_then(|()| node.run(world, runner, answers));
                    if let Err(error) = ran {
                        node.outcome = Outcome::Failed(error);
                        progress.limit = first;
                    }
                } else {
                    progress.put_off = true;
                    progress.limit = self.run_unit(unit, progress.limit, world, runner, answers);
                }
            }
            if let Some(since) = since {
                self.costs.note(unit, since);
            }
            progress.turn += 1;
        }
    }

    /// Takes the next turns that are systems without conditions, until one of them fails: what is
    /// left of `take_turns` where little is to be asked, for systems that do little.
    #[inline]
    fn take_simple_turns(
        &mut self,
        progress: &mut Progress,
        world: &mut World,
        runner: &dyn BlockRunner,
    ) {
        let Some(&Turn { first, simple, .. }) = self.turns.get(progress.turn) else {
            return;
        };
        let first = first as usize;
        let nodes = self.nodes[first..first + simple as usize].iter_mut();
        for (node, number) in nodes.zip(first..) {
            let node = get_mut(node);
            if let Work::System(system) = &mut node.work
                && let Err(error) = system.run_whole(world, runner)
            {
                node.outcome = Outcome::Failed(error);
                progress.limit = number;
                progress.turn += 1;
                return;
            }
            progress.turn += 1;
        }
    }

    /// Runs a unit in parts up to its close, as far as its nodes are below `limit`; gives the
    /// limit, or the first node of it that failed.
    fn run_unit(
        &mut self,
        unit: usize,
        mut limit: usize,
        world: &mut World,
        runner: &dyn BlockRunner,
        answers: &Answers,
    ) -> usize {
        let members = self.plan.units[unit].nodes.clone();
        for &node in &members {
            if (node as usize) < limit {
                limit = limit.min(self.open(node as usize, world));
            }
        }
        self.board.set_limit(limit);
        let unit = (&self.plan.units[unit], &self.common[unit]);
        execute_unit(unit, &self.nodes, &self.board, world, runner, answers);
        limit = self.board.limit();
        for &node in &members {
            let wanted = (node as usize) < limit;
            get_mut(&mut self.nodes[node as usize]).close(world, wanted);
        }
        limit
    }

    /// Opens a node; gives its number if that panicked, else the number of all.
    fn open(&mut self, node: usize, world: &mut World) -> usize {
        let count = self.nodes.len();
        let has_lane = self.reserving > 1 && self.lane_numbers[node] < self.reserving;
        let lane = has_lane.then(|| Lane::new(self.lane_numbers[node], self.reserving));
        let opened = get_mut(&mut self.nodes[node]);
        let open = || opened.open(world, OwnLane(lane));
        match catch_unwind(AssertUnwindSafe(open)) {
            Ok(()) => count,
            Err(panic) => {
                opened.outcome = Outcome::Panicked(panic);
                node
            }
        }
    }

    /// Units at the same time.
    fn run_at_once(
        &mut self,
        world: &mut World,
        runner: &dyn BlockRunner,
        answers: &Answers,
    ) -> Result<(), StageError> {
        let mut limit = self.nodes.len();
        world.flush_reserved();
        for node in 0..self.nodes.len() {
            get_mut(&mut self.nodes[node]).outcome = Outcome::NotRun;
            if node < limit {
                limit = limit.min(self.open(node, world));
            }
        }
        self.board.reset(&self.plan);
        self.board.set_limit(limit);
        let (plan, nodes, common, board) = (&self.plan, &self.nodes, &self.common, &self.board);
        let view = &*world;
        let caller = thread::current().id();
        let run = |unit: usize| {
            let (members, common) = (&plan.units[unit], &common[unit]);
            execute_unit((members, common), nodes, board, view, board, answers);
        };
        let shared = catch_unwind(AssertUnwindSafe(|| {
            runner.for_each(runner.threads(), &|_| {
                board.take_part(plan, thread::current().id() == caller, &run);
            });
        }));
        // Whatever the runner has left, and what must stay on this thread.
        board.take_part(plan, true, &run);
        limit = self.board.limit();
        for node in 0..self.nodes.len() {
            get_mut(&mut self.nodes[node]).close(world, node < limit);
        }
        let done = self.sync(world, limit);
        if let Err(panic) = shared {
            resume_unwind(panic);
        }
        done
    }

    /// The sync point: handles that were reserved come to life, and what the nodes below `limit`
    /// have put off is done. The node at the limit has failed.
    fn sync(&mut self, world: &mut World, limit: usize) -> Result<(), StageError> {
        if self.reserving > 1 {
            for node in &mut self.nodes[..limit] {
                get_mut(node).take_lanes(&mut self.lanes);
            }
            world.entities.flush_lanes(self.lanes.0.drain(..));
        } else {
            world.flush_reserved();
        }
        let mut error = None;
        for (number, node) in self.nodes.iter_mut().enumerate() {
            let node = get_mut(node);
            match std::mem::take(&mut node.outcome) {
                Outcome::Done if error.is_none() && number < limit => {
                    let name = node.system().name();
                    let parts = node.parts();
                    let apply = || parts.apply(world);
                    let failed = match Outcome::of(catch_unwind(AssertUnwindSafe(apply))) {
                        Outcome::Failed(error) => StageError::System(error),
                        Outcome::Panicked(payload) => StageError::Panicked {
                            system: name,
                            payload,
                        },
                        Outcome::NotRun | Outcome::Skipped | Outcome::Done => continue,
                    };
                    error = Some(failed);
                }
                Outcome::Done => node.parts().forget(),
                Outcome::Failed(failed) if number == limit => {
                    error.get_or_insert(StageError::System(failed));
                }
                Outcome::Panicked(payload) if number == limit => {
                    let system = node.system().name();
                    error.get_or_insert(StageError::Panicked { system, payload });
                }
                // A lower one is told of.
                Outcome::Panicked(payload) => drop_quietly(payload),
                Outcome::Failed(_) | Outcome::NotRun | Outcome::Skipped => {}
            }
        }
        error.map_or(Ok(()), Err)
    }
}

/// Runs the functions of a unit's nodes, those that are still wanted, and notes what came of them.
/// Never unwinds.
fn execute_unit(
    (unit, common): (&Unit, &Mutex<Common>),
    nodes: &[Mutex<Node>],
    board: &Board,
    world: &World,
    runner: &dyn BlockRunner,
    answers: &Answers,
) {
    if let [node] = *unit.nodes {
        let number = node as usize;
        if !board.is_wanted(number) {
            return;
        }
        let mut node = lock(&nodes[number]);
        let executed = catch_unwind(AssertUnwindSafe(|| {
            // SAFETY: the node is opened, and the plan lets nobody whose access excludes its own
            // run meanwhile.
            unsafe { node.execute(world, runner, answers) }
        }));
        node.outcome = executed.unwrap_or_else(Outcome::Panicked);
        if node.outcome.is_failure() {
            board.fail(number);
        }
        return;
    }
    let mut members: SmallVec<[(usize, MutexGuard<'_, Node>); 4]> = SmallVec::new();
    for &number in &unit.nodes {
        let mut node = lock(&nodes[number as usize]);
        if !board.is_wanted(number as usize) {
            continue;
        }
        if node.is_wanted(answers) {
            node.outcome = Outcome::Done;
            members.push((number as usize, node));
        } else {
            node.outcome = Outcome::Skipped;
        }
    }
    let mut systems: SmallVec<[&mut dyn BlockParts; 4]> = SmallVec::new();
    for (_, node) in &mut members {
        let Work::System(system) = &mut node.work else {
            unreachable!("conditions visit no blocks");
        };
        let blocks = system.parts().and_then(|parts| parts.as_blocks());
        systems.push(blocks.expect("only chunk systems are fused"));
    }
    // SAFETY: the nodes are opened; the plan lets nobody whose access excludes theirs run
    // meanwhile, and chunk systems among themselves share only rows of the same block.
    let result = unsafe { fused::execute(&mut systems, world, runner, &mut lock(common)) };
    drop(systems);
    let (at, outcome) = match result {
        Ok(()) => return,
        Err(Failure::Failed(at, error)) => (at, Outcome::Failed(error)),
        Err(Failure::Panicked(at, panic)) => (at, Outcome::Panicked(panic)),
    };
    members[at].1.outcome = outcome;
    board.fail(members[at].0);
}

//! Systems between two sync points: what runs at the same time, and what came of it.
//!
//! ```text
//! open      every node in order: locals out, shared values copied, change ticks given
//! execute   by the plan, on any threads: nobody changes the structure of the world
//! close     every node in order: locals back, last runs noted
//! sync      handles reserved at the same time come to life, commands are done in order
//! ```
//!
//! What a stage gives does not depend on the threads (contract C3): nodes that exclude each other
//! keep their order, and what does not, by `SystemAccess`, cannot tell who came first. Handles are
//! reserved in lanes where several systems may do so, and commands wait for the end of the stage.
//! If a node fails, those before it have run as if nobody was beside them; those behind it may
//! have begun, and their commands are forgotten.

mod board;
mod cost;
#[cfg(test)]
mod edge_tests;
mod error;
mod fused;
mod job;
mod node;
mod plan;
mod run;
mod setup;
#[cfg(test)]
mod tests;

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{Condition, System, SystemError, TakenLanes};
use crate::world::{World, WorldId};
use board::Board;
use cost::Costs;
use fused::Common;
use node::{Node, Outcome, Work};
use plan::Plan;
use setup::Turn;

pub use error::StageError;

/// What conditions have answered in the present run of a schedule.
///
/// Stages of one schedule share them, for a condition may be asked in one stage for systems of
/// later ones.
#[derive(Debug, Default)]
pub struct Answers(Vec<AtomicBool>);

impl Answers {
    /// Room for so many, all of them no. Beyond them every answer stays no.
    pub fn new(count: usize) -> Self {
        Self((0..count).map(|_| AtomicBool::new(false)).collect())
    }

    fn get(&self, number: usize) -> bool {
        // Relaxed: who asks runs after who answers, which the board's lock or one thread orders.
        let answer = self.0.get(number);
        answer.is_some_and(|answer| answer.load(Ordering::Relaxed))
    }

    fn set(&self, number: usize, to: bool) {
        if let Some(answer) = self.0.get(number) {
            answer.store(to, Ordering::Relaxed);
        }
    }
}

/// Systems that run between two sync points, at the same time where nothing forbids it.
///
/// In order of insertion where accesses exclude each other. Consecutive chunk systems over common
/// components are fused: they run block by block, all on the first block, then all on the next.
///
/// A stage that holds an exclusive system, or one that has `&World`, beside others runs one after
/// the other, each with a sync point of its own; so such a system is best given a stage to itself.
///
/// ```
/// use orrery_ecs::{Answers, Chunk, Component, IntoSystem, Serial, Stage, World};
/// #[derive(Clone, Copy, Component)]
/// struct Position(f32);
/// #[derive(Clone, Copy, Component)]
/// struct Velocity(f32);
/// fn fall(chunk: Chunk<&mut Velocity>) {
///     chunk.slices().iter_mut().for_each(|velocity| velocity.0 -= 1.0);
/// }
/// fn drift(chunk: Chunk<(&mut Position, &Velocity)>) {
///     let (positions, velocities) = chunk.slices();
///     for (position, velocity) in positions.iter_mut().zip(velocities) {
///         position.0 += velocity.0;
///     }
/// }
/// let mut world = World::new();
/// world.spawn((Position(10.0), Velocity(0.0)));
/// let mut stage = Stage::default();
/// stage.add_system(Box::new(fall.into_system()), &[]);
/// stage.add_system(Box::new(drift.into_system()), &[]);
/// stage.run(&mut world, &Serial, &Answers::default())?;
/// assert_eq!(world.query::<&Position>().iter(&world).next().map(|p| p.0), Some(9.0));
/// assert_eq!(stage.units().next().map(|unit| unit.nodes), Some(&[0, 1][..]));
/// # Ok::<(), orrery_ecs::StageError>(())
/// ```
pub struct Stage {
    nodes: Vec<Mutex<Node>>,
    is_fusing: bool,
    plan: Plan,
    /// What runs when one thread runs all.
    turns: Vec<Turn>,
    /// The world whose accesses the plan was made of.
    planned_for: Option<WorldId>,
    /// The world that all nodes are initialized for, and its count of systems that may have lost
    /// their slots.
    ready_for: Option<(WorldId, u64)>,
    /// Whether the nodes have to run one after the other.
    is_apart: bool,
    /// How many nodes reserve handles.
    reserving: usize,
    /// The number of each node's lane, among those that reserve handles.
    lane_numbers: Vec<usize>,
    board: Board,
    costs: Costs,
    /// Kept for their memory.
    lanes: TakenLanes,
    common: Vec<Mutex<Common>>,
}

impl Default for Stage {
    fn default() -> Self {
        Self {
            nodes: Vec::new(),
            is_fusing: true,
            plan: Plan::default(),
            turns: Vec::new(),
            planned_for: None,
            ready_for: None,
            is_apart: false,
            reserving: 0,
            lane_numbers: Vec::new(),
            board: Board::default(),
            costs: Costs::default(),
            lanes: TakenLanes::default(),
            common: Vec::new(),
        }
    }
}

impl Stage {
    /// Adds a system behind those already there. It runs if the conditions with the numbers
    /// `gates` have all answered yes when they were asked last: those before it in this stage, or
    /// in an earlier one.
    pub fn add_system(&mut self, system: Box<dyn System>, gates: &[usize]) {
        self.add(Work::System(system), gates);
    }

    /// Adds a condition, which gives the answer with a number in every run.
    pub fn add_condition(&mut self, condition: Box<dyn Condition>, number: usize) {
        self.add(Work::Condition(condition, number), &[]);
    }

    fn add(&mut self, work: Work, gates: &[usize]) {
        self.forget_plan();
        self.nodes.push(Mutex::new(Node {
            work,
            gates: gates.iter().copied().collect(),
            outcome: Outcome::NotRun,
        }));
    }

    /// Whether chunk systems are fused, which they are unless told otherwise. The result is the
    /// same.
    pub fn set_fusing(&mut self, is_fusing: bool) {
        if self.is_fusing != is_fusing {
            self.is_fusing = is_fusing;
            self.forget_plan();
        }
    }

    fn forget_plan(&mut self) {
        (self.planned_for, self.ready_for) = (None, None);
    }

    /// How many systems and conditions it has.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Whether every run is measured, which keeps it on one thread; see [`StageUnit::cost_ns`].
    pub fn set_measured(&mut self, is_measured: bool) {
        self.costs.set_always(is_measured);
    }

    /// A system or condition, by its number in order of insertion.
    ///
    /// # Panics
    /// When there is none with that number.
    pub fn system_mut(&mut self, number: usize) -> &mut dyn System {
        // Whoever has it may initialize it for another world.
        self.ready_for = None;
        get_mut(&mut self.nodes[number]).system_mut()
    }

    /// What runs as one, in the order in which a single thread runs them. Nothing before the stage
    /// was initialised, and for a stage whose systems run one after the other because one of them
    /// has the whole world.
    pub fn units(&self) -> impl ExactSizeIterator<Item = StageUnit<'_>> {
        let planned = self.planned_for.is_some() && !self.is_apart;
        let units = match planned {
            true => &self.plan.units[..],
            false => &[],
        };
        units.iter().enumerate().map(|(number, unit)| StageUnit {
            nodes: &unit.nodes,
            next: &unit.next,
            cost_ns: self.costs.of_unit(number),
        })
    }

    /// Takes it apart again: the systems and conditions in order.
    pub fn into_systems(self) -> impl Iterator<Item = StagePart> {
        self.nodes.into_iter().map(|node| {
            let node = node.into_inner();
            match node.unwrap_or_else(std::sync::PoisonError::into_inner).work {
                Work::System(system) => StagePart::System(system),
                Work::Condition(condition, _) => StagePart::Condition(condition),
            }
        })
    }

    /// Finds out what every system uses of a world, and what may run at the same time. `run` does
    /// it too.
    ///
    /// # Errors
    /// When two parameters of a system exclude each other.
    pub fn initialize(&mut self, world: &mut World) -> Result<(), SystemError> {
        self.ready_for = None;
        for node in &mut self.nodes {
            get_mut(node).system_mut().initialize(world)?;
        }
        if self.planned_for != Some(world.id()) {
            self.make_plan();
        }
        self.planned_for = Some(world.id());
        self.ready_for = Some((world.id(), world.systems.changes()));
        Ok(())
    }

    /// Whether `run` finds all that `initialize` would find out about this world.
    pub fn is_ready_for(&self, world: &World) -> bool {
        self.ready_for == Some((world.id(), world.systems.changes()))
    }
}

/// What runs as one in a stage.
#[derive(Clone, Copy, Debug)]
pub struct StageUnit<'a> {
    /// Numbers of systems and conditions in order of insertion; more than one where chunk systems
    /// are fused.
    pub nodes: &'a [u32],
    /// Numbers of the units that wait for it.
    pub next: &'a [u32],
    /// What it takes on one thread in nanoseconds, if it was measured.
    pub cost_ns: Option<u64>,
}

/// What a stage is made of.
pub enum StagePart {
    /// A system.
    System(Box<dyn System>),
    /// A condition.
    Condition(Box<dyn Condition>),
}

fn get_mut<T>(mutex: &mut Mutex<T>) -> &mut T {
    mutex
        .get_mut()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

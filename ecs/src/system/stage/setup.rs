//! What a stage works out of its systems before it can run them.

use std::sync::Mutex;

use super::node::{Node, Work};
use super::plan::{Plan, Shape};
use super::{Stage, get_mut};
use crate::system::SystemAccess;

/// A unit, when one thread runs all.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    pub(super) first: u32,
    /// Whether it is a single node that needs no other to be closed before what it has put off is
    /// done.
    pub(super) is_whole: bool,
    /// How many turns from this one on are whole systems without conditions whose numbers follow
    /// each other.
    pub(super) simple: u32,
}

impl Stage {
    /// Makes the plan of initialised systems.
    pub(super) fn make_plan(&mut self) {
        let kinds: Vec<(bool, bool)> = self.nodes.iter_mut().map(kind_of).collect();
        let nodes: Vec<&Node> = self.nodes.iter_mut().map(|node| &*get_mut(node)).collect();
        let accesses: Vec<&SystemAccess> = nodes
            .iter()
            .map(|node| node.system().access().expect("it was initialized"))
            .collect();
        let has_parts = kinds.iter().all(|(has_parts, _)| *has_parts);
        let has_world = accesses.iter().any(|access| access.has_whole_world());
        self.is_apart = nodes.len() > 1 && (!has_parts || has_world);
        self.reserving = 0;
        self.lane_numbers.clear();
        for access in &accesses {
            self.lane_numbers.push(self.reserving);
            self.reserving += usize::from(access.has_commands());
        }
        let shapes: Vec<Shape<'_>> = (0..nodes.len())
            .map(|number| Shape {
                access: accesses[number],
                is_blocks: kinds[number].1,
                is_send: nodes[number].system().is_send(),
                asks: &nodes[number].gates,
                answers: match nodes[number].work {
                    Work::Condition(_, answer) => Some(answer),
                    Work::System(_) => None,
                },
            })
            .collect();
        let plan = Plan::new(&shapes, self.is_fusing);
        // A fork has the plan of its origin as a rule, and its costs.
        if plan != self.plan {
            self.costs.forget();
        }
        self.plan = plan;
        self.turns = match self.is_apart {
            true => apart(nodes.len()),
            false => turns(&self.plan, &accesses, self.reserving),
        };
        let mut after = None;
        for turn in self.turns.iter_mut().rev() {
            let node = nodes[turn.first as usize];
            let is_system = matches!(node.work, Work::System(_));
            if !self.is_apart && turn.is_whole && is_system && node.gates.is_empty() {
                let follows = |next: &Turn| next.first == turn.first + 1;
                turn.simple = 1 + after.filter(follows).map_or(0, |next| next.simple);
            }
            after = Some(*turn);
        }
        let units = self.plan.units.len();
        self.common.clear();
        self.common.resize_with(units, Mutex::default);
    }
}

/// Whether a node has parts, and whether it visits blocks.
fn kind_of(node: &mut Mutex<Node>) -> (bool, bool) {
    match get_mut(node).system_mut().parts() {
        Some(parts) => (true, parts.as_blocks().is_some()),
        None => (false, false),
    }
}

/// Each node whole.
fn apart(count: usize) -> Vec<Turn> {
    let alone = |first| Turn {
        first,
        is_whole: true,
        simple: 0,
    };
    (0..count as u32).map(alone).collect()
}

/// The units in order. What a node has put off must wait for the end of the stage where others
/// would see it, or the handles that it reserves.
fn turns(plan: &Plan, accesses: &[&SystemAccess], reserving: usize) -> Vec<Turn> {
    let mut later: Vec<&SystemAccess> = Vec::with_capacity(accesses.len());
    let mut turns = Vec::with_capacity(plan.units.len());
    for unit in plan.units.iter().rev() {
        let mut is_whole = unit.nodes.len() == 1;
        for &node in &unit.nodes {
            let access = accesses[node as usize];
            is_whole &= !(access.has_commands() && reserving > 1);
            is_whole &= !(access.puts_off() && later.iter().any(|other| other.must_follow(access)));
            later.push(access);
        }
        turns.push(Turn {
            first: unit.nodes[0],
            is_whole,
            simple: 0,
        });
    }
    turns.reverse();
    turns
}

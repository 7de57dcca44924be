//! What of a stage may run at the same time, and which chunk systems run block by block together.

use smallvec::SmallVec;

use crate::system::SystemAccess;

/// What the plan has to know of a node.
pub(super) struct Shape<'a> {
    pub(super) access: &'a SystemAccess,
    /// Whether it visits blocks.
    pub(super) is_blocks: bool,
    /// Whether any thread may run it.
    pub(super) is_send: bool,
    /// Numbers of the answers that it goes by.
    pub(super) asks: &'a [usize],
    /// Number of the answer that it gives.
    pub(super) answers: Option<usize>,
}

impl Shape<'_> {
    /// Whether a node behind it has to wait for it because of an answer: to find it as it is one
    /// by one, neither older nor newer.
    fn answers_before(&self, later: &Self) -> bool {
        let goes_by = |one: &Self, number| one.asks.contains(&number);
        let mine = self
            .answers
            .is_some_and(|number| goes_by(later, number) || later.answers == Some(number));
        mine || later.answers.is_some_and(|number| goes_by(self, number))
    }
}

/// Nodes that run as one: a node, or chunk systems fused over common blocks.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Unit {
    /// In order.
    pub(super) nodes: SmallVec<[u32; 4]>,
    /// Units that wait for it.
    pub(super) next: Vec<u32>,
    /// How many it waits for.
    pub(super) waits: u32,
    /// Whether any thread may run it.
    pub(super) is_send: bool,
    /// Whether its work can be shared out by blocks.
    pub(super) is_blocks: bool,
}

/// Units in an order in which they can run one by one.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) units: Vec<Unit>,
}

impl Plan {
    /// Two nodes keep their order if their accesses exclude each other, or one gives an answer that
    /// the other goes by. Only those constraints stay: whatever the threads do within
    /// them, each node sees what it would see if all ran one by one.
    pub(super) fn new(shapes: &[Shape<'_>], fuse: bool) -> Self {
        let count = shapes.len();
        let excludes: Vec<Vec<bool>> = (0..count)
            .map(|later| {
                let access = shapes[later].access;
                let earlier = shapes[..later].iter();
                earlier
                    .map(|shape| !access.is_compatible(shape.access))
                    .collect()
            })
            .collect();
        let mut units: Vec<Unit> = Vec::new();
        let mut unit_of = Vec::with_capacity(count);
        for (node, shape) in shapes.iter().enumerate() {
            let open = if fuse {
                fusing(shapes, &excludes, &units, node)
            } else {
                None
            };
            let unit = open.unwrap_or(units.len());
            if unit == units.len() {
                units.push(Unit {
                    is_send: true,
                    is_blocks: shape.is_blocks,
                    ..Unit::default()
                });
            }
            units[unit].nodes.push(node as u32);
            units[unit].is_send &= shape.is_send;
            unit_of.push(unit);
        }
        for (later, shape) in shapes.iter().enumerate() {
            let minds = |&earlier: &usize| {
                excludes[later][earlier] || shapes[earlier].answers_before(shape)
            };
            for earlier in (0..later).filter(minds) {
                let (from, to) = (unit_of[earlier], unit_of[later]);
                if from != to && !units[from].next.contains(&(to as u32)) {
                    units[from].next.push(to as u32);
                    units[to].waits += 1;
                }
            }
        }
        Self {
            units: in_order(units),
        }
    }
}

/// The unit that a chunk system can join: the last one of chunk systems, if they have components
/// in common, and nobody between them minds where the unit runs.
///
/// A chunk system sees only the rows of one block, and of them what chunk systems before it wrote.
/// So it finds a block the same whether those before it have done all blocks or only this one.
fn fusing(
    shapes: &[Shape<'_>],
    excludes: &[Vec<bool>],
    units: &[Unit],
    node: usize,
) -> Option<usize> {
    let shape = &shapes[node];
    if !shape.is_blocks {
        return None;
    }
    let unit = units.iter().rposition(|unit| unit.is_blocks)?;
    let members = &units[unit].nodes;
    let first = members[0] as usize;
    let shares = |&member: &u32| {
        let access = shapes[member as usize].access;
        access.shares_components(shape.access)
    };
    if !members.iter().any(shares) {
        return None;
    }
    let between = (first..node).filter(|other| !members.contains(&(*other as u32)));
    let minds = |other: usize| {
        let with_member = members.iter().any(|&member| {
            let (one, two) = (other.min(member as usize), other.max(member as usize));
            excludes[two][one]
        });
        with_member || excludes[node][other]
    };
    let waits_for_answer = |other: usize| {
        let mut before = members.iter().filter(|&&member| (member as usize) < other);
        before.any(|&member| shapes[member as usize].answers_before(&shapes[other]))
    };
    let mut between = between;
    (!between.any(|other| minds(other) || waits_for_answer(other))).then_some(unit)
}

/// The units so that none comes before one that it waits for; else by their first node.
fn in_order(mut units: Vec<Unit>) -> Vec<Unit> {
    let mut waits: Vec<u32> = units.iter().map(|unit| unit.waits).collect();
    let mut place = vec![0; units.len()];
    let mut order = Vec::with_capacity(units.len());
    while order.len() < units.len() {
        let ready = (0..units.len()).filter(|&unit| waits[unit] == 0);
        let next = ready.min_by_key(|&unit| units[unit].nodes[0]);
        let next = next.expect("nobody waits for a later node");
        waits[next] = u32::MAX;
        place[next] = order.len() as u32;
        order.push(next);
        for &after in &units[next].next {
            waits[after as usize] -= 1;
        }
    }
    order
        .iter()
        .map(|&unit| {
            let mut unit = std::mem::take(&mut units[unit]);
            unit.next
                .iter_mut()
                .for_each(|next| *next = place[*next as usize]);
            unit
        })
        .collect()
}

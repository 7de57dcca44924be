//! Which archetype an entity goes to when components come or leave: looked up, else found out
//! once and remembered as an edge.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{Archetype, ArchetypeId};
use crate::bundle::BundleId;
use crate::component::info::ComponentId;
use crate::entity::Location;

/// In an edge's map: the component leaves.
pub(crate) const LEAVES: u32 = u32::MAX;

/// A component of a bundle, seen from the archetype that the bundle leads to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BundleColumn {
    pub(crate) column: u32,
    /// Whether the source lacks it, so that there is nothing to replace.
    pub(crate) is_new: bool,
}

/// How an entity goes from one archetype to another.
#[derive(Debug)]
pub(crate) struct Edge {
    pub(crate) target: ArchetypeId,
    /// For each column of the source, the one of the same component in the target.
    pub(crate) map: Box<[u32]>,
    /// The bundle's components in its own order, where one is inserted.
    pub(crate) bundle: Box<[BundleColumn]>,
}

impl Edge {
    pub(crate) fn new(from: &Archetype, to: &Archetype, inserted: &[ComponentId]) -> Self {
        let column = |component: &ComponentId| {
            let index = to.column_index(*component);
            index.map_or(LEAVES, |index| index as u32)
        };
        let bundle = inserted.iter().map(|component| BundleColumn {
            column: column(component),
            is_new: !from.set().contains(*component),
        });
        Self {
            target: to.id(),
            map: from.components().iter().map(column).collect(),
            bundle: bundle.collect(),
        }
    }
}

/// Direction of an edge.
#[derive(Clone, Copy)]
pub(crate) enum Direction {
    Insert,
    Remove,
}

/// Edges of one archetype in one direction, by increasing bundle number.
type Edges = Vec<(BundleId, Arc<Edge>)>;

/// Archetypes by their components, and edges by archetype and bundle. Only looked up, never
/// iterated: order comes from elsewhere.
#[derive(Clone, Default)]
pub(crate) struct Graph {
    by_components: FxHashMap<Box<[ComponentId]>, ArchetypeId>,
    edges: Vec<[Edges; 2]>,
}

impl Graph {
    pub(crate) fn find(&self, components: &[ComponentId]) -> Option<ArchetypeId> {
        self.by_components.get(components).copied()
    }

    pub(crate) fn add(&mut self, archetype: &Archetype) {
        self.by_components
            .insert(archetype.components().into(), archetype.id());
    }

    #[inline]
    pub(crate) fn edge(
        &self,
        direction: Direction,
        at: ArchetypeId,
        bundle: BundleId,
    ) -> Option<&Edge> {
        let edges = &self.edges.get(at.index())?[direction as usize];
        // Nearly all archetypes have few edges, which a plain look from the front finds first.
        if edges.len() <= 8 {
            let found = edges.iter().find(|(id, _)| *id == bundle);
            return found.map(|(_, edge)| &**edge);
        }
        let found = edges.binary_search_by_key(&bundle, |(id, _)| *id);
        found.ok().map(|index| &*edges[index].1)
    }

    /// An edge that was looked for before.
    ///
    /// # Panics
    /// When it is not known.
    #[inline]
    pub(crate) fn known_edge(
        &self,
        direction: Direction,
        from: Location,
        bundle: BundleId,
    ) -> &Edge {
        let found = self.edge(direction, ArchetypeId(from.archetype), bundle);
        found.expect("the edge was just made")
    }

    pub(crate) fn remember(
        &mut self,
        direction: Direction,
        at: ArchetypeId,
        by: BundleId,
        edge: Edge,
    ) {
        if self.edges.len() <= at.index() {
            self.edges.resize_with(at.index() + 1, Default::default);
        }
        let edges = &mut self.edges[at.index()][direction as usize];
        if let Err(index) = edges.binary_search_by_key(&by, |(id, _)| *id) {
            edges.insert(index, (by, Arc::new(edge)));
        }
    }
}

/// Components of an archetype after a bundle came or left, in increasing order.
pub(crate) fn components_after(
    direction: Direction,
    from: &[ComponentId],
    bundle: &[ComponentId],
) -> Vec<ComponentId> {
    let mut after = from.to_vec();
    match direction {
        Direction::Insert => {
            after.extend_from_slice(bundle);
            after.sort_unstable();
            after.dedup();
        }
        Direction::Remove => after.retain(|component| !bundle.contains(component)),
    }
    after
}

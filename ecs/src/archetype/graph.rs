//! Which archetype an entity goes to when components come or leave: looked up, else found out
//! once and remembered as an edge.

use rustc_hash::FxHashMap;

use super::{Archetype, ArchetypeId};
use crate::bundle::BundleId;
use crate::component::info::ComponentId;

/// Edges by archetype and bundle. Only looked up, never iterated: order comes from elsewhere.
#[derive(Clone, Default)]
pub(crate) struct Graph {
    by_components: FxHashMap<Box<[ComponentId]>, ArchetypeId>,
    insert: FxHashMap<(ArchetypeId, BundleId), ArchetypeId>,
    remove: FxHashMap<(ArchetypeId, BundleId), ArchetypeId>,
}

/// Direction of an edge.
#[derive(Clone, Copy)]
pub(crate) enum Edge {
    Insert,
    Remove,
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
        edge: Edge,
        at: ArchetypeId,
        bundle: BundleId,
    ) -> Option<ArchetypeId> {
        match edge {
            Edge::Insert => self.insert.get(&(at, bundle)).copied(),
            Edge::Remove => self.remove.get(&(at, bundle)).copied(),
        }
    }

    pub(crate) fn remember(&mut self, edge: Edge, at: ArchetypeId, by: BundleId, to: ArchetypeId) {
        match edge {
            Edge::Insert => self.insert.insert((at, by), to),
            Edge::Remove => self.remove.insert((at, by), to),
        };
    }
}

/// Components of an archetype after a bundle came or left, in increasing order.
pub(crate) fn components_after(
    edge: Edge,
    from: &[ComponentId],
    bundle: &[ComponentId],
) -> Vec<ComponentId> {
    let mut after = from.to_vec();
    match edge {
        Edge::Insert => {
            after.extend_from_slice(bundle);
            after.sort_unstable();
            after.dedup();
        }
        Edge::Remove => after.retain(|component| !bundle.contains(component)),
    }
    after
}

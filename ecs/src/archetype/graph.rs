//! Which archetype an entity goes to when components come or leave: looked up, else found out
//! once and remembered as an edge.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::copy::Pieces;
use super::{Archetype, ArchetypeId};
use crate::bundle::{BundleId, IN_SPARSE_SET, RequiredColumn};
use crate::component::info::ComponentId;
use crate::component::required::Requirement;
use crate::entity::Location;

/// A component that goes along.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Carry {
    /// Its column in the source.
    pub(crate) from: u32,
    /// Its column in the target.
    pub(crate) into: u32,
}

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
    /// Components that both have.
    pub(crate) carried: Box<[Carry]>,
    /// Columns of the source whose components the target lacks.
    pub(crate) leaving: Box<[u32]>,
    /// Whether all components of both are in one piece.
    pub(crate) plain: bool,
    /// What is carried, where it is plain.
    pub(super) pieces: Pieces,
    /// Whether the move copies bytes and nothing else: nothing is split, tracked, dropped,
    /// replaced, brought along or stored apart.
    pub(crate) is_bytes: bool,
    /// The bundle's only component, where it lies in a sparse set, its values are bytes, and it
    /// brings nothing along.
    pub(crate) sparse: Option<ComponentId>,
    /// The bundle's components in its own order, where one is inserted.
    pub(crate) bundle: Box<[BundleColumn]>,
    /// What the bundle brings along and the source lacks; whether an entity lacks those that lie
    /// in sparse sets is seen from the set.
    pub(crate) required: Box<[RequiredColumn]>,
}

impl Edge {
    pub(crate) fn new(
        from: &Archetype,
        to: &Archetype,
        inserted: &[ComponentId],
        required: &[Requirement],
    ) -> Self {
        let mut carried = Vec::new();
        let mut leaving = Vec::new();
        for (index, &component) in from.components().iter().enumerate() {
            match to.column_index(component) {
                Some(into) => carried.push(Carry {
                    from: index as u32,
                    into: into as u32,
                }),
                None => leaving.push(index as u32),
            }
        }
        let bundle = inserted.iter().map(|&component| BundleColumn {
            column: to
                .column_index(component)
                .map_or(IN_SPARSE_SET, |index| index as u32),
            is_new: !from.set().contains(component),
        });
        let bundle: Box<[BundleColumn]> = bundle.collect();
        let plain = from.is_plain() && to.is_plain();
        let is_new = |one: &BundleColumn| one.is_new && one.column != IN_SPARSE_SET;
        let is_bytes =
            from.is_bytes() && to.is_plain() && required.is_empty() && bundle.iter().all(is_new);
        let size = |carry: &Carry| from.column(carry.from as usize).info().layout.size();
        let pieces = carried
            .iter()
            .map(|carry| (carry.from, carry.into, size(carry)));
        Self {
            target: to.id(),
            pieces: Pieces::new(pieces),
            carried: carried.into(),
            leaving: leaving.into(),
            plain,
            is_bytes,
            sparse: None,
            bundle,
            required: required_columns(required, from, to),
        }
    }
}

/// What is brought along and an archetype lacks, with its columns in another one.
fn required_columns(
    required: &[Requirement],
    from: &Archetype,
    to: &Archetype,
) -> Box<[RequiredColumn]> {
    let missing = required
        .iter()
        .filter(|one| !from.set().contains(one.component));
    let columns = missing.map(|one| RequiredColumn::new(one, to.column_index(one.component)));
    columns.collect()
}

/// Direction of an edge.
#[derive(Clone, Copy)]
pub(crate) enum Direction {
    Insert,
    Remove,
}

/// Edges of one archetype in one direction, by increasing bundle number.
type Edges = Vec<(BundleId, Arc<Edge>)>;

/// The edges that were gone along last: a look here costs a third of one in the graph.
#[derive(Default)]
pub(crate) struct RecentEdges([[Recent; 8]; 2]);

#[derive(Default)]
struct Recent {
    at: u32,
    by: u32,
    edge: Option<Arc<Edge>>,
}

impl RecentEdges {
    #[inline(always)]
    pub(crate) fn get(&self, direction: Direction, at: u32, by: BundleId) -> Option<&Edge> {
        let recent = &self.0[direction as usize][Self::place(at, by)];
        let is_it = recent.at == at && recent.by == by.number();
        recent.edge.as_deref().filter(|_| is_it)
    }

    #[inline(always)]
    fn place(at: u32, by: BundleId) -> usize {
        (at ^ by.number().rotate_left(2)) as usize % 8
    }

    /// Remembers an edge of a graph.
    pub(crate) fn remember(&mut self, graph: &Graph, direction: Direction, at: u32, by: BundleId) {
        let found = graph.found(direction, ArchetypeId(at), by);
        self.0[direction as usize][Self::place(at, by)] = Recent {
            at,
            by: by.number(),
            edge: found.map(Arc::clone),
        };
    }
}

/// Archetypes by their components, and edges by archetype and bundle. Only looked up, never
/// iterated: order comes from elsewhere.
#[derive(Clone, Default)]
pub(crate) struct Graph {
    by_components: FxHashMap<Box<[ComponentId]>, ArchetypeId>,
    edges: Vec<[Edges; 2]>,
    /// Edges that no single bundle leads along.
    direct: FxHashMap<(ArchetypeId, ArchetypeId), Arc<Edge>>,
}

impl Graph {
    pub(crate) fn find(&self, components: &[ComponentId]) -> Option<ArchetypeId> {
        self.by_components.get(components).copied()
    }

    pub(crate) fn add(&mut self, archetype: &Archetype) {
        self.by_components
            .insert(archetype.components().into(), archetype.id());
    }

    /// Forgets an archetype, but not the edges that lead to it.
    pub(crate) fn remove(&mut self, archetype: &Archetype) {
        self.by_components.remove(archetype.components());
    }

    /// Forgets every edge from or to some archetypes.
    pub(crate) fn forget_edges(&mut self, forgotten: impl Fn(ArchetypeId) -> bool) {
        for (number, directions) in self.edges.iter_mut().enumerate() {
            let from = forgotten(ArchetypeId(number as u32));
            for edges in directions {
                edges.retain(|(_, edge)| !from && !forgotten(edge.target));
            }
        }
        self.direct
            .retain(|(from, target), _| !forgotten(*from) && !forgotten(*target));
    }

    #[inline]
    pub(crate) fn edge(
        &self,
        direction: Direction,
        at: ArchetypeId,
        bundle: BundleId,
    ) -> Option<&Edge> {
        self.found(direction, at, bundle).map(|edge| &**edge)
    }

    #[inline]
    fn found(&self, direction: Direction, at: ArchetypeId, by: BundleId) -> Option<&Arc<Edge>> {
        let edges = &self.edges.get(at.index())?[direction as usize];
        // Nearly all archetypes have few edges, which a plain look from the front finds first.
        if edges.len() <= 8 {
            let found = edges.iter().find(|(id, _)| *id == by);
            return found.map(|(_, edge)| edge);
        }
        let found = edges.binary_search_by_key(&by, |(id, _)| *id);
        found.ok().map(|index| &edges[index].1)
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

    pub(crate) fn has_direct_edge(&self, from: ArchetypeId, target: ArchetypeId) -> bool {
        self.direct.contains_key(&(from, target))
    }

    /// An edge that `remember_direct` was told of.
    ///
    /// # Panics
    /// When it was not.
    pub(crate) fn direct_edge(&self, from: ArchetypeId, target: ArchetypeId) -> &Edge {
        let found = self.direct.get(&(from, target));
        found.expect("the edge was just made")
    }

    pub(crate) fn remember_direct(&mut self, from: ArchetypeId, edge: Edge) {
        self.direct.insert((from, edge.target), Arc::new(edge));
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

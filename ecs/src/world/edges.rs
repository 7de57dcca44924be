//! Archetypes and the edges between them, made where they are first needed.

use super::World;
use crate::archetype::graph::{Direction, Edge, components_after};
use crate::archetype::{Archetype, ArchetypeId};
use crate::bundle::BundleId;
use crate::component::info::ComponentId;
use crate::entity::Location;

/// The entity table uses the three numbers above for entities without a row.
const MAX_ARCHETYPES: u32 = u32::MAX - 2;

impl World {
    /// The archetype with exactly these components (in increasing order), made if it is new.
    pub(super) fn archetype_of(&mut self, components: &[ComponentId]) -> ArchetypeId {
        if let Some(id) = self.graph.find(components) {
            return id;
        }
        let id = self.vacant.last().copied().unwrap_or_else(|| {
            let next = u32::try_from(self.archetypes.len()).ok();
            let next = next.filter(|&number| number < MAX_ARCHETYPES);
            ArchetypeId(next.expect("fewer than 2^32 - 3 archetypes"))
        });
        let components = components.to_vec();
        let watch = self.watch_of_all(&components);
        let mut archetype = Archetype::new(id, components, &self.registry, &self.entity_info);
        archetype.set_watch(watch);
        self.observers.watch = self.observers.watch | watch;
        self.graph.make_mut().add(&archetype);
        if self.vacant.pop().is_some() {
            self.archetypes[id.index()] = archetype;
            self.renumbered += 1;
        } else {
            self.archetypes.push(archetype);
        }
        id
    }

    /// Makes the edge that a bundle leads along, if it is not known.
    #[inline]
    pub(super) fn find_edge(&mut self, direction: Direction, from: Location, bundle: BundleId) {
        let at = ArchetypeId(from.archetype);
        if self.graph.edge(direction, at, bundle).is_none() {
            self.make_edge(direction, at, bundle);
        }
    }

    /// As `find_edge`, and remembers it among the recent ones.
    #[inline(never)]
    pub(super) fn find_recent_edge(
        &mut self,
        direction: Direction,
        from: Location,
        bundle: BundleId,
    ) {
        self.find_edge(direction, from, bundle);
        self.recent_edges
            .remember(&self.graph, direction, from.archetype, bundle);
    }

    #[cold]
    fn make_edge(&mut self, direction: Direction, at: ArchetypeId, bundle: BundleId) {
        let here = self.archetypes[at.index()].components();
        let info = self.bundles.info(bundle);
        let moved = match direction {
            Direction::Insert => info.spawned(&self.registry),
            Direction::Remove => info.sorted.to_vec(),
        };
        let target = self.archetype_of(&components_after(direction, here, &moved));
        let info = self.bundles.info(bundle);
        let (inserted, required) = match direction {
            Direction::Insert => (&info.components[..], &info.required[..]),
            Direction::Remove => (&[][..], &[][..]),
        };
        let (from, to) = (
            &self.archetypes[at.index()],
            &self.archetypes[target.index()],
        );
        let mut edge = Edge::new(from, to, inserted, required);
        edge.is_bytes &= info.is_in_tables();
        if let ([only], []) = (&info.components[..], &info.required[..]) {
            let info = self.registry.info(*only);
            let is_bytes = info.piece().is_some() && info.drop.is_none();
            edge.sparse = (info.sparse && is_bytes).then_some(*only);
        }
        self.graph.make_mut().remember(direction, at, bundle, edge);
    }

    /// Makes the edge between two archetypes, if it is not known.
    pub(super) fn find_direct_edge(&mut self, at: ArchetypeId, target: ArchetypeId) {
        if !self.graph.has_direct_edge(at, target) {
            let (from, to) = (
                &self.archetypes[at.index()],
                &self.archetypes[target.index()],
            );
            let edge = Edge::new(from, to, &[], &[]);
            self.graph.make_mut().remember_direct(at, edge);
        }
    }
}

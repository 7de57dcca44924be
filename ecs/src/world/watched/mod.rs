//! Structural changes that somebody watches: values that leave are moved into a buffer, and hooks
//! and observers run when the change is complete.
//!
//! The changes are those of `spawn`, `structure` and `bulk`, which stay free of all this but for
//! the test of one byte. Components come in `arrivals`, leave in `departures`; `bulk` does both to
//! many entities at once.

mod arrivals;
mod bulk;
mod departures;

use smallvec::SmallVec;

use super::World;
use crate::archetype::ArchetypeId;
use crate::bundle::BundleId;
use crate::component::info::ComponentId;
use crate::entity::Location;
use crate::observer::{Rows, Values, Wanted, Watch};

pub(in crate::world) use bulk::Batches;

/// Components that an event is about, in order of registration.
type Components = SmallVec<[ComponentId; 8]>;

impl World {
    /// Sees to it that every archetype knows what is waited for of its components.
    pub(crate) fn refresh_watch(&mut self) {
        let mut all = Watch::NONE;
        for index in 0..self.archetypes.len() {
            let watch = self.watch_of_all(self.archetypes[index].components());
            self.archetypes[index].set_watch(watch);
            all = all | watch;
        }
        let sparse = self
            .registry
            .ids()
            .filter(|&id| self.registry.info(id).sparse);
        let watch = sparse.fold(Watch::NONE, |watch, id| watch | self.watch_of(id));
        self.observers.sparse = watch;
        self.observers.watch = all | watch;
    }

    /// A new bundle may bring a sparse component that has hooks.
    pub(super) fn watch_sparse(&mut self, bundle: BundleId) {
        let info = self.bundles.info(bundle);
        let required = info.required.iter().map(|one| one.component);
        let all = info.sparse.iter().copied().chain(required);
        let sparse = all.filter(|&id| self.registry.info(id).sparse);
        let watch = sparse.fold(Watch::NONE, |watch, id| watch | self.watch_of(id));
        self.observers.sparse = self.observers.sparse | watch;
        self.observers.watch = self.observers.watch | watch;
    }

    /// As `watch_sparse`, for one sparse component.
    pub(super) fn watch_sparse_component(&mut self, component: ComponentId) {
        let watch = self.watch_of(component);
        self.observers.sparse = self.observers.sparse | watch;
        self.observers.watch = self.observers.watch | watch;
    }

    /// Whether entities of an archetype are worth a closer look before a change.
    #[inline]
    pub(super) fn may_be_watched(&self, at: ArchetypeId, by: Watch) -> bool {
        self.observers.watch.intersects(by)
            && (self.archetypes[at.index()].watch() | self.observers.sparse).intersects(by)
    }

    pub(super) fn is_bundle_watched(&self, bundle: BundleId, by: Watch) -> bool {
        self.is_watched(&self.bundles.info(bundle).components, by)
    }

    /// Whether a bundle, or what it brings along, is waited for where it comes.
    pub(super) fn is_bundle_arrival_watched(&self, bundle: BundleId) -> bool {
        let required = &self.bundles.info(bundle).required;
        self.is_bundle_watched(bundle, Watch::ARRIVAL)
            || (required.iter()).any(|one| self.is_watched(&[one.component], Watch::ARRIVAL))
    }

    #[inline]
    pub(super) fn is_arrival_watched(&self, target: ArchetypeId, bundle: BundleId) -> bool {
        self.may_be_watched(target, Watch::ARRIVAL) && self.is_bundle_arrival_watched(bundle)
    }

    #[inline]
    pub(super) fn is_removal_watched(&self, from: Location, bundle: BundleId) -> bool {
        self.may_be_watched(ArchetypeId(from.archetype), Watch::REMOVAL)
            && self.is_bundle_watched(bundle, Watch::REMOVAL)
    }

    fn components_of_bundle(&self, bundle: BundleId) -> Components {
        let mut components = self.bundles.info(bundle).components.clone();
        components.sort_unstable();
        components
    }

    /// What is added to an entity by a bundle, and what is inserted: that, and what the bundle
    /// has of what is there.
    fn arriving(
        &self,
        bundle: BundleId,
        has: impl Fn(ComponentId) -> bool,
    ) -> (Components, Components) {
        let info = self.bundles.info(bundle);
        let required = info.required.iter().map(|one| one.component);
        let mut inserted = info.components.clone();
        inserted.extend(required.filter(|&id| !has(id)));
        inserted.sort_unstable();
        let added = inserted.iter().copied().filter(|&id| !has(id));
        (added.collect(), inserted)
    }

    /// Room for a value of each component.
    fn room_for(&self, components: &[ComponentId]) -> Values {
        let wanted = components.iter().map(|&component| Wanted {
            component,
            info: self.registry.info(component).clone(),
            count: 1,
            rows: Rows::All,
        });
        Values::with_room(&self.pool, wanted)
    }
}

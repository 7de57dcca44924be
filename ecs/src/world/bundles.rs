//! Numbers of bundles, and where fresh entities with them go.

use std::any::TypeId;

use super::World;
use crate::archetype::ArchetypeId;
use crate::bundle::{Bundle, BundleId, IN_SPARSE_SET, RequiredColumn, SpawnTarget};
use crate::component::info::ComponentId;

impl World {
    #[inline]
    pub(super) fn spawn_target<B: Bundle>(&mut self) -> (BundleId, ArchetypeId) {
        if let Some(id) = self.bundles.id::<B>()
            && let Some(archetype) = self.bundles.info(id).spawn_archetype()
        {
            return (id, archetype);
        }
        self.find_spawn_target::<B>()
    }

    #[cold]
    fn find_spawn_target<B: Bundle>(&mut self) -> (BundleId, ArchetypeId) {
        let bundle_id = self.bundle_id::<B>();
        let info = self.bundles.info(bundle_id);
        let all = info.spawned(&self.registry);
        let archetype = self.archetype_of(&all);
        let info = self.bundles.info(bundle_id);
        let index = |component| self.archetypes[archetype.index()].column_index(component);
        let columns = info
            .components
            .iter()
            .map(|&component| index(component).map_or(IN_SPARSE_SET, |index| index as u32));
        let required = info
            .required
            .iter()
            .map(|one| RequiredColumn::new(one, index(one.component)));
        let target = SpawnTarget {
            archetype,
            columns: columns.collect(),
            required: required.collect(),
        };
        self.bundles.make_mut().info_mut(bundle_id).spawn = Some(target);
        (bundle_id, archetype)
    }

    #[inline]
    pub(crate) fn bundle_id<B: Bundle>(&mut self) -> BundleId {
        match self.recent.get(TypeId::of::<B>()) {
            Some(id) => id,
            None => self.find_bundle::<B>(),
        }
    }

    #[inline(never)]
    fn find_bundle<B: Bundle>(&mut self) -> BundleId {
        let id = match self.bundles.id::<B>() {
            Some(id) => id,
            None => self.register_bundle::<B>(),
        };
        self.recent.remember(TypeId::of::<B>(), id);
        id
    }

    /// The bundle of one component.
    pub(super) fn single_bundle(&mut self, component: ComponentId) -> BundleId {
        let id = self.bundles.make_mut().single(component, &self.registry);
        self.watch_sparse(id);
        id
    }

    #[cold]
    fn register_bundle<B: Bundle>(&mut self) -> BundleId {
        let registry = self.registry.make_mut();
        let id = self.bundles.make_mut().register::<B>(registry);
        self.watch_sparse(id);
        id
    }
}

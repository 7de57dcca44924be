//! The sparse sets of a world, by component.

use std::sync::Arc;

use super::SparseSet;
use crate::component::Registry;
use crate::component::info::{ComponentId, ComponentInfo};
use crate::entity::Entity;
use crate::panics::FirstPanic;
use crate::storage::column::Writer;

/// A set for each sparse component that was ever given to an entity.
#[derive(Default)]
pub(crate) struct SparseSets {
    /// By component number; most are no sparse components.
    by_component: Vec<Option<SparseSet>>,
    /// Components with a set, in order of the set's creation.
    present: Vec<ComponentId>,
}

impl SparseSets {
    /// Sets that share everything with these.
    pub(crate) fn share(&self) -> Self {
        let share = |set: &Option<SparseSet>| set.as_ref().map(SparseSet::share);
        Self {
            by_component: self.by_component.iter().map(share).collect(),
            present: self.present.clone(),
        }
    }

    #[inline]
    pub(crate) fn get(&self, id: ComponentId) -> Option<&SparseSet> {
        self.by_component.get(id.index())?.as_ref()
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, id: ComponentId) -> Option<&mut SparseSet> {
        self.by_component.get_mut(id.index())?.as_mut()
    }

    /// The set of a component, made if it is new.
    pub(crate) fn make(
        &mut self,
        id: ComponentId,
        registry: &Registry,
        entity_info: &Arc<ComponentInfo>,
    ) -> &mut SparseSet {
        if self.by_component.len() <= id.index() {
            self.by_component.resize_with(id.index() + 1, || None);
        }
        let present = &mut self.present;
        self.by_component[id.index()].get_or_insert_with(|| {
            present.push(id);
            SparseSet::new(id, registry, entity_info)
        })
    }

    /// Whether no entity ever had a sparse component.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.present.is_empty()
    }

    /// Sets with their components, in order of creation.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (ComponentId, &SparseSet)> {
        let set = |&id: &ComponentId| Some((id, self.get(id)?));
        self.present.iter().filter_map(set)
    }

    /// Components with a set, in order of its creation.
    pub(crate) fn components(&self) -> Vec<ComponentId> {
        self.present.clone()
    }

    /// Makes blocks ours that a user's `clone` would have to copy; then any number of removals
    /// cannot panic.
    pub(crate) fn ready_all(&mut self, to: Writer<'_>) {
        self.iter_mut().for_each(|set| set.ready_all(to));
    }

    /// Makes every block ours, so that single values may be written through a shared borrow.
    pub(crate) fn own_all(&mut self, to: Writer<'_>) {
        self.iter_mut().for_each(|set| set.own(to));
    }

    /// Gives back the blocks that empty sets keep.
    pub(crate) fn release_reserves(&mut self) {
        let empty = |set: &&mut SparseSet| set.rows().is_empty();
        self.iter_mut().filter(empty).for_each(SparseSet::release);
    }

    fn iter_mut(&mut self) -> impl Iterator<Item = &mut SparseSet> {
        self.by_component.iter_mut().flatten()
    }

    /// Readies `remove_entity`: what may panic without having changed anything.
    pub(crate) fn ready_remove_entity(&mut self, entity: Entity, to: Writer<'_>) {
        self.iter_mut().for_each(|set| set.ready_remove(entity, to));
    }

    /// Drops all sparse components of an entity.
    pub(crate) fn remove_entity(
        &mut self,
        entity: Entity,
        to: Writer<'_>,
        panicked: &mut FirstPanic,
    ) {
        for set in self.iter_mut() {
            set.remove(entity, to, panicked);
        }
    }

    /// Components of an entity that lie in sets, in order of registration.
    pub(crate) fn of_entity(&self, entity: Entity) -> impl Iterator<Item = ComponentId> {
        let sets = self.by_component.iter().enumerate();
        sets.filter_map(move |(index, set)| {
            set.as_ref()?.row(entity)?;
            Some(ComponentId(index as u32))
        })
    }

    /// Drops every value of every set.
    pub(crate) fn clear(&mut self, panicked: &mut FirstPanic) {
        self.iter_mut().for_each(|set| set.clear(panicked));
    }
}

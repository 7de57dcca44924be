//! What a query or system touches, and whether two of them exclude each other.

use crate::component::info::ComponentId;
use crate::component::{ComponentSet, Registry};

/// Components read and written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Access {
    pub(crate) reads: ComponentSet,
    pub(crate) writes: ComponentSet,
}

impl Access {
    /// Components that both touch and at least one writes.
    pub(crate) fn conflicts(&self, other: &Self) -> ComponentSet {
        let mut conflicts = self.writes.intersection(&other.writes);
        conflicts.union_with(&self.writes.intersection(&other.reads));
        conflicts.union_with(&self.reads.intersection(&other.writes));
        conflicts
    }
}

/// The access of one query together with the archetypes it is limited to.
#[derive(Clone, Debug, Default)]
pub struct FilteredAccess {
    pub(crate) access: Access,
    pub(crate) with: ComponentSet,
    pub(crate) without: ComponentSet,
    /// A component that the query itself reads and writes, or writes twice.
    pub(crate) own_conflict: Option<ComponentId>,
}

impl FilteredAccess {
    pub(crate) fn read(&mut self, id: ComponentId) {
        if self.access.writes.contains(id) {
            self.own_conflict.get_or_insert(id);
        }
        self.access.reads.insert(id);
    }

    pub(crate) fn write(&mut self, id: ComponentId) {
        if self.access.writes.contains(id) || self.access.reads.contains(id) {
            self.own_conflict.get_or_insert(id);
        }
        self.access.writes.insert(id);
    }

    /// Whether no archetype can match both.
    fn is_disjoint(&self, other: &Self) -> bool {
        self.with.intersects(&other.without) || self.without.intersects(&other.with)
    }

    /// First component that both touch in a common archetype and at least one writes.
    pub(crate) fn conflict(&self, other: &Self) -> Option<ComponentId> {
        if self.is_disjoint(other) {
            return None;
        }
        self.access.conflicts(&other.access).iter().next()
    }

    pub(crate) fn own_conflict_name(&self, registry: &Registry) -> Option<&'static str> {
        self.own_conflict.map(|id| registry.name(id))
    }
}

//! Entries of the entity table, 1,024 to a page that forks share until one writes.

use std::num::NonZeroU32;

use crate::hash::{Node, StateHasher};
pub(super) use crate::storage::page::{PAGE, Page};

/// Archetype numbers that mean something else.
pub(super) const FREE: u32 = u32::MAX;
pub(super) const RETIRED: u32 = u32::MAX - 1;
pub(super) const RESERVED: u32 = u32::MAX - 2;

#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// Generation of the living entity, or of the next one.
    pub(super) generation: NonZeroU32,
    pub(super) archetype: u32,
    pub(super) row: u32,
}

pub(super) const BLANK: Entry = Entry {
    generation: NonZeroU32::MIN,
    archetype: FREE,
    row: 0,
};

impl Page<Entry> {
    /// Hash of generations and liveness: whoever changes one takes `values_touched`.
    pub(super) fn hash(&self) -> u128 {
        self.digest(|| {
            let mut hasher = StateHasher::node(Node::EntityPage, PAGE);
            for entry in self.values() {
                hasher.u32(entry.generation.get());
                hasher.u8(match entry.archetype {
                    FREE => 0,
                    RETIRED => 1,
                    _ => 2,
                });
            }
            hasher.finish()
        })
    }
}

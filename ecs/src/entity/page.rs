//! Entries of the entity table, 1,024 to a page that forks share until one writes.

use std::num::NonZeroU32;
use std::ptr::NonNull;
use std::sync::Arc;

use crate::hash::{Node, StateHasher};
use crate::storage::block::BlockMemory;
use crate::storage::pool::Pool;
use crate::storage::shared::Shared;

/// Entries of one page.
pub(super) const PAGE: usize = 1024;

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

const BLANK: Entry = Entry {
    generation: NonZeroU32::MIN,
    archetype: FREE,
    row: 0,
};

/// Entries in block memory, on huge pages like the columns: a random look-up costs one miss of
/// the address cache less. The digest is of generations and liveness.
pub(super) struct Page {
    entries: NonNull<Entry>,
    memory: Shared<BlockMemory>,
}

// SAFETY: the page owns the memory it points to, and entries are plain data.
unsafe impl Send for Page {}
// SAFETY: as above; only `&mut` writes.
unsafe impl Sync for Page {}

impl Clone for Page {
    /// Shares the entries.
    fn clone(&self) -> Self {
        Self {
            entries: self.entries,
            memory: self.memory.clone(),
        }
    }
}

impl Page {
    /// Takes memory for the entries without initialising them.
    fn uninit(pool: &Arc<Pool>) -> Self {
        let memory = BlockMemory::new(pool, size_of::<[Entry; PAGE]>(), align_of::<Entry>());
        Self {
            entries: memory.data().cast(),
            memory,
        }
    }

    pub(super) fn blank(pool: &Arc<Pool>) -> Self {
        let page = Self::uninit(pool);
        for index in 0..PAGE {
            // SAFETY: the memory has room for `PAGE` entries.
            let entry = unsafe { page.entries.add(index) };
            // SAFETY: as above, and nobody else has it yet.
            unsafe { entry.write(BLANK) };
        }
        page
    }

    #[inline]
    pub(super) fn entries(&self) -> &[Entry; PAGE] {
        // SAFETY: `blank` and `own` initialise every entry; writers have the table exclusively.
        unsafe { self.entries.cast().as_ref() }
    }

    /// The entries for writing; copies them if a fork shares them.
    #[inline]
    pub(super) fn entries_mut(&mut self, pool: &Arc<Pool>) -> &mut [Entry; PAGE] {
        if !self.memory.is_unique() {
            self.own(pool);
        }
        // SAFETY: initialised as above; the memory is ours alone, and so is `self`.
        unsafe { self.entries.cast().as_mut() }
    }

    /// As `entries_mut`, where generations or liveness change.
    #[inline]
    pub(super) fn entries_reborn(&mut self, pool: &Arc<Pool>) -> &mut [Entry; PAGE] {
        self.entries_mut(pool);
        self.memory.touch();
        // SAFETY: as `entries_mut`, which was just called.
        unsafe { self.entries.cast().as_mut() }
    }

    #[cold]
    #[inline(never)]
    fn own(&mut self, pool: &Arc<Pool>) {
        let copy = Self::uninit(pool);
        // SAFETY: `PAGE` plain entries on both sides, in two different blocks.
        unsafe { self.entries.copy_to_nonoverlapping(copy.entries, PAGE) };
        *self = copy;
    }

    pub(super) fn hash(&self) -> u128 {
        self.memory.digest(PAGE as u32, || {
            let mut hasher = StateHasher::node(Node::EntityPage, PAGE);
            for entry in self.entries() {
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

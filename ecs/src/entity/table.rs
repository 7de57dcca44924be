//! Which entities live, and where their rows are.
//!
//! Pages of 1,024 entries, shared between forks until one writes. The list of free indices runs
//! through the entries themselves (last freed, first used again), so a fork copies neither.
//!
//! Commands reserve handles while systems read the table: `reserve` walks the free list with a
//! cursor of its own and changes nothing; `flush` then takes the same indices in the same order.

use std::num::NonZeroU32;
use std::ptr::NonNull;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use super::Entity;
use crate::hash::{Node, StateHasher};
use crate::query::prefetch;
use crate::storage::shared::Shared;

const PAGE: usize = 1024;

/// End of the free list.
const NONE: u32 = u32::MAX;

/// An index of `u32::MAX` is never given out; neither is one beyond this many entities.
const MAX_ENTITIES: u32 = u32::MAX - 1;

/// Archetype numbers that mean something else.
const FREE: u32 = u32::MAX;
const RETIRED: u32 = u32::MAX - 1;
const RESERVED: u32 = u32::MAX - 2;

/// Where an entity's row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Location {
    pub(crate) archetype: u32,
    pub(crate) row: u32,
}

/// What a handle stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    At(Location),
    /// Handed out by `reserve`, flushed, not yet given a row.
    Reserved,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    /// Generation of the living entity, or of the next one.
    generation: NonZeroU32,
    archetype: u32,
    /// Row, or the next free index.
    row: u32,
}

/// Entries with the hash of their generations and liveness, kept until one of those changes.
#[derive(Clone)]
struct Page {
    entries: [Entry; PAGE],
    digest: OnceLock<u128>,
}

pub(crate) struct EntityTable {
    pages: Shared<Vec<Shared<Page>>>,
    /// Indices handed out so far; the entries below are initialised by use.
    len: u32,
    free: u32,
    living: u32,
    /// Free-list head (high half) and length (low half) after the reservations so far.
    reserved: AtomicU64,
}

fn pack(free: u32, len: u32) -> u64 {
    u64::from(free) << 32 | u64::from(len)
}

const BLANK: Entry = Entry {
    generation: NonZeroU32::MIN,
    archetype: FREE,
    row: NONE,
};

impl Page {
    fn hash(&self) -> u128 {
        let mut hasher = StateHasher::node(Node::EntityPage, PAGE);
        for entry in &self.entries {
            hasher.u32(entry.generation.get());
            match entry.archetype {
                FREE => hasher.u64(u64::from(entry.row)),
                RETIRED => hasher.u64(1 << 32),
                _ => hasher.u64(1 << 33),
            }
        }
        hasher.finish()
    }
}

impl EntityTable {
    pub(crate) fn new() -> Self {
        Self {
            pages: Shared::new(Vec::new()),
            len: 0,
            free: NONE,
            living: 0,
            reserved: AtomicU64::new(pack(NONE, 0)),
        }
    }

    /// A table that shares every page with this one, reservations included.
    pub(crate) fn share(&self) -> Self {
        Self {
            pages: self.pages.clone(),
            len: self.len,
            free: self.free,
            living: self.living,
            reserved: AtomicU64::new(self.reserved.load(Ordering::Relaxed)),
        }
    }

    /// Living entities.
    pub(crate) fn living_count(&self) -> u32 {
        self.living
    }

    #[inline]
    fn entry(&self, index: u32) -> Entry {
        self.pages[index as usize / PAGE].entries[index as usize % PAGE]
    }

    #[inline]
    fn entry_mut(&mut self, index: u32) -> &mut Entry {
        let pages = self.pages.make_mut();
        &mut pages[index as usize / PAGE].make_mut().entries[index as usize % PAGE]
    }

    /// An entry whose generation or liveness changes.
    #[inline]
    fn entry_reborn(&mut self, index: u32) -> &mut Entry {
        let page = self.pages.make_mut()[index as usize / PAGE].make_mut();
        page.digest.take();
        &mut page.entries[index as usize % PAGE]
    }

    /// Where a living entity is; `None` for a dead or unknown handle.
    #[inline]
    pub(crate) fn get(&self, entity: Entity) -> Option<Place> {
        if entity.index >= self.len {
            return None;
        }
        let entry = self.entry(entity.index);
        if entry.generation != entity.generation || entry.archetype == FREE {
            return None;
        }
        match entry.archetype {
            RETIRED => None,
            RESERVED => Some(Place::Reserved),
            archetype => Some(Place::At(Location {
                archetype,
                row: entry.row,
            })),
        }
    }

    /// Asks the processor for what `get` will read.
    #[inline]
    pub(crate) fn prefetch(&self, entity: Entity) {
        if entity.index < self.len {
            let page = &self.pages[entity.index as usize / PAGE];
            prefetch(NonNull::from(&page.entries[entity.index as usize % PAGE]));
        }
    }

    /// The living entity of an index, with the generation it has now.
    pub(crate) fn living_at(&self, index: u32) -> Option<Entity> {
        let entry = (index < self.len).then(|| self.entry(index))?;
        let dead = matches!(entry.archetype, FREE | RETIRED);
        (!dead).then_some(Entity {
            index,
            generation: entry.generation,
        })
    }

    /// Living entities in order of their index.
    pub(crate) fn living(&self) -> impl Iterator<Item = Entity> {
        (0..self.len).filter_map(|index| self.living_at(index))
    }

    /// Takes the next handle. It has no row until `set`.
    ///
    /// # Panics
    /// When 2^32 - 2 entities live or are retired.
    #[inline]
    pub(crate) fn allocate(&mut self) -> Entity {
        let index = if self.free != NONE {
            let index = self.free;
            self.free = self.entry(index).row;
            index
        } else {
            assert!(
                self.len < MAX_ENTITIES,
                "a world holds at most {MAX_ENTITIES} entities"
            );
            let index = self.len;
            if index as usize / PAGE == self.pages.len() {
                let page = Page {
                    entries: [BLANK; PAGE],
                    digest: OnceLock::new(),
                };
                self.pages.make_mut().push(Shared::new(page));
            }
            self.len += 1;
            index
        };
        self.living += 1;
        let entry = self.entry_reborn(index);
        entry.archetype = RESERVED;
        entry.row = NONE;
        let generation = entry.generation;
        *self.reserved.get_mut() = pack(self.free, self.len);
        Entity { index, generation }
    }

    /// Reserves a handle without changing the table. It lives from the next `flush` on.
    pub(crate) fn reserve(&self) -> Entity {
        let mut seen = self.reserved.load(Ordering::Relaxed);
        loop {
            let (free, len) = ((seen >> 32) as u32, seen as u32);
            let (entity, next) = if free != NONE {
                let entry = self.entry(free);
                (
                    Entity {
                        index: free,
                        generation: entry.generation,
                    },
                    pack(entry.row, len),
                )
            } else {
                assert!(
                    len < MAX_ENTITIES,
                    "a world holds at most {MAX_ENTITIES} entities"
                );
                (
                    Entity {
                        index: len,
                        generation: NonZeroU32::MIN,
                    },
                    pack(NONE, len + 1),
                )
            };
            // Relaxed: the cursor guards nothing but itself; the entries do not change before
            // `flush`, which has the table to itself.
            match self.reserved.compare_exchange_weak(
                seen,
                next,
                Ordering::Relaxed,
                Ordering::Relaxed,
            ) {
                Ok(_) => return entity,
                Err(now) => seen = now,
            }
        }
    }

    /// Makes the reserved handles living ones, without a row.
    #[inline]
    pub(crate) fn flush(&mut self) {
        let wanted = *self.reserved.get_mut();
        while pack(self.free, self.len) != wanted {
            self.allocate();
            *self.reserved.get_mut() = wanted;
        }
    }

    /// Takes back what was reserved since the last `flush`.
    pub(crate) fn cancel_reservations(&mut self) {
        *self.reserved.get_mut() = pack(self.free, self.len);
    }

    /// Sets the row of a living entity.
    #[inline]
    pub(crate) fn set(&mut self, entity: Entity, location: Location) {
        let entry = self.entry_mut(entity.index);
        debug_assert_eq!(entry.generation, entity.generation);
        entry.archetype = location.archetype;
        entry.row = location.row;
    }

    /// Frees the handle of a living entity; an index without further generations is retired.
    pub(crate) fn free(&mut self, entity: Entity) {
        let next = self.free;
        let entry = self.entry_reborn(entity.index);
        debug_assert_eq!(entry.generation, entity.generation);
        match entry.generation.checked_add(1) {
            Some(generation) => {
                *entry = Entry {
                    generation,
                    archetype: FREE,
                    row: next,
                };
                self.free = entity.index;
            }
            None => {
                entry.archetype = RETIRED;
                entry.row = NONE;
            }
        }
        self.living -= 1;
        *self.reserved.get_mut() = pack(self.free, self.len);
    }

    /// Generations, liveness and the free list, in index order. Rows enter the state hash by the
    /// archetypes' own entity columns.
    pub(crate) fn hash_state(&self, hasher: &mut StateHasher) {
        hasher.u32(self.len);
        hasher.u32(self.free);
        // What was reserved decides which handles come next.
        hasher.u64(self.reserved.load(Ordering::Relaxed));
        for page in self.pages.iter() {
            hasher.u128(*page.digest.get_or_init(|| page.hash()));
        }
    }

    #[cfg(test)]
    pub(crate) fn set_generation(&mut self, entity: Entity, generation: u32) -> Entity {
        let generation = NonZeroU32::new(generation).expect("generations start at 1");
        self.entry_mut(entity.index).generation = generation;
        Entity {
            generation,
            ..entity
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_handles_are_the_ones_that_allocation_would_give() {
        let mut table = EntityTable::new();
        let first: Vec<Entity> = (0..10).map(|_| table.allocate()).collect();
        for &entity in &[first[3], first[7], first[1]] {
            table.free(entity);
        }
        let mut twin = table.share();
        let reserved: Vec<Entity> = (0..6).map(|_| table.reserve()).collect();
        assert!(reserved.iter().all(|&entity| table.get(entity).is_none()));
        table.flush();
        assert!(
            reserved
                .iter()
                .all(|&entity| table.get(entity) == Some(Place::Reserved))
        );
        let allocated: Vec<Entity> = (0..6).map(|_| twin.allocate()).collect();
        assert_eq!(reserved, allocated);
        assert_eq!(table.living_count(), twin.living_count());
        assert_eq!(table.allocate(), twin.allocate());
    }

    #[test]
    fn an_index_without_further_generations_is_retired() {
        let mut table = EntityTable::new();
        let entity = table.allocate();
        let last = table.set_generation(entity, u32::MAX);
        table.free(last);
        assert_eq!(table.get(last), None);
        assert_eq!(table.living_at(last.index()), None);
        assert_ne!(table.allocate().index(), last.index());
        assert_eq!(table.living_count(), 1);
    }

    #[test]
    fn a_freed_handle_is_dead_and_its_index_comes_back_younger() {
        let mut table = EntityTable::new();
        let old = table.allocate();
        table.free(old);
        let new = table.allocate();
        assert_eq!(new.index(), old.index());
        assert_eq!(new.generation(), old.generation() + 1);
        assert_eq!(table.get(old), None);
        assert_eq!(table.get(new), Some(Place::Reserved));
    }

    #[test]
    fn reserving_from_many_threads_gives_distinct_handles() {
        let mut table = EntityTable::new();
        let freed: Vec<Entity> = (0..100).map(|_| table.allocate()).collect();
        for entity in freed {
            table.free(entity);
        }
        let mut all = std::thread::scope(|scope| {
            let reserve = || (0..500).map(|_| table.reserve()).collect::<Vec<_>>();
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(reserve)).collect();
            let joined = threads
                .into_iter()
                .map(|t| t.join().expect("no panic inside"));
            joined.flatten().collect::<Vec<_>>()
        });
        table.flush();
        assert!(
            all.iter()
                .all(|&entity| table.get(entity) == Some(Place::Reserved))
        );
        all.sort();
        all.dedup();
        assert_eq!((all.len(), table.living_count()), (2000, 2000));
    }
}

//! Handles of the sequence that are reserved while systems read the table, and dead ones that a
//! caller names.

use std::num::NonZeroU32;
use std::sync::atomic::Ordering;

use super::{EntityTable, MAX_ENTITIES};
use crate::entity::Entity;
use crate::entity::page::{FREE, RESERVED, RETIRED};
use crate::error::SpawnAtError;

/// How far beyond the table's end a handle may be claimed: 200 MB of entries.
const CLAIM_AHEAD_MAX: u32 = 1 << 24;

impl EntityTable {
    /// Whether `claim` may take a handle.
    ///
    /// # Errors
    /// When its generation was used before, or its index is far beyond the table.
    pub(crate) fn check_claim(&self, entity: Entity) -> Result<(), SpawnAtError> {
        let index_max = self
            .len
            .saturating_add(CLAIM_AHEAD_MAX)
            .min(MAX_ENTITIES - 1);
        if entity.index > index_max {
            return Err(SpawnAtError::TooFar { entity, index_max });
        }
        if entity.index >= self.len {
            return Ok(());
        }
        let entry = self.entry(entity.index);
        let unused = match entry.archetype {
            RETIRED => None,
            FREE => Some(entry.generation),
            _ => entry.generation.checked_add(1),
        };
        match unused.map(NonZeroU32::get) {
            Some(generation) if entity.generation() >= generation => Ok(()),
            Some(generation) => Err(SpawnAtError::Used { entity, generation }),
            None => Err(SpawnAtError::Retired { entity }),
        }
    }

    /// Makes a dead handle that `check_claim` allowed a living one, without a row.
    pub(crate) fn claim(&mut self, entity: Entity) {
        while self.len <= entity.index {
            let index = self.next_fresh();
            self.free.push(index);
        }
        let was_free = self.free.take(entity.index);
        debug_assert!(was_free, "a dead index that is not retired is free");
        self.living += 1;
        let entry = self.entry_reborn(entity.index);
        entry.generation = entity.generation;
        entry.archetype = RESERVED;
    }

    /// The handle at a position of the sequence that allocation follows, from 0.
    pub(in crate::entity) fn at_position(&self, position: u32) -> Entity {
        if position < self.free.len() {
            let index = self.free.nth_pop(position);
            let generation = self.entry(index).generation;
            return Entity { index, generation };
        }
        let fresh = position - self.free.len();
        assert!(
            fresh < MAX_ENTITIES - self.len,
            "a world holds at most {MAX_ENTITIES} entities"
        );
        Entity {
            index: self.len + fresh,
            generation: NonZeroU32::MIN,
        }
    }

    /// The handle that `allocate` would give now.
    pub(crate) fn next(&self) -> Entity {
        self.at_position(0)
    }

    /// Reserves a handle without changing the table. It lives from the next `flush` on.
    pub(crate) fn reserve(&self) -> Entity {
        // Relaxed: the count guards nothing but itself; the sequence does not change before
        // `flush`, which has the table to itself.
        self.at_position(self.reserved.fetch_add(1, Ordering::Relaxed))
    }

    /// Makes the reserved handles living ones, without a row.
    #[inline]
    pub(crate) fn flush(&mut self) {
        if *self.reserved.get_mut() != 0 {
            self.flush_slowly();
        }
    }

    #[cold]
    fn flush_slowly(&mut self) {
        for _ in 0..std::mem::take(self.reserved.get_mut()) {
            self.allocate();
        }
    }

    /// Takes back what was reserved since the last `flush`.
    pub(crate) fn cancel_reservations(&mut self) {
        *self.reserved.get_mut() = 0;
    }
}

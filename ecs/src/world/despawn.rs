//! Entities that go: one of them, or all.

use super::World;
use crate::archetype::ArchetypeId;
use crate::entity::{Entity, Location, Place};
use crate::error::NoSuchEntity;
use crate::observer::Watch;
use crate::panics::FirstPanic;
use crate::storage::column::Writer;

impl World {
    /// Removes an entity and drops its components.
    ///
    /// # Errors
    /// When the handle's entity does not live in this world.
    ///
    /// # Cost
    /// The last row of each column moves into the gap; a look at each sparse set, if there are any.
    ///
    /// ```
    /// use orrery_ecs::{NoSuchEntity, World};
    /// let mut world = World::new();
    /// let entity = world.spawn(()).id();
    /// assert_eq!(world.despawn(entity), Ok(()));
    /// assert_eq!(world.despawn(entity), Err(NoSuchEntity { entity }));
    /// ```
    #[inline]
    pub fn despawn(&mut self, entity: Entity) -> Result<(), NoSuchEntity> {
        self.flush_reserved();
        if !self.observers.watch.intersects(Watch::DEPARTURE) && self.despawn_bytes(entity) {
            return Ok(());
        }
        self.despawn_any(entity)
    }

    #[inline(never)]
    fn despawn_any(&mut self, entity: Entity) -> Result<(), NoSuchEntity> {
        let place = self.entities.get(entity).ok_or(NoSuchEntity { entity })?;
        let Place::At(location) = place else {
            self.despawn_watched(entity);
            return Ok(());
        };
        if self.may_be_watched(ArchetypeId(location.archetype), Watch::DEPARTURE)
            && self.is_departure_watched(entity)
        {
            self.despawn_watched(entity);
        } else {
            self.despawn_row(entity, location);
        }
        Ok(())
    }

    /// Removes an entity that has a row, and tells nobody.
    #[inline]
    pub(super) fn despawn_row(&mut self, entity: Entity, location: Location) {
        if !self.despawn_bytes(entity) {
            self.despawn_row_slowly(entity, location);
        }
    }

    /// Removes an entity whose row is bytes where nothing has to be readied for that, and tells
    /// nobody. Says whether it did.
    #[inline(always)]
    fn despawn_bytes(&mut self, entity: Entity) -> bool {
        let Some(leaving) = self.entities.leaving(entity) else {
            return false;
        };
        let (location, tick) = (leaving.location(), self.tick);
        // Where there is no row the number is none of an archetype.
        let Some(archetype) = self.archetypes.get_mut(location.archetype as usize) else {
            return false;
        };
        if !self.sparse.is_empty() || !archetype.is_bytes() {
            return false;
        }
        let Some(gap) = archetype.gap(location.row as usize, tick) else {
            return false;
        };
        leaving.free();
        // SAFETY: it was given above.
        if let Some(filler) = unsafe { archetype.filler(gap) } {
            // At random its entry is another miss of the cache, which waits here for the copy.
            self.entities.prefetch(filler);
        }
        // SAFETY: as above; the values are bytes, which need no drop.
        if let Some(filler) = unsafe { archetype.fill_bytes(gap) } {
            self.entities.set(filler, location);
        }
        true
    }

    #[inline(never)]
    fn despawn_row_slowly(&mut self, entity: Entity, location: Location) {
        let to = Writer {
            pool: &self.pool,
            tick: self.tick,
        };
        if !self.sparse.is_empty() {
            self.sparse.ready_remove_entity(entity, to);
        }
        let archetype = &mut self.archetypes[location.archetype as usize];
        let mut moved = archetype.remove_row(location.row as usize, to);
        if !self.sparse.is_empty() {
            self.sparse.remove_entity(entity, to, &mut moved.panicked);
        }
        self.entities.free(entity);
        self.settle(location, moved);
    }

    /// Despawns every entity. Handles given out before stay dead. Observers run when all are gone.
    ///
    /// # Cost
    /// The drops that components need; memory is kept for the next entities
    /// ([`compact`](World::compact) gives it back).
    ///
    /// ```
    /// use orrery_ecs::World;
    /// let mut world = World::new();
    /// let old = world.spawn(()).id();
    /// world.clear();
    /// let new = world.spawn(()).id();
    /// assert!(world.len() == 1 && new != old && !world.contains(old));
    /// ```
    pub fn clear(&mut self) {
        self.flush_reserved();
        if self.observers.watch.intersects(Watch::DEPARTURE) {
            return self.clear_watched();
        }
        let mut panicked = FirstPanic::default();
        for archetype in &mut self.archetypes {
            panicked.catch(|| archetype.clear());
        }
        self.sparse.clear(&mut panicked);
        self.entities.free_all();
        panicked.resume();
    }
}

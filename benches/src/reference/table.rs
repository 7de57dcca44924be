//! An archetype written by hand: flat columns, a row for each entity, a table of locations.
//!
//! It keeps what a library must keep and nothing else: handles with a generation that die, rows
//! without gaps, and a location for each handle. No change ticks, no sharing, one set of columns.
//!
//! ```text
//! handle (generation, index) -> locations[index] (generation, row) -> columns[row]
//! ```

use super::Flat;
use crate::cases::population::{
    DIGEST_START, Position, Rich, Rotation, Transform, Velocity, digest, rich,
};

/// A row of handles or of locations: generation above, index or row below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handle(u64);

impl Handle {
    /// Of a generation and an index or a row.
    #[must_use]
    #[inline]
    pub fn new(generation: u32, index: u32) -> Self {
        Self(u64::from(generation) << 32 | u64::from(index))
    }

    /// The index or the row.
    #[must_use]
    #[inline]
    pub fn index(self) -> usize {
        self.0 as u32 as usize
    }

    #[inline]
    fn generation(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// Whether both belong to one entity.
    #[must_use]
    #[inline]
    pub fn same_generation(self, other: Self) -> bool {
        (self.0 ^ other.0) >> 32 == 0
    }
}

/// Entities of 100 bytes in four columns, with room for a fixed number of them.
pub struct Table {
    transforms: Flat<Transform>,
    positions: Flat<Position>,
    rotations: Flat<Rotation>,
    velocities: Flat<Velocity>,
    /// Handle of each row.
    entities: Flat<u64>,
    /// Generation and row of each index.
    locations: Flat<u64>,
    /// Indices that are free, each with the generation that comes next.
    free: Vec<Handle>,
    len: usize,
}

impl Table {
    /// An empty table, whose memory nobody has touched.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        Self {
            transforms: Flat::zeroed(capacity),
            positions: Flat::zeroed(capacity),
            rotations: Flat::zeroed(capacity),
            velocities: Flat::zeroed(capacity),
            entities: Flat::zeroed(capacity),
            locations: Flat::zeroed(capacity),
            free: Vec::with_capacity(capacity),
            len: 0,
        }
    }

    /// Living entities.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether no entity lives.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Handles in order of rows.
    pub fn entities(&self) -> impl Iterator<Item = Handle> {
        self.entities.values()[..self.len]
            .iter()
            .copied()
            .map(Handle)
    }

    /// Fills an empty table, column by column: the floor of every way to spawn many.
    ///
    /// # Panics
    /// When entities live, or when there is no room.
    pub fn fill(&mut self, count: usize) {
        assert!(self.is_empty(), "{} entities live", self.len);
        fn column<T: bytemuck::Pod>(
            column: &mut Flat<T>,
            count: usize,
            value: impl Fn(usize) -> T,
        ) {
            let rows = column.values_mut()[..count].iter_mut();
            rows.enumerate()
                .for_each(|(row, place)| *place = value(row));
        }
        column(&mut self.transforms, count, |row| rich(row).0);
        column(&mut self.positions, count, |row| rich(row).1);
        column(&mut self.rotations, count, |row| rich(row).2);
        column(&mut self.velocities, count, |row| rich(row).3);
        let first = |row| Handle::new(1, row as u32).0;
        column(&mut self.entities, count, first);
        column(&mut self.locations, count, first);
        self.free.clear();
        self.len = count;
    }

    /// Empties the table and forgets all handles, as if it were new.
    pub fn clear(&mut self) {
        self.free.clear();
        self.len = 0;
    }

    /// The columns as slices, found once for many operations.
    pub fn open(&mut self) -> OpenTable<'_> {
        OpenTable {
            transforms: self.transforms.values_mut(),
            positions: self.positions.values_mut(),
            rotations: self.rotations.values_mut(),
            velocities: self.velocities.values_mut(),
            entities: self.entities.values_mut(),
            locations: self.locations.values_mut(),
            free: &mut self.free,
            len: &mut self.len,
        }
    }

    /// Digest of the four columns.
    #[must_use]
    pub fn digest(&self) -> u64 {
        fn of<T: bytemuck::Pod>(column: &Flat<T>, len: usize) -> u64 {
            digest(bytemuck::cast_slice(&column.values()[..len]), DIGEST_START)
        }
        of(&self.transforms, self.len)
            ^ of(&self.positions, self.len)
            ^ of(&self.rotations, self.len)
            ^ of(&self.velocities, self.len)
    }
}

/// A table whose columns were found.
pub struct OpenTable<'a> {
    transforms: &'a mut [Transform],
    positions: &'a mut [Position],
    rotations: &'a mut [Rotation],
    velocities: &'a mut [Velocity],
    entities: &'a mut [u64],
    locations: &'a mut [u64],
    free: &'a mut Vec<Handle>,
    len: &'a mut usize,
}

impl OpenTable<'_> {
    /// Spawns one entity.
    ///
    /// # Panics
    /// When there is no room.
    #[inline]
    pub fn spawn(&mut self, (transform, position, rotation, velocity): Rich) -> Handle {
        let row = *self.len;
        let handle = self.free.pop().unwrap_or(Handle::new(1, row as u32));
        self.transforms[row] = transform;
        self.positions[row] = position;
        self.rotations[row] = rotation;
        self.velocities[row] = velocity;
        self.entities[row] = handle.0;
        self.locations[handle.index()] = Handle::new(handle.generation(), row as u32).0;
        *self.len += 1;
        handle
    }

    /// Despawns an entity, whose row the last one takes. Says whether it lived.
    #[inline]
    pub fn despawn(&mut self, handle: Handle) -> bool {
        let Some(row) = self.row(handle) else {
            return false;
        };
        let last = *self.len - 1;
        self.transforms[row] = self.transforms[last];
        self.positions[row] = self.positions[last];
        self.rotations[row] = self.rotations[last];
        self.velocities[row] = self.velocities[last];
        self.entities[row] = self.entities[last];
        let moved = Handle(self.entities[row]);
        let next = handle.generation() + 1;
        self.locations[moved.index()] = Handle::new(moved.generation(), row as u32).0;
        self.locations[handle.index()] = Handle::new(next, u32::MAX).0;
        self.free.push(Handle::new(next, handle.index() as u32));
        *self.len = last;
        true
    }

    /// Position of an entity that lives.
    #[must_use]
    #[inline]
    pub fn position(&self, handle: Handle) -> Option<&Position> {
        self.positions.get(self.row(handle)?)
    }

    #[inline]
    fn row(&self, handle: Handle) -> Option<usize> {
        let location = Handle(*self.locations.get(handle.index())?);
        location.same_generation(handle).then_some(location.index())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_leads_to_its_entity_until_it_is_despawned() {
        let mut table = Table::new(5);
        table.fill(4);
        let handles: Vec<Handle> = table.entities().collect();
        let mut table = table.open();
        let x = |table: &OpenTable, handle| table.position(handle).map(|position| position.x);
        assert_eq!(x(&table, handles[3]), Some(3.0));
        assert!(table.despawn(handles[1]) && !table.despawn(handles[1]));
        assert_eq!((*table.len, x(&table, handles[1])), (3, None));
        assert_eq!(x(&table, handles[3]), Some(3.0), "it moved to row 1");
        let reborn = table.spawn(rich(7));
        assert_eq!((reborn.index(), x(&table, reborn)), (1, Some(7.0)));
        assert_eq!(x(&table, handles[1]), None);
    }

    #[test]
    fn filling_and_spawning_one_by_one_give_the_same_rows() {
        let (mut filled, mut spawned) = (Table::new(9), Table::new(9));
        filled.fill(9);
        (0..9).for_each(|entity| _ = spawned.open().spawn(rich(entity)));
        assert_eq!(filled.digest(), spawned.digest());
        assert!(filled.entities().eq(spawned.entities()));
        filled.clear();
        assert!(filled.is_empty());
    }
}

//! A sparse set written by hand: one component, which entities get and lose without moving.

use super::Flat;

/// No row: the entity lacks the component.
const NONE: u32 = u32::MAX;

/// Values without gaps, and for each entity the row of its own.
pub struct SparseSet {
    rows: Flat<u32>,
    entities: Flat<u32>,
    values: Flat,
    len: usize,
}

impl SparseSet {
    /// Nobody has the component; there is room for entities 0 to `count`.
    #[must_use]
    pub fn new(count: usize) -> Self {
        Self {
            rows: Flat::from_fn(count, |_| NONE),
            entities: Flat::from_fn(count, |_| 0),
            values: Flat::from_fn(count, |_| 0.0),
            len: 0,
        }
    }

    /// The arrays as slices, found once for many operations.
    pub fn open(&mut self) -> OpenSparseSet<'_> {
        OpenSparseSet {
            rows: self.rows.values_mut(),
            entities: self.entities.values_mut(),
            values: self.values.values_mut(),
            len: &mut self.len,
        }
    }

    /// The component where entities have it, in order of rows.
    #[must_use]
    pub fn values(&self) -> &[f32] {
        &self.values.values()[..self.len]
    }
}

/// A sparse set whose arrays were found.
pub struct OpenSparseSet<'a> {
    rows: &'a mut [u32],
    entities: &'a mut [u32],
    values: &'a mut [f32],
    len: &'a mut usize,
}

impl OpenSparseSet<'_> {
    /// Adds the component. Says whether the entity lacked it.
    #[inline]
    pub fn insert(&mut self, entity: usize, value: f32) -> bool {
        let row = &mut self.rows[entity];
        if *row != NONE {
            return false;
        }
        *row = *self.len as u32;
        self.entities[*self.len] = entity as u32;
        self.values[*self.len] = value;
        *self.len += 1;
        true
    }

    /// Removes the component. Says whether the entity had it.
    #[inline]
    pub fn remove(&mut self, entity: usize) -> bool {
        let row = std::mem::replace(&mut self.rows[entity], NONE);
        if row == NONE {
            return false;
        }
        let (at, last) = (row as usize, *self.len - 1);
        if at != last {
            self.entities[at] = self.entities[last];
            self.rows[self.entities[at] as usize] = row;
            self.values[at] = self.values[last];
        }
        *self.len = last;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_value_fills_the_place_of_one_that_goes() {
        let mut set = SparseSet::new(4);
        let mut open = set.open();
        for entity in [2, 0, 3] {
            assert!(open.insert(entity, entity as f32));
        }
        assert!(!open.insert(2, 9.0));
        assert!(open.remove(2) && !open.remove(2) && !open.remove(1));
        assert_eq!(set.values(), [3.0, 0.0]);
        let mut open = set.open();
        assert!(open.remove(0) && open.remove(3));
        assert!(set.values().is_empty());
    }
}

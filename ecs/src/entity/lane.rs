//! Handles reserved on several threads at once, the same ones whatever the threads do.
//!
//! Handles come in one sequence. Lane `i` of `n` takes places `i`, `i + n`, `i + 2n`, ... of it:
//! which handle a lane gives next depends on what that lane did before, and on nothing else. Places
//! below the last one used that no lane took become free indices, in the order of the sequence, so
//! that a later reservation uses them up.

use super::Entity;
use super::table::EntityTable;

/// One of several lanes of the sequence of handles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lane {
    first: u32,
    stride: u32,
    taken: u32,
}

impl Lane {
    /// Lane `index` of `count`, of which nothing was taken.
    pub(crate) fn new(index: usize, count: usize) -> Self {
        debug_assert!(index < count, "lane {index} of {count}");
        let number = |value: usize| u32::try_from(value).expect("fewer than 2^32 lanes");
        Self {
            first: number(index),
            stride: number(count),
            taken: 0,
        }
    }

    /// Lane `index` of `count` within this one, of which nothing was taken.
    pub(crate) fn part(self, index: usize, count: usize) -> Self {
        debug_assert!(index < count && self.taken == 0, "lane {index} of {count}");
        let ahead = |value: usize| {
            let value = u32::try_from(value).ok();
            let ahead = value.and_then(|value| value.checked_mul(self.stride));
            ahead.expect("fewer than 2^32 lanes")
        };
        let first = self.first.checked_add(ahead(index));
        Self {
            first: first.expect("fewer than 2^32 lanes"),
            stride: ahead(count),
            taken: 0,
        }
    }

    fn place(&self, taken: u32) -> u32 {
        let ahead = taken.checked_mul(self.stride);
        let place = ahead.and_then(|ahead| ahead.checked_add(self.first));
        place.expect("the lanes hold fewer than 2^32 handles")
    }

    /// What was taken of it so far; nothing is taken of what stays.
    pub(crate) fn take(&mut self) -> Self {
        let untouched = Self { taken: 0, ..*self };
        std::mem::replace(self, untouched)
    }

    fn places(self) -> impl Iterator<Item = u32> {
        (0..self.taken).map(move |taken| self.place(taken))
    }
}

impl EntityTable {
    /// Reserves the next handle of a lane. It lives from `flush_lanes` on.
    ///
    /// # Panics
    /// When the sequence has no further handles.
    pub(crate) fn reserve_in(&self, lane: &mut Lane) -> Entity {
        let entity = self.at_position(lane.place(lane.taken));
        lane.taken += 1;
        entity
    }

    /// Makes the handles of all lanes living ones, without a row. No two lanes share a place, and
    /// nothing was reserved beside them.
    pub(crate) fn flush_lanes(&mut self, lanes: impl Iterator<Item = Lane>) {
        let mut used: Vec<u32> = lanes.flat_map(Lane::places).collect();
        used.sort_unstable();
        let mut passed_over = Vec::new();
        let mut position = 0;
        for place in used {
            while position < place {
                passed_over.push(self.next_index());
                position += 1;
            }
            self.allocate();
            position += 1;
        }
        passed_over
            .into_iter()
            .rev()
            .for_each(|index| self.push_free(index));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entity::Place;
    use crate::storage::pool::Pool;
    use std::sync::Arc;

    fn table_with_free(count: usize) -> EntityTable {
        let mut table = EntityTable::new(Arc::new(Pool::new()));
        let all: Vec<Entity> = (0..count).map(|_| table.allocate()).collect();
        all.into_iter().for_each(|entity| table.free(entity));
        table
    }

    /// Reserves a number of handles in each lane, lanes in the order given.
    fn reserve(table: &EntityTable, wanted: &[usize], order: &[usize]) -> Vec<Vec<Entity>> {
        let mut all = vec![Vec::new(); wanted.len()];
        for &index in order {
            let mut lane = Lane::new(index, wanted.len());
            all[index] = (0..wanted[index])
                .map(|_| table.reserve_in(&mut lane))
                .collect();
        }
        all
    }

    fn lanes(wanted: &[usize]) -> impl Iterator<Item = Lane> {
        wanted.iter().enumerate().map(|(index, &taken)| Lane {
            taken: taken as u32,
            ..Lane::new(index, wanted.len())
        })
    }

    #[test]
    fn a_lane_gives_the_same_handles_whoever_comes_first() {
        for free in [0, 3, 50] {
            let table = table_with_free(free);
            let wanted = [5, 0, 12, 1];
            let there = reserve(&table, &wanted, &[0, 1, 2, 3]);
            assert_eq!(there, reserve(&table, &wanted, &[3, 2, 1, 0]));
            let mut flat: Vec<Entity> = there.into_iter().flatten().collect();
            let count = flat.len();
            flat.sort();
            flat.dedup();
            assert_eq!(flat.len(), count, "every handle is given once");
        }
    }

    #[test]
    fn what_was_reserved_lives_and_what_was_passed_over_comes_next() {
        for free in [0, 3, 50] {
            let mut table = table_with_free(free);
            let wanted = [2, 0, 4];
            let reserved: Vec<Entity> = reserve(&table, &wanted, &[2, 0, 1])
                .into_iter()
                .flatten()
                .collect();
            // Places 0 and 3, and 2, 5, 8 and 11, of the sequence were taken.
            let passed_over = [1, 4, 6, 7, 9, 10].map(|place| table.at_position(place));
            table.flush_lanes(lanes(&wanted));
            for &entity in &reserved {
                assert_eq!(table.get(entity), Some(Place::Reserved));
            }
            assert_eq!(table.living_count() as usize, reserved.len());
            assert_eq!(passed_over.map(|_| table.allocate()), passed_over);
        }
    }

    #[test]
    fn parts_of_lanes_share_no_place_whatever_their_counts() {
        let table = table_with_free(9);
        let mut lanes = Vec::new();
        for (index, count) in [3, 1, 5].into_iter().enumerate() {
            lanes.extend((0..count).map(|part| Lane::new(index, 3).part(part, count)));
        }
        let mut all: Vec<Entity> = lanes
            .iter_mut()
            .flat_map(|lane| (0..20).map(|_| table.reserve_in(lane)).collect::<Vec<_>>())
            .collect();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 9 * 20);
        assert_eq!(Lane::new(1, 3).part(0, 1), Lane::new(1, 3));
    }

    #[test]
    fn one_lane_gives_what_allocation_would() {
        let (mut table, mut twin) = (table_with_free(7), table_with_free(7));
        let reserved = reserve(&table, &[20], &[0]);
        table.flush_lanes(lanes(&[20]));
        let allocated: Vec<Entity> = (0..20).map(|_| twin.allocate()).collect();
        assert_eq!(reserved, [allocated]);
        assert_eq!(table.allocate(), twin.allocate());
    }
}

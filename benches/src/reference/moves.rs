//! Two archetypes written by hand that differ by one component, and the moves between them.
//!
//! The rows of each side have no gaps: a row that leaves is filled by the last one, and each
//! entity's location says on which side it is and in which row.

use bytemuck::Pod;

use super::Flat;

/// Columns that are moved together.
pub trait Columns {
    /// The same as slices.
    type Open<'a>: Rows
    where
        Self: 'a;
    /// Finds the slices.
    fn open(&mut self) -> Self::Open<'_>;
}

/// Slices that are moved together, row by row or all at once.
pub trait Rows {
    /// Copies a row to row `at` of others, and the last row over it.
    fn move_row(&mut self, row: usize, last: usize, into: &mut Self, at: usize);
    /// Copies the first `count` rows to others.
    fn move_all(&mut self, count: usize, into: &mut Self);
}

impl<T: Pod> Columns for Flat<T> {
    type Open<'a> = &'a mut [T];

    fn open(&mut self) -> Self::Open<'_> {
        self.values_mut()
    }
}

impl<T: Pod> Rows for &mut [T] {
    #[inline]
    fn move_row(&mut self, row: usize, last: usize, into: &mut Self, at: usize) {
        into[at] = self[row];
        self[row] = self[last];
    }

    fn move_all(&mut self, count: usize, into: &mut Self) {
        into[..count].copy_from_slice(&self[..count]);
    }
}

impl<A: Columns, B: Columns, C: Columns, D: Columns> Columns for (A, B, C, D) {
    type Open<'a>
        = (A::Open<'a>, B::Open<'a>, C::Open<'a>, D::Open<'a>)
    where
        Self: 'a;

    fn open(&mut self) -> Self::Open<'_> {
        (self.0.open(), self.1.open(), self.2.open(), self.3.open())
    }
}

impl<A: Rows, B: Rows, C: Rows, D: Rows> Rows for (A, B, C, D) {
    #[inline]
    fn move_row(&mut self, row: usize, last: usize, into: &mut Self, at: usize) {
        self.0.move_row(row, last, &mut into.0, at);
        self.1.move_row(row, last, &mut into.1, at);
        self.2.move_row(row, last, &mut into.2, at);
        self.3.move_row(row, last, &mut into.3, at);
    }

    fn move_all(&mut self, count: usize, into: &mut Self) {
        self.0.move_all(count, &mut into.0);
        self.1.move_all(count, &mut into.1);
        self.2.move_all(count, &mut into.2);
        self.3.move_all(count, &mut into.3);
    }
}

struct Side<C> {
    columns: C,
    /// Entity of each row.
    entities: Flat<u32>,
    len: usize,
}

impl<C: Columns> Side<C> {
    fn open(&mut self) -> OpenSide<'_, C::Open<'_>> {
        OpenSide {
            rows: self.columns.open(),
            entities: self.entities.values_mut(),
            len: &mut self.len,
        }
    }
}

struct OpenSide<'a, R> {
    rows: R,
    entities: &'a mut [u32],
    len: &'a mut usize,
}

impl<R: Rows> OpenSide<'_, R> {
    /// Moves an entity's row behind those of the other side. Returns where it is now, and the
    /// entity that fills its place.
    #[inline]
    fn move_row(&mut self, row: usize, into: &mut Self) -> (usize, usize) {
        let (last, at) = (*self.len - 1, *into.len);
        self.rows.move_row(row, last, &mut into.rows, at);
        into.entities[at] = self.entities[row];
        self.entities[row] = self.entities[last];
        (*self.len, *into.len) = (last, at + 1);
        (at, self.entities[row] as usize)
    }

    fn move_all(&mut self, into: &mut Self) {
        assert_eq!(*into.len, 0, "all rows move to an empty side");
        let count = *self.len;
        self.rows.move_all(count, &mut into.rows);
        into.entities[..count].copy_from_slice(&self.entities[..count]);
        (*self.len, *into.len) = (0, count);
    }
}

/// Marks the location of an entity that has the component.
const MARKED: u64 = 1 << 32;

/// Entities that get and lose one component.
pub struct Moves<C> {
    plain: Side<C>,
    marked: Side<C>,
    /// The component, by row of the marked side.
    marks: Flat,
    /// Side and row of each entity.
    locations: Flat<u64>,
}

impl<C: Columns> Moves<C> {
    /// Entities 0 to `count`, without the component; `room` is for those that get it.
    #[must_use]
    pub fn new(count: usize, columns: C, room: C) -> Self {
        let side = |columns, len| Side {
            columns,
            entities: Flat::from_fn(count, |row| row as u32),
            len,
        };
        Self {
            plain: side(columns, count),
            marked: side(room, 0),
            marks: Flat::from_fn(count, |_| 0.0),
            locations: Flat::from_fn(count, |row| row as u64),
        }
    }

    /// All columns as slices, found once for many moves.
    pub fn open(&mut self) -> OpenMoves<'_, C::Open<'_>> {
        OpenMoves {
            plain: self.plain.open(),
            marked: self.marked.open(),
            marks: self.marks.values_mut(),
            locations: self.locations.values_mut(),
        }
    }

    /// The component where entities have it, in order of rows.
    #[must_use]
    pub fn marks(&self) -> &[f32] {
        &self.marks.values()[..self.marked.len]
    }

    /// Columns and row of an entity.
    #[must_use]
    pub fn find(&self, entity: usize) -> (&C, usize) {
        let location = self.locations.values()[entity];
        if location & MARKED == 0 {
            (&self.plain.columns, location as usize)
        } else {
            (&self.marked.columns, (location ^ MARKED) as usize)
        }
    }
}

/// Two archetypes whose columns were found.
pub struct OpenMoves<'a, R> {
    plain: OpenSide<'a, R>,
    marked: OpenSide<'a, R>,
    marks: &'a mut [f32],
    locations: &'a mut [u64],
}

impl<R: Rows> OpenMoves<'_, R> {
    /// Adds the component. Says whether the entity lacked it.
    #[inline]
    pub fn insert(&mut self, entity: usize, mark: f32) -> bool {
        let location = self.locations[entity];
        if location & MARKED != 0 {
            return false;
        }
        let (at, other) = self.plain.move_row(location as usize, &mut self.marked);
        self.marks[at] = mark;
        self.locations[other] = location;
        self.locations[entity] = MARKED | at as u64;
        true
    }

    /// Removes the component. Says whether the entity had it.
    #[inline]
    pub fn remove(&mut self, entity: usize) -> bool {
        let location = self.locations[entity];
        if location & MARKED == 0 {
            return false;
        }
        let (row, last) = ((location ^ MARKED) as usize, *self.marked.len - 1);
        let (at, other) = self.marked.move_row(row, &mut self.plain);
        self.marks[row] = self.marks[last];
        self.locations[other] = location;
        self.locations[entity] = at as u64;
        true
    }

    /// Adds the component to all, none of which has it.
    pub fn insert_all(&mut self, mark: f32) {
        self.plain.move_all(&mut self.marked);
        self.marks[..*self.marked.len].fill(mark);
        self.locate(MARKED);
    }

    /// Removes the component of all, each of which has it.
    pub fn remove_all(&mut self) {
        self.marked.move_all(&mut self.plain);
        self.locate(0);
    }

    fn locate(&mut self, mark: u64) {
        let side = if mark == MARKED {
            &self.marked
        } else {
            &self.plain
        };
        for (row, &entity) in side.entities[..*side.len].iter().enumerate() {
            self.locations[entity as usize] = mark | row as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves() -> Moves<Flat> {
        Moves::new(4, Flat::from_fn(4, |row| row as f32), Flat::zeroed(4))
    }

    fn values(moves: &Moves<Flat>) -> Vec<f32> {
        let value = |entity| {
            let (columns, row) = moves.find(entity);
            columns.values()[row]
        };
        (0..4).map(value).collect()
    }

    #[test]
    fn entities_keep_their_values_whichever_side_they_are_on() {
        let mut moves = moves();
        let mut open = moves.open();
        assert!(open.insert(1, 10.0) && open.insert(3, 30.0) && !open.insert(1, 0.0));
        assert_eq!(moves.marks(), [10.0, 30.0]);
        assert_eq!(values(&moves), [0.0, 1.0, 2.0, 3.0]);
        assert!(moves.open().remove(1) && !moves.open().remove(1));
        assert_eq!(moves.marks(), [30.0]);
        assert_eq!(values(&moves), [0.0, 1.0, 2.0, 3.0]);
    }

    #[test]
    fn all_at_once_is_the_same_as_one_by_one() {
        let (mut each, mut all) = (moves(), moves());
        all.open().insert_all(2.0);
        (0..4).for_each(|entity| assert!(each.open().insert(entity, 2.0)));
        assert_eq!((all.marks(), values(&all)), (each.marks(), values(&each)));
        all.open().remove_all();
        assert!(all.marks().is_empty());
        assert_eq!(values(&all), [0.0, 1.0, 2.0, 3.0]);
    }
}

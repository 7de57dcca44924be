//! The model: a map from names to rows of numbers.

use std::collections::BTreeMap;

use super::components::{Alive, KINDS, NAMED, NUM, POS, RARE, Row, SPIRIT};
use super::engine::{BULK_INSERTS, BULK_REMOVES, Bulk, QUERIES, wrap};
use super::shapes::MASKS;

/// An entity of the model, numbered in order of spawning and never again.
pub(crate) type Name = usize;

/// The shape of entities that are spawned by columns: position and number.
const COLUMNS: usize = 1;

/// What an operation says; the same for model and engines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) worked: bool,
    pub(crate) row: Option<Row>,
    pub(crate) spawned: usize,
}

/// Structural changes, and what else the walk does.
#[derive(Clone, Debug)]
pub(crate) enum Operation {
    Spawn {
        shape: usize,
        value: u32,
    },
    SpawnBatch {
        shape: usize,
        values: Vec<u32>,
    },
    SpawnColumns {
        values: Vec<u32>,
    },
    Bulk {
        change: Bulk,
        value: u32,
    },
    Despawn {
        name: Name,
    },
    Insert {
        name: Name,
        shape: usize,
        value: u32,
    },
    Remove {
        name: Name,
        shape: usize,
    },
    Take {
        name: Name,
        shape: usize,
    },
    Read {
        name: Name,
    },
    Write {
        name: Name,
        value: u32,
    },
    Add {
        more: u32,
    },
    Clear,
    Commands(Vec<Self>),
}

#[derive(Default)]
pub(crate) struct Plain {
    pub(crate) rows: BTreeMap<Name, Row>,
    pub(crate) next: Name,
    /// How many values of the kinds with a drop there are.
    pub(crate) alive: Alive,
    /// Entities that went since this was last emptied.
    pub(crate) gone: Vec<Name>,
}

fn mask_of(row: &Row) -> u8 {
    (0..KINDS).fold(0, |mask, kind| mask | u8::from(row[kind].is_some()) << kind)
}

fn only(row: &Row, mask: u8) -> Row {
    std::array::from_fn(|kind| row[kind].filter(|_| mask >> kind & 1 == 1))
}

impl Plain {
    /// Replaces a row, or takes it away, and keeps count.
    fn set(&mut self, name: Name, row: Option<Row>) {
        let old = match row {
            Some(row) => self.rows.insert(name, row),
            None => self.rows.remove(&name),
        };
        if row.is_none() && old.is_some() {
            self.gone.push(name);
        }
        for (row, sign) in [(row, 1), (old, -1)] {
            let has = |kind: usize| i64::from(row.is_some_and(|row| row[kind].is_some()));
            self.alive.named += sign * (has(NAMED) + has(RARE));
            self.alive.spirits += sign * has(SPIRIT);
        }
    }

    fn spawn(&mut self, shape: usize, value: u32) {
        let name = self.next;
        self.next += 1;
        self.fill(name, Row::default(), MASKS[shape], value);
    }

    fn fill(&mut self, name: Name, mut row: Row, mask: u8, value: u32) {
        for kind in (0..KINDS).filter(|kind| mask >> kind & 1 == 1) {
            row[kind] = Some(if kind == SPIRIT { 0 } else { value });
        }
        self.set(name, Some(row));
    }

    /// Does an operation and says what an engine must answer.
    pub(crate) fn run(&mut self, operation: &Operation) -> Answer {
        let before = self.next;
        let mut answer = Answer::default();
        match *operation {
            Operation::Spawn { shape, value } => self.spawn(shape, value),
            Operation::SpawnBatch { shape, ref values } => {
                values.iter().for_each(|&value| self.spawn(shape, value));
            }
            Operation::SpawnColumns { ref values } => {
                values.iter().for_each(|&value| self.spawn(COLUMNS, value));
            }
            Operation::Bulk { change, value } => self.bulk(change, value),
            Operation::Despawn { name } => {
                answer.worked = self.rows.contains_key(&name);
                self.set(name, None);
            }
            Operation::Insert { name, shape, value } => {
                if let Some(&row) = self.rows.get(&name) {
                    answer.worked = true;
                    self.fill(name, row, MASKS[shape], value);
                }
            }
            Operation::Remove { name, shape } => {
                if let Some(&row) = self.rows.get(&name) {
                    answer.worked = mask_of(&row) & MASKS[shape] != 0;
                    self.set(name, Some(only(&row, !MASKS[shape])));
                }
            }
            Operation::Take { name, shape } => {
                let mask = MASKS[shape];
                let row = self.rows.get(&name).copied();
                if let Some(row) = row.filter(|row| mask_of(row) & mask == mask) {
                    answer.row = Some(only(&row, mask));
                    self.set(name, Some(only(&row, !mask)));
                }
            }
            Operation::Read { name } => answer.row = self.rows.get(&name).copied(),
            Operation::Write { name, value } => answer.worked = self.write(name, value),
            Operation::Add { more } => self.add(more),
            Operation::Clear => {
                let names: Vec<Name> = self.rows.keys().copied().collect();
                names.into_iter().for_each(|name| self.set(name, None));
            }
            Operation::Commands(ref list) => {
                for operation in list {
                    self.run(operation);
                }
            }
        }
        answer.spawned = self.next - before;
        answer
    }

    fn write(&mut self, name: Name, value: u32) -> bool {
        let Some(row) = self.rows.get_mut(&name) else {
            return false;
        };
        let mut any = false;
        for kind in [NUM, POS, NAMED] {
            any |= row[kind].is_some();
            row[kind] = row[kind].map(|_| value);
        }
        any
    }

    fn bulk(&mut self, change: Bulk, value: u32) {
        let (with, without) = change.filter();
        let matches = |row: &Row| mask_of(row) & (with | without) == with;
        let all = self.rows.iter().filter(|(_, row)| matches(row));
        for (name, row) in all.map(|(&name, &row)| (name, row)).collect::<Vec<_>>() {
            match change {
                Bulk::Insert => self.fill(name, row, BULK_INSERTS, value),
                Bulk::Remove => self.set(name, Some(only(&row, !BULK_REMOVES))),
                Bulk::Despawn => self.set(name, None),
            }
        }
    }

    fn add(&mut self, more: u32) {
        for row in self.rows.values_mut() {
            if row[NUM].is_some() && row[POS].is_some() {
                for kind in [NUM, NAMED] {
                    row[kind] = row[kind].map(|value| wrap(value + more));
                }
            }
        }
    }

    /// What a query visits.
    pub(crate) fn visit(&self, query: usize) -> impl Iterator<Item = (Name, Row)> {
        let query = QUERIES[query];
        let matching = self.rows.iter().filter(move |(_, row)| {
            let needed = query.reads | query.with;
            mask_of(row) & (needed | query.without) == needed
        });
        matching.map(move |(&name, row)| (name, only(row, query.reads | query.may_read)))
    }
}

//! What an engine must be able to do. Entities are handles as plain bits, alive or dead.

use super::components::{NAMED, NUM, POS, RARE, Row, SPIRIT, WIDE};

/// A structural change that is queued first and done later.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Command {
    Spawn {
        shape: usize,
        value: u32,
    },
    Insert {
        entity: u64,
        shape: usize,
        value: u32,
    },
    Remove {
        entity: u64,
        shape: usize,
    },
    Despawn {
        entity: u64,
    },
}

/// A query over all entities: what they must have and lack, and what is read besides if there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Query {
    pub(crate) reads: u8,
    pub(crate) may_read: u8,
    pub(crate) with: u8,
    pub(crate) without: u8,
}

/// The queries of every engine, by number.
pub(crate) const QUERIES: [Query; 7] = [
    // &Num
    Query {
        reads: 1 << NUM,
        may_read: 0,
        with: 0,
        without: 0,
    },
    // (&Num, &Pos) without Named
    Query {
        reads: 1 << NUM | 1 << POS,
        may_read: 0,
        with: 0,
        without: 1 << NAMED,
    },
    // (&Num, Option<&Named>) with Pos
    Query {
        reads: 1 << NUM,
        may_read: 1 << NAMED,
        with: 1 << POS,
        without: 0,
    },
    // (&Named, Option<&Pos>) without Spirit
    Query {
        reads: 1 << NAMED,
        may_read: 1 << POS,
        with: 0,
        without: 1 << SPIRIT,
    },
    // (&Wide, &Spirit, Option<&Num>)
    Query {
        reads: 1 << WIDE | 1 << SPIRIT,
        may_read: 1 << NUM,
        with: 0,
        without: 0,
    },
    // (&Rare, Option<&Num>) without Pos
    Query {
        reads: 1 << RARE,
        may_read: 1 << NUM,
        with: 0,
        without: 1 << POS,
    },
    // (&Num, Option<&Rare>) with Rare
    Query {
        reads: 1 << NUM,
        may_read: 1 << RARE,
        with: 1 << RARE,
        without: 0,
    },
];

/// A change of all entities that match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bulk {
    /// A name and a wide value for those with a position and without a spirit.
    Insert,
    /// No position and no name for those with a wide value.
    Remove,
    /// No life for those with a spirit and a rare value.
    Despawn,
}

/// What [`Bulk::Insert`] adds, and what [`Bulk::Remove`] removes.
pub(crate) const BULK_INSERTS: u8 = 1 << NAMED | 1 << WIDE;
pub(crate) const BULK_REMOVES: u8 = 1 << POS | 1 << NAMED;

impl Bulk {
    /// What entities have and lack that are changed.
    pub(crate) fn filter(self) -> (u8, u8) {
        match self {
            Self::Insert => (1 << POS, 1 << SPIRIT),
            Self::Remove => (1 << WIDE, 0),
            Self::Despawn => (1 << SPIRIT | 1 << RARE, 0),
        }
    }
}

/// An engine behind the operations of the model.
pub(crate) trait Engine {
    fn name(&self) -> &'static str;
    fn len(&self) -> usize;
    fn spawn(&mut self, shape: usize, value: u32) -> u64;
    fn spawn_batch(&mut self, shape: usize, values: &[u32]) -> Vec<u64>;
    /// Whether it lived.
    fn despawn(&mut self, entity: u64) -> bool;
    /// Adds or overwrites. Whether it lived.
    fn insert(&mut self, entity: u64, shape: usize, value: u32) -> bool;
    /// Removes what there is of a shape. Whether anything was.
    fn remove(&mut self, entity: u64, shape: usize) -> bool;
    /// Takes out a shape, if all of it is there.
    fn take(&mut self, entity: u64, shape: usize) -> Option<Row>;
    /// Every component of an entity that lives, by single look-ups.
    fn read(&self, entity: u64) -> Option<Row>;
    /// Writes number, position and name where they are there. Whether any was.
    fn write(&mut self, entity: u64, value: u32) -> bool;
    /// Adds to every number beside a position, and to the name if there is one, by one query.
    fn add(&mut self, more: u32);
    /// What a query of [`QUERIES`] visits, in any order.
    fn visit(&mut self, query: usize) -> Vec<(u64, Row)>;
    /// Spawns numbers with positions, each component from a list of its own where that is
    /// possible.
    fn spawn_columns(&mut self, values: &[u32]) -> Vec<u64>;
    /// Changes all entities that match, at once where that is possible.
    fn bulk(&mut self, change: Bulk, value: u32);
    fn clear(&mut self);
    /// Whether handles from before a `clear` stay dead; some engines give the same ones again.
    fn clear_ends_handles(&self) -> bool;
    /// Queues commands, then does them in order. Handles of those spawned.
    fn commands(&mut self, commands: &[Command]) -> Vec<u64>;
}

/// Numbers stay exact in an `f32`.
pub(crate) fn wrap(value: u32) -> u32 {
    value % 60_000
}

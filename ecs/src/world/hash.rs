//! The state hash of a world; the tree is described in `crate::hash`.

use super::World;
use crate::archetype::Archetype;
use crate::component::info::HashBehavior;
use crate::hash::{Node, StateHash, StateHasher, WorldHash, hash_lanes};
use crate::storage::column::{Column, rows_in_block};

impl World {
    /// Hash of everything that counts as state; equal worlds have equal hashes.
    ///
    /// # Cost
    /// Reads what was written since the last call; the hash of an untouched block is kept with
    /// the block, and shared with forks.
    ///
    /// ```
    /// use orrery_ecs::{Component, World};
    /// #[derive(Clone, Copy, Component)]
    /// struct Health(f32);
    /// let mut world = World::new();
    /// let entity = world.spawn(Health(3.0)).id();
    /// let before = world.state_hash();
    /// world.get_mut::<Health>(entity).expect("it lives").0 = 2.0;
    /// assert_ne!(world.state_hash(), before);
    /// ```
    pub fn state_hash(&self) -> WorldHash {
        let mut root = StateHasher::node(Node::World, self.archetypes().len());
        for archetype in self.archetypes() {
            root.u128(self.hash_archetype(archetype));
        }
        let mut sets: Vec<&Archetype> = self.sparse.iter().map(|(_, set)| set.rows()).collect();
        sets.retain(|rows| !rows.is_empty());
        // By name, as columns are.
        sets.sort_by_key(|rows| rows.column(0).info().name);
        let mut sparse = StateHasher::node(Node::SparseSets, sets.len());
        for rows in sets {
            sparse.u128(self.hash_archetype(rows));
        }
        root.u128(sparse.finish());
        let mut entities = StateHasher::node(Node::Entities, self.len());
        self.entities.hash_state(&mut entities);
        root.u128(entities.finish());
        self.resources.hash_state(|name, value| {
            let mut node = StateHasher::node(Node::Resource, 1);
            name.hash_state(&mut node);
            value(&mut node);
            root.u128(node.finish());
        });
        WorldHash(root.finish())
    }

    fn hash_archetype(&self, archetype: &Archetype) -> u128 {
        archetype.mark_hashed();
        if archetype.is_vacant() {
            return StateHasher::node(Node::Vacant, 0).finish();
        }
        let mut node = StateHasher::node(Node::Archetype, archetype.len());
        node.u128(hash_column(archetype.entities(), archetype.len()));
        // By name: the order of registration depends on who asked first for a component.
        for &index in archetype.by_name() {
            let column = archetype.column(index as usize);
            column.info().name.hash_state(&mut node);
            node.u128(hash_column(column, archetype.len()));
        }
        node.finish()
    }
}

fn hash_column(column: &Column, len: usize) -> u128 {
    let blocks = len.div_ceil(crate::BLOCK_ROWS);
    let mut node = StateHasher::node(Node::Column, blocks);
    if matches!(column.info().hash, HashBehavior::Skip) {
        return node.finish();
    }
    for block in 0..blocks {
        let rows = rows_in_block(len, block);
        let compute = || hash_block(column, block, rows);
        node.u128(column.memory(block).digest(rows as u32, compute));
    }
    node.finish()
}

fn hash_block(column: &Column, block: usize, rows: usize) -> u128 {
    let mut node = StateHasher::node(Node::Block, rows);
    match column.info().hash {
        HashBehavior::Skip => {}
        // SAFETY: `rows` rows are initialised, lanes have no padding, and the borrow of the
        // world keeps writers out.
        HashBehavior::Lanes(lane) => node.u128(hash_lanes(lane, unsafe {
            column.part_bytes(block, 0, rows)
        })),
        HashBehavior::Fields => {
            for (part, field) in column.info().fields.iter().enumerate() {
                let lane = field.lane.expect("chosen because every field has lanes");
                // SAFETY: as above, field by field.
                node.u128(hash_lanes(lane, unsafe {
                    column.part_bytes(block, part, rows)
                }));
            }
        }
        HashBehavior::Gathered(hash) => {
            for row in 0..rows {
                // SAFETY: the row exists, and `hash` gives room for a value.
                let fill = |value: *mut u8| unsafe {
                    column.read(block * crate::BLOCK_ROWS + row, value);
                };
                // SAFETY: the column holds the type that the function was made for.
                unsafe { hash(&fill, &mut node) };
            }
        }
        HashBehavior::Values(hash) => {
            for row in 0..rows {
                // SAFETY: the row exists and only plain components are hashed by value.
                let value = unsafe { column.row(block * crate::BLOCK_ROWS + row) };
                // SAFETY: the column holds the type that the function was made for.
                unsafe { hash(value, &mut node) };
            }
        }
    }
    node.finish()
}

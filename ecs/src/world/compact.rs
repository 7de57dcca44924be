//! Giving back what a world no longer needs.

use super::World;
use crate::archetype::graph::RecentEdges;
use crate::archetype::{Archetype, ArchetypeId};

/// What [`World::compact`] did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compaction {
    /// Empty archetypes that were taken out.
    pub archetypes: usize,
    /// Bytes that went back to the operating system.
    pub bytes: usize,
    /// Whether nothing is left to do, so that a further call would change nothing.
    pub is_complete: bool,
}

impl World {
    /// Takes out archetypes without entities, lowest first, and gives memory that no block uses
    /// back to the operating system. Each archetype, and each slab of up to 2 MiB, is one step of
    /// the budget; a game calls it with a small one in every frame, or with `usize::MAX` between
    /// levels. A budget of 0 takes nothing out and only says whether something is left to do.
    ///
    /// Entities, handles, components and their order stay as they are. The next archetype that
    /// comes into being takes the lowest number that was freed; since that decides where its
    /// entities stand in later iterations, taking one out changes the state hash.
    ///
    /// # Cost
    /// In proportion to the archetypes, the remembered edges between them and the free blocks;
    /// nothing for each entity. Queries look at all archetypes again when they are next used.
    ///
    /// ```
    /// use orrery_ecs::{Component, World};
    /// #[derive(Clone, Copy, Component)]
    /// struct Wave(u64);
    /// let mut world = World::new();
    /// world.spawn_batch((0..100_000).map(Wave));
    /// world.clear();
    /// let done = world.compact(usize::MAX);
    /// assert!(done.is_complete && done.archetypes == 1 && done.bytes > 0);
    /// ```
    pub fn compact(&mut self, budget: usize) -> Compaction {
        let empty = self
            .archetypes
            .iter()
            .skip(1)
            .filter(|archetype| archetype.is_empty() && !archetype.is_vacant());
        let mut taken: Vec<ArchetypeId> = empty.map(Archetype::id).collect();
        let count = taken.len();
        taken.truncate(budget);
        if !taken.is_empty() {
            self.take_out(&taken);
        }
        self.release_reserves();
        let (bytes, more) = self.pool.release(budget - taken.len());
        Compaction {
            archetypes: taken.len(),
            bytes,
            is_complete: taken.len() == count && !more,
        }
    }

    /// Takes out archetypes, which are in increasing order.
    fn take_out(&mut self, taken: &[ArchetypeId]) {
        let is_taken = |id: ArchetypeId| taken.binary_search(&id).is_ok();
        let graph = self.graph.make_mut();
        for &id in taken {
            let archetype = &mut self.archetypes[id.index()];
            graph.remove(archetype);
            *archetype = Archetype::vacant(id, &self.entity_info);
        }
        graph.forget_edges(is_taken);
        self.bundles.make_mut().forget_targets(is_taken);
        self.recent_edges = RecentEdges::default();
        self.vacant.extend(taken);
        self.vacant.sort_unstable_by(|a, b| b.cmp(a));
        self.renumbered += 1;
    }

    /// Gives back the blocks that empty archetypes and sparse sets keep for their next row.
    fn release_reserves(&mut self) {
        let empty = |archetype: &&mut Archetype| archetype.is_empty();
        self.archetypes
            .iter_mut()
            .filter(empty)
            .for_each(Archetype::clear);
        self.sparse.release_reserves();
    }
}

//! Timers as a part of the state.

use orrery_ecs::{Entity, MapEntities, StateHash, StateHasher};

use super::TimerId;
use super::rings::{HEADS, Wheel};

impl MapEntities for TimerId {
    const MAPS: bool = false;

    fn map_entities(&mut self, _: &mut dyn FnMut(Entity) -> Entity) {}
}

impl StateHash for TimerId {
    fn hash_state(&self, hasher: &mut StateHasher) {
        hasher.u64(self.to_bits());
    }
}

impl<T: MapEntities> MapEntities for Wheel<T> {
    const MAPS: bool = T::MAPS;

    fn map_entities(&mut self, map: &mut dyn FnMut(Entity) -> Entity) {
        let timers = self.nodes.iter_mut();
        let values = timers.filter_map(|node| node.value.as_mut());
        values.for_each(|value| value.map_entities(map));
    }
}

impl<T: StateHash> StateHash for Wheel<T> {
    /// In the order of memory: due ticks and `now` say in which ring a timer is, `next` says where
    /// in it, and the free list hangs on `next` too. So heads and `prev` add nothing.
    fn hash_state(&self, hasher: &mut StateHasher) {
        hasher.u64(self.now);
        hasher.u32(self.free);
        let nodes = &self.nodes[HEADS..];
        hasher.len(nodes.len());
        for node in nodes {
            // Says by its parity whether the rest follows.
            hasher.u32(node.generation);
            hasher.u32(node.next);
            if let Some(value) = &node.value {
                hasher.u64(node.due);
                hasher.u32(node.period);
                value.hash_state(hasher);
            }
        }
    }
}

//! Workers inside a world: they run the blocks of chunk systems and queries, and systems find
//! them as a resource.

use orrery_ecs::{BlockRunner, Resource, StateHasher};

use super::Workers;

impl BlockRunner for Workers {
    fn for_each(&self, count: usize, body: &(dyn Fn(usize) + Sync)) {
        Workers::for_each(self, count, body);
    }
}

/// Not part of the state: how many threads there are must not show in it. Forks share the pool.
impl Resource for Workers {
    const NAME: &'static str = concat!(module_path!(), "::Workers");
    const STATE: bool = false;
    const CLONE: bool = true;

    fn duplicate(&self) -> Option<Self> {
        Some(self.clone())
    }

    fn hash_fields(&self, _: &mut StateHasher) {}
}

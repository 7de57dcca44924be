//! Workers inside a world: they run the blocks of chunk systems and queries, and systems find
//! them as a resource.

use orrery_ecs::{BlockRunner, Resource, StateHasher};

use super::Workers;

/// What waking a parked worker costs the caller as a rule, and until it begins.
const HANDOFF_ASLEEP_NS: u64 = 40_000;
/// What a spinning worker needs to begin, on cores that the host has spread.
const HANDOFF_AWAKE_NS: u64 = 800;

impl BlockRunner for Workers {
    fn for_each(&self, count: usize, body: &(dyn Fn(usize) + Sync)) {
        Workers::for_each(self, count, body);
    }

    fn threads(&self) -> usize {
        self.thread_count()
    }

    fn handoff_ns(&self) -> u64 {
        match self.is_asleep() {
            true => HANDOFF_ASLEEP_NS,
            false => HANDOFF_AWAKE_NS,
        }
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

//! Scripts: their order, their ends, what they wait for, and what worlds make of them.

mod blocking;
mod ends;
mod events;
mod model;
mod waits;
mod worlds;

use std::sync::{Arc, Mutex};

use orrery_ecs::World;

use super::waker::lock;
use super::{Script, WorldTasks};

/// What happened, in order.
#[derive(Clone, Debug)]
struct Log<T>(Arc<Mutex<Vec<T>>>);

impl<T: Clone> Log<T> {
    fn new() -> Self {
        Self(Arc::default())
    }

    fn push(&self, entry: T) {
        lock(&self.0).push(entry);
    }

    fn all(&self) -> Vec<T> {
        lock(&self.0).clone()
    }
}

/// Says so when it is dropped.
struct OnDrop<T: Clone>(Log<T>, T);

impl<T: Clone> Drop for OnDrop<T> {
    fn drop(&mut self) {
        self.0.push(self.1.clone());
    }
}

fn run(world: &mut World, ticks: std::ops::RangeInclusive<u64>) {
    ticks.for_each(|tick| world.run_tasks(tick));
}

/// A step of SplitMix64.
fn next_random(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mixed = (*seed ^ *seed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ mixed >> 31
}

async fn forever(script: Script) {
    script.sleep(u64::MAX).await;
}

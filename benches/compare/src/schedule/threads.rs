//! The works without an engine: rayon's pool, and threads that are spawned in each tick.

use std::thread;

use orrery_benches::cases::STEP;
use orrery_benches::cases::population::{DIGEST_START, digest};
use orrery_benches::cases::schedule::disjoint;
use orrery_benches::harness::Work;
use rayon::prelude::*;

/// What one system does.
fn add(to: &mut [f32], by: &[f32]) {
    for (to, by) in to.iter_mut().zip(by) {
        *to += by * STEP;
    }
}

/// What rayon hands out at a time, as the blocks of ours are.
const BLOCK: usize = 4_096;

/// What each system writes, and what it reads.
type Lanes = [(Vec<f32>, Vec<f32>); 3];

struct Three {
    lanes: Lanes,
    tick: fn(&mut Lanes),
}

impl Work for Three {
    fn run(&mut self) {
        (self.tick)(&mut self.lanes);
    }

    fn result(&mut self) -> u64 {
        let digests = self.lanes.iter().map(|(to, _)| digest(to, DIGEST_START));
        digests.fold(0, |all: u64, one| all.rotate_left(1) ^ one)
    }
}

fn three(size: usize, tick: fn(&mut Lanes)) -> Box<dyn Work> {
    let lanes = |of: usize| {
        let to = (0..size).map(|entity| disjoint(entity).0[of]).collect();
        (to, (0..size).map(|entity| disjoint(entity).1[of]).collect())
    };
    Box::new(Three {
        lanes: [0, 1, 2].map(lanes),
        tick,
    })
}

/// One parallel loop after the other.
pub(super) fn three_loops(size: usize, _: u64) -> Box<dyn Work> {
    three(size, |lanes| {
        for (to, by) in lanes {
            let blocks = to.par_chunks_mut(BLOCK).zip(by.par_chunks(BLOCK));
            blocks.for_each(|(to, by)| add(to, by));
        }
    })
}

/// All three at the same time.
pub(super) fn three_tasks(size: usize, _: u64) -> Box<dyn Work> {
    three(size, |lanes| {
        rayon::scope(|scope| {
            for (to, by) in lanes {
                scope.spawn(|_| add(to, by));
            }
        });
    })
}

/// A thread for each.
pub(super) fn three_threads(size: usize, _: u64) -> Box<dyn Work> {
    three(size, |lanes| {
        thread::scope(|scope| {
            for (to, by) in lanes {
                scope.spawn(|| add(to, by));
            }
        });
    })
}

struct Ticks {
    size: usize,
    tick: fn(usize),
    digest: u64,
}

impl Work for Ticks {
    fn run(&mut self) {
        (self.tick)(self.size);
    }

    fn result(&mut self) -> u64 {
        self.digest
    }
}

fn rest() {}

/// Ticks that give the pool nothing.
pub(super) fn nothing_rayon(size: usize, _: u64) -> Box<dyn Work> {
    let tick = |size| (0..size).for_each(|_| rayon::scope(|_| ()));
    Box::new(Ticks {
        size,
        tick,
        digest: 0,
    })
}

/// A task for each system.
pub(super) fn empty_rayon(size: usize, _: u64) -> Box<dyn Work> {
    let tick = |size| rayon::scope(|scope| (0..size).for_each(|_| scope.spawn(|_| rest())));
    Box::new(Ticks {
        size,
        tick,
        digest: size as u64,
    })
}

/// Two threads, each with half of the systems.
pub(super) fn empty_threads(size: usize, _: u64) -> Box<dyn Work> {
    let tick = |size: usize| {
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(move || (0..size / 2).for_each(|_| std::hint::black_box(rest)()));
            }
        });
    };
    Box::new(Ticks {
        size,
        tick,
        digest: size as u64,
    })
}

//! Change detection: finding what changed, and what the marks cost those who write.
//!
//! The writers pass over one block again and again. Ours asks the query for its slices each time,
//! which marks the block; R asks once and passes over the same memory without marks. One block in
//! the second-level cache is the worst case: over a million entities memory hides what marks cost.

use std::hint::black_box;

use orrery_ecs::{BLOCK_ROWS, Lanes, QueryState, World};
use orrery_math::simd::Level;

use super::population::{Acceleration, Position, Velocity, accelerated, digest_of, moving_world};
use super::{SEED, STEP};
use crate::harness::{Case, Expected, Goal, Work};
use crate::reference::{self, Flat};

/// Passes of a run.
pub const PASSES: usize = 32;

const EXPECTED_WRITES: Expected = Expected {
    smoke: 0xf1ab_2de8_2bfa_b660,
    full: 0x2809_c3d1_afa3_beec,
};

pub(super) fn cases() -> Vec<Case> {
    let scan = Case {
        name: "changes_1m_untouched",
        reference: Some("changes_1m_untouched_reference"),
        smoke: 9_001,
        full: 1_000_000,
        seed: SEED,
        bytes_each: 0,
        goal: Goal::NanosMax(5_000.0),
        expected: Expected::both(0),
        prepare: scanning,
    };
    let marked = Case {
        name: "changes_writes_marked",
        reference: Some("changes_writes_unmarked"),
        smoke: 100,
        full: BLOCK_ROWS,
        goal: Goal::OverheadMax(0.02),
        expected: EXPECTED_WRITES,
        prepare: |size, seed| writing(size, seed, true),
        ..scan
    };
    vec![
        Case {
            name: "changes_1m_untouched_reference",
            reference: None,
            goal: Goal::Open,
            prepare: |size, _| scanning_by_hand(size),
            ..scan
        },
        scan,
        Case {
            name: "changes_writes_unmarked",
            reference: None,
            goal: Goal::Open,
            prepare: |size, seed| writing(size, seed, false),
            ..marked
        },
        marked,
    ]
}

/// Asks which blocks changed since everything was written: none.
struct Scanning {
    world: World,
    tick: u64,
    found: usize,
}

fn scanning(size: usize, seed: u64) -> Box<dyn Work> {
    let mut world = moving_world(size, seed);
    let tick = world.change_tick();
    world.advance_change_tick();
    Box::new(Scanning {
        world,
        tick,
        found: usize::MAX,
    })
}

impl Work for Scanning {
    fn run(&mut self) {
        let tick = black_box(self.tick);
        self.found = self.world.changed_since::<Position>(tick).count();
    }

    fn result(&mut self) -> u64 {
        self.found as u64
    }
}

/// R: one tick for each block.
struct ScanningByHand {
    ticks: Flat<u64>,
    found: usize,
}

fn scanning_by_hand(size: usize) -> Box<dyn Work> {
    Box::new(ScanningByHand {
        ticks: Flat::from_fn(size.div_ceil(BLOCK_ROWS), |_| 1),
        found: usize::MAX,
    })
}

impl Work for ScanningByHand {
    fn run(&mut self) {
        let tick = black_box(1);
        let changed = |&&block: &&u64| block > tick;
        self.found = self.ticks.values().iter().filter(changed).count();
    }

    fn result(&mut self) -> u64 {
        self.found as u64
    }
}

type Movers = (
    &'static mut Position,
    &'static mut Velocity,
    &'static Acceleration,
);

struct Writing {
    world: World,
    query: QueryState<Movers>,
    marked: bool,
}

fn writing(size: usize, seed: u64, marked: bool) -> Box<dyn Work> {
    assert!(size <= BLOCK_ROWS, "more than one block");
    let mut world = World::new();
    world.spawn_batch((0..size).map(|entity| accelerated(seed, entity)));
    let query = world.query();
    Box::new(Writing {
        world,
        query,
        marked,
    })
}

impl Work for Writing {
    fn run(&mut self) {
        let level = Level::current();
        let (asked, passes) = if self.marked {
            (PASSES, 1)
        } else {
            (1, PASSES)
        };
        for _ in 0..asked {
            let mut query = self.query.view_mut(&mut self.world);
            query.for_each_chunk(|(positions, velocities, accelerations)| {
                let (places, speeds) = (positions.lanes_mut(), velocities.lanes_mut());
                for _ in 0..passes {
                    reference::integrate(level, places, speeds, accelerations.lanes(), STEP);
                }
            });
        }
    }

    fn result(&mut self) -> u64 {
        digest_of::<Position>(&mut self.world) ^ digest_of::<Velocity>(&mut self.world)
    }
}

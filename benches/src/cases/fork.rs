//! `World::fork`, and what the first writes after it cost.

use orrery_ecs::{Lanes, QueryState, World};

use super::SEED;
use super::population::{
    DIGEST_START, Position, Purpose, Rich, digest, digest_of, flat, moving_world, rich_world,
};
use crate::harness::{Case, Expected, Goal, Work};
use crate::reference::Flat;

pub(super) fn cases() -> Vec<Case> {
    let fork = |name, prepare| Case {
        name,
        reference: None,
        smoke: 9_001,
        full: 1_000_000,
        seed: SEED,
        bytes_each: 0,
        goal: Goal::NanosMax(10_000.0),
        expected: Expected::both(1),
        prepare,
    };
    let writes = Case {
        reference: Some("fork_1m_memcpy"),
        bytes_each: 2 * size_of::<Position>(),
        goal: Goal::RatioMax(1.3),
        expected: Expected::both(1),
        ..fork("fork_1m_first_writes", first_writes)
    };
    let copy = Case {
        name: "fork_1m_memcpy",
        reference: None,
        goal: Goal::Open,
        prepare: memcpy,
        ..writes
    };
    vec![
        fork("fork_1m_2_columns", |size, seed| {
            forking(moving_world(size, seed))
        }),
        Case {
            bytes_each: size_of::<Rich>(),
            goal: Goal::Open,
            ..fork("fork_1m_copy", |size, _| {
                copying(size * size_of::<Rich>() / size_of::<f32>())
            })
        },
        Case {
            reference: Some("fork_1m_copy"),
            ..fork("fork_1m_4_columns", |size, _| forking(rich_world(size)))
        },
        copy,
        writes,
    ]
}

/// Forks a world and drops the fork of the run before, outside the timed part.
struct Forking {
    world: World,
    fork: Option<World>,
}

fn forking(world: World) -> Box<dyn Work> {
    Box::new(Forking { world, fork: None })
}

impl Work for Forking {
    fn run(&mut self) {
        self.fork = self.world.fork().ok();
    }

    fn result(&mut self) -> u64 {
        let before = self.world.state_hash();
        let fork = self.fork.as_ref().map(World::state_hash);
        u64::from(fork == Some(before))
    }

    fn needs_reset(&self) -> bool {
        true
    }

    fn reset(&mut self) {
        self.fork = None;
    }
}

/// Writes one lane of each block of positions after a fork: what is timed is the copying.
struct FirstWrites {
    world: World,
    query: QueryState<&'static mut Position>,
    fork: Option<World>,
}

fn first_writes(size: usize, seed: u64) -> Box<dyn Work> {
    let mut world = moving_world(size, seed);
    let query = world.query();
    let mut work = FirstWrites {
        world,
        query,
        fork: None,
    };
    // Twice, so that both homes of the blocks have been touched before anything is timed.
    for _ in 0..2 {
        work.reset();
        work.run();
    }
    Box::new(work)
}

impl Work for FirstWrites {
    fn run(&mut self) {
        let mut query = self.query.view_mut(&mut self.world);
        query.for_each_chunk(|positions| {
            let lanes: &mut [f32] = positions.lanes_mut();
            lanes[0] += 1.0;
        });
    }

    fn result(&mut self) -> u64 {
        let Some(fork) = &mut self.fork else { return 0 };
        let (here, there) = (
            digest_of::<Position>(&mut self.world),
            digest_of::<Position>(fork),
        );
        // Each block's first lane is one more here than there, and nothing else differs.
        let mut query = self.query.view_mut(&mut self.world);
        query.for_each_chunk(|positions| {
            let lanes: &mut [f32] = positions.lanes_mut();
            lanes[0] -= 1.0;
        });
        u64::from(here != there && self.world.len() == fork.len())
    }

    fn needs_reset(&self) -> bool {
        true
    }

    fn reset(&mut self) {
        self.fork = None;
        self.fork = self.world.fork().ok();
    }
}

/// The same bytes by one `memcpy`, there and back in turn as the blocks go.
struct Memcpy {
    from: Flat,
    into: Flat,
}

/// What a fork would be without sharing: a copy of all bytes.
fn copying(lanes: usize) -> Box<dyn Work> {
    Box::new(Memcpy {
        from: Flat::from_fn(lanes, |index| index as f32),
        into: Flat::from_fn(lanes, |_| 0.0),
    })
}

fn memcpy(size: usize, seed: u64) -> Box<dyn Work> {
    Box::new(Memcpy {
        from: flat(size, seed, Purpose::Place),
        into: flat(size, seed, Purpose::Motion),
    })
}

impl Work for Memcpy {
    fn run(&mut self) {
        self.into.lanes_mut().copy_from_slice(self.from.lanes());
        std::mem::swap(&mut self.into, &mut self.from);
    }

    fn result(&mut self) -> u64 {
        let digest = |flat: &Flat| digest(flat.lanes(), DIGEST_START);
        u64::from(digest(&self.from) == digest(&self.into))
    }
}

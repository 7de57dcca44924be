//! One pass over a million entities of three components, 60 MB of traffic: all are read, two are
//! written. `velocity += acceleration * step; position += velocity * step`.
//!
//! Warm, the 36 MB lie in the shared cache as far as they fit; cold, other memory was read in
//! between. The probe adds one array to another and moves the same 60 MB.

use std::sync::{LazyLock, Mutex};

use orrery::workers::Workers;
use orrery_ecs::{Lanes, QueryState, World};
use orrery_math::simd::Level;

use super::population::{
    Acceleration, DIGEST_START, Position, Purpose, Velocity, accelerated, digest, digest_of, flat,
};
use super::{SEED, STEP};
use crate::harness::{Case, Expected, Goal, Work};
use crate::reference::{self, Flat};

/// Position and velocity both ways, acceleration read.
const BYTES: usize = 60;

/// Lanes of an entity in each array of the probe, which moves three streams.
const PROBE_LANES: usize = BYTES / 3 / size_of::<f32>();

/// Six times the 32 MiB of shared cache that most servers' cores have.
const SWEPT_BYTES: usize = 192 << 20;

const EXPECTED: Expected = Expected {
    smoke: 0x2540_37dd_f9ad_98ff,
    full: 0x7c66_c6d1_b65f_a472,
};
const EXPECTED_PROBE: Expected = Expected {
    smoke: 0x01e1_1c7c_a58f_77af,
    full: 0xfe87_39cc_6163_7b25,
};

pub(super) fn cases() -> Vec<Case> {
    let case = |name, reference, goal, prepare| Case {
        name,
        reference,
        smoke: 9_001,
        full: 1_000_000,
        seed: SEED,
        bytes_each: BYTES,
        goal,
        expected: EXPECTED,
        prepare,
    };
    let probe = |name, prepare| Case {
        expected: EXPECTED_PROBE,
        ..case(name, None, Goal::Open, prepare)
    };
    let floor = |name, prepare| case(name, None, Goal::Open, prepare);
    let under = Goal::NanosMaxWhere {
        most: 1e6,
        rate: 60.0,
    };
    let (warm, cold) = (Some("pass_1m_warm_reference"), Some("pass_1m_cold_probe"));
    vec![
        floor("pass_1m_warm_reference", |n, s| by_hand(n, s, Memory::Warm)),
        floor("pass_1m_cold_reference", |n, s| by_hand(n, s, Memory::Cold)),
        floor("pass_1m_two_workers_reference", by_hand_on_two),
        floor("pass_1m_zip", by_zip),
        probe("pass_1m_warm_probe", |n, _| probing(n, Memory::Warm)),
        probe("pass_1m_cold_probe", |n, _| probing(n, Memory::Cold)),
        case("pass_1m_warm", warm, Goal::RatioMax(1.1), |n, s| {
            by_chunks(n, s, Memory::Warm)
        }),
        case(
            "pass_1m_warm_time",
            Some("pass_1m_warm_probe"),
            under,
            |n, s| by_chunks(n, s, Memory::Warm),
        ),
        case("pass_1m_cold", cold, Goal::ProbeShareMin(0.9), |n, s| {
            by_chunks(n, s, Memory::Cold)
        }),
        case(
            "pass_1m_two_workers",
            Some("pass_1m_warm"),
            Goal::SpeedupMin(1.7),
            on_two,
        ),
        case(
            "pass_1m_for_each",
            Some("pass_1m_zip"),
            Goal::RatioMax(1.1),
            by_for_each,
        ),
    ]
}

/// Where the data are when a run begins.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Memory {
    /// As the runs before left them.
    Warm,
    /// Beyond every cache.
    Cold,
}

impl Memory {
    /// Whether a run must be prepared.
    #[must_use]
    pub fn needs_reset(self) -> bool {
        self == Self::Cold
    }

    /// Puts the data where they shall be, by reading other memory.
    ///
    /// Reading and not writing: lines that wait to be written back would slow down the pass.
    pub fn prepare(self) {
        static SWEPT: LazyLock<Flat<u64>> =
            LazyLock::new(|| Flat::from_fn(SWEPT_BYTES / 8, |index| index as u64));
        if self == Self::Cold {
            let sum = SWEPT.values().iter().copied().fold(0, u64::wrapping_add);
            std::hint::black_box(sum);
        }
    }
}

type Movers = (
    &'static mut Position,
    &'static mut Velocity,
    &'static Acceleration,
);

/// A pass through a world; the way is a type of its own, so that its loop is compiled alone.
struct Pass<F> {
    world: World,
    query: QueryState<Movers>,
    memory: Memory,
    way: F,
}

impl<F: FnMut(&mut World, &mut QueryState<Movers>)> Work for Pass<F> {
    fn run(&mut self) {
        (self.way)(&mut self.world, &mut self.query);
    }

    fn result(&mut self) -> u64 {
        digest_of::<Position>(&mut self.world) ^ digest_of::<Velocity>(&mut self.world)
    }

    fn needs_reset(&self) -> bool {
        self.memory.needs_reset()
    }

    fn reset(&mut self) {
        self.memory.prepare();
    }
}

fn pass(
    size: usize,
    seed: u64,
    memory: Memory,
    way: impl FnMut(&mut World, &mut QueryState<Movers>) + 'static,
) -> Box<dyn Work> {
    let mut world = World::new();
    world.spawn_batch((0..size).map(|entity| accelerated(seed, entity)));
    let query = world.query::<Movers>();
    Box::new(Pass {
        world,
        query,
        memory,
        way,
    })
}

/// The kernel of R over chunks, so that the ratio tells what blocks, queries and ticks add.
fn by_chunks(size: usize, seed: u64, memory: Memory) -> Box<dyn Work> {
    pass(size, seed, memory, |world, query| {
        let level = Level::current();
        let mut query = query.view_mut(world);
        query.for_each_chunk(|(positions, velocities, accelerations)| {
            let (places, speeds) = (positions.lanes_mut(), velocities.lanes_mut());
            reference::integrate(level, places, speeds, accelerations.lanes(), STEP);
        });
    })
}

fn on_two(size: usize, seed: u64) -> Box<dyn Work> {
    let workers = Workers::new(2).expect("the system gives one more thread");
    pass(size, seed, Memory::Warm, move |world, query| {
        let level = Level::current();
        let mut query = query.view_mut(world);
        query.par_for_each_chunk(&workers, |(positions, velocities, accelerations)| {
            let (places, speeds) = (positions.lanes_mut(), velocities.lanes_mut());
            reference::integrate(level, places, speeds, accelerations.lanes(), STEP);
        });
    })
}

fn by_for_each(size: usize, seed: u64) -> Box<dyn Work> {
    pass(size, seed, Memory::Warm, |world, query| {
        query
            .view_mut(world)
            .for_each(|(position, velocity, acceleration)| {
                step(position, velocity, acceleration);
            });
    })
}

/// The pass for one entity, as a user writes it.
#[inline]
pub fn step(position: &mut Position, velocity: &mut Velocity, acceleration: &Acceleration) {
    velocity.x += acceleration.x * STEP;
    velocity.y += acceleration.y * STEP;
    velocity.z += acceleration.z * STEP;
    position.x += velocity.x * STEP;
    position.y += velocity.y * STEP;
    position.z += velocity.z * STEP;
}

/// R: one flat array for each component.
struct ByHand {
    positions: Flat,
    velocities: Flat,
    accelerations: Flat,
    memory: Memory,
    workers: Workers,
}

fn flats(size: usize, seed: u64, memory: Memory, workers: Workers) -> Box<dyn Work> {
    Box::new(ByHand {
        positions: flat(size, seed, Purpose::Place),
        velocities: flat(size, seed, Purpose::Motion),
        accelerations: flat(size, seed, Purpose::Change),
        memory,
        workers,
    })
}

fn by_hand(size: usize, seed: u64, memory: Memory) -> Box<dyn Work> {
    flats(size, seed, memory, Workers::serial())
}

fn by_hand_on_two(size: usize, seed: u64) -> Box<dyn Work> {
    let workers = Workers::new(2).expect("the system gives one more thread");
    flats(size, seed, Memory::Warm, workers)
}

impl Work for ByHand {
    fn run(&mut self) {
        /// Lanes of a piece where two threads share: 48 KiB of each array.
        const PIECE: usize = 3 * 4096;
        let (level, accelerations) = (Level::current(), self.accelerations.lanes());
        let (places, speeds) = (self.positions.lanes_mut(), self.velocities.lanes_mut());
        if self.workers.thread_count() == 1 {
            reference::integrate(level, places, speeds, accelerations, STEP);
            return;
        }
        let pieces = places.chunks_mut(PIECE).zip(speeds.chunks_mut(PIECE));
        let pieces = pieces.zip(accelerations.chunks(PIECE)).map(Mutex::new);
        let pieces: Vec<_> = pieces.collect();
        self.workers.for_each(pieces.len(), &|index| {
            let mut piece = pieces[index].lock().expect("nobody panicked");
            let ((places, speeds), accelerations) = &mut *piece;
            reference::integrate(level, places, speeds, accelerations, STEP);
        });
    }

    fn result(&mut self) -> u64 {
        let digest = |flat: &Flat| digest(flat.lanes(), DIGEST_START);
        digest(&self.positions) ^ digest(&self.velocities)
    }

    fn needs_reset(&self) -> bool {
        self.memory.needs_reset()
    }

    fn reset(&mut self) {
        self.memory.prepare();
    }
}

/// What a closure over structs is held against: the loop that anyone writes over three slices.
struct Zip {
    positions: Flat<Position>,
    velocities: Flat<Velocity>,
    accelerations: Flat<Acceleration>,
}

impl Work for Zip {
    fn run(&mut self) {
        let positions = self.positions.values_mut().iter_mut();
        let velocities = self.velocities.values_mut().iter_mut();
        let both = positions.zip(velocities);
        for ((position, velocity), acceleration) in both.zip(self.accelerations.values()) {
            step(position, velocity, acceleration);
        }
    }

    fn result(&mut self) -> u64 {
        digest(self.positions.lanes(), DIGEST_START) ^ digest(self.velocities.lanes(), DIGEST_START)
    }
}

fn by_zip(size: usize, seed: u64) -> Box<dyn Work> {
    Box::new(Zip {
        positions: Flat::from_fn(size, |entity| accelerated(seed, entity).0),
        velocities: Flat::from_fn(size, |entity| accelerated(seed, entity).1),
        accelerations: Flat::from_fn(size, |entity| accelerated(seed, entity).2),
    })
}

/// `a += b` over as many bytes as the pass moves.
struct Probe {
    a: Flat,
    b: Flat,
    memory: Memory,
}

fn probing(size: usize, memory: Memory) -> Box<dyn Work> {
    Box::new(Probe {
        a: Flat::from_fn(PROBE_LANES * size, |index| index as f32),
        b: Flat::from_fn(PROBE_LANES * size, |_| 0.5),
        memory,
    })
}

impl Work for Probe {
    fn run(&mut self) {
        reference::axpy(Level::current(), self.a.lanes_mut(), self.b.lanes(), 1.0);
    }

    fn result(&mut self) -> u64 {
        digest(self.a.lanes(), DIGEST_START)
    }

    fn needs_reset(&self) -> bool {
        self.memory.needs_reset()
    }

    fn reset(&mut self) {
        self.memory.prepare();
    }
}

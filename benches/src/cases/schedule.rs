//! Schedules: what they cost beside their systems, side by side, and fused.

use bytemuck::{Pod, Zeroable};
use orrery::schedule::Schedule;
use orrery::workers::Workers;
use orrery_ecs::{Chunk, Component, Lanes, World};
use orrery_math::kernel;
use orrery_math::simd::Level;

use super::population::{
    Acceleration, DIGEST_START, Position, Velocity, accelerated, digest, digest_of,
};
use super::{SEED, STEP};
use crate::harness::{Case, Expected, Goal, Work};
use crate::reference::{self, Flat};

/// Rows of each of the disjoint systems.
pub const DISJOINT: usize = 10_000;
/// Rows of the fused passes: 144 MB, far more than any cache of ours.
const FUSED: usize = 4_000_000;

pub(super) fn cases() -> Vec<Case> {
    [small(), side_by_side(), fused()].concat()
}

const fn case(
    name: &'static str,
    full: usize,
    expected: Expected,
    prepare: fn(usize, u64) -> Box<dyn Work>,
) -> Case {
    Case {
        name,
        reference: None,
        smoke: full,
        full,
        seed: SEED,
        bytes_each: 0,
        goal: Goal::Open,
        expected,
        prepare,
    }
}

/// What a schedule costs beside its systems.
fn small() -> Vec<Case> {
    let by_hand = "schedule_100_empty_reference";
    vec![
        Case {
            goal: Goal::NanosEachMax(1.0),
            ..case("schedule_nothing", 1_000, Expected::both(0), nothing)
        },
        case(by_hand, 100, Expected::both(100), empty_by_hand),
        Case {
            reference: Some(by_hand),
            goal: Goal::NanosEachMax(4.0),
            ..case("schedule_100_empty", 100, Expected::both(100), empty)
        },
    ]
}

fn side_by_side() -> Vec<Case> {
    let by_hand = "schedule_3_disjoint_reference";
    let disjoint = |name, goal, prepare| Case {
        reference: Some(by_hand),
        smoke: 300,
        goal,
        ..case(name, DISJOINT, DISJOINT_EXPECTED, prepare)
    };
    let (one, two) = (Goal::NanosMax(5_500.0), Goal::NanosMax(3_200.0));
    let (on_one, on_two) = ("schedule_3_disjoint", "schedule_3_disjoint_two_workers");
    vec![
        Case {
            reference: None,
            ..disjoint(by_hand, Goal::Open, disjoint_by_hand)
        },
        disjoint(on_one, one, |size, seed| disjoint_on(1, size, seed)),
        disjoint(on_two, two, |size, seed| disjoint_on(2, size, seed)),
    ]
}

fn fused() -> Vec<Case> {
    let passes = "schedule_4_passes";
    let four_of = |name, goal, prepare| Case {
        reference: Some(passes),
        smoke: 9_001,
        bytes_each: 36,
        goal,
        ..case(name, FUSED, FUSED_EXPECTED, prepare)
    };
    let (on_one, on_two) = ("schedule_4_fused", "schedule_4_fused_two_workers");
    vec![
        Case {
            reference: None,
            ..four_of(passes, Goal::Open, |size, seed| four(size, seed, false, 1))
        },
        four_of(on_one, Goal::RatioMax(0.6), |size, seed| {
            four(size, seed, true, 1)
        }),
        four_of(on_two, Goal::Open, |size, seed| four(size, seed, true, 2)),
    ]
}

/// A schedule on a world, run once a time.
struct Scheduled {
    world: World,
    schedule: Schedule,
    workers: Workers,
    digest: fn(&mut World) -> u64,
}

impl Work for Scheduled {
    fn run(&mut self) {
        let ran = self.schedule.run(&mut self.world, &self.workers);
        ran.expect("nothing is missing");
    }

    fn result(&mut self) -> u64 {
        (self.digest)(&mut self.world)
    }
}

/// Many ticks of a schedule without systems; one alone is less than the call that measures it.
struct Idle(Scheduled, usize);

impl Work for Idle {
    fn run(&mut self) {
        for _ in 0..self.1 {
            self.0.run();
            std::hint::black_box(&mut self.0.schedule);
        }
    }

    fn result(&mut self) -> u64 {
        self.0.result()
    }
}

fn nothing(size: usize, _: u64) -> Box<dyn Work> {
    let mut schedule = Schedule::new("nothing");
    let mut world = World::new();
    let ready = schedule.initialize(&mut world);
    ready.expect("there is nothing to fail");
    let idle = Scheduled {
        world,
        schedule,
        workers: Workers::serial(),
        digest: |_| 0,
    };
    Box::new(Idle(idle, size))
}

fn rest() {}

fn empty(size: usize, _: u64) -> Box<dyn Work> {
    let mut schedule = Schedule::new("empty");
    for _ in 0..size {
        schedule.add_systems(rest);
    }
    Box::new(Scheduled {
        world: World::new(),
        schedule,
        workers: Workers::serial(),
        digest: |world| world.systems().len() as u64,
    })
}

/// R: closures behind a pointer.
struct Closures(Vec<Box<dyn FnMut()>>);

impl Work for Closures {
    fn run(&mut self) {
        self.0.iter_mut().for_each(|closure| closure());
    }

    fn result(&mut self) -> u64 {
        self.0.len() as u64
    }
}

fn empty_by_hand(size: usize, _: u64) -> Box<dyn Work> {
    Box::new(Closures((0..size).map(|_| Box::new(rest) as _).collect()))
}

macro_rules! lanes {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Component, Pod, Zeroable)]
        #[repr(transparent)]
        pub struct $name(pub f32);
    )*};
}

lanes! {
    /// What the first system writes.
    A
    /// What it reads.
    ByA
    /// What the second system writes.
    B
    /// What it reads.
    ByB
    /// What the third system writes.
    C
    /// What it reads.
    ByC
}

/// The start values of an entity of the disjoint systems: what is written, and what is read.
#[must_use]
pub fn disjoint(entity: usize) -> ([f32; 3], [f32; 3]) {
    let lane = entity as f32;
    ([lane, lane + 1.0, lane + 2.0], [1.0, 0.5, lane])
}

const DISJOINT_EXPECTED: Expected = Expected {
    smoke: 0x8478_ae6a_4059_28a9,
    full: 0x2cbf_4a1b_b5d9_5f47,
};

macro_rules! add {
    ($name:ident, $to:ident, $by:ident) => {
        fn $name(chunk: Chunk<(&mut $to, &$by)>) {
            let (to, by) = chunk.slices();
            kernel::axpy(to.lanes_mut(), by.lanes(), STEP).expect("slices of one chunk");
        }
    };
}

add!(add_a, A, ByA);
add!(add_b, B, ByB);
add!(add_c, C, ByC);

fn disjoint_on(threads: usize, size: usize, _: u64) -> Box<dyn Work> {
    let mut world = World::new();
    world.spawn_batch((0..size).map(|entity| {
        let ([a, b, c], [by_a, by_b, by_c]) = disjoint(entity);
        (A(a), ByA(by_a), B(b), ByB(by_b), C(c), ByC(by_c))
    }));
    let mut schedule = Schedule::new("disjoint");
    schedule.add_systems((add_a, add_b, add_c));
    Box::new(Scheduled {
        world,
        schedule,
        workers: Workers::new(threads).expect("threads can be had"),
        digest: |world| {
            let digests = [
                digest_of::<A>(world),
                digest_of::<B>(world),
                digest_of::<C>(world),
            ];
            digests
                .into_iter()
                .fold(0, |all: u64, one| all.rotate_left(1) ^ one)
        },
    })
}

/// R: three loops over flat arrays.
struct Disjoint([(Flat, Flat); 3]);

impl Work for Disjoint {
    fn run(&mut self) {
        for (to, by) in &mut self.0 {
            reference::axpy(Level::current(), to.lanes_mut(), by.lanes(), STEP);
        }
    }

    fn result(&mut self) -> u64 {
        let digests = self
            .0
            .iter()
            .map(|(to, _)| digest(to.lanes(), DIGEST_START));
        digests.fold(0, |all: u64, one| all.rotate_left(1) ^ one)
    }
}

fn disjoint_by_hand(size: usize, _: u64) -> Box<dyn Work> {
    let pair = |of: usize| {
        let to = Flat::from_fn(size, |entity| disjoint(entity).0[of]);
        (to, Flat::from_fn(size, |entity| disjoint(entity).1[of]))
    };
    Box::new(Disjoint([0, 1, 2].map(pair)))
}

const FUSED_EXPECTED: Expected = Expected {
    smoke: 0x2405_2af3_8638_b1f8,
    full: 0x1f2e_c5fc_c152_f5ed,
};

fn accelerate(chunk: Chunk<(&mut Velocity, &Acceleration)>) {
    let (velocities, accelerations) = chunk.slices();
    kernel::axpy(velocities.lanes_mut(), accelerations.lanes(), STEP).expect("slices of one chunk");
}

fn drift(chunk: Chunk<(&mut Position, &Velocity)>) {
    let (positions, velocities) = chunk.slices();
    kernel::axpy(positions.lanes_mut(), velocities.lanes(), STEP).expect("slices of one chunk");
}

fn pull(chunk: Chunk<(&mut Acceleration, &Position)>) {
    let (accelerations, positions) = chunk.slices();
    kernel::axpy(accelerations.lanes_mut(), positions.lanes(), -STEP).expect("slices of one chunk");
}

fn four(size: usize, seed: u64, fusing: bool, threads: usize) -> Box<dyn Work> {
    let mut world = World::new();
    world.spawn_batch((0..size).map(|entity| accelerated(seed, entity)));
    let mut schedule = Schedule::new("four");
    schedule.set_fusing(fusing);
    schedule.add_systems((accelerate, drift, pull, accelerate));
    Box::new(Scheduled {
        world,
        schedule,
        workers: Workers::new(threads).expect("threads can be had"),
        digest: |world| {
            digest_of::<Position>(world)
                ^ digest_of::<Velocity>(world).rotate_left(1)
                ^ digest_of::<Acceleration>(world).rotate_left(2)
        },
    })
}

#[cfg(test)]
mod tests {
    use super::super::population::{Purpose, flat};
    use super::*;

    /// The four passes over flat arrays: the oracle of the fused ones.
    #[test]
    fn four_systems_do_what_four_loops_do() {
        let size = 9_001;
        let mut p = flat(size, SEED, Purpose::Place);
        let mut v = flat(size, SEED, Purpose::Motion);
        let mut a = flat(size, SEED, Purpose::Change);
        let level = Level::current();
        reference::axpy(level, v.lanes_mut(), a.lanes(), STEP);
        reference::axpy(level, p.lanes_mut(), v.lanes(), STEP);
        reference::axpy(level, a.lanes_mut(), p.lanes(), -STEP);
        reference::axpy(level, v.lanes_mut(), a.lanes(), STEP);
        let of = |flat: &Flat| digest(flat.lanes(), DIGEST_START);
        let expected = of(&p) ^ of(&v).rotate_left(1) ^ of(&a).rotate_left(2);
        for (fusing, threads) in [(false, 1), (true, 1), (true, 2)] {
            let mut work = four(size, SEED, fusing, threads);
            work.run();
            assert_eq!(work.result(), expected);
        }
    }
}

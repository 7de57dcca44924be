//! The works of bevy_ecs, on one thread and on its pool.

use bevy_ecs::prelude::{Component, Query, Schedule, World};
use bevy_ecs::schedule::{IntoScheduleConfigs, MultiThreadedExecutor, SingleThreadedExecutor};
use orrery_benches::cases::STEP;
use orrery_benches::cases::population::{self, DIGEST_START, digest};
use orrery_benches::cases::schedule::disjoint;
use orrery_benches::harness::Work;

struct Scheduled {
    world: World,
    schedule: Schedule,
    digest: fn(&mut World) -> u64,
}

impl Work for Scheduled {
    fn run(&mut self) {
        self.schedule.run(&mut self.world);
    }

    fn result(&mut self) -> u64 {
        (self.digest)(&mut self.world)
    }
}

fn scheduled(
    multi: bool,
    world: World,
    systems: impl FnOnce(&mut Schedule),
    digest: fn(&mut World) -> u64,
) -> Box<dyn Work> {
    bevy_ecs_pool();
    let mut schedule = Schedule::default();
    if multi {
        schedule.set_executor(MultiThreadedExecutor::new());
    } else {
        schedule.set_executor(SingleThreadedExecutor::new());
    }
    systems(&mut schedule);
    Box::new(Scheduled {
        world,
        schedule,
        digest,
    })
}

/// The pool that the executor takes its threads from: as many as there are cores.
fn bevy_ecs_pool() {
    bevy_tasks::ComputeTaskPool::get_or_init(bevy_tasks::TaskPool::default);
}

macro_rules! both {
    ($single:ident, $multi:ident, $of:ident) => {
        pub(super) fn $single(size: usize, seed: u64) -> Box<dyn Work> {
            $of(false, size, seed)
        }

        pub(super) fn $multi(size: usize, seed: u64) -> Box<dyn Work> {
            $of(true, size, seed)
        }
    };
}

both!(nothing_single, nothing_multi, nothing);
both!(empty_single, empty_multi, empty);
both!(disjoint_single, disjoint_multi, three);
both!(four_single, four_multi, four);

/// Many ticks of a schedule without systems.
struct Idle(Box<dyn Work>, usize);

impl Work for Idle {
    fn run(&mut self) {
        for _ in 0..self.1 {
            self.0.run();
        }
    }

    fn result(&mut self) -> u64 {
        self.0.result()
    }
}

fn nothing(multi: bool, size: usize, _: u64) -> Box<dyn Work> {
    let idle = scheduled(multi, World::new(), |_| (), |_| 0);
    Box::new(Idle(idle, size))
}

fn rest() {}

fn empty(multi: bool, size: usize, _: u64) -> Box<dyn Work> {
    assert!(size == 100, "the digest says how many systems there are");
    let systems = |schedule: &mut Schedule| {
        for _ in 0..size {
            schedule.add_systems(rest);
        }
    };
    scheduled(multi, World::new(), systems, |_| 100)
}

macro_rules! lanes {
    ($($name:ident)*) => {$(
        #[derive(Component, Clone, Copy)]
        struct $name(f32);
    )*};
}

lanes!(A ByA B ByB C ByC);

fn add_a(mut all: Query<(&mut A, &ByA)>) {
    all.iter_mut().for_each(|(mut to, by)| to.0 += by.0 * STEP);
}

fn add_b(mut all: Query<(&mut B, &ByB)>) {
    all.iter_mut().for_each(|(mut to, by)| to.0 += by.0 * STEP);
}

fn add_c(mut all: Query<(&mut C, &ByC)>) {
    all.iter_mut().for_each(|(mut to, by)| to.0 += by.0 * STEP);
}

fn three(multi: bool, size: usize, _: u64) -> Box<dyn Work> {
    let mut world = World::new();
    world.spawn_batch((0..size).map(|entity| {
        let ([a, b, c], [by_a, by_b, by_c]) = disjoint(entity);
        (A(a), ByA(by_a), B(b), ByB(by_b), C(c), ByC(by_c))
    }));
    let systems = |schedule: &mut Schedule| {
        schedule.add_systems((add_a, add_b, add_c));
    };
    scheduled(multi, world, systems, |world| {
        let mut rows = world.query::<(&A, &B, &C)>();
        let mut digests = [DIGEST_START; 3];
        for (a, b, c) in rows.iter(world) {
            for (value, hash) in [a.0, b.0, c.0].into_iter().zip(&mut digests) {
                *hash = digest(&[value], *hash);
            }
        }
        digests
            .into_iter()
            .fold(0, |all: u64, one| all.rotate_left(1) ^ one)
    })
}

#[derive(Component, Clone, Copy)]
struct Position(population::Position);
#[derive(Component, Clone, Copy)]
struct Velocity(population::Velocity);
#[derive(Component, Clone, Copy)]
struct Acceleration(population::Acceleration);

macro_rules! pass {
    ($name:ident, $to:ident, $by:ident, $step:expr) => {
        fn $name(mut all: Query<(&mut $to, &$by)>) {
            all.iter_mut().for_each(|(mut to, by)| {
                to.0.x += by.0.x * $step;
                to.0.y += by.0.y * $step;
                to.0.z += by.0.z * $step;
            });
        }
    };
}

pass!(accelerate, Velocity, Acceleration, STEP);
pass!(drift, Position, Velocity, STEP);
pass!(pull, Acceleration, Position, -STEP);
pass!(accelerate_again, Velocity, Acceleration, STEP);

fn four(multi: bool, size: usize, seed: u64) -> Box<dyn Work> {
    let mut world = World::new();
    world.spawn_batch((0..size).map(move |entity| {
        let (position, velocity, acceleration) = population::accelerated(seed, entity);
        (
            Position(position),
            Velocity(velocity),
            Acceleration(acceleration),
        )
    }));
    let systems = |schedule: &mut Schedule| {
        schedule.add_systems((accelerate, drift, pull, accelerate_again).chain());
    };
    scheduled(multi, world, systems, |world| {
        let mut rows = world.query::<(&Position, &Velocity, &Acceleration)>();
        let (mut p, mut v, mut a) = (DIGEST_START, DIGEST_START, DIGEST_START);
        for (position, velocity, acceleration) in rows.iter(world) {
            p = digest(bytemuck::cast_slice(std::slice::from_ref(&position.0)), p);
            v = digest(bytemuck::cast_slice(std::slice::from_ref(&velocity.0)), v);
            a = digest(
                bytemuck::cast_slice(std::slice::from_ref(&acceleration.0)),
                a,
            );
        }
        p ^ v.rotate_left(1) ^ a.rotate_left(2)
    })
}

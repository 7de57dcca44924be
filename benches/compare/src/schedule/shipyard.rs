//! The works of shipyard, whose workloads run on rayon's threads.

use ::shipyard::{Component, IntoIter, IntoWorkload, View, ViewMut, Workload, World};
use orrery_benches::cases::STEP;
use orrery_benches::cases::population::{DIGEST_START, digest};
use orrery_benches::cases::schedule::disjoint;
use orrery_benches::harness::Work;

struct Scheduled {
    world: World,
    /// Ticks a run.
    ticks: usize,
    digest: fn(&World) -> u64,
}

impl Work for Scheduled {
    fn run(&mut self) {
        for _ in 0..self.ticks {
            let ran = self.world.run_default_workload();
            ran.expect("nothing is borrowed elsewhere");
        }
    }

    fn result(&mut self) -> u64 {
        (self.digest)(&self.world)
    }
}

fn scheduled(
    world: World,
    workload: Workload,
    ticks: usize,
    digest: fn(&World) -> u64,
) -> Box<dyn Work> {
    let added = workload.add_to_world(&world);
    added.expect("the first workload of a world is its default");
    Box::new(Scheduled {
        world,
        ticks,
        digest,
    })
}

pub(super) fn nothing(size: usize, _: u64) -> Box<dyn Work> {
    scheduled(World::new(), Workload::new("nothing"), size, |_| 0)
}

fn rest() {}

pub(super) fn empty(size: usize, _: u64) -> Box<dyn Work> {
    assert!(size == 100, "the digest says how many systems there are");
    let systems = (0..size).fold(Workload::new("empty"), |all, _| all.with_system(rest));
    scheduled(World::new(), systems, 1, |_| 100)
}

macro_rules! lanes {
    ($($name:ident)*) => {$(
        #[derive(Component, Clone, Copy)]
        struct $name(f32);
    )*};
}

lanes!(A ByA B ByB C ByC);

macro_rules! add {
    ($name:ident, $to:ident, $by:ident) => {
        fn $name(mut to: ViewMut<$to>, by: View<$by>) {
            for (to, by) in (&mut to, &by).iter() {
                to.0 += by.0 * STEP;
            }
        }
    };
}

add!(add_a, A, ByA);
add!(add_b, B, ByB);
add!(add_c, C, ByC);

pub(super) fn three(size: usize, _: u64) -> Box<dyn Work> {
    let mut world = World::new();
    world.bulk_add_entity((0..size).map(|entity| {
        let ([a, b, c], [by_a, by_b, by_c]) = disjoint(entity);
        (A(a), ByA(by_a), B(b), ByB(by_b), C(c), ByC(by_c))
    }));
    let systems = (add_a, add_b, add_c).into_workload();
    scheduled(world, systems, 1, |world| {
        let (a, b, c) = world
            .borrow::<(View<A>, View<B>, View<C>)>()
            .expect("nobody writes");
        let mut digests = [DIGEST_START; 3];
        for (a, b, c) in (&a, &b, &c).iter() {
            for (value, hash) in [a.0, b.0, c.0].into_iter().zip(&mut digests) {
                *hash = digest(&[value], *hash);
            }
        }
        digests
            .into_iter()
            .fold(0, |all: u64, one| all.rotate_left(1) ^ one)
    })
}

//! Observers of bevy_ecs, as those of ours: listeners that need nothing of the world, and one that
//! writes a resource.

use std::hint::black_box;

use bevy_ecs::prelude::{Event, On, ResMut, Resource, World};
use orrery_benches::cases::signals::Count;
use orrery_benches::harness::Work;

#[derive(Event)]
struct Ping(u64);

#[derive(Default, Resource)]
struct Sum(u64);

struct Signals {
    world: World,
    size: u64,
    counts: Vec<Count>,
}

impl Work for Signals {
    fn run(&mut self) {
        for number in 0..self.size {
            black_box(&mut self.world).trigger(Ping(number));
        }
    }

    fn result(&mut self) -> u64 {
        let heard: u64 = self.counts.iter().map(Count::get).sum();
        heard + self.world.resource::<Sum>().0
    }
}

fn signals(size: usize, listeners: usize, writes: bool) -> Box<dyn Work> {
    let mut world = World::new();
    world.init_resource::<Sum>();
    let counts: Vec<Count> = (0..listeners).map(|_| Count::default()).collect();
    for count in &counts {
        let count = count.clone();
        world.add_observer(move |on: On<Ping>| count.add(on.event().0));
    }
    if writes {
        world.add_observer(|on: On<Ping>, mut sum: ResMut<Sum>| {
            sum.0 = sum.0.wrapping_add(on.event().0);
        });
    }
    world.flush();
    Box::new(Signals {
        world,
        size: size as u64,
        counts,
    })
}

pub(super) fn none(size: usize, _: u64) -> Box<dyn Work> {
    signals(size, 0, false)
}

pub(super) fn one(size: usize, _: u64) -> Box<dyn Work> {
    signals(size, 1, false)
}

pub(super) fn ten(size: usize, _: u64) -> Box<dyn Work> {
    signals(size, 10, false)
}

pub(super) fn resource(size: usize, _: u64) -> Box<dyn Work> {
    signals(size, 0, true)
}

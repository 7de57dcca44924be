//! Queues by what they promise. Two worlds that run as an app does are in `crate::app`'s tests.

mod model;
mod policies;
mod reading;
mod retirement;
mod worlds;

use orrery_ecs::{Event, IntoSystem, Local, ResMut, Resource, Serial, StateHash, System, World};

use super::{EventReader, EventWriter, Events, Overflow, WorldEvents};

/// An event with its number, so that a reader can be asked what it has seen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Event, StateHash)]
struct Num(u64);

/// What the readers of one kind have seen, in order.
#[derive(Clone, Debug, Default, PartialEq, Resource)]
struct Seen<const KIND: usize>(Vec<u64>);

/// A world with what two kinds of readers write to.
fn world() -> World {
    let mut world = World::new();
    world.init_resource::<Seen<0>>();
    world.init_resource::<Seen<1>>();
    world
}

fn queue(world: &World) -> &Events<Num> {
    world.resource()
}

fn seen<const KIND: usize>(world: &World) -> &[u64] {
    &world.resource::<Seen<KIND>>().0
}

/// A system that sends three events, with the numbers that come next.
fn send_three(mut nums: EventWriter<Num>, mut next: Local<u64>) {
    nums.send_batch((*next..*next + 3).map(Num));
    *next += 3;
}

/// A system that reads all that is there.
fn read<const KIND: usize>(mut nums: EventReader<Num>, mut seen: ResMut<Seen<KIND>>) {
    seen.0.extend(nums.read().map(|num| num.0));
}

/// A system for a world: initialized, so that its readers are known.
fn made<M, S: IntoSystem<M>>(world: &mut World, system: S) -> S::System {
    let mut system = system.into_system();
    system.initialize(world).expect("its parameters agree");
    system
}

/// Runs a system that does not fail.
fn run(system: &mut impl System, world: &mut World) {
    let name = system.name();
    let ran = system.run(world, &Serial);
    ran.unwrap_or_else(|error| panic!("{name}: {error}"));
}

/// A world whose queue has a capacity and a policy.
fn limited(capacity: usize, overflow: Overflow) -> World {
    let mut world = world();
    world.add_event(Events::<Num>::with_capacity(capacity, overflow));
    world
}

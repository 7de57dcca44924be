//! Observers, hooks, triggered events and readers of removed components.

mod bulk;
mod chains;
mod changes;
mod entities;
mod events;
mod hooks;
mod joined;
mod model;
mod panics;
mod removed;
mod replaced;
mod signals;
mod values;

use orrery_ecs::{Add, Component, Despawn, Entity, Insert, On, Remove, ResMut, Resource, World};

use crate::support::{Ledger, Token};

/// What observers have seen, in order. Part of the state, so forks copy it.
#[derive(Clone, Default, Debug, PartialEq, Resource)]
struct Log(Vec<String>);

/// Lies in a sparse set, and counts its life.
#[derive(Clone, Debug, Component)]
#[component(sparse)]
struct Tag {
    number: u32,
    token: Token,
}

impl Tag {
    fn new(number: u32, ledger: &Ledger) -> Self {
        let token = ledger.token();
        Self { number, token }
    }
}

/// Marks of components that lie in tables.
#[derive(Clone, Copy, Debug, Component)]
struct Red;
#[derive(Clone, Copy, Debug, Component)]
struct Blue;

fn world_with_log() -> World {
    let mut world = World::new();
    world.init_resource::<Log>();
    world
}

fn take_log(world: &mut World) -> Vec<String> {
    std::mem::take(&mut world.resource_mut::<Log>().0)
}

/// Adds an observer of each kind of change of a component, which note it under a name.
fn note_all<C: Component>(world: &mut World, name: &'static str) {
    world.add_observer(move |on: On<Add, C>, mut log: ResMut<Log>| {
        log.0.push(format!("{} +{name}", on.entity()));
    });
    world.add_observer(move |on: On<Insert, C>, mut log: ResMut<Log>| {
        log.0.push(format!("{} ={name}", on.entity()));
    });
    world.add_observer(move |on: On<Despawn, C>, mut log: ResMut<Log>| {
        log.0.push(format!("{} x{name}", on.entity()));
    });
    world.add_observer(move |on: On<Remove, C>, mut log: ResMut<Log>| {
        log.0.push(format!("{} -{name}", on.entity()));
    });
}

/// Lines about one entity, without its handle.
fn lines(entity: Entity, lines: &[&str]) -> Vec<String> {
    lines
        .iter()
        .map(|line| format!("{entity} {line}"))
        .collect()
}

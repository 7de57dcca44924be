//! Every derive in a crate that forbids `unsafe`, and warns of nothing.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, unreachable_pub)]

use orrery_ecs::{
    Bundle, Component, Event, Local, Query, ResMut, Resource, StateHash, SystemParam, World,
};

/// A component.
#[derive(Clone, Copy, Component)]
pub struct Position(f32);

/// A component by fields.
#[derive(Clone, Copy, Component)]
#[component(split)]
struct Velocity {
    x: f32,
}

#[derive(Clone, Copy, Component)]
struct Fixed;

#[derive(Clone, Default, Resource)]
struct Sum(f32);

#[derive(Bundle)]
struct Body {
    position: Position,
    velocity: Velocity,
    fixed: Fixed,
}

#[derive(Event)]
struct Fallen;

#[derive(Clone, Default, StateHash)]
struct Runs(u32);

/// A parameter that is public, of things that are not.
#[derive(SystemParam)]
pub struct Bodies<'w, 's, T: Component> {
    positions: Query<'w, 's, &'static Position>,
    others: Query<'w, 's, &'static T>,
    sum: ResMut<'w, Sum>,
    runs: Local<'s, Runs>,
}

fn add(mut bodies: Bodies<Fixed>) {
    bodies.runs.0 += 1;
    assert_eq!((bodies.runs.0, bodies.others.len()), (1, 1));
    bodies.sum.0 += bodies.positions.iter().map(|position| position.0).sum::<f32>();
}

fn main() {
    let mut world = World::new();
    world.init_resource::<Sum>();
    let (position, velocity) = (Position(2.0), Velocity { x: 0.5 });
    world.spawn(Body { position, velocity, fixed: Fixed });
    world.trigger(Fallen);
    world.run_system_once(add).expect("all there");
    assert_eq!(world.resource::<Sum>().0, 2.0);
}

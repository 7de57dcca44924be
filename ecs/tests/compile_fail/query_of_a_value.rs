//! A component by value, and a component as a filter.

use orrery_ecs::{Component, Query};

#[derive(Clone, Copy, Component)]
struct Health(f32);
#[derive(Clone, Copy, Component)]
struct Frozen;

fn by_value(_: Query<Health>) {}
fn in_a_tuple(_: Query<(&mut Health, Frozen)>) {}
fn as_filter(_: Query<&Health, Frozen>) {}
fn as_filters(_: Query<&Health, (Frozen,)>) {}

fn main() {}

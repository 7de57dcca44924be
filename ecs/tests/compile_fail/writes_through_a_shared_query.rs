//! Writing through a query that was borrowed for reading.

use orrery_ecs::{Component, Query};

#[derive(Clone, Copy, Component)]
struct Health(u32);

fn read_only(query: Query<&Health>) {
    for health in &query {
        health.0 += 1;
    }
}

fn shared(query: Query<&mut Health>) {
    for health in &query {
        health.0 += 1;
    }
}

fn not_mut(query: Query<&mut Health>) {
    for health in &mut query {
        health.0 += 1;
    }
}

fn main() {}

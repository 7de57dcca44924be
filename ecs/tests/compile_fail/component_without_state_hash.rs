//! Fields that cannot enter the state hash.

use std::collections::HashMap;

use orrery_ecs::{Component, Resource};

#[derive(Clone, Component)]
struct Stock(HashMap<String, u32>);

#[derive(Clone)]
enum Mood {
    Calm,
}

#[derive(Clone, Resource)]
struct Weather {
    mood: Mood,
}

fn main() {}

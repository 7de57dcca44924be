//! What a system gets, kept after its run.

use std::sync::Mutex;

use orrery_ecs::{EntityRef, Query, World};

static KEPT: Mutex<Option<&World>> = Mutex::new(None);
static FIRST: Mutex<Option<EntityRef>> = Mutex::new(None);

fn keep_the_world(world: &World) {
    *KEPT.lock().unwrap() = Some(world);
}

fn keep_an_entity(all: Query<EntityRef>) {
    *FIRST.lock().unwrap() = all.into_iter().next();
}

fn main() {}

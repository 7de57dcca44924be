//! Locals that have no default, or that a fork could not take along.

use std::collections::HashMap;

use orrery_ecs::Local;

struct Count(u32);

fn a_type(_: Local<Count>) {}
fn a_map(_: Local<HashMap<String, u32>>) {}

fn main() {}

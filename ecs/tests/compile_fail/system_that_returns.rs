//! What a system cannot return.

use orrery_ecs::{In, IntoSystem};

struct Broken;

fn a_number() -> u32 {
    3
}

fn a_strange_error() -> Result<(), Broken> {
    Err(Broken)
}

fn takes_input(_: In<u32>) {}

fn add<M>(_: impl IntoSystem<M>) {}

fn main() {
    add(a_number);
    add(a_strange_error);
    add(takes_input);
}

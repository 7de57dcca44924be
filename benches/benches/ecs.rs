//! Full runs of the cases of `orrery-ecs`.

#[path = "common/mod.rs"]
mod common;

fn main() {
    common::run(&orrery_benches::cases::ecs());
}

//! Full runs of the cases of `orrery`'s time and events.

#[path = "common/mod.rs"]
mod common;

fn main() {
    use orrery_benches::cases;

    common::run(&[cases::time(), cases::events()].concat());
}

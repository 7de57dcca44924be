//! Full runs of the cases of `orrery`'s time, tasks and events.

#[path = "common/mod.rs"]
mod common;

fn main() {
    use orrery_benches::cases;

    common::run(&[cases::time(), cases::tasks(), cases::events()].concat());
}

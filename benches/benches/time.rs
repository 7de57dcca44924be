//! Full runs of the cases of `orrery`'s time.

#[path = "common/mod.rs"]
mod common;

fn main() {
    common::run(&orrery_benches::cases::time());
}

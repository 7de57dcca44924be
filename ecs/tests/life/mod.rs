//! Long life: memory after an hour of ticks, after a thousand worlds, and worlds beside one that
//! panics.
//!
//! An hour at 60 Hz, by hand and alone, for it then looks at the memory of the whole process too:
//!
//! ```text
//! ORRERY_SOAK_TICKS=216000 cargo test --locked --release -p orrery-ecs --test main -- \
//!     --nocapture life::soak
//! ```

mod held;
mod memory;
mod panics;
mod soak;
mod town;

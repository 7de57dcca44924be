//! Long life: what does not grow with time.

mod held;
mod memory;

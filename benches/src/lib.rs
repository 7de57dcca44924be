//! Benchmarks of Orrery with expected results, and the harness they share.
//!
//! Goals, the earlier wins: a case does what it says (its *expected result* is checked before it
//! is timed), a figure can be repeated (fixed seed, warm world, minimum and median of many), and a
//! case cannot rot (every one runs at its smoke size in `cargo test`).
//!
//! Not goals: absolute times to compare between machines, and fine intervals. A figure here is a
//! **ratio** to a reference that runs in turn with it in the same process; criterion adds absolute
//! times beside them.
//!
//! ```text
//! harness    Case, Work       what is measured, at which size, and what must come out
//!            interleave       A B A B ... in one process -> minimum, median, ratio
//!            probe, machine   what the memory gives at this minute, where and on which commit
//! reference  Flat, kernels    columns on huge pages and AVX2 loops written by hand: R
//! cases      ecs, math, time  the cases themselves
//! instructions                what each case needs of them, as a record that can be checked
//! ```
//!
//! `cargo bench -p orrery-benches` runs all at full size; `-- NAME` picks those whose name
//! contains it. `benches/compare` holds the same work against other libraries.

pub mod cases;
pub mod harness;
pub mod instructions;
pub mod reference;

//! A persistent pool of workers that shares the indices of a loop between threads.
//!
//! ```text
//! for_each(count, body)                 on the caller's stack: Job { body, next, panic }
//!   open    state: epoch + 1, OPEN      one word says which job is on offer and who is in it
//!   claim   next: batches of indices    caller and workers alike, large batches first
//!   close   OPEN cleared                late workers turn back
//!   wait    entered == 0                then the job may leave the stack
//! ```
//!
//! - Every index runs exactly once, on one thread; which one is not defined, so bodies must not
//!   let it show. Results belong into per-index places ([`Workers::chunks_mut`]).
//! - Taking part is voluntary: the caller works too and waits only for workers that have entered,
//!   so a job too small to share costs a wake-up call and no wait for a sleeper.
//! - A call from inside a body, or from a second thread while the pool is busy, runs serially on
//!   its own thread. Nothing waits for a free pool, so nothing can deadlock.
//! - A body that panics stops nothing: all other indices run, on any number of threads, then the
//!   panic of the lowest index goes on in the caller. What a panic leaves behind is thus a
//!   function of the bodies alone.
//! - Workers spin for at most 50 us after their last job and then park; so does a caller whose
//!   workers are still busy. With more threads than cores nobody spins.
//!
//! The protocol and its memory orders are told in `pool.rs`. Measured on 2 cores of an AMD EPYC
//! (Zen 3, Linux 6.18, Rust 1.95, release), median: an index handed to a spinning worker and its
//! end seen by the caller 0.13 us (0.85 us where the host spreads the cores); a loop of two empty
//! bodies 15 ns without workers and 0.06 us (0.29) with one; posting to a parked worker costs the
//! caller 3 us at best and 15 us as a rule, and the worker begins 0.09 ms later; a loop of 0.39 ms
//! over 4 MiB takes 0.20 ms on two cores.
//!
//! Absent on purpose: work stealing, nested parallelism and priorities. A tick is a sequence of
//! loops over blocks; one counter serves it best.

#![expect(
    unsafe_code,
    reason = "workers borrow from the stack of a caller who waits for them"
)]

mod affinity;
mod error;
mod job;
#[cfg(all(test, loom))]
mod models;
mod pool;
mod slices;
mod state;
mod sync;
mod world;

#[cfg(all(test, not(loom)))]
mod tests;

pub use error::WorkersError;
pub use pool::Workers;

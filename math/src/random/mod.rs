//! Random numbers as a function, not as a state: (run seed, tick, stable id, purpose) -> value.
//!
//! That is contract C4. No generator belongs to a thread, none is part of a snapshot and none is
//! passed along: whoever knows the four numbers gets the same value, in any order, on any number
//! of workers, and after a restore or in a fork. The stable id is an entity's id bits or the like;
//! the purpose tells apart two uses by the same entity in the same tick (steering, damage, ...).
//!
//! ```text
//! seed, 64 bits ----------------- key ----+
//! tick 64 | purpose 32 | tag 32 - counter +-> Philox4x32-10 -> 128 bits
//!                                                |          |
//!                                             64 bits    32 bits     (32 bits unused)
//!                                                v          v
//!                                               key      salt
//! id 64 | salt 32 | block index 32 - counter ----+-> Philox4x32-10 -> 4 words, block after block
//! ```
//!
//! Facts that follow:
//! - All 64 + 64 + 64 + 32 input bits take part, and the index of the draw.
//! - Within one seed, tick and purpose, Philox is a bijection of (id, block index): streams of
//!   different ids never share a block.
//! - (Seed, tick, purpose) has 160 bits and is compressed to 96. Two of them collide by chance
//!   only: for a pair with probability 2^-96, for some pair among 2^32 of them (a billion ticks
//!   with four purposes) with 2^-33.
//! - Two ways to reach the same value cannot contradict each other: [`Random`], [`Stream`] and
//!   [`Draws`] are plain data.
//!
//! The values are part of the format of a replay: a test pins them.
//!
//! Left out: secrets (use the system's generator) and sequences longer than 2^34 words for one
//! key (panics; take another purpose).

mod draws;
mod philox;
mod stream;

#[cfg(test)]
mod tests;

pub use draws::Draws;
pub use philox::philox4x32_10;
pub use stream::{Random, Stream};

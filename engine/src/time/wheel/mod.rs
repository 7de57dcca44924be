//! Timers on ticks, a million of them: a hierarchical timing wheel (Varghese & Lauck 1987).
//!
//! ```text
//! now     ... 000011 010110 101001         a tick in groups of 6 bits
//! due     ... 000011 011001 000111         first group that differs: level 1, slot 011001
//!
//! level 0   64 slots of 1 tick             \
//! level 1   64 slots of 64 ticks            | a word of 64 bits a level: which slots hold timers
//! ...                                       |
//! level 10  16 slots of 2^60 ticks         /
//!
//! nodes   [ slot 0 .. slot 703 | timer timer (free) timer ... ]     one array, 32 bytes each
//!           a slot is the head of a ring: head <-> first <-> ... <-> last <-> head
//! ```
//!
//! - Where a timer lies follows from `now` and its due tick alone, and every list is in the order
//!   of arming. So timers of one tick always lie in one list, also while others are spread over
//!   lower levels, and come out in the order in which they were armed.
//! - All timers of a level lie in slots ahead of `now`, and those of a lower level are due before
//!   those of a higher one. The next slot that holds any is found by two bit scans, however far it
//!   is: nothing walks over ticks.
//! - A timer goes down a level at most ten times in its life, and only when its slot is reached.
//! - Arming takes a node from the free list, cancelling gives it back: neither allocates once warm,
//!   and both touch a node and its two neighbours.
//! - Timers are state: forked with the world and hashed. The hash covers all from which the future
//!   follows: due ticks, order of arming, periods, values, and the free list and generations, since
//!   the ids to come follow from them. Thus two wheels with equal timers but another history of
//!   arming and cancelling give different hashes: their next ids differ, and ids may be state.
//!
//! Each timer that is spread or given out is a wait for memory, some 50 ns where caches do not hold
//! a million: 3 ms for 60,000 timers that share a slot of 4,096 ticks. Giving out a million takes
//! 157 ns each, a sorted map 54 (and 430 to arm, where this takes 6). Lists as arrays of entries
//! were tried: spreading then reads memory in order, but cancelled entries stay behind until a slot
//! is tidied up, and arming, which is the most frequent of all, took twice the time because it
//! never found its memory in the cache.
//!
//! Absent on purpose: callbacks (a value is given out, a system decides what it means), real time
//! (count ticks), and a resource for all kinds of values at once (each type has its own).

mod expire;
mod rings;
mod state;
mod timers;

#[cfg(test)]
mod model;
#[cfg(test)]
mod tests;

pub use expire::{Expire, Expired};
pub use timers::{TimerId, Timers};

//! Worlds that share blocks: on one thread, and on several at once.

mod sharing;
mod threads;

//! The state hash: what changes it, what does not, and which cached digests must go.

mod digests;
mod values;

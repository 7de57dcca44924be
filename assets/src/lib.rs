//! Signed asset packs: whom we trust, for what, and the limits of the format.
//!
//! # What a pack is
//! ```text
//! verifying key --Ed25519--> root hash --BLAKE3 tree--> chunk groups --> manifest, entries
//!   (the game's)              (32 B)      (outboard)     (16..256 KiB)
//! ```
//! One signature covers one root hash, and the root hash covers every byte: the manifest, which
//! names the entries, and the entries themselves. There is no second sum to keep in step with it
//! and no part of a pack that the signature leaves out.
//!
//! # Whom we trust
//! - The **program**, with the verifying keys built into it or given to it by its operator.
//! - The **holder of a signing key**, for what the keys' owner lets it sign. A mod's key signs that
//!   mod; what a pack may replace in others, its manifest declares and the program decides.
//! - **Nobody else.** Disks, mirrors, proxies, memory cards and the pack's own header may lie; so
//!   may lengths, offsets and counts that come before the signature has been checked.
//!
//! # What holds
//! - **Fails closed.** No byte of a chunk group is returned before the group has been verified
//!   against the signed root hash. A group that fails gives an error that says which pack, entry
//!   and bytes, and gives it on every later read too: no retry by another route returns the bytes,
//!   no switch in a configuration file turns the check off.
//! - **Verified at first touch.** Opening costs the signature, the manifest and its proof; each
//!   group is hashed when it is first read, so that a large pack opens at once and only what is
//!   used is paid for. What is returned is what was verified: a copy, or a mapping of a file that
//!   nobody else may write to.
//! - **Strict signatures.** Ed25519 with the strict rule for verification: small-order keys and
//!   points that are not in canonical form are refused, so one pack has one valid reading.
//! - **Unsigned packs only by an explicit word of the caller**, at the call that opens the pack.
//!   Nothing in a pack, no missing file and no default leads there. The tree is verified as ever;
//!   it then guards against damage, not against malice.
//! - **Hostile bytes cost what they are worth.** Parsing never panics, never recurses without a
//!   limit, and never reserves memory for a number it has read before the bytes behind that number
//!   are known to be there. [`limits`] holds the numbers and the checks.
//!
//! # What does not hold
//! - Packs are not secret: nothing is encrypted.
//! - An old pack with a good signature is a good pack. Whoever must refuse it says which versions
//!   it takes.
//! - A stolen signing key signs. Keys are revoked by a program that no longer carries them.
//! - Who can write into the running program's memory needs no pack.
//!
//! # What others got wrong, and what we do instead
//! A signed pack of a large engine still loaded with a flipped bit unless the game handled an
//! event; its sums were 32 bits wide. Another engine let any pack replace the game's scripts, with
//! no signature at all. Several formats end at 2 or 4 GiB. So here: errors are values that nobody
//! can forget to handle, hashes are 256 bits, every offset and length is a `u64` with checked
//! arithmetic.

mod group;
pub mod limits;

pub use group::ChunkGroupSize;
pub use limits::LimitError;

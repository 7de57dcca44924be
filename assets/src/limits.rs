//! The numbers of the format, each with its reason, and the checks at the border.
//!
//! A parser takes numbers out of untrusted bytes, passes them through one of these functions, and
//! uses only what comes back. None of them panics, allocates or wraps round.

use std::ops::Range;

use thiserror::Error;

/// Bytes in a BLAKE3 chunk: fixed by BLAKE3 (its paper, section 2.1).
pub const CHUNK_BYTES: u64 = 1_024;

/// Bytes in a root hash or a chaining value: the full strength of BLAKE3 (section 2.1).
pub const HASH_BYTES: usize = 32;

/// Bytes in an Ed25519 signature (RFC 8032, section 5.1.6).
pub const SIGNATURE_BYTES: usize = 64;

/// Bytes in an Ed25519 verifying key (RFC 8032, section 5.1.5).
pub const VERIFYING_KEY_BYTES: usize = 32;

/// The most bytes in a pack: file offsets are signed 64-bit numbers in POSIX and Windows.
pub const PACK_BYTES_MAX: u64 = i64::MAX as u64;

/// The most levels above the chunks of a BLAKE3 tree: 2^64 bytes are 2^54 chunks (its paper,
/// section 2.1). The recursion of a verifier is bounded by it.
pub const TREE_DEPTH_MAX: u32 = 54;

/// The most bytes in a manifest: it is verified and held whole, so its size is a price that
/// opening must pay. A million entries with paths of 100 bytes take less than half of it.
pub const MANIFEST_BYTES_MAX: u64 = 256 << 20;

/// The least bytes that an entry takes in a manifest: offset, length and a path of one byte with
/// its length. A count of entries is believed only if as many bytes are there.
pub const ENTRY_BYTES_MIN: u64 = 8 + 8 + 2 + 1;

/// The most entries in a pack: what [`MANIFEST_BYTES_MAX`] can hold, rounded down to a power of
/// two. An entry's index fits 32 bits.
pub const ENTRY_COUNT_MAX: u64 = 1 << 23;

/// The most bytes in an entry's path: a quarter of Linux's limit, so that any pack can be unpacked
/// below some folder, and short enough for a 16-bit length.
pub const PATH_BYTES_MAX: u64 = 1_024;

/// The most bytes between two slashes: the limit of ext4, and of APFS and NTFS in their units.
pub const PATH_PART_BYTES_MAX: u64 = 255;

/// The most verifying keys that a program tries on a pack: each try costs some 50 us, and a pack
/// from the network must not buy more than a millisecond with it.
pub const VERIFYING_KEY_COUNT_MAX: usize = 16;

const _: () = assert!(ENTRY_COUNT_MAX * ENTRY_BYTES_MIN <= MANIFEST_BYTES_MAX);
const _: () = assert!(PATH_BYTES_MAX <= u16::MAX as u64);
const _: () = assert!(u64::MAX / CHUNK_BYTES < 1 << TREE_DEPTH_MAX);

/// A number in a pack that cannot be right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LimitError {
    /// The size of a chunk group is not a power of two from 16 to 256 KiB.
    #[error(
        "a chunk group of {bytes} bytes is not possible: use a power of two from {min} to {max}"
    )]
    BadGroupSize {
        /// The size found.
        bytes: u64,
        /// The smallest size.
        min: u64,
        /// The largest size.
        max: u64,
    },
    /// A range runs past the end of what it lies in, or past the end of all numbers.
    #[error("{length} bytes from offset {offset} do not fit into {total} bytes")]
    OutOfRange {
        /// Where the range begins.
        offset: u64,
        /// How long it says it is.
        length: u64,
        /// How much there is.
        total: u64,
    },
    /// A size or count is above its limit.
    #[error("{found} {what} are more than the {max} allowed")]
    TooMany {
        /// What is counted.
        what: &'static str,
        /// The number found.
        found: u64,
        /// The limit.
        max: u64,
    },
    /// A count promises more than the bytes at hand can hold.
    #[error("{count} entries need at least {needed} bytes, and {available} are there")]
    CountBeyondData {
        /// The number of entries found.
        count: u64,
        /// The bytes they would take at the least.
        needed: u64,
        /// The bytes that are there.
        available: u64,
    },
    /// A path has no byte.
    #[error("an entry has an empty path: give each entry a name")]
    EmptyPath,
}

/// Returns `offset..offset + length` if it lies in `0..total`.
///
/// # Errors
/// [`LimitError::OutOfRange`] if it does not, or if the sum does not fit 64 bits.
///
/// # Examples
/// ```
/// use orrery_assets::limits::checked_range;
///
/// assert_eq!(checked_range(10, 5, 15), Ok(10..15));
/// assert!(checked_range(10, 6, 15).is_err());
/// assert!(checked_range(u64::MAX, 2, u64::MAX).is_err());
/// ```
pub const fn checked_range(offset: u64, length: u64, total: u64) -> Result<Range<u64>, LimitError> {
    match offset.checked_add(length) {
        Some(end) if end <= total => Ok(offset..end),
        _ => Err(LimitError::OutOfRange {
            offset,
            length,
            total,
        }),
    }
}

/// Returns the size of a pack if it is possible.
///
/// # Errors
/// [`LimitError::TooMany`] above [`PACK_BYTES_MAX`].
pub const fn checked_pack_bytes(bytes: u64) -> Result<u64, LimitError> {
    at_most("bytes in a pack", bytes, PACK_BYTES_MAX)
}

/// Returns the size of a manifest if it is possible in a pack of `pack_bytes`.
///
/// # Errors
/// [`LimitError::TooMany`] above [`MANIFEST_BYTES_MAX`], [`LimitError::OutOfRange`] if the pack is
/// not that long.
pub const fn checked_manifest_bytes(bytes: u64, pack_bytes: u64) -> Result<u64, LimitError> {
    if bytes > pack_bytes {
        return Err(LimitError::OutOfRange {
            offset: 0,
            length: bytes,
            total: pack_bytes,
        });
    }
    at_most("bytes in a manifest", bytes, MANIFEST_BYTES_MAX)
}

/// Returns a count of entries if the `available` bytes of the manifest can hold as many: what comes
/// back may be reserved for.
///
/// # Errors
/// [`LimitError::TooMany`] above [`ENTRY_COUNT_MAX`], [`LimitError::CountBeyondData`] if there are
/// too few bytes.
pub const fn checked_entry_count(count: u64, available: u64) -> Result<u64, LimitError> {
    if let Err(error) = at_most("entries", count, ENTRY_COUNT_MAX) {
        return Err(error);
    }
    // Cannot overflow: asserted above for the highest count.
    let needed = count * ENTRY_BYTES_MIN;
    if needed > available {
        return Err(LimitError::CountBeyondData {
            count,
            needed,
            available,
        });
    }
    Ok(count)
}

/// Returns the length of a path if an entry may have it.
///
/// # Errors
/// [`LimitError::EmptyPath`] for 0, [`LimitError::TooMany`] above [`PATH_BYTES_MAX`].
pub const fn checked_path_bytes(bytes: u64) -> Result<u64, LimitError> {
    if bytes == 0 {
        return Err(LimitError::EmptyPath);
    }
    at_most("bytes in a path", bytes, PATH_BYTES_MAX)
}

const fn at_most(what: &'static str, found: u64, max: u64) -> Result<u64, LimitError> {
    if found > max {
        return Err(LimitError::TooMany { what, found, max });
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    //! Each check at its limit, one beyond it, and at the ends of the numbers.

    use super::*;

    #[test]
    fn ranges_end_inside_or_are_refused() {
        for (offset, length, total, fits) in [
            (0, 0, 0, true),
            (0, 1, 1, true),
            (5, 0, 5, true),
            (6, 0, 5, false),
            (4, 2, 5, false),
            (0, u64::MAX, u64::MAX, true),
            (1, u64::MAX, u64::MAX, false),
            (u64::MAX, u64::MAX, u64::MAX, false),
            (u64::MAX, 0, u64::MAX, true),
        ] {
            let range = checked_range(offset, length, total);
            let error = LimitError::OutOfRange {
                offset,
                length,
                total,
            };
            let want = if fits {
                Ok(offset..offset + length)
            } else {
                Err(error)
            };
            assert_eq!(range, want, "{offset} + {length} in {total}");
        }
    }

    #[test]
    fn packs_end_where_file_offsets_end() {
        assert_eq!(checked_pack_bytes(6 << 30), Ok(6 << 30));
        assert_eq!(checked_pack_bytes(PACK_BYTES_MAX), Ok(PACK_BYTES_MAX));
        assert!(checked_pack_bytes(PACK_BYTES_MAX + 1).is_err());
        assert!(checked_pack_bytes(u64::MAX).is_err());
    }

    #[test]
    fn manifests_fit_into_their_pack_and_into_memory() {
        assert_eq!(checked_manifest_bytes(10, 10), Ok(10));
        assert!(matches!(
            checked_manifest_bytes(11, 10),
            Err(LimitError::OutOfRange { .. })
        ));
        let max = MANIFEST_BYTES_MAX;
        assert_eq!(checked_manifest_bytes(max, u64::MAX), Ok(max));
        let error = LimitError::TooMany {
            what: "bytes in a manifest",
            found: max + 1,
            max,
        };
        assert_eq!(checked_manifest_bytes(max + 1, u64::MAX), Err(error));
    }

    #[test]
    fn entries_are_believed_only_if_their_bytes_are_there() {
        assert_eq!(checked_entry_count(0, 0), Ok(0));
        assert_eq!(checked_entry_count(3, 57), Ok(3));
        let error = LimitError::CountBeyondData {
            count: 3,
            needed: 57,
            available: 56,
        };
        assert_eq!(checked_entry_count(3, 56), Err(error));
        assert_eq!(
            checked_entry_count(ENTRY_COUNT_MAX, u64::MAX),
            Ok(ENTRY_COUNT_MAX)
        );
        for count in [ENTRY_COUNT_MAX + 1, u64::MAX] {
            let error = checked_entry_count(count, u64::MAX);
            assert!(matches!(
                error,
                Err(LimitError::TooMany {
                    what: "entries",
                    ..
                })
            ));
        }
    }

    #[test]
    fn paths_have_a_name_and_an_end() {
        assert_eq!(checked_path_bytes(0), Err(LimitError::EmptyPath));
        assert_eq!(checked_path_bytes(1), Ok(1));
        assert_eq!(checked_path_bytes(PATH_BYTES_MAX), Ok(PATH_BYTES_MAX));
        assert!(checked_path_bytes(PATH_BYTES_MAX + 1).is_err());
    }

    #[test]
    fn errors_name_the_number_and_the_limit() {
        let text = checked_path_bytes(5_000).map_err(|error| error.to_string());
        assert_eq!(
            text,
            Err("5000 bytes in a path are more than the 1024 allowed".to_owned())
        );
    }
}

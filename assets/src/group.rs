//! Chunk groups: the pieces that are verified, and fetched again, as one.

use std::ops::Range;

use crate::limits::{CHUNK_BYTES, LimitError, checked_range};

/// The number of bytes in a chunk group: a power of two from 16 to 256 KiB.
///
/// The outboard keeps a pair of chaining values, 64 bytes, for nearly every group, so small groups
/// cost space and large ones cost work: reading one byte verifies its whole group.
///
/// # Examples
/// ```
/// use orrery_assets::ChunkGroupSize;
///
/// let size = ChunkGroupSize::new(16_384)?;
/// assert_eq!(size.group_count(40_000), 3);
/// assert_eq!(size.group_range(2, 40_000)?, 32_768..40_000);
/// assert!(ChunkGroupSize::new(20_000).is_err());
/// # Ok::<(), orrery_assets::LimitError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChunkGroupSize {
    /// The exponent: bytes = 1 << log2.
    log2: u8,
}

impl ChunkGroupSize {
    /// The smallest group: the outboard is then 0.4 % of the data, and a group is hashed 16 chunks
    /// at a time, as wide as BLAKE3 goes.
    pub const MIN: Self = Self { log2: 14 };

    /// The largest group: hashing it takes some 50 us, which a first touch may still cost.
    pub const MAX: Self = Self { log2: 18 };

    /// Makes the size of `bytes` bytes.
    ///
    /// # Errors
    /// [`LimitError::BadGroupSize`] if it is not a power of two from [`Self::MIN`] to
    /// [`Self::MAX`].
    pub const fn new(bytes: u64) -> Result<Self, LimitError> {
        let (min, max) = (Self::MIN.bytes(), Self::MAX.bytes());
        if !bytes.is_power_of_two() || bytes < min || bytes > max {
            return Err(LimitError::BadGroupSize { bytes, min, max });
        }
        // At most 18.
        Ok(Self {
            log2: bytes.trailing_zeros() as u8,
        })
    }

    /// Returns the number of bytes.
    pub const fn bytes(self) -> u64 {
        1 << self.log2
    }

    /// Returns the number of BLAKE3 chunks in a full group.
    pub const fn chunk_count(self) -> u64 {
        self.bytes() / CHUNK_BYTES
    }

    /// Returns the number of groups in `total` bytes. BLAKE3 gives nothing at all one empty chunk,
    /// so that is one group too.
    pub const fn group_count(self, total: u64) -> u64 {
        let count = total.div_ceil(self.bytes());
        if count == 0 { 1 } else { count }
    }

    /// Returns the group that the byte at `offset` lies in.
    pub const fn group_of(self, offset: u64) -> u64 {
        offset >> self.log2
    }

    /// Returns the bytes of group `index` in `total` bytes; the last group may be shorter.
    ///
    /// # Errors
    /// [`LimitError::OutOfRange`] if there is no such group.
    pub const fn group_range(self, index: u64, total: u64) -> Result<Range<u64>, LimitError> {
        if index >= self.group_count(total) {
            let offset = index.saturating_mul(self.bytes());
            return Err(LimitError::OutOfRange {
                offset,
                length: self.bytes(),
                total,
            });
        }
        // No overflow: the group begins inside `total`.
        let start = index << self.log2;
        let rest = total - start;
        Ok(start
            ..start
                + if rest < self.bytes() {
                    rest
                } else {
                    self.bytes()
                })
    }

    /// Returns the groups that must be verified before `length` bytes from `offset` may be
    /// returned; none for an empty range.
    ///
    /// # Errors
    /// [`LimitError::OutOfRange`] if the bytes do not lie in `0..total`.
    pub fn groups_of(self, offset: u64, length: u64, total: u64) -> Result<Range<u64>, LimitError> {
        let range = checked_range(offset, length, total)?;
        let first = self.group_of(range.start);
        if range.is_empty() {
            return Ok(first..first);
        }
        // The last byte's group is below 2^50, so one more fits.
        Ok(first..self.group_of(range.end - 1) + 1)
    }
}

#[cfg(test)]
mod tests {
    //! Sizes at their limits; groups against a walk over every byte.

    use super::*;

    #[test]
    fn only_powers_of_two_between_the_limits_are_sizes() {
        let sizes: Vec<u64> = (0..1 << 20)
            .filter(|&n| ChunkGroupSize::new(n).is_ok())
            .collect();
        assert_eq!(sizes, [16_384, 32_768, 65_536, 131_072, 262_144]);
        for bytes in [1 << 32, 1 << 63, u64::MAX] {
            assert!(ChunkGroupSize::new(bytes).is_err(), "{bytes}");
        }
        let text = ChunkGroupSize::new(1_000).map_err(|error| error.to_string());
        assert!(text.is_err_and(|text| text.contains("1000") && text.contains("262144")));
        assert_eq!(ChunkGroupSize::MIN.chunk_count(), 16);
        assert_eq!(ChunkGroupSize::MAX.chunk_count(), 256);
    }

    #[test]
    fn groups_tile_the_data() {
        let size = ChunkGroupSize::MIN;
        for total in [0, 1, 1_024, 16_383, 16_384, 16_385, 49_152, 100_000] {
            let mut end = 0;
            for index in 0..size.group_count(total) {
                let range = size.group_range(index, total).expect("a group of the data");
                assert_eq!(range.start, end);
                assert!(range.clone().all(|offset| size.group_of(offset) == index));
                end = range.end;
            }
            assert_eq!(end, total);
            assert!(size.group_range(size.group_count(total), total).is_err());
        }
    }

    #[test]
    fn a_read_needs_the_groups_it_touches() {
        let size = ChunkGroupSize::MIN;
        assert_eq!(size.groups_of(0, 1, 100_000), Ok(0..1));
        assert_eq!(size.groups_of(16_383, 2, 100_000), Ok(0..2));
        assert_eq!(size.groups_of(16_384, 16_384, 100_000), Ok(1..2));
        assert_eq!(size.groups_of(16_384, 0, 100_000), Ok(1..1));
        assert_eq!(size.groups_of(0, 100_000, 100_000), Ok(0..7));
        assert!(size.groups_of(1, 100_000, 100_000).is_err());
        assert!(size.groups_of(u64::MAX, 1, u64::MAX).is_err());
    }

    #[test]
    fn the_largest_numbers_do_not_overflow() {
        for size in [ChunkGroupSize::MIN, ChunkGroupSize::MAX] {
            let count = size.group_count(u64::MAX);
            let last = size
                .group_range(count - 1, u64::MAX)
                .expect("the last group");
            assert_eq!(last, (count - 1) * size.bytes()..u64::MAX);
            assert!(size.group_range(count, u64::MAX).is_err());
            assert!(size.group_range(u64::MAX, u64::MAX).is_err());
            assert_eq!(
                size.groups_of(u64::MAX - 1, 1, u64::MAX),
                Ok(count - 1..count)
            );
        }
    }
}

//! From the four numbers to a key: the derivation that the module head draws.

use super::{Draws, philox4x32_10};

/// Fourth counter word of the compressing call: "orry", kept fixed so that the derivation can be
/// told apart from a later one.
const TAG: u32 = u32::from_le_bytes(*b"orry");

/// The random numbers of one run: its seed.
///
/// # Examples
///
/// ```
/// use orrery_math::Random;
///
/// const STEERING: u32 = 1;
/// let random = Random::new(42);
/// let (tick, id) = (7, 1_000);
///
/// let angle = random.at(tick, id, STEERING).range_f32(-0.1, 0.1);
/// assert!((-0.1..0.1).contains(&angle));
/// // No state: asking again, from anywhere, gives the same value.
/// assert_eq!(random.at(tick, id, STEERING).range_f32(-0.1, 0.1), angle);
/// ```
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Random {
    seed: u64,
}

impl Random {
    /// Makes the random numbers of the run with this seed; every seed is as good as another.
    #[inline]
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// Returns the seed.
    #[inline]
    #[must_use]
    pub const fn seed(self) -> u64 {
        self.seed
    }

    /// Returns the sequence of draws that belongs to `id` at `tick` for `purpose`.
    ///
    /// # Cost
    ///
    /// One Philox call, and one per four words drawn. In a loop over many ids take
    /// [`Random::stream`] once before it, which saves the first.
    #[inline]
    pub const fn at(self, tick: u64, id: u64, purpose: u32) -> Draws {
        self.stream(tick, purpose).at(id)
    }

    /// Returns what all ids share at `tick` for `purpose`: `stream(tick, purpose).at(id)` is
    /// `at(tick, id, purpose)`.
    #[inline]
    #[must_use]
    pub const fn stream(self, tick: u64, purpose: u32) -> Stream {
        let [tick_low, tick_high] = halves(tick);
        let block = philox4x32_10([tick_low, tick_high, purpose, TAG], halves(self.seed));
        Stream {
            key: [block[0], block[1]],
            salt: block[2],
        }
    }
}

/// The random numbers of one tick and purpose, ready for any number of ids.
///
/// # Examples
///
/// ```
/// use orrery_math::Random;
///
/// let random = Random::new(42);
/// let stream = random.stream(7, 1);
/// for id in 0..3 {
///     assert_eq!(stream.at(id).next_u32(), random.at(7, id, 1).next_u32());
/// }
/// ```
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Stream {
    key: [u32; 2],
    salt: u32,
}

impl Stream {
    /// Returns the sequence of draws that belongs to `id`.
    ///
    /// # Cost
    ///
    /// None; the first draw computes the first block.
    #[inline]
    pub const fn at(self, id: u64) -> Draws {
        let [id_low, id_high] = halves(id);
        Draws::new([id_low, id_high, self.salt], self.key)
    }
}

/// Splits a number into its low and its high word.
const fn halves(value: u64) -> [u32; 2] {
    [value as u32, (value >> 32) as u32]
}

//! The sequence of values of one key, and the distributions over it.
//!
//! A [`Draws`] is a counter, a key and the block of four words being handed out: 48 bytes that
//! live on the stack of the function that draws. Each distribution says how many words it takes,
//! since what is drawn before shifts what is drawn after.

use std::f64::consts::TAU;

use super::philox4x32_10;
use crate::{Vec2, Vec3, ops};

/// The draws of one (seed, tick, id, purpose), in their order.
///
/// Equal keys give equal sequences. `Clone` but not `Copy`: a silent copy would hand out the same
/// numbers twice.
///
/// # Examples
///
/// ```
/// use orrery_math::Random;
///
/// let mut draws = Random::new(42).at(0, 17, 0);
/// let (first, second) = (draws.next_f32(), draws.next_f32());
/// assert!(first != second && (0.0..1.0).contains(&first));
/// assert!(draws.below(6) < 6);
/// assert!((draws.unit_vec3().length() - 1.0).abs() < 1e-6);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "draws do nothing until a value is taken"]
pub struct Draws {
    /// Id (low, high) and salt: the counter without the block index.
    counter: [u32; 3],
    key: [u32; 2],
    block: [u32; 4],
    /// Words handed out so far.
    drawn: u64,
}

impl Draws {
    /// Words one key can give: 2^32 blocks of four.
    pub const LIMIT: u64 = 1 << 34;

    pub(super) const fn new(counter: [u32; 3], key: [u32; 2]) -> Self {
        Self {
            counter,
            key,
            block: [0; 4],
            drawn: 0,
        }
    }

    /// Skips to the last block, which no test could reach by drawing.
    #[cfg(test)]
    pub(super) const fn near_the_end(self) -> Self {
        Self {
            drawn: Self::LIMIT - 4,
            ..self
        }
    }

    /// Returns 32 uniform bits. Takes one word.
    ///
    /// # Panics
    ///
    /// If this key has given [`Draws::LIMIT`] words; this holds for all methods below.
    #[inline]
    pub fn next_u32(&mut self) -> u32 {
        let word = self.drawn % 4;
        if word == 0 {
            assert!(
                self.drawn < Self::LIMIT,
                "one key gives at most {} words",
                Self::LIMIT
            );
            let [id_low, id_high, salt] = self.counter;
            let index = (self.drawn / 4) as u32;
            self.block = philox4x32_10([id_low, id_high, salt, index], self.key);
        }
        self.drawn += 1;
        self.block[word as usize]
    }

    /// Returns 64 uniform bits, low half first. Takes two words.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        let low = self.next_u32();
        u64::from(self.next_u32()) << 32 | u64::from(low)
    }

    /// Returns a multiple of 2^-24 in `[0, 1)`. Takes one word.
    #[inline]
    pub fn next_f32(&mut self) -> f32 {
        const STEP: f32 = 1.0 / (1 << 24) as f32;
        (self.next_u32() >> 8) as f32 * STEP
    }

    /// Returns a multiple of 2^-53 in `[0, 1)`. Takes two words.
    #[inline]
    pub fn next_f64(&mut self) -> f64 {
        const STEP: f64 = 1.0 / (1_u64 << 53) as f64;
        (self.next_u64() >> 11) as f64 * STEP
    }

    /// Returns a value in `[low, high)`. Takes one word.
    ///
    /// # Panics
    ///
    /// Unless `low < high` and their difference is finite.
    #[inline]
    #[track_caller]
    pub fn range_f32(&mut self, low: f32, high: f32) -> f32 {
        let width = high - low;
        assert!(
            low < high && width.is_finite(),
            "no finite range from {low} to {high}"
        );
        let value = low + width * self.next_f32();
        // The last rounding can land on `high` itself.
        if value < high {
            value
        } else {
            high.next_down()
        }
    }

    /// Returns a value in `[low, high)`. Takes two words.
    ///
    /// # Panics
    ///
    /// Unless `low < high` and their difference is finite.
    #[inline]
    #[track_caller]
    pub fn range_f64(&mut self, low: f64, high: f64) -> f64 {
        let width = high - low;
        assert!(
            low < high && width.is_finite(),
            "no finite range from {low} to {high}"
        );
        let value = low + width * self.next_f64();
        if value < high {
            value
        } else {
            high.next_down()
        }
    }

    /// Returns a whole number in `[0, bound)`, each equally likely.
    ///
    /// Takes one word, and seldom more: with probability under `bound / 2^32` a word is refused
    /// and the next one tried (Lemire, "Fast random integer generation in an interval", 2019).
    ///
    /// # Panics
    ///
    /// If `bound` is zero.
    #[inline]
    #[track_caller]
    pub fn below(&mut self, bound: u32) -> u32 {
        assert!(bound > 0, "no number is below zero");
        let mut product = u64::from(self.next_u32()) * u64::from(bound);
        if (product as u32) < bound {
            // 2^32 mod bound: so many of the low halves would be counted once too often. Fewer
            // than half of all words are refused, so LIMIT bounds the loop in theory and a
            // handful of turns in practice.
            let refused = bound.wrapping_neg() % bound;
            while (product as u32) < refused {
                product = u64::from(self.next_u32()) * u64::from(bound);
            }
        }
        (product >> 32) as u32
    }

    /// Returns a whole number in `[0, bound)`, each equally likely; as [`Draws::below`] with two
    /// words at a time.
    ///
    /// # Panics
    ///
    /// If `bound` is zero.
    #[inline]
    #[track_caller]
    pub fn below_u64(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "no number is below zero");
        let mut product = u128::from(self.next_u64()) * u128::from(bound);
        if (product as u64) < bound {
            let refused = bound.wrapping_neg() % bound;
            while (product as u64) < refused {
                product = u128::from(self.next_u64()) * u128::from(bound);
            }
        }
        (product >> 64) as u64
    }

    /// Returns a point on the unit circle, each direction equally likely. Takes one word.
    pub fn unit_vec2(&mut self) -> Vec2 {
        let (sin, cos) = ops::f32::sin_cos(std::f32::consts::TAU * self.next_f32());
        Vec2::new(cos, sin)
    }

    /// Returns a point on the unit sphere, each direction equally likely. Takes two words.
    ///
    /// By Archimedes: height and longitude of such a point are independent and uniform.
    pub fn unit_vec3(&mut self) -> Vec3 {
        let z = 2.0 * self.next_f32() - 1.0;
        let equator = self.unit_vec2() * (1.0 - z * z).sqrt();
        equator.extend(z)
    }

    /// Returns a value of the normal distribution with mean 0 and variance 1. Takes two words.
    ///
    /// At most 6.66 from zero, the end of what 32 bits can resolve.
    ///
    /// # Cost
    ///
    /// A logarithm, a square root and a cosine in f64 (Box and Muller, 1958); the second value of
    /// the pair is dropped, so that a draw never depends on the parity of those before it.
    pub fn normal_f32(&mut self) -> f32 {
        const STEP: f64 = 1.0 / (1_u64 << 32) as f64;
        let radius = (f64::from(self.next_u32()) + 1.0) * STEP;
        let turn = f64::from(self.next_u32()) * STEP;
        box_muller(radius, turn) as f32
    }

    /// Returns a value of the normal distribution with mean 0 and variance 1. Takes four words.
    ///
    /// At most 8.57 from zero. Cost as [`Draws::normal_f32`].
    pub fn normal_f64(&mut self) -> f64 {
        let radius = 1.0 - self.next_f64();
        let turn = self.next_f64();
        box_muller(radius, turn)
    }
}

/// Turns two uniform values, `radius` in `(0, 1]` and `turn` in `[0, 1)`, into a normal one.
fn box_muller(radius: f64, turn: f64) -> f64 {
    (-2.0 * ops::f64::ln(radius)).sqrt() * ops::f64::cos(TAU * turn)
}

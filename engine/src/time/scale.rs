//! The speed of simulated time against real time, as an exact fraction.

use super::TimeError;

/// How fast simulated time runs: `1` as real time, `1/2` in slow motion, `0` not at all.
///
/// A fraction and not a float, because real nanoseconds are multiplied by it and the remainder is
/// carried to the next frame: a run of frames gives the same sum however it is cut.
///
/// # Examples
/// ```
/// use orrery::time::Scale;
///
/// assert_eq!(Scale::from_f64(0.25)?, Scale::ratio(1, 4)?);
/// assert!(Scale::from_f64(f64::NAN).is_err());
/// # Ok::<(), orrery::time::TimeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scale {
    numerator: u32,
    denominator: u32,
}

impl Scale {
    /// Real time.
    pub const ONE: Self = Self {
        numerator: 1,
        denominator: 1,
    };

    /// The highest scale: a thousand times real time. A frame runs a bounded number of steps, so
    /// whoever wants more should not pace at all.
    pub const MAX: u32 = 1_000;

    /// Scales from floats are rounded to a millionth, so that decimal fractions are exact.
    const MILLIONTHS: u32 = 1_000_000;

    /// Makes the scale `numerator / denominator`.
    ///
    /// # Errors
    /// [`TimeError::ZeroDenominator`], or [`TimeError::BadScale`] above [`Self::MAX`].
    pub fn ratio(numerator: u32, denominator: u32) -> Result<Self, TimeError> {
        if denominator == 0 {
            return Err(TimeError::ZeroDenominator { numerator });
        }
        if u64::from(numerator) > u64::from(denominator) * u64::from(Self::MAX) {
            return Err(TimeError::BadScale {
                scale: f64::from(numerator) / f64::from(denominator),
            });
        }
        let divisor = greatest_common_divisor(numerator, denominator);
        Ok(Self {
            numerator: numerator / divisor,
            denominator: denominator / divisor,
        })
    }

    /// Makes the scale nearest to `scale` in millionths.
    ///
    /// # Errors
    /// [`TimeError::BadScale`] for what is negative, not finite or above [`Self::MAX`].
    pub fn from_f64(scale: f64) -> Result<Self, TimeError> {
        if !(0.0..=f64::from(Self::MAX)).contains(&scale) {
            return Err(TimeError::BadScale { scale });
        }
        // At most 10^9, which fits.
        Self::ratio(
            (scale * f64::from(Self::MILLIONTHS) + 0.5) as u32,
            Self::MILLIONTHS,
        )
    }

    /// Returns the scale as the nearest float.
    pub fn as_f64(self) -> f64 {
        f64::from(self.numerator) / f64::from(self.denominator)
    }

    /// Returns `real_ns` scaled, and the part of a nanosecond left over in `1 / denominator`.
    pub(super) fn apply(self, real_ns: u64, carry: u32) -> (u128, u32) {
        let denominator = u128::from(self.denominator);
        let exact = u128::from(real_ns) * u128::from(self.numerator) + u128::from(carry);
        // The remainder is below a u32.
        (exact / denominator, (exact % denominator) as u32)
    }

    /// Returns the carry of `self` in the units of `next`, rounded down.
    pub(super) fn convert_carry(self, carry: u32, next: Self) -> u32 {
        // carry < self.denominator, so the result is below next.denominator.
        (u64::from(carry) * u64::from(next.denominator) / u64::from(self.denominator)) as u32
    }
}

impl Default for Scale {
    fn default() -> Self {
        Self::ONE
    }
}

/// Returns the greatest common divisor; `b` is not 0, so neither is the result.
fn greatest_common_divisor(a: u32, b: u32) -> u32 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

//! Which vector instructions may run, and the one door to them.
//!
//! ```text
//! Level::current()          once per batch: Scalar | Avx2(token)
//!        |
//!        v
//! kernel!{ fn f(token, ..) }   safe outer fn, takes the token
//!        |  the only `unsafe` of the workspace's vector code
//!        v
//! #[target_feature(enable = "avx2")] fn inner(..)   ordinary safe code
//! ```
//!
//! Invariants:
//! - An [`Avx2`] value exists only on a processor that has AVX2: [`Avx2::detect`] is its only
//!   source. A function that takes the token may therefore use the instructions.
//! - Only `avx2` is enabled, never `fma`, so the compiler has no instruction with which it could
//!   contract a multiply and an add into one rounding.
//! - The level changes speed, never a result: each kernel gives the same bits on every level.
//!
//! Left out on purpose: a lane type with operators (the intrinsics are safe and are the field's
//! words already) and dispatch by function pointer (a batch is long, the cached test is one load).

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};

/// Proof that this processor has AVX2, held as a zero-sized token.
///
/// # Examples
///
/// ```
/// use orrery_math::simd::{Avx2, Level};
///
/// assert_eq!(size_of::<Avx2>(), 0);
/// assert_eq!(Avx2::detect().map(Level::Avx2).unwrap_or(Level::Scalar), Level::detect());
/// ```
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Avx2 {
    /// Private, so that no code outside this module can make a token.
    _detected: (),
}

const _: () = assert!(size_of::<Avx2>() == 0);

impl Avx2 {
    /// Returns the token when the processor and the operating system support AVX2.
    ///
    /// `None` on other architectures.
    ///
    /// # Cost
    ///
    /// One relaxed load after the first call.
    #[inline]
    #[must_use]
    pub fn detect() -> Option<Self> {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            return Some(Self { _detected: () });
        }
        None
    }
}

/// The instructions a batch kernel runs with.
///
/// # Examples
///
/// ```
/// use orrery_math::simd::Level;
///
/// let level: Level = "scalar".parse()?;
/// assert_eq!(level, Level::Scalar);
/// assert_eq!("auto".parse(), Ok(Level::detect()));
/// assert!("sse9".parse::<Level>().is_err());
/// # Ok::<(), orrery_math::simd::LevelError>(())
/// ```
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Level {
    /// Plain Rust, the definition of every kernel; runs everywhere.
    Scalar,
    /// 256-bit lanes.
    Avx2(Avx2),
}

/// Whether [`Level::current`] is held down to the scalar path.
///
/// A flag and not a level: a token can exist only where `detect` finds one, so "not forced" and
/// "AVX2 was asked for" are the same state, and no token is ever rebuilt from a stored number.
/// Relaxed everywhere: the flag guards no other memory, and both paths give the same bits.
static FORCE_SCALAR: AtomicBool = AtomicBool::new(false);

impl Level {
    /// Returns the best level the processor has.
    #[inline]
    #[must_use]
    pub fn detect() -> Self {
        Avx2::detect().map_or(Self::Scalar, Self::Avx2)
    }

    /// Returns the level of this process: what [`Level::set_current`] chose last, at first
    /// [`Level::detect`].
    ///
    /// # Cost
    ///
    /// Two relaxed loads; meant to be called once per batch.
    #[inline]
    #[must_use]
    pub fn current() -> Self {
        if FORCE_SCALAR.load(Ordering::Relaxed) {
            Self::Scalar
        } else {
            Self::detect()
        }
    }

    /// Chooses the level of this process; batches that have already started keep theirs.
    pub fn set_current(level: Self) {
        FORCE_SCALAR.store(level == Self::Scalar, Ordering::Relaxed);
    }

    /// Returns the levels this machine can run, scalar first.
    ///
    /// For tests and benchmarks that compare every path.
    pub fn available() -> impl Iterator<Item = Self> {
        [Some(Self::Scalar), Avx2::detect().map(Self::Avx2)]
            .into_iter()
            .flatten()
    }

    /// Returns the name that [`Level::from_str`] reads back.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Avx2(_) => "avx2",
        }
    }
}

impl From<Avx2> for Level {
    fn from(token: Avx2) -> Self {
        Self::Avx2(token)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Level {
    type Err = LevelError;

    /// Reads `auto` (the best there is), `scalar` or `avx2`; lower case, no blanks.
    ///
    /// # Errors
    ///
    /// - [`LevelError::Unknown`]: `text` is none of the three.
    /// - [`LevelError::Unavailable`]: `avx2` on a machine without it.
    fn from_str(text: &str) -> Result<Self, LevelError> {
        match text {
            "auto" => Ok(Self::detect()),
            "scalar" => Ok(Self::Scalar),
            "avx2" => Avx2::detect()
                .map(Self::Avx2)
                .ok_or(LevelError::Unavailable),
            _ => Err(LevelError::Unknown {
                text: text.to_owned(),
            }),
        }
    }
}

/// Why a text names no [`Level`] of this machine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LevelError {
    /// The text is not the name of a level.
    #[error("unknown SIMD level `{text}`; expected `auto`, `scalar` or `avx2`")]
    Unknown {
        /// What stood there.
        text: String,
    },
    /// The level exists, but not on this processor.
    #[error("this processor has no AVX2; use `auto` or `scalar`")]
    Unavailable,
}

/// Wraps a body of AVX2 intrinsics into a safe function that takes an [`Avx2`] token.
///
/// The first argument is a bare name: the token, which the body may hand to other kernels. The
/// rest are ordinary `name: Type` arguments. The function may have `const` parameters, a return
/// type, attributes, docs and any visibility. The body is safe code compiled with AVX2 enabled:
/// arithmetic intrinsics need no `unsafe`, and lanes enter and leave by `bytemuck::must_cast`
/// between `[f32; 8]` and `__m256` over `as_chunks::<8>()`.
///
/// Other crates may call this under `#![forbid(unsafe_code)]`. On an architecture other than
/// x86-64 the body is dropped, since no token exists there; imports of `core::arch::x86_64` are
/// best written inside the body, or stand under a `cfg`.
///
/// # Cost
///
/// One call that is not inlined, so once per batch and not once per element.
///
/// # Examples
///
/// ```
/// #![forbid(unsafe_code)]
/// use orrery_math::simd::Avx2;
///
/// orrery_math::kernel! {
///     /// Doubles whole blocks of eight, in place.
///     pub fn double(token, blocks: &mut [[f32; 8]]) {
///         use core::arch::x86_64::{__m256, _mm256_add_ps};
///         for block in blocks {
///             let lanes: __m256 = bytemuck::must_cast(*block);
///             *block = bytemuck::must_cast(_mm256_add_ps(lanes, lanes));
///         }
///     }
/// }
///
/// let mut blocks = [[1.5; 8]; 2];
/// if let Some(token) = Avx2::detect() {
///     double(token, &mut blocks);
///     assert_eq!(blocks, [[3.0; 8]; 2]);
/// }
/// ```
#[macro_export]
macro_rules! kernel {
    (
        $(#[$meta:meta])*
        $vis:vis fn $name:ident $(<$(const $n:ident: $n_ty:ty),+ $(,)?>)?
        ($token:ident $(, $arg:ident: $ty:ty)* $(,)?) $(-> $ret:ty)?
        $body:block
    ) => {
        $(#[$meta])*
        $vis fn $name $(<$(const $n: $n_ty),+>)? (
            $token: $crate::simd::Avx2
            $(, $arg: $ty)*
        ) $(-> $ret)? {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2")]
                fn inner $(<$(const $n: $n_ty),+>)? (
                    $token: $crate::simd::Avx2
                    $(, $arg: $ty)*
                ) $(-> $ret)? {
                    // Marks the token as used, for bodies that call no other kernel.
                    let _ = $token;
                    $body
                }
                // SAFETY: `inner` needs the `avx2` feature and nothing else. An `Avx2` token is
                // made only by `Avx2::detect`, after it found the feature, and the caller holds
                // one.
                unsafe { inner $(::<$($n),+>)? ($token $(, $arg)*) }
            }
            #[cfg(not(target_arch = "x86_64"))]
            {
                let _ = ($token, $($arg),*);
                unreachable!("an Avx2 token exists only on x86-64")
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_through_text() {
        for level in Level::available() {
            assert_eq!(level.to_string().parse(), Ok(level));
        }
    }

    #[test]
    fn auto_is_the_best_level() {
        assert_eq!("auto".parse(), Ok(Level::detect()));
        assert_eq!(Level::available().last(), Some(Level::detect()));
    }

    #[test]
    fn unknown_names_are_refused_with_the_text() {
        for text in ["", "AVX2", " scalar", "avx512", "auto "] {
            let error = text.parse::<Level>().expect_err("not a level");
            assert_eq!(
                error,
                LevelError::Unknown {
                    text: text.to_owned()
                }
            );
            assert!(error.to_string().contains(&format!("`{text}`")));
        }
    }

    #[test]
    fn avx2_parses_exactly_where_it_is_detected() {
        let expected = Avx2::detect()
            .map(Level::Avx2)
            .ok_or(LevelError::Unavailable);
        assert_eq!("avx2".parse(), expected);
    }

    // One test for all changes of the process-wide level, since tests share the process. Others
    // may see the change, which alters no result.
    #[test]
    fn the_current_level_is_the_last_one_set() {
        assert_eq!(Level::current(), Level::detect());
        Level::set_current(Level::Scalar);
        assert_eq!(Level::current(), Level::Scalar);
        Level::set_current(Level::detect());
        assert_eq!(Level::current(), Level::detect());
    }
}

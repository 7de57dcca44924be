//! Bit identity of the paths over lengths, offsets and kinds of values.

use super::*;
use crate::Random;
use crate::simd::Avx2;

/// What the two precisions have in common for these tests.
trait Float: Copy + std::fmt::Debug + Default + 'static {
    /// Values in 32 bytes.
    const LANES: usize;
    /// Values with rules of their own.
    const SPECIAL: [Self; 11];

    fn from_random_bits(bits: u64) -> Self;
    /// The bits, with all NaN as one.
    fn identity(self) -> u64;
    fn run(level: Level, a: &mut [Self], b: &[Self], s: Self) -> Result<(), LengthMismatch>;
}

macro_rules! float {
    ($float:ident, $bits:ident, $lanes:literal, $run:ident) => {
        impl Float for $float {
            const LANES: usize = $lanes;
            const SPECIAL: [Self; 11] = [
                0.0,
                -0.0,
                1.0,
                $float::from_bits(1),
                -$float::from_bits(1),
                $float::MIN_POSITIVE,
                $float::MAX,
                $float::MIN,
                $float::INFINITY,
                $float::NEG_INFINITY,
                $float::NAN,
            ];

            fn from_random_bits(bits: u64) -> Self {
                Self::from_bits(bits as $bits)
            }

            fn identity(self) -> u64 {
                if self.is_nan() {
                    u64::MAX
                } else {
                    u64::from(self.to_bits())
                }
            }

            fn run(
                level: Level,
                a: &mut [Self],
                b: &[Self],
                s: Self,
            ) -> Result<(), LengthMismatch> {
                $run(level, a, b, s)
            }
        }
    };
}

float!(f32, u32, 8, axpy_at);
float!(f64, u64, 4, axpy_f64_at);

/// Half special values, a quarter random bit patterns, a quarter near one (where the sums round).
fn value<F: Float + From<f32>>(draws: &mut crate::Draws) -> F {
    match draws.below(4) {
        0 | 1 => F::SPECIAL[draws.below(11) as usize],
        2 => F::from_random_bits(draws.next_u64()),
        _ => F::from(draws.range_f32(-2.0, 2.0)),
    }
}

/// Memory that starts `offset` values after a multiple of 32 bytes.
fn aligned<F: Float>(buffer: &mut [F], offset: usize, len: usize) -> &mut [F] {
    let start = buffer.as_ptr().align_offset(32) + offset;
    &mut buffer[start..start + len]
}

/// Compares the path with the definition written out once more, value by value.
fn paths_agree<F>(token: Avx2)
where
    F: Float + From<f32> + std::ops::Mul<Output = F> + std::ops::Add<Output = F>,
{
    let longest = 4 * F::LANES + F::LANES - 1;
    let room = longest + 2 * F::LANES;
    let (mut scalar, mut avx2) = (vec![F::default(); room], vec![F::default(); room]);
    let mut source = vec![F::default(); room];
    for len in 0..=longest {
        for (offset_a, offset_b) in (0..F::LANES).flat_map(|a| (0..F::LANES).map(move |b| (a, b))) {
            let id = (len * 64 + offset_a * 8 + offset_b) as u64;
            let mut draws = Random::new(7).at(F::LANES as u64, id, 0);
            let a = aligned(&mut scalar, offset_a, len);
            let wide = aligned(&mut avx2, offset_a, len);
            let b = aligned(&mut source, offset_b, len);
            a.fill_with(|| value(&mut draws));
            b.fill_with(|| value(&mut draws));
            wide.copy_from_slice(a);
            let s = value(&mut draws);
            let expected: Vec<F> = a.iter().zip(&*b).map(|(&a, &b)| a + b * s).collect();

            F::run(Level::Scalar, a, b, s).expect("equal lengths");
            F::run(Level::Avx2(token), wide, b, s).expect("equal lengths");
            for (i, expected) in expected.iter().enumerate() {
                let place = format!("value {i} of {len}, offsets {offset_a} and {offset_b}");
                assert_eq!(a[i].identity(), expected.identity(), "scalar, {place}");
                assert_eq!(wide[i].identity(), expected.identity(), "avx2, {place}");
            }
        }
    }
}

#[test]
fn avx2_gives_the_bits_of_the_definition_in_f32() {
    let Some(token) = Avx2::detect() else { return };
    paths_agree::<f32>(token);
}

#[test]
fn avx2_gives_the_bits_of_the_definition_in_f64() {
    let Some(token) = Avx2::detect() else { return };
    paths_agree::<f64>(token);
}

// With a = -(x * x rounded) a fused multiply-add leaves the rounding error of the product, two
// roundings leave zero.
#[test]
fn product_and_sum_are_rounded_apart() {
    for level in Level::available() {
        let x = 1.0 + f32::EPSILON;
        let mut a = [-(x * x); 19];
        axpy_at(level, &mut a, &[x; 19], x).expect("equal lengths");
        assert_eq!(a, [0.0; 19], "{level}");

        let x = 1.0 + f64::EPSILON;
        let mut a = [-(x * x); 11];
        axpy_f64_at(level, &mut a, &[x; 11], x).expect("equal lengths");
        assert_eq!(a, [0.0; 11], "{level}");
    }
}

#[test]
fn neighbours_of_the_slice_are_untouched() {
    for level in Level::available() {
        for len in 0..40 {
            let mut a = [1.0_f32; 48];
            axpy_at(level, &mut a[4..4 + len], &[1.0; 48][..len], 2.0).expect("equal lengths");
            for (i, value) in a.into_iter().enumerate() {
                let inside = (4..4 + len).contains(&i);
                assert_eq!(
                    value,
                    if inside { 3.0 } else { 1.0 },
                    "{level}, {i} of {len}"
                );
            }
        }
    }
}

#[test]
fn other_lengths_are_refused_by_name_and_nothing_is_written() {
    let mut a = [1.0_f32; 3];
    let error = axpy(&mut a, &[1.0; 4], 1.0).expect_err("3 is not 4");
    assert_eq!(
        error,
        LengthMismatch {
            target_len: 3,
            source_len: 4
        }
    );
    assert!(error.to_string().contains("target has 3") && error.to_string().contains("source 4"));
    assert_eq!(a, [1.0; 3]);
    let error = axpy_f64(&mut [1.0; 9], &[], 1.0).expect_err("9 is not 0");
    assert_eq!(
        error,
        LengthMismatch {
            target_len: 9,
            source_len: 0
        }
    );
}

//! Derivation, ranges and distributions of the draws.
//!
//! Every stream here is fixed, so a test passes always or never; the bounds are set at about five
//! standard deviations, so that a correct generator would pass for nearly any seed.

use std::collections::BTreeSet;

use super::*;

/// Values per statistical test.
const COUNT: u32 = 200_000;

fn draws(purpose: u32) -> Draws {
    Random::new(0x5eed).at(1, 2, purpose)
}

/// Mean and variance, summed in order in f64.
fn moments(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / count;
    (mean, variance)
}

/// Sum of squared, scaled differences from an even spread.
fn chi_square(buckets: &[u32]) -> f64 {
    let expected = f64::from(buckets.iter().sum::<u32>()) / buckets.len() as f64;
    buckets
        .iter()
        .map(|&n| (f64::from(n) - expected) * (f64::from(n) - expected) / expected)
        .sum()
}

// The words come from an independent Python program that follows the picture in the module head.
#[test]
fn the_derivation_is_pinned() {
    let cases = [
        (
            (0, 0, 0, 0),
            [0xa833_7ab2, 0xccfb_5449, 0xc8bb_c93e, 0xec56_f215],
            [0xea76_2f39, 0x0cb8_cfb0, 0x2b95_a099, 0xbd31_b131],
        ),
        (
            (42, 7, 1000, 1),
            [0x2065_8812, 0xb2d7_1698, 0x0787_65c6, 0x0e74_c352],
            [0x8b35_7e81, 0xc88d_f2df, 0x0e3f_a10f, 0xb5b8_c0e4],
        ),
        (
            (
                0x0123_4567_89ab_cdef,
                0xfedc_ba98_7654_3210,
                0x8000_0000_0000_0001,
                !0,
            ),
            [0x9e27_c6dd, 0x1073_51db, 0x8a8d_435d, 0x6ea4_595d],
            [0x9b99_5813, 0x40a2_827f, 0x6337_ba2b, 0x212c_6610],
        ),
    ];
    for ((seed, tick, id, purpose), first, second) in cases {
        let mut draws = Random::new(seed).at(tick, id, purpose);
        for word in first.into_iter().chain(second) {
            assert_eq!(draws.next_u32(), word);
        }
    }
}

#[test]
fn wider_values_are_made_of_the_same_words() {
    let words: Vec<u32> = {
        let mut draws = draws(0);
        (0..4).map(|_| draws.next_u32()).collect()
    };
    let wide = u64::from(words[1]) << 32 | u64::from(words[0]);
    assert_eq!(draws(0).next_u64(), wide);
    assert_eq!(draws(0).next_f32(), (words[0] >> 8) as f32 / 16_777_216.0);
    assert_eq!(
        draws(0).next_f64(),
        (wide >> 11) as f64 / 9_007_199_254_740_992.0
    );
}

#[test]
fn every_bit_of_every_input_takes_part() {
    let value = |seed, tick, id, purpose| Random::new(seed).at(tick, id, purpose).next_u64();
    let base = value(1, 2, 3, 4);
    let mut others = Vec::new();
    for bit in 0..64 {
        let mask = 1_u64 << bit;
        others.extend([
            value(1 ^ mask, 2, 3, 4),
            value(1, 2 ^ mask, 3, 4),
            value(1, 2, 3 ^ mask, 4),
        ]);
    }
    others.extend((0..32).map(|bit| value(1, 2, 3, 4 ^ (1 << bit))));
    for other in others {
        // 32 of 64 expected, standard deviation 4.
        let differing = (base ^ other).count_ones();
        assert!(
            (12..=52).contains(&differing),
            "{differing} of 64 bits differ"
        );
    }
}

#[test]
fn neighbouring_keys_share_no_value() {
    let mut seen = BTreeSet::new();
    let mut count = 0;
    for seed in 0..4 {
        for (tick, purpose) in (0..16).flat_map(|tick| (0..8).map(move |p| (tick, p))) {
            for id in 0..256 {
                let mut draws = Random::new(seed).at(tick, id, purpose);
                for _ in 0..2 {
                    seen.insert(draws.next_u64());
                    count += 1;
                }
            }
        }
    }
    // 262,144 values of 64 bits: one pair or more by chance with probability 2e-9.
    assert_eq!(seen.len(), count);
}

#[test]
fn first_draws_of_consecutive_ids_are_uniform() {
    let stream = Random::new(9).stream(3, 1);
    let values: Vec<f64> = (0..COUNT)
        .map(|id| stream.at(u64::from(id)).next_f64())
        .collect();
    let (mean, variance) = moments(&values);
    // Standard deviations 6.5e-4 and 1.7e-4.
    assert!((mean - 0.5).abs() < 3.3e-3, "{mean}");
    assert!((variance - 1.0 / 12.0).abs() < 8.5e-4, "{variance}");
    // Correlation of neighbours: standard deviation 1 / sqrt(COUNT).
    let product = |pair: &[f64]| (pair[0] - 0.5) * (pair[1] - 0.5);
    let correlation = values.windows(2).map(product).sum::<f64>() / f64::from(COUNT) * 12.0;
    assert!(
        correlation.abs() < 5.0 / f64::from(COUNT).sqrt(),
        "{correlation}"
    );
}

#[test]
fn each_byte_of_a_word_is_uniform() {
    let mut draws = draws(1);
    let mut buckets = [[0_u32; 256]; 4];
    for _ in 0..COUNT {
        for (bucket, byte) in buckets.iter_mut().zip(draws.next_u32().to_le_bytes()) {
            bucket[usize::from(byte)] += 1;
        }
    }
    for bucket in &buckets {
        // 255 degrees of freedom: mean 255, standard deviation 22.6.
        let chi = chi_square(bucket);
        assert!((145.0..370.0).contains(&chi), "{chi}");
    }
}

#[test]
fn floats_stay_in_their_unit_range() {
    let mut draws = draws(2);
    for _ in 0..COUNT {
        assert!((0.0..1.0).contains(&draws.next_f32()));
        assert!((0.0..1.0).contains(&draws.next_f64()));
    }
}

#[test]
fn ranges_exclude_their_upper_end() {
    let mut draws = draws(3);
    // Between neighbours the naive sum rounds to the upper end half of the time.
    let next = 1.0_f32.next_up();
    for _ in 0..1_000 {
        assert_eq!(draws.range_f32(1.0, next), 1.0);
        assert_eq!(draws.range_f64(1.0, 1.0_f64.next_up()), 1.0);
        assert!((-3.0..5.0).contains(&draws.range_f32(-3.0, 5.0)));
    }
}

#[test]
#[should_panic(expected = "no finite range from 2 to 2")]
fn empty_ranges_are_refused() {
    draws(0).range_f32(2.0, 2.0);
}

#[test]
#[should_panic(expected = "no finite range")]
fn ranges_wider_than_the_largest_float_are_refused() {
    draws(0).range_f64(f64::MIN, f64::MAX);
}

#[test]
fn below_is_uniform_for_bounds_that_do_not_divide_the_word() {
    for bound in [1_u32, 2, 3, 6, 10, 1_000] {
        let mut draws = draws(bound);
        let mut buckets = vec![0_u32; bound as usize];
        let mut wide = vec![0_u32; bound as usize];
        for _ in 0..COUNT {
            buckets[draws.below(bound) as usize] += 1;
            wide[usize::try_from(draws.below_u64(u64::from(bound))).expect("below 1,000")] += 1;
        }
        let freedom = f64::from(bound) - 1.0;
        let limit = freedom + 5.0 * (2.0 * freedom).sqrt() + 10.0;
        assert!(
            chi_square(&buckets) < limit,
            "{bound}: {}",
            chi_square(&buckets)
        );
        assert!(chi_square(&wide) < limit, "{bound}: {}", chi_square(&wide));
    }
}

// Three quarters of the range: without the refusal the values `3k` would be twice as likely as
// the others (and make up half of all).
#[test]
fn below_refuses_what_would_be_counted_twice() {
    let bound = 3 << 30;
    let mut draws = draws(5);
    let third = (0..COUNT)
        .filter(|_| draws.below(bound).is_multiple_of(3))
        .count() as f64;
    let share = third / f64::from(COUNT);
    assert!((share - 1.0 / 3.0).abs() < 5.3e-3, "{share}");

    let wide_bound = 3 << 62;
    let hits = (0..COUNT)
        .filter(|_| draws.below_u64(wide_bound).is_multiple_of(3))
        .count() as f64;
    assert!(
        (hits / f64::from(COUNT) - 1.0 / 3.0).abs() < 5.3e-3,
        "{hits}"
    );
}

#[test]
#[should_panic(expected = "no number is below zero")]
fn below_zero_is_refused() {
    draws(0).below(0);
}

#[test]
fn normal_values_have_the_moments_of_the_bell_curve() {
    let (mut single, mut double) = (draws(6), draws(7));
    let narrow: Vec<f64> = (0..COUNT).map(|_| f64::from(single.normal_f32())).collect();
    let wide: Vec<f64> = (0..COUNT).map(|_| double.normal_f64()).collect();
    for values in [narrow, wide] {
        let (mean, variance) = moments(&values);
        assert!(mean.abs() < 0.0112, "{mean}");
        assert!((variance - 1.0).abs() < 0.016, "{variance}");
        let fourth = values.iter().map(|v| (v * v) * (v * v)).sum::<f64>() / f64::from(COUNT);
        assert!((fourth - 3.0).abs() < 0.11, "{fourth}");
        // Shares within one and two standard deviations, from the table of the error function.
        for (limit, share) in [(1.0, 0.682_689), (2.0, 0.954_500)] {
            let inside = values.iter().filter(|v| v.abs() < limit).count() as f64;
            assert!(
                (inside / f64::from(COUNT) - share).abs() < 5.3e-3,
                "{limit}: {inside}"
            );
        }
        assert!(values.iter().all(|v| v.abs() < 8.6));
    }
}

#[test]
fn unit_vectors_are_unit_and_favour_no_direction() {
    let mut draws = draws(8);
    let (mut flat, mut solid) = (crate::DVec3::ZERO, crate::DVec3::ZERO);
    let mut squares = crate::DVec3::ZERO;
    for _ in 0..COUNT {
        let (circle, sphere) = (draws.unit_vec2(), draws.unit_vec3());
        assert!((circle.length() - 1.0).abs() < 1e-6 && (sphere.length() - 1.0).abs() < 1e-6);
        flat += circle.extend(0.0).as_dvec3();
        solid += sphere.as_dvec3();
        squares += sphere.as_dvec3() * sphere.as_dvec3();
    }
    let count = f64::from(COUNT);
    // Standard deviation of a mean component: 1.6e-3 on the circle, 1.3e-3 on the sphere.
    assert!((flat / count).abs().max_element() < 8e-3);
    assert!((solid / count).abs().max_element() < 6.5e-3);
    // Each squared component has mean 1/3, standard deviation of the mean 6.7e-4.
    assert!((squares / count - 1.0 / 3.0).abs().max_element() < 3.4e-3);
}

#[test]
fn a_key_gives_its_last_word_and_then_panics() {
    let mut draws = Draws::near_the_end(draws(0));
    for _ in 0..4 {
        draws.next_u32();
    }
    let payload = std::panic::catch_unwind(move || draws.next_u32()).expect_err("exhausted");
    let message = payload
        .downcast_ref::<String>()
        .expect("a formatted message");
    assert!(message.contains("at most 17179869184 words"), "{message}");
}

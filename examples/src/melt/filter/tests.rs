//! The vector path against the definition.

use super::*;

#[test]
fn all_levels_pick_the_same_neighbors_in_the_same_order() {
    let mut state = 11_u64;
    let mut next = |below: u64| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) % below
    };
    for round in 0..200 {
        let count = 1 + next(120) as usize;
        let columns: [Vec<f32>; 3] = std::array::from_fn(|_| {
            (0..count + SLACK)
                .map(|_| match next(40) {
                    0 => f32::NAN,
                    1 => f32::INFINITY,
                    _ => next(1 << 20) as f32 / (1 << 18) as f32,
                })
                .collect()
        });
        // Runs of all lengths, in order, some of them touching.
        let (mut runs, mut first) = (Vec::new(), 0);
        while first < count as u32 {
            let end = (first + 1 + next(9) as u32).min(count as u32);
            runs.push([first, end]);
            first = end + next(3) as u32;
        }
        let found = |level| {
            let mut out = vec![0; count + SLACK];
            let found = filter(level, &columns, [2.0; 3], 2.5, &runs, &mut out);
            out.truncate(found);
            out
        };
        let expected = found(Level::Scalar);
        for level in Level::available() {
            assert_eq!(found(level), expected, "round {round}, {level}");
        }
    }
}

#[test]
fn the_padded_radius_finds_pairs_that_f32_moves_apart() {
    let mut state = 5_u64;
    let mut uniform = || {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let (radius, extent) = (2.9, 80.0);
    let padded = padded_radius(radius, extent);
    for _ in 0..100_000 {
        let center: [f64; 3] = std::array::from_fn(|_| uniform() * (extent - radius));
        let way: [f64; 3] = std::array::from_fn(|_| uniform() - 0.5);
        let length = way.iter().map(|value| value * value).sum::<f64>().sqrt();
        // Just within the radius.
        let place: [f64; 3] = std::array::from_fn(|axis| {
            center[axis] + way[axis] * (radius * 0.999_999_999 / length)
        });
        let columns = place.map(|value| {
            let mut column = vec![f32::NAN; 1 + SLACK];
            column[0] = value as f32;
            column
        });
        let center = center.map(|value| value as f32);
        let mut out = [0; 1 + SLACK];
        let count = filter(
            Level::Scalar,
            &columns,
            center,
            padded * padded,
            &[[0, 1]],
            &mut out,
        );
        assert_eq!(count, 1, "{center:?} {place:?}");
    }
}

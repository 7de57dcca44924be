//! Both paths give the same bits.

use orrery::math::Random;

use super::*;

/// Columns of `count` boids and 8 more, some of them no numbers, some on the eye itself.
fn columns(count: usize, size: [f32; 2]) -> [Vec<f32>; 4] {
    let random = Random::new(count as u64);
    let special = [f32::NAN, f32::INFINITY, -0.0, 1e-40, 0.0, 3.0];
    let column = |purpose: u32, length: f32| {
        let value = |i: usize| {
            let mut draws = random.at(0, i as u64, purpose);
            match draws.below(40) {
                0 => special[draws.below(special.len() as u32) as usize],
                _ => draws.next_f32() * length,
            }
        };
        (0..count + LANES).map(value).collect::<Vec<f32>>()
    };
    [
        column(0, size[0]),
        column(1, size[1]),
        column(2, 9.0),
        column(3, -9.0),
    ]
}

/// NaN counts as equal to any NaN, all else by its bits.
fn bits(lanes: &Lanes) -> Vec<u32> {
    let rows = [
        &[lanes.count][..],
        &lanes.way,
        &lanes.velocity,
        &lanes.crowding,
    ]
    .concat();
    let canonical = |x: f32| if x.is_nan() { 0x7fc0_0000 } else { x.to_bits() };
    rows.into_iter().flatten().map(canonical).collect()
}

#[test]
fn scalar_and_avx2_give_the_same_bits_at_every_length_and_offset() {
    let size = [6.0, 5.0];
    for count in 0..=40 {
        let [x, y, u, v] = columns(count, size);
        let others = Others {
            x: &x,
            y: &y,
            u: &u,
            v: &v,
        };
        for (start, place) in [
            (0, [3.0, 0.1]),
            (count / 3, [0.0, 4.9]),
            (count, [5.9, 2.5]),
        ] {
            let eye = Eye {
                place,
                size,
                sight_squared: 2.25,
                space_inverse: 2.0,
            };
            let sums = Level::available().map(|level| {
                let mut sums = Lanes::default();
                sums.add(level, &eye, others, start, count);
                sums.add(level, &eye, others, 0, start);
                bits(&sums)
            });
            let sums: Vec<_> = sums.collect();
            assert!(
                sums.windows(2).all(|pair| pair[0] == pair[1]),
                "{count} from {start}"
            );
        }
    }
}

#[test]
fn only_those_in_sight_count_and_only_the_near_ones_crowd() {
    let column = |values: [f32; 4]| {
        let mut column = values.to_vec();
        column.resize(12, 0.0);
        column
    };
    // On the eye, near, in sight across the edge, out of sight.
    let (x, y) = (column([0.5, 0.75, 9.5, 4.0]), column([0.5; 4]));
    let (u, v) = (column([1.0, 2.0, 4.0, 8.0]), column([0.0; 4]));
    let eye = Eye {
        place: [0.5, 0.5],
        size: [10.0, 10.0],
        sight_squared: 4.0,
        space_inverse: 4.0,
    };
    for level in Level::available() {
        let mut sums = Lanes::default();
        sums.add(
            level,
            &eye,
            Others {
                x: &x,
                y: &y,
                u: &u,
                v: &v,
            },
            0,
            4,
        );
        let seen = sums.total();
        assert_eq!(
            (seen.count, seen.way, seen.velocity.x),
            (3.0, Vec2::new(-0.75, 0.0), 7.0)
        );
        assert_eq!(seen.crowding, Vec2::new(0.25 * 0.75, 0.0));
    }
}

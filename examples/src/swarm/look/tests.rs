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
fn bits(seen: &Seen) -> [u32; 7] {
    let values = [
        seen.count,
        seen.way.x,
        seen.way.y,
        seen.velocity.x,
        seen.velocity.y,
    ];
    let canonical = |x: f32| if x.is_nan() { 0x7fc0_0000 } else { x.to_bits() };
    let [a, b, c, d, e] = values.map(canonical);
    [
        a,
        b,
        c,
        d,
        e,
        canonical(seen.crowding.x),
        canonical(seen.crowding.y),
    ]
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
        for (middle, place) in [
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
            let runs = [middle..count, 0..middle];
            let sums = Level::available().map(|level| bits(&look(level, &eye, others, &runs)));
            let sums: Vec<_> = sums.collect();
            assert!(
                sums.windows(2).all(|pair| pair[0] == pair[1]),
                "{count} from {middle}"
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
    let others = Others {
        x: &x,
        y: &y,
        u: &u,
        v: &v,
    };
    for level in Level::available() {
        let run = 0..4;
        let seen = look(level, &eye, others, std::slice::from_ref(&run));
        assert_eq!(
            (seen.count, seen.way, seen.velocity.x),
            (3.0, Vec2::new(-0.75, 0.0), 7.0)
        );
        assert_eq!(seen.crowding, Vec2::new(0.25 * 0.75, 0.0));
    }
}

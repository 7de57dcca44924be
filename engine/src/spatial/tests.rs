//! The grid against a comparison with all points, on random, coincident and outlying data.

use super::layout::Layout;
use super::{CellGrid, CellGrid2, CellGrid3, GridError};

/// SplitMix64: the tests need noise, not quality.
fn next_random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// A number in `0.0..1.0`.
fn unit(state: &mut u64) -> f32 {
    (next_random(state) >> 40) as f32 / (1u64 << 24) as f32
}

/// Points in and around the box, with copies, border points and outliers among them.
fn points<const D: usize>(seed: &mut u64, count: usize, min: f32, max: f32) -> Vec<[f32; D]> {
    let mut points: Vec<[f32; D]> = Vec::new();
    for _ in 0..count {
        let point = match next_random(seed) % 10 {
            0 if !points.is_empty() => points[next_random(seed) as usize % points.len()],
            1 => [(); D].map(|()| if unit(seed) < 0.5 { min } else { max }),
            2 => [(); D].map(|()| min + (max - min) * (3.0 * unit(seed) - 1.0)),
            3 => [(); D].map(|()| min + ((max - min) * unit(seed)).floor()),
            _ => [(); D].map(|()| min + (max - min) * unit(seed)),
        };
        points.push(point);
    }
    points
}

/// The definition: all finite points, compared one by one.
fn brute_force<const D: usize>(
    layout: &Layout<D>,
    points: &[[f32; D]],
    center: [f32; D],
    radius: f32,
) -> Vec<u32> {
    let center = layout.wrap(center);
    let near = |point: &[f32; D]| {
        let wrapped = layout.wrap(*point);
        let mut sum = 0.0;
        for ((axis, from), to) in layout.axes.iter().zip(center).zip(wrapped) {
            let ways = [to - from, to - from - axis.extent, to - from + axis.extent];
            let ways = if layout.periodic {
                &ways[..]
            } else {
                &ways[..1]
            };
            let shortest = ways
                .iter()
                .copied()
                .min_by(|a, b| a.abs().total_cmp(&b.abs()));
            sum += shortest.map_or(0.0, |way| way * way);
        }
        point.iter().all(|part| part.is_finite()) && sum <= radius * radius
    };
    (0..points.len() as u32)
        .filter(|&index| near(&points[index as usize]))
        .collect()
}

/// Rebuilds and compares every query with the definition; checks the arrays' invariants.
fn check<const D: usize>(grid: &mut CellGrid<D>, points: &[[f32; D]], radii: &[f32], hint: &str) {
    grid.rebuild(points);
    let starts = grid.starts();
    assert_eq!(starts.len(), grid.cell_count() + 1);
    assert_eq!(
        *starts.last().expect("never empty") as usize,
        grid.order().len()
    );
    assert_eq!(
        grid.order().len() + grid.non_finite(),
        points.len(),
        "{hint}"
    );
    for cell in 0..grid.cell_count() {
        let order = &grid.order()[grid.cell_range(cell).expect("a cell")];
        assert!(
            order.is_sorted_by(|a, b| a < b),
            "{hint}: cell {cell} is by input index"
        );
        for &index in order {
            assert_eq!(grid.cell_of(points[index as usize]), Some(cell), "{hint}");
        }
    }
    for center in points.iter().step_by(7) {
        for &radius in radii {
            let mut found = Vec::new();
            grid.for_each_neighbour(*center, radius, |neighbour| found.push(neighbour.index));
            found.sort_unstable();
            let want = brute_force(&grid.layout, points, *center, radius);
            assert_eq!(found, want, "{hint}: {radius} round {center:?}");
        }
    }
}

fn check_everywhere<const D: usize>(seed: u64, count: usize) {
    let mut seed = seed;
    for (min, max, cell_size) in [
        (0.0, 10.0, 1.0),
        (-3.0, 4.0, 0.9),
        (0.0, 1.0, 5.0),
        (1_000.0, 1_010.0, 3.3),
        (-1e-3, 1e-3, 3e-4),
        // So small that every square is 0: all are neighbours of all.
        (-1e-24, 1e-24, 2e-25),
    ] {
        let points = points::<D>(&mut seed, count, min, max);
        let radii = [
            0.0,
            0.3 * cell_size,
            cell_size,
            2.5 * cell_size,
            2.0 * (max - min),
        ];
        let bounded = CellGrid::new([min; D], [max; D], cell_size).expect("a good grid");
        let hint = format!("{D} axes, {min}..{max} by {cell_size}, seed {seed}");
        check(&mut bounded.clone(), &points, &radii, &hint);
        check(
            &mut bounded.periodic(),
            &points,
            &radii,
            &format!("periodic, {hint}"),
        );
    }
}

#[test]
fn queries_find_what_a_comparison_with_all_points_finds() {
    for seed in 0..4 {
        check_everywhere::<1>(seed, 100);
        check_everywhere::<2>(seed, 400);
        check_everywhere::<3>(seed, 300);
    }
}

#[test]
fn points_on_the_edges_of_many_cells_are_found_at_the_exact_radius() {
    // Cell edges at k * 0.1 do not lie on f32 numbers, so every rounding is at work.
    let line: Vec<[f32; 1]> = (0..3_000).map(|k| [k as f32 * 0.1]).collect();
    let grid = CellGrid::<1>::new([0.0], [300.0], 0.1).expect("a good grid");
    let radii = [0.1, 0.2, f32::from_bits(0.1f32.to_bits() + 1)];
    check(&mut grid.clone(), &line, &radii, "edges");
    check(&mut grid.periodic(), &line, &radii, "periodic edges");
}

#[test]
fn points_one_ulp_from_the_edges_of_crooked_cells_are_found() {
    for (extent, min) in [
        (300.1, 0.0),
        (77.7, -33.3),
        (0.013, 0.001),
        (1e5 / 3.0, -1e4),
    ] {
        let cells = 900.0;
        let max = min + extent;
        let length = (max - min) / cells;
        let mut points = Vec::new();
        for edge in 0..900 {
            let x = min + edge as f32 * length;
            let ulp = |step: i32| f32::from_bits(x.to_bits().wrapping_add_signed(step));
            points.extend([[ulp(-1)], [x], [ulp(1)]]);
        }
        points.retain(|point: &[f32; 1]| point[0].is_finite());
        let grid = CellGrid::<1>::new([min], [max], length).expect("a good grid");
        let radii = [length, f32::from_bits(length.to_bits() + 1), 2.0 * length];
        check(&mut grid.clone(), &points, &radii, "crooked edges");
        check(
            &mut grid.periodic(),
            &points,
            &radii,
            "crooked periodic edges",
        );
    }
}

#[test]
fn an_empty_grid_has_no_neighbours() {
    let mut grid = CellGrid2::new([0.0; 2], [4.0; 2], 1.0).expect("a good grid");
    grid.for_each_neighbour([1.0, 1.0], 10.0, |_| panic!("nobody is there"));
    grid.rebuild(&[]);
    grid.for_each_neighbour([1.0, 1.0], 10.0, |_| panic!("nobody is there"));
    assert_eq!((grid.order().len(), grid.starts()), (0, &[0; 17][..]));
}

#[test]
fn a_grid_of_one_cell_holds_everything() {
    let mut grid = CellGrid3::new([0.0; 3], [1.0; 3], 1.0).expect("a good grid");
    assert_eq!((grid.dimensions(), grid.cell_count()), ([1, 1, 1], 1));
    grid.rebuild(&[[0.5; 3]; 9]);
    assert_eq!(grid.order(), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!((grid.cell_range(0), grid.cell_range(1)), (Some(0..9), None));
}

#[test]
fn cells_run_along_the_first_axis() {
    let grid = CellGrid3::new([0.0; 3], [4.0, 3.0, 2.0], 1.0).expect("a good grid");
    assert_eq!(grid.dimensions(), [4, 3, 2]);
    assert_eq!(grid.cell_of([1.5, 0.5, 0.5]), Some(1));
    assert_eq!(grid.cell_of([0.5, 1.5, 0.5]), Some(4));
    assert_eq!(grid.cell_of([0.5, 0.5, 1.5]), Some(12));
    assert_eq!(grid.cell_of([0.5, f32::NAN, 1.5]), None);
}

#[test]
fn points_outside_are_kept_and_counted_and_those_that_are_not_finite_left_out() {
    let points = [
        [1.5, 1.5],
        [-7.0, 2.5],
        [f32::NAN, 1.0],
        [1.0, f32::INFINITY],
        [4.0, 0.5],
        [1e30, -1e30],
        [f32::NEG_INFINITY, f32::NAN],
    ];
    let mut grid = CellGrid2::new([0.0; 2], [4.0; 2], 1.0).expect("a good grid");
    grid.rebuild(&points);
    assert_eq!((grid.outside(), grid.non_finite()), (3, 3));
    assert_eq!(grid.order(), [4, 5, 0, 1]);
    assert_eq!(
        grid.sorted_positions()[1],
        [1e30, -1e30],
        "clamped in cell, not in place"
    );
    grid.rebuild(&points[1..2]);
    assert_eq!((grid.outside(), grid.non_finite()), (1, 0));
    grid.rebuild(&points[2..3]);
    assert_eq!((grid.outside(), grid.non_finite()), (0, 1));
    let mut grid = grid.periodic();
    grid.rebuild(&points);
    assert_eq!((grid.outside(), grid.non_finite()), (3, 3));
    let inside = |point: &[f32; 2]| point.iter().all(|part| (0.0..4.0).contains(part));
    assert!(
        grid.sorted_positions().iter().all(inside),
        "{:?}",
        grid.sorted_positions()
    );
}

#[test]
fn a_periodic_grid_looks_round_the_end_and_gives_the_short_way() {
    let mut grid = CellGrid2::new([0.0; 2], [10.0; 2], 1.0)
        .expect("a good grid")
        .periodic();
    grid.rebuild(&[[9.75, 0.25], [5.0, 5.0]]);
    let mut found = Vec::new();
    grid.for_each_neighbour([0.25, 9.75], 1.0, |neighbour| found.push(neighbour));
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].index, found[0].offset), (0, [-0.5, 0.5]));
    assert_eq!(
        (found[0].position, found[0].distance_squared),
        ([9.75, 0.25], 0.5)
    );
}

#[test]
fn wrapping_moves_by_whole_extents_into_the_box() {
    let mut seed = 5;
    for (min, max) in [(0.0, 10.0), (-3.0, 4.0), (1e6, 1e6 + 1.0), (0.1, 0.7)] {
        let layout = Layout::<1>::new([min], [max], 1.0).expect("a good grid");
        let axis = &layout.axes[0];
        for _ in 0..10_000 {
            let far = min + (unit(&mut seed) - 0.5) * 100.0 * axis.extent;
            let near = axis.wrap(far);
            assert!(min <= near && near < max, "{far} -> {near} in {min}..{max}");
            let turns = (f64::from(far) - f64::from(near)) / f64::from(axis.extent);
            let ulp = f64::from(min.abs().max(max.abs())) * 1.2e-7 / f64::from(axis.extent);
            assert!(
                (turns - turns.round()).abs() <= ulp,
                "{far} -> {near} in {min}..{max}"
            );
        }
        for edge in [
            min,
            max,
            f32::from_bits(min.to_bits() + 1),
            f32::MAX,
            -f32::MAX,
            -1e-30,
        ] {
            assert!(axis.contains(axis.wrap(edge)), "{edge} in {min}..{max}");
        }
    }
}

#[test]
fn senseless_queries_have_no_neighbours_and_endless_ones_have_all() {
    let points: Vec<[f32; 2]> = points(&mut 3, 50, 0.0, 4.0);
    let bounded = CellGrid2::new([0.0; 2], [4.0; 2], 1.0).expect("a good grid");
    for mut grid in [bounded.clone(), bounded.periodic()] {
        grid.rebuild(&points);
        let count = |point, radius| {
            let mut count = 0;
            grid.for_each_neighbour(point, radius, |_| count += 1);
            count
        };
        assert_eq!(count([f32::NAN, 1.0], 1.0), 0);
        assert_eq!(count([f32::INFINITY, 1.0], 1.0), 0);
        assert_eq!(count([1.0, 1.0], f32::NAN), 0);
        assert_eq!(count([1.0, 1.0], -1.0), 0);
        assert_eq!(count([1.0, 1.0], f32::INFINITY), 50);
        assert_eq!(count([1.0, 1.0], f32::MAX), 50);
        assert_eq!(count([-1e9, 1e9], 4e9), 50);
    }
}

#[test]
fn runs_are_disjoint_in_order_and_long() {
    let points: Vec<[f32; 2]> = points(&mut 9, 2_000, 0.0, 10.0);
    let mut grid = CellGrid2::new([0.0; 2], [10.0; 2], 1.0).expect("a good grid");
    grid.rebuild(&points);
    let mut runs = Vec::new();
    grid.for_each_run([5.5, 5.5], 0.9, |run| runs.push(run));
    assert_eq!(runs.len(), 3, "one run for each row of cells: {runs:?}");
    assert!(runs.windows(2).all(|pair| pair[0].end <= pair[1].start));
}

#[test]
fn a_rebuild_of_as_many_points_moves_no_buffer() {
    let mut grid = CellGrid2::new([0.0; 2], [10.0; 2], 1.0).expect("a good grid");
    grid.rebuild(&points(&mut 1, 1_000, 0.0, 10.0));
    let before = (
        grid.order().as_ptr(),
        grid.sorted_positions().as_ptr(),
        grid.keys_ptr(),
    );
    grid.rebuild(&points(&mut 2, 1_000, 0.0, 10.0));
    let after = (
        grid.order().as_ptr(),
        grid.sorted_positions().as_ptr(),
        grid.keys_ptr(),
    );
    assert_eq!(before, after);
}

#[test]
fn impossible_grids_are_refused() {
    let new = |min, max, cell_size| CellGrid2::new([0.0, min], [1.0, max], cell_size).map(|_| ());
    assert_eq!(
        new(0.0, 0.0, 1.0),
        Err(GridError::BadBounds {
            axis: 1,
            min: 0.0,
            max: 0.0
        })
    );
    for (min, max) in [
        (1.0, 0.0),
        (f32::NAN, 1.0),
        (0.0, f32::NAN),
        (0.0, f32::INFINITY),
    ] {
        assert!(matches!(
            new(min, max, 1.0),
            Err(GridError::BadBounds { axis: 1, .. })
        ));
    }
    assert!(matches!(
        new(-f32::MAX, f32::MAX, 1.0),
        Err(GridError::BadBounds { .. })
    ));
    for size in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        assert!(
            matches!(new(0.0, 1.0, size), Err(GridError::BadCellSize { .. })),
            "{size}"
        );
    }
    assert!(matches!(
        new(0.0, 1.0, 1e-9),
        Err(GridError::TooManyCells { .. })
    ));
    let many = |error| matches!(error, GridError::TooManyCells { cells, .. } if cells > 90_000_000);
    assert!(new(0.0, 1.0, 1e-4).is_err_and(many));
    assert!(matches!(
        new(0.0, 1.0, f32::MIN_POSITIVE),
        Err(GridError::TooManyCells { .. })
    ));
    let tiny = CellGrid2::new([0.0; 2], [1e-40; 2], 1e-43).map(|_| ());
    assert!(matches!(tiny, Err(GridError::BadBounds { axis: 0, .. })));
    let none = CellGrid::<0>::new([], [], 1.0).map(|_| ());
    assert_eq!(
        none,
        Err(GridError::BadDimensions {
            dimensions: 0,
            max: 6
        })
    );
    assert!(CellGrid::<7>::new([0.0; 7], [1.0; 7], 1.0).is_err());
}

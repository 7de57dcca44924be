//! The vector path against the definition, bit for bit.

use super::*;

/// A batch with lists of the given lengths in groups, over points in a small cube.
fn results<const ENERGY: bool>(level: Level, lengths: &[usize], nasty: bool) -> Vec<AtomForce> {
    let mut state = 7_u64;
    let mut next = || {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        state >> 33
    };
    let mut places: Vec<Place> = (0..300)
        .map(|_| {
            let [x, y, z] = std::array::from_fn(|_| next() as f64 / (1_u64 << 31) as f64 * 4.0);
            [x, y, z, 0.0]
        })
        .collect();
    if nasty {
        let values = [
            0.0,
            -0.0,
            f64::MIN_POSITIVE / 8.0,
            f64::INFINITY,
            f64::NAN,
            1e300,
            1e-160,
        ];
        for place in places.iter_mut().step_by(3) {
            place[..3].fill_with(|| values[next() as usize % values.len()]);
        }
    }
    places.push(DUMMY);
    let atoms: Vec<u32> = lengths.iter().map(|_| (next() % 300) as u32).collect();
    let mut end = 0;
    let ends: Vec<u32> = lengths
        .iter()
        .map(|length| {
            end += *length as u32;
            end
        })
        .collect();
    let groups: Vec<[u32; 4]> = (0..end)
        .map(|_| std::array::from_fn(|_| (next() % 301) as u32))
        .collect();
    let batch = Batch {
        places: &places,
        atoms: &atoms,
        ends: &ends,
        groups: &groups,
    };
    let mut out = vec![AtomForce::default(); atoms.len()];
    forces::<ENERGY>(level, &Pair::new(2.5), &batch, &mut out);
    out
}

/// All bits, with any NaN equal to any other: its payload depends on the order of operands.
fn bits(results: &[AtomForce]) -> Vec<u64> {
    let bits = |value: f64| {
        if value.is_nan() {
            u64::MAX
        } else {
            value.to_bits()
        }
    };
    results
        .iter()
        .flat_map(|atom| {
            atom.force
                .into_iter()
                .chain([atom.energy, atom.virial])
                .map(bits)
        })
        .collect()
}

#[test]
fn all_levels_give_the_same_bits_for_all_lengths_of_lists() {
    let lengths: Vec<usize> = (0..150).chain([0, 3, 0, 31, 32, 33, 64, 65]).collect();
    for nasty in [false, true] {
        let expected = results::<true>(Level::Scalar, &lengths, nasty);
        for level in Level::available() {
            assert_eq!(
                bits(&results::<true>(level, &lengths, nasty)),
                bits(&expected),
                "{level}"
            );
            let forces_only = results::<false>(level, &lengths, nasty);
            for (with, without) in expected.iter().zip(&forces_only) {
                let without = AtomForce {
                    energy: with.energy,
                    virial: with.virial,
                    ..*without
                };
                assert_eq!(bits(&[*with]), bits(&[without]), "{level}");
            }
        }
    }
}

#[test]
fn a_pair_at_the_minimum_of_the_potential_feels_nothing_and_has_energy_minus_one() {
    // The sixth root of 2.
    const ROOT: f64 = 1.122_462_048_309_373;
    let places = [[0.0; 4], [ROOT, 0.0, 0.0, 0.0], DUMMY];
    let batch = Batch {
        places: &places,
        atoms: &[0, 1],
        ends: &[1, 2],
        groups: &[[1, 2, 2, 2], [0, 2, 2, 2]],
    };
    for level in Level::available() {
        let mut out = [AtomForce::default(); 2];
        forces::<true>(level, &Pair::new(2.5), &batch, &mut out);
        for atom in out {
            assert!(atom.force[0].abs() < 1e-13, "{atom:?}");
            assert!((atom.energy - -0.5).abs() < 1e-15, "{atom:?}");
        }
    }
}

#[test]
fn a_pair_outside_the_cutoff_adds_nothing() {
    let places = [[0.0; 4], [2.5, 0.0, 0.0, 0.0], DUMMY];
    let batch = Batch {
        places: &places,
        atoms: &[0],
        ends: &[1],
        groups: &[[1, 2, 2, 2]],
    };
    for level in Level::available() {
        let mut out = [AtomForce {
            energy: 7.0,
            ..AtomForce::default()
        }];
        forces::<true>(level, &Pair::new(2.5), &batch, &mut out);
        assert_eq!(out, [AtomForce::default()]);
    }
}

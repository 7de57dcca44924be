//! Whole runs: against LAMMPS, against themselves on other paths, and with planted faults.

use std::sync::atomic::{AtomicUsize, Ordering};

use orrery::ecs::{BlockRunner, Serial};
use orrery_math::simd::Level;

use super::*;

/// Hands pieces to three threads, in whatever order they come.
struct Threads;

impl BlockRunner for Threads {
    fn for_each(&self, count: usize, body: &(dyn Fn(usize) + Sync)) {
        let next = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    loop {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        if index >= count {
                            break;
                        }
                        body(index);
                    }
                });
            }
        });
    }
}

/// A run without an engine.
struct Run {
    positions: Vec<[f64; 3]>,
    velocities: Vec<[f64; 3]>,
    acting: Vec<[f64; 3]>,
    forces: Forces,
    step: u64,
}

impl Run {
    fn new(level: Level, cutoff: f64) -> Self {
        let positions = lattice(REFERENCE_CELLS);
        let velocities = reference_velocities().expect("committed file");
        let length = box_length(REFERENCE_CELLS);
        let forces = Forces::new(level, positions.len(), length, cutoff, SKIN).expect("lengths");
        Self {
            acting: vec![[0.0; 3]; positions.len()],
            positions,
            velocities,
            forces,
            step: 0,
        }
    }

    fn update(&mut self, parallel: &dyn BlockRunner, detail: Detail) -> bool {
        self.forces.load(0, &self.positions);
        let rebuilt = self.forces.compute(parallel, detail).expect("a sound run");
        self.forces.store_forces(0, &mut self.acting);
        rebuilt
    }

    fn advance(&mut self, parallel: &dyn BlockRunner, detail: Detail) {
        half_kick(&mut self.velocities, &self.acting, TIME_STEP);
        drift(
            &mut self.positions,
            &self.velocities,
            TIME_STEP,
            box_length(REFERENCE_CELLS),
        );
        self.update(parallel, detail);
        half_kick(&mut self.velocities, &self.acting, TIME_STEP);
        self.step += 1;
    }

    fn thermo(&self) -> Thermo {
        let mut energies = vec![0.0; self.positions.len()];
        let mut virials = energies.clone();
        self.forces.store_energies(0, &mut energies, &mut virials);
        let mut totals = Totals::default();
        totals.add(&self.velocities, &energies, &virials);
        totals.thermo(box_length(REFERENCE_CELLS))
    }

    /// Runs to the end of the reference, or until a row has failed beyond doubt.
    fn check(&mut self, parallel: &dyn BlockRunner) -> Check {
        let mut check = Check::new().expect("committed files");
        self.update(parallel, Detail::All);
        loop {
            let wants = check.wants(self.step);
            if wants.thermo {
                check.thermo(self.step, &self.thermo());
            }
            if wants.positions {
                check.positions(self.step, &self.positions);
            }
            let failed = check.rows().iter().any(|row| row.worst > row.limit);
            if failed || self.step == check.last_step() {
                return check;
            }
            let next = check.wants(self.step + 1);
            self.advance(
                parallel,
                if next.thermo {
                    Detail::All
                } else {
                    Detail::Forces
                },
            );
        }
    }

    /// The bits of positions, velocities and forces.
    fn bits(&self) -> Vec<u64> {
        let all = self
            .positions
            .iter()
            .chain(&self.velocities)
            .chain(&self.acting);
        all.flatten().map(|value| value.to_bits()).collect()
    }
}

#[test]
fn a_run_agrees_with_lammps_on_every_level_and_with_any_number_of_threads_bit_for_bit() {
    let mut all_bits = Vec::new();
    for level in Level::available() {
        for parallel in [&Serial as &dyn BlockRunner, &Threads] {
            let mut run = Run::new(level, CUTOFF);
            let check = run.check(parallel);
            assert!(check.passed(), "{level}: {:#?}", check.rows());
            println!("{level}: {:?}", check.rows());
            let (rebuilds, _) = run.forces.list_counts();
            assert!(
                (5..50).contains(&rebuilds),
                "{rebuilds} rebuilds in 200 steps"
            );
            all_bits.push(run.bits());
        }
    }
    assert!(all_bits.iter().all(|bits| *bits == all_bits[0]));
}

#[test]
fn step_0_has_the_energy_and_pressure_that_lammps_prints() {
    let mut run = Run::new(Level::detect(), CUTOFF);
    run.update(&Serial, Detail::All);
    let thermo = run.thermo();
    // LAMMPS adds 27 equal energies an atom, 4,000 times, in one running sum, whose rounding
    // errors all point one way; the lattice sum in 40 digits is the second number.
    assert!(
        (thermo.potential - -6.77336805325925).abs() < 1e-11,
        "{thermo:?}"
    );
    assert!(
        (thermo.potential - -6.773368053252957).abs() < 1e-14,
        "{thermo:?}"
    );
    assert!(
        (thermo.pressure - -5.01997318208561).abs() < 1e-12,
        "{thermo:?}"
    );
}

#[test]
fn a_slightly_shorter_cutoff_fails_the_check() {
    assert!(!Run::new(Level::detect(), 2.49).check(&Serial).passed());
}

#[test]
fn a_wrong_sign_in_the_energy_fails_the_check() {
    let mut run = Run::new(Level::detect(), CUTOFF);
    run.forces.pair.energy_6 = -run.forces.pair.energy_6;
    assert!(!run.check(&Serial).passed());
}

#[test]
fn a_force_that_is_off_by_a_billionth_fails_the_check() {
    let mut run = Run::new(Level::detect(), CUTOFF);
    run.forces.pair.force_12 *= 1.0 + 1e-9;
    assert!(!run.check(&Serial).passed());
}

#[test]
fn a_forgotten_row_of_cells_fails_the_check() {
    let mut run = Run::new(Level::detect(), CUTOFF);
    run.forces.cells.plant_missing_row();
    assert!(!run.check(&Serial).passed());
}

#[test]
fn a_state_that_was_never_shown_fails_the_check() {
    let check = Check::new().expect("committed files");
    assert!(!check.passed());
}

#[test]
fn a_value_that_is_not_a_number_fails_the_check() {
    let mut check = Check::new().expect("committed files");
    let nan = Thermo {
        temperature: f64::NAN,
        potential: 0.0,
        total: 0.0,
        pressure: 0.0,
    };
    check.thermo(10, &nan);
    check.thermo(
        20,
        &Thermo {
            temperature: 0.0,
            ..nan
        },
    );
    check.positions(20, &[[f64::NAN; 3]; 4000]);
    assert!(check.rows()[0].worst.is_nan() && check.rows()[4].worst.is_nan());
    assert!(!check.rows()[0].passed() && !check.rows()[4].passed());
}

#[test]
fn a_run_restored_from_its_anchors_goes_on_with_the_same_bits() {
    let mut run = Run::new(Level::detect(), CUTOFF);
    run.update(&Serial, Detail::Forces);
    (0..25).for_each(|_| run.advance(&Serial, Detail::Forces));
    let mut restored = Run::new(Level::detect(), CUTOFF);
    restored.positions.clone_from(&run.positions);
    restored.velocities.clone_from(&run.velocities);
    restored.acting.clone_from(&run.acting);
    restored
        .forces
        .restore_anchors(&Threads, run.forces.anchors())
        .expect("sound anchors");
    assert_ne!(
        run.forces.anchors(),
        run.positions,
        "the lists must be older than the state"
    );
    for _ in 0..25 {
        run.advance(&Serial, Detail::Forces);
        restored.advance(&Threads, Detail::Forces);
        assert_eq!(run.bits(), restored.bits());
    }
}

#[test]
fn an_atom_outside_the_box_is_an_error_that_names_it() {
    for bad in [f64::NAN, f64::INFINITY, -0.1, 17.0] {
        let mut run = Run::new(Level::detect(), CUTOFF);
        run.positions[17][1] = bad;
        run.forces.load(0, &run.positions);
        let error = run
            .forces
            .compute(&Serial, Detail::All)
            .expect_err("outside");
        assert!(
            matches!(error, MeltError::OutsideBox { atom: 17, .. }),
            "{error}"
        );
        assert!(
            error
                .to_string()
                .starts_with("atom 17 is outside the box at (7.558"),
            "{error}"
        );
    }
}

#[test]
fn a_crystal_has_the_same_energy_in_boxes_of_all_sizes_down_to_one_cell() {
    for cells in [1, 2, 3, 4, 7] {
        let (positions, length) = (lattice(cells), box_length(cells));
        let count = positions.len();
        let mut forces =
            Forces::new(Level::detect(), count, length, CUTOFF, SKIN).expect("lengths");
        forces.load(0, &positions);
        forces.compute(&Serial, Detail::All).expect("in the box");
        let (mut energies, mut virials) = (vec![0.0; count], vec![0.0; count]);
        forces.store_energies(0, &mut energies, &mut virials);
        for energy in energies {
            assert!(
                (energy - -6.773368053252957).abs() < 1e-13,
                "{cells} cells: {energy}"
            );
        }
    }
}

#[test]
fn a_crowd_that_would_fill_the_memory_is_an_error() {
    let length = box_length(20);
    let mut forces = Forces::new(Level::detect(), 32_000, length, CUTOFF, SKIN).expect("lengths");
    forces.load(0, &vec![[1.0; 3]; 32_000]);
    let error = forces.compute(&Threads, Detail::All).expect_err("a crowd");
    assert_eq!(error, MeltError::Crowded { atom: 0 });
    forces.load(0, &lattice(20));
    assert_eq!(forces.compute(&Threads, Detail::All), Ok(true));
}

#[test]
fn lengths_that_make_no_sense_are_refused_by_name() {
    let forces =
        |box_length, cutoff, skin| Forces::new(Level::Scalar, 4000, box_length, cutoff, skin).err();
    let named = |name, value| Some(MeltError::Length { name, value });
    assert_eq!(forces(-1.0, 2.5, 0.3), named("box length", -1.0));
    assert_eq!(forces(10.0, 0.0, 0.3), named("cut-off", 0.0));
    assert_eq!(
        forces(10.0, f64::INFINITY, 0.3),
        named("cut-off", f64::INFINITY)
    );
    assert_eq!(forces(10.0, 159.0, 0.3), named("cut-off", 159.0));
    assert_eq!(forces(10.0, 2.5, -0.3), named("skin", -0.3));
    assert!(forces(10.0, f64::NAN, 0.3).is_some_and(|error| error.to_string().contains("NaN")));
    // Tiny cut-offs do not make a cell for each of them.
    assert_eq!(forces(10.0, 1e-9, 1e-9), None);
}

#[test]
fn lists_with_images_give_the_same_as_all_pairs_of_the_nearest_images() {
    // 500 atoms: small enough for all pairs, large enough for the cut-off.
    let length = box_length(5);
    let mut state = 1_u64;
    let mut uniform = || {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut positions = lattice(5);
    for value in positions.iter_mut().flatten() {
        *value = wrap(*value + 0.2 * (uniform() - 0.5), length);
    }
    let mut forces = Forces::new(Level::detect(), 500, length, CUTOFF, SKIN).expect("lengths");
    forces.load(0, &positions);
    forces.compute(&Serial, Detail::All).expect("in the box");
    let (mut acting, mut energies) = (vec![[0.0; 3]; 500], vec![0.0; 500]);
    forces.store_forces(0, &mut acting);
    forces.store_energies(0, &mut energies, &mut [0.0; 500]);
    for (atom, center) in positions.iter().enumerate() {
        let (mut force, mut energy) = ([0.0; 3], 0.0);
        for (_, place) in positions
            .iter()
            .enumerate()
            .filter(|&(other, _)| other != atom)
        {
            let way: [f64; 3] = std::array::from_fn(|axis| {
                let way = center[axis] - place[axis];
                way - length * (way / length).round()
            });
            let square: f64 = way.iter().map(|value| value * value).sum();
            if square < CUTOFF * CUTOFF {
                let inverse_6 = 1.0 / (square * square * square);
                let factor = (48.0 * inverse_6 - 24.0) * inverse_6 / square;
                (0..3).for_each(|axis| force[axis] += factor * way[axis]);
                energy += 2.0 * (inverse_6 - 1.0) * inverse_6;
            }
        }
        assert!((energy - energies[atom]).abs() < 1e-11, "atom {atom}");
        for axis in 0..3 {
            assert!(
                (force[axis] - acting[atom][axis]).abs() < 1e-9,
                "atom {atom}"
            );
        }
    }
}

#[test]
fn the_nist_sample_configuration_has_the_published_energy() {
    let folder = std::env::var("ORRERY_DATA").unwrap_or_else(|_| "../../shared/data".to_owned());
    let path = format!("{folder}/lj_nist/lj_sample_config_periodic4.xyz");
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("skipped: no data");
        return;
    };
    let length = 8.0;
    let positions: Vec<[f64; 3]> = text
        .lines()
        .skip(2)
        .map(|line| {
            let mut fields = line.split_whitespace().skip(1);
            std::array::from_fn(|_| {
                let field = fields.next().expect("three coordinates");
                wrap(field.parse::<f64>().expect("a number"), length)
            })
        })
        .collect();
    let count = positions.len();
    let mut forces = Forces::new(Level::detect(), count, length, 3.0, SKIN).expect("lengths");
    forces.load(0, &positions);
    forces.compute(&Serial, Detail::All).expect("in the box");
    let (mut energies, mut virials) = (vec![0.0; count], vec![0.0; count]);
    forces.store_energies(0, &mut energies, &mut virials);
    let energy: f64 = energies.iter().sum();
    assert!((energy - -16.790321304625856).abs() < 1e-9, "{energy}");
}

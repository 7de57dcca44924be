//! Whole runs of 360 days.

use super::*;

/// Distances to the Newtonian answer after 360 days, in km, by body.
fn errors(integrator: Integrator, step_days: f64) -> Vec<f64> {
    let gm = gravity_parameters().expect("committed file");
    let mut state = start().expect("committed file");
    integrator.run(
        &mut state,
        &gm,
        step_days,
        step_count(step_days).expect("a divisor"),
    );
    let rows = check(&state.positions).expect("committed files");
    rows.into_iter().map(|row| row.newtonian_km).collect()
}

#[test]
fn the_default_puts_every_body_within_ten_metres_of_newton_and_the_known_gap_of_de421() {
    let gm = gravity_parameters().expect("committed file");
    let mut state = start().expect("committed file");
    let steps = step_count(STEP_DAYS).expect("a divisor");
    Integrator::Order8.run(&mut state, &gm, STEP_DAYS, steps);
    let rows = check(&state.positions).expect("committed files");
    let de421_km = [
        0.26, 43.97, 96.26, 56.27, 38.59, 0.62, 0.08, 0.003, 0.0004, 0.001,
    ];
    for (row, de421_km) in rows.iter().zip(de421_km) {
        assert!(row.passed() && row.newtonian_km < 0.01, "{row:?}");
        assert!((row.de421_km - de421_km).abs() < 0.006, "{row:?}");
    }
}

#[test]
fn leapfrog_errors_fall_fourfold_with_each_halving_of_the_step_for_all_bodies() {
    let mut before = errors(Integrator::Leapfrog, 0.5);
    for step_days in [0.25, 0.125, 0.0625, 0.03125] {
        let after = errors(Integrator::Leapfrog, step_days);
        for ((body, before), after) in BODIES.iter().zip(&before).zip(&after) {
            let ratio = before / after;
            assert!(
                (3.9..=4.1).contains(&ratio),
                "{body} at {step_days} d: {ratio}"
            );
        }
        before = after;
    }
}

#[test]
fn order_8_errors_of_mercury_fall_256_fold_with_each_halving_of_the_step() {
    let errors = [8.0, 4.0, 2.0].map(|step_days| errors(Integrator::Order8, step_days)[1]);
    for pair in errors.windows(2) {
        assert!((225.0..=290.0).contains(&(pair[0] / pair[1])), "{errors:?}");
    }
}

#[test]
fn both_integrators_are_reversible_in_time() {
    let gm = gravity_parameters().expect("committed file");
    for integrator in [Integrator::Leapfrog, Integrator::Order8] {
        let mut state = start().expect("committed file");
        integrator.run(&mut state, &gm, 1.0, 100);
        integrator.run(&mut state, &gm, -1.0, 100);
        let start = start().expect("committed file");
        for (now, then) in state.positions.iter().zip(&start.positions) {
            for axis in 0..3 {
                assert!((now[axis] - then[axis]).abs() < 1e-12, "{integrator:?}");
            }
        }
    }
}

#[test]
fn the_energy_is_kept() {
    let gm = gravity_parameters().expect("committed file");
    let mut state = start().expect("committed file");
    let before = energy(&state.positions, &state.velocities, &gm);
    Integrator::Order8.run(&mut state, &gm, STEP_DAYS, 360);
    let after = energy(&state.positions, &state.velocities, &gm);
    assert!(
        ((after - before) / before).abs() < 1e-13,
        "{before} {after}"
    );
}

#[test]
fn a_mass_that_is_off_by_a_millionth_fails_the_check() {
    let mut gm = gravity_parameters().expect("committed file");
    gm[0] *= 1.0 + 1e-6;
    let mut state = start().expect("committed file");
    Integrator::Order8.run(&mut state, &gm, STEP_DAYS, 360);
    let rows = check(&state.positions).expect("committed files");
    assert!(rows.iter().any(|row| !row.passed()), "{rows:?}");
}

#[test]
fn a_missing_or_lost_body_fails_the_check() {
    let mut positions = newtonian_answer().expect("committed file").positions;
    assert!(
        check(&positions)
            .expect("committed files")
            .iter()
            .all(CheckRow::passed)
    );
    positions[3][0] = f64::NAN;
    assert!(!check(&positions).expect("committed files")[3].passed());
    assert!(!check(&positions[..9]).expect("committed files")[9].passed());
}

#[test]
fn steps_that_do_not_divide_the_span_are_refused_by_value() {
    for (step_days, steps) in [(1.0, 360), (0.5, 720), (0.1, 3600), (360.0, 1), (7.2, 50)] {
        assert_eq!(step_count(step_days), Ok(steps));
    }
    for steps in 1..20_000_u32 {
        assert_eq!(
            step_count(SPAN_DAYS / f64::from(steps)),
            Ok(u64::from(steps))
        );
    }
    for bad in [0.0, -1.0, 7.0, 361.0, 720.0, 1e-6, f64::INFINITY] {
        let error = step_count(bad).expect_err("no divisor");
        assert_eq!(error, SolarError::Step { step_days: bad });
        assert!(
            error.to_string().contains(&format!("of {bad} days")),
            "{error}"
        );
    }
    assert!(step_count(f64::NAN).is_err());
}

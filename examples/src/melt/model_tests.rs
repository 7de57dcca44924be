//! The melt as a user runs it: through the command line and through an app.

use orrery::app::App;
use orrery::cli::{build_into, run_with};

use super::*;

fn app(atoms: usize, threads: usize) -> App {
    let mut app = App::new();
    app.set_workers(Workers::new(threads).expect("a few threads can be had"));
    let given = [("atoms".to_owned(), atoms.to_string())];
    build_into(&mut app, 5, &given, build).expect("the settings are valid");
    app
}

fn run(build: cli::Build, arguments: &[&str]) -> Result<bool, String> {
    let all = ["run", "melt"]
        .iter()
        .chain(arguments)
        .map(|&argument| argument.into());
    run_with(|models| models.add("melt", "atoms", build), all).map_err(|error| error.to_string())
}

#[test]
fn the_check_passes_and_a_planted_wrong_cut_off_fails_it() {
    assert_eq!(run(build, &["--check", "--quiet"]), Ok(true));
    let wrong: cli::Build = |setup| build_with(setup, 2.49);
    assert_eq!(run(wrong, &["--check", "--quiet"]), Ok(false));
}

#[test]
fn threads_and_levels_do_not_show_in_the_state() {
    let hash = |threads, level| {
        Level::set_current(level);
        // More than one block of atoms, so that blocks are spread over threads too.
        let mut app = app(6_912, threads);
        app.run(Runner::Ticks(12)).expect("nothing fails");
        app.world().state_hash()
    };
    let expected = hash(1, Level::Scalar);
    for threads in [1, 2, 3, 8] {
        for level in Level::available() {
            assert_eq!(hash(threads, level), expected, "{threads} threads, {level}");
        }
    }
}

#[test]
fn a_fork_rebuilds_its_lists_and_ends_where_the_original_does() {
    let mut original = app(864, 1);
    original.run(Runner::Ticks(13)).expect("nothing fails");
    let fork = original.world().fork().expect("everything is Clone");
    original.run(Runner::Ticks(40)).expect("nothing fails");
    let end = original.world().state_hash();
    original.replace_world(fork);
    original.run(Runner::Ticks(40)).expect("nothing fails");
    assert_eq!(original.world().state_hash(), end);
}

#[test]
fn settings_that_make_no_crystal_are_refused_with_those_that_do() {
    let error = run(build, &["--set", "atoms=4001"]).expect_err("4001 is no 4 n^3");
    assert!(error.contains("4000") && error.contains("5324"), "{error}");
    let error = run(build, &["--set", "atoms=1000000"]).expect_err("too many");
    assert!(error.contains("256000"), "{error}");
    let error = run(build, &["--check", "--set", "atoms=32000"]).expect_err("no answer known");
    assert!(error.contains("4000"), "{error}");
    let error = run(build, &["--check", "--ticks", "50"]).expect_err("too few ticks");
    assert!(error.contains("200"), "{error}");
}

#[test]
fn an_atom_that_leaves_the_box_ends_the_run_with_an_error_that_names_it() {
    let mut app = app(864, 1);
    app.run(Runner::Ticks(1)).expect("nothing fails");
    let mut velocities = app.world_mut().query::<&mut Velocity>();
    velocities
        .view_mut(app.world_mut())
        .for_each(|velocity| velocity.0 = [1e9, 0.0, 0.0]);
    let error = app
        .run(Runner::Ticks(1))
        .expect_err("they are far outside")
        .to_string();
    assert!(error.contains("atom") && error.contains("box"), "{error}");
}

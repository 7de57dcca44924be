//! The swarm's state is a function of its seed, whatever runs it.

use orrery::app::App;
use orrery::cli::run_with;
use orrery::ecs::WorldHash;
use orrery::math::simd::Level;

use super::*;

fn app(boids: u64, seed: u64, threads: usize) -> App {
    let mut app = App::new();
    app.set_workers(Workers::new(threads).expect("a few threads can be had"));
    let given = [("boids".to_owned(), boids.to_string())];
    orrery::cli::build_into(&mut app, seed, &given, build).expect("the settings are valid");
    app
}

fn hash_after(ticks: u64, boids: u64, seed: u64, threads: usize) -> WorldHash {
    let mut app = app(boids, seed, threads);
    app.run(Runner::Ticks(ticks)).expect("nothing fails");
    app.world().state_hash()
}

#[test]
fn threads_levels_and_repetition_do_not_show_in_the_state() {
    let expected = hash_after(20, 9_000, 7, 1);
    for threads in [1, 2, 3, 8] {
        for level in Level::available() {
            Level::set_current(level);
            assert_eq!(
                hash_after(20, 9_000, 7, threads),
                expected,
                "{threads} {level}"
            );
        }
    }
    assert_ne!(hash_after(20, 9_000, 8, 1), expected);
}

#[test]
fn a_fork_in_the_middle_ends_where_the_original_does() {
    let mut original = app(5_000, 3, 1);
    original.run(Runner::Ticks(10)).expect("nothing fails");
    let fork = original.world().fork().expect("everything is Clone");
    original.run(Runner::Ticks(10)).expect("nothing fails");
    let end = original.world().state_hash();
    original.replace_world(fork);
    original.run(Runner::Ticks(10)).expect("nothing fails");
    assert_eq!(original.world().state_hash(), end);
}

#[test]
fn boids_stay_on_the_torus_and_come_to_fly_alike() {
    let mut app = app(4_000, 1, 2);
    let mut positions = app.world_mut().query::<&Position>();
    let mut velocities = app.world_mut().query::<&Velocity>();
    let before = polarization(&mut velocities, app.world());
    app.run(Runner::Ticks(300)).expect("nothing fails");
    let flock = app.world().resource::<Flock>();
    for position in positions.iter(app.world()) {
        assert_eq!(flock.wrap(position.0), position.0);
        assert!(position.0.is_finite());
    }
    let after = polarization(&mut velocities, app.world());
    assert!(before < 0.1 && after > 0.3, "{before} {after}");
}

#[test]
fn a_single_boid_and_a_crowd_in_one_place_are_no_trouble() {
    assert_eq!(hash_after(50, 1, 0, 2), hash_after(50, 1, 0, 1));
    let mut app = app(500, 0, 1);
    let mut positions = app.world_mut().query::<&mut Position>();
    positions
        .view_mut(app.world_mut())
        .for_each(|position| position.0 = Vec2::ONE);
    app.run(Runner::Ticks(100)).expect("nothing fails");
    assert!(
        positions
            .iter(app.world())
            .all(|position| position.0.is_finite())
    );
}

#[test]
fn boids_that_are_nowhere_do_not_stop_the_others() {
    let mut app = app(3_000, 4, 2);
    let mut positions = app.world_mut().query::<&mut Position>();
    let lost = |i: usize| i.is_multiple_of(7);
    let mut index = 0;
    positions.view_mut(app.world_mut()).for_each(|position| {
        if lost(index) {
            position.0.x = [f32::NAN, f32::INFINITY][index % 2];
        }
        index += 1;
    });
    app.run(Runner::Ticks(30)).expect("nothing fails");
    let finite = positions
        .iter(app.world())
        .map(|position| position.0.is_finite());
    assert!(finite.enumerate().all(|(i, finite)| finite != lost(i)));
}

#[test]
fn a_wrong_setting_is_refused_with_the_nearest_name() {
    let run = |setting: &str| {
        let arguments = ["run", "swarm", "--ticks", "1", "--quiet", "--set", setting];
        run_with(crate::register, arguments.map(Into::into)).map_err(|error| error.to_string())
    };
    let error = run("boid=3").expect_err("there is no boid");
    assert!(error.contains("did you mean `boids`?"), "{error}");
    let error = run("boids=0").expect_err("a swarm has boids");
    assert!(error.contains("boids") && error.contains("`0`"), "{error}");
}

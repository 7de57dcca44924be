//! The solar system as a model: ten entities, one block.

use orrery::cli::{self, Setup, SetupError, Verdict};
use orrery::ecs::QueryState;
use orrery::prelude::*;

use super::{
    BODIES, Integrator, SPAN_DAYS, STEP_DAYS, accelerations, check, gravity_parameters, start,
    step_count,
};

/// In AU from the barycentre.
#[derive(Clone, Copy, Debug, PartialEq, Component, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
struct Position([f64; 3]);

/// In AU a day.
#[derive(Clone, Copy, Debug, PartialEq, Component, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
struct Velocity([f64; 3]);

/// In AU a day squared, at the end of the last step.
#[derive(Clone, Copy, Debug, PartialEq, Component, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
struct Acceleration([f64; 3]);

/// Gravitational constant times mass, in AU^3 a day squared.
#[derive(Clone, Copy, Debug, PartialEq, Component, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
struct Gravity(f64);

/// How the system goes on, and how far in one tick.
#[derive(Clone, Resource)]
struct Method {
    #[allow(dead_code, reason = "enters the state hash beside the step")]
    name: &'static str,
    step_days: f64,
}

/// What is integrated together: all bodies feel each other, so this is no chunk system.
type Bodies<'a> = (
    &'a mut Position,
    &'a mut Velocity,
    &'a mut Acceleration,
    &'a Gravity,
);

const ORDER_8: &str = "order8";
const LEAPFROG: &str = "leapfrog";

/// Builds the model.
///
/// # Errors
/// When a setting is not what it should be, or the start data is damaged.
pub fn build(setup: &mut Setup<'_>) -> Result<(), SetupError> {
    let names = [ORDER_8, LEAPFROG];
    let name = setup.choice("integrator", ORDER_8, &names, "how the bodies are moved on")?;
    let about = "days in a tick; 360 must be a whole number of them";
    let step_days = setup.number("step_days", STEP_DAYS, 0.0..=SPAN_DAYS, about)?;
    let steps = step_count(step_days).map_err(|error| setup.refuse("step_days", error))?;
    let state = start().map_err(SetupError::new)?;
    let gravity = gravity_parameters().map_err(SetupError::new)?;
    let mut pulls = vec![[0.0; 3]; BODIES.len()];
    accelerations(&state.positions, &gravity, &mut pulls);
    let app = setup.app();
    app.world_mut().insert_resource(Method { name, step_days });
    app.world_mut().spawn_batch((0..BODIES.len()).map(|body| {
        let (position, velocity) = (state.positions[body], state.velocities[body]);
        let pull = Acceleration(pulls[body]);
        (
            Position(position),
            Velocity(velocity),
            pull,
            Gravity(gravity[body]),
        )
    }));
    app.add_systems(FixedUpdate, go_on);
    setup.set_ticks(steps);
    setup.report_every((steps / 36).max(1));
    report(setup, steps);
    Ok(())
}

fn report(setup: &mut Setup<'_>, steps: u64) {
    setup.column("day", |world| {
        world.resource::<Time>().tick() as f64 * world.resource::<Method>().step_days
    });
    let earth = BODIES
        .iter()
        .position(|&body| body == "earthmoon")
        .unwrap_or(0);
    let mut positions = setup.app().world_mut().query::<&Position>();
    setup.column("earth-sun/AU", move |world| {
        let places = positions
            .iter(world)
            .map(|position| position.0)
            .collect::<Vec<_>>();
        distance(places[0], places[earth])
    });
    let mut bodies = setup
        .app()
        .world_mut()
        .query::<(&Position, &Velocity, &Gravity)>();
    let mut at_start = None;
    setup.column("energy error", move |world| {
        let mut columns = (Vec::new(), Vec::new(), Vec::new());
        for (position, velocity, gravity) in bodies.iter(world) {
            columns.0.push(position.0);
            columns.1.push(velocity.0);
            columns.2.push(gravity.0);
        }
        let energy = super::energy(&columns.0, &columns.1, &columns.2);
        let first = *at_start.get_or_insert(energy);
        (energy - first) / first
    });
    let positions = setup.app().world_mut().query::<&Position>();
    setup.check(Comparison {
        steps,
        positions,
        found: Vec::new(),
    });
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    let [x, y, z] = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    ((x * x + y * y) + z * z).sqrt()
}

fn go_on(mut bodies: Query<Bodies<'static>>, method: Res<Method>) {
    let integrator = if method.name == LEAPFROG {
        Integrator::Leapfrog
    } else {
        Integrator::Order8
    };
    // Ten bodies are one block, and each feels all others in it.
    bodies.for_each_chunk(|(positions, velocities, pulls, gravity)| {
        integrator.step(
            bytemuck::cast_slice_mut(positions),
            bytemuck::cast_slice_mut(velocities),
            bytemuck::cast_slice_mut(pulls),
            bytemuck::cast_slice(gravity),
            method.step_days,
        );
    });
}

/// `--check`: the answers of others at day 360.
struct Comparison {
    steps: u64,
    positions: QueryState<&'static Position>,
    found: Vec<[f64; 3]>,
}

impl cli::Check for Comparison {
    fn ticks(&self) -> u64 {
        self.steps
    }

    fn observe(&mut self, tick: u64, world: &World) {
        if tick == self.steps {
            self.found = self
                .positions
                .iter(world)
                .map(|position| position.0)
                .collect();
        }
    }

    fn verdicts(&self) -> Vec<Verdict> {
        // The files were read when the model was built; damage shows as nothing compared.
        let rows = check(&self.found).unwrap_or_default();
        let newtonian = rows.iter().map(|row| Verdict {
            what: format!("{} to the Newtonian answer, km", row.name),
            found: row.newtonian_km,
            limit: Some(row.limit_km),
            tick: self.steps,
        });
        let de421 = rows.iter().map(|row| Verdict {
            what: format!("{} to DE421, km", row.name),
            found: row.de421_km,
            limit: None,
            tick: self.steps,
        });
        newtonian.chain(de421).collect()
    }
}

#[cfg(test)]
mod tests {
    use orrery::cli::run_with;

    use super::*;

    fn run(arguments: &[&str]) -> Result<bool, String> {
        let all = ["run", "solar"]
            .iter()
            .chain(arguments)
            .map(|&argument| argument.into());
        run_with(|models| models.add("solar", "planets", build), all)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn the_check_passes_by_default_and_leapfrog_is_not_good_enough() {
        assert_eq!(run(&["--check", "--quiet"]), Ok(true));
        assert_eq!(
            run(&["--check", "--quiet", "--set", "integrator=leapfrog"]),
            Ok(false)
        );
    }

    #[test]
    fn a_step_that_does_not_divide_the_span_is_refused() {
        for step in ["0", "0.7", "361", "NaN", "-1", "0.000000001"] {
            let error = run(&["--set", &format!("step_days={step}")]).expect_err(step);
            assert!(
                error.contains("step_days") && error.contains(step),
                "{error}"
            );
        }
        let error = run(&["--set", "integrator=euler"]).expect_err("there is no euler");
        assert!(error.contains("leapfrog"), "{error}");
    }
}

//! Swarm: 100,000 boids that keep apart, keep together and fly alike.
//!
//! Craig Reynolds' three rules ("Flocks, herds and schools", SIGGRAPH 1987) on a torus: a boid
//! steers away from those too near, along with those near, and towards their middle.
//!
//! ```text
//! one tick:  sense   positions -> cell grid, all boids as columns in its order  (one thread)
//!            think   grid -> what the rules want of each boid                   (all threads)
//!            steer   velocity += (that + a whim) * dt                           (block by block)
//!            drift   position += velocity * dt, round the edge                  (block by block)
//! ```
//!
//! `think` reads what all had at the start of the tick and writes a place of its own for each
//! boid, so threads cannot change the result; its sums run in the grid's order, which is a
//! function of the positions.

mod flock;
mod look;
mod rules;

use orrery::cli::{Canvas, Setup, SetupError, View};
use orrery::ecs::QueryState;
use orrery::prelude::*;

pub use flock::Flock;
pub use rules::Rules;

/// Where a boid is, in lengths of the torus.
#[derive(Clone, Copy, Debug, PartialEq, Component, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
pub struct Position(pub Vec2);

/// Lengths a second.
#[derive(Clone, Copy, Debug, PartialEq, Component, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
pub struct Velocity(pub Vec2);

/// Boids for each unit of area; about 12 are in sight of one.
const DENSITY: f32 = 1.75;

/// The torus is as wide as a screen.
const ASPECT: f32 = 16.0 / 9.0;

/// Builds the model.
///
/// # Errors
/// When a setting is not what it should be.
pub fn build(setup: &mut Setup<'_>) -> Result<(), SetupError> {
    let boids = setup.integer("boids", 100_000, 1..=10_000_000, "how many boids")?;
    let height = (boids as f32 / DENSITY / ASPECT).sqrt().max(4.0);
    let size = Vec2::new(height * ASPECT, height);
    let rules = Rules::read(setup)?;
    let random = setup.random();
    let app = setup.app();
    let flock = Flock::new(size, rules.sight).map_err(SetupError::new)?;
    app.world_mut().insert_resource(flock);
    app.world_mut().insert_resource(Noise(random));
    app.world_mut().insert_resource(rules);
    app.world_mut()
        .spawn_batch((0..boids).map(|id| newborn(random, id, size)));
    app.add_systems(
        FixedUpdate,
        (flock::sense, flock::think, rules::steer, drift).chain(),
    );
    setup.set_ticks(600);
    setup.report_every(60);
    let mut velocities = setup.app().world_mut().query::<&Velocity>();
    setup.column("order", move |world| polarization(&mut velocities, world));
    let positions = setup.app().world_mut().query::<&Position>();
    setup.view(Sky { positions, size });
    Ok(())
}

/// Where random numbers of the run come from.
#[derive(Clone, Resource)]
#[resource(not_state)]
pub struct Noise(pub Random);

/// What random numbers are for; each has its own.
pub(crate) enum Purpose {
    Birth = 1,
    Mood = 2,
}

fn newborn(random: Random, id: u64, size: Vec2) -> (Position, Velocity) {
    let mut draws = random.at(0, id, Purpose::Birth as u32);
    let position = Vec2::new(draws.next_f32() * size.x, draws.next_f32() * size.y);
    (
        Position(position),
        Velocity(draws.unit_vec2() * rules::CRUISE),
    )
}

/// Moves a block on; a place beyond the edge is one at the other side.
fn drift(chunk: Chunk<(&mut Position, &Velocity)>, flock: Res<Flock>, time: Res<Time>) {
    let (positions, velocities) = chunk.slices();
    let dt = time.delta_seconds() as f32;
    orrery::math::kernel::axpy(positions.lanes_mut(), velocities.lanes(), dt)
        .expect("both slices have the length of the block");
    for position in positions {
        position.0 = flock.wrap(position.0);
    }
}

/// Length of the mean direction: 1 if all fly alike, near 0 if none do.
fn polarization(velocities: &mut QueryState<&Velocity>, world: &World) -> f64 {
    let (mut x, mut y, mut count) = (0.0, 0.0, 0.0);
    for velocity in velocities.iter(world) {
        let direction = velocity.0.normalize_or_zero();
        x += f64::from(direction.x);
        y += f64::from(direction.y);
        count += 1.0;
    }
    (x * x + y * y).sqrt() / count
}

struct Sky {
    positions: QueryState<&'static Position>,
    size: Vec2,
}

impl View for Sky {
    fn draw(&mut self, world: &World, canvas: &mut Canvas) {
        let scale = Vec2::new(1.0 / self.size.x, 1.0 / self.size.y);
        self.positions.view(world).for_each(|position| {
            canvas.add(position.0.x * scale.x, position.0.y * scale.y);
        });
    }
}

#[cfg(test)]
mod tests;

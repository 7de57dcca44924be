//! How a boid steers.

use orrery::cli::{Setup, SetupError};
use orrery::prelude::*;

use super::{Flock, Noise, Position, Purpose, Velocity};

/// Speed that a boid falls back to, in lengths a second.
pub(super) const CRUISE: f32 = 6.0;

/// Strengths of the three rules, and their reach.
#[derive(Clone, Debug, Resource)]
pub struct Rules {
    /// How far a boid sees, in lengths.
    pub sight: f32,
    /// Below this distance others are too near, in lengths.
    pub space: f32,
    /// Away from those too near, in 1/s^2.
    pub separation: f32,
    /// Along with those in sight, in 1/s.
    pub alignment: f32,
    /// Towards their middle, in 1/s^2.
    pub cohesion: f32,
    /// Whims, in lengths a second squared.
    pub whim: f32,
}

impl Rules {
    /// Reads the rules from a run's settings.
    ///
    /// # Errors
    /// When one is not a number of its range.
    pub fn read(setup: &mut Setup<'_>) -> Result<Self, SetupError> {
        let mut number = |key, default, highest, about| {
            setup
                .number(key, default, 0.0..=highest, about)
                .map(|value| value as f32)
        };
        let rules = Self {
            space: number("space", 0.7, 1.0, "distance that boids keep")?,
            separation: number("separation", 60.0, 1000.0, "how much they keep it")?,
            alignment: number("alignment", 3.0, 100.0, "how much they fly alike")?,
            cohesion: number("cohesion", 4.0, 1000.0, "how much they keep together")?,
            whim: number("whim", 12.0, 1000.0, "how much each does as it likes")?,
            sight: 0.0,
        };
        let sight = setup.number("sight", 1.5, 0.1..=4.0, "how far they see")? as f32;
        Ok(Self { sight, ..rules })
    }
}

/// Sums over what a boid sees, itself included.
#[derive(Default)]
struct Seen {
    count: f32,
    ways: Vec2,
    velocities: Vec2,
    crowding: Vec2,
}

/// Turns the boids of a block.
pub(super) fn steer(
    chunk: Chunk<(&Position, &mut Velocity, Entity)>,
    flock: Res<Flock>,
    rules: Res<Rules>,
    noise: Res<Noise>,
    time: Res<Time>,
) {
    let (positions, velocities, entities) = chunk.slices();
    let dt = time.delta_seconds() as f32;
    let boids = positions.iter().zip(velocities).zip(entities);
    for ((position, velocity), entity) in boids {
        let seen = look(position.0, &flock, &rules);
        let mut draws = noise
            .0
            .at(time.tick(), entity.to_bits(), Purpose::Mood as u32);
        let whim = Vec2::new(draws.next_f32() - 0.5, draws.next_f32() - 0.5) * rules.whim;
        let middle = seen.ways / seen.count;
        let drive = seen.crowding * -rules.separation
            + (seen.velocities / seen.count - velocity.0) * rules.alignment
            + middle * rules.cohesion
            + whim;
        velocity.0 = paced(velocity.0 + drive * dt, dt);
    }
}

fn look(place: Vec2, flock: &Flock, rules: &Rules) -> Seen {
    let mut seen = Seen::default();
    let space_squared = rules.space * rules.space;
    flock.for_each_near(place, rules.sight, |way, distance_squared, velocity| {
        seen.count += 1.0;
        seen.ways += way;
        seen.velocities += velocity;
        if distance_squared < space_squared {
            // Stronger the nearer; the boid itself is no way off and adds nothing.
            seen.crowding += way * (1.0 - distance_squared / space_squared);
        }
    });
    seen
}

/// Lets the speed fall back to the cruising speed, a quarter of the difference in 1/4 s.
fn paced(velocity: Vec2, dt: f32) -> Vec2 {
    let speed = velocity.length();
    if speed > 0.0 {
        let wanted = speed + (CRUISE - speed) * (4.0 * dt).min(1.0);
        velocity * (wanted / speed)
    } else {
        velocity
    }
}

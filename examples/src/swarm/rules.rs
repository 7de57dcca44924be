//! How a boid steers.

use orrery::cli::{Setup, SetupError};
use orrery::prelude::*;

use super::look::Seen;
use super::{Flock, Noise, Purpose, Velocity};

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
            space: number("space", 0.9, 4.0, "distance that boids keep")?,
            separation: number("separation", 100.0, 1000.0, "how much they keep it")?,
            alignment: number("alignment", 3.0, 100.0, "how much they fly alike")?,
            cohesion: number("cohesion", 2.0, 1000.0, "how much they keep together")?,
            whim: number("whim", 12.0, 1000.0, "how much each does as it likes")?,
            sight: 0.0,
        };
        let sight = setup.number("sight", 1.5, 0.1..=4.0, "how far they see")? as f32;
        Ok(Self { sight, ..rules })
    }

    /// What they want of a boid, in lengths a second squared.
    #[inline]
    pub(super) fn drive(&self, seen: &Seen, velocity: Vec2) -> Vec2 {
        // A boid sees at least itself; one that is nowhere sees nobody.
        let share = if seen.count > 0.0 {
            1.0 / seen.count
        } else {
            0.0
        };
        seen.crowding * -self.separation
            + (seen.velocity * share - velocity) * self.alignment
            + seen.way * (share * self.cohesion)
    }
}

/// Turns the boids of a block.
pub(super) fn steer(
    chunk: Chunk<(&mut Velocity, Entity)>,
    flock: Res<Flock>,
    rules: Res<Rules>,
    noise: Res<Noise>,
    time: Res<Time>,
) {
    let first = chunk.first_row();
    let (velocities, entities) = chunk.slices();
    let dt = time.delta_seconds() as f32;
    let whims = noise.0.stream(time.tick(), Purpose::Mood as u32);
    for (index, (velocity, entity)) in (first..).zip(velocities.iter_mut().zip(entities)) {
        let mut draws = whims.at(entity.to_bits());
        let whim = Vec2::new(draws.next_f32() - 0.5, draws.next_f32() - 0.5) * rules.whim;
        velocity.0 = paced(velocity.0 + (flock.drive(index) + whim) * dt, dt);
    }
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

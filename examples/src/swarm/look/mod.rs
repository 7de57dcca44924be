//! What a boid sees: sums over a run of others, eight at a time.
//!
//! `scalar.rs` is the definition: others go to lane `i % 8` of the sums, in order; `avx2.rs` does
//! the same operations on all lanes at once. Lanes behind the end of a run add zero on both.

mod avx2;
mod scalar;
#[cfg(test)]
mod tests;

use orrery::math::Vec2;
use orrery::math::simd::Level;

/// Lanes of the sums, and how far columns must reach behind the end of a run.
pub(super) const LANES: usize = 8;

/// A place on a torus that looks around.
#[derive(Clone, Copy, Debug)]
pub(super) struct Eye {
    pub(super) place: [f32; 2],
    /// Edges of the torus.
    pub(super) size: [f32; 2],
    /// Square of the reach.
    pub(super) sight_squared: f32,
    /// One over the square of the distance below which others are too near.
    pub(super) space_inverse: f32,
}

/// Sorted boids as columns; each slice may be longer than the run.
#[derive(Clone, Copy)]
pub(super) struct Others<'a> {
    pub(super) x: &'a [f32],
    pub(super) y: &'a [f32],
    pub(super) u: &'a [f32],
    pub(super) v: &'a [f32],
}

impl<'a> Others<'a> {
    fn run(self, start: usize, padded: usize) -> Self {
        let part = |column: &'a [f32]| &column[start..start + padded];
        Others {
            x: part(self.x),
            y: part(self.y),
            u: part(self.u),
            v: part(self.v),
        }
    }
}

/// Sums by lane: count, ways to the others, their velocities, ways weighted by nearness.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Lanes {
    pub(super) count: [f32; LANES],
    pub(super) way: [[f32; LANES]; 2],
    pub(super) velocity: [[f32; LANES]; 2],
    pub(super) crowding: [[f32; LANES]; 2],
}

/// The sums of all lanes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    pub(super) count: f32,
    pub(super) way: Vec2,
    pub(super) velocity: Vec2,
    pub(super) crowding: Vec2,
}

impl Lanes {
    /// Adds those of `start..end` that are in sight. Columns reach 7 places behind `end`.
    #[inline]
    pub(super) fn add(
        &mut self,
        level: Level,
        eye: &Eye,
        others: Others<'_>,
        start: usize,
        end: usize,
    ) {
        let length = end - start;
        let run = others.run(start, length.next_multiple_of(LANES));
        match level {
            Level::Scalar => scalar::add(self, eye, run, length),
            Level::Avx2(token) => avx2::add(token, self, eye, run, length),
        }
    }

    pub(super) fn total(&self) -> Seen {
        let sum = |lanes: &[f32; LANES]| {
            let [a, b, c, d, e, f, g, h] = *lanes;
            ((a + e) + (b + f)) + ((c + g) + (d + h))
        };
        let pair = |lanes: &[[f32; LANES]; 2]| Vec2::new(sum(&lanes[0]), sum(&lanes[1]));
        Seen {
            count: sum(&self.count),
            way: pair(&self.way),
            velocity: pair(&self.velocity),
            crowding: pair(&self.crowding),
        }
    }
}

//! What a boid sees: sums over runs of others, eight at a time.
//!
//! `scalar.rs` is the definition: the others of a run go to lane `i % 8` of the sums, in order,
//! and the lanes are added up in a fixed order at the end; `avx2.rs` does the same operations on
//! all lanes at once. Lanes behind the end of a run add zero on both.

mod avx2;
mod scalar;
#[cfg(test)]
mod tests;

use std::ops::Range;

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

/// Sorted boids as columns, each at least `LANES - 1` longer than the last run.
#[derive(Clone, Copy)]
pub(super) struct Others<'a> {
    pub(super) x: &'a [f32],
    pub(super) y: &'a [f32],
    pub(super) u: &'a [f32],
    pub(super) v: &'a [f32],
}

impl<'a> Others<'a> {
    /// A run, filled up to whole groups of lanes.
    #[inline]
    fn run(self, run: &Range<usize>) -> Self {
        let end = run.start + run.len().next_multiple_of(LANES);
        let part = |column: &'a [f32]| &column[run.start..end];
        Others {
            x: part(self.x),
            y: part(self.y),
            u: part(self.u),
            v: part(self.v),
        }
    }
}

/// Sums over all that are in sight.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    pub(super) count: f32,
    /// Ways to them.
    pub(super) way: Vec2,
    pub(super) velocity: Vec2,
    /// Ways to those too near, the nearer the more.
    pub(super) crowding: Vec2,
}

/// The sums in the order in which the kernels give them.
type Sums = [f32; LANES];

/// Sums over those in sight in the given runs of places.
#[inline]
pub(super) fn look(level: Level, eye: &Eye, others: Others<'_>, runs: &[Range<usize>]) -> Seen {
    let sums: Sums = match level {
        Level::Scalar => scalar::look(eye, others, runs),
        Level::Avx2(token) => avx2::look(token, eye, others, runs),
    };
    let [
        count,
        way_x,
        way_y,
        velocity_x,
        velocity_y,
        crowding_x,
        crowding_y,
        _,
    ] = sums;
    Seen {
        count,
        way: Vec2::new(way_x, way_y),
        velocity: Vec2::new(velocity_x, velocity_y),
        crowding: Vec2::new(crowding_x, crowding_y),
    }
}

//! Who is near whom: all boids in the order of a cell grid.

use orrery::prelude::*;
use orrery::spatial::{CellGrid2, GridError};

use super::{Position, Velocity};

/// Positions and velocities at the start of the tick, sorted by cell. A cache of the state.
#[derive(Clone, Resource)]
#[resource(not_state)]
pub struct Flock {
    grid: CellGrid2,
    size: Vec2,
    positions: Vec<[f32; 2]>,
    unsorted: Vec<Vec2>,
    velocities: Vec<Vec2>,
}

impl Flock {
    /// An empty flock on a torus, whose boids see as far as `sight`.
    ///
    /// # Errors
    /// When the torus has no grid: a size or sight that is not above zero, or far too many cells.
    pub fn new(size: Vec2, sight: f32) -> Result<Self, GridError> {
        let grid = CellGrid2::new([0.0; 2], size.to_array(), sight)?.periodic();
        let (positions, unsorted, velocities) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Self {
            grid,
            size,
            positions,
            unsorted,
            velocities,
        })
    }

    /// The place on the torus; what is no number stays so.
    #[inline]
    pub fn wrap(&self, place: Vec2) -> Vec2 {
        let wrap = |x: f32, length: f32| {
            let inside = if x < 0.0 { x + length } else { x };
            // A tiny negative number plus the length rounds up to the length itself.
            if inside >= length {
                (inside - length).max(0.0)
            } else {
                inside
            }
        };
        Vec2::new(wrap(place.x, self.size.x), wrap(place.y, self.size.y))
    }

    /// The shorter way round from `a` to `b`.
    #[inline]
    fn way(&self, a: Vec2, b: [f32; 2]) -> Vec2 {
        let shorter = |d: f32, length: f32| {
            let half = 0.5 * length;
            let d = if d > half { d - length } else { d };
            if d < -half { d + length } else { d }
        };
        Vec2::new(
            shorter(b[0] - a.x, self.size.x),
            shorter(b[1] - a.y, self.size.y),
        )
    }

    /// Calls `each` with way, squared distance and velocity of every boid within `sight`, the one
    /// at the place itself included, in the grid's order.
    #[inline]
    pub fn for_each_near(&self, place: Vec2, sight: f32, mut each: impl FnMut(Vec2, f32, Vec2)) {
        let sight_squared = sight * sight;
        self.grid.for_each_run(place.to_array(), sight, |run| {
            let positions = &self.grid.sorted_positions()[run.clone()];
            for (&other, &velocity) in positions.iter().zip(&self.velocities[run]) {
                let way = self.way(place, other);
                let distance_squared = way.length_squared();
                if distance_squared <= sight_squared {
                    each(way, distance_squared, velocity);
                }
            }
        });
    }
}

/// Sorts all boids into the grid.
pub(super) fn sense(mut boids: Query<(&Position, &Velocity)>, mut flock: ResMut<Flock>) {
    let flock = &mut *flock;
    flock.positions.clear();
    flock.unsorted.clear();
    boids.for_each_chunk(|(positions, velocities)| {
        flock
            .positions
            .extend_from_slice(bytemuck::cast_slice(positions));
        flock
            .unsorted
            .extend_from_slice(bytemuck::cast_slice(velocities));
    });
    flock.grid.rebuild(&flock.positions);
    let unsorted = &flock.unsorted;
    flock.velocities.clear();
    flock.velocities.extend(
        flock
            .grid
            .order()
            .iter()
            .map(|&index| unsorted[index as usize]),
    );
}

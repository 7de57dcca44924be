//! Who is near whom: all boids in the order of a cell grid.

use orrery::math::simd::Level;
use orrery::prelude::*;
use orrery::spatial::{CellGrid2, GridError};

use super::look::{Eye, LANES, Lanes, Others, Seen};
use super::{Position, Rules, Velocity};

/// Positions and velocities at the start of the tick, sorted by cell. A cache of the state.
#[derive(Clone, Resource)]
#[resource(not_state)]
pub struct Flock {
    grid: CellGrid2,
    size: Vec2,
    positions: Vec<[f32; 2]>,
    velocities: Vec<Vec2>,
    /// Sorted, as columns: place and velocity.
    columns: [Vec<f32>; 4],
    /// Sorted: what the rules want of each boid, in lengths a second squared.
    drives: Vec<Vec2>,
    /// Place in the order of each boid.
    ranks: Vec<u32>,
}

impl Flock {
    /// An empty flock on a torus, whose boids see as far as `sight`.
    ///
    /// # Errors
    /// When the torus has no grid: a size or sight that is not above zero, or far too many cells.
    pub fn new(size: Vec2, sight: f32) -> Result<Self, GridError> {
        let grid = CellGrid2::new([0.0; 2], size.to_array(), sight)?.periodic();
        Ok(Self {
            grid,
            size,
            positions: Vec::new(),
            velocities: Vec::new(),
            columns: Default::default(),
            drives: Vec::new(),
            ranks: Vec::new(),
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

    /// What the rules want of boid number `index`, in lengths a second squared.
    #[inline]
    pub(super) fn drive(&self, index: usize) -> Vec2 {
        self.drives[self.ranks[index] as usize]
    }

    /// What is seen from a place, the boid there included.
    #[inline]
    fn look(&self, level: Level, eye: &Eye, sight: f32) -> Seen {
        let [x, y, u, v] = &self.columns;
        let others = Others { x, y, u, v };
        let mut sums = Lanes::default();
        self.grid.for_each_run(eye.place, sight, |run| {
            sums.add(level, eye, others, run.start, run.end);
        });
        sums.total()
    }
}

/// Sorts all boids into the grid.
pub(super) fn sense(mut boids: Query<(&Position, &Velocity)>, mut flock: ResMut<Flock>) {
    let flock = &mut *flock;
    flock.positions.clear();
    flock.velocities.clear();
    boids.for_each_chunk(|(positions, velocities)| {
        flock
            .positions
            .extend_from_slice(bytemuck::cast_slice(positions));
        flock
            .velocities
            .extend_from_slice(bytemuck::cast_slice(velocities));
    });
    flock.grid.rebuild(&flock.positions);
    let (grid, velocities) = (&flock.grid, &flock.velocities);
    let [x, y, u, v] = &mut flock.columns;
    let places = || grid.sorted_positions().iter();
    let speeds = || grid.order().iter().map(|&index| velocities[index as usize]);
    fill(x, places().map(|place| place[0]));
    fill(y, places().map(|place| place[1]));
    fill(u, speeds().map(|velocity| velocity.x));
    fill(v, speeds().map(|velocity| velocity.y));
    flock.ranks.resize(flock.positions.len(), 0);
    for (rank, &index) in (0..).zip(flock.grid.order()) {
        flock.ranks[index as usize] = rank;
    }
}

/// Boids that a thread takes at once.
const TAKEN: usize = 512;

/// Applies the rules to all boids in the grid's order, where those near each other are near in
/// memory.
pub(super) fn think(mut flock: ResMut<Flock>, rules: Res<Rules>, workers: Res<Workers>) {
    let mut drives = std::mem::take(&mut flock.drives);
    drives.resize(flock.positions.len(), Vec2::ZERO);
    let (flock_now, level) = (&*flock, Level::current());
    let [x, y, u, v] = &flock_now.columns;
    workers.chunks_mut(&mut drives, TAKEN, &|chunk, drives| {
        for (place, drive) in (chunk * TAKEN..).zip(drives) {
            let eye = Eye {
                place: [x[place], y[place]],
                size: flock_now.size.to_array(),
                sight_squared: rules.sight * rules.sight,
                space_inverse: 1.0 / (rules.space * rules.space),
            };
            let seen = flock_now.look(level, &eye, rules.sight);
            *drive = rules.drive(&seen, Vec2::new(u[place], v[place]));
        }
    });
    flock.drives = drives;
}

/// Refills a column, with room for the lanes behind the end of the last run.
fn fill(column: &mut Vec<f32>, values: impl Iterator<Item = f32>) {
    column.clear();
    column.extend(values);
    column.resize(column.len() + LANES, 0.0);
}

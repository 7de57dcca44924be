//! Who is near whom: all boids in the order of a cell grid.

use std::ops::Range;

use orrery::math::simd::Level;
use orrery::prelude::*;
use orrery::spatial::{CellGrid2, GridError};
use smallvec::SmallVec;

use super::look::{Eye, LANES, Others, look};
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
        // A boid that is nowhere has no place in the grid, and nobody wants anything of it.
        self.drives
            .get(self.ranks[index] as usize)
            .copied()
            .unwrap_or(Vec2::ZERO)
    }
}

/// Runs of sorted places that those in one cell may see into: three rows of three cells, each in
/// two parts where it crosses the edge. A cell is at least as long as a boid sees.
struct Runs<'a> {
    grid: &'a CellGrid2,
    cell: usize,
    runs: SmallVec<[Range<usize>; 6]>,
}

impl<'a> Runs<'a> {
    /// The runs around the cell of a sorted place.
    fn at(grid: &'a CellGrid2, place: usize) -> Self {
        let cell = grid
            .starts()
            .partition_point(|&start| start as usize <= place)
            - 1;
        let mut runs = Self {
            grid,
            cell,
            runs: SmallVec::new(),
        };
        runs.fill();
        runs
    }

    /// Goes on to the cell of a later place.
    #[inline]
    fn advance(&mut self, place: usize) {
        let starts = self.grid.starts();
        if place >= starts[self.cell + 1] as usize {
            while place >= starts[self.cell + 1] as usize {
                self.cell += 1;
            }
            self.fill();
        }
    }

    fn fill(&mut self) {
        self.runs.clear();
        let [width, height] = self.grid.dimensions();
        let (column, row) = (self.cell % width, self.cell / width);
        for row in near(row, height).into_iter().flatten() {
            for columns in near(column, width).into_iter().flatten() {
                for row in row.clone() {
                    let (first, last) = (row * width + columns.start, row * width + columns.end);
                    let starts = self.grid.starts();
                    self.runs
                        .push(starts[first] as usize..starts[last] as usize);
                }
            }
        }
    }
}

/// The places next to one on a ring, itself included and none twice, as one or two ranges.
fn near(place: usize, length: usize) -> [Option<Range<usize>>; 2] {
    if length <= 3 {
        return [Some(0..length), None];
    }
    match place {
        0 => [Some(length - 1..length), Some(0..2)],
        place if place + 1 == length => [Some(place - 1..length), Some(0..1)],
        place => [Some(place - 1..place + 2), None],
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
    flock.ranks.clear();
    flock.ranks.resize(flock.positions.len(), u32::MAX);
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
    drives.resize(flock.grid.order().len(), Vec2::ZERO);
    let (flock_now, level) = (&*flock, Level::current());
    let [x, y, u, v] = &flock_now.columns;
    let others = Others { x, y, u, v };
    workers.chunks_mut(&mut drives, TAKEN, &|chunk, drives| {
        let mut runs = Runs::at(&flock_now.grid, chunk * TAKEN);
        for (place, drive) in (chunk * TAKEN..).zip(drives) {
            let eye = Eye {
                place: [x[place], y[place]],
                size: flock_now.size.to_array(),
                sight_squared: rules.sight * rules.sight,
                space_inverse: 1.0 / (rules.space * rules.space),
            };
            runs.advance(place);
            let seen = look(level, &eye, others, &runs.runs);
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

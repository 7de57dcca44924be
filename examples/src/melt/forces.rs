//! Forces on all atoms of a periodic cube, by neighbour lists that are never stale.
//!
//! ```text
//! load: positions in user order --> moved atoms? --yes--> sort into cells, build lists
//!                                        |                            |
//!                                        v                            v
//!                        places of all points (atoms and images), by cell
//!                                        |  chunks of 256 atoms, in parallel
//!                                        v
//! store: forces, energies, virials in user order <-- results by rank
//! ```
//! A list holds all points within cut-off plus skin of an atom. It is built anew as soon as any
//! atom has moved more than half the skin since, so no pair within the cut-off is ever missed.
//!
//! **State.** The order in which an atom's forces are summed depends on the positions at the
//! last build, the *anchors*. A program that saves and restores, forks or replays must keep them
//! as state: read [`Forces::anchors`] after each rebuild and hand them to
//! [`Forces::restore_anchors`] when they differ. Everything else here is a cache.
//!
//! Nothing allocates per step once the buffers have grown to size.

use std::sync::{Mutex, PoisonError};

use orrery::ecs::BlockRunner;
use orrery_math::simd::Level;

use super::MeltError;
use super::cells::Cells;
use super::filter;
use super::force::{AtomForce, DUMMY, Pair, Place};
use super::lattice::dot;
use super::neighbors::{CHUNK, Chunk};
use super::parallel::{for_each_piece, with_lock};

/// Cut-off of the benchmark, in sigma.
pub const CUTOFF: f64 = 2.5;

/// Skin of the benchmark, in sigma; 0.25 to 0.4 are equally fast within 10 %.
pub const SKIN: f64 = 0.3;

/// Most atoms and images together: about 1 GB of lists.
const POINTS_MAX: f64 = 16_777_216.0;

/// Longest box and cut-off, in sigma: the dummy point must stay outside.
const LENGTH_MAX: f64 = 1e6;
const _: () = assert!(DUMMY[0] > 100.0 * LENGTH_MAX);

/// What a call of [`Forces::compute`] must deliver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Forces; energies and virials read as 0 afterwards.
    Forces,
    /// Forces, energies and virials. The forces have the same bits as without.
    All,
}

/// Computes Lennard-Jones forces on the atoms of a periodic cube.
#[derive(Debug)]
pub struct Forces {
    level: Level,
    pub(super) pair: Pair,
    box_length: f64,
    /// Square of the radius of the lists, and of the way an atom may move before a rebuild.
    list_squared: f32,
    allowed_squared: f64,
    pub(super) cells: Cells,
    /// Positions in user order: as loaded, at the last build, and as loaded but on the same
    /// side of the periodic border as at the last build.
    positions: Vec<[f64; 3]>,
    anchors: Vec<[f64; 3]>,
    unwrapped: Vec<[f64; 3]>,
    /// Points by cell, then the dummy.
    places: Vec<Place>,
    /// The same points at the last build, as columns for the filter.
    columns: [Vec<f32>; 3],
    /// By rank. A mutex is locked by one thread per pass, to make the parallel writes safe code.
    chunks: Vec<Mutex<Chunk>>,
    /// Results by chunk and rank, taken out of the mutexes so that reading needs no lock.
    results: Vec<Vec<AtomForce>>,
    rebuilds: u64,
}

impl Forces {
    /// Prepares for `atoms` atoms in a cube with edge `box_length`, cut-off and skin in sigma.
    ///
    /// The cut-off may exceed half the box: an atom then feels several images of another.
    ///
    /// # Errors
    /// [`MeltError::Length`] if a length is not positive, is above 1e6, or the cut-off or skin is
    /// so long that each atom would need too many images.
    pub fn new(
        level: Level,
        atoms: usize,
        box_length: f64,
        cutoff: f64,
        skin: f64,
    ) -> Result<Self, MeltError> {
        for (name, value) in [
            ("box length", box_length),
            ("cut-off", cutoff),
            ("skin", skin),
        ] {
            let fits = value > 0.0 && value <= 16.0 * box_length && value <= LENGTH_MAX;
            if !fits {
                return Err(MeltError::Length { name, value });
            }
        }
        let radius = cutoff + skin;
        let padded = filter::padded_radius(radius, 2.0 * (box_length + radius));
        let cells = Cells::new(box_length, radius, atoms);
        if cells.expected_points(atoms) > POINTS_MAX {
            return Err(MeltError::Length {
                name: "cut-off",
                value: cutoff,
            });
        }
        Ok(Self {
            level,
            pair: Pair::new(cutoff),
            box_length,
            list_squared: padded * padded,
            allowed_squared: (0.5 * skin) * (0.5 * skin),
            cells,
            positions: vec![[0.0; 3]; atoms],
            anchors: Vec::new(),
            unwrapped: vec![[0.0; 3]; atoms],
            places: Vec::new(),
            columns: Default::default(),
            chunks: (0..atoms.div_ceil(CHUNK))
                .map(|_| Mutex::default())
                .collect(),
            results: vec![Vec::new(); atoms.div_ceil(CHUNK)],
            rebuilds: 0,
        })
    }

    /// Copies in the positions of the atoms from number `first` on, wrapped into the box.
    ///
    /// # Panics
    /// If there are more than the atoms this was made for.
    pub fn load(&mut self, first: usize, positions: &[[f64; 3]]) {
        self.positions[first..first + positions.len()].copy_from_slice(positions);
    }

    /// Computes the forces at the loaded positions; returns whether the lists were rebuilt,
    /// that is whether the anchors are new.
    ///
    /// # Errors
    /// When the lists must be rebuilt, [`MeltError::OutsideBox`] if an atom is not in the box and
    /// [`MeltError::Crowded`] if an atom has far too many others around it.
    ///
    /// # Cost
    /// Per atom about 76 pairs; every eighth step or so a rebuild that costs as much as three
    /// steps. No allocation once warm.
    pub fn compute(
        &mut self,
        parallel: &dyn BlockRunner,
        detail: Detail,
    ) -> Result<bool, MeltError> {
        let stale = self.anchors.len() != self.positions.len() || self.moved_too_far(parallel);
        if stale {
            let positions = std::mem::take(&mut self.positions);
            let result = self.build(parallel, &positions);
            self.positions = positions;
            result?;
            self.unwrapped.copy_from_slice(&self.positions);
        }
        self.fill_places(parallel);
        self.swap_results();
        let (level, pair, places) = (self.level, &self.pair, &self.places);
        let chunks = &self.chunks;
        parallel.for_each(chunks.len(), &|index| {
            with_lock(&chunks[index], |chunk| {
                chunk.compute(level, pair, places, detail == Detail::All);
            });
        });
        self.swap_results();
        Ok(stale)
    }

    /// Copies out the forces on the atoms from number `first` on, in epsilon per sigma.
    ///
    /// # Panics
    /// If there are more than the atoms this was made for.
    pub fn store_forces(&self, first: usize, forces: &mut [[f64; 3]]) {
        self.for_results(first, forces.len(), |index, result| {
            forces[index] = result.force
        });
    }

    /// Copies out the potential energies (half of each pair's) and virials (half of each pair's
    /// r.f) of the atoms from number `first` on, in epsilon.
    ///
    /// # Panics
    /// If there are more than the atoms this was made for, or the slices differ in length.
    pub fn store_energies(&self, first: usize, energies: &mut [f64], virials: &mut [f64]) {
        assert_eq!(energies.len(), virials.len(), "one virial for each energy");
        self.for_results(first, energies.len(), |index, result| {
            energies[index] = result.energy;
            virials[index] = result.virial;
        });
    }

    /// Returns the positions at the last rebuild, in user order; empty before the first.
    pub fn anchors(&self) -> &[[f64; 3]] {
        &self.anchors
    }

    /// Rebuilds the lists as they were built at `anchors`, unless they are already so.
    ///
    /// # Errors
    /// [`MeltError::OutsideBox`] if an anchor is not in the box, [`MeltError::Crowded`] if one has
    /// far too many others around it; the next [`Forces::compute`] then rebuilds from the
    /// positions.
    ///
    /// # Panics
    /// If there is not one anchor for each atom.
    pub fn restore_anchors(
        &mut self,
        parallel: &dyn BlockRunner,
        anchors: &[[f64; 3]],
    ) -> Result<(), MeltError> {
        assert_eq!(
            anchors.len(),
            self.positions.len(),
            "one anchor for each atom"
        );
        if self.anchors == anchors {
            Ok(())
        } else {
            self.build(parallel, anchors)
        }
    }

    /// Returns how often the lists were built, and how many neighbours they hold, padding
    /// included.
    pub fn list_counts(&self) -> (u64, usize) {
        let listed = |chunk: &Mutex<Chunk>| with_lock(chunk, |chunk| chunk.listed());
        (self.rebuilds, self.chunks.iter().map(listed).sum())
    }

    /// Undoes the wrapping since the last build and returns whether any atom moved more than
    /// half the skin.
    fn moved_too_far(&mut self, parallel: &dyn BlockRunner) -> bool {
        use std::sync::atomic::{AtomicBool, Ordering};
        let (positions, anchors) = (&self.positions, &self.anchors);
        let (box_length, allowed) = (self.box_length, self.allowed_squared);
        let far = AtomicBool::new(false);
        for_each_piece(parallel, &mut self.unwrapped, &|first, piece| {
            let end = first + piece.len();
            let mut piece_far = false;
            let now_and_then = positions[first..end].iter().zip(&anchors[first..end]);
            for (out, (now, then)) in piece.iter_mut().zip(now_and_then) {
                *out = std::array::from_fn(|axis| unwrap(now[axis], then[axis], box_length));
                let way = std::array::from_fn(|axis| out[axis] - then[axis]);
                // Written so that a way that is not a number counts as too far.
                let near = dot(way, way) <= allowed;
                piece_far |= !near;
            }
            // Relaxed: only the value counts, and `for_each` returns after all pieces.
            far.fetch_or(piece_far, Ordering::Relaxed);
        });
        far.into_inner()
    }

    /// Builds cells and lists for atoms at `anchors`.
    fn build(&mut self, parallel: &dyn BlockRunner, anchors: &[[f64; 3]]) -> Result<(), MeltError> {
        let inside = 0.0..self.box_length;
        let outside = |place: &[f64; 3]| !place.iter().all(|value| inside.contains(value));
        self.anchors.clear();
        if let Some(atom) = anchors.iter().position(outside) {
            return Err(MeltError::OutsideBox {
                atom,
                position: anchors[atom],
            });
        }
        self.anchors.extend_from_slice(anchors);
        self.unwrapped.copy_from_slice(anchors);
        self.cells.sort(anchors);
        self.places.clear();
        self.places.resize(self.cells.points.len() + 1, DUMMY);
        self.fill_places(parallel);
        let points = self.places.len() - 1;
        for (axis, column) in self.columns.iter_mut().enumerate() {
            column.clear();
            column.extend(self.places[..points].iter().map(|place| place[axis] as f32));
            column.extend([0.0; filter::SLACK]);
        }
        self.rebuilds += 1;
        let (level, cells, columns) = (self.level, &self.cells, &self.columns);
        let (chunks, radius_squared) = (&self.chunks, self.list_squared);
        parallel.for_each(chunks.len(), &|index| {
            with_lock(&chunks[index], |chunk| {
                chunk.build(level, cells, columns, index * CHUNK, radius_squared);
            });
        });
        // The first one by rank, whichever thread found it.
        let crowded = chunks
            .iter()
            .find_map(|chunk| with_lock(chunk, |chunk| chunk.crowded));
        if let Some(point) = crowded {
            self.anchors.clear();
            let atom = self.cells.points[point as usize].atom as usize;
            return Err(MeltError::Crowded { atom });
        }
        Ok(())
    }

    /// Writes the current place of each point; the dummy after the last one stays.
    fn fill_places(&mut self, parallel: &dyn BlockRunner) {
        let (points, unwrapped, box_length) =
            (&self.cells.points, &self.unwrapped, self.box_length);
        for_each_piece(
            parallel,
            &mut self.places[..points.len()],
            &|first, piece| {
                for (place, point) in piece.iter_mut().zip(&points[first..]) {
                    let [x, y, z] = unwrapped[point.atom as usize];
                    let [shift_x, shift_y, shift_z] =
                        point.shift.map(|boxes| f64::from(boxes) * box_length);
                    *place = [x + shift_x, y + shift_y, z + shift_z, 0.0];
                }
            },
        );
    }

    /// Hands the buffers of results to the chunks, or takes them back.
    fn swap_results(&mut self) {
        for (chunk, results) in self.chunks.iter_mut().zip(&mut self.results) {
            let chunk = chunk.get_mut().unwrap_or_else(PoisonError::into_inner);
            std::mem::swap(&mut chunk.results, results);
        }
    }

    /// Calls `body(index, result)` for `count` atoms from number `first` on.
    fn for_results(&self, first: usize, count: usize, mut body: impl FnMut(usize, &AtomForce)) {
        for (index, &rank) in self.cells.ranks[first..first + count].iter().enumerate() {
            body(
                index,
                &self.results[rank as usize / CHUNK][rank as usize % CHUNK],
            );
        }
    }
}

/// Returns `now`, moved by one box edge if it was wrapped since it was at `then`.
fn unwrap(now: f64, then: f64, box_length: f64) -> f64 {
    let way = now - then;
    if way > 0.5 * box_length {
        now - box_length
    } else if way < -0.5 * box_length {
        now + box_length
    } else {
        now
    }
}

//! Neighbour lists of a chunk of atoms, and the forces that come out of them.
//!
//! A chunk is [`CHUNK`] consecutive real points, so its atoms are close in space. It owns its
//! lists and its results: whichever thread works on it writes nothing else, which makes the
//! parallel loops safe code without a copy.

use orrery_math::simd::Level;

use super::cells::{Cells, Run};
use super::filter;
use super::force::{self, AtomForce, Batch, Pair, Place};

/// Atoms in a chunk: a few 10 us of work, against 0.1 us to hand it over.
pub(super) const CHUNK: usize = 256;

/// The lists and results of the atoms of one chunk.
#[derive(Clone, Debug, Default)]
pub(super) struct Chunk {
    /// Real points of the chunk.
    atoms: Vec<u32>,
    /// For each atom the end of its groups.
    ends: Vec<u32>,
    /// Neighbours; each atom's list is padded to whole groups with the dummy point. Longer than
    /// needed after a build, so that the filter has room to write.
    indices: Vec<u32>,
    /// Candidates of the current atom; scratch.
    runs: Vec<Run>,
    /// A point with more candidates than any sound state has; the lists are then incomplete.
    pub(super) crowded: Option<u32>,
    /// Results by rank within the chunk; here only while they are computed.
    pub(super) results: Vec<AtomForce>,
}

impl Chunk {
    /// Builds the lists of the real points with ranks from `first` on: all points with a squared
    /// distance below `radius_squared`.
    pub(super) fn build(
        &mut self,
        level: Level,
        cells: &Cells,
        columns: &[Vec<f32>; 3],
        first: usize,
        radius_squared: f32,
    ) {
        let ranks = first..cells.real_points.len().min(first + CHUNK);
        self.atoms.clear();
        self.atoms
            .extend_from_slice(&cells.real_points[ranks.clone()]);
        self.ends.clear();
        self.crowded = None;
        let candidates_max = cells.candidates_max(cells.real_points.len());
        let mut used = 0;
        for rank in ranks {
            let index = cells.real_points[rank];
            cells.runs_around(rank, &mut self.runs);
            let candidates: u32 = self.runs.iter().map(|[first, end]| end - first).sum();
            if candidates > candidates_max {
                self.crowded = Some(index);
                return;
            }
            // Padding included; grows to the largest list seen and then stays.
            let needed = used + candidates as usize + filter::SLACK + 4;
            if self.indices.len() < needed {
                self.indices.resize(needed, 0);
            }
            let place = std::array::from_fn(|axis| columns[axis][index as usize]);
            let list = &mut self.indices[used..];
            let count = filter::filter(level, columns, place, radius_squared, &self.runs, list);
            let padded = count.next_multiple_of(4);
            // The dummy is the point after the last one.
            list[count..padded].fill(cells.points.len() as u32);
            used += padded;
            self.ends.push((used / 4) as u32);
        }
    }

    /// Computes the results of all atoms of the chunk.
    pub(super) fn compute(&mut self, level: Level, pair: &Pair, places: &[Place], energy: bool) {
        self.results.resize(self.atoms.len(), AtomForce::default());
        let (groups, _) = self.indices.as_chunks::<4>();
        let batch = Batch {
            places,
            atoms: &self.atoms,
            ends: &self.ends,
            groups,
        };
        if energy {
            force::forces::<true>(level, pair, &batch, &mut self.results);
        } else {
            force::forces::<false>(level, pair, &batch, &mut self.results);
        }
    }

    /// Returns the number of listed neighbours, padding included.
    pub(super) fn listed(&self) -> usize {
        4 * self.ends.last().map_or(0, |&end| end as usize)
    }
}

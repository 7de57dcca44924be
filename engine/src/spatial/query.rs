//! Who is near: runs of candidates for hot loops, exact neighbours for the rest.

use std::ops::Range;

use super::grid::CellGrid;
use super::layout::{Layout, is_finite};

/// A point found near another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbour<const D: usize> {
    /// The index of the point among the positions given to the rebuild.
    pub index: u32,
    /// Its position, wrapped if the grid is periodic.
    pub position: [f32; D],
    /// The way from the query's point to it; the shorter way round if the grid is periodic.
    pub offset: [f32; D],
    /// The squared length of `offset`, summed in the order of the axes.
    pub distance_squared: f32,
}

impl<const D: usize> CellGrid<D> {
    /// Calls `visit` for each point at most `radius` away from `point`, itself included.
    ///
    /// Exactly the points whose `distance_squared <= radius * radius` in f32, each once, in an
    /// order that depends only on the grid and the query's cell: by rows of cells, along a row,
    /// by input index within a cell. A point or radius that is not a number, or a negative
    /// radius, has no neighbours.
    ///
    /// # Cost
    /// About 5 ns a candidate where a third of them are near, nearly all of it for branches that
    /// nobody can foresee (AMD EPYC, Zen 3). A loop that can do without the branch, adding zero
    /// for who is too far, is several times faster over [`Self::for_each_run`].
    pub fn for_each_neighbour(
        &self,
        point: [f32; D],
        radius: f32,
        mut visit: impl FnMut(Neighbour<D>),
    ) {
        let center = self.layout.wrap(point);
        let radius_squared = radius * radius;
        self.for_each_run(point, radius, |run| {
            let candidates = self.order[run.clone()].iter().zip(&self.sorted[run]);
            for (&index, &position) in candidates {
                let offset = self.layout.offset(&center, &position);
                let mut distance_squared = 0.0;
                for part in offset {
                    distance_squared += part * part;
                }
                if distance_squared <= radius_squared {
                    visit(Neighbour {
                        index,
                        position,
                        offset,
                        distance_squared,
                    });
                }
            }
        });
    }

    /// Calls `visit` with runs of sorted places that hold every point within `radius` of `point`,
    /// and others near: a hot loop goes over [`Self::sorted_positions`] of a run and judges the
    /// distance itself. Runs are not empty and do not overlap; their order is that of
    /// [`Self::for_each_neighbour`].
    pub fn for_each_run(&self, point: [f32; D], radius: f32, mut visit: impl FnMut(Range<usize>)) {
        if !is_finite(&point) || radius.is_nan() || radius < 0.0 {
            return;
        }
        let center = self.layout.wrap(point);
        let spans = spans(&self.layout, &center, radius);
        // Counts through the rows: the axes above the first, like the wheels of a counter.
        let mut row = spans.map(|span| span.first);
        loop {
            self.visit_row(&row, &spans[0], &mut visit);
            let mut axis = 1;
            loop {
                if axis >= D {
                    return;
                }
                row[axis] += 1;
                if row[axis] < spans[axis].first + spans[axis].length {
                    break;
                }
                row[axis] = spans[axis].first;
                axis += 1;
            }
        }
    }

    /// Visits the cells of `span` in one row, in one run or, round the end of the box, in two.
    #[inline]
    fn visit_row(&self, row: &[u32; D], span: &Span, visit: &mut impl FnMut(Range<usize>)) {
        let mut base = 0;
        for (axis, &place) in self.layout.axes.iter().zip(row).skip(1) {
            base += (place % axis.cells) * axis.stride;
        }
        let cells = self.layout.axes[0].cells;
        let end = span.first + span.length;
        self.visit_cells(base + span.first, base + end.min(cells), visit);
        if end > cells {
            self.visit_cells(base, base + end - cells, visit);
        }
    }

    #[inline]
    fn visit_cells(&self, first: u32, end: u32, visit: &mut impl FnMut(Range<usize>)) {
        let run = self.starts[first as usize] as usize..self.starts[end as usize] as usize;
        if !run.is_empty() {
            visit(run);
        }
    }
}

/// Cells along one axis: `first` is a cell, `first + length` may run past the end of a periodic
/// axis, by less than a whole turn.
#[derive(Clone, Copy)]
struct Span {
    first: u32,
    length: u32,
}

/// Returns the cells along each axis that can hold points within `radius` of `center`.
fn spans<const D: usize>(layout: &Layout<D>, center: &[f32; D], radius: f32) -> [Span; D] {
    let mut spans = [Span {
        first: 0,
        length: 1,
    }; D];
    for ((span, axis), &center) in spans.iter_mut().zip(&layout.axes).zip(center) {
        let (first, last) = axis.range(center, radius);
        let cells = i64::from(axis.cells);
        // The casts below are of numbers from 0 to `cells`, a u32. The range saturates at the ends
        // of i64 for absurd radii, where its length would overflow.
        *span = if layout.periodic {
            let length = last.saturating_sub(first).saturating_add(1);
            if length >= cells {
                Span {
                    first: 0,
                    length: axis.cells,
                }
            } else {
                Span {
                    first: first.rem_euclid(cells) as u32,
                    length: length as u32,
                }
            }
        } else {
            let (first, last) = (first.clamp(0, cells - 1), last.clamp(0, cells - 1));
            Span {
                first: first as u32,
                length: (last - first + 1) as u32,
            }
        };
    }
    spans
}

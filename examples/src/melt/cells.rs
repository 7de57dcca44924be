//! Atoms in the order of the cells they lie in, with their periodic images around them.
//!
//! ```text
//!   one x-row of the grid:   | ghost | ghost |  real cells ...  | ghost | ghost |
//!   points in memory:         g g g   g g     r r r r r r ...     g g     g g g      -> x
//! ```
//! The box is cut into cells: in y and z with edges of at least half the list radius, in x four
//! times finer. More layers of cells around it, the halo, hold images of the atoms at the other
//! side. A *point* is an atom or an image. Points are sorted by cell, x fastest, so that all
//! neighbours of a cell lie in 25 runs of consecutive points, one per x-row of cells, and no
//! distance needs the minimum-image rule. Cells fine in x cut the ends of the runs closely; finer
//! ones in y and z would make more and shorter runs, which costs more than it saves.
//!
//! Invariants: real points appear in the order of their *rank*, that is by cell and then by atom
//! number; an image is its atom's place plus `shift`; nothing here depends on threads. Ranks by
//! square tiles of cells, for the cache's sake, were not faster up to 108,000 atoms.

/// Cells that fit along the list radius, by axis.
const CELLS_PER_RADIUS: [f64; 3] = [8.0, 2.0, 2.0];

/// Relative slack on the list radius where cells are chosen, so that the rounding of a cell
/// border can never hide a neighbour.
const RADIUS_SLACK: f64 = 1.0 + 1e-9;

/// How many times the mean number of candidates an atom may have. Atoms that repel each other
/// never come near it; a damaged state might.
const CROWD: f64 = 16.0;

/// A run of consecutive points, `first .. end`.
pub(super) type Run = [u32; 2];

/// One x-row of cells that may hold neighbours of a cell, relative to it.
#[derive(Clone, Copy, Debug)]
struct Row {
    /// From the cell's number to that of the cell in the middle of the row.
    offset: isize,
    /// Cells to either side in x.
    reach: usize,
}

/// An image or atom: whose place it has, and how far away.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Point {
    /// Atom in user order.
    pub(super) atom: u32,
    /// Whole boxes to add to the atom's place.
    pub(super) shift: [i8; 3],
}

/// The grid and the points sorted into it.
#[derive(Clone, Debug)]
pub(super) struct Cells {
    box_length: f64,
    /// Cells along each edge of the box, and layers of image cells at each end of it.
    sides: [usize; 3],
    halos: [usize; 3],
    rows: Vec<Row>,
    /// Points of extended cell `c` are `starts[c] .. starts[c + 1]`.
    starts: Vec<u32>,
    /// Where each point comes from.
    pub(super) points: Vec<Point>,
    /// Cell of the box that each atom lies in, and the atoms by cell.
    cell_of: Vec<u32>,
    box_starts: Vec<u32>,
    box_atoms: Vec<u32>,
    /// For each rank: the real point, and its extended cell.
    pub(super) real_points: Vec<u32>,
    real_cells: Vec<u32>,
    /// For each atom in user order: its rank among real points.
    pub(super) ranks: Vec<u32>,
}

impl Cells {
    /// Lays a grid for neighbours within `radius` of `atoms` atoms in a periodic cube.
    pub(super) fn new(box_length: f64, radius: f64, atoms: usize) -> Self {
        // Finer cells than atoms would only cost memory.
        let finest = (1..)
            .find(|count| count * count * count >= atoms)
            .unwrap_or(1) as f64;
        let sides = CELLS_PER_RADIUS
            .map(|cells| (cells * box_length / radius).min(cells * finest).max(1.0) as usize);
        let edges = sides.map(|side| box_length / side as f64);
        let radius = radius * RADIUS_SLACK;
        let halos = edges.map(|edge| (radius / edge) as usize + 1);
        Self {
            box_length,
            sides,
            halos,
            rows: stencil(sides, halos, edges, radius),
            starts: Vec::new(),
            points: Vec::new(),
            cell_of: Vec::new(),
            box_starts: Vec::new(),
            box_atoms: Vec::new(),
            real_points: Vec::new(),
            real_cells: Vec::new(),
            ranks: Vec::new(),
        }
    }

    /// Returns about how many points there will be for `atoms` atoms.
    pub(super) fn expected_points(&self, atoms: usize) -> f64 {
        let growth = |axis| 1.0 + 2.0 * self.halos[axis] as f64 / self.sides[axis] as f64;
        atoms as f64 * growth(0) * growth(1) * growth(2)
    }

    /// Returns the most candidates that an atom may have: many times what an even distribution
    /// gives, and far from what would fill the memory.
    pub(super) fn candidates_max(&self, atoms: usize) -> u32 {
        let cells: usize = self.rows.iter().map(|row| 2 * row.reach + 1).sum();
        let per_cell = self
            .sides
            .iter()
            .fold(atoms as f64, |count, &side| count / side as f64);
        (CROWD * (1.0 + per_cell * cells as f64)) as u32
    }

    /// Sorts atoms at `positions`, each within the box, and their images into the grid.
    pub(super) fn sort(&mut self, positions: &[[f64; 3]]) {
        self.sort_box(positions);
        self.place_points(positions.len());
    }

    /// Counting sort of the atoms over the cells of the box; stable, so by atom number in a cell.
    fn sort_box(&mut self, positions: &[[f64; 3]]) {
        let [side_x, side_y, side_z] = self.sides;
        let box_length = self.box_length;
        // A coordinate just below the edge may round up to `side`.
        let cell_along =
            |value: f64, side: usize| ((value * (side as f64 / box_length)) as usize).min(side - 1);
        self.box_starts.clear();
        self.box_starts.resize(side_x * side_y * side_z + 1, 0);
        self.cell_of.clear();
        for &[x, y, z] in positions {
            let row = cell_along(z, side_z) * side_y + cell_along(y, side_y);
            let cell = row * side_x + cell_along(x, side_x);
            self.cell_of.push(cell as u32);
            self.box_starts[cell + 1] += 1;
        }
        for cell in 1..self.box_starts.len() {
            self.box_starts[cell] += self.box_starts[cell - 1];
        }
        self.box_atoms.clear();
        self.box_atoms.resize(positions.len(), 0);
        for (atom, &cell) in self.cell_of.iter().enumerate() {
            // The start of a cell moves up to its end here ...
            let place = &mut self.box_starts[cell as usize];
            self.box_atoms[*place as usize] = atom as u32;
            *place += 1;
        }
        // ... so that the starts are one cell further left now.
        self.box_starts.rotate_right(1);
        self.box_starts[0] = 0;
    }

    /// Writes the points of all cells, real and image, in order.
    fn place_points(&mut self, atoms: usize) {
        let [side_x, side_y, side_z] = self.sides.map(|side| side as isize);
        let [halo_x, halo_y, halo_z] = self.halos.map(|halo| halo as isize);
        self.points.clear();
        self.starts.clear();
        self.real_points.clear();
        self.real_cells.clear();
        self.ranks.clear();
        self.ranks.resize(atoms, 0);
        let place = |index: isize, side| (index.rem_euclid(side), index.div_euclid(side) as i8);
        for z in -halo_z..side_z + halo_z {
            let (box_z, shift_z) = place(z, side_z);
            for y in -halo_y..side_y + halo_y {
                let (box_y, shift_y) = place(y, side_y);
                for x in -halo_x..side_x + halo_x {
                    let (box_x, shift_x) = place(x, side_x);
                    let cell = ((box_z * side_y + box_y) * side_x + box_x) as usize;
                    self.place_cell(cell, [shift_x, shift_y, shift_z]);
                }
            }
        }
        self.starts.push(self.points.len() as u32);
    }

    /// Appends the points of one cell of the box, `shift` boxes away.
    fn place_cell(&mut self, cell: usize, shift: [i8; 3]) {
        let extended_cell = self.starts.len() as u32;
        self.starts.push(self.points.len() as u32);
        let atoms = self.box_starts[cell] as usize..self.box_starts[cell + 1] as usize;
        for &atom in &self.box_atoms[atoms] {
            if shift == [0; 3] {
                self.ranks[atom as usize] = self.real_points.len() as u32;
                self.real_points.push(self.points.len() as u32);
                self.real_cells.push(extended_cell);
            }
            self.points.push(Point { atom, shift });
        }
    }

    /// Fills `runs` with all points that may lie within the radius of the real point `rank`,
    /// itself left out; the order is fixed, and some may be empty.
    pub(super) fn runs_around(&self, rank: usize, runs: &mut Vec<Run>) {
        let cell = self.real_cells[rank] as usize;
        // Stays inside the grid: the cell is real and the halo is as wide as the stencil.
        let run = |row: &Row| {
            let middle = cell.wrapping_add_signed(row.offset);
            [
                self.starts[middle - row.reach],
                self.starts[middle + row.reach + 1],
            ]
        };
        runs.clear();
        runs.extend(self.rows.iter().map(run));
        let point = self.real_points[rank];
        if let Some(own) = runs
            .iter_mut()
            .find(|[first, end]| (*first..*end).contains(&point))
        {
            let end = std::mem::replace(&mut own[1], point);
            runs.push([point + 1, end]);
        }
    }

    /// Forgets one row of the stencil: a fault that the check must find.
    #[cfg(test)]
    pub(super) fn plant_missing_row(&mut self) {
        self.rows.remove(self.rows.len() / 3);
    }
}

/// Returns the rows of cells that can hold a point within `radius` of a point in the middle
/// cell, by z and then y, none of them longer than the halo is wide.
fn stencil(sides: [usize; 3], halos: [usize; 3], edges: [f64; 3], radius: f64) -> Vec<Row> {
    let [width, depth, _]: [isize; 3] =
        std::array::from_fn(|axis| (sides[axis] + 2 * halos[axis]) as isize);
    let [halo_x, halo_y, halo_z] = halos.map(|halo| halo as isize);
    // Least distance along one axis between points of cells `steps` apart.
    let gap = |steps: isize, edge: f64| (steps.abs() - 1).max(0) as f64 * edge;
    let mut rows = Vec::new();
    for dz in -halo_z..=halo_z {
        for dy in -halo_y..=halo_y {
            let (gap_y, gap_z) = (gap(dy, edges[1]), gap(dz, edges[2]));
            let left = radius * radius - gap_y * gap_y - gap_z * gap_z;
            if left > 0.0 {
                let reach = ((left.sqrt() / edges[0]) as isize + 1).min(halo_x);
                let offset = (dz * depth + dy) * width;
                rows.push(Row {
                    offset,
                    reach: reach as usize,
                });
            }
        }
    }
    rows
}

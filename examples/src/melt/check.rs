//! Compares a run of 4,000 atoms with LAMMPS, number by number.
//!
//! The caller shows the states that [`Check::wants`] asks for; the table then holds the largest
//! difference of each quantity over all of them, and where it was. A difference that is not a
//! number fails, and so does a state that was never shown.

use super::MeltError;
use super::lattice::{box_length, dot};
use super::reference::{REFERENCE_CELLS, Reference};
use super::thermo::Thermo;

/// Largest difference allowed in temperature and energies per atom, in epsilon, and in
/// positions, in sigma. An independent program differs by 2e-14 and 3e-14.
pub const LIMIT: f64 = 1e-10;

/// Largest difference allowed in pressure: the virial cancels to a hundredth of its terms.
pub const LIMIT_PRESSURE: f64 = 1e-9;

/// One line of the table.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckRow {
    /// What was compared.
    pub name: String,
    /// Largest absolute difference seen.
    pub worst: f64,
    /// Step at which it was seen.
    pub at_step: u64,
    /// Largest difference allowed.
    pub limit: f64,
    /// States compared, and states that the reference has.
    pub compared: usize,
    /// States that the reference has.
    pub expected: usize,
}

impl CheckRow {
    /// Returns whether all states were compared and none differed by more than the limit.
    pub fn passed(&self) -> bool {
        self.worst <= self.limit && self.compared == self.expected
    }

    /// Takes note of one more difference.
    fn note(&mut self, step: u64, difference: f64) {
        self.compared += 1;
        // Written so that a difference that is not a number stays as the worst one.
        let smaller = difference <= self.worst || self.worst.is_nan();
        if !smaller {
            (self.worst, self.at_step) = (difference, step);
        }
    }
}

/// What the check wants to see at a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wants {
    /// Call [`Check::thermo`].
    pub thermo: bool,
    /// Call [`Check::positions`].
    pub positions: bool,
}

/// The comparison in progress.
#[derive(Clone, Debug)]
pub struct Check {
    reference: Reference,
    /// Temperature, potential energy, total energy, pressure, then one row a set of positions.
    rows: Vec<CheckRow>,
}

impl Check {
    /// Reads the reference.
    ///
    /// # Errors
    /// [`MeltError::Data`] if it is damaged.
    pub fn new() -> Result<Self, MeltError> {
        let reference = Reference::read()?;
        let expected = reference.thermo.len();
        let row = |name: &str, limit: f64, expected: usize| CheckRow {
            name: name.to_owned(),
            worst: 0.0,
            at_step: 0,
            limit,
            compared: 0,
            expected,
        };
        let mut rows = vec![
            row("temperature", LIMIT, expected),
            row("pair energy per atom", LIMIT, expected),
            row("total energy per atom", LIMIT, expected),
            row("pressure", LIMIT_PRESSURE, expected),
        ];
        for (step, _) in &reference.positions {
            rows.push(row(&format!("positions at step {step}"), LIMIT, 1));
        }
        Ok(Self { reference, rows })
    }

    /// Returns what the reference knows about a step.
    pub fn wants(&self, step: u64) -> Wants {
        Wants {
            thermo: self
                .reference
                .thermo
                .iter()
                .any(|&(logged, _)| logged == step),
            positions: self
                .reference
                .positions
                .iter()
                .any(|&(logged, _)| logged == step),
        }
    }

    /// Returns the last step that the reference knows.
    pub fn last_step(&self) -> u64 {
        self.reference
            .thermo
            .iter()
            .map(|&(step, _)| step)
            .max()
            .unwrap_or(0)
    }

    /// Compares the thermodynamic state after `step` steps; ignores steps not asked for.
    pub fn thermo(&mut self, step: u64, found: &Thermo) {
        let logged = self
            .reference
            .thermo
            .iter()
            .find(|&&(logged, _)| logged == step);
        let Some((_, expected)) = logged else { return };
        let differences = [
            found.temperature - expected.temperature,
            found.potential - expected.potential,
            found.total - expected.total,
            found.pressure - expected.pressure,
        ];
        for (row, difference) in self.rows.iter_mut().zip(differences) {
            row.note(step, difference.abs());
        }
    }

    /// Compares the positions after `step` steps, by distance to the nearest image; ignores
    /// steps not asked for.
    pub fn positions(&mut self, step: u64, found: &[[f64; 3]]) {
        let logged = self
            .reference
            .positions
            .iter()
            .position(|&(logged, _)| logged == step);
        let Some(index) = logged else { return };
        let expected = &self.reference.positions[index].1;
        let box_length = box_length(REFERENCE_CELLS);
        let mut worst = if found.len() == expected.len() {
            0.0
        } else {
            f64::INFINITY
        };
        for (a, b) in found.iter().zip(expected) {
            let way = std::array::from_fn(|axis| {
                let way = a[axis] - b[axis];
                way - box_length * (way / box_length).round()
            });
            let distance = dot(way, way).sqrt();
            let smaller = distance <= worst;
            worst = if smaller { worst } else { distance };
        }
        self.rows[4 + index].note(step, worst);
    }

    /// Returns the table.
    pub fn rows(&self) -> &[CheckRow] {
        &self.rows
    }

    /// Returns whether every row passed.
    pub fn passed(&self) -> bool {
        self.rows.iter().all(CheckRow::passed)
    }
}

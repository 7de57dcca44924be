//! What LAMMPS found for 4,000 atoms: start velocities, two sets of positions, and thermo lines.
//!
//! The files are compiled in, so that the model and its check need no path; their README says
//! how they were made. The parser is strict all the same: a line too many or a value that is not
//! a finite number is an error with its place, not a wrong comparison.

use super::MeltError;
use super::thermo::Thermo;

/// Unit cells along an edge of the reference run: 4,000 atoms.
pub const REFERENCE_CELLS: usize = 10;

/// Atoms of the reference run.
const ATOMS: usize = 4 * REFERENCE_CELLS * REFERENCE_CELLS * REFERENCE_CELLS;

/// A file of the folder `data/melt` and what it must look like.
struct File {
    name: &'static str,
    header: &'static str,
    rows: usize,
    text: &'static str,
}

const INIT: File = File {
    name: "melt/init.csv",
    header: "vx,vy,vz",
    rows: ATOMS,
    text: include_str!("../../data/melt/init.csv"),
};
const STEP_20: File = File {
    name: "melt/step20.csv",
    header: "x,y,z",
    rows: ATOMS,
    text: include_str!("../../data/melt/step20.csv"),
};
const STEP_100: File = File {
    name: "melt/step100.csv",
    header: "x,y,z",
    rows: ATOMS,
    text: include_str!("../../data/melt/step100.csv"),
};
const THERMO: File = File {
    name: "melt/thermo.csv",
    header: "step,temp,epair_per_atom,etotal_per_atom,press",
    rows: 21,
    text: include_str!("../../data/melt/thermo.csv"),
};

/// Returns the start velocities of the 4,000 atoms, in sigma per unit time.
///
/// # Errors
/// [`MeltError::Data`] if the file is damaged.
pub fn reference_velocities() -> Result<Vec<[f64; 3]>, MeltError> {
    parse(&INIT)
}

/// LAMMPS's answers.
#[derive(Clone, Debug)]
pub struct Reference {
    /// Steps with the state that LAMMPS logged, ascending.
    pub(super) thermo: Vec<(u64, Thermo)>,
    /// Steps with the positions of all atoms, ascending.
    pub(super) positions: Vec<(u64, Vec<[f64; 3]>)>,
}

impl Reference {
    /// Reads the answers.
    ///
    /// # Errors
    /// [`MeltError::Data`] if a file is damaged.
    pub fn read() -> Result<Self, MeltError> {
        let thermo = parse::<5>(&THERMO)?
            .into_iter()
            .map(|[step, temperature, potential, total, pressure]| {
                (
                    step as u64,
                    Thermo {
                        temperature,
                        potential,
                        total,
                        pressure,
                    },
                )
            })
            .collect();
        let positions = vec![(20, parse(&STEP_20)?), (100, parse(&STEP_100)?)];
        Ok(Self { thermo, positions })
    }
}

/// Reads a file of numbers, `N` a line.
fn parse<const N: usize>(file: &File) -> Result<Vec<[f64; N]>, MeltError> {
    let error = |line, problem| MeltError::Data {
        file: file.name,
        line,
        problem,
    };
    let mut lines = file.text.lines();
    if lines.next() != Some(file.header) {
        return Err(error(1, "the header is not the expected one"));
    }
    let mut rows = Vec::with_capacity(file.rows);
    for (index, text) in lines.enumerate() {
        let mut row = [0.0_f64; N];
        let mut fields = text.split(',');
        for value in &mut row {
            let field = fields
                .next()
                .ok_or_else(|| error(index + 2, "too few fields"))?;
            *value = field
                .parse()
                .map_err(|_| error(index + 2, "a field is not a number"))?;
            if !value.is_finite() {
                return Err(error(index + 2, "a number is not finite"));
            }
        }
        if fields.next().is_some() {
            return Err(error(index + 2, "too many fields"));
        }
        rows.push(row);
    }
    if rows.len() != file.rows {
        return Err(error(
            rows.len() + 1,
            "the number of rows is not the expected one",
        ));
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_are_sound() {
        assert_eq!(reference_velocities().map(|rows| rows.len()), Ok(4000));
        let reference = Reference::read().expect("committed files");
        assert_eq!(reference.thermo[20].0, 200);
    }

    #[test]
    fn damaged_files_are_named_with_line_and_problem() {
        for (text, line, problem) in [
            ("", 1, "the header is not the expected one"),
            ("a,c\n1,2\n", 1, "the header is not the expected one"),
            ("a,b\n1\n", 2, "too few fields"),
            ("a,b\n1,2\n1,2,3\n", 3, "too many fields"),
            ("a,b\n1,x\n", 2, "a field is not a number"),
            ("a,b\n1,\n", 2, "a field is not a number"),
            ("a,b\n1,inf\n", 2, "a number is not finite"),
            ("a,b\nNaN,1\n", 2, "a number is not finite"),
            (
                "a,b\n1,2\n",
                2,
                "the number of rows is not the expected one",
            ),
        ] {
            let file = File {
                name: "test.csv",
                header: "a,b",
                rows: 2,
                text,
            };
            let expected = Err(MeltError::Data {
                file: "test.csv",
                line,
                problem,
            });
            assert_eq!(parse::<2>(&file), expected, "{text:?}");
        }
    }
}

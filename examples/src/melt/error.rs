//! What can go wrong in the melt.

use std::fmt;

/// Reasons why a melt cannot be set up, continued or checked.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum MeltError {
    /// The number of atoms is not four times a cube.
    AtomCount {
        /// The number asked for.
        atoms: usize,
        /// The nearest valid number below, if any.
        below: Option<usize>,
        /// The nearest valid number above, if any.
        above: Option<usize>,
    },
    /// Cut-off, skin or box length is not positive, or too long to compute with.
    Length {
        /// Which length.
        name: &'static str,
        /// Its value, in sigma.
        value: f64,
    },
    /// A coordinate is not a number in the box: the run has blown up or was not wrapped.
    OutsideBox {
        /// The atom, counted from 0.
        atom: usize,
        /// Its position, in sigma.
        position: [f64; 3],
    },
    /// An atom has many times more atoms around it than the mean: the state is damaged.
    Crowded {
        /// The atom, counted from 0.
        atom: usize,
    },
    /// A data file does not have the form that its README states.
    Data {
        /// The file.
        file: &'static str,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong there.
        problem: &'static str,
    },
}

impl fmt::Display for MeltError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtomCount {
                atoms,
                below,
                above,
            } => {
                write!(
                    f,
                    "{atoms} atoms do not fill a crystal: the number must be 4 n^3, "
                )?;
                match (below, above) {
                    (Some(below), Some(above)) => write!(f, "for example {below} or {above}"),
                    (Some(below), None) => write!(f, "at most {below}"),
                    (None, Some(above)) => write!(f, "at least {above}"),
                    (None, None) => write!(f, "for example 4000"),
                }
            }
            Self::Length { name, value } => {
                write!(
                    f,
                    "the {name} must be a positive length within reason, not {value}"
                )
            }
            Self::OutsideBox {
                atom,
                position: [x, y, z],
            } => {
                write!(f, "atom {atom} is outside the box at ({x}, {y}, {z})")
            }
            Self::Crowded { atom } => {
                write!(
                    f,
                    "atom {atom} has too many atoms around it for a list of neighbours"
                )
            }
            Self::Data {
                file,
                line,
                problem,
            } => write!(f, "{file} line {line}: {problem}"),
        }
    }
}

impl std::error::Error for MeltError {}

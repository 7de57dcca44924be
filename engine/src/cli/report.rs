//! The numbers that a model reports: a table on standard output, a file for `--record`.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use super::CliError;
use super::output::Output;
use crate::ecs::World;

/// One reported number.
pub(super) struct Column {
    pub(super) name: &'static str,
    pub(super) value: Box<dyn FnMut(&World) -> f64>,
}

/// All reported numbers, and how often they are.
pub(super) struct Report {
    pub(super) columns: Vec<Column>,
    pub(super) every: u64,
}

impl Default for Report {
    fn default() -> Self {
        Self {
            columns: Vec::new(),
            every: 100,
        }
    }
}

/// Width of a printed number: sign, 10 digits after the point, exponent.
const WIDTH: usize = 18;

impl Report {
    /// Whether a row is due after so many ticks.
    pub(super) fn is_due(&self, tick: u64) -> bool {
        tick.is_multiple_of(self.every)
    }

    pub(super) fn row(&mut self, world: &World) -> Vec<f64> {
        self.columns
            .iter_mut()
            .map(|column| (column.value)(world))
            .collect()
    }

    pub(super) fn print_head(&self, output: &mut Output) -> Result<(), CliError> {
        let names = self
            .columns
            .iter()
            .map(|column| format!(" {:>WIDTH$}", column.name));
        output.line(format_args!("{:>8}{}", "tick", names.collect::<String>()))
    }

    pub(super) fn print_row(
        &self,
        tick: u64,
        row: &[f64],
        output: &mut Output,
    ) -> Result<(), CliError> {
        let values = row.iter().map(|&value| {
            // Small numbers would show as nothing but zeros; a zero has no sign here.
            if value != 0.0 && value.abs() < 1e-4 {
                format!(" {value:>WIDTH$.10e}")
            } else {
                format!(" {:>WIDTH$.10}", value + 0.0)
            }
        });
        output.line(format_args!("{tick:>8}{}", values.collect::<String>()))
    }
}

/// The file of `--record`: RFC 4180, a head line, every number with all its digits.
pub(super) struct Record {
    path: PathBuf,
    file: BufWriter<File>,
}

impl Record {
    pub(super) fn create(path: &Path, report: &Report) -> Result<Self, CliError> {
        let failed = |source| CliError::Record {
            path: path.to_owned(),
            source,
        };
        let file = BufWriter::new(File::create(path).map_err(failed)?);
        let mut record = Self {
            path: path.to_owned(),
            file,
        };
        let names = report
            .columns
            .iter()
            .map(|column| format!(",{}", quoted(column.name)));
        record.line(format_args!("tick{}", names.collect::<String>()))?;
        Ok(record)
    }

    pub(super) fn row(&mut self, tick: u64, row: &[f64]) -> Result<(), CliError> {
        let values = row.iter().map(|value| format!(",{value}"));
        self.line(format_args!("{tick}{}", values.collect::<String>()))
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) -> Result<(), CliError> {
        let path = &self.path;
        write!(self.file, "{line}\r\n").map_err(|source| CliError::Record {
            path: path.clone(),
            source,
        })
    }

    /// Writes what is buffered; an error here would be lost on drop.
    pub(super) fn finish(mut self) -> Result<(), CliError> {
        self.file.flush().map_err(|source| CliError::Record {
            path: self.path,
            source,
        })
    }
}

fn quoted(name: &str) -> String {
    if name.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_commas_and_quotes_are_quoted() {
        assert_eq!(quoted("a"), "a");
        assert_eq!(quoted("a,b"), "\"a,b\"");
        assert_eq!(quoted("a\"b"), "\"a\"\"b\"");
    }
}

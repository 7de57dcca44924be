//! The file of counts: what was counted where, one line a case, sorted by name.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io;
use std::path::Path;

use thiserror::Error;

/// Why a record could not be read or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The file.
    #[error("{path}: {source}")]
    Io {
        /// Where it should be.
        path: String,
        /// What the system says.
        source: io::Error,
    },
    /// A line that says neither where counts come from nor how high one is.
    #[error("{path}, line {line}: `{text}` is no `name = count`")]
    Line {
        /// Which file.
        path: String,
        /// From 1.
        line: usize,
        /// What stands there.
        text: String,
    },
}

/// What counts belong to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The compiler, as it names itself.
    pub compiler: String,
    /// The processor, and the vector instructions that were used.
    pub processor: String,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on {}", self.compiler, self.processor)
    }
}

/// Counts by case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Where they come from.
    pub origin: Origin,
    /// Instructions of each case.
    pub counts: BTreeMap<String, u64>,
}

/// What differs between a record and new counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// More than may be.
    Worse(String, u64, u64),
    /// Less by more than the same share: the record should be made anew.
    Better(String, u64, u64),
    /// A case that nobody recorded.
    New(String),
}

impl Finding {
    /// Whether a check fails for it.
    #[must_use]
    pub fn is_bad(&self) -> bool {
        matches!(self, Self::Worse(..) | Self::New(_))
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |old: u64, new: u64| (new as f64 / old as f64 - 1.0) * 100.0;
        match self {
            Self::Worse(case, old, new) => {
                write!(
                    f,
                    "worse: {case} {old} -> {new} ({:+.2} %)",
                    percent(*old, *new)
                )
            }
            Self::Better(case, old, new) => {
                write!(
                    f,
                    "better: {case} {old} -> {new} ({:+.2} %)",
                    percent(*old, *new)
                )
            }
            Self::New(case) => write!(f, "not recorded: {case}"),
        }
    }
}

impl Record {
    /// Reads a file; a missing one is empty.
    ///
    /// # Errors
    /// When it cannot be read, or a line of it is not as this module writes them.
    pub fn read(path: &Path) -> Result<Self, RecordError> {
        match fs::read_to_string(path) {
            Ok(text) => Self::parse(&text).map_err(|(line, text)| RecordError::Line {
                path: path.display().to_string(),
                line,
                text,
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(source) => Err(RecordError::Io {
                path: path.display().to_string(),
                source,
            }),
        }
    }

    /// Writes a file.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn write(&self, path: &Path) -> Result<(), RecordError> {
        fs::write(path, self.to_string()).map_err(|source| RecordError::Io {
            path: path.display().to_string(),
            source,
        })
    }

    fn parse(text: &str) -> Result<Self, (usize, String)> {
        let mut record = Self::default();
        for (index, line) in text.lines().enumerate() {
            let bad = || (index + 1, line.to_owned());
            if line.is_empty() || line.starts_with(['#', '[']) {
                continue;
            }
            let (name, value) = line.split_once(" = ").ok_or_else(bad)?;
            match name {
                "compiler" => record.origin.compiler = value.trim_matches('"').to_owned(),
                "processor" => record.origin.processor = value.trim_matches('"').to_owned(),
                _ => {
                    let count = value.parse().map_err(|_| bad())?;
                    record.counts.insert(name.to_owned(), count);
                }
            }
        }
        Ok(record)
    }

    /// This record with new counts in the place of old ones, and without cases that are gone.
    #[must_use]
    pub fn updated(mut self, new: Self, cases: &[&str]) -> Self {
        self.origin = new.origin;
        self.counts.extend(new.counts);
        self.counts.retain(|name, _| cases.contains(&name.as_str()));
        self
    }

    /// What of the new counts differs from this record by more than a share, in hundredths.
    #[must_use]
    pub fn compare(&self, new: &Self, percent: u64) -> Vec<Finding> {
        let judge = |(case, &count): (&String, &u64)| {
            let Some(&old) = self.counts.get(case) else {
                return Some(Finding::New(case.clone()));
            };
            if count * 100 > old * (100 + percent) {
                Some(Finding::Worse(case.clone(), old, count))
            } else if count * 100 < old * (100 - percent) {
                Some(Finding::Better(case.clone(), old, count))
            } else {
                None
            }
        };
        new.counts.iter().filter_map(judge).collect()
    }
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "# Instructions of one run of each case, counted by callgrind."
        )?;
        writeln!(
            f,
            "# Written by `instructions`; benches/README.md says how."
        )?;
        writeln!(f, "\n[origin]")?;
        writeln!(f, "compiler = \"{}\"", self.origin.compiler)?;
        writeln!(f, "processor = \"{}\"", self.origin.processor)?;
        writeln!(f, "\n[instructions]")?;
        let mut counts = self.counts.iter();
        counts.try_for_each(|(case, count)| writeln!(f, "{case} = {count}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(counts: &[(&str, u64)]) -> Record {
        Record {
            origin: Origin {
                compiler: String::from("rustc 1.95.0"),
                processor: String::from("a processor, avx2"),
            },
            counts: counts
                .iter()
                .map(|&(name, count)| (name.to_owned(), count))
                .collect(),
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let record = record(&[("b", 2), ("a", 1)]);
        let text = record.to_string();
        assert_eq!(Record::parse(&text), Ok(record));
        assert!(text.ends_with("[instructions]\na = 1\nb = 2\n"), "{text}");
    }

    #[test]
    fn a_damaged_line_is_named() {
        for text in ["a = 1\nb\n", "a = 1\nb = many\n", "a = 1\nb = -2\n"] {
            let (line, _) = Record::parse(text).expect_err(text);
            assert_eq!(line, 2);
        }
    }

    #[test]
    fn more_than_the_tolerance_is_worse_and_exactly_it_is_not() {
        let old = record(&[("a", 1_000)]);
        let found = |count| old.compare(&record(&[("a", count)]), 2);
        assert_eq!(found(1_020), []);
        assert_eq!(found(1_021), [Finding::Worse("a".into(), 1_000, 1_021)]);
        assert_eq!(found(980), []);
        assert_eq!(found(979), [Finding::Better("a".into(), 1_000, 979)]);
        assert!(found(1_021)[0].is_bad() && !found(979)[0].is_bad());
    }

    #[test]
    fn a_case_without_a_record_fails_a_check() {
        let findings = record(&[]).compare(&record(&[("a", 1)]), 2);
        assert_eq!(findings, [Finding::New("a".into())]);
        assert!(findings[0].is_bad());
    }

    #[test]
    fn counts_of_some_cases_leave_the_others_and_drop_those_that_are_gone() {
        let old = record(&[("a", 1), ("b", 2), ("gone", 3)]);
        let new = old.updated(record(&[("b", 20)]), &["a", "b"]);
        assert_eq!(new, record(&[("a", 1), ("b", 20)]));
    }
}

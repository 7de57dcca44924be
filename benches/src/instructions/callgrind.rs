//! One case under callgrind: this program calls itself, and reads the sum of what was collected.

use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use thiserror::Error;

/// Why a case could not be counted.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CountError {
    /// The program itself, or callgrind's file.
    #[error("{case}: {source}")]
    Io {
        /// Which case.
        case: String,
        /// What the system says.
        source: io::Error,
    },
    /// Callgrind, or the case in it, ended with an error.
    #[error("{case}: valgrind ended with an error: {message}")]
    Failed {
        /// Which case.
        case: String,
        /// The last line that it wrote.
        message: String,
    },
    /// Nothing was collected: the function that is counted was not found.
    #[error("{case}: callgrind collected nothing")]
    Nothing {
        /// Which case.
        case: String,
    },
}

/// Whether valgrind can be run.
pub(super) fn is_there() -> bool {
    let version = Command::new("valgrind")
        .arg("--version")
        .stdout(Stdio::null())
        .status();
    version.is_ok_and(|status| status.success())
}

/// Counts the instructions of one run of a case.
pub(super) fn count(case: &str) -> Result<u64, CountError> {
    let io_error = |source| CountError::Io {
        case: case.to_owned(),
        source,
    };
    let program = std::env::current_exe().map_err(io_error)?;
    let file = std::env::temp_dir().join(format!("{}-{case}.callgrind", std::process::id()));
    let result = run(&program, case, &file).map_err(io_error);
    let text = fs::read_to_string(&file);
    // Where callgrind wrote nothing there is nothing to remove.
    let _ = fs::remove_file(&file);
    if let Some(message) = result? {
        return Err(CountError::Failed {
            case: case.to_owned(),
            message,
        });
    }
    match total(&text.map_err(io_error)?) {
        Some(count) if count > 0 => Ok(count),
        _ => Err(CountError::Nothing {
            case: case.to_owned(),
        }),
    }
}

/// Runs a case under callgrind; gives the last line of its complaint if it failed.
fn run(program: &Path, case: &str, file: &Path) -> io::Result<Option<String>> {
    let mut out = std::ffi::OsString::from("--callgrind-out-file=");
    out.push(file);
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "-q", "--collect-atstart=no"])
        .arg("--toggle-collect=*counted_run*")
        .arg(out)
        .arg(program)
        .args(["--case", case])
        // Nothing of a user's settings may change what is counted.
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .stdin(Stdio::null())
        .output()?;
    if output.status.success() {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    Ok(Some(text.lines().last().unwrap_or_default().to_owned()))
}

/// The sum that callgrind writes at the end of its file.
fn total(text: &str) -> Option<u64> {
    let line = |key: &str| text.lines().find_map(|line| line.strip_prefix(key));
    let sum = line("totals:").or_else(|| line("summary:"))?;
    sum.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_is_found_where_callgrind_writes_it() {
        assert_eq!(total("events: Ir\nfn=a\n1 2\n\ntotals: 1234\n"), Some(1234));
        assert_eq!(total("summary: 77\n"), Some(77));
        assert_eq!(total("events: Ir\n"), None);
    }
}

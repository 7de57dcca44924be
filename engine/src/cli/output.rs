//! Standard output with errors told apart, and colour where it is wanted.

use std::fmt;
use std::io::{self, IsTerminal, Write};

use super::CliError;

/// Buffered standard output.
pub(super) struct Output {
    out: io::BufWriter<io::Stdout>,
    terminal: bool,
    color: bool,
}

impl Output {
    pub(super) fn new() -> Self {
        let terminal = io::stdout().is_terminal();
        let color = terminal && color_allowed();
        Self {
            out: io::BufWriter::new(io::stdout()),
            terminal,
            color,
        }
    }

    pub(super) fn is_terminal(&self) -> bool {
        self.terminal
    }

    pub(super) fn has_color(&self) -> bool {
        self.color
    }

    pub(super) fn line(&mut self, line: impl fmt::Display) -> Result<(), CliError> {
        writeln!(self.out, "{line}").map_err(CliError::Output)?;
        // Somebody is watching; a pipe or file is filled as fast as it goes.
        if self.terminal { self.flush() } else { Ok(()) }
    }

    /// Writes as is and at once.
    pub(super) fn raw(&mut self, text: &str) -> Result<(), CliError> {
        self.out
            .write_all(text.as_bytes())
            .map_err(CliError::Output)?;
        self.flush()
    }

    pub(super) fn flush(&mut self) -> Result<(), CliError> {
        self.out.flush().map_err(CliError::Output)
    }

    /// The text in green or red where the terminal has colours.
    pub(super) fn judged(&self, text: &str, good: bool) -> String {
        match (self.color, good) {
            (true, true) => format!("\x1b[32m{text}\x1b[0m"),
            (true, false) => format!("\x1b[31m{text}\x1b[0m"),
            (false, _) => text.to_owned(),
        }
    }
}

/// <https://no-color.org>: any value but the empty one switches colours off.
fn color_allowed() -> bool {
    let off = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    !off && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

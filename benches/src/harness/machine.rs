//! Where and on what a measurement ran: one line above every table.

use std::fmt;
use std::fs;
use std::process::Command;

/// The machine and the commit, as far as they can be found out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Name of the processor.
    pub cpu: String,
    /// Threads that can run at once.
    pub threads: usize,
    /// When the kernel gives out huge pages.
    pub huge_pages: String,
    /// Average number of threads that wanted to run, over 1, 5 and 15 minutes.
    pub load: String,
    /// Commit that is checked out; `+` behind it if files differ.
    pub commit: String,
}

impl Machine {
    /// Asks the system and git; `unknown` stands for what neither tells.
    #[must_use]
    pub fn find() -> Self {
        let cpu = read("/proc/cpuinfo").and_then(|text| value_of(&text, "model name"));
        let huge_pages =
            read("/sys/kernel/mm/transparent_hugepage/enabled").and_then(|text| chosen(&text));
        let load =
            read("/proc/loadavg").map(|text| text.split(' ').take(3).collect::<Vec<_>>().join(" "));
        Self {
            cpu: known(cpu),
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            huge_pages: known(huge_pages),
            load: known(load),
            commit: known(commit()),
        }
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}, {} threads, huge pages {}, load {}, commit {}",
            self.cpu, self.threads, self.huge_pages, self.load, self.commit
        )
    }
}

fn known(text: Option<String>) -> String {
    text.unwrap_or_else(|| String::from("unknown"))
}

fn read(path: &str) -> Option<String> {
    fs::read_to_string(path).ok()
}

/// The value of the first `key : value` line.
fn value_of(text: &str, key: &str) -> Option<String> {
    let line = text.lines().find(|line| line.starts_with(key))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// The word in brackets, which marks the choice among several.
fn chosen(text: &str) -> Option<String> {
    let (_, rest) = text.split_once('[')?;
    Some(rest.split_once(']')?.0.to_owned())
}

fn commit() -> Option<String> {
    let hash = git(&["rev-parse", "--short", "HEAD"])?;
    let changed = git(&["status", "--porcelain", "--untracked-files=no"])?;
    let mark = if changed.is_empty() { "" } else { "+" };
    Some(format!("{hash}{mark}"))
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .arg("--no-optional-locks")
        .args(["-C", env!("CARGO_MANIFEST_DIR")])
        .args(arguments)
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_s_files_are_read_as_they_are_written() {
        let cpuinfo = "processor\t: 0\nmodel name\t: A Processor 9\nmodel name\t: Another\n";
        assert_eq!(
            value_of(cpuinfo, "model name").as_deref(),
            Some("A Processor 9")
        );
        assert_eq!(value_of(cpuinfo, "cache size"), None);
        assert_eq!(
            chosen("always [madvise] never\n").as_deref(),
            Some("madvise")
        );
        assert_eq!(chosen("always\n"), None);
    }

    #[test]
    fn the_line_names_every_fact() {
        let line = Machine::find().to_string();
        for word in ["threads", "huge pages", "load", "commit"] {
            assert!(line.contains(word), "{line}");
        }
    }
}

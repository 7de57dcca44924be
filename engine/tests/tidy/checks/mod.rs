//! The rules that look at one file at a time.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use crate::Offender;
use crate::repository::TextFile;
use crate::source::{code_only, functions, inside, line_of, words};

/// The most lines of a file.
pub(crate) const FILE_LINES_MAX: usize = 800;

/// The most lines of a function.
pub(crate) const FUNCTION_LINES_MAX: usize = 70;

/// The most columns of a line.
pub(crate) const COLUMNS_MAX: usize = 100;

/// A file above the limit, in the ratchet.
pub(crate) struct FileLimit {
    pub(crate) path: &'static str,
    pub(crate) line_count: usize,
}

/// A function above the limit, in the ratchet.
pub(crate) struct FunctionLimit {
    pub(crate) path: &'static str,
    pub(crate) name: &'static str,
    pub(crate) line_count: usize,
}

fn offender(file: &TextFile, line: usize, message: impl Into<String>) -> Offender {
    Offender {
        path: file.path.clone(),
        line,
        message: message.into(),
    }
}

/// Returns an offender for each line that `judge` finds a fault in.
fn by_line(file: &TextFile, judge: impl Fn(&str) -> Option<String>) -> Vec<Offender> {
    let lines = file.text.split('\n').enumerate();
    lines
        .filter_map(|(index, line)| Some(offender(file, index + 1, judge(line)?)))
        .collect()
}

/// A file begins by saying what it is for.
pub(crate) fn head(file: &TextFile) -> Vec<Offender> {
    if file.text.starts_with("//! ") {
        return Vec::new();
    }
    vec![offender(
        file,
        1,
        "the first line must be a //! that says what the file is for",
    )]
}

/// `unsafe` stands only in the files and folders of `allowed`.
pub(crate) fn unsafe_code(file: &TextFile, allowed: &[&str]) -> Vec<Offender> {
    let covers = |place: &&str| {
        if place.ends_with('/') {
            file.path.starts_with(place)
        } else {
            file.path == **place
        }
    };
    if allowed.iter().any(covers) {
        return Vec::new();
    }
    let code = code_only(&file.text);
    words(&code, "unsafe")
        .map(|at| {
            offender(
                file,
                line_of(&code, at),
                "unsafe is not allowed in this file",
            )
        })
        .collect()
}

/// Judges a length against the limit or its entry in the ratchet.
fn judge_length(length: usize, limit: usize, entered: Option<usize>) -> Option<String> {
    match entered {
        None if length > limit => Some(format!("{length} lines; the limit is {limit}")),
        Some(entered) if length > entered => Some(format!(
            "{length} lines; it was entered with {entered} and may only shrink"
        )),
        Some(_) if length <= limit => Some("is within the limit: take it off the list".to_owned()),
        Some(entered) if length < entered => Some(format!(
            "has shrunk to {length} lines: lower its entry of {entered}"
        )),
        _ => None,
    }
}

/// Files keep to [`FILE_LINES_MAX`] or to their entry.
pub(crate) fn file_lengths(files: &[&TextFile], ratchet: &[FileLimit]) -> Vec<Offender> {
    let mut offenders = Vec::new();
    for file in files {
        let length = file.text.lines().count();
        let entered = ratchet.iter().find(|entry| entry.path == file.path);
        let judged = judge_length(
            length,
            FILE_LINES_MAX,
            entered.map(|entry| entry.line_count),
        );
        offenders.extend(judged.map(|message| offender(file, 0, message)));
    }
    for entry in ratchet
        .iter()
        .filter(|entry| !files.iter().any(|file| file.path == entry.path))
    {
        let message = "is gone: take it off the list of long files".to_owned();
        offenders.push(Offender {
            path: entry.path.to_owned(),
            line: 0,
            message,
        });
    }
    offenders
}

/// Functions keep to [`FUNCTION_LINES_MAX`] or to their entry.
pub(crate) fn function_lengths(files: &[&TextFile], ratchet: &[FunctionLimit]) -> Vec<Offender> {
    let mut offenders = Vec::new();
    let mut seen = vec![false; ratchet.len()];
    for file in files {
        for function in functions(&code_only(&file.text)) {
            let entry = ratchet
                .iter()
                .position(|entry| entry.path == file.path && entry.name == function.name);
            let entered = entry.map(|index| {
                seen[index] = true;
                ratchet[index].line_count
            });
            let judged = judge_length(function.line_count, FUNCTION_LINES_MAX, entered);
            offenders.extend(judged.map(|message| {
                offender(
                    file,
                    function.line,
                    format!("fn {}: {message}", function.name),
                )
            }));
        }
    }
    for (entry, _) in ratchet.iter().zip(&seen).filter(|(_, seen)| !**seen) {
        let message = format!("fn {} is gone: take it off the list", entry.name);
        offenders.push(Offender {
            path: entry.path.to_owned(),
            line: 0,
            message,
        });
    }
    offenders
}

/// Lines fit; rows of Markdown tables and lines that are one long link cannot be broken.
pub(crate) fn columns(file: &TextFile) -> Vec<Offender> {
    by_line(file, |line| {
        let count = line.chars().count();
        let unbreakable = file.is_markdown()
            && (line.starts_with('|') || line.split_whitespace().any(|word| word.len() > 80));
        (count > COLUMNS_MAX && !unbreakable)
            .then(|| format!("{count} columns; the limit is {COLUMNS_MAX}"))
    })
}

/// Source is ASCII: other characters belong into escapes or data.
pub(crate) fn ascii(file: &TextFile) -> Vec<Offender> {
    by_line(file, |line| {
        let c = line.chars().find(|c| !c.is_ascii())?;
        Some(format!(
            "U+{:04X} is not ASCII: write \\u{{{:x}}}",
            u32::from(c),
            u32::from(c)
        ))
    })
}

/// Only the crate roots choose modules by feature; nothing else behaves differently by one.
pub(crate) fn cfg_feature(file: &TextFile) -> Vec<Offender> {
    if file.path.ends_with("src/lib.rs") {
        return Vec::new();
    }
    let code = code_only(&file.text);
    let mut offenders = Vec::new();
    for open in ["cfg(", "cfg_attr(", "cfg!("] {
        for (at, _) in code.match_indices(open) {
            if words(inside(&code, at + open.len() - 1), "feature")
                .next()
                .is_some()
            {
                let message = "a feature is asked for outside lib.rs";
                offenders.push(offender(file, line_of(&code, at), message));
            }
        }
    }
    offenders
}

/// What is left to do belongs into an issue. Written in two parts, so as not to find themselves.
const LEFT_TO_DO: [&str; 3] = [
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("XX", "X"),
];

/// Nothing is left to do.
pub(crate) fn left_to_do(file: &TextFile) -> Vec<Offender> {
    by_line(file, |line| {
        let word = LEFT_TO_DO
            .iter()
            .find(|word| words(line, word).next().is_some())?;
        Some(format!("{word}: file an issue instead"))
    })
}

/// Folders that exist on one machine only, in two parts each, so as not to find themselves.
const MACHINE_FOLDERS: [&str; 4] = [
    concat!("/ho", "me/"),
    concat!("/ro", "ot/"),
    concat!("/wo", "rk/"),
    concat!("/Us", "ers/"),
];

/// No absolute path of somebody's machine; the same words inside a longer path or link are fine.
pub(crate) fn machine_paths(file: &TextFile) -> Vec<Offender> {
    by_line(file, |line| {
        let starts = |at: usize| {
            let before = line[..at].chars().next_back();
            !before.is_some_and(|c| c.is_alphanumeric() || "._-~*}".contains(c))
        };
        let found = |folder: &&&str| line.match_indices(**folder).any(|(at, _)| starts(at));
        let folder = MACHINE_FOLDERS.iter().find(found)?;
        Some(format!("{folder}... exists on one machine only"))
    })
}

/// No tabs, no trailing blanks, no carriage returns.
pub(crate) fn blanks(file: &TextFile) -> Vec<Offender> {
    by_line(file, |line| {
        if line.contains('\t') {
            return Some("a tab".to_owned());
        }
        line.ends_with([' ', '\r'])
            .then(|| "a blank at the end".to_owned())
    })
}

/// A document has one title, outside its code.
pub(crate) fn one_title(file: &TextFile) -> Vec<Offender> {
    let (mut in_code, mut titles) = (false, Vec::new());
    for (index, line) in file.text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        } else if !in_code && line.starts_with("# ") {
            titles.push(index + 1);
        }
    }
    match titles.as_slice() {
        [_] => Vec::new(),
        [] => vec![offender(
            file,
            1,
            "no title: a document has one line that begins with #",
        )],
        [_, others @ ..] => others
            .iter()
            .map(|&line| offender(file, line, "a second title"))
            .collect(),
    }
}

/// Tests that a document names in code exist: words of five parts or more, with or without the
/// modules that lead to them, are nothing else.
pub(crate) fn named_tests(document: &TextFile, functions: &BTreeSet<&str>) -> Vec<Offender> {
    by_line(document, |line| {
        let is_name = |word: &&str| {
            let allowed =
                |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_:".contains(c);
            word.chars().all(allowed) && word.matches('_').count() >= 4
        };
        let named = line.split('`').skip(1).step_by(2).filter(is_name);
        let missing = |word: &&str| !functions.contains(word.rsplit("::").next().unwrap_or(word));
        let missing: Vec<&str> = named.filter(missing).collect();
        (!missing.is_empty()).then(|| format!("there is no fn {}", missing.join(", ")))
    })
}

/// Names of the functions that a source defines.
pub(crate) fn defined_functions(source: &str) -> impl Iterator<Item = &str> {
    source.split("fn ").skip(1).map(|rest| {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        &rest[..rest.find(|c| !is_word(c)).unwrap_or(rest.len())]
    })
}

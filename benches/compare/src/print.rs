//! A measured row as lines for a terminal, or as a line of a markdown table.

use orrery_benches::harness::{Samples, duration, verdict};

use crate::table::{Measured, Row, Tally};

/// How rows are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Text,
    Markdown,
}

/// Measures rows whose name contains one of the words, all without a word, and prints each as
/// soon as it is known.
pub(crate) fn rows(rows: &[Row], words: &[String], format: Format) -> Tally {
    let mut tally = Tally::default();
    if format == Format::Markdown {
        println!("{MARKDOWN_HEAD}");
    }
    for row in rows {
        let name = row.case.name;
        if words.is_empty() || words.iter().any(|word| name.contains(word.as_str())) {
            let measured = row.measure();
            tally.count(measured.met());
            match format {
                Format::Text => text(&measured),
                Format::Markdown => println!("{}", markdown(&measured)),
            }
        }
    }
    tally
}

/// For which processors everything in this program was built.
pub(crate) fn build() -> &'static str {
    if cfg!(all(
        target_feature = "avx2",
        target_feature = "fma",
        target_feature = "bmi2"
    )) {
        "built for x86-64-v3"
    } else if cfg!(target_arch = "x86_64") {
        "built for any x86-64"
    } else {
        "built for another architecture"
    }
}

fn said(met: Option<bool>) -> &'static str {
    met.map_or("  not judged", verdict)
}

fn text(measured: &Measured<'_>) {
    let (row, size) = (measured.row, measured.row.case.full);
    println!(
        "\n{:<26} {:>11} {:>11} {:>12} {:>9} {:>9}",
        row.case.name, "min", "median", "each", "min/ours", "med/ours"
    );
    let ours = &measured.ours;
    let rate = match row.case.bytes_each * size {
        0 => String::new(),
        bytes => format!("  {:.1} GB/s", bytes as f64 / ours.median()),
    };
    println!("{}{rate}", columns("ours", ours, ours, size));
    if let Some((case, samples)) = row.reference.iter().zip(&measured.reference).next() {
        println!(
            "{}",
            columns(reference_name(case.name), samples, ours, size)
        );
    }
    for (peer, samples) in row.peers.iter().zip(&measured.peers) {
        println!("{}", columns(peer.name, samples, ours, size));
    }
    if let Some(recorded) = row.recorded {
        println!("  recorded: {recorded}");
    }
    if let Some(probe) = &measured.probe {
        println!("  {probe}");
    }
    for (goal, met) in row.goals().iter().zip(measured.verdicts()) {
        println!("  goal {goal}{}", said(met));
    }
}

/// R, unless the reference is something else than the floor.
fn reference_name(case: &str) -> &str {
    match case {
        "walk_10k_zip" | "pass_1m_zip" => "R: zip loop",
        "pass_1m_warm_probe" | "pass_1m_cold_probe" => "R: probe",
        "pass_1m_warm" => "R: ours on one",
        "changes_writes_unmarked" => "R: ours unmarked",
        "fork_1m_copy" | "fork_1m_memcpy" => "R: memcpy",
        "hash_100mb_reading" => "R: reading",
        "hash_100mb_whole" => "R: whole",
        _ => "R",
    }
}

fn columns(name: &str, samples: &Samples, ours: &Samples, size: usize) -> String {
    format!(
        "  {name:<24} {:>11} {:>11} {:>12} {:>8.2}x {:>8.2}x",
        duration(samples.min()),
        duration(samples.median()),
        each(samples, size),
        samples.min() / ours.min(),
        samples.median() / ours.median(),
    )
}

fn each(samples: &Samples, size: usize) -> String {
    format!("{:.2} ns", samples.median() / size as f64)
}

const MARKDOWN_HEAD: &str = "\
| row | ours | each | R | hecs | bevy_ecs | recorded | goal | |
| --- | ---: | ---: | ---: | ---: | ---: | --- | --- | --- |";

/// Ours as a time, all others as multiples of it, medians both.
pub(crate) fn markdown(measured: &Measured<'_>) -> String {
    let (row, ours) = (measured.row, &measured.ours);
    let times = |samples: &Samples| format!("{:.2}x", samples.median() / ours.median());
    let library = |library: &str| {
        let peers = row.peers.iter().zip(&measured.peers);
        let named = peers.filter(|(peer, _)| peer.name.starts_with(library));
        let entries = named.map(|(peer, samples)| {
            let way = peer.name[library.len()..].trim_start();
            format!("{} {way}", times(samples)).trim_end().to_owned()
        });
        entries.collect::<Vec<_>>().join(", ")
    };
    let reference = match (&row.reference, &measured.reference) {
        (Some(case), Some(samples)) => {
            let what = reference_name(case.name).trim_start_matches("R: ");
            let what = Some(what).filter(|&what| what != "R").unwrap_or_default();
            format!("{} {what}", times(samples)).trim_end().to_owned()
        }
        _ => String::new(),
    };
    let floors = library("R");
    let references = [reference, floors]
        .into_iter()
        .filter(|text| !text.is_empty());
    let reference = references.collect::<Vec<_>>().join(", ");
    let goals = row.goals().join("; ");
    let met = match measured.met() {
        None => "not judged",
        Some(true) => "met",
        Some(false) => "missed",
    };
    format!(
        "| {} | {} | {} | {reference} | {} | {} | {} | {goals} | {met} |",
        row.case.name,
        duration(ours.median()),
        each(ours, row.case.full),
        library("hecs"),
        library("bevy_ecs"),
        row.recorded.unwrap_or_default(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ecs;

    #[test]
    fn a_markdown_line_has_as_many_columns_as_its_head() {
        let columns = |line: &str| line.matches('|').count();
        let head = MARKDOWN_HEAD.lines().map(columns).collect::<Vec<_>>();
        for row in ecs::rows() {
            let samples = |_| Samples::new(vec![1.0]);
            let measured = Measured {
                row: &row,
                ours: samples(0),
                reference: row.reference.is_some().then(|| samples(0)),
                peers: (0..row.peers.len()).map(samples).collect(),
                probe: None,
            };
            let line = markdown(&measured);
            assert_eq!(vec![columns(&line); 2], head, "{line}");
        }
    }
}

//! The same table by two builds of this program, row beside row: what everybody gets, and what
//! those get who build everything, ours and the peers, for a newer processor.

use std::process::Command;

use crate::print;
use crate::table::Row;

const HEAD: &str = "\
| row | ours | R | hecs | bevy_ecs | ours | R | hecs | bevy_ecs |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |";

/// What of a line of the markdown table stands beside: ours, R, hecs, bevy_ecs.
const COLUMNS: [usize; 4] = [2, 4, 5, 6];

/// Measures each row here and by another build of this program, and prints both as one line.
///
/// # Errors
/// In words, when the other program cannot be run or prints no such row.
pub(crate) fn rows(rows: &[Row], words: &[String], other: &str) -> Result<(), String> {
    println!("{}: {}", env!("CARGO_PKG_NAME"), print::build());
    println!("beside: {}\n\n{HEAD}", run(other, &["build"])?.trim());
    for row in rows {
        let name = row.case.name;
        if words.is_empty() || words.iter().any(|word| name.contains(word.as_str())) {
            let ours = print::markdown(&row.measure());
            let printed = run(other, &["ecs", "--markdown", name])?;
            let theirs = row_of(&printed, name)
                .ok_or_else(|| format!("{other} printed no row {name}; is it of this commit?"))?;
            println!("| {name} |{}{}", cells(&ours), cells(theirs));
        }
    }
    Ok(())
}

/// The line of a row in what `ecs --markdown` printed.
fn row_of<'a>(printed: &'a str, name: &str) -> Option<&'a str> {
    let is_it = |line: &&str| {
        line.split('|')
            .nth(1)
            .is_some_and(|cell| cell.trim() == name)
    };
    printed.lines().find(is_it)
}

fn cells(line: &str) -> String {
    let cells: Vec<&str> = line.split('|').collect();
    let chosen = COLUMNS.map(|column| cells.get(column).copied().unwrap_or_default());
    chosen.map(|cell| format!("{cell}|")).concat()
}

fn run(program: &str, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new(program).args(arguments).output();
    let output = output.map_err(|error| format!("{program} cannot be run: {error}"))?;
    if !output.status.success() {
        return Err(format!(
            "{program} {}: {}",
            arguments.join(" "),
            output.status
        ));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_found_by_its_whole_name_and_cut_to_four_cells() {
        let printed = "met\n| walk_long | 9 | 8 | 7 | 6 | 5 | r | g | met |\n\
                       | walk | 1 us | 2 ns | 0.9x | 5x a, 6x b | 4x | r | g | met |\n";
        let line = row_of(printed, "walk").expect("it is there");
        assert_eq!(cells(line), " 1 us | 0.9x | 5x a, 6x b | 4x |");
        assert_eq!(row_of(printed, "wal"), None);
        assert_eq!(HEAD.matches('|').count(), 2 * (2 + 2 * COLUMNS.len()));
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let told = run("no/such/program", &["build"]).expect_err("it is not there");
        assert!(told.starts_with("no/such/program cannot be run"), "{told}");
    }
}

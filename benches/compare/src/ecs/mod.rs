//! The rows about entities and components: the table of goals, line by line.
//!
//! Ours and R are cases of `orrery-benches`; a peer does the same work on the same values.

mod bevy;
mod hecs;
mod rows;

pub(crate) use rows::rows;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_a_goal_and_stands_there_once() {
        let rows = rows();
        for (index, row) in rows.iter().enumerate() {
            assert!(!row.goals().is_empty(), "{} has no goal", row.case.name);
            let same = |other: &&crate::table::Row| other.case.name == row.case.name;
            assert_eq!(
                rows[..index].iter().filter(same).count(),
                0,
                "{}",
                row.case.name
            );
        }
    }
}

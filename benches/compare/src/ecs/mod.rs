//! The rows about entities and components: the table of goals, line by line.
//!
//! Ours and R are cases of `orrery-benches`; a peer does the same work on the same values.

mod bevy;
mod hecs;
mod rows;

pub(crate) use rows::{peer, row, rows};

#[cfg(test)]
mod tests {
    use super::*;
    use orrery_benches::harness::Case;

    #[test]
    fn every_peer_gives_the_digest_of_ours_at_smoke_size() {
        for row in rows() {
            for peer in row.peers {
                let as_case = Case {
                    prepare: peer.prepare,
                    ..row.case
                };
                let (found, expected) = (as_case.smoke_result(), row.case.expected.smoke);
                assert_eq!(found, expected, "{} at {}", peer.name, row.case.name);
            }
        }
    }

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

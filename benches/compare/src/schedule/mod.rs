//! The rows about schedules.

mod bevy;
mod rows;
mod shipyard;
mod signals;
mod threads;

pub(crate) use rows::rows;

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
}

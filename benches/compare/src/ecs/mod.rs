//! The rows about entities and components.
//!
//! Ours and R are cases of `orrery-benches`; a peer does the same work on the same values.

mod bevy;
mod hecs;

use orrery_benches::cases;
use orrery_benches::harness::Work;

use crate::table::{Peer, Row};

type Prepare = fn(usize, u64) -> Box<dyn Work>;

/// All rows, in the order of the table.
pub(crate) fn rows() -> Vec<Row> {
    vec![
        row(
            "walk_10k_chunks_axpy",
            vec![
                peer("hecs for_each", hecs::walk, Some(2.7)),
                peer("bevy_ecs for_each", bevy::walk, Some(4.0)),
                peer("bevy_ecs contiguous", bevy::walk_contiguous, None),
            ],
        ),
        row(
            "walk_10k_for_each",
            vec![
                peer("hecs for_each", hecs::walk, None),
                peer("bevy_ecs for_each", bevy::walk, None),
            ],
        ),
        row(
            "walk_1m_chunks_axpy",
            vec![
                peer("hecs for_each", hecs::walk, None),
                peer("bevy_ecs for_each", bevy::walk, None),
                peer("bevy_ecs contiguous", bevy::walk_contiguous, None),
            ],
        ),
        row(
            "walk3_1m_chunks",
            vec![
                peer("hecs for_each", hecs::walk_three, Some(2.5)),
                peer("bevy_ecs for_each", bevy::walk_three, Some(3.0)),
            ],
        ),
        row("fork_1m_4_columns", Vec::new()),
        row("fork_1m_first_writes", Vec::new()),
        row("hash_100mb_whole", Vec::new()),
        row(
            "spawn_batch_1m_fresh",
            vec![
                peer("hecs", hecs::spawn_fresh, None),
                peer("bevy_ecs", bevy::spawn_fresh, None),
            ],
        ),
        row(
            "spawn_batch_1m_recycled",
            vec![
                peer("hecs", hecs::spawn_recycled, None),
                peer("bevy_ecs", bevy::spawn_recycled, None),
            ],
        ),
    ]
}

fn peer(name: &'static str, prepare: Prepare, ahead: Option<f64>) -> Peer {
    Peer {
        name,
        prepare,
        ahead,
    }
}

fn row(name: &str, peers: Vec<Peer>) -> Row {
    let cases = cases::ecs();
    let find = |name: &str| {
        let found = cases.iter().find(|case| case.name == name);
        *found.unwrap_or_else(|| panic!("no case is named {name}"))
    };
    let case = find(name);
    Row {
        case,
        reference: case.reference.map(find),
        peers,
    }
}

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

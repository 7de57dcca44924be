//! The rows about scripts: spawning and running them beside async-task and beside boxed futures,
//! which are R.

mod async_task;

use crate::table::{Row, peer, row};

/// All rows, in the order of the table.
pub(crate) fn rows() -> Vec<Row> {
    vec![
        row("task_spawn_run").peers([peer("async-task", async_task::spawn_run, None)]),
        row("task_spawn_run_detached").peers([peer("async-task", async_task::spawn_run, None)]),
        row("task_next_tick"),
        row("fibre_next_tick"),
        row("fibre_switch"),
    ]
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

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

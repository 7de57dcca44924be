//! The rows about time: timers among a million beside tokio's and beside a sorted map, which is R.

mod delay_queue;

use crate::table::{Row, peer, row};

/// All rows, in the order of the table.
pub(crate) fn rows() -> Vec<Row> {
    vec![
        row("timer_arm_1m").peers([peer("tokio DelayQueue", delay_queue::arm, Some(4.0))]),
        row("timer_cancel_1m").peers([peer("tokio DelayQueue", delay_queue::cancel, Some(4.0))]),
        row("stamp_now"),
        row("stamp_in_tick"),
    ]
}

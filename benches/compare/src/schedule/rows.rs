//! Which case and which peers make a row.

use super::bevy;
use crate::table::{Row, peer, row, shown};

/// Bytes that the probe beside a row of so many entities walks over, as the row does.
const FUSED: Option<usize> = Some(144 << 20);

/// All rows, in the order of the table.
pub(crate) fn rows() -> Vec<Row> {
    vec![
        row("schedule_nothing").peers([
            peer("bevy_ecs single", bevy::nothing_single, None),
            peer("bevy_ecs multi", bevy::nothing_multi, None),
        ]),
        row("schedule_100_empty").peers([
            peer("bevy_ecs single", bevy::empty_single, None),
            peer("bevy_ecs multi", bevy::empty_multi, None),
        ]),
        row("schedule_3_disjoint")
            .peers([
                peer("bevy_ecs single", bevy::disjoint_single, None),
                peer("bevy_ecs multi", bevy::disjoint_multi, None),
            ])
            .recorded("shipyard 100 us"),
        row("schedule_3_disjoint_two_workers").peers([
            shown("ours serial", "schedule_3_disjoint"),
            peer("bevy_ecs multi", bevy::disjoint_multi, None),
        ]),
        row("schedule_4_fused")
            .peers([
                shown("ours on two", "schedule_4_fused_two_workers"),
                peer("bevy_ecs single", bevy::four_single, None),
                peer("bevy_ecs multi", bevy::four_multi, None),
            ])
            .probe(FUSED),
    ]
}

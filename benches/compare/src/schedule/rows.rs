//! Which case and which peers make a row.

use super::{bevy, shipyard, signals, threads};
use crate::table::{Row, peer, row, shown};

/// Bytes that the probe beside a row of so many entities walks over, as the row does.
const FUSED: Option<usize> = Some(144 << 20);

/// All rows, in the order of the table.
pub(crate) fn rows() -> Vec<Row> {
    vec![
        row("schedule_nothing").peers([
            peer("bevy_ecs single", bevy::nothing_single, None),
            peer("bevy_ecs multi", bevy::nothing_multi, None),
            peer("shipyard", shipyard::nothing, None),
            peer("rayon scope", threads::nothing_rayon, None),
        ]),
        row("schedule_100_empty").peers([
            peer("bevy_ecs single", bevy::empty_single, None),
            peer("bevy_ecs multi", bevy::empty_multi, None),
            peer("shipyard", shipyard::empty, None),
            peer("rayon scope", threads::empty_rayon, None),
            peer("two std threads", threads::empty_threads, None),
        ]),
        row("schedule_3_disjoint").peers([
            peer("bevy_ecs single", bevy::disjoint_single, None),
            peer("bevy_ecs multi", bevy::disjoint_multi, None),
            peer("shipyard", shipyard::three, None),
        ]),
        row("schedule_3_disjoint_two_workers").peers([
            shown("ours serial", "schedule_3_disjoint"),
            peer("bevy_ecs multi", bevy::disjoint_multi, None),
            peer("shipyard", shipyard::three, None),
            peer("rayon loops", threads::three_loops, None),
            peer("rayon scope", threads::three_tasks, None),
            peer("std threads", threads::three_threads, None),
        ]),
        row("schedule_4_fused")
            .peers([
                shown("ours on two", "schedule_4_fused_two_workers"),
                peer("bevy_ecs single", bevy::four_single, None),
                peer("bevy_ecs multi", bevy::four_multi, None),
            ])
            .probe(FUSED),
        row("signal_none").peers([peer("bevy_ecs", signals::none, None)]),
        row("signal_1").peers([peer("bevy_ecs", signals::one, None)]),
        row("signal_10").peers([peer("bevy_ecs", signals::ten, None)]),
        row("signal_1_resource").peers([peer("bevy_ecs", signals::resource, None)]),
        row("signal_1_commands"),
    ]
}

//! Which case, which peers and which recorded figures make a row.

use orrery_benches::cases;
use orrery_benches::harness::Case;

use super::{bevy, hecs};
use crate::table::{Peer, Prepare, Row};

/// Bytes that the probe beside a row of so many entities walks over, as the row does.
const SMALL_PASS: Option<usize> = Some(24 << 20);
const PASS: Option<usize> = Some(36 << 20);
const WORLD: Option<usize> = Some(100 << 20);

/// All rows, in the order of the table.
pub(crate) fn rows() -> Vec<Row> {
    let mut rows = passes();
    rows.extend(entities());
    rows.extend(components());
    rows.extend(worlds());
    rows
}

fn passes() -> Vec<Row> {
    let hecs_walk = |ahead| peer("hecs for_each", hecs::walk, ahead);
    let bevy_walk = |ahead| peer("bevy_ecs for_each", bevy::walk, ahead);
    let hecs_pass = |ahead| peer("hecs for_each", hecs::pass, ahead);
    let bevy_pass = |ahead| peer("bevy_ecs for_each", bevy::pass, ahead);
    let contiguous = || peer("bevy_ecs contiguous", bevy::pass_contiguous, None);
    vec![
        row("walk_10k_chunks_axpy")
            .peers([
                hecs_walk(Some(2.7)),
                bevy_walk(Some(4.0)),
                peer("bevy_ecs contiguous", bevy::walk_contiguous, None),
            ])
            .recorded("EnTT group 1.27, view 3.4, shipyard 1.9 ns each"),
        row("walk_10k_for_each").peers([hecs_walk(None), bevy_walk(None)]),
        row("pass_1m_warm")
            .peers([hecs_pass(Some(2.5)), bevy_pass(Some(3.0)), contiguous()])
            .recorded("EnTT group 2.66, shipyard 5.26 ms")
            .probe(PASS),
        row("pass_1m_warm_time").probe(PASS),
        row("pass_1m_cold")
            .peers([
                shown("R", "pass_1m_cold_reference"),
                peer("hecs for_each", hecs::pass_cold, None),
                peer("bevy_ecs for_each", bevy::pass_cold, None),
            ])
            .probe(WORLD),
        row("pass_1m_two_workers")
            .peers([
                shown("R on two", "pass_1m_two_workers_reference"),
                peer("hecs on two", hecs::pass_on_two, None),
                peer("bevy_ecs on two", bevy::pass_on_two, None),
            ])
            .probe(PASS),
        row("pass_1m_for_each")
            .peers([hecs_pass(None), bevy_pass(None)])
            .probe(PASS),
        row("archetypes_26x20")
            .peers([
                peer("hecs prepared", hecs::archetypes, None),
                peer("bevy_ecs contiguous", bevy::archetypes, None),
            ])
            .recorded("shipyard 62 ns"),
        row("inverse_1k_x100").peers([
            peer("hecs", hecs::inverse, Some(4.0)),
            peer("bevy_ecs", bevy::inverse, Some(4.0)),
        ]),
    ]
}

fn entities() -> Vec<Row> {
    let hecs_batch = || peer("hecs batch", hecs::spawn_recycled, None);
    let bevy_batch = || peer("bevy_ecs batch", bevy::spawn_recycled, None);
    vec![
        row("spawn_batch_1m_fresh")
            .peers([
                peer("hecs batch", hecs::spawn_fresh, None),
                peer("bevy_ecs batch", bevy::spawn_fresh, None),
            ])
            .recorded("EnTT 145, shipyard 32 ns each")
            .probe(WORLD),
        row("spawn_batch_1m_recycled")
            .peers([hecs_batch(), bevy_batch()])
            .probe(WORLD),
        row("spawn_10k_columns")
            .peers([
                peer("hecs columns", hecs::spawn_columns, None),
                bevy_batch(),
            ])
            .recorded("flecs bulk 14.6, shipyard 12.6-25 ns each"),
        row("spawn_10k_tuples").peers([hecs_batch(), bevy_batch()]),
        row("spawn_10k_one_by_one")
            .peers([
                peer("hecs", hecs::spawn_one_by_one, None),
                peer("bevy_ecs", bevy::spawn_one_by_one, None),
            ])
            .recorded("shipyard 111 ns each"),
        row("despawn_1m_in_order")
            .peers([
                peer("hecs", hecs::despawn_in_order, None),
                peer("bevy_ecs", bevy::despawn_in_order, None),
            ])
            .recorded("EnTT 100 ns each")
            .probe(WORLD),
        row("despawn_1m_shuffled")
            .peers([
                peer("hecs", hecs::despawn_shuffled, None),
                peer("bevy_ecs", bevy::despawn_shuffled, None),
            ])
            .recorded("EnTT 1,310 ns each")
            .probe(WORLD),
        row("get_10k")
            .peers([
                peer("hecs view", hecs::get, None),
                peer("bevy_ecs query", bevy::get, None),
            ])
            .recorded("EnTT view 1.6 ns each"),
        row("get_1m_shuffled")
            .peers([
                peer("hecs view", hecs::get, None),
                peer("bevy_ecs query", bevy::get, None),
            ])
            .recorded("EnTT view 14.7 ns each")
            .probe(SMALL_PASS),
        row("get_many_1m")
            .peers([
                peer("hecs view", hecs::get_many, None),
                peer("bevy_ecs iter_many", bevy::get_many, None),
            ])
            .probe(SMALL_PASS),
    ]
}

fn components() -> Vec<Row> {
    vec![
        row("insert_10k_small")
            .peers([
                peer("hecs", hecs::insert_small, None),
                peer("bevy_ecs", bevy::insert_small, None),
            ])
            .recorded("EnTT 15 ns each"),
        row("insert_10k_100b")
            .peers([
                peer("hecs", hecs::insert_rich, None),
                peer("bevy_ecs", bevy::insert_rich, None),
            ])
            .recorded("EnTT 18 ns each"),
        row("insert_10k_by_query").peers([
            peer("hecs one by one", hecs::insert_by_query, None),
            peer("bevy_ecs batch", bevy::insert_batch, None),
        ]),
        row("insert_10k_small_sparse").peers([
            peer("hecs archetypes", hecs::insert_small, None),
            peer("bevy_ecs sparse", bevy::insert_sparse_small, None),
        ]),
        row("insert_10k_100b_sparse").peers([
            peer("hecs archetypes", hecs::insert_rich, None),
            peer("bevy_ecs sparse", bevy::insert_sparse_rich, None),
        ]),
    ]
}

fn worlds() -> Vec<Row> {
    vec![
        row("changes_1m_untouched").peers([
            peer("hecs tracker", hecs::changes, None),
            peer("bevy_ecs Changed", bevy::changes, None),
        ]),
        row("changes_writes_marked").peers([
            peer("hecs (no marks)", hecs::writes, None),
            peer("bevy_ecs marked", bevy::writes, None),
            peer("bevy_ecs unmarked", bevy::writes_unmarked, None),
        ]),
        row("fork_1m_4_columns").probe(WORLD),
        row("fork_1m_first_writes").probe(SMALL_PASS),
        row("hash_100mb_whole").probe(WORLD),
        row("hash_100mb_tenth").probe(WORLD),
    ]
}

pub(crate) fn peer(name: &'static str, prepare: Prepare, ahead: Option<f64>) -> Peer {
    Peer {
        name,
        prepare,
        ahead,
    }
}

/// Another case of ours at the same work, only shown.
fn shown(name: &'static str, case: &str) -> Peer {
    peer(name, find(case).prepare, None)
}

pub(crate) fn row(name: &str) -> Row {
    let case = find(name);
    Row {
        case,
        reference: case.reference.map(find),
        peers: Vec::new(),
        recorded: None,
        probe: None,
    }
}

fn find(name: &str) -> Case {
    let mut cases = cases::all().into_iter();
    let found = cases.find(|case| case.name == name);
    found.unwrap_or_else(|| panic!("no case is named {name}"))
}

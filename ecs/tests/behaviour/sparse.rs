//! Sparse components: beside the archetypes, and otherwise as any other.

use orrery_ecs::{
    Add, Changed, Component, Entity, Has, On, Remove, ResMut, Resource, With, Without, World,
};

use crate::support::{
    Burden, Frozen, Ledger, Num, Pos, Random, SeedOnFailure, Threads, burden, ignore, panic_of,
};
use std::collections::BTreeMap;

#[test]
fn a_sparse_component_comes_and_goes_without_a_move() {
    let mut world = World::new();
    let all: Vec<Entity> = world.spawn_batch((0..100).map(Num)).collect();
    let archetypes = world.archetypes().len();
    for (&entity, number) in all.iter().zip(0..) {
        world.insert(entity, Frozen(number)).expect("it lives");
    }
    assert_eq!(world.archetypes().len(), archetypes);
    for (&entity, number) in all.iter().zip(0..) {
        assert_eq!(world.get::<Frozen>(entity), Some(&Frozen(number)));
        assert!(world.entity(entity).contains::<Frozen>());
    }
    assert_eq!(world.remove::<Frozen>(all[3]), Ok(true));
    assert_eq!(world.remove::<Frozen>(all[3]), Ok(false));
    assert_eq!(world.get::<Frozen>(all[3]), None);
    world.get_mut::<Frozen>(all[4]).expect("it is there").0 = 70;
    assert_eq!(world.write(all[5], Frozen(80)), Ok(()));
    assert_eq!(world.read::<Frozen>(all[5]), Some(Frozen(80)));
    assert_eq!(
        world.take::<(Num, Frozen)>(all[4]),
        Ok((Num(4), Frozen(70)))
    );
    assert!(world.take::<Frozen>(all[4]).is_err());
    assert_eq!(world.query::<&Num>().iter(&world).count(), 99);
}

#[test]
fn forks_share_a_sparse_set_until_one_writes_and_hashes_see_it() {
    let (ledger, mut world) = (Ledger::default(), World::new());
    let bundles = (0..5000).map(|i| (Num(i), Burden::new(i, &ledger)));
    let all: Vec<Entity> = world.spawn_batch(bundles).collect();
    let before = world.state_hash();
    let mut fork = world.fork().expect("all can be cloned");
    assert_eq!((fork.state_hash(), ledger.made()), (before, 5000));
    fork.get_mut::<Burden>(all[7]).expect("it is there").number = 0;
    assert_eq!(
        (burden(&world, all[7]), burden(&fork, all[7])),
        (Some(7), Some(0))
    );
    assert_ne!(fork.state_hash(), before);
    assert_eq!(world.state_hash(), before);
    fork.get_mut::<Burden>(all[7]).expect("it is there").number = 7;
    assert_eq!(fork.state_hash(), before);
    fork.remove::<Burden>(all[0]).expect("it lives");
    world.despawn(all[1]).expect("it lives");
    assert_eq!(
        (burden(&world, all[0]), burden(&fork, all[0])),
        (Some(0), None)
    );
    assert_eq!(
        (burden(&world, all[1]), burden(&fork, all[1])),
        (None, Some(1))
    );
    drop(world);
    drop(fork);
    assert_eq!(ledger.alive(), 0);
}

#[test]
fn a_clone_that_panics_leaves_both_kinds_of_component_as_they_were() {
    let (ledger, mut world) = (Ledger::default(), World::new());
    let bundles = (0..50).map(|i| (Num(i), Burden::new(i, &ledger)));
    let all: Vec<Entity> = world.spawn_batch(bundles).collect();
    let fork = world.fork().expect("all can be cloned");
    let before = world.state_hash();
    let bundle = || {
        (
            Pos {
                x: 0.0,
                y: 0.0,
                z: 0.0,
            },
            Frozen(1),
        )
    };
    for number in [1, 20] {
        ledger.panic_in_clone(number);
        assert!(panic_of(|| world.despawn(all[2]).expect("it lives")).is_some());
        ledger.panic_in_clone(number);
        assert!(panic_of(|| drop(world.take::<(Num, Burden)>(all[2]))).is_some());
        ledger.panic_in_clone(number);
        assert!(panic_of(|| ignore(world.spawn(Burden::new(9, &ledger)))).is_some());
        assert_eq!(world.state_hash(), before);
    }
    world.insert(all[2], bundle()).expect("it lives");
    assert_eq!(world.get::<Frozen>(all[2]), Some(&Frozen(1)));
    drop(fork);
    world.despawn(all[2]).expect("it lives");
    assert_eq!(ledger.alive(), 49);
}

#[test]
fn changes_by_filter_reach_sparse_components_too() {
    let (ledger, mut world) = (Ledger::default(), World::new());
    world.spawn_batch((0..10).map(Num));
    let inserted = world.insert_where::<With<Num>, _>((Frozen(1), Burden::new(5, &ledger)));
    assert_eq!((inserted, ledger.alive()), (10, 10));
    assert_eq!(world.remove_where::<With<Num>, Burden>(), 10);
    assert_eq!(world.remove_where::<With<Num>, Burden>(), 0);
    assert_eq!(ledger.alive(), 0);
    world.insert_where::<With<Num>, _>(Burden::new(6, &ledger));
    assert_eq!(world.despawn_where::<With<Num>>(), 10);
    assert_eq!((ledger.alive(), world.len()), (0, 0));
}

#[test]
fn random_changes_leave_a_sparse_set_like_a_map() {
    let seed = 0x5ba2_5e00;
    let _seed = SeedOnFailure(seed);
    let mut random = Random::new(seed);
    let (ledger, mut world) = (Ledger::default(), World::new());
    let mut all: Vec<Entity> = Vec::new();
    let mut model: BTreeMap<Entity, u32> = BTreeMap::new();
    let mut kept = None;
    for step in 0..60_000_u32 {
        let entity = all.get(random.below(all.len().max(1))).copied();
        match (random.below(8), entity) {
            (0, _) if all.len() < 6_000 => {
                let entity = world.spawn((Num(step), Burden::new(step, &ledger))).id();
                model.insert(entity, step);
                all.push(entity);
            }
            (1, _) if all.len() < 6_000 => all.push(world.spawn(Num(step)).id()),
            (2 | 3, Some(entity)) => {
                world
                    .insert(entity, Burden::new(step, &ledger))
                    .expect("it lives");
                model.insert(entity, step);
            }
            (4, Some(entity)) => {
                let removed = world.remove::<Burden>(entity).expect("it lives");
                assert_eq!(removed, model.remove(&entity).is_some());
            }
            (5, Some(entity)) => {
                let taken = world
                    .take::<Burden>(entity)
                    .ok()
                    .map(|burden| burden.number);
                assert_eq!(taken, model.remove(&entity));
            }
            (6, Some(entity)) if random.one_in(3) => {
                world.despawn(entity).expect("it lives");
                model.remove(&entity);
                all.retain(|&other| other != entity);
            }
            _ => {}
        }
        if step % 5_000 == 0 {
            assert!(
                all.iter()
                    .all(|&e| burden(&world, e) == model.get(&e).copied())
            );
            kept = Some(world.fork().expect("all can be cloned"));
        }
    }
    drop(kept);
    assert_eq!(ledger.alive(), model.len() as i64);
}

#[derive(Clone, Copy, Debug, PartialEq, Component)]
#[component(sparse, track)]
struct Hot(u32);

/// 9,000 numbers, every seventh frozen and hot, and ten with a position.
fn frozen_world() -> (World, Vec<Entity>) {
    let mut world = World::new();
    let all: Vec<Entity> = world.spawn_batch((0..9000).map(Num)).collect();
    world.spawn_batch((0..10).map(|i| {
        (
            Num(i),
            Pos {
                x: 0.0,
                y: 0.0,
                z: 0.0,
            },
        )
    }));
    for (&entity, number) in all.iter().zip(0..).step_by(7) {
        world
            .insert(entity, (Frozen(number), Hot(number)))
            .expect("it lives");
    }
    (world, all)
}

#[test]
fn queries_give_and_write_sparse_components_in_the_order_of_the_rows() {
    let (mut world, all) = frozen_world();
    let mut both = world.query::<(Entity, &Num, &mut Frozen)>();
    let found: Vec<Entity> = both.iter(&world).map(|(entity, ..)| entity).collect();
    assert!(found.iter().eq(all.iter().step_by(7)));
    let fork = world.fork().expect("all can be cloned");
    let before = fork.state_hash();
    both.view_mut(&mut world)
        .for_each(|(_, num, frozen)| frozen.0 = num.0 + 1);
    assert_ne!(world.state_hash(), before);
    assert_eq!(fork.state_hash(), before);
    both.view_mut(&mut world)
        .par_for_each(&Threads(3), |(_, num, frozen)| {
            assert_eq!(frozen.0, num.0 + 1);
            frozen.0 -= 1;
        });
    assert_eq!(world.state_hash(), before);
}

#[test]
fn filters_and_optional_terms_ask_each_row_for_a_sparse_component() {
    let (mut world, all) = frozen_world();
    let without = world
        .query_filtered::<Entity, Without<Frozen>>()
        .iter(&world)
        .count();
    let with = world
        .query_filtered::<&Num, (With<Frozen>, Without<Pos>)>()
        .iter(&world)
        .count();
    assert_eq!((with, without), (1286, 9010 - 1286));
    let mut optional = world.query::<(Has<Frozen>, Option<&Frozen>)>();
    assert!(
        optional
            .iter(&world)
            .all(|(has, frozen)| has == frozen.is_some())
    );
    let mut hot = world.query_filtered::<Entity, Changed<Hot>>();
    hot.set_last_run(world.change_tick());
    world.advance_change_tick();
    assert_eq!(hot.iter(&world).count(), 0);
    let mut one = world.query::<&mut Hot>();
    one.view_mut(&mut world)
        .get_mut(all[14])
        .expect("it has it")
        .0 = 1;
    assert!(hot.iter(&world).eq([all[14]]));
    assert!(one.view(&world).get(all[15]).is_err());
    assert_eq!(world.despawn_where::<With<Hot>>(), 1286);
    assert_eq!(
        world.insert_where::<Without<Frozen>, _>(Frozen(3)),
        9010 - 1286
    );
    assert_eq!(world.remove_where::<With<Frozen>, Num>(), 9010 - 1286);
    assert_eq!(world.query::<&Num>().iter(&world).count(), 0);
}

/// A world that has let a sparse component come and go, and so knows the short way.
fn practised_world() -> (World, Vec<Entity>) {
    let mut world = World::new();
    let all: Vec<Entity> = world.spawn_batch((0..100).map(Num)).collect();
    for _ in 0..2 {
        for &entity in &all {
            world.insert(entity, Frozen(1)).expect("it lives");
        }
        for &entity in &all {
            assert_eq!(world.remove::<Frozen>(entity), Ok(true));
        }
    }
    (world, all)
}

#[test]
fn a_practised_world_gives_a_sparse_component_to_the_living_alone() {
    let (mut world, all) = practised_world();
    // Keeps the set's block open.
    world.insert(all[9], Frozen(9)).expect("it lives");
    let dead = all[3];
    world.insert(dead, Frozen(3)).expect("it lives");
    world.despawn(dead).expect("it lives");
    assert!(world.insert(dead, Frozen(4)).is_err() && world.remove::<Frozen>(dead).is_err());
    let heir = world.spawn(Num(7)).id();
    assert_eq!(heir.index(), dead.index());
    assert!(world.insert(dead, Frozen(5)).is_err() && world.remove::<Frozen>(dead).is_err());
    assert_eq!(world.get::<Frozen>(heir), None);
    world.insert(heir, Frozen(6)).expect("it lives");
    assert!(world.remove::<Frozen>(dead).is_err());
    world.insert(heir, Frozen(7)).expect("it lives");
    assert_eq!(world.get::<Frozen>(heir), Some(&Frozen(7)));
    assert_eq!(world.remove::<Frozen>(heir), Ok(true));
    assert_eq!(world.remove::<Frozen>(heir), Ok(false));
}

#[test]
fn forks_of_a_practised_world_keep_their_sparse_components_apart() {
    let (mut world, all) = practised_world();
    world.insert(all[0], Frozen(1)).expect("it lives");
    let (mut fork, hash) = (
        world.fork().expect("all of it is cloned"),
        world.state_hash(),
    );
    world.insert(all[1], Frozen(2)).expect("it lives");
    assert_ne!(world.state_hash(), hash);
    assert_eq!(world.remove::<Frozen>(all[0]), Ok(true));
    assert_eq!(fork.state_hash(), hash);
    assert_eq!(fork.get::<Frozen>(all[0]), Some(&Frozen(1)));
    assert_eq!(fork.remove::<Frozen>(all[1]), Ok(false));
    fork.insert(all[2], Frozen(3)).expect("it lives");
    assert_eq!(world.get::<Frozen>(all[2]), None);
    assert_eq!(world.get::<Frozen>(all[1]), Some(&Frozen(2)));
}

#[test]
fn a_practised_world_tells_those_who_begin_to_watch() {
    let (mut world, all) = practised_world();
    world.insert_resource(Told(0));
    world.add_observer(|_: On<Add, Frozen>, mut told: ResMut<Told>| told.0 += 1);
    world.add_observer(|_: On<Remove, Frozen>, mut told: ResMut<Told>| told.0 += 100);
    world.insert(all[5], Frozen(5)).expect("it lives");
    assert_eq!(world.remove::<Frozen>(all[5]), Ok(true));
    assert_eq!(world.get_resource::<Told>().map(|told| told.0), Some(101));
}

#[derive(Clone, Copy, Resource)]
struct Told(u32);

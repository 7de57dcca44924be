//! Components: dropped once, aligned, moved from archetype to archetype. Sentences 11 to 24; 22 is
//! in `behaviour/dynamic.rs`, the one file of these tests that needs `unsafe`.

use orrery_ecs::{CommandQueue, Commands, Component, ComponentError, Entity, World};

use crate::support::{
    Burden, Frozen, Ghost, Ledger, Named, Num, Parts, Pos, Wide, burden, ignore, named, panic_of,
    whole,
};

#[derive(Clone, Copy, Component)]
#[repr(align(64))]
struct Line(u8);

/// Each way out of a world, with a check of what is left after each step.
#[test]
fn each_value_is_dropped_once_over_despawn_remove_overwrite_clear_and_the_end_of_the_world() {
    let (ledger, mut world) = (Ledger::default(), World::new());
    let named = |number| Named::new(number, &ledger);
    let rows = world.spawn_batch((0..5000).map(|i| (Num(i), named(i))));
    let all: Vec<Entity> = rows.collect();
    let after = |alive: i64, made: u64| assert_eq!((ledger.alive(), ledger.made()), (alive, made));
    after(5000, 5000);
    for (gone, &entity) in all[..100].iter().enumerate() {
        world.despawn(entity).expect("it lives");
        after(4999 - gone as i64, 5000);
    }
    world.remove::<Named>(all[100]).expect("it lives");
    after(4899, 5000);
    let taken = world.take::<Named>(all[101]).expect("it is there");
    assert_eq!(taken.number(), 101);
    after(4899, 5000);
    drop(taken);
    after(4898, 5000);
    world
        .insert(all[102], (named(1), Wide(1)))
        .expect("it lives");
    after(4898, 5001);
    assert!(world.insert(all[0], named(2)).is_err(), "it is dead");
    after(4898, 5002);
    world.clear();
    after(0, 5002);
    // What is left are the handles' generations, 12 bytes an entity in pages of 1,024.
    assert_eq!(world.pool_usage().used_bytes, 5 * 1024 * 12);
    world.spawn_batch((0..5000).map(named));
    drop(world);
    after(0, 10_002);
}

#[test]
fn a_drop_of_a_value_without_a_byte_is_counted_too() {
    type Spirit = Ghost<1>;
    let mut world = World::new();
    let all: Vec<Entity> = world
        .spawn_batch((0..5000).map(|_| (Spirit::new(), Num(1))))
        .collect();
    assert_eq!(Spirit::alive(), 5000);
    world.despawn(all[0]).expect("it lives");
    world.remove::<Spirit>(all[1]).expect("it lives");
    world.insert(all[2], Spirit::new()).expect("it lives");
    drop(world.take::<Spirit>(all[3]).expect("it is there"));
    assert_eq!(Spirit::alive(), 4997);
    let mut fork = world.fork().expect("it can be cloned");
    assert_eq!(Spirit::alive(), 4997);
    fork.despawn(all[4]).expect("it lives");
    assert_eq!(Spirit::alive(), 4997 + 4095 + 1 + (4997 - 4096 - 1));
    drop(world);
    assert_eq!(Spirit::alive(), 4996);
    fork.clear();
    assert_eq!(Spirit::alive(), 0);
}

#[test]
fn over_aligned_components_stay_aligned_after_growth_and_swap_remove() {
    fn check(world: &mut World, what: &str) {
        let mut query = world.query::<(&Line, &Wide, &Num)>();
        for (line, wide, num) in query.iter(world) {
            assert_eq!((&raw const *line).addr() % 64, 0, "{what}");
            assert_eq!((&raw const *wide).addr() % 4096, 0, "{what}");
            assert_eq!((u64::from(num.0), num.0 as u8), (wide.0, line.0), "{what}");
        }
    }
    let mut world = World::new();
    let mut all = Vec::new();
    // Over the border of two blocks; a block of pages is larger than a slab of the pool.
    for number in 0..4100_u32 {
        let values = (Line(number as u8), Wide(u64::from(number)), Num(number));
        all.push(world.spawn(values).id());
        if [1, 15, 16, 17, 32, 33, 2049, 4096, 4097].contains(&all.len()) {
            check(&mut world, "growth");
        }
    }
    let mut fork = world.fork().expect("all can be cloned");
    for &entity in all.iter().step_by(3) {
        fork.despawn(entity).expect("it lives");
    }
    check(&mut fork, "swap-remove");
    fork.query::<&mut Wide>()
        .iter_mut(&mut fork)
        .for_each(|_| ());
    check(&mut fork, "copied for a write");
    check(&mut world, "origin of a fork");
    let parts = Parts {
        a: 0.0,
        b: 0.0,
        c: 0,
    };
    fork.insert(all[1], parts).expect("it lives");
    check(&mut fork, "move");
}

#[test]
fn inserting_an_existing_component_overwrites_it_without_an_archetype_move() {
    let (ledger, mut world) = (Ledger::default(), World::new());
    let entity = world.spawn((Num(1), Named::new(1, &ledger))).id();
    let place = |world: &World| world.entity(entity).archetype().map(|found| found.id());
    let before = (place(&world), world.archetypes().len());
    world
        .insert(entity, Named::new(2, &ledger))
        .expect("it lives");
    assert_eq!((place(&world), world.archetypes().len()), before);
    assert_eq!(world.get::<Named>(entity).map(Named::number), Some(2));
    assert_eq!((ledger.made(), ledger.alive()), (2, 1));
}

#[test]
fn any_order_of_inserts_and_removes_reaches_the_same_archetype() {
    let mut world = World::new();
    let place = |world: &World, entity| world.entity(entity).archetype().map(|found| found.id());
    let a = world.spawn(Num(1)).insert(Wide(1)).insert(Line(1)).id();
    let b = world.spawn(Line(2)).insert((Wide(2), Num(2))).id();
    let c = world
        .spawn((
            Num(3),
            Line(3),
            Wide(3),
            Pos {
                x: 0.0,
                y: 0.0,
                z: 0.0,
            },
        ))
        .id();
    world.remove::<Pos>(c).expect("it lives");
    assert_eq!(place(&world, a), place(&world, b));
    assert_eq!(place(&world, a), place(&world, c));
}

#[test]
fn removing_a_missing_component_reports_it_and_changes_nothing() {
    let mut world = World::new();
    let entity = world.spawn(Num(1)).id();
    let before = world.state_hash();
    assert_eq!(world.remove::<Pos>(entity), Ok(false));
    let error = world.take::<(Num, Pos)>(entity).expect_err("no Pos");
    let component = std::any::type_name::<Pos>();
    assert_eq!(
        error,
        ComponentError::MissingComponent { entity, component }
    );
    assert_eq!(world.state_hash(), before);
    assert_eq!(world.remove::<(Num, Pos)>(entity), Ok(true));
    assert!(world.get::<Num>(entity).is_none());
}

#[test]
fn a_removal_corrects_the_location_of_the_row_that_it_moves() {
    let mut world = World::new();
    let all: Vec<Entity> = world
        .spawn_batch((0..10).map(|i| (Num(i), Line(i as u8))))
        .collect();
    world.remove::<Line>(all[2]).expect("it lives");
    world.despawn(all[9]).expect("it lives");
    world.despawn(all[0]).expect("it lives");
    for (number, &entity) in all.iter().enumerate() {
        let expected = (![0, 9].contains(&number)).then_some(Num(number as u32));
        assert_eq!(world.get::<Num>(entity).copied(), expected);
    }
    let order: Vec<Entity> = world
        .query::<(Entity, &Line)>()
        .iter(&world)
        .map(|x| x.0)
        .collect();
    assert_eq!(order, [7, 1, 8, 3, 4, 5, 6].map(|number| all[number]));
}

/// No archetype of the steps between is ever made, neither that of the removal nor that of the
/// insertion alone, and what stays keeps its value.
#[test]
fn components_are_exchanged_in_one_move() {
    let (ledger, mut world) = (Ledger::default(), World::new());
    let all: Vec<Entity> = world
        .spawn_batch((0..100).map(|i| (Named::new(i, &ledger), Num(i))))
        .collect();
    let before = world.archetypes().len();
    let mut queue = CommandQueue::default();
    let mut commands = Commands::new(&mut queue, &world);
    for (&entity, number) in all.iter().zip(0..) {
        let mut entity = commands.entity(entity);
        // In one order and the other.
        if number % 2 == 0 {
            entity.remove::<Num>().insert(Wide(number));
        } else {
            entity.insert(Wide(number)).remove::<Num>();
        }
    }
    queue.apply(&mut world);
    assert_eq!(world.archetypes().len(), before + 1);
    for (&entity, number) in all.iter().zip(0..) {
        assert_eq!(world.get::<Num>(entity), None);
        assert_eq!(world.get::<Wide>(entity), Some(&Wide(number)));
        assert_eq!(
            world.get::<Named>(entity).map(Named::number),
            Some(number as u32)
        );
    }
    assert_eq!((ledger.alive(), ledger.made()), (100, 100));
}

#[test]
fn a_panic_in_a_drop_while_overwriting_leaves_the_world_usable() {
    let ledger = Ledger::default();
    let (mut world, all) = named(20, &ledger);
    ledger.panic_in_drop(1);
    let panic = panic_of(|| {
        world
            .insert(all[3], Named::new(3, &ledger))
            .expect("it lives")
    });
    assert_eq!(panic.as_deref(), Some("planned panic in a drop"));
    assert_eq!(ledger.alive(), 20);
    ledger.panic_in_drop(1);
    let parts = Parts {
        a: 1.0,
        b: 2.0,
        c: 3,
    };
    let panic = panic_of(|| {
        world
            .insert(all[4], (Named::new(4, &ledger), parts))
            .expect("lives")
    });
    assert!(panic.is_some() && world.read::<Parts>(all[4]) == Some(parts));
    whole(&mut world, &ledger, 20);
    drop(world);
    assert_eq!(ledger.alive(), 0);
}

#[test]
fn a_type_twice_in_one_bundle_is_refused() {
    let mut world = World::new();
    let entity = world.spawn(Num(1)).id();
    let before = world.state_hash();
    let tries: [fn(&mut World, Entity); 4] = [
        |world, _| ignore(world.spawn((Num(1), Wide(1), Num(2))).id()),
        |world, entity| {
            world
                .insert(entity, (Num(1), (Num(2), Wide(0))))
                .expect("it lives")
        },
        |world, entity| ignore(world.remove::<(Num, Num)>(entity)),
        |world, entity| ignore(world.take::<(Num, Num)>(entity)),
    ];
    for (number, refused) in tries.into_iter().enumerate() {
        let message = panic_of(|| refused(&mut world, entity)).expect("a panic");
        assert!(message.contains("Num twice"), "try {number}: {message}");
        assert_eq!(world.state_hash(), before);
    }
    assert_eq!(world.len(), 1);
}

#[test]
fn an_empty_bundle_spawns_into_the_empty_archetype_without_a_conflict() {
    let mut world = World::new();
    let entity = world.spawn(()).id();
    let archetype = world.entity(entity).archetype().expect("a row");
    assert_eq!(
        (archetype.id().index(), archetype.components().len()),
        (0, 0)
    );
    world.insert(entity, ()).expect("it lives");
    assert_eq!(world.remove::<()>(entity), Ok(false));
    assert_eq!(
        world.query::<Entity>().iter(&world).collect::<Vec<_>>(),
        [entity]
    );
    world.insert(entity, Num(1)).expect("it lives");
    world.remove::<Num>(entity).expect("it lives");
    assert_eq!(
        world.entity(entity).archetype().map(|a| a.id().index()),
        Some(0)
    );
}

#[derive(Clone, Copy, Debug, PartialEq, Component)]
#[require(Frozen(1), Wide = Wide(2), Num(3))]
struct Needy;

/// All the ways in are in `behaviour/required.rs`.
#[test]
fn required_components_are_added_and_never_overwrite_given_values() {
    let mut world = World::new();
    let values = |world: &World, entity| {
        let entity = world.entity(entity);
        let frozen = entity.get::<Frozen>().map(|frozen| frozen.0);
        let wide = entity.get::<Wide>().map(|wide| wide.0);
        (frozen, wide, entity.get::<Num>().map(|num| num.0))
    };
    let alone = world.spawn(Needy).id();
    assert_eq!(values(&world, alone), (Some(1), Some(2), Some(3)));
    let given = world.spawn((Frozen(10), Needy, Num(30))).id();
    assert_eq!(values(&world, given), (Some(10), Some(2), Some(30)));
    let there = world.spawn((Wide(20), Frozen(11))).id();
    world.insert(there, Needy).expect("it lives");
    assert_eq!(values(&world, there), (Some(11), Some(20), Some(3)));
    world.insert(there, (Num(31), Needy)).expect("it lives");
    assert_eq!(values(&world, there), (Some(11), Some(20), Some(31)));
    let mut queue = CommandQueue::default();
    let mut commands = Commands::new(&mut queue, &world);
    let queued = commands.spawn(Needy).insert(Num(32)).id();
    queue.apply(&mut world);
    assert_eq!(values(&world, queued), (Some(1), Some(2), Some(32)));
}

#[test]
fn despawn_takes_components_of_tables_and_of_sparse_sets_alike() {
    let (ledger, mut world) = (Ledger::default(), World::new());
    let old = world
        .spawn((Num(1), Burden::new(1, &ledger), Frozen(2)))
        .id();
    world.despawn(old).expect("it lives");
    assert_eq!(ledger.alive(), 0);
    let new = world.spawn(Num(2)).id();
    assert_eq!(new.index(), old.index());
    assert_eq!((burden(&world, new), burden(&world, old)), (None, None));
    world
        .insert(new, Burden::new(3, &ledger))
        .expect("it lives");
    world.clear();
    assert_eq!(ledger.alive(), 0);
    let entity = world.spawn(Burden::new(4, &ledger)).id();
    assert_eq!(burden(&world, entity), Some(4));
    drop(world);
    assert_eq!(ledger.alive(), 0);
}

//! Components: moves between archetypes, alignment, sizes of blocks.

use orrery_ecs::{BLOCK_ROWS, Component, ComponentError, Entity, World};

use crate::support::{Ledger, Named, Num, Parts, Pos, Wide, ignore, panic_of};

#[derive(Clone, Copy, Component)]
#[repr(align(64))]
struct Line(u8);

#[test]
fn inserting_what_is_there_overwrites_without_a_move() {
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
fn the_order_of_inserts_and_removes_reaches_the_same_archetype() {
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
fn removing_what_is_missing_says_so_and_changes_nothing() {
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
fn a_row_that_fills_a_gap_is_found_again() {
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

#[test]
fn taking_and_inserting_carries_values_through_every_kind_of_column() {
    let (ledger, mut world) = (Ledger::default(), World::new());
    let parts = Parts {
        a: 1.5,
        b: -2.5,
        c: 7,
    };
    let entity = world
        .spawn((Num(1), parts, Named::new(9, &ledger), Wide(4)))
        .id();
    let (named, got, wide) = world
        .take::<(Named, Parts, Wide)>(entity)
        .expect("all there");
    assert_eq!((named.number(), got, wide), (9, parts, Wide(4)));
    assert_eq!(world.get::<Num>(entity), Some(&Num(1)));
    assert!(world.read::<Parts>(entity).is_none());
    world.insert(entity, (wide, named, got)).expect("it lives");
    assert_eq!(world.read::<Parts>(entity), Some(parts));
    assert!(world.take::<()>(entity).is_ok());
    assert_eq!((ledger.made(), ledger.alive()), (1, 1));
}

#[test]
fn a_component_twice_in_a_bundle_is_refused_by_name() {
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
fn an_empty_bundle_lives_in_the_empty_archetype() {
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

#[test]
fn over_aligned_components_stay_aligned_through_growth_removal_and_fork() {
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
    for number in 0..40_u32 {
        let values = (Line(number as u8), Wide(u64::from(number)), Num(number));
        all.push(world.spawn(values).id());
        if [1, 15, 16, 17, 32, 33].contains(&all.len()) {
            check(&mut world, "growth");
        }
    }
    let mut fork = world.fork().expect("all can be cloned");
    for &entity in all.iter().step_by(3) {
        fork.despawn(entity).expect("it lives");
    }
    fork.query::<&mut Wide>()
        .iter_mut(&mut fork)
        .for_each(|_| ());
    check(&mut fork, "fork");
    check(&mut world, "swap-remove");
    fork.insert(
        all[1],
        Parts {
            a: 0.0,
            b: 0.0,
            c: 0,
        },
    )
    .expect("it lives");
    check(&mut fork, "move");
}

#[test]
fn every_length_around_the_growth_of_blocks_keeps_all_rows() {
    let lengths = [
        1, 15, 16, 17, 31, 32, 33, 2048, 2049, 4095, 4096, 4097, 8191, 8192, 8193,
    ];
    for &length in &lengths {
        let rows = |i: u32| {
            (
                Num(i),
                Parts {
                    a: i as f32,
                    b: f64::from(i),
                    c: i as u16,
                },
            )
        };
        let (mut one, mut many) = (World::new(), World::new());
        for i in 0..length {
            one.spawn(rows(i));
        }
        many.spawn_batch((0..length).map(rows));
        for world in [&mut one, &mut many] {
            let mut lengths = Vec::new();
            let mut next = 0;
            let mut query = world.query::<(&Num, orrery_ecs::Fields<&Parts>)>();
            query.view(world).for_each_chunk(|(nums, parts)| {
                assert_eq!((nums.len(), nums.len()), (parts.a.len(), parts.c.len()));
                assert_eq!((&raw const nums[0]).addr() % 64, 0);
                lengths.push(nums.len());
                for (index, num) in nums.iter().enumerate() {
                    assert_eq!(*num, Num(next));
                    assert_eq!(
                        (parts.a[index], parts.b[index]),
                        (next as f32, f64::from(next))
                    );
                    next += 1;
                }
            });
            let blocks = (length as usize).div_ceil(BLOCK_ROWS);
            assert_eq!((lengths.len(), next), (blocks, length));
            assert!(lengths[..blocks - 1].iter().all(|&rows| rows == BLOCK_ROWS));
        }
        assert_eq!(one.state_hash(), many.state_hash(), "of {length} rows");
    }
}

#[test]
fn going_back_and_forth_over_the_border_of_two_blocks_keeps_all_rows() {
    let (ledger, mut world) = (Ledger::default(), World::new());
    let mut all: Vec<Entity> = world
        .spawn_batch((0..4094).map(|i| Named::new(i, &ledger)))
        .collect();
    for round in 0..30_u32 {
        for number in 0..6 {
            all.push(world.spawn(Named::new(5000 + number, &ledger)).id());
        }
        for _ in 0..6 {
            let gone = all.swap_remove((round as usize * 131) % all.len());
            world.despawn(gone).expect("it lives");
        }
        assert_eq!((world.len(), ledger.alive()), (4094, 4094));
    }
    let order: Vec<Entity> = world.query::<Entity>().iter(&world).collect();
    assert_eq!(order, all);
}

//! Changes of many entities: all change first, then each entity's events follow in order of rows.

use orrery_ecs::{Add, Commands, Entity, Insert, On, Query, Remove, ResMut, With, Without, World};

use super::{Blue, Log, Red, Tag, lines, note_all, take_log, world_with_log};
use crate::support::{Ledger, Named, Num, ignore, panic_of};

fn events(entities: &[Entity], each: &[&str]) -> Vec<String> {
    entities
        .iter()
        .flat_map(|&entity| lines(entity, each))
        .collect()
}

/// Notes how many entities have a component when one is added.
fn note_count(world: &mut World) {
    world.add_observer(|_: On<Add, Red>, reds: Query<&Red>, mut log: ResMut<Log>| {
        log.0.push(format!("of {}", reds.len()));
    });
}

#[test]
fn a_batch_is_spawned_whole_before_anybody_hears_of_it() {
    let mut world = world_with_log();
    note_count(&mut world);
    let entities: Vec<Entity> = world
        .spawn_batch((0..5000).map(|i| (Num(i), Red)))
        .collect();
    assert_eq!(take_log(&mut world), vec!["of 5000"; 5000]);
    assert_eq!(world.get::<Num>(entities[4999]), Some(&Num(4999)));
    let nums: Vec<Num> = (0..10).map(Num).collect();
    let spawned = world
        .spawn_columns(10, (nums, |_: usize| Red))
        .expect("ten of each");
    assert_eq!(spawned.count(), 10);
    assert_eq!(take_log(&mut world), vec!["of 5010"; 10]);
}

#[test]
fn handles_of_a_batch_are_right_even_if_observers_move_its_entities() {
    let mut world = world_with_log();
    note_all::<Red>(&mut world, "red");
    world.add_observer(
        |on: On<Add, Red>, nums: Query<&Num>, mut commands: Commands| match nums
            .get(on.entity())
            .map(|num| num.0 % 3)
        {
            Ok(0) => commands.despawn(on.entity()),
            Ok(1) => commands.insert(on.entity(), Blue),
            _ => {}
        },
    );
    let batch = world.spawn_batch((0..9).map(|i| (Num(i), Red)));
    assert_eq!(batch.len(), 9);
    let entities: Vec<Entity> = batch.collect();
    for (number, &entity) in entities.iter().enumerate() {
        let expected = (number % 3 != 0).then_some(Num(number as u32));
        assert_eq!(world.get::<Num>(entity).copied(), expected);
    }
    let (ledger, mut world) = (Ledger::default(), world_with_log());
    note_all::<Tag>(&mut world, "tag");
    let sparse = (0..4).map(|i| (Tag::new(i, &ledger), Num(i)));
    let entities: Vec<Entity> = world.spawn_batch(sparse).collect();
    assert_eq!(take_log(&mut world), events(&entities, &["+tag", "=tag"]));
}

#[test]
fn an_iterator_that_panics_gives_events_for_what_it_gave_before() {
    let (ledger, mut world) = (Ledger::default(), world_with_log());
    note_all::<Red>(&mut world, "red");
    note_all::<Tag>(&mut world, "tag");
    let panic = panic_of(|| {
        world.spawn_batch((0..5).map(|i| {
            assert!(i < 3, "planned panic in an iterator");
            (Num(i), Red)
        }));
    });
    assert_eq!(panic.as_deref(), Some("planned panic in an iterator"));
    assert_eq!((world.len(), take_log(&mut world).len()), (3, 6));
    let panic = panic_of(|| {
        world.spawn_batch((0..5).map(|i| {
            assert!(i < 2, "planned panic in an iterator");
            Tag::new(i, &ledger)
        }));
    });
    assert!(panic.is_some());
    assert_eq!((world.len(), take_log(&mut world).len()), (5, 4));
}

/// Entities of two archetypes, in order of archetypes and rows.
fn two_kinds(world: &mut World, ledger: &Ledger) -> Vec<Entity> {
    let plain: Vec<Entity> = world.spawn_batch((0..3).map(Num)).collect();
    let named = (3..6).map(|i| (Num(i), Red, Named::new(i, ledger)));
    let named: Vec<Entity> = world.spawn_batch(named).collect();
    plain.into_iter().chain(named).collect()
}

#[test]
fn an_insert_by_filter_adds_where_it_was_missing_and_inserts_everywhere() {
    let (ledger, mut world) = (Ledger::default(), world_with_log());
    let all = two_kinds(&mut world, &ledger);
    note_all::<Red>(&mut world, "red");
    world.add_observer(|on: On<Insert, Named>, mut log: ResMut<Log>| {
        let old = on.replaced::<Named>().map(Named::number);
        log.0.push(format!("{} was {old:?}", on.entity()));
    });
    let bundle = (Red, Named::new(9, &ledger));
    assert_eq!(world.insert_where::<With<Num>, _>(bundle), 6);
    let mut expected = events(&all[..3], &["+red", "=red", "was None"]);
    for (entity, number) in all[3..].iter().zip(3..) {
        expected.extend(lines(*entity, &["=red", &format!("was Some({number})")]));
    }
    assert_eq!((take_log(&mut world), ledger.alive()), (expected, 6));
    assert_eq!(world.get::<Named>(all[4]).map(Named::number), Some(9));
}

#[test]
fn a_removal_by_filter_lends_each_value_and_drops_it_once() {
    let (ledger, mut world) = (Ledger::default(), world_with_log());
    let all = two_kinds(&mut world, &ledger);
    world.add_observer(
        |on: On<Remove, Named>, named: Query<&Named>, mut log: ResMut<Log>| {
            let old = on.removed::<Named>().expect("it has just left").number();
            log.0
                .push(format!("{} -{old} of {}", on.entity(), named.len()));
        },
    );
    assert_eq!(world.remove_where::<With<Num>, (Named, Blue)>(), 3);
    let expected = all[3..].iter().zip(3..);
    let expected: Vec<String> = expected.map(|(e, n)| format!("{e} -{n} of 0")).collect();
    assert_eq!((take_log(&mut world), ledger.alive()), (expected, 0));
    assert_eq!(world.remove_where::<With<Num>, (Named, Blue)>(), 0);
}

#[test]
fn sparse_components_take_part_in_changes_by_filter() {
    let (ledger, mut world) = (Ledger::default(), world_with_log());
    let all = two_kinds(&mut world, &ledger);
    world
        .insert(all[4], Tag::new(4, &ledger))
        .expect("it lives");
    note_all::<Tag>(&mut world, "tag");
    note_all::<Red>(&mut world, "red");
    assert_eq!(
        world.insert_where::<With<Num>, _>((Tag::new(9, &ledger), Blue)),
        6
    );
    let mut expected = events(&all[..4], &["+tag", "=tag"]);
    expected.extend(lines(all[4], &["=tag"]));
    expected.extend(lines(all[5], &["+tag", "=tag"]));
    assert_eq!(take_log(&mut world), expected);
    assert_eq!(world.remove_where::<With<Num>, (Red, Tag)>(), 6);
    let mut expected = events(&all[..3], &["-tag"]);
    expected.extend(events(&all[3..], &["-tag", "-red"]));
    assert_eq!((take_log(&mut world), ledger.alive()), (expected, 3));
}

#[test]
fn entities_despawned_by_filter_are_all_gone_when_the_first_is_told_of() {
    let (ledger, mut world) = (Ledger::default(), world_with_log());
    let all = two_kinds(&mut world, &ledger);
    world
        .insert(all[4], Tag::new(4, &ledger))
        .expect("it lives");
    world
        .insert(all[0], Tag::new(0, &ledger))
        .expect("it lives");
    let kept = world.spawn((Blue, Tag::new(7, &ledger))).id();
    world.add_observer(
        |on: On<orrery_ecs::Despawn>, nums: Query<&Num>, mut log: ResMut<Log>| {
            let num = on.removed::<Num>().expect("all have one").0;
            let tag = on.removed::<Tag>().map(|tag| tag.number);
            let named = on.removed::<Named>().map(Named::number);
            log.0.push(format!(
                "{} {num} {tag:?} {named:?} of {}",
                on.entity(),
                nums.len()
            ));
        },
    );
    assert_eq!(world.despawn_where::<Without<Blue>>(), 6);
    let line = |number: usize| {
        let tag = [0, 4].contains(&number).then_some(number);
        let named = (number > 2).then_some(number);
        format!("{} {number} {tag:?} {named:?} of 0", all[number])
    };
    assert_eq!(take_log(&mut world), (0..6).map(line).collect::<Vec<_>>());
    assert_eq!(
        (ledger.alive(), world.get::<Tag>(kept).map(|tag| tag.number)),
        (1, Some(7))
    );
}

#[test]
fn clearing_tells_of_every_entity_in_order_and_of_those_without_a_row() {
    let (ledger, mut world) = (Ledger::default(), world_with_log());
    let all = two_kinds(&mut world, &ledger);
    world
        .insert(all[1], Tag::new(1, &ledger))
        .expect("it lives");
    let mut queue = orrery_ecs::CommandQueue::default();
    let rowless = Commands::new(&mut queue, &world).spawn(Num(1)).id();
    drop(queue);
    note_all::<Tag>(&mut world, "tag");
    world.add_observer(|on: On<orrery_ecs::Despawn>, mut log: ResMut<Log>| {
        log.0.push(format!("{} x", on.entity()));
    });
    world.clear();
    let mut expected = events(&all[..1], &["x"]);
    expected.extend(lines(all[1], &["xtag", "x", "-tag"]));
    expected.extend(events(&all[2..], &["x"]));
    expected.extend(lines(rowless, &["x"]));
    assert_eq!(
        (take_log(&mut world), world.len(), ledger.alive()),
        (expected, 0, 0)
    );
}

#[test]
fn a_clone_that_panics_during_an_insert_by_filter_leaves_events_for_what_was_done() {
    let (ledger, mut world) = (Ledger::default(), world_with_log());
    let all = two_kinds(&mut world, &ledger);
    note_all::<Named>(&mut world, "named");
    // Three clones for the archetype that has it, whose turn is first; the second of the other.
    ledger.panic_in_clone(5);
    let bundle = Named::new(9, &ledger);
    let panic = panic_of(|| ignore(world.insert_where::<With<Num>, _>(bundle)));
    assert_eq!(panic.as_deref(), Some("planned panic in a clone"));
    assert_eq!(take_log(&mut world), events(&all[3..], &["=named"]));
    assert_eq!(ledger.alive(), 3);
    assert!(world.get::<Named>(all[0]).is_none());
    assert_eq!(world.get::<Named>(all[3]).map(Named::number), Some(9));
    let mut empty = World::new();
    assert_eq!(empty.insert_where::<With<Num>, _>(Red), 0);
}

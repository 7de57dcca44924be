//! Values that leave: seen by observers, and dropped once.

use orrery_ecs::{Despawn, Entity, Insert, On, Remove, ResMut, World};

use super::{Log, Tag, take_log, world_with_log};
use crate::support::{Ghost, Ledger, Named, Num, Parts, Wide};

const PARTS: Parts = Parts {
    a: 1.0,
    b: 2.0,
    c: 3,
};

fn note_values(world: &mut World, ledger: &Ledger) {
    let values = ledger.clone();
    world.add_observer(move |on: On<Remove>, mut log: ResMut<Log>| {
        let named = on.removed::<Named>().map(Named::number);
        let tag = on.removed::<Tag>().map(|tag| tag.number);
        log.0
            .push(format!("-{named:?} {tag:?} alive {}", values.alive()));
    });
}

#[test]
fn a_removed_value_is_lent_and_dropped_when_its_observers_have_run() {
    let (ledger, mut world) = (Ledger::default(), world_with_log());
    note_values(&mut world, &ledger);
    let bundle = (Named::new(1, &ledger), Tag::new(2, &ledger), Num(1));
    let entity = world.spawn(bundle).id();
    world.remove::<Named>(entity).expect("it lives");
    assert_eq!(ledger.alive(), 1);
    world
        .insert(entity, Named::new(3, &ledger))
        .expect("it lives");
    world.despawn(entity).expect("it lives");
    let expected = ["-Some(1) None alive 2", "-Some(3) Some(2) alive 2"];
    assert_eq!(take_log(&mut world), expected);
    assert_eq!((ledger.alive(), ledger.made()), (0, 3));
}

#[test]
fn a_taken_value_is_lent_and_then_belongs_to_the_taker() {
    let (ledger, mut world) = (Ledger::default(), world_with_log());
    note_values(&mut world, &ledger);
    let bundle = (Named::new(1, &ledger), Tag::new(2, &ledger), Num(1), PARTS);
    let entity = world.spawn(bundle).id();
    let (parts, tag, named) = world
        .take::<(Parts, Tag, Named)>(entity)
        .expect("it has them");
    assert_eq!((parts, tag.number, named.number()), (PARTS, 2, 1));
    assert_eq!(take_log(&mut world), ["-Some(1) Some(2) alive 2"]);
    assert_eq!(
        (ledger.alive(), world.get::<Num>(entity)),
        (2, Some(&Num(1)))
    );
    drop((tag, named));
    assert_eq!((ledger.alive(), ledger.made()), (0, 2));
}

#[test]
fn an_insert_lends_what_it_overwrote() {
    let (ledger, mut world) = (Ledger::default(), world_with_log());
    let values = ledger.clone();
    world.add_observer(move |on: On<Insert, (Named, Tag)>, mut log: ResMut<Log>| {
        let named = on.replaced::<Named>().map(Named::number);
        let tag = on.replaced::<Tag>().map(|tag| tag.number);
        log.0
            .push(format!("{named:?} {tag:?} alive {}", values.alive()));
    });
    let entity = world.spawn(Named::new(1, &ledger)).id();
    world
        .insert(entity, (Tag::new(2, &ledger), Named::new(3, &ledger)))
        .expect("it lives");
    world
        .insert(entity, (Named::new(4, &ledger), Num(1)))
        .expect("it lives");
    world
        .insert(entity, Tag::new(5, &ledger))
        .expect("it lives");
    let expected = [
        "None None alive 1",
        "Some(1) None alive 3",
        "Some(3) None alive 3",
        "None Some(2) alive 3",
    ];
    assert_eq!(take_log(&mut world), expected);
    assert_eq!((ledger.alive(), ledger.made()), (2, 5));
    assert_eq!(world.get::<Named>(entity).map(Named::number), Some(4));
    assert_eq!(world.get::<Tag>(entity).map(|tag| tag.number), Some(5));
}

#[test]
fn values_of_any_layout_are_lent() {
    type Spirit = Ghost<7>;
    let mut world = world_with_log();
    world.add_observer(|on: On<Despawn, Num>, mut log: ResMut<Log>| {
        let wide = on.removed::<Wide>().expect("it had one");
        assert!(std::ptr::from_ref(wide).addr().is_multiple_of(4096));
        assert_eq!(on.removed::<Parts>(), Some(&PARTS));
        assert_eq!(on.removed::<Num>(), Some(&Num(7)));
        assert!(on.removed::<Spirit>().is_some() && Spirit::alive() == 1);
        assert!(on.removed::<Named>().is_none());
        log.0.push(format!("{}", wide.0));
    });
    let entity = world.spawn((Num(7), Wide(5), PARTS, Spirit::new())).id();
    world.despawn(entity).expect("it lives");
    assert_eq!(
        (take_log(&mut world), Spirit::alive()),
        (vec![String::from("5")], 0)
    );
}

#[test]
fn values_that_a_fork_shares_leave_as_copies() {
    let (ledger, mut world) = (Ledger::default(), world_with_log());
    note_values(&mut world, &ledger);
    let all: Vec<Entity> = (0..20)
        .map(|i| {
            world
                .spawn((Named::new(i, &ledger), Tag::new(i, &ledger)))
                .id()
        })
        .collect();
    let mut fork = world.fork().expect("it can be cloned");
    let before = fork.state_hash();
    world.despawn(all[3]).expect("it lives");
    world.remove::<Named>(all[4]).expect("it lives");
    world.clear();
    assert_eq!((fork.state_hash(), fork.len()), (before, 20));
    assert_eq!(take_log(&mut world).len(), 2 + 19);
    fork.clear();
    assert_eq!(take_log(&mut fork).len(), 20);
    assert_eq!(ledger.alive(), 0);
}

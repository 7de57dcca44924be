//! Observers as things that come and go: of single entities, removed, in forks.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use orrery_ecs::{
    Add, Commands, Despawn, Entity, Event, Insert, ObserverId, On, Query, Remove, ResMut, Resource,
    World,
};

use super::{Blue, Log, Red, lines, note_all, take_log, world_with_log};
use crate::support::Num;

#[derive(Event)]
struct Ping;

#[test]
fn an_entity_may_be_observed_twice_and_then_change() {
    let mut world = world_with_log();
    let entity = world.spawn(Num(1)).id();
    let mut borrowed = world.entity_mut(entity);
    for _ in 0..2 {
        borrowed.observe(|on: On<Insert, Red>, mut log: ResMut<Log>| {
            log.0.push(format!("{} own", on.entity()));
        });
    }
    borrowed.insert(Red);
    borrowed.insert(Blue);
    assert_eq!(take_log(&mut world), lines(entity, &["own", "own"]));
    let other = world.spawn((Red, Num(2))).id();
    world.insert(other, Red).expect("it lives");
    assert_eq!(take_log(&mut world), [""; 0]);
}

#[test]
fn observers_of_an_entity_hear_of_its_end_and_go_with_it() {
    let mut world = world_with_log();
    let count = Arc::new(());
    let entities: Vec<Entity> = (0..3).map(|i| world.spawn((Num(i), Red)).id()).collect();
    for &entity in &entities {
        let held = Arc::clone(&count);
        world
            .entity_mut(entity)
            .observe(move |on: On<Despawn>, mut log: ResMut<Log>| {
                assert!(Arc::strong_count(&held) > 1);
                log.0.push(format!("{} x", on.entity()));
            });
        world
            .entity_mut(entity)
            .observe(|on: On<Remove, Red>, mut log: ResMut<Log>| {
                log.0.push(format!("{} -red", on.entity()));
            });
        world.entity_mut(entity).observe(|_: On<Ping>| ());
    }
    assert_eq!(world.observer_count(), 9);
    world.despawn(entities[1]).expect("it lives");
    assert_eq!(take_log(&mut world), lines(entities[1], &["x", "-red"]));
    assert_eq!((world.observer_count(), Arc::strong_count(&count)), (6, 3));
    world.clear();
    let mut expected = lines(entities[0], &["x", "-red"]);
    expected.extend(lines(entities[2], &["x", "-red"]));
    assert_eq!(take_log(&mut world), expected);
    assert_eq!((world.observer_count(), Arc::strong_count(&count)), (0, 1));
    // Handles of the same index do not inherit them.
    let reborn = world.spawn((Num(1), Red)).id();
    world.despawn(reborn).expect("it lives");
    assert_eq!(take_log(&mut world), [""; 0]);
}

#[test]
fn an_entity_that_only_listens_to_events_leaves_nothing_behind() {
    let mut world = World::new();
    for _ in 0..10 {
        let entity = world.spawn(Num(1)).id();
        world.entity_mut(entity).observe(|_: On<Ping>| ());
        assert_eq!(world.observer_count(), 1);
        world.despawn(entity).expect("it lives");
        assert_eq!(world.observer_count(), 0);
    }
}

#[test]
fn a_dead_entity_cannot_be_observed() {
    let mut world = World::new();
    let entity = world.spawn(Num(1)).id();
    world.despawn(entity).expect("it lives");
    assert!(world.observe(entity, |_: On<Ping>| ()).is_err());
    assert_eq!(world.observer_count(), 0);
}

#[test]
fn a_removed_observer_hears_no_more() {
    let mut world = world_with_log();
    let id = world.add_observer(|_: On<Add, Red>, mut log: ResMut<Log>| {
        log.0.push(String::from("one"));
    });
    world.spawn(Red);
    assert!(world.remove_observer(id));
    world.spawn(Red);
    assert!(!world.remove_observer(id));
    assert_eq!((take_log(&mut world).len(), world.observer_count()), (1, 0));
    let entity = world.spawn(Red).id();
    let id = world.observe(entity, |_: On<Insert, Red>, mut log: ResMut<Log>| {
        log.0.push(String::from("own"));
    });
    assert!(world.remove_observer(id.expect("it lives")));
    world.insert(entity, Red).expect("it lives");
    assert_eq!(take_log(&mut world), [""; 0]);
}

#[derive(Clone, Default, Resource)]
#[resource(not_state)]
struct Ids(Vec<ObserverId>);

#[test]
fn an_observer_that_removes_itself_and_the_next_one_ends_its_run_and_is_the_last() {
    let mut world = world_with_log();
    world.init_resource::<Ids>();
    let remove_all = |_: On<Add, Red>, mut commands: Commands, mut log: ResMut<Log>| {
        commands.queue(|world| {
            for id in std::mem::take(&mut world.resource_mut::<Ids>().0) {
                assert!(world.remove_observer(id));
            }
        });
        commands.spawn(Blue);
        log.0.push(String::from("first"));
    };
    let first = world.add_observer(remove_all);
    let second = world.add_observer(|_: On<Add, Red>| unreachable!("it was removed before"));
    world.resource_mut::<Ids>().0 = vec![first, second];
    world.spawn(Red);
    world.spawn(Red);
    assert_eq!(take_log(&mut world), ["first"]);
    assert_eq!(
        (
            world.observer_count(),
            world.query::<&Blue>().view(&world).len()
        ),
        (0, 1)
    );
}

#[test]
fn an_observer_added_by_another_hears_of_the_next_event() {
    let mut world = world_with_log();
    world.add_observer(|_: On<Add, Red>, mut commands: Commands| {
        commands.add_observer(|on: On<Add, Red>, mut log: ResMut<Log>| {
            log.0.push(format!("{}", on.entity()));
        });
    });
    world.spawn(Red);
    assert_eq!(take_log(&mut world), [""; 0]);
    let second = world.spawn(Red).id();
    assert_eq!(take_log(&mut world), [second.to_string()]);
}

#[test]
fn observers_that_come_and_go_are_known_to_old_and_new_archetypes() {
    let mut world = world_with_log();
    let old = world.spawn((Red, Num(1))).id();
    note_all::<Red>(&mut world, "red");
    world.insert(old, Red).expect("it lives");
    let new = world.spawn((Red, Num(1), Blue)).id();
    let mut expected = lines(old, &["=red"]);
    expected.extend(lines(new, &["+red", "=red"]));
    assert_eq!(take_log(&mut world), expected);
}

/// Does the same to a world: spawns, changes and despawns by turns.
fn play(world: &mut World) {
    let all: Vec<Entity> = (0..50).map(|i| world.spawn((Num(i), Red)).id()).collect();
    for (number, &entity) in all.iter().enumerate() {
        match number % 3 {
            0 => world.despawn(entity).expect("it lives"),
            1 => world.insert(entity, Blue).expect("it lives"),
            _ => assert_eq!(world.remove::<Red>(entity), Ok(true)),
        }
    }
}

#[test]
fn forks_share_observers_and_behave_the_same() {
    let mut world = world_with_log();
    note_all::<Red>(&mut world, "red");
    world.add_observer(
        |on: On<Remove, Red>, nums: Query<&Num>, mut commands: Commands| {
            let extra = nums.get(on.entity()).map_or(1000, |num| num.0);
            commands.spawn((Num(extra), Blue));
        },
    );
    play(&mut world);
    let mut fork = world.fork().expect("everything is Clone");
    play(&mut world);
    play(&mut fork);
    assert_eq!(fork.state_hash(), world.state_hash());
    assert_eq!(fork.resource::<Log>(), world.resource::<Log>());
    assert_eq!(fork.observer_count(), world.observer_count());
    let more = take_log(&mut fork).len();
    // From here on they are apart.
    let id = fork.add_observer(|_: On<Add, Blue>, mut log: ResMut<Log>| {
        log.0.push(String::from("blue"));
    });
    world.resource_mut::<Log>().0.clear();
    world.spawn(Blue);
    fork.spawn(Blue);
    assert_eq!(
        (take_log(&mut world).len(), take_log(&mut fork).len()),
        (0, 1)
    );
    assert!(more > 100 && !world.remove_observer(id) && fork.remove_observer(id));
}

#[test]
fn observing_changes_nothing_of_the_state() {
    let (mut plain, mut watched) = (World::new(), World::new());
    let seen = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&seen);
    watched.add_observer(move |_: On<Remove>| {
        count.fetch_add(1, Ordering::Relaxed);
    });
    let count = Arc::clone(&seen);
    watched.add_observer(move |_: On<Insert>| {
        count.fetch_add(1, Ordering::Relaxed);
    });
    watched.removed_reader::<Num>();
    for world in [&mut plain, &mut watched] {
        play(world);
        world.insert_where::<orrery_ecs::With<Num>, _>((Blue, Num(3)));
        world.remove_where::<orrery_ecs::With<Blue>, (Red, Num)>();
        play(world);
        world.despawn_where::<orrery_ecs::With<Red>>();
        world.spawn_batch((0..100).map(Num));
    }
    assert!(seen.load(Ordering::Relaxed) > 200);
    assert_eq!(watched.state_hash(), plain.state_hash());
}

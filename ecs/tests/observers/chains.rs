//! Order: depth first, in order of registration, and no deeper than the limit.

use orrery_ecs::{
    Add, CommandQueue, Commands, Component, Entity, Insert, IntoSystem, OBSERVER_DEPTH_MAX,
    ObserverError, On, Query, Remove, ResMut, Serial, System, SystemError, World,
};

use super::{Blue, Log, Red, lines, note_all, take_log, world_with_log};
use crate::support::Num;

#[derive(Clone, Copy, Debug, Component)]
struct Step<const NUMBER: usize>;

/// When one step comes, notes it and asks for others.
fn chain<const N: usize>(
    world: &mut World,
    then: impl Fn(&mut Commands, Entity) + Send + Sync + 'static,
) {
    world.add_observer(
        move |on: On<Add, Step<N>>, mut log: ResMut<Log>, mut commands: Commands| {
            log.0.push(N.to_string());
            then(&mut commands, on.entity());
        },
    );
}

#[test]
fn what_an_observer_causes_is_over_before_the_next_one_runs() {
    let mut world = world_with_log();
    chain::<0>(&mut world, |commands, entity| {
        commands.insert(entity, Step::<1>);
        commands.insert(entity, Step::<4>);
    });
    chain::<0>(&mut world, |commands, entity| {
        commands.insert(entity, Step::<5>)
    });
    chain::<1>(&mut world, |commands, entity| {
        commands.insert(entity, Step::<2>);
        commands.insert(entity, Step::<3>);
    });
    chain::<2>(&mut world, |_, _| ());
    chain::<3>(&mut world, |_, _| ());
    chain::<4>(&mut world, |_, _| ());
    chain::<5>(&mut world, |_, _| ());
    let mut queue = CommandQueue::default();
    let mut commands = Commands::new(&mut queue, &world);
    commands.spawn(Step::<0>);
    commands.spawn(Step::<5>);
    queue.apply(&mut world);
    // 0 causes 1, which causes 2 and 3; then 4; then the second observer of 0 causes 5.
    let expected = ["0", "1", "2", "3", "4", "0", "5", "5"];
    assert_eq!(take_log(&mut world), expected);
}

#[test]
fn observers_run_in_order_of_registration_whatever_they_watch() {
    let mut world = world_with_log();
    let entity = world.spawn(Num(1)).id();
    let note = |name: &'static str| move |mut log: ResMut<Log>| log.0.push(String::from(name));
    let (a, b, c, d) = (note("a"), note("b"), note("c"), note("d"));
    world.add_observer(move |_: On<Insert, Blue>, log: ResMut<Log>| a(log));
    world
        .entity_mut(entity)
        .observe(move |_: On<Insert, Red>, log: ResMut<Log>| b(log));
    world.add_observer(move |_: On<Insert>, log: ResMut<Log>| c(log));
    world.add_observer(move |_: On<Insert, Red>, log: ResMut<Log>| d(log));
    world.insert(entity, (Red, Blue)).expect("it lives");
    assert_eq!(take_log(&mut world), ["a", "b", "c", "d"]);
}

#[test]
fn an_observer_that_despawns_its_entity_ends_the_change_and_the_others_still_hear_of_it() {
    let mut world = world_with_log();
    world.add_observer(|on: On<Add, Red>, mut commands: Commands| commands.despawn(on.entity()));
    note_all::<Red>(&mut world, "red");
    let mut spawned = world.spawn((Red, Num(1)));
    let entity = spawned.id();
    assert!(spawned.is_despawned() && spawned.get::<Num>().is_none());
    spawned.insert(Num(2)).remove::<Red>();
    assert!(spawned.take::<Num>().is_err());
    assert!(world.is_empty());
    let expected = ["xred", "-red", "+red", "=red"];
    assert_eq!(take_log(&mut world), lines(entity, &expected));
    let other = world.spawn(Num(1)).id();
    world
        .insert(other, Red)
        .expect("it lived when it was given");
    assert!(!world.contains(other) && world.is_empty());
}

#[test]
fn despawning_its_own_entity_in_any_observer_of_its_end_does_nothing_more() {
    let mut world = world_with_log();
    world.add_observer(|on: On<Remove, Red>, mut commands: Commands| commands.despawn(on.entity()));
    world.add_observer(|on: On<orrery_ecs::Despawn>, mut commands: Commands| {
        commands.despawn(on.entity());
        commands.insert(on.entity(), Blue);
    });
    note_all::<Red>(&mut world, "red");
    let (first, second) = (world.spawn(Red).id(), world.spawn(Red).id());
    take_log(&mut world);
    world.despawn(first).expect("it lives");
    world.remove::<Red>(second).expect("it lives");
    let mut expected = lines(first, &["xred", "-red"]);
    expected.extend(lines(second, &["-red"]));
    assert_eq!(take_log(&mut world), expected);
    assert!(world.is_empty());
}

#[test]
fn an_observer_of_a_removal_may_spawn() {
    let mut world = world_with_log();
    world.add_observer(|_: On<Remove, Red>, mut commands: Commands| {
        let blue = commands.spawn(Blue).id();
        commands.insert(blue, Num(3));
    });
    let all: Vec<Entity> = (0..10).map(|_| world.spawn(Red).id()).collect();
    for entity in all {
        world.despawn(entity).expect("it lives");
    }
    let mut query = world.query::<(&Blue, &Num)>();
    assert_eq!((query.view(&world).len(), world.len()), (10, 10));
}

fn insert_again(on: On<Insert, Num>, nums: Query<&Num>, mut commands: Commands) {
    let next = nums.get(on.entity()).expect("just inserted").0 + 1;
    commands.insert(on.entity(), Num(next));
    commands.spawn(Blue);
}

#[test]
fn a_chain_without_end_is_cut_and_its_error_prints_it() {
    let mut world = world_with_log();
    world.add_observer(insert_again);
    let entity = world.spawn(Red).id();
    world.insert(entity, Num(0)).expect("it lives");
    // The last insert was done, and nobody was told of it.
    assert_eq!(
        world.get::<Num>(entity),
        Some(&Num(OBSERVER_DEPTH_MAX as u32))
    );
    assert_eq!(world.observer_error_count(), 1);
    let error = world.take_observer_error().expect("the chain was cut");
    let text = error.to_string();
    for part in [
        "64 deep",
        "Insert of",
        "Num for",
        &entity.to_string(),
        "insert_again",
        "more)",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let ObserverError::TooDeep(chain) = error else {
        panic!("another error: {text}");
    };
    // The one that was to run next, and the command that each of the others had still to do.
    assert_eq!(chain.steps.len(), OBSERVER_DEPTH_MAX + 1);
    assert_eq!(chain.dropped_events, 1);
    assert_eq!(chain.dropped_commands, OBSERVER_DEPTH_MAX as u64);
    assert!(world.take_observer_error().is_none());
}

#[test]
fn what_comes_after_a_cut_chain_is_done_as_ever() {
    let mut world = world_with_log();
    world.add_observer(insert_again);
    note_all::<Red>(&mut world, "red");
    let mut queue = CommandQueue::default();
    let mut commands = Commands::new(&mut queue, &world);
    let first = commands.spawn(Num(0)).id();
    let second = commands.spawn(Red).id();
    let third = commands.spawn(Num(1000)).id();
    queue.apply(&mut world);
    assert_eq!(take_log(&mut world), lines(second, &["+red", "=red"]));
    assert_eq!(world.get::<Num>(first), Some(&Num(64)));
    assert_eq!(world.get::<Num>(third), Some(&Num(1064)));
    assert_eq!(world.observer_error_count(), 2);
    let error = world.take_observer_error().expect("two chains were cut");
    assert!(
        error.to_string().contains(&first.to_string()),
        "the first is kept"
    );
}

#[test]
fn a_chain_that_branches_is_cut_once() {
    let mut world = world_with_log();
    let twice = |on: On<Insert, Num>, mut commands: Commands| {
        commands.insert(on.entity(), Num(1));
        commands.insert(on.entity(), Num(2));
    };
    world.add_observer(twice);
    world.add_observer(twice);
    world.spawn(Num(0));
    // One chain of each of the two observers of the first event.
    assert_eq!(world.observer_error_count(), 2);
    let Some(ObserverError::TooDeep(chain)) = world.take_observer_error() else {
        panic!("the chain was cut");
    };
    // Of the innermost event both; of each other one the second.
    assert_eq!(chain.dropped_events, 2 + (OBSERVER_DEPTH_MAX as u64 - 1));
    assert_eq!(chain.dropped_commands, OBSERVER_DEPTH_MAX as u64);
}

#[test]
fn a_chain_as_deep_as_the_limit_is_whole() {
    let mut world = world_with_log();
    world.add_observer(
        |on: On<Insert, Num>, nums: Query<&Num>, mut commands: Commands| {
            let number = nums.get(on.entity()).expect("just inserted").0;
            if number + 1 < OBSERVER_DEPTH_MAX as u32 {
                commands.insert(on.entity(), Num(number + 1));
            }
        },
    );
    let entity = world.spawn(Num(0)).id();
    assert_eq!(
        world.get::<Num>(entity),
        Some(&Num(OBSERVER_DEPTH_MAX as u32 - 1))
    );
    assert_eq!(world.take_observer_error(), None);
}

#[test]
fn a_system_returns_the_error_that_its_commands_cause() {
    let mut world = world_with_log();
    world.add_observer(insert_again);
    fn begin(mut commands: Commands) {
        commands.spawn(Num(0));
    }
    let mut system = begin.into_system();
    let error = system
        .run(&mut world, &Serial)
        .expect_err("the chain is cut");
    let text = error.to_string();
    assert!(
        text.contains("begin") && text.contains("insert_again"),
        "{text}"
    );
    assert!(matches!(error, SystemError::Observer { .. }));
    assert_eq!(world.take_observer_error(), None);
    // An error from elsewhere is not this system's.
    world.spawn(Num(0));
    let mut idle = (|_: Query<&Num>| ()).into_system();
    assert_eq!(idle.run(&mut world, &Serial), Ok(()));
    let mut exclusive = (|world: &mut World| world.spawn(Num(0)).insert(Red).id()).into_unit();
    assert!(world.take_observer_error().is_some());
    assert!(exclusive.run(&mut world, &Serial).is_err());
}

/// An exclusive system of a function that returns something.
trait IntoUnit {
    fn into_unit(self) -> impl System;
}

impl<T, F: Fn(&mut World) -> T + Send + 'static> IntoUnit for F {
    fn into_unit(self) -> impl System {
        (move |world: &mut World| {
            self(world);
        })
        .into_system()
    }
}

#[test]
fn an_observer_whose_resource_is_missing_is_left_out_and_reported() {
    let mut world = World::new();
    note_all::<Red>(&mut world, "red");
    let entity = world.spawn(Red).id();
    let error = world.take_observer_error().expect("there is no log");
    let text = error.to_string();
    assert!(
        text.contains("Log") && text.contains("note_all") && text.contains("Add"),
        "{text}"
    );
    assert_eq!(world.observer_error_count(), 2);
    world.init_resource::<Log>();
    world.remove::<Red>(entity).expect("it lives");
    assert_eq!(take_log(&mut world), lines(entity, &["-red"]));
}

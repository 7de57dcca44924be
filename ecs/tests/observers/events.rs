//! Events that users trigger.

use orrery_ecs::{Add, CommandQueue, Commands, Event, NoSuchEntity, On, Query, ResMut, World};

use super::{Log, Red, take_log, world_with_log};
use crate::support::{Num, ignore, panic_of};

#[derive(Event)]
struct Hit {
    damage: u32,
}

#[derive(Event)]
struct Told(&'static str);

#[derive(Event)]
enum Weather<T> {
    Rain,
    Sun(T),
}

fn note_hit(on: On<Hit>, mut log: ResMut<Log>) {
    let target = on
        .target()
        .map_or(String::from("all"), |entity| entity.to_string());
    log.0.push(format!("{target} {}", on.event().damage));
}

#[test]
fn an_event_reaches_its_observers_in_order_and_by_reference() {
    let mut world = world_with_log();
    world.add_observer(note_hit);
    world.add_observer(note_hit);
    world.add_observer(
        |on: On<Weather<u32>>, mut log: ResMut<Log>| match on.event() {
            Weather::Rain => log.0.push(String::from("rain")),
            Weather::Sun(hours) => log.0.push(format!("sun {hours}")),
        },
    );
    world.trigger(Hit { damage: 3 });
    world.trigger(Weather::Sun(4_u32));
    world.trigger(Weather::<u32>::Rain);
    world.trigger(Weather::Sun(4_u64));
    world.trigger(Told("nobody hears of it"));
    world.add_observer(|on: On<Told>, mut log: ResMut<Log>| {
        log.0.push(String::from(on.event().0));
    });
    world.trigger(Told("news"));
    assert_eq!(
        take_log(&mut world),
        ["all 3", "all 3", "sun 4", "rain", "news"]
    );
}

#[test]
fn an_event_for_an_entity_reaches_those_of_all_and_its_own() {
    let mut world = world_with_log();
    let (first, second) = (world.spawn(Num(10)).id(), world.spawn(Num(20)).id());
    let hurt = |on: On<Hit>, mut nums: Query<&mut Num>| {
        let target = on.target().expect("triggered for one");
        nums.get_mut(target).expect("it has one").0 -= on.event().damage;
    };
    world.entity_mut(first).observe(hurt);
    world.add_observer(note_hit);
    assert_eq!(world.trigger_for(first, Hit { damage: 3 }), Ok(()));
    assert_eq!(world.trigger_for(second, Hit { damage: 4 }), Ok(()));
    world.trigger(Hit { damage: 5 });
    assert_eq!(world.get::<Num>(first), Some(&Num(7)));
    assert_eq!(world.get::<Num>(second), Some(&Num(20)));
    let expected = [
        format!("{first} 3"),
        format!("{second} 4"),
        String::from("all 5"),
    ];
    assert_eq!(take_log(&mut world), expected);
    world.despawn(first).expect("it lives");
    let dead = world.trigger_for(first, Hit { damage: 1 });
    assert_eq!(dead, Err(NoSuchEntity { entity: first }));
    assert_eq!((take_log(&mut world).len(), world.observer_count()), (0, 1));
}

#[test]
fn commands_trigger_in_their_order_and_count_what_finds_nobody() {
    let mut world = world_with_log();
    let mut queue = CommandQueue::default();
    let mut commands = Commands::new(&mut queue, &world);
    commands.trigger(Hit { damage: 0 });
    commands.add_observer(note_hit);
    let entity = commands.spawn(Num(1)).trigger(Hit { damage: 1 }).id();
    commands
        .entity(entity)
        .observe(note_hit)
        .trigger(Hit { damage: 2 });
    commands.trigger(Hit { damage: 3 });
    commands.despawn(entity);
    commands.trigger_for(entity, Hit { damage: 4 });
    commands.observe(entity, note_hit);
    queue.apply(&mut world);
    let (one, two) = (format!("{entity} 1"), format!("{entity} 2"));
    assert_eq!(take_log(&mut world), [&one, &two, &two, "all 3"]);
    assert_eq!((queue.missed(), world.observer_count()), (2, 1));
}

#[test]
fn an_observer_may_trigger_further_events() {
    let mut world = world_with_log();
    world.add_observer(|on: On<Hit>, mut commands: Commands| {
        if on.event().damage > 1 {
            commands.trigger(Hit {
                damage: on.event().damage / 2,
            });
        }
    });
    world.add_observer(note_hit);
    world.trigger(Hit { damage: 8 });
    assert_eq!(take_log(&mut world), ["all 1", "all 2", "all 4", "all 8"]);
}

#[test]
fn handles_reserved_outside_survive_an_observer_that_panics() {
    let mut world = World::new();
    world.add_observer(|_: On<Hit>| panic!("planned panic in an observer"));
    let mut queue = CommandQueue::default();
    let entity = Commands::new(&mut queue, &world).spawn(Num(1)).id();
    assert!(panic_of(|| world.trigger(Hit { damage: 1 })).is_some());
    queue.apply(&mut world);
    assert_eq!(
        (world.get::<Num>(entity), queue.missed()),
        (Some(&Num(1)), 0)
    );
}

#[test]
fn parameters_that_exclude_each_other_are_refused_with_both_named() {
    let mut world = World::new();
    let twice = |_: On<Hit>, _: Query<&mut Num>, _: Query<&Num>| ();
    let error = world.try_add_observer(twice).expect_err("both are of Num");
    assert!(error.to_string().contains("Num"), "{error}");
    assert!(panic_of(|| ignore(world.add_observer(twice))).is_some());
    assert_eq!(world.observer_count(), 0);
}

#[test]
fn components_beside_an_event_of_none_are_refused() {
    let mut world = World::new();
    let panic = panic_of(|| ignore(world.add_observer(|_: On<Hit, Red>| ())));
    let text = panic.expect("it is refused");
    assert!(
        text.contains("Hit") && text.contains("Red") && text.contains("Add"),
        "{text}"
    );
    world.add_observer(|_: On<Add, Red>| ());
    assert_eq!(world.observer_count(), 1);
}

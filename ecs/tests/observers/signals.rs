//! Listeners, which events reach by a short way: what they see and do is what observers on the long
//! way see and do.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use orrery_ecs::{Commands, Entity, Event, ObserverId, On, Res, ResMut, Resource, World};

use super::{Log, take_log, world_with_log};
use crate::support::{Num, Random, SeedOnFailure, panic_of};

#[derive(Event)]
struct Ping<const KIND: usize>(u64);

/// Comes and goes, so that those who need it cannot always run.
#[derive(Clone, Resource)]
struct Radio;

fn note(log: &mut ResMut<Log>, who: usize, number: u64) {
    let is_new = log.is_changed();
    log.0.push(format!("{who} {number} {is_new}"));
    assert!(number % 11 != who as u64, "planned panic in an observer");
}

/// Adds an observer; one that could ask for commands is none that events reach by the short way.
fn add<const KIND: usize>(world: &mut World, who: usize, long: bool) -> ObserverId {
    type Needs<'w> = Res<'w, Radio>;
    match (who.is_multiple_of(3), long) {
        (false, false) => world.add_observer(move |on: On<Ping<KIND>>, mut log: ResMut<Log>| {
            note(&mut log, who, on.event().0);
        }),
        (false, true) => world.add_observer(
            move |on: On<Ping<KIND>>, mut log: ResMut<Log>, _: Commands| {
                note(&mut log, who, on.event().0);
            },
        ),
        (true, false) => {
            world.add_observer(move |on: On<Ping<KIND>>, mut log: ResMut<Log>, _: Needs| {
                note(&mut log, who, on.event().0);
            })
        }
        (true, true) => world.add_observer(
            move |on: On<Ping<KIND>>, mut log: ResMut<Log>, _: Needs, _: Commands| {
                note(&mut log, who, on.event().0);
            },
        ),
    }
}

/// One of the two worlds, with its observers and an entity that has one of its own.
struct Side {
    world: World,
    observers: Vec<ObserverId>,
    entity: Entity,
    long: bool,
}

impl Side {
    fn new(long: bool) -> Self {
        let mut world = world_with_log();
        let entity = world.spawn(Num(1)).id();
        Self {
            world,
            observers: Vec::new(),
            entity,
            long,
        }
    }

    fn operate(&mut self, operation: usize, pick: usize, number: u64) -> bool {
        let world = &mut self.world;
        match operation {
            0 if pick.is_multiple_of(2) => self.observers.push(add::<0>(world, pick, self.long)),
            0 => self.observers.push(add::<1>(world, pick, self.long)),
            1 if !self.observers.is_empty() => {
                let observer = self.observers.swap_remove(pick % self.observers.len());
                return world.remove_observer(observer);
            }
            2 => return world.insert_resource(Radio).is_none(),
            3 => return world.remove_resource::<Radio>().is_some(),
            4 => *world = world.fork().expect("everything is Clone"),
            5 => {
                let observed =
                    world.observe(self.entity, |on: On<Ping<0>>, mut log: ResMut<Log>| {
                        log.0.push(format!("own {}", on.event().0));
                    });
                self.observers.push(observed.expect("it lives"));
            }
            6 => {
                let entity = self.entity;
                let trigger = || {
                    world
                        .trigger_for(entity, Ping::<0>(number))
                        .expect("it lives")
                };
                return panic_of(trigger).is_some();
            }
            _ if pick.is_multiple_of(2) => {
                return panic_of(|| world.trigger(Ping::<0>(number))).is_some();
            }
            _ => return panic_of(|| world.trigger(Ping::<1>(number))).is_some(),
        }
        true
    }
}

#[test]
fn listeners_do_by_the_short_way_what_observers_do_by_the_long_one() {
    for seed in 0..40 {
        let _seed = SeedOnFailure(seed);
        let mut random = Random::new(seed);
        let (mut short, mut long) = (Side::new(false), Side::new(true));
        for number in 0..200 {
            let (operation, pick) = (random.below(14), random.below(9));
            let done = short.operate(operation, pick, number);
            assert_eq!(done, long.operate(operation, pick, number));
            let (short, long) = (&mut short.world, &mut long.world);
            assert_eq!(take_log(short), take_log(long));
            assert_eq!(short.observer_error_count(), long.observer_error_count());
            let errors = (short.take_observer_error(), long.take_observer_error());
            assert_eq!(errors.0.is_some(), errors.1.is_some());
            assert_eq!(short.change_tick(), long.change_tick());
            assert_eq!(short.state_hash(), long.state_hash());
        }
    }
}

#[test]
fn an_observer_with_commands_among_listeners_keeps_its_place() {
    let mut world = world_with_log();
    let say = |word: &'static str| {
        move |_: On<Ping<0>>, mut log: ResMut<Log>| log.0.push(word.to_owned())
    };
    world.add_observer(say("first"));
    world.trigger(Ping::<0>(0));
    world.trigger(Ping::<0>(0));
    world.add_observer(|_: On<Ping<0>>, mut commands: Commands| {
        commands.trigger(Ping::<1>(0));
    });
    world.add_observer(say("last"));
    world.add_observer(|_: On<Ping<1>>, mut log: ResMut<Log>| log.0.push("between".to_owned()));
    world.trigger(Ping::<1>(0));
    world.trigger(Ping::<0>(0));
    assert_eq!(
        take_log(&mut world),
        ["first", "first", "between", "first", "between", "last"]
    );
}

#[test]
fn what_a_listener_holds_is_dropped_when_it_is_removed() {
    let mut world = World::new();
    let heard = Arc::new(AtomicU32::new(0));
    let count = heard.clone();
    let listener = world.add_observer(move |_: On<Ping<0>>| {
        count.fetch_add(1, Ordering::Relaxed);
    });
    (0..3).for_each(|number| world.trigger(Ping::<0>(number)));
    let mut fork = world.fork().expect("everything is Clone");
    fork.trigger(Ping::<0>(3));
    fork.trigger(Ping::<0>(4));
    assert!(world.remove_observer(listener));
    world.trigger(Ping::<0>(5));
    fork.trigger(Ping::<0>(6));
    assert_eq!(heard.load(Ordering::Relaxed), 6);
    drop(fork);
    assert_eq!(Arc::strong_count(&heard), 1);
}

#[test]
fn many_events_are_told_apart_whatever_their_numbers() {
    let mut world = world_with_log();
    macro_rules! all {
        ($($kind:literal)*) => {$(
            world.add_observer(|on: On<Ping<$kind>>, mut log: ResMut<Log>| {
                log.0.push(format!("{} {}", $kind, on.event().0));
            });
            // More events than there are bits.
            for number in 0..3 {
                world.trigger(Ping::<$kind>(number));
                world.trigger(Ping::<{ $kind + 100 }>(number));
            }
            let expected = [0, 1, 2].map(|number| format!("{} {number}", $kind));
            assert_eq!(take_log(&mut world), expected);
        )*};
    }
    all!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32);
    all!(33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62);
    all!(63 64 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79 80 81 82 83 84 85 86 87 88 89 90 91 92);
}

//! What systems remember, and that it lies in the world.

use std::collections::BTreeMap;

use orrery_ecs::{
    Commands, IntoSystem, Local, LocalValue, NoClone, NotState, ResMut, Resource, Serial,
    StateHash, System, World,
};

use crate::support::{Ledger, Num, Token, panic_of};

#[derive(Clone, Default, Resource)]
struct Log(Vec<u32>);

fn world() -> World {
    let mut world = World::new();
    world.init_resource::<Log>();
    world
}

/// Notes how often it ran.
fn tally(mut runs: Local<u32>, mut log: ResMut<Log>) {
    *runs += 1;
    log.0.push(*runs);
}

fn run(system: &mut impl System, world: &mut World) {
    system.run(world, &Serial).expect("all there");
}

fn log(world: &World) -> &[u32] {
    &world.resource::<Log>().0
}

#[test]
fn a_local_begins_at_its_default_and_is_kept_from_run_to_run() {
    let (mut world, mut system) = (world(), tally.into_system());
    for _ in 0..3 {
        run(&mut system, &mut world);
    }
    assert_eq!(log(&world), [1, 2, 3]);
}

#[test]
fn a_function_added_twice_has_a_local_each_time() {
    let mut world = world();
    let mut systems = [tally.into_system(), tally.into_system()];
    for number in [0, 0, 1, 0, 1] {
        run(&mut systems[number], &mut world);
    }
    assert_eq!(log(&world), [1, 2, 1, 3, 2]);
}

#[test]
fn one_system_finds_the_local_of_the_world_that_it_runs_on() {
    let (mut world, mut system) = (world(), tally.into_system());
    run(&mut system, &mut world);
    let mut fork = world.fork().expect("everything is Clone");
    run(&mut system, &mut world);
    run(&mut system, &mut fork);
    run(&mut system, &mut world);
    run(&mut system, &mut fork);
    assert_eq!((log(&world), log(&fork)), (&[1, 2, 3][..], &[1, 2, 3][..]));
    assert_eq!(world.state_hash(), fork.state_hash());
    let mut stranger = self::world();
    run(&mut system, &mut stranger);
    run(&mut system, &mut world);
    assert_eq!((log(&stranger), log(&world)), (&[1][..], &[1, 2, 3, 4][..]));
}

/// What systems remembered was not part of what a rollback library rolled back.
#[test]
fn going_back_to_a_fork_takes_locals_and_last_runs_back() {
    let mut world = world();
    let every_third = |mut count: Local<u32>, mut commands: Commands| {
        *count += 1;
        if count.is_multiple_of(3) {
            commands.spawn(Num(*count));
        }
    };
    let mut last = every_third.into_system();
    let mut first = tally.into_system();
    let mut tick = |world: &mut World| {
        run(&mut first, world);
        run(&mut last, world);
        (world.state_hash(), world.change_tick())
    };
    let mut past = Vec::new();
    for _ in 0..10 {
        let fork = world.fork().expect("everything is Clone");
        past.push((fork, tick(&mut world)));
    }
    for start in [9, 4, 0, 7] {
        world = past[start].0.fork().expect("everything is Clone");
        for (_, then) in &past[start..] {
            assert_eq!(tick(&mut world), *then);
        }
    }
}

/// Runs a system twice with its local changed in between, and says which of the runs show in the
/// hash.
fn hash_sees<T: LocalValue>(mut change: impl FnMut(&mut T) + Send + 'static) -> [bool; 2] {
    let mut world = World::new();
    let mut system = (move |mut local: Local<T>| change(&mut local)).into_system();
    let empty = world.state_hash();
    system.initialize(&mut world).expect("no conflict");
    assert_eq!(world.state_hash(), empty, "nothing was run");
    run(&mut system, &mut world);
    let first = world.state_hash();
    run(&mut system, &mut world);
    [first != empty, world.state_hash() != first]
}

#[test]
fn locals_of_plain_types_are_state() {
    let seen = [
        hash_sees(|local: &mut u32| *local += 1),
        hash_sees(|local: &mut f64| *local += 0.5),
        hash_sees(|local: &mut bool| *local = !*local),
        hash_sees(|local: &mut (u8, i64)| local.1 -= 1),
        hash_sees(|local: &mut [u16; 4]| local[2] += 1),
        hash_sees(|local: &mut String| local.push('a')),
        hash_sees(|local: &mut Vec<u32>| local.push(0)),
        hash_sees(|local: &mut Option<u32>| *local = Some(local.map_or(0, |n| n + 1))),
        hash_sees(|local: &mut BTreeMap<u32, String>| {
            local.insert(local.len() as u32, String::new());
        }),
    ];
    assert!(seen.iter().flatten().all(|&seen| seen), "{seen:?}");
    // The first run makes a default of it, which is there from then on.
    assert_eq!(hash_sees(|_: &mut u32| ()), [true, false]);
}

#[test]
fn locals_that_opted_out_are_no_state() {
    assert_eq!(
        hash_sees(|local: &mut NotState<u32>| **local += 1),
        [false; 2]
    );
    assert_eq!(
        hash_sees(|local: &mut NoClone<u32>| **local += 1),
        [false; 2]
    );
    let mut looked = world();
    let mut plain = looked.fork().expect("everything is Clone");
    let mut look = (|mut frames: Local<NotState<u64>>| **frames += 1).into_system();
    let mut system = tally.into_system();
    for _ in 0..3 {
        run(&mut look, &mut looked);
        run(&mut system, &mut looked);
        run(&mut system, &mut plain);
    }
    assert_eq!(looked.state_hash(), plain.state_hash());
}

/// Values that count themselves.
#[derive(Clone, Default, StateHash)]
struct Counted(Option<Token>);

#[test]
fn a_fork_shares_a_local_until_one_of_the_two_systems_runs() {
    let (ledger, mut world) = (Ledger::default(), World::new());
    let tokens = ledger.clone();
    let fill = move |mut local: Local<Counted>| {
        if local.0.is_none() {
            local.0 = Some(tokens.token());
        }
    };
    let mut system = fill.into_system();
    run(&mut system, &mut world);
    let mut fork = world.fork().expect("everything is Clone");
    assert_eq!(ledger.made(), 1);
    run(&mut system, &mut fork);
    run(&mut system, &mut fork);
    run(&mut system, &mut world);
    assert_eq!((ledger.made(), ledger.alive()), (2, 2));
    drop(fork);
    assert_eq!(ledger.alive(), 1);
    drop((world, system));
    assert_eq!(ledger.alive(), 0);
}

#[test]
fn a_local_whose_clone_panics_stays_where_it_is() {
    let (ledger, mut world) = (Ledger::default(), World::new());
    let tokens = ledger.clone();
    let fill = move |mut early: Local<u32>, mut local: Local<Counted>, mut late: Local<u32>| {
        local.0.get_or_insert_with(|| tokens.token());
        (*early, *late) = (*early + 1, *late + 1);
        assert_eq!(*early, *late);
    };
    let mut system = fill.into_system();
    run(&mut system, &mut world);
    let mut fork = world.fork().expect("everything is Clone");
    let before = (fork.state_hash(), fork.change_tick());
    ledger.panic_in_clone(1);
    assert!(panic_of(|| run(&mut system, &mut fork)).is_some());
    assert_eq!((fork.state_hash(), fork.change_tick()), before);
    run(&mut system, &mut fork);
    run(&mut system, &mut world);
    assert_eq!(fork.state_hash(), world.state_hash());
    assert_eq!(ledger.alive(), 2);
}

#[test]
fn a_local_of_a_system_that_panicked_is_there_in_the_next_run() {
    let mut world = world();
    let system = |mut runs: Local<u32>, mut log: ResMut<Log>| {
        *runs += 1;
        assert!(*runs != 2, "planned");
        log.0.push(*runs);
    };
    let mut system = system.into_system();
    run(&mut system, &mut world);
    assert!(panic_of(|| run(&mut system, &mut world)).is_some());
    run(&mut system, &mut world);
    assert_eq!(log(&world), [1, 3]);
}

#[derive(Default)]
struct Socket(#[allow(dead_code, reason = "only its presence counts")] u32);

#[test]
fn a_fork_is_refused_by_the_name_of_a_local_that_cannot_be_cloned() {
    fn send(_: Local<NoClone<Socket>>) {}
    let mut world = World::new();
    let mut system = send.into_system();
    system.initialize(&mut world).expect("no conflict");
    assert!(world.fork().is_ok(), "there is none before the first run");
    run(&mut system, &mut world);
    let message = world.fork().err().expect("a socket").to_string();
    for part in ["locals::Socket", "::send", "NoClone"] {
        assert!(message.contains(part), "{part} in {message}");
    }
}

#[test]
fn a_fork_in_the_middle_of_a_run_is_refused_by_the_name_of_the_system() {
    fn greedy(world: &World, mut runs: Local<u32>) {
        *runs += 1;
        let message = world.fork().err().expect("a local is out").to_string();
        assert!(message.contains("::greedy"), "{message}");
        assert_eq!(world.state_hash(), World::new().state_hash());
    }
    let (mut world, mut system) = (World::new(), greedy.into_system());
    run(&mut system, &mut world);
    run(&mut system, &mut world);
    assert!(world.fork().is_ok());
    let modest = |world: &World| assert!(world.fork().is_ok());
    run(&mut modest.into_system(), &mut world);
}

#[test]
fn systems_are_numbered_in_order_of_initialization_and_named() {
    fn second() {}
    let mut world = world();
    let mut systems: [Box<dyn System>; 3] = [
        Box::new(tally.into_system()),
        Box::new(second.into_system()),
        Box::new((|_: &mut World| ()).into_system()),
    ];
    for number in [1, 0, 2, 1] {
        systems[number].initialize(&mut world).expect("no conflict");
    }
    let known: Vec<_> = world.systems().collect();
    let ids = [1, 0, 2].map(|number: usize| systems[number].id().expect("initialized"));
    assert_eq!(known.iter().map(|(id, _)| *id).collect::<Vec<_>>(), ids);
    assert!(ids.is_sorted());
    for ((_, name), part) in known.iter().zip(["::second", "::tally", "{{closure}}"]) {
        assert!(name.contains(part), "{part} in {name}");
    }
}

#[test]
fn new_system_objects_take_over_what_released_ones_left_and_else_start_anew() {
    let mut world = world();
    let mut old = [tally.into_system(), tally.into_system()];
    for number in [0, 1, 1] {
        run(&mut old[number], &mut world);
    }
    let mut beside = world.fork().expect("everything is Clone");
    run(&mut tally.into_system(), &mut beside);
    assert_eq!(
        (log(&beside), beside.systems().len()),
        (&[1, 1, 2, 1][..], 3)
    );
    world.release_systems();
    let mut new = [
        tally.into_system(),
        tally.into_system(),
        tally.into_system(),
    ];
    for number in [0, 1, 2] {
        run(&mut new[number], &mut world);
    }
    assert_eq!(log(&world), [1, 1, 2, 2, 3, 1]);
    run(&mut old[1], &mut world);
    assert_eq!(log(&world).last(), Some(&1), "its own is taken");
    assert_eq!(world.systems().len(), 4);
}

/// Closures of one function have one name; what one of them left must not go to another.
#[test]
fn what_was_released_goes_to_the_same_function_only() {
    let mut world = world();
    let one = || {
        |mut runs: Local<u32>, mut log: ResMut<Log>| {
            *runs += 1;
            log.0.push(*runs);
        }
    };
    let other = || {
        |mut runs: Local<u32>, mut log: ResMut<Log>| {
            *runs += 10;
            log.0.push(*runs);
        }
    };
    run(&mut one().into_system(), &mut world);
    run(&mut other().into_system(), &mut world);
    world.release_systems();
    run(&mut other().into_system(), &mut world);
    run(&mut one().into_system(), &mut world);
    assert_eq!(log(&world), [1, 10, 20, 2]);
}

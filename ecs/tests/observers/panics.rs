//! Observers and drops that panic: the world stays whole and every value is dropped once.

use orrery_ecs::{
    Add, CommandQueue, Commands, Despawn, Entity, Event, Insert, On, Query, Remove, ResMut, With,
    World,
};

use super::{Blue, Log, Red, Tag, note_all, take_log, world_with_log};
use crate::support::{Ledger, Named, Num, ignore, panic_of};

#[derive(Event)]
struct Ping;

const PLANNED: Option<&str> = Some("planned panic in an observer");

/// A world whose observers of one kind panic after they have asked for a spawn.
fn explosive(ledger: &Ledger) -> (World, Vec<Entity>) {
    let mut world = world_with_log();
    let bundle = |i| (Num(i), Named::new(i, ledger), Tag::new(i, ledger));
    let all = (0..10).map(|i| world.spawn(bundle(i)).id()).collect();
    fn explode(mut commands: Commands) {
        commands.spawn(Blue);
        panic!("planned panic in an observer");
    }
    world.add_observer(|_: On<Add, Red>, commands: Commands| explode(commands));
    world.add_observer(|_: On<Insert, Named>, commands: Commands| explode(commands));
    world.add_observer(|_: On<Remove, Tag>, commands: Commands| explode(commands));
    world.add_observer(|_: On<Despawn>, commands: Commands| explode(commands));
    world.add_observer(|_: On<Remove>, mut log: ResMut<Log>| {
        log.0.push(String::from("not reached after a panic"));
    });
    (world, all)
}

/// Every column gives what it should.
fn whole(world: &mut World, named: usize, nums: usize) {
    let mut query = world.query::<(&Num, &Named)>();
    assert!(
        query
            .iter(world)
            .all(|(num, named)| num.0 == named.number())
    );
    assert_eq!(world.query::<&Named>().view(world).len(), named);
    assert_eq!(world.query::<&Num>().view(world).len(), nums);
    assert_eq!(world.query::<&Blue>().view(world).len(), 0);
    let before = world.len();
    let entity = world.spawn(Num(1)).id();
    assert_eq!(
        (world.get::<Num>(entity), world.len()),
        (Some(&Num(1)), before + 1)
    );
    assert_eq!(world.take::<Num>(entity), Ok(Num(1)));
}

#[test]
fn an_observer_that_panics_leaves_a_complete_change_and_drops_what_left_once() {
    type Change = fn(&mut World, &[Entity], &Ledger);
    let cases: [(Change, usize, usize, i64); 6] = [
        (
            |world, all, _| ignore(world.insert(all[2], Red)),
            10,
            10,
            20,
        ),
        (
            |world, all, ledger| ignore(world.insert(all[2], Named::new(2, ledger))),
            10,
            10,
            20,
        ),
        (
            |world, all, _| ignore(world.remove::<(Named, Tag)>(all[2])),
            9,
            10,
            18,
        ),
        (
            |world, all, _| ignore(world.take::<(Tag, Named)>(all[2])),
            9,
            10,
            18,
        ),
        (|world, all, _| ignore(world.despawn(all[2])), 9, 9, 18),
        (
            |world, _, ledger| ignore(world.spawn((Num(7), Named::new(7, ledger))).id()),
            11,
            11,
            21,
        ),
    ];
    for (number, (change, named, nums, alive)) in cases.into_iter().enumerate() {
        let ledger = Ledger::default();
        let (mut world, all) = explosive(&ledger);
        let panic = panic_of(|| change(&mut world, &all, &ledger));
        assert_eq!(panic.as_deref(), PLANNED, "case {number}");
        assert_eq!(ledger.alive(), alive, "case {number}");
        whole(&mut world, named, nums);
        drop(world);
        assert_eq!(ledger.alive(), 0, "case {number}");
    }
}

#[test]
fn an_observer_that_panics_in_a_bulk_change_leaves_all_of_it_done() {
    type Change = fn(&mut World, &Ledger);
    let cases: [(Change, usize, usize, i64); 5] = [
        (
            |world, _| ignore(world.insert_where::<With<Num>, _>(Red)),
            10,
            10,
            20,
        ),
        (
            |world, _| ignore(world.remove_where::<With<Num>, Tag>()),
            10,
            10,
            10,
        ),
        (
            |world, _| ignore(world.despawn_where::<With<Num>>()),
            0,
            0,
            0,
        ),
        (|world, _| world.clear(), 0, 0, 0),
        (
            |world, ledger| {
                world.spawn_batch((10..20).map(|i| (Num(i), Named::new(i, ledger))));
            },
            20,
            20,
            30,
        ),
    ];
    for (number, (change, named, nums, alive)) in cases.into_iter().enumerate() {
        let ledger = Ledger::default();
        let (mut world, _) = explosive(&ledger);
        let panic = panic_of(|| change(&mut world, &ledger));
        assert_eq!(panic.as_deref(), PLANNED, "case {number}");
        assert_eq!(ledger.alive(), alive, "case {number}");
        whole(&mut world, named, nums);
        drop(world);
        assert_eq!(ledger.alive(), 0, "case {number}");
    }
}

#[test]
fn what_stood_behind_a_panic_is_dropped_inside_the_chain_and_kept_outside() {
    let mut world = world_with_log();
    world.add_observer(|on: On<Add, Red>, mut commands: Commands| {
        commands.trigger(Ping);
        commands.insert(on.entity(), Num(7));
    });
    let armed = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    world.add_observer(move |_: On<Ping>, mut commands: Commands| {
        commands.spawn(Blue);
        let explodes = armed.swap(false, std::sync::atomic::Ordering::Relaxed);
        assert!(!explodes, "planned panic in an observer");
    });
    let mut queue = CommandQueue::default();
    let mut commands = Commands::new(&mut queue, &world);
    let first = commands.spawn(Red).id();
    let second = commands.spawn(Red).id();
    assert_eq!(panic_of(|| queue.apply(&mut world)).as_deref(), PLANNED);
    assert!(world.get::<Red>(first).is_some() && world.get::<Red>(second).is_none());
    assert!(!queue.is_empty() && world.get::<Num>(first).is_none());
    queue.apply(&mut world);
    // The second run of both observers begins with nothing left over from the first.
    assert_eq!(world.get::<Num>(second), Some(&Num(7)));
    assert!(world.get::<Num>(first).is_none());
    assert_eq!(
        (world.query::<&Blue>().view(&world).len(), world.len()),
        (1, 3)
    );
}

#[test]
fn the_depth_is_counted_anew_after_a_panic() {
    let mut world = world_with_log();
    world.add_observer(
        |on: On<Insert, Num>, nums: Query<&Num>, mut commands: Commands| {
            let number = nums.get(on.entity()).expect("just inserted").0;
            assert!(number != 40, "planned panic in an observer");
            commands.insert(on.entity(), Num(number + 1));
        },
    );
    for _ in 0..4 {
        assert_eq!(
            panic_of(|| ignore(world.spawn(Num(0)).id())).as_deref(),
            PLANNED
        );
    }
    assert_eq!((world.observer_error_count(), world.len()), (0, 4));
    world.spawn(Num(41));
    assert_eq!(world.observer_error_count(), 1);
}

#[test]
fn a_drop_that_panics_is_told_when_observers_have_run() {
    let (ledger, mut world) = (Ledger::default(), world_with_log());
    note_all::<Named>(&mut world, "named");
    let all: Vec<Entity> = (0..4)
        .map(|i| {
            world
                .spawn((Num(i), Named::new(i, &ledger), Tag::new(i, &ledger)))
                .id()
        })
        .collect();
    take_log(&mut world);
    let planned = Some("planned panic in a drop");
    ledger.panic_in_drop(1);
    assert_eq!(
        panic_of(|| ignore(world.remove::<Named>(all[0]))).as_deref(),
        planned
    );
    assert_eq!((take_log(&mut world).len(), ledger.alive()), (1, 7));
    ledger.panic_in_drop(1);
    assert_eq!(
        panic_of(|| ignore(world.despawn(all[1]))).as_deref(),
        planned
    );
    assert_eq!((take_log(&mut world).len(), ledger.alive()), (2, 5));
    ledger.panic_in_drop(1);
    let insert = || ignore(world.insert(all[2], Named::new(2, &ledger)));
    assert_eq!(panic_of(insert).as_deref(), planned);
    assert_eq!((take_log(&mut world).len(), ledger.alive()), (1, 5));
    ledger.panic_in_drop(2);
    assert_eq!(panic_of(|| world.clear()).as_deref(), planned);
    assert_eq!(
        (take_log(&mut world).len(), ledger.alive(), world.len()),
        (4, 0, 0)
    );
}

#[test]
fn a_clone_that_panics_before_a_watched_change_leaves_everything_as_it_was() {
    type Change = fn(&mut World, &[Entity]);
    let cases: [Change; 6] = [
        |world, all| ignore(world.despawn(all[2])),
        |world, all| ignore(world.remove::<Tag>(all[2])),
        |world, all| ignore(world.take::<Named>(all[2])),
        |world, all| ignore(world.insert(all[2], Red)),
        |world, _| world.clear(),
        |world, _| ignore(world.despawn_where::<With<Num>>()),
    ];
    for change in cases {
        for clone in [1, 3, 10] {
            let (ledger, mut world) = (Ledger::default(), world_with_log());
            let bundle = |i| (Num(i), Named::new(i, &ledger), Tag::new(i, &ledger));
            let all: Vec<Entity> = (0..10).map(|i| world.spawn(bundle(i)).id()).collect();
            note_all::<Named>(&mut world, "named");
            note_all::<Tag>(&mut world, "tag");
            note_all::<Red>(&mut world, "red");
            let mut reader = world.removed_reader::<Tag>();
            let mut fork = world.fork().expect("it can be cloned");
            ledger.panic_in_clone(clone);
            let panic = panic_of(|| change(&mut fork, &all));
            assert_eq!(panic.as_deref(), Some("planned panic in a clone"));
            ledger.panic_in_clone(0);
            assert_eq!((take_log(&mut fork).len(), fork.len()), (0, 10));
            assert_eq!(reader.read(&mut fork), []);
            whole(&mut fork, 10, 10);
            drop((world, fork));
            assert_eq!(ledger.alive(), 0);
        }
    }
}

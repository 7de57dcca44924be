//! Which changes a system finds: each one once.

use std::sync::{Arc, Mutex};

use orrery_ecs::{
    CommandQueue, Commands, IntoSystem, Query, Res, ResMut, Resource, Serial, System, SystemId,
    SystemParamFunction, World,
};

use crate::support::{Num, panic_of};

#[derive(Clone, Debug, Default, PartialEq, Resource)]
struct Value(u32);

#[derive(Clone, Default, Resource)]
struct Other(u32);

/// What a system found at each of its runs.
type Found = Arc<Mutex<Vec<(bool, bool)>>>;

/// A system that notes whether `Value` is added and changed.
fn watcher() -> (impl System, impl FnMut() -> (bool, bool)) {
    let found = Found::default();
    let list = found.clone();
    let watch = move |value: Option<Res<Value>>| {
        let what = value.map_or((false, false), |value| {
            (value.is_added(), value.is_changed())
        });
        list.lock().expect("no panic inside").push(what);
    };
    let pop = move || {
        found
            .lock()
            .expect("no panic inside")
            .pop()
            .expect("it ran")
    };
    (watch.into_system(), pop)
}

fn run(system: &mut impl System, world: &mut World) {
    system.run(world, &Serial).expect("all there");
}

fn id(system: &impl System) -> SystemId {
    system.id().expect("it was run")
}

#[test]
fn a_resource_is_added_and_changed_once_for_each_system() {
    let mut world = World::new();
    let (mut early, mut early_found) = watcher();
    let (mut late, mut late_found) = watcher();
    run(&mut early, &mut world);
    assert_eq!(early_found(), (false, false));
    world.insert_resource(Value(1));
    for expected in [(true, true), (false, false), (false, false)] {
        run(&mut early, &mut world);
        assert_eq!(early_found(), expected);
    }
    run(&mut late, &mut world);
    assert_eq!(late_found(), (true, true), "it was not there before");
    world.insert_resource(Value(2));
    for expected in [(false, true), (false, false)] {
        run(&mut early, &mut world);
        run(&mut late, &mut world);
        assert_eq!((early_found(), late_found()), (expected, expected));
    }
    world.remove_resource::<Value>();
    run(&mut early, &mut world);
    world.insert_resource(Value(3));
    run(&mut early, &mut world);
    assert_eq!(early_found(), (true, true));
}

#[test]
fn a_change_made_by_a_later_system_is_seen_in_the_next_run() {
    let mut world = World::new();
    world.insert_resource(Value(1));
    let (mut watch, mut found) = watcher();
    let mut write = (|mut value: ResMut<Value>| value.0 += 1).into_system();
    run(&mut watch, &mut world);
    for _ in 0..3 {
        run(&mut write, &mut world);
        run(&mut watch, &mut world);
        assert_eq!(found(), (false, true));
        run(&mut watch, &mut world);
        assert_eq!(found(), (false, false));
    }
}

/// The writes of whoever came between two runs had the tick of the first one, and were lost.
#[test]
fn a_change_from_outside_right_after_a_run_is_seen_in_the_next_one() {
    let mut world = World::new();
    world.insert_resource(Value(1));
    let entity = world.spawn(Num(1)).id();
    let (mut watch, mut found) = watcher();
    run(&mut watch, &mut world);
    let last = world.last_run(id(&watch));
    assert_eq!(world.changed_since::<Num>(last).count(), 0);
    world.resource_mut::<Value>().0 += 1;
    world.get_mut::<Num>(entity).expect("it lives").0 += 1;
    assert_eq!(world.changed_since::<Num>(last).count(), 1);
    run(&mut watch, &mut world);
    assert_eq!(found(), (false, true));
}

#[test]
fn a_system_finds_what_its_commands_did_and_not_what_it_wrote_itself() {
    let mut world = World::new();
    world.insert_resource(Value(1));
    let list = Found::default();
    let mut round = 0;
    let found = list.clone();
    let system = move |mut value: ResMut<Value>, mut nums: Query<&mut Num>, mut to: Commands| {
        let what = (value.is_added(), value.is_changed());
        list.lock().expect("no panic inside").push(what);
        round += 1;
        match round {
            1 => to.insert_resource(Value(7)),
            2 => value.0 += 1,
            3 => nums.for_each(|num| num.0 += 1),
            _ => drop(to.spawn(Num(1))),
        }
    };
    let mut system = system.into_system();
    world.spawn(Num(5));
    for expected in [(true, true), (false, true), (false, false), (false, false)] {
        run(&mut system, &mut world);
        let found = found.lock().expect("no panic inside").pop();
        assert_eq!(found, Some(expected));
        let spawned = world.query::<&Num>().view(&world).len() == 2;
        let new = world.changed_since::<Num>(world.last_run(id(&system)));
        assert_eq!(new.count() > 0, spawned, "only the spawned one is new");
    }
}

#[test]
fn only_a_write_that_differs_marks_a_resource() {
    let mut world = World::new();
    world.insert_resource(Value(5));
    let (mut watch, mut found) = watcher();
    run(&mut watch, &mut world);
    let quiet: [fn(ResMut<Value>); 3] = [
        |value| assert_eq!(value.0, 5),
        |mut value| assert!(!value.set_if_neq(Value(5))),
        |mut value| value.bypass_change_detection().0 = 5,
    ];
    let loud: [fn(ResMut<Value>); 4] = [
        |mut value| assert!(value.set_if_neq(Value(6))),
        |mut value| value.set_changed(),
        |mut value| value.0 = 5,
        |value| value.into_inner().0 = 5,
    ];
    let cases = quiet.map(|access| (access, false));
    for (access, marks) in cases.into_iter().chain(loud.map(|access| (access, true))) {
        let before = world.change_tick();
        let check = move |value: ResMut<Value>| access(value);
        world.run_system_once(check).expect("it is there");
        let look = move |value: Res<Value>| value.last_changed() > before;
        assert_eq!(world.run_system_once(look), Ok(marks));
        run(&mut watch, &mut world);
        assert_eq!(found(), (false, marks));
    }
}

#[test]
fn a_run_that_panicked_does_not_count() {
    let mut world = World::new();
    world.insert_resource(Value(1));
    let found = Found::default();
    let (list, mut fail) = (found.clone(), false);
    let system = move |value: Res<Value>| {
        let what = (value.is_added(), value.is_changed());
        list.lock().expect("no panic inside").push(what);
        fail = !fail;
        if fail {
            panic!("planned");
        }
    };
    let mut system = system.into_system();
    for expected in [(true, true), (false, false)] {
        let before = system.id().map_or(0, |id| world.last_run(id));
        assert!(panic_of(|| run(&mut system, &mut world)).is_some());
        assert_eq!(world.last_run(id(&system)), before);
        run(&mut system, &mut world);
        assert!(world.last_run(id(&system)) > before);
        let found = std::mem::take(&mut *found.lock().expect("no panic inside"));
        assert_eq!(found, [expected, expected]);
    }
}

#[test]
fn a_run_that_is_refused_leaves_the_world_as_it_was() {
    let mut world = World::new();
    world.insert_resource(Value(1));
    let mut queue = CommandQueue::default();
    let reserved = Commands::new(&mut queue, &world).spawn(Num(1)).id();
    let mut function = (|_: ResMut<Value>, _: Res<Other>| ()).into_system();
    let mut piped = (|mut value: ResMut<Value>| value.0 += 1)
        .pipe(|_: Res<Other>| ())
        .into_system();
    let systems: [&mut dyn System; 2] = [&mut function, &mut piped];
    for system in systems {
        system.initialize(&mut world).expect("no conflict");
        let before = (world.change_tick(), world.state_hash());
        for _ in 0..3 {
            assert!(system.run(&mut world, &Serial).is_err());
        }
        assert_eq!((world.change_tick(), world.state_hash()), before);
        assert_eq!(world.last_run(system.id().expect("initialized")), 0);
        assert!(!world.contains(reserved));
    }
    assert_eq!(world.resource::<Value>().0, 1);
}

#[test]
fn one_system_has_a_last_run_in_a_world_and_another_in_its_fork() {
    let mut world = World::new();
    world.insert_resource(Value(1));
    let (mut watch, mut found) = watcher();
    run(&mut watch, &mut world);
    world.resource_mut::<Value>().0 = 2;
    let mut fork = world.fork().expect("everything is Clone");
    let before = world.last_run(id(&watch));
    for _ in 0..3 {
        run(&mut watch, &mut world);
    }
    assert_eq!(found(), (false, false));
    run(&mut watch, &mut fork);
    assert_eq!(found(), (false, true), "nobody looked there since");
    assert!(before < fork.last_run(id(&watch)));
    assert!(fork.last_run(id(&watch)) < world.last_run(id(&watch)));
    run(&mut watch, &mut world);
    assert_eq!(found(), (false, false));
}

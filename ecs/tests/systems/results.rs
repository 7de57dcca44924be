//! Systems that return something: errors, values for the next one, values for whoever runs them.

use std::fmt;

use orrery_ecs::{
    Chunk, Commands, Entity, In, IntoSystem, Local, Query, Res, ResMut, Resource, Serial, System,
    SystemError, SystemParamFunction, World,
};

use crate::support::{Ledger, Named, Num, ignore, panic_of};

#[derive(Clone, Default, Resource)]
struct Log(Vec<u32>);

#[derive(Clone, Default, Resource)]
struct Missing(u32);

#[derive(Debug)]
struct TooMany(u32);

impl fmt::Display for TooMany {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} are too many", self.0)
    }
}

impl std::error::Error for TooMany {}

fn world() -> World {
    let mut world = World::new();
    world.init_resource::<Log>();
    world
}

fn log(world: &World) -> &[u32] {
    &world.resource::<Log>().0
}

#[test]
fn a_system_that_returns_an_error_is_named_and_the_error_can_be_had_back() {
    fn limited(mut runs: Local<u32>) -> Result<(), TooMany> {
        *runs += 1;
        if *runs > 1 {
            Err(TooMany(*runs))
        } else {
            Ok(())
        }
    }
    let (mut world, mut system) = (world(), limited.into_system());
    system.run(&mut world, &Serial).expect("one is fine");
    let error = system.run(&mut world, &Serial).expect_err("two are not");
    let message = error.to_string();
    for part in ["::limited failed", "2 are too many"] {
        assert!(message.contains(part), "{part} in {message}");
    }
    let SystemError::Failed { source, .. } = &error else {
        panic!("{error}");
    };
    assert_eq!(
        source.downcast_ref::<TooMany>().map(|error| error.0),
        Some(2)
    );
    assert_eq!(error.clone(), error);
    assert_ne!(system.run(&mut world, &Serial), Err(error));
    let words = || Err::<(), _>("plain words");
    let error = words
        .into_system()
        .run(&mut world, &Serial)
        .expect_err("always");
    assert!(error.to_string().contains("plain words"));
    let exclusive = |world: &mut World| {
        world.resource_mut::<Log>().0.push(1);
        Err::<(), _>(String::from("owned words"))
    };
    let error = exclusive
        .into_system()
        .run(&mut world, &Serial)
        .expect_err("always");
    assert!(error.to_string().contains("owned words"));
}

#[test]
fn a_system_that_failed_has_not_run_and_its_commands_are_forgotten() {
    let ledger = Ledger::default();
    let (mut world, names, mut fail) = (world(), ledger.clone(), true);
    let system = move |log: Res<Log>, mut commands: Commands| {
        assert!(log.is_added() && log.is_changed());
        commands.spawn(Named::new(1, &names));
        fail = !fail;
        if fail { Ok(()) } else { Err("planned") }
    };
    let mut system = system.into_system();
    let before = world.state_hash();
    assert!(system.run(&mut world, &Serial).is_err());
    assert_eq!(world.last_run(system.id().expect("it was run")), 0);
    assert_eq!((world.state_hash(), ledger.alive()), (before, 0));
    system.run(&mut world, &Serial).expect("not this time");
    assert_eq!((world.len(), ledger.alive()), (1, 1));
    assert!(world.last_run(system.id().expect("it was run")) > 0);
    let failing = |world: &mut World| world.spawn(Num(1)).id().index().checked_sub(9).ok_or("low");
    let mut failing = (move |world: &mut World| failing(world).map(drop)).into_system();
    assert!(failing.run(&mut world, &Serial).is_err());
    assert_eq!(world.last_run(failing.id().expect("it was run")), 0);
}

#[test]
fn a_closure_that_only_panics_is_a_system() {
    let mut system = (|_: Query<&Num>| panic!("planned")).into_system();
    let mut world = world();
    let message = panic_of(|| drop(system.run(&mut world, &Serial)));
    assert_eq!(message.as_deref(), Some("planned"));
}

fn largest(nums: Query<(Entity, &Num)>) -> Option<Entity> {
    nums.iter()
        .max_by_key(|(_, num)| num.0)
        .map(|(entity, _)| entity)
}

fn remove(In(entity): In<Option<Entity>>, mut log: ResMut<Log>, mut commands: Commands) -> usize {
    let Some(entity) = entity else { return 0 };
    log.0.push(entity.index());
    commands.despawn(entity);
    1
}

#[test]
fn a_pipe_hands_on_what_the_first_returned() {
    let mut world = world();
    world.spawn_batch([3, 9, 5].map(Num));
    let note = |In(count): In<usize>, mut log: ResMut<Log>| log.0.push(100 + count as u32);
    let mut system = largest.pipe(remove).pipe(note).into_system();
    for name in ["largest", "remove"] {
        assert!(system.name().contains(name), "{}", system.name());
    }
    for _ in 0..4 {
        system.run(&mut world, &Serial).expect("all there");
    }
    assert_eq!(log(&world), [1, 101, 2, 101, 0, 101, 100]);
    assert!(world.is_empty());
    assert_eq!(world.systems().len(), 1);
}

#[test]
fn the_parts_of_a_pipe_may_exclude_each_other_and_have_locals_of_their_own() {
    let mut world = world();
    world.spawn(Num(1));
    let first = |mut nums: Query<&mut Num>, mut runs: Local<u32>| {
        *runs += 1;
        nums.for_each(|num| num.0 += 10);
        *runs
    };
    let second =
        |In(ran): In<u32>, nums: Query<&Num>, mut runs: Local<u32>, mut log: ResMut<Log>| {
            *runs += 100;
            log.0.extend([ran, *runs]);
            log.0.extend(nums.iter().map(|num| num.0));
        };
    let mut system = first.pipe(second).into_system();
    system.run(&mut world, &Serial).expect("one at a time");
    let mut fork = world.fork().expect("everything is Clone");
    system.run(&mut world, &Serial).expect("one at a time");
    system.run(&mut fork, &Serial).expect("one at a time");
    assert_eq!(log(&world), [1, 100, 11, 2, 200, 21]);
    assert_eq!(world.state_hash(), fork.state_hash());
}

#[test]
fn commands_of_a_pipe_are_done_when_both_parts_have_ended() {
    let mut world = world();
    let first = |mut commands: Commands| ignore(commands.spawn(Num(1)));
    let second = |nums: Query<&Num>, mut commands: Commands, mut log: ResMut<Log>| {
        log.0.push(nums.len() as u32);
        commands.queue(|world| {
            let count = world.query::<&Num>().view(world).len() as u32;
            world.resource_mut::<Log>().0.push(count);
        });
    };
    first
        .pipe(second)
        .into_system()
        .run(&mut world, &Serial)
        .expect("all there");
    assert_eq!(log(&world), [0, 1]);
}

#[test]
fn a_pipe_that_lacks_something_for_its_second_part_does_not_run_the_first() {
    let mut world = world();
    let first = |mut log: ResMut<Log>| log.0.push(1);
    let second = |_: Res<Missing>| ();
    let mut system = first.pipe(second).into_system();
    let error = system
        .run(&mut world, &Serial)
        .expect_err("Missing is missing");
    assert!(error.to_string().contains("results::Missing"), "{error}");
    assert!(log(&world).is_empty());
    world.insert_resource(Missing(1));
    system.run(&mut world, &Serial).expect("it is there now");
    assert_eq!(log(&world), [1]);
}

#[test]
fn a_pipe_can_handle_the_error_of_its_first_part_or_return_its_own() {
    let mut world = world();
    let risky = || Err::<u32, TooMany>(TooMany(3));
    let handle = |In(result): In<Result<u32, TooMany>>, mut log: ResMut<Log>| {
        log.0.push(result.unwrap_or_else(|error| error.0));
    };
    risky
        .pipe(handle)
        .into_system()
        .run(&mut world, &Serial)
        .expect("it is handled");
    assert_eq!(log(&world), [3]);
    let pass = |In(result): In<Result<u32, TooMany>>| result.map(drop);
    let error = risky.pipe(pass).into_system().run(&mut world, &Serial);
    assert!(matches!(error, Err(SystemError::Failed { .. })));
}

#[test]
fn a_system_that_runs_once_returns_its_value_and_leaves_nothing_behind() {
    let mut world = world();
    world.spawn_batch((0..10).map(Num));
    let before = world.fork().expect("everything is Clone");
    let look = |nums: Query<&Num>, log: Res<Log>, mut runs: Local<u32>| {
        *runs += 1;
        assert!(log.is_added());
        (nums.len(), *runs)
    };
    for _ in 0..3 {
        assert_eq!(world.run_system_once(look), Ok((10, 1)));
    }
    assert_eq!(world.systems().len(), 0);
    assert_eq!(world.state_hash(), before.state_hash());
    let borrowed = String::from("ab");
    let count = world.run_system_once(|world: &mut World| world.len() + borrowed.len());
    assert_eq!(count, Ok(12));
    let spawn = |mut commands: Commands| commands.spawn(Num(5)).id();
    let entity = world.run_system_once(spawn).expect("nothing to ask for");
    assert_eq!(world.get::<Num>(entity).map(|num| num.0), Some(5));
    let double = |chunk: Chunk<&mut Num>| chunk.slices().iter_mut().for_each(|num| num.0 *= 2);
    world.run_system_once(double).expect("nothing to ask for");
    assert_eq!(world.get::<Num>(entity).map(|num| num.0), Some(10));
    let inner = |world: &mut World| world.run_system_once(largest);
    assert!(
        world
            .run_system_once(inner)
            .is_ok_and(|inner| inner.is_ok())
    );
    let refused = world.run_system_once(|_: Query<&mut Num>, _: Query<&Num>| ());
    assert!(matches!(refused, Err(SystemError::Conflict(_))));
    let handed_on = world.run_system_once(|| Err::<u32, _>("its own"));
    assert_eq!(handed_on, Ok(Err("its own")));
}

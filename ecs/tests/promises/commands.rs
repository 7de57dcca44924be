//! Commands: order, dead entities, panics. Sentences 44 to 50.

use orrery_ecs::{
    Add, CommandQueue, Commands, Component, HookContext, Insert, IntoSystem, OBSERVER_DEPTH_MAX,
    ObserverError, On, Query, ResMut, Resource, World,
};

use crate::support::{Frozen, Ledger, Named, Num, Wide, panic_of, run};

#[derive(Clone, Default, Resource)]
struct Log(Vec<u32>);

#[test]
fn commands_keep_their_order_within_a_system_and_across_systems() {
    let mut world = World::new();
    world.init_resource::<Log>();
    let log = |commands: &mut Commands, number: u32| {
        commands.queue(move |world| world.resource_mut::<Log>().0.push(number));
    };
    let system = |first: u32| {
        move |mut commands: Commands| (first..first + 100).for_each(|n| log(&mut commands, n))
    };
    let (mut one, mut other) = (system(0).into_system(), system(100).into_system());
    for _ in 0..2 {
        run(&mut world, &mut one);
        run(&mut world, &mut other);
    }
    assert!(
        world
            .resource::<Log>()
            .0
            .iter()
            .copied()
            .eq((0..200).chain(0..200))
    );
    // One queue that is filled in parts, and applied once.
    let mut queue = CommandQueue::default();
    for part in 0..10 {
        let mut commands = Commands::new(&mut queue, &world);
        (part * 10..part * 10 + 10).for_each(|number| log(&mut commands, number));
    }
    world.init_resource::<Log>();
    world.resource_mut::<Log>().0.clear();
    queue.apply(&mut world);
    assert!(queue.is_empty() && world.resource::<Log>().0.iter().copied().eq(0..100));
    queue.apply(&mut world);
    assert_eq!(world.resource::<Log>().0.len(), 100, "each is done once");
}

/// Inserts, removals and closures of one queue see each other's work as if done one by one.
#[test]
fn a_closure_sees_what_was_asked_for_before_it_and_nothing_that_came_after() {
    let mut world = World::new();
    let mut queue = CommandQueue::default();
    let mut commands = Commands::new(&mut queue, &world);
    let entity = commands.spawn(Num(1)).id();
    commands.queue(move |world| {
        assert_eq!(world.get::<Num>(entity), Some(&Num(1)));
        assert_eq!(world.get::<Wide>(entity), None);
    });
    commands.insert(entity, (Num(2), Wide(2)));
    commands.queue(move |world| {
        assert_eq!(world.get::<Num>(entity), Some(&Num(2)));
        world.remove::<Num>(entity).expect("it lives");
    });
    commands.insert(entity, Wide(3));
    queue.apply(&mut world);
    assert_eq!(
        (world.get::<Num>(entity), world.get::<Wide>(entity)),
        (None, Some(&Wide(3)))
    );
}

#[test]
fn commands_on_an_entity_despawned_meanwhile_report_and_do_not_corrupt() {
    let (ledger, mut world) = (Ledger::default(), World::new());
    let entity = world.spawn(Num(1)).id();
    let mut queue = CommandQueue::default();
    let mut commands = Commands::new(&mut queue, &world);
    commands.despawn(entity);
    commands.insert(entity, Named::new(1, &ledger));
    commands.remove::<Num>(entity);
    commands.despawn(entity);
    let spawned = commands.spawn(Num(2)).id();
    queue.apply(&mut world);
    assert_eq!((queue.missed(), ledger.alive(), world.len()), (3, 0, 1));
    assert_eq!(world.get::<Num>(spawned), Some(&Num(2)));
}

#[test]
fn dropping_an_unapplied_queue_drops_its_payloads() {
    let (ledger, world) = (Ledger::default(), World::new());
    let mut queue = CommandQueue::default();
    let mut commands = Commands::new(&mut queue, &world);
    for number in 0..10 {
        commands.spawn((Named::new(number, &ledger), Wide(1)));
    }
    assert_eq!(ledger.alive(), 10);
    drop(queue);
    assert_eq!((ledger.alive(), ledger.made()), (0, 10));
}

#[test]
fn a_command_that_panics_leaves_the_rest_consistent() {
    let (ledger, mut world) = (Ledger::default(), World::new());
    world.init_resource::<Log>();
    let mut queue = CommandQueue::default();
    let mut commands = Commands::new(&mut queue, &world);
    let first = commands.spawn(Named::new(1, &ledger)).id();
    commands.queue(|_| panic!("planned panic in a command"));
    let second = commands.spawn(Named::new(2, &ledger)).id();
    commands.queue(|world| world.resource_mut::<Log>().0.push(2));
    let panic = panic_of(|| queue.apply(&mut world));
    assert_eq!(panic.as_deref(), Some("planned panic in a command"));
    assert!(world.get::<Named>(first).is_some() && world.get::<Named>(second).is_none());
    assert!(!queue.is_empty());
    Commands::new(&mut queue, &world).queue(|world| world.resource_mut::<Log>().0.push(3));
    queue.apply(&mut world);
    assert_eq!(world.resource::<Log>().0, [2, 3]);
    assert_eq!(world.get::<Named>(second).map(Named::number), Some(2));
    drop((world, queue));
    assert_eq!(ledger.alive(), 0);
}

#[test]
fn one_queue_spawns_inserts_removes_and_despawns_one_new_id() {
    let (ledger, mut world) = (Ledger::default(), World::new());
    let mut queue = CommandQueue::default();
    let mut commands = Commands::new(&mut queue, &world);
    let kept = commands
        .spawn(Num(1))
        .insert(Named::new(1, &ledger))
        .remove::<Num>()
        .id();
    let mut gone = commands.spawn((Num(2), Named::new(2, &ledger)));
    gone.insert(Wide(1)).remove::<Wide>();
    gone.despawn();
    queue.apply(&mut world);
    assert_eq!((world.len(), ledger.alive(), queue.missed()), (1, 1, 0));
    assert!(world.get::<Num>(kept).is_none());
    assert_eq!(world.get::<Named>(kept).map(Named::number), Some(1));
}

fn log(commands: &mut Commands, number: u32) {
    commands.queue(move |world| world.resource_mut::<Log>().0.push(number));
}

#[derive(Clone, Copy, Component)]
#[component(on_add = first_hook)]
struct First;

/// Both of its commands, with all that they cause, come before any observer of `First`.
fn first_hook(mut context: HookContext<'_>) {
    let entity = context.entity();
    let mut commands = context.commands();
    log(&mut commands, 1);
    commands.insert(entity, Second);
    log(&mut commands, 4);
}

#[derive(Clone, Copy, Component)]
#[component(on_insert = second_hook)]
struct Second;

fn second_hook(mut context: HookContext<'_>) {
    log(&mut context.commands(), 2);
}

#[test]
fn nested_commands_of_hooks_and_observers_end_and_run_depth_first() {
    let mut world = World::new();
    world.init_resource::<Log>();
    world.add_observer(|on: On<Add, First>, mut commands: Commands| {
        log(&mut commands, 5);
        commands.insert(on.entity(), Num(0));
        log(&mut commands, 8);
    });
    world.add_observer(|_: On<Add, First>, mut log: ResMut<Log>| log.0.push(9));
    world.add_observer(|_: On<Insert, Second>, mut log: ResMut<Log>| log.0.push(3));
    world.add_observer(|_: On<Insert, Num>, mut commands: Commands| {
        log(&mut commands, 6);
        commands.queue(|world| {
            world.spawn(Wide(1));
        });
    });
    world.add_observer(|_: On<Add, Wide>, mut log: ResMut<Log>| log.0.push(7));
    let mut queue = CommandQueue::default();
    let mut commands = Commands::new(&mut queue, &world);
    log(&mut commands, 0);
    commands.spawn(First);
    log(&mut commands, 10);
    queue.apply(&mut world);
    assert_eq!(
        world.resource::<Log>().0,
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    );
    assert_eq!(world.observer_error_count(), 0);
    // What would never end, does.
    world.add_observer(
        |on: On<Insert, Frozen>, all: Query<&Frozen>, mut commands: Commands| {
            let next = all.get(on.entity()).expect("just inserted").0 + 1;
            commands.insert(on.entity(), Frozen(next));
        },
    );
    let endless = world.spawn(Frozen(0)).id();
    let last = Frozen(OBSERVER_DEPTH_MAX as u32);
    assert_eq!(world.get(endless), Some(&last));
    let error = world.take_observer_error();
    assert!(matches!(error, Some(ObserverError::TooDeep(_))));
}

#[test]
fn an_insert_of_a_new_component_that_fails_drops_it_and_harms_nothing() {
    let (ledger, mut world) = (Ledger::default(), World::new());
    let mut queue = CommandQueue::default();
    let entity = Commands::new(&mut queue, &world)
        .spawn(Named::new(1, &ledger))
        .id();
    assert!(!world.contains(entity));
    assert_eq!(world.despawn(entity), Ok(()));
    let other = world.spawn(Num(1)).id();
    queue.apply(&mut world);
    assert_eq!((queue.missed(), ledger.alive(), world.len()), (1, 0, 1));
    assert!(world.contains(other) && !world.contains(entity));
}

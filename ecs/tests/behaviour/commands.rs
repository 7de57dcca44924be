//! Commands: order, dead entities, panics.

use orrery_ecs::{CommandQueue, Commands, Entity, Resource, World};

use crate::support::{Ledger, Named, Num, Pos, Wide, panic_of};

#[derive(Clone, Default, Resource)]
struct Log(Vec<u32>);

#[test]
fn commands_are_done_in_the_order_they_were_asked_for() {
    let mut world = World::new();
    world.init_resource::<Log>();
    let mut queue = CommandQueue::default();
    let mut commands = Commands::new(&mut queue, &world);
    for number in 0..100 {
        commands.queue(move |world| world.resource_mut::<Log>().0.push(number));
    }
    queue.apply(&mut world);
    assert!(world.resource::<Log>().0.iter().copied().eq(0..100));
    assert!(queue.is_empty());
    queue.apply(&mut world);
    assert_eq!(world.resource::<Log>().0.len(), 100);
}

#[test]
fn commands_on_an_entity_that_died_meanwhile_are_counted_and_do_nothing() {
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
fn one_queue_may_spawn_change_and_despawn_the_same_entity() {
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

#[test]
fn a_reserved_entity_that_is_despawned_before_the_queue_is_applied_stays_dead() {
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

#[test]
fn a_handle_without_a_row_yet_has_no_components_and_takes_any() {
    let mut world = World::new();
    let mut queue = CommandQueue::default();
    let entity = Commands::new(&mut queue, &world).spawn(Num(1)).id();
    drop(queue);
    assert_eq!(world.remove::<Num>(entity), Ok(false));
    assert!(world.take::<Num>(entity).is_err() && world.take::<()>(entity).is_ok());
    assert!(world.get::<Num>(entity).is_none() && world.entity(entity).archetype().is_none());
    world.insert(entity, Num(5)).expect("it lives");
    assert_eq!(world.get::<Num>(entity), Some(&Num(5)));
    assert_eq!(world.despawn(entity), Ok(()));
}

#[test]
fn a_command_that_panics_leaves_the_rest_in_the_queue() {
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
fn payloads_of_any_size_and_alignment_come_through() {
    let mut world = World::new();
    let mut queue = CommandQueue::default();
    let mut commands = Commands::new(&mut queue, &world);
    let mut all: Vec<Entity> = Vec::new();
    for number in 0..20_u32 {
        all.push(commands.spawn((Wide(u64::from(number)), Num(number))).id());
        commands.queue(|_| ());
        let byte = number as u8;
        commands.queue(move |world| assert!(world.len() == 40 && byte < 20));
        all.push(
            commands
                .spawn(Pos {
                    x: 1.0,
                    y: 2.0,
                    z: number as f32,
                })
                .id(),
        );
    }
    queue.apply(&mut world);
    for (number, pair) in all.chunks(2).enumerate() {
        assert_eq!(
            world.get::<Wide>(pair[0]).map(|wide| wide.0),
            Some(number as u64)
        );
        assert_eq!(
            world.get::<Pos>(pair[1]).map(|pos| pos.z),
            Some(number as f32)
        );
    }
}

#[test]
fn a_command_may_use_a_queue_of_its_own() {
    let mut world = World::new();
    let mut queue = CommandQueue::default();
    let mut commands = Commands::new(&mut queue, &world);
    commands.queue(|world| {
        let mut inner = CommandQueue::default();
        let mut commands = Commands::new(&mut inner, world);
        let entity = commands.spawn(Num(1)).id();
        commands.queue(move |world| world.get_mut::<Num>(entity).expect("spawned").0 += 1);
        inner.apply(world);
    });
    let outer = commands.spawn(Num(10)).id();
    queue.apply(&mut world);
    let mut nums: Vec<u32> = world
        .query::<&Num>()
        .iter(&world)
        .map(|num| num.0)
        .collect();
    nums.sort_unstable();
    assert_eq!(nums, [2, 10]);
    assert_eq!(world.get::<Num>(outer), Some(&Num(10)));
}

#[test]
fn a_queue_applied_to_another_world_misses_and_does_no_harm() {
    let (ledger, mut world, mut other) = (Ledger::default(), World::new(), World::new());
    other.spawn(Num(1));
    let mut queue = CommandQueue::default();
    let mut commands = Commands::new(&mut queue, &world);
    for number in 0..5 {
        commands.spawn(Named::new(number, &ledger));
    }
    queue.apply(&mut other);
    assert_eq!((queue.missed(), other.len(), ledger.alive()), (5, 1, 0));
    world.spawn(Num(1));
    assert_eq!(world.query::<&Num>().view(&world).len(), 1);
}

//! Commands: order, dead entities, panics.

use orrery_ecs::{CommandQueue, Commands, Entity, World};

use crate::support::{Ledger, Named, Num, Pos, Wide};

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

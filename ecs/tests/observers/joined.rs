//! Observers together with what else changes a world: required components, commands that are put
//! together, components named by number, merged worlds, locals and forks.

#![expect(
    unsafe_code,
    reason = "values of no Rust type are given by their addresses"
)]

use std::ptr::NonNull;

use orrery_ecs::{
    Add, Changed, CommandQueue, Commands, Component, Entity, IntoSystem, Local, On, Query,
    RemovedComponents, ResMut, Resource, Serial, Single, System, With, World,
};

use super::{Blue, Log, Red, lines, note_all, take_log, world_with_log};
use crate::support::Num;

#[derive(Clone, Copy, Debug, Default, PartialEq, Component)]
struct Shadow(u32);

#[derive(Clone, Copy, Debug, Default, PartialEq, Component)]
#[component(sparse)]
struct Echo(u32);

/// Brings one component into the row and one into a sparse set.
#[derive(Clone, Copy, Debug, Component)]
#[require(Shadow(7), Echo(8))]
struct Lamp;

fn watched_lamps() -> World {
    let mut world = world_with_log();
    note_all::<Shadow>(&mut world, "shadow");
    note_all::<Echo>(&mut world, "echo");
    world
}

#[test]
fn what_a_bundle_brings_along_is_told_as_added_and_inserted() {
    let mut world = watched_lamps();
    let all = ["+shadow", "+echo", "=shadow", "=echo"];
    let spawned = world.spawn(Lamp).id();
    assert_eq!(take_log(&mut world), lines(spawned, &all));
    let given = world.spawn(Num(1)).id();
    world.entity_mut(given).insert(Lamp);
    assert_eq!(take_log(&mut world), lines(given, &all));
    assert_eq!(world.get::<Shadow>(given), Some(&Shadow(7)));
    assert_eq!(world.get::<Echo>(given), Some(&Echo(8)));
    let has_one = world.spawn(Shadow(1)).id();
    take_log(&mut world);
    world.entity_mut(has_one).insert(Lamp);
    assert_eq!(take_log(&mut world), lines(has_one, &["+echo", "=echo"]));
    assert_eq!(world.get::<Shadow>(has_one), Some(&Shadow(1)));
    let batch: Vec<Entity> = world.spawn_batch([Lamp, Lamp]).collect();
    let expected = batch.iter().flat_map(|&entity| lines(entity, &all));
    assert_eq!(take_log(&mut world), expected.collect::<Vec<_>>());
}

#[test]
fn what_a_bundle_brings_along_to_all_entities_is_told() {
    let mut world = world_with_log();
    note_all::<Shadow>(&mut world, "shadow");
    let plain = world.spawn(Num(1)).id();
    let has_one = world.spawn((Num(2), Shadow(1))).id();
    take_log(&mut world);
    #[derive(Clone, Copy, Component)]
    #[require(Shadow(9))]
    struct Torch;
    assert_eq!(world.insert_where::<With<Num>, _>(Torch), 2);
    assert_eq!(take_log(&mut world), lines(plain, &["+shadow", "=shadow"]));
    assert_eq!(world.get::<Shadow>(plain), Some(&Shadow(9)));
    assert_eq!(world.get::<Shadow>(has_one), Some(&Shadow(1)));
}

#[test]
fn watched_commands_are_done_one_by_one_between_those_that_are_put_together() {
    let mut world = world_with_log();
    note_all::<Red>(&mut world, "red");
    let one = world.spawn(Num(1)).id();
    let mut queue = CommandQueue::default();
    let mut commands = Commands::new(&mut queue, &world);
    // The observers see the entity as it is in between.
    commands
        .entity(one)
        .insert(Blue)
        .insert(Red)
        .remove::<Red>();
    commands.entity(one).insert(Red).remove::<Blue>();
    let two = commands.spawn(Num(2)).insert(Red).id();
    commands.entity(two).despawn();
    commands.entity(two).insert(Red);
    queue.apply(&mut world);
    let mut expected = lines(one, &["+red", "=red", "-red", "+red", "=red"]);
    expected.extend(lines(two, &["+red", "=red", "xred", "-red"]));
    assert_eq!(take_log(&mut world), expected);
    assert_eq!(queue.missed(), 1);
    assert!(world.get::<Blue>(one).is_none() && world.get::<Red>(one).is_some());
}

#[test]
fn a_command_after_a_watched_one_sees_what_its_observer_did() {
    let mut world = World::new();
    world.add_observer(|on: On<Add, Red>, mut commands: Commands| {
        commands.entity(on.entity()).despawn();
    });
    let entity = world.spawn(()).id();
    let mut queue = CommandQueue::default();
    let mut commands = Commands::new(&mut queue, &world);
    commands.entity(entity).insert(Red).insert(Num(1));
    queue.apply(&mut world);
    assert!(!world.contains(entity));
    assert_eq!(queue.missed(), 1);
}

#[test]
fn components_named_by_number_are_told_of() {
    let mut world = watched_lamps();
    let shadow = world.register_component::<Shadow>();
    let lamp = world.register_component::<Lamp>();
    let entity = world.spawn(Num(1)).id();
    let insert = |world: &mut World, mut value: Shadow| {
        // SAFETY: the value is a `Shadow`, which is `Copy`.
        unsafe { world.insert_by_id(entity, shadow, NonNull::from(&mut value).cast()) }
    };
    assert!(insert(&mut world, Shadow(1)).is_ok());
    assert!(insert(&mut world, Shadow(2)).is_ok());
    assert_eq!(world.remove_by_id(entity, shadow), Ok(true));
    let expected = ["+shadow", "=shadow", "=shadow", "-shadow"];
    assert_eq!(take_log(&mut world), lines(entity, &expected));
    // SAFETY: a `Lamp` has no bytes.
    let given = unsafe { world.insert_by_id(entity, lamp, NonNull::dangling()) };
    assert!(given.is_ok());
    let expected = ["+shadow", "+echo", "=shadow", "=echo"];
    assert_eq!(take_log(&mut world), lines(entity, &expected));
}

#[test]
fn entities_of_a_merged_world_are_told_of_when_all_are_there() {
    let mut world = world_with_log();
    world.add_observer(|_: On<Add, Red>, all: Query<&Red>, mut log: ResMut<Log>| {
        log.0.push(all.iter().count().to_string());
    });
    note_all::<Echo>(&mut world, "echo");
    let mut other = World::new();
    other.spawn_batch([Red, Red, Red]);
    let old = other.spawn((Red, Echo(1))).id();
    let map = world.merge(other).expect("both are the same program's");
    let mut expected = vec!["4".to_owned(); 4];
    let echo = map.get(old).expect("it was merged");
    expected.extend([format!("{echo} +echo"), format!("{echo} =echo")]);
    assert_eq!(take_log(&mut world), expected);
}

#[derive(Clone, Default, Resource)]
struct Counts(Vec<u32>);

#[test]
fn locals_of_an_observer_last_and_fork_with_the_world() {
    let mut world = World::new();
    world.init_resource::<Counts>();
    let id = world.add_observer(
        |_: On<Add, Red>, mut count: Local<u32>, mut counts: ResMut<Counts>| {
            *count += 1;
            counts.0.push(*count);
        },
    );
    let before = world.state_hash();
    world.spawn(Red);
    world.spawn(Red);
    assert_ne!(world.state_hash(), before);
    let mut fork = world.fork().expect("all can be cloned");
    fork.spawn(Red);
    world.spawn(Red);
    world.spawn(Red);
    assert_eq!(fork.resource::<Counts>().0, [1, 2, 3]);
    assert_eq!(world.resource::<Counts>().0, [1, 2, 3, 4]);
    // What it kept goes with it.
    assert!(world.remove_observer(id));
    assert_eq!(
        world.systems().filter(|(_, name)| !name.is_empty()).count(),
        0
    );
}

#[test]
fn an_observer_finds_what_changed_since_its_own_last_run() {
    #[derive(Clone, Copy, Component)]
    #[component(track)]
    struct Heat(u32);
    let mut world = World::new();
    world.init_resource::<Counts>();
    let entities: Vec<Entity> = world.spawn_batch((0..10).map(Heat)).collect();
    world.add_observer(
        |_: On<Add, Red>, hot: Query<&Heat, Changed<Heat>>, mut counts: ResMut<Counts>| {
            counts.0.push(hot.iter().map(|heat| heat.0).sum());
        },
    );
    world.spawn(Red);
    world.spawn(Red);
    for &entity in &entities[..2] {
        world.entity_mut(entity).insert(Heat(100));
    }
    let mut fork = world.fork().expect("all can be cloned");
    for world in [&mut world, &mut fork] {
        world.spawn(Red);
        assert_eq!(world.resource::<Counts>().0, [45, 0, 200]);
    }
}

#[test]
fn a_system_finds_on_a_fork_the_removals_that_it_has_not_read() {
    let mut world = World::new();
    world.init_resource::<Counts>();
    let mut system = (|mut gone: RemovedComponents<Num>, mut counts: ResMut<Counts>| {
        counts.0.push(gone.read().count() as u32);
    })
    .into_system();
    system
        .initialize(&mut world)
        .expect("no parameters conflict");
    let entity = world.spawn(Num(1)).id();
    world.entity_mut(entity).remove::<Num>();
    let mut fork = world.fork().expect("all can be cloned");
    for world in [&mut fork, &mut world] {
        system.run(world, &Serial).expect("all is there");
        system.run(world, &Serial).expect("all is there");
        assert_eq!(world.resource::<Counts>().0, [1, 0]);
    }
}

#[test]
fn an_observer_whose_single_finds_none_is_reported() {
    let mut world = World::new();
    world.add_observer(|_: On<Add, Red>, _: Single<&Num>| {});
    world.spawn(Red);
    let error = world.take_observer_error().expect("there is no Num");
    let text = error.to_string();
    assert!(text.contains("could not run for Add") && text.contains("Option<Single<..>>"));
}

#[test]
fn changes_by_row_are_told_of_when_all_are_made() {
    #[derive(Clone, Copy, Component)]
    #[component(track)]
    struct Heat;
    let mut world = world_with_log();
    let entities: Vec<Entity> = world
        .spawn_batch([(Heat, Red), (Heat, Red), (Heat, Red)])
        .collect();
    world.add_observer(
        |on: On<orrery_ecs::Despawn, Red>, all: Query<&Red>, mut log: ResMut<Log>| {
            log.0
                .push(format!("{} {}", on.entity(), all.iter().count()));
        },
    );
    assert_eq!(world.despawn_where::<Changed<Heat>>(), 3);
    let expected = entities.iter().map(|entity| format!("{entity} 0"));
    assert_eq!(take_log(&mut world), expected.collect::<Vec<_>>());
}

//! Which events a structural change gives: those of what has changed, not of what was asked for.

use orrery_ecs::{
    Add, CommandQueue, Commands, Despawn, Entity, Insert, On, Query, Remove, ResMut, World,
};

use super::{Blue, Log, Red, Tag, lines, note_all, take_log, world_with_log};
use crate::support::{Ledger, Num, ignore};

fn watched() -> World {
    let mut world = world_with_log();
    note_all::<Red>(&mut world, "red");
    note_all::<Blue>(&mut world, "blue");
    note_all::<Tag>(&mut world, "tag");
    world
}

#[test]
fn spawning_adds_and_inserts_each_component() {
    let (ledger, mut world) = (Ledger::default(), watched());
    let entity = world.spawn((Blue, Num(1), Red, Tag::new(1, &ledger))).id();
    let expected = ["+red", "+blue", "+tag", "=red", "=blue", "=tag"];
    assert_eq!(take_log(&mut world), lines(entity, &expected));
    world.spawn(());
    world.spawn(Num(1));
    assert_eq!(take_log(&mut world), [""; 0]);
}

#[test]
fn a_component_that_is_overwritten_is_inserted_and_not_added() {
    let (ledger, mut world) = (Ledger::default(), watched());
    let entity = world.spawn((Red, Num(1))).id();
    take_log(&mut world);
    world.insert(entity, (Red, Blue)).expect("it lives");
    assert_eq!(
        take_log(&mut world),
        lines(entity, &["+blue", "=red", "=blue"])
    );
    for tag in [1, 2] {
        world
            .insert(entity, Tag::new(tag, &ledger))
            .expect("it lives");
    }
    assert_eq!(
        take_log(&mut world),
        lines(entity, &["+tag", "=tag", "=tag"])
    );
    world.insert(entity, (Red, Blue)).expect("it lives");
    assert_eq!(take_log(&mut world), lines(entity, &["=red", "=blue"]));
}

#[test]
fn removing_what_is_not_there_tells_nobody() {
    let (ledger, mut world) = (Ledger::default(), watched());
    let entity = world.spawn((Red, Num(1))).id();
    take_log(&mut world);
    assert_eq!(world.remove::<Blue>(entity), Ok(false));
    assert_eq!(world.remove::<Tag>(entity), Ok(false));
    assert!(world.take::<(Red, Blue)>(entity).is_err());
    assert_eq!(take_log(&mut world), [""; 0]);
    assert_eq!(world.remove::<(Blue, Red, Tag)>(entity), Ok(true));
    assert_eq!(take_log(&mut world), lines(entity, &["-red"]));
    world
        .insert(entity, (Blue, Tag::new(1, &ledger)))
        .expect("it lives");
    take_log(&mut world);
    ignore(world.take::<(Tag, Blue)>(entity).expect("it has both"));
    assert_eq!(take_log(&mut world), lines(entity, &["-blue", "-tag"]));
}

#[test]
fn despawning_tells_of_the_entity_first_and_then_of_its_components() {
    let (ledger, mut world) = (Ledger::default(), watched());
    let all: Vec<Entity> = (0..3).map(|i| world.spawn((Red, Num(i))).id()).collect();
    world
        .insert(all[1], Tag::new(1, &ledger))
        .expect("it lives");
    take_log(&mut world);
    world.despawn(all[1]).expect("it lives");
    let expected = ["xred", "xtag", "-red", "-tag"];
    assert_eq!(take_log(&mut world), lines(all[1], &expected));
    assert_eq!((ledger.alive(), world.len()), (0, 2));
    assert_eq!(world.get::<Num>(all[2]), Some(&Num(2)));
    assert!(world.despawn(all[1]).is_err());
    assert_eq!(take_log(&mut world), [""; 0]);
}

#[test]
fn an_observer_without_components_hears_of_all_and_of_entities_without_any() {
    let mut world = world_with_log();
    world.add_observer(|on: On<Add>, mut log: ResMut<Log>| {
        log.0
            .push(format!("{} +{}", on.entity(), on.components().len()));
    });
    world.add_observer(|on: On<Despawn>, mut log: ResMut<Log>| {
        log.0
            .push(format!("{} x{}", on.entity(), on.components().len()));
    });
    let bare = world.spawn(()).id();
    let both = world.spawn((Red, Num(1))).id();
    assert_eq!(take_log(&mut world), [format!("{both} +2")]);
    let mut queue = CommandQueue::default();
    let rowless = Commands::new(&mut queue, &world).spawn(Red).id();
    drop(queue);
    for entity in [bare, both, rowless] {
        world.despawn(entity).expect("it lives");
    }
    let expected = [
        format!("{bare} x0"),
        format!("{both} x2"),
        format!("{rowless} x0"),
    ];
    assert_eq!(take_log(&mut world), expected);
}

#[test]
fn an_observer_of_several_components_runs_once_a_change() {
    let mut world = world_with_log();
    world.add_observer(|on: On<Add, (Red, Blue)>, mut log: ResMut<Log>| {
        log.0.push(format!("{}", on.entity()));
    });
    let both = world.spawn((Red, Blue)).id();
    let one = world.spawn(Num(1)).id();
    world
        .entity_mut(one)
        .insert((Num(2), Blue))
        .insert(Blue)
        .insert(Red);
    assert_eq!(
        take_log(&mut world),
        [both, one, one].map(|entity| entity.to_string())
    );
}

#[test]
fn commands_and_entity_borrows_give_the_same_events_as_the_world() {
    let (ledger, mut world) = (Ledger::default(), watched());
    let mut queue = CommandQueue::default();
    let mut commands = Commands::new(&mut queue, &world);
    let entity = commands.spawn((Red, Tag::new(1, &ledger))).id();
    commands.entity(entity).insert(Blue).remove::<(Red, Num)>();
    queue.apply(&mut world);
    let expected = ["+red", "+tag", "=red", "=tag", "+blue", "=blue", "-red"];
    assert_eq!(take_log(&mut world), lines(entity, &expected));
    world.entity_mut(entity).insert(Red).remove::<Blue>();
    assert!(world.entity_mut(entity).take::<Red>().is_ok());
    world.entity_mut(entity).despawn();
    let expected = ["+red", "=red", "-blue", "-red", "xtag", "-tag"];
    assert_eq!(take_log(&mut world), lines(entity, &expected));
}

#[test]
fn a_handle_without_a_row_gets_its_first_components_with_events() {
    let mut world = watched();
    let mut queue = CommandQueue::default();
    let entity = Commands::new(&mut queue, &world).spawn(Num(1)).id();
    drop(queue);
    world.insert(entity, (Red, Num(1))).expect("it lives");
    assert_eq!(take_log(&mut world), lines(entity, &["+red", "=red"]));
}

#[test]
fn spawning_over_a_living_entity_tells_of_the_old_one_and_then_of_the_new_one() {
    let (ledger, mut world) = (Ledger::default(), watched());
    // It would take the handle if it could.
    world.add_observer(|_: On<Remove, Red>, mut commands: Commands| {
        commands.spawn(Num(7));
    });
    let old = world.spawn((Red, Tag::new(1, &ledger))).id();
    take_log(&mut world);
    let bits = old.to_bits() + (5 << 32);
    let new = Entity::from_bits(bits).expect("generation 6");
    let spawned = world.spawn_at(new, (Blue, Num(1))).expect("never used");
    assert_eq!(spawned.id(), new);
    let mut expected = lines(old, &["xred", "xtag", "-red", "-tag"]);
    expected.extend(lines(new, &["+blue", "=blue"]));
    assert_eq!(take_log(&mut world), expected);
    assert_eq!((world.len(), ledger.alive()), (2, 0));
}

#[test]
fn an_observer_sees_the_world_after_the_whole_change() {
    let mut world = world_with_log();
    let arrived = |on: On<Add, Red>, all: Query<(Entity, &Num)>, mut log: ResMut<Log>| {
        let (_, num) = all.get(on.entity()).expect("the change is complete");
        log.0.push(format!("+{} of {}", num.0, all.len()));
    };
    let gone = |on: On<Despawn, Red>, all: Query<(Entity, &Num)>, mut log: ResMut<Log>| {
        assert!(all.get(on.entity()).is_err() && !all.iter().any(|(e, _)| e == on.entity()));
        log.0.push(format!("x of {}", all.len()));
    };
    let lost = |on: On<Remove, Red>, reds: Query<&Red>, mut log: ResMut<Log>| {
        assert!(reds.get(on.entity()).is_err());
        log.0.push(format!("-red of {}", reds.len()));
    };
    world.add_observer(arrived);
    world.add_observer(gone);
    world.add_observer(lost);
    let first = world.spawn((Red, Num(5))).id();
    let second = world.spawn(Num(6)).id();
    world.insert(second, Red).expect("it lives");
    world.despawn(first).expect("it lives");
    world.remove::<Red>(second).expect("it lives");
    let expected = ["+5 of 1", "+6 of 2", "x of 1", "-red of 1", "-red of 0"];
    assert_eq!(take_log(&mut world), expected);
}

#[test]
fn writes_of_an_observer_are_seen_by_the_next_one() {
    let mut world = world_with_log();
    world.add_observer(|on: On<Insert, Red>, mut nums: Query<&mut Num>| {
        nums.get_mut(on.entity()).expect("it has one").0 += 1;
    });
    world.add_observer(
        |on: On<Insert, Red>, nums: Query<&Num>, mut log: ResMut<Log>| {
            log.0
                .push(nums.get(on.entity()).expect("it has one").0.to_string());
        },
    );
    let entity = world.spawn((Num(1), Red)).id();
    world.insert(entity, Red).expect("it lives");
    assert_eq!(take_log(&mut world), ["2", "3"]);
}

#[test]
fn components_that_nobody_watches_go_their_way_beside_watched_ones() {
    let (ledger, mut world) = (Ledger::default(), watched());
    let entity = world.spawn((Red, Num(1))).id();
    take_log(&mut world);
    world
        .insert(entity, crate::support::Named::new(1, &ledger))
        .expect("it lives");
    world.insert(entity, Num(2)).expect("it lives");
    world
        .remove::<crate::support::Named>(entity)
        .expect("it lives");
    assert_eq!(world.take::<Num>(entity), Ok(Num(2)));
    assert_eq!((take_log(&mut world).len(), ledger.alive()), (0, 0));
}

#[test]
fn dropping_a_world_drops_its_values_and_tells_nobody() {
    let (ledger, mut world) = (Ledger::default(), World::new());
    world.add_observer(|_: On<Despawn>| panic!("a world that is dropped tells nobody"));
    world.add_observer(|_: On<Remove, Tag>| panic!("a world that is dropped tells nobody"));
    world.spawn((Red, Tag::new(1, &ledger)));
    drop(world);
    assert_eq!(ledger.alive(), 0);
}

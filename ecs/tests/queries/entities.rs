//! `Query<EntityRef>` and `Query<EntityMut>`: every kind of component, and what writing marks.

use orrery_ecs::{
    Changed, Component, ComponentDescriptor, ComponentId, Entity, EntityMut, EntityRef, IntoSystem,
    Query, Serial, System, With, World,
};

use super::{Health, Tag, Title, found, from_now};
use crate::support::{Num, Parts, Threads};

#[derive(Clone, Copy, Debug, PartialEq, Component)]
#[component(sparse)]
struct Rare(u32);

#[derive(Clone, Copy, Debug, PartialEq, Component)]
#[component(sparse, track)]
struct Marked(u32);

/// A component of bytes in columns, and one in a set.
struct Bytes {
    table: ComponentId,
    sparse: ComponentId,
}

impl Bytes {
    fn new(world: &mut World) -> Self {
        let mut register = |descriptor| world.register_dynamic(descriptor).expect("a free name");
        Self {
            table: register(ComponentDescriptor::plain("mod::Heat", 2, 1)),
            sparse: register(ComponentDescriptor::plain("mod::Wet", 2, 1).sparse()),
        }
    }
}

/// Every kind of component, all with the number `value`.
fn everything(world: &mut World, bytes: &Bytes, value: u16) -> Entity {
    let (number, part) = (u32::from(value), f32::from(value));
    let parts = Parts {
        a: part,
        b: 0.5,
        c: value,
    };
    let title = Title(value.to_string());
    let bundle = (
        Num(number),
        Health(number),
        title,
        parts,
        Rare(number),
        Marked(number),
    );
    let entity = world.spawn(bundle).id();
    for id in [bytes.table, bytes.sparse] {
        let set = world.insert_bytes(entity, id, &value.to_le_bytes());
        set.expect("it lives, and two bytes fit");
    }
    entity
}

/// What `everything` put there, by every way of reading.
fn numbers(entity: EntityRef<'_>, bytes: &Bytes) -> Vec<u32> {
    let by_id = |id| {
        let bytes = entity.get_bytes(id).expect("it has one");
        u32::from(u16::from_le_bytes(bytes.try_into().expect("two bytes")))
    };
    let title = entity.get::<Title>().expect("it has one");
    let parts = entity.read::<Parts>().expect("it has one");
    vec![
        entity.get::<Num>().expect("it has one").0,
        entity.get_ref::<Health>().expect("it has one").0,
        title.0.parse().expect("a number"),
        parts.a as u32,
        u32::from(parts.c),
        entity.get::<Rare>().expect("it has one").0,
        entity.get_ref::<Marked>().expect("it has one").0,
        by_id(bytes.table),
        by_id(bytes.sparse),
    ]
}

/// Writes a number to all of it.
fn set_all(mut entity: EntityMut<'_>, bytes: &Bytes, value: u16) {
    let number = u32::from(value);
    let mut parts = entity.read::<Parts>().expect("it has one");
    (parts.a, parts.c) = (f32::from(value), value);
    assert_eq!(entity.write(parts), Ok(()));
    entity.get_mut::<Num>().expect("it has one").0 = number;
    entity.get_mut::<Health>().expect("it has one").0 = number;
    entity.get_mut::<Title>().expect("it has one").0 = value.to_string();
    entity.get_mut::<Rare>().expect("it has one").0 = number;
    entity.get_mut::<Marked>().expect("it has one").0 = number;
    for id in [bytes.table, bytes.sparse] {
        let found = entity.get_bytes_mut(id).expect("it has one");
        found.copy_from_slice(&value.to_le_bytes());
    }
}

#[test]
fn every_kind_of_component_is_read_and_written() {
    let mut world = World::new();
    let bytes = Bytes::new(&mut world);
    let (full, other) = (
        everything(&mut world, &bytes, 7),
        everything(&mut world, &bytes, 8),
    );
    let bare = world.spawn(Tag::<1>(0)).id();
    let mut shared = world.query::<EntityRef>();
    assert_eq!(
        numbers(shared.view(&world).get(full).expect("it lives"), &bytes),
        [7; 9]
    );
    let mut whole = world.query::<EntityMut>();
    let mut view = whole.view_mut(&mut world);
    set_all(view.get_mut(full).expect("it lives"), &bytes, 40);
    assert_eq!(numbers(view.get(full).expect("it lives"), &bytes), [40; 9]);
    assert_eq!(numbers(view.get(other).expect("it lives"), &bytes), [8; 9]);
    assert_eq!(numbers(world.entity(full), &bytes), [40; 9]);
    set_all(world.entity_mut(other).as_mutable(), &bytes, 50);
    assert_eq!(
        numbers(world.entity_mut(other).as_readonly(), &bytes),
        [50; 9]
    );
    let handles = shared.iter(&world).map(EntityRef::id);
    assert!(handles.eq([full, other, bare]));
}

#[test]
fn what_an_entity_lacks_is_none_for_every_way_of_asking() {
    let mut world = World::new();
    let bytes = Bytes::new(&mut world);
    everything(&mut world, &bytes, 7);
    let bare = world.spawn(Tag::<1>(3)).id();
    let tag = world.component_id::<Tag<1>>().expect("it was spawned");
    let mut whole = world.query::<EntityMut>();
    let mut entity = whole
        .view_mut(&mut world)
        .get_inner(bare)
        .expect("it lives");
    assert!(entity.contains::<Tag<1>>() && entity.contains_by_id(tag));
    assert!(!entity.contains::<Num>() && !entity.contains::<Rare>());
    // Never registered here.
    assert!(!entity.contains::<Tag<2>>() && entity.get_mut::<Tag<2>>().is_none());
    for id in [bytes.table, bytes.sparse] {
        assert!(!entity.contains_by_id(id) && entity.get_bytes_mut(id).is_none());
    }
    assert!(entity.get::<Num>().is_none() && entity.get_mut::<Rare>().is_none());
    assert!(entity.get_mut::<Health>().is_none() && entity.get_ref::<Marked>().is_none());
    assert_eq!(entity.write(Num(1)), Err(Num(1)));
    // There, and no plain bytes.
    assert!(entity.get_bytes(tag).is_none() && entity.get_by_id(tag).is_some());
    assert_eq!(entity.archetype().map(|archetype| archetype.len()), Some(1));
    assert_eq!(entity.into_mut::<Tag<1>>().map(|tag| tag.0), Some(3));
}

/// Blocks of `Num` that were marked after a tick.
fn marked(world: &World, tick: u64) -> Vec<usize> {
    world
        .changed_since::<Num>(tick)
        .map(|(_, block)| block)
        .collect()
}

#[test]
fn only_what_is_asked_for_writing_is_marked() {
    let mut world = World::new();
    let bundles = (0..9000).map(|number| (Num(number), Health(number), Marked(number)));
    let all: Vec<Entity> = world.spawn_batch(bundles).collect();
    let mut health = from_now::<Entity, Changed<Health>>(&mut world);
    let mut rare = from_now::<Entity, Changed<Marked>>(&mut world);
    let before = world.change_tick();
    world.advance_change_tick();
    let mut whole = world.query::<EntityMut>();
    // Reading, in every way, marks nothing.
    let mut sum = 0;
    whole.view_mut(&mut world).for_each(|mut entity| {
        sum += entity.get::<Num>().map_or(0, |number| number.0);
        sum += entity.get_mut::<Health>().map_or(0, |health| health.0);
        sum += entity.get_mut::<Marked>().map_or(0, |marked| marked.0);
    });
    assert_eq!(sum, 3 * 9000 * 8999 / 2);
    assert!(marked(&world, before).is_empty());
    assert_eq!(
        (found(&mut health, &world), found(&mut rare, &world)),
        (vec![], vec![])
    );
    // Writing marks the block of a plain component and the row of a tracked one.
    let mut view = whole.view_mut(&mut world);
    let mut entity = view.get_mut(all[5000]).expect("it lives");
    entity.get_mut::<Num>().expect("it has one").0 += 1;
    entity.get_mut::<Health>().expect("it has one").0 += 1;
    let mut entity = view.get_mut(all[8999]).expect("it lives");
    entity.get_mut::<Marked>().expect("it has one").0 += 1;
    assert_eq!(marked(&world, before), [1]);
    let changed = (found(&mut health, &world), found(&mut rare, &world));
    assert_eq!(changed, (vec![all[5000]], vec![all[8999]]));
}

#[test]
fn bytes_and_copies_that_are_written_mark_their_rows() {
    let mut world = World::new();
    let all: Vec<Entity> = world.spawn_batch((0..5).map(Health)).collect();
    let id = world.component_id::<Health>().expect("it was spawned");
    let mut changed = from_now::<Entity, Changed<Health>>(&mut world);
    let mut whole = world.query::<EntityMut>();
    let mut view = whole.view_mut(&mut world);
    let mut by_address = view.get_mut(all[1]).expect("it lives");
    assert!(by_address.get_mut_by_id(id).is_some());
    let mut by_copy = view.get_mut(all[3]).expect("it lives");
    assert_eq!(by_copy.write(Health(9)), Ok(()));
    assert_eq!(found(&mut changed, &world), [all[1], all[3]]);
}

#[test]
fn the_state_hash_sees_what_was_written() {
    let build = |value| {
        let mut world = World::new();
        let bytes = Bytes::new(&mut world);
        everything(&mut world, &bytes, 1);
        let last = everything(&mut world, &bytes, value);
        (world, bytes, last)
    };
    let (mut world, bytes, last) = build(2);
    let (before, expected) = (world.state_hash(), build(3).0.state_hash());
    assert!(before != expected);
    let mut whole = world.query::<EntityMut>();
    let mut view = whole.view_mut(&mut world);
    set_all(view.get_mut(last).expect("it lives"), &bytes, 3);
    assert_eq!(world.state_hash(), expected);
}

#[test]
fn one_block_is_written_by_many_threads_and_gives_what_one_gives() {
    let build = || {
        let mut world = World::new();
        let bundles = (0..9000).map(|number| (Num(number), Health(number), Rare(number)));
        world.spawn_batch(bundles).for_each(drop);
        world
    };
    let change = |mut entity: EntityMut<'_>| {
        let number = entity.get::<Rare>().map_or(0, |rare| rare.0);
        entity.get_mut::<Num>().expect("it has one").0 += number;
        entity.get_mut::<Health>().expect("it has one").0 ^= 5;
        entity.get_mut::<Rare>().expect("it has one").0 *= 3;
    };
    let mut serial = build();
    let mut query = serial.query::<EntityMut>();
    query.view_mut(&mut serial).for_each(change);
    let mut parallel = build();
    let mut query = parallel.query::<EntityMut>();
    let mut view = query.view_mut(&mut parallel);
    view.par_for_each(&Threads(3), change);
    assert_eq!(parallel.state_hash(), serial.state_hash());
    // Entities of one block, on different threads.
    let mut scattered = build();
    let mut query = scattered.query::<EntityMut>();
    let mut entities: Vec<EntityMut> = query.view_mut(&mut scattered).into_iter().collect();
    std::thread::scope(|scope| {
        while !entities.is_empty() {
            let part = entities.split_off(entities.len().saturating_sub(2000));
            scope.spawn(|| part.into_iter().for_each(change));
        }
    });
    assert_eq!(scattered.state_hash(), serial.state_hash());
}

#[test]
fn a_systems_entities_know_what_is_new_to_the_system() {
    let mut world = World::new();
    let all: Vec<Entity> = world.spawn_batch((0..3).map(Health)).collect();
    let seen = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let list = seen.clone();
    let system = move |query: Query<EntityRef, With<Health>>| {
        let is_new = |entity: &EntityRef<'_>| {
            let health = entity.get_ref::<Health>();
            health.is_some_and(|health| health.is_changed())
        };
        let new = query.iter().filter(is_new);
        list.lock()
            .expect("no panic inside")
            .push(new.map(EntityRef::id).collect::<Vec<_>>());
    };
    let mut system = system.into_system();
    for &entity in &all {
        system.run(&mut world, &Serial).expect("nothing is missing");
        world.get_mut::<Health>(entity).expect("it lives").0 += 1;
    }
    let seen = seen.lock().expect("no panic inside");
    assert_eq!(*seen, [all.clone(), vec![all[0]], vec![all[1]]]);
}

#[test]
fn a_worlds_tracked_component_is_changed_by_a_write_and_not_by_a_look() {
    let mut world = World::new();
    let all: Vec<Entity> = world
        .spawn_batch((0..4).map(|n| (Health(n), Marked(n))))
        .collect();
    let mut health = from_now::<Entity, Changed<Health>>(&mut world);
    let mut rare = from_now::<Entity, Changed<Marked>>(&mut world);
    assert_eq!(
        world.get_mut::<Health>(all[0]).map(|health| health.0),
        Some(0)
    );
    assert!(
        !world
            .get_mut::<Health>(all[1])
            .expect("it lives")
            .set_if_neq(Health(1))
    );
    assert_eq!(
        world
            .entity_mut(all[2])
            .get_mut::<Marked>()
            .map(|mark| mark.0),
        Some(2)
    );
    assert_eq!(
        (found(&mut health, &world), found(&mut rare, &world)),
        (vec![], vec![])
    );
    world.get_mut::<Health>(all[1]).expect("it lives").0 = 7;
    world
        .entity_mut(all[2])
        .get_mut::<Marked>()
        .expect("it lives")
        .0 = 7;
    world
        .entity_mut(all[3])
        .as_mutable()
        .get_mut::<Health>()
        .expect("it lives")
        .0 = 7;
    let changed = (found(&mut health, &world), found(&mut rare, &world));
    assert_eq!(changed, (vec![all[1], all[3]], vec![all[2]]));
}

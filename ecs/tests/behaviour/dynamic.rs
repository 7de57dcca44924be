//! Components that are defined at run time: by bytes, and with drop, clone and hash of their own.
#![expect(
    unsafe_code,
    reason = "values of no Rust type are given by their addresses"
)]

use std::alloc::Layout;
use std::ptr::NonNull;

use orrery_ecs::{
    Component, ComponentDescriptor, DynamicError, DynamicQuery, Entity, EntityMut, StateHash,
    StateHasher, World,
};

use crate::support::{Ledger, Lonely, Named, Num, Parts, ignore, panic_of};

fn plain(world: &mut World, name: &str, size: usize) -> orrery_ecs::ComponentId {
    let descriptor = ComponentDescriptor::plain(name, size, 1);
    world
        .register_dynamic(descriptor)
        .expect("the name is free")
}

#[test]
fn bytes_come_go_and_lie_beside_rust_types() {
    let mut world = World::new();
    let heat = plain(&mut world, "mod::Heat", 3);
    let all: Vec<Entity> = world.spawn_batch((0..5000).map(Num)).collect();
    for (&entity, number) in all.iter().zip(0..=u8::MAX) {
        world
            .insert_bytes(entity, heat, &[number, 1, 2])
            .expect("it lives");
    }
    assert_eq!(world.get_bytes(all[7], heat), Some(&[7, 1, 2][..]));
    assert_eq!(world.get_bytes(all[300], heat), None);
    assert_eq!(world.get::<Num>(all[7]), Some(&Num(7)));
    world
        .insert_bytes(all[7], heat, &[9, 9, 9])
        .expect("it lives");
    world.get_bytes_mut(all[8], heat).expect("it is there")[0] = 70;
    assert_eq!(world.get_bytes(all[8], heat), Some(&[70, 1, 2][..]));
    assert_eq!(world.remove_by_id(all[7], heat), Ok(true));
    assert_eq!(world.remove_by_id(all[7], heat), Ok(false));
    assert!(!world.contains_by_id(all[7], heat) && world.contains_by_id(all[8], heat));
    let mut sum = 0;
    DynamicQuery::new()
        .read(heat)
        .for_each_chunk(&mut world, |chunk| {
            assert_eq!(chunk.bytes(heat).len(), 3 * chunk.entities().len());
            sum += chunk
                .bytes(heat)
                .iter()
                .step_by(3)
                .map(|&byte| u32::from(byte))
                .sum::<u32>();
        });
    assert_eq!(sum, 255 * 128 - 7 - 8 + 70);
}

#[test]
fn wrong_bytes_wrong_kinds_and_dead_entities_are_refused_by_name() {
    let mut world = World::new();
    let heat = plain(&mut world, "mod::Heat", 4);
    let num = world.register_component::<Num>();
    let entity = world.spawn(Num(1)).id();
    let size = world
        .insert_bytes(entity, heat, &[1])
        .expect_err("too few bytes");
    assert_eq!(size.to_string(), "mod::Heat has 4 bytes, and 1 were given");
    assert!(matches!(
        world.insert_bytes(entity, num, &[0; 4]),
        Err(DynamicError::NotPlain { .. })
    ));
    assert_eq!(world.get_bytes(entity, num), None);
    let again = ComponentDescriptor::plain("mod::Heat", 4, 1);
    assert_eq!(world.register_dynamic(again), Ok(heat));
    let other = ComponentDescriptor::plain("mod::Heat", 8, 1);
    let taken = world.register_dynamic(other).expect_err("another size");
    assert!(taken.to_string().contains("mod::Heat"), "{taken}");
    assert_eq!(world.dynamic_id("mod::Heat"), Some(heat));
    assert_eq!(
        (world.component_name(heat), world.component_size(heat)),
        ("mod::Heat", 4)
    );
    let mut small = World::new();
    let dead = small.spawn(()).id();
    assert!(matches!(
        small.insert_bytes(dead, heat, &[0; 4]),
        Err(DynamicError::UnknownComponent { .. })
    ));
    world.despawn(entity).expect("it lives");
    assert!(matches!(
        world.insert_bytes(entity, heat, &[0; 4]),
        Err(DynamicError::NoSuchEntity(_))
    ));
    assert!(panic_of(|| drop(ComponentDescriptor::plain("odd", 4, 3))).is_some());
}

#[test]
fn a_dynamic_query_reads_and_writes_rust_types_and_keeps_to_what_was_asked() {
    let mut world = World::new();
    let heat = plain(&mut world, "mod::Heat", 1);
    let (num, lonely) = (
        world.register_component::<Num>(),
        world.register_component::<Lonely>(),
    );
    world.spawn_batch((0..9000).map(Num));
    world.spawn((Num(7), Lonely(1)));
    let query = DynamicQuery::new().write(num).without(lonely);
    let seen = world.advance_change_tick();
    world.advance_change_tick();
    query.for_each_chunk(&mut world, |mut chunk| {
        chunk
            .slice_mut::<Num>()
            .iter_mut()
            .for_each(|num| num.0 += 1);
    });
    assert_eq!(world.changed_since::<Num>(seen).count(), 3);
    let total: u64 = world
        .query::<&Num>()
        .iter(&world)
        .map(|num| u64::from(num.0))
        .sum();
    assert_eq!(total, 9000 * 9001 / 2 + 7);
    let only_read = panic_of(|| {
        let query = DynamicQuery::new().read(num);
        query.for_each_chunk(&mut world, |mut chunk| {
            ignore(chunk.slice_mut::<Num>().first())
        });
    });
    assert!(only_read.is_some_and(|text| text.contains("only for reading")));
    let not_asked = panic_of(|| {
        let query = DynamicQuery::new().with(num);
        query.for_each_chunk(&mut world, |chunk| ignore(chunk.bytes(heat).first()));
    });
    assert!(not_asked.is_some_and(|text| text.contains("mod::Heat")));
}

/// A component that a program would get from a library in another language: a `Named` by address.
fn named_by_hand(name: &str) -> ComponentDescriptor {
    unsafe fn drop_named(first: *mut u8, count: usize) {
        for row in 0..count {
            // SAFETY: the test puts `Named` there.
            let place = unsafe { first.cast::<Named>().add(row) };
            // SAFETY: as above.
            unsafe { place.drop_in_place() };
        }
    }
    unsafe fn clone_named(from: *const u8, to: *mut u8, count: usize) {
        for row in 0..count {
            // SAFETY: the test puts `Named` there.
            let source = unsafe { from.cast::<Named>().add(row) };
            // SAFETY: as above.
            let value = unsafe { &*source }.clone();
            // SAFETY: the world gives room for as many.
            let target = unsafe { to.cast::<Named>().add(row) };
            // SAFETY: as above.
            unsafe { target.write(value) };
        }
    }
    unsafe fn hash_named(value: *const u8, hasher: &mut StateHasher) {
        // SAFETY: the test puts `Named` there.
        unsafe { &*value.cast::<Named>() }.text.hash_state(hasher);
    }
    let descriptor = ComponentDescriptor::new(name, Layout::new::<Named>());
    // SAFETY: the function is for `Named`, which is all that the test puts there.
    let descriptor = unsafe { descriptor.with_drop(drop_named) };
    // SAFETY: as above.
    let descriptor = unsafe { descriptor.with_clone(clone_named) };
    // SAFETY: as above.
    unsafe { descriptor.with_hash(hash_named) }
}

#[test]
fn components_by_id_and_layout_are_inserted_removed_and_dropped_by_their_function() {
    for sparse in [false, true] {
        let (ledger, mut world) = (Ledger::default(), World::new());
        let descriptor = named_by_hand("library::Named");
        let descriptor = if sparse {
            descriptor.sparse()
        } else {
            descriptor
        };
        let id = world
            .register_dynamic(descriptor)
            .expect("the name is free");
        let insert = |world: &mut World, entity, number| {
            let mut value = std::mem::ManuallyDrop::new(Named::new(number, &ledger));
            let address = NonNull::from(&mut value).cast();
            // SAFETY: a value of the component, which is forgotten here.
            unsafe { world.insert_by_id(entity, id, address) }
        };
        let all: Vec<Entity> = world.spawn_batch((0..100).map(Num)).collect();
        for (&entity, number) in all.iter().zip(0..) {
            insert(&mut world, entity, number).expect("it lives");
        }
        insert(&mut world, all[3], 33).expect("it lives");
        assert_eq!(ledger.alive(), 100);
        let mut fork = world.fork().expect("it can be cloned");
        assert_eq!(fork.state_hash(), world.state_hash());
        insert(&mut fork, all[4], 44).expect("it lives");
        assert_ne!(fork.state_hash(), world.state_hash());
        insert(&mut fork, all[4], 4).expect("it lives");
        assert_eq!(fork.state_hash(), world.state_hash());
        assert_eq!(world.remove_by_id(all[5], id), Ok(true));
        world.despawn(all[6]).expect("it lives");
        assert!(insert(&mut world, all[6], 6).is_err());
        let address = world.get_by_id(all[3], id).expect("it is there");
        // SAFETY: a `Named`, while the world is borrowed.
        assert_eq!(unsafe { address.cast::<Named>().as_ref() }.number(), 33);
        assert_eq!(world.get_by_id(all[5], id), None);
        drop(fork);
        assert_eq!(ledger.alive(), 98);
        drop(world);
        assert_eq!(ledger.alive(), 0);
    }
}

#[test]
fn worlds_with_components_of_one_name_merge_if_these_are_alike() {
    let (mut world, mut other) = (World::new(), World::new());
    world.register_component::<Parts>();
    let mine = plain(&mut world, "mod::Heat", 2);
    let theirs = plain(&mut other, "mod::Heat", 2);
    let entity = other.spawn(Num(1)).id();
    other
        .insert_bytes(entity, theirs, &[5, 6])
        .expect("it lives");
    let map = world.merge(other).expect("alike");
    assert_eq!(world.get_bytes(map.map(entity), mine), Some(&[5, 6][..]));
    let mut odd = World::new();
    plain(&mut odd, "mod::Heat", 3);
    odd.spawn(Num(2));
    let error = world.merge(odd).expect_err("another size");
    assert_eq!((error.component, world.len()), ("mod::Heat", 1));
}

#[derive(Clone, Copy, PartialEq, Debug, Component)]
#[component(immutable)]
struct Faction(u32);

#[test]
fn what_is_immutable_is_written_to_by_no_number() {
    let mut world = World::new();
    let entity = world.spawn(Faction(3)).id();
    let faction = world.component_id::<Faction>().expect("it is registered");
    assert!(world.get_mut_by_id(entity, faction).is_none());
    assert!(world.get_bytes_mut(entity, faction).is_none());
    let mut all = world.query::<EntityMut>();
    let mut whole = all.iter_mut(&mut world).next().expect("one entity");
    assert!(whole.get_mut_by_id(faction).is_none() && whole.get_bytes_mut(faction).is_none());
    assert_eq!(whole.get::<Faction>(), Some(&Faction(3)));
    let writes = || {
        DynamicQuery::new()
            .write(faction)
            .for_each_chunk(&mut world, |_| ())
    };
    let told = panic_of(writes).expect("it is refused");
    assert!(told.contains("Faction is immutable"), "{told}");
    world.insert(entity, Faction(4)).expect("it lives");
    assert_eq!(world.get::<Faction>(entity), Some(&Faction(4)));
}

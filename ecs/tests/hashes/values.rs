//! What the state hash sees.

use orrery_ecs::{CommandQueue, Commands, Component, Entity, Resource, World};

use crate::support::{Ledger, Named, Num, Parts, Pos, Wide, ignore};

#[derive(Clone, Resource)]
struct Gravity(f64);

#[derive(Clone, Resource)]
#[resource(not_state)]
struct Cache(u32);

#[derive(Clone, Copy, Component)]
struct Mixed {
    flag: bool,
    value: f32,
}

fn parts(i: u32) -> Parts {
    Parts {
        a: i as f32,
        b: f64::from(i),
        c: i as u16,
    }
}

fn world(ledger: &Ledger) -> (World, Vec<Entity>) {
    let mut world = World::new();
    let mut all: Vec<Entity> = Vec::new();
    all.extend(world.spawn_batch((0..4100).map(|i| (Num(i), parts(i)))));
    all.extend(world.spawn_batch((0..10).map(|i| (Num(i), Named::new(i, ledger)))));
    all.extend(world.spawn_batch((0..3).map(|_| Mixed {
        flag: true,
        value: 1.0,
    })));
    for index in [5, 4, 7] {
        world.despawn(all[index]).expect("it lives");
    }
    world.insert_resource(Gravity(9.81));
    (world, all)
}

#[test]
fn the_same_operations_give_the_same_hash_in_any_world() {
    let ledger = Ledger::default();
    let ((a, _), (b, _)) = (world(&ledger), world(&ledger));
    assert_eq!(a.state_hash(), b.state_hash());
    assert_eq!(
        a.state_hash(),
        a.fork().expect("it can be cloned").state_hash()
    );
    assert_ne!(a.state_hash(), World::new().state_hash());
    assert_eq!(World::new().state_hash(), World::new().state_hash());
}

type Change = (&'static str, fn(&mut World, &[Entity]));

const CHANGES: [Change; 16] = [
    ("a value", |world, all| {
        world.get_mut::<Num>(all[0]).expect("lives").0 ^= 1
    }),
    ("a value of the last block", |world, all| {
        world.get_mut::<Num>(all[4099]).expect("lives").0 ^= 1;
    }),
    ("a field of a split value", |world, all| {
        let new = Parts { c: 9, ..parts(0) };
        world.write(all[0], new).expect("lives");
    }),
    ("text", |world, all| {
        world
            .get_mut::<Named>(all[4100])
            .expect("lives")
            .text
            .push('0')
    }),
    ("a field beside padding", |world, all| {
        world.get_mut::<Mixed>(all[4110]).expect("lives").flag = false;
    }),
    ("a float's sign of zero", |world, all| {
        world.get_mut::<Mixed>(all[4110]).expect("lives").value = 0.0;
    }),
    ("a float's other sign of zero", |world, all| {
        world.get_mut::<Mixed>(all[4110]).expect("lives").value = -0.0;
    }),
    ("a component less", |world, all| {
        world.remove::<Named>(all[4100]).expect("lives");
    }),
    ("a component more", |world, all| {
        world.insert(all[0], Wide(1)).expect("lives")
    }),
    ("an entity less", |world, all| {
        world.despawn(all[4112]).expect("lives")
    }),
    ("another entity less", |world, all| {
        world.despawn(all[4111]).expect("lives")
    }),
    ("an entity more", |world, _| {
        ignore(world.spawn((Num(1), parts(1))).id())
    }),
    ("an empty entity more", |world, _| {
        ignore(world.spawn(()).id())
    }),
    ("a generation", |world, _| {
        let entity = world.spawn(()).id();
        world.despawn(entity).expect("lives");
    }),
    ("a resource's value", |world, _| {
        world.resource_mut::<Gravity>().0 = 1.6
    }),
    ("a resource less", |world, _| {
        ignore(world.remove_resource::<Gravity>())
    }),
];

#[test]
fn any_single_change_gives_another_hash() {
    let ledger = Ledger::default();
    let (base, all) = world(&ledger);
    let mut seen = vec![("nothing", base.state_hash())];
    for (what, change) in CHANGES {
        let mut fork = base.fork().expect("it can be cloned");
        change(&mut fork, &all);
        let hash = fork.state_hash();
        for (other, theirs) in &seen {
            assert_ne!(hash, *theirs, "{what} looks like {other}");
        }
        // The same change to a world that was never forked nor hashed.
        let (mut fresh, same) = world(&ledger);
        change(&mut fresh, &same);
        assert_eq!(fresh.state_hash(), hash, "{what}");
        seen.push((what, hash));
    }
    assert_eq!(base.state_hash(), seen[0].1);
}

#[test]
fn the_order_of_rows_and_of_free_handles_is_state() {
    let run = |despawned: [usize; 3]| {
        let mut world = World::new();
        let all: Vec<Entity> = world.spawn_batch((0..10).map(|_| Num(1))).collect();
        for index in despawned {
            world.despawn(all[index]).expect("it lives");
        }
        world
    };
    // The same entities live in the same order, but the next handles are others: the first of
    // them, then only the second.
    let a = run([7, 8, 9]);
    for b in [run([9, 8, 7]), run([8, 7, 9])] {
        let order = |world: &World| (0..10).map(|i| world.entity_at(i)).collect::<Vec<_>>();
        assert_eq!(order(&a), order(&b));
        assert_ne!(a.state_hash(), b.state_hash());
    }
    // The same entities in another order of rows, with the same free list.
    let run = |first: Num, second: Num| {
        let mut world = World::new();
        let (a, b) = (world.spawn(()).id(), world.spawn(()).id());
        let order = if first.0 < second.0 { [a, b] } else { [b, a] };
        for entity in order {
            world.insert(entity, Num(7)).expect("it lives");
        }
        world.state_hash()
    };
    assert_ne!(run(Num(0), Num(1)), run(Num(1), Num(0)));
}

#[test]
fn every_nan_is_the_same_nan() {
    let hash = |bits: u32, wide: u64| {
        let (x, b) = (f32::from_bits(bits), f64::from_bits(wide));
        let mut world = World::new();
        world.spawn((Pos { x, y: 1.0, z: 2.0 }, Parts { a: x, b, c: 0 }));
        world.spawn(Mixed {
            flag: true,
            value: x,
        });
        world.insert_resource(Gravity(b));
        world.state_hash()
    };
    let (quiet, wide) = (0x7fc0_0000, 0x7ff8_0000_0000_0000);
    for (bits, wide) in [
        (0xffc0_0000, u64::MAX),
        (0x7f80_0001, wide + 5),
        (u32::MAX, wide),
    ] {
        assert_eq!(hash(bits, wide), hash(quiet, 0x7ff8_0000_0000_0000));
    }
    assert_ne!(hash(0x7f80_0000, wide), hash(quiet, wide));
}

#[test]
fn what_is_registered_but_not_used_leaves_no_trace() {
    let spawn = |world: &mut World| {
        world.spawn((Num(1), Wide(2), parts(3)));
        world.insert_resource(Gravity(1.0));
        world.state_hash()
    };
    let plain = spawn(&mut World::new());
    let mut other = World::new();
    // Another order of numbers, and types that no entity has.
    other.register_component::<Wide>();
    let _ = other.query::<(&Mixed, &Pos, orrery_ecs::Fields<&Parts>)>();
    let _ = other.remove_resource::<Cache>();
    other.insert_resource(Cache(1));
    let _ = CommandQueue::default();
    assert_eq!(spawn(&mut other), plain);
    other.resource_mut::<Cache>().0 = 2;
    assert_eq!(other.state_hash(), plain);
}

#[test]
fn doing_nothing_keeps_the_hash() {
    let ledger = Ledger::default();
    let (mut world, all) = world(&ledger);
    let before = world.state_hash();
    assert!(world.get_mut::<Num>(all[0]).is_some());
    let _ = (
        world.despawn(all[5]),
        world.remove::<Wide>(all[0]),
        world.take::<Wide>(all[0]),
    );
    world.insert(all[0], ()).expect("it lives");
    world.advance_change_tick();
    world
        .query::<(&mut Num, Option<&mut Named>)>()
        .iter_mut(&mut world)
        .for_each(|_| ());
    let mut queue = CommandQueue::default();
    Commands::new(&mut queue, &world).queue(|_| ());
    queue.apply(&mut world);
    drop(world.fork());
    assert_eq!(world.state_hash(), before);
}

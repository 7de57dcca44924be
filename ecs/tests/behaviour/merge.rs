//! One world taken into another: new handles everywhere, nothing lost, nothing dropped twice.

use orrery_ecs::{CommandQueue, Commands, Entity, World};

use crate::support::{Ledger, Likes, Named, Num, Parts, Pos};

#[test]
fn entities_come_in_order_behind_those_that_are_there_whatever_the_sizes() {
    for (here, there) in [
        (0, 5000),
        (1, 4096),
        (4095, 2),
        (4096, 1),
        (5000, 9000),
        (17, 0),
    ] {
        let ledger = Ledger::default();
        let (mut world, mut other) = (World::new(), World::new());
        // Registered in another order than over there.
        world.register_component::<Named>();
        let named = |number| (Num(number), Named::new(number, &ledger));
        world.spawn_batch((0..here).map(named));
        let all: Vec<Entity> = other.spawn_batch((here..here + there).map(named)).collect();
        let parts = Parts {
            a: 1.0,
            b: 2.0,
            c: 3,
        };
        let single = other
            .spawn((
                parts,
                Pos {
                    x: 1.0,
                    y: 2.0,
                    z: 3.0,
                },
            ))
            .id();
        let fork = other.fork().expect("all can be cloned");
        let before = fork.state_hash();
        let map = world
            .merge(other)
            .expect("no component was defined at run time");
        let mut query = world.query::<(Entity, &Num, &Named)>();
        let found: Vec<_> = query
            .iter(&world)
            .map(|(e, n, named)| (e, n.0, named.number()))
            .collect();
        assert!(
            found
                .iter()
                .zip(0..)
                .all(|(&(_, num, name), row)| (num, name) == (row, row))
        );
        assert_eq!(found.len() as u32, here + there);
        let moved = found[here as usize..]
            .iter()
            .map(|&(entity, ..)| Some(entity));
        assert!(moved.eq(all.iter().map(|&old| map.get(old))));
        assert!(
            found
                .iter()
                .all(|&(entity, num, _)| world.get(entity) == Some(&Num(num)))
        );
        assert_eq!(world.read::<Parts>(map.map(single)), Some(parts));
        assert_eq!(fork.state_hash(), before);
        drop(fork);
        assert_eq!(ledger.alive(), i64::from(here + there));
        drop(world);
        assert_eq!(ledger.alive(), 0);
    }
}

#[test]
fn merging_gives_what_spawning_the_same_entities_would() {
    let (mut merged, mut other, mut twin) = (World::new(), World::new(), World::new());
    for world in [&mut merged, &mut twin] {
        world.spawn_batch((0..100).map(|i| (Num(i), Likes(Entity::NONE))));
        let first = world.entity_at(0).expect("it lives");
        world.despawn(first).expect("it lives");
    }
    other.spawn_batch((0..50).map(|i| (Num(i), Likes(Entity::NONE))));
    twin.spawn_batch((0..50).map(|i| (Num(i), Likes(Entity::NONE))));
    other.spawn_batch((0..50).map(Num));
    twin.spawn_batch((0..50).map(Num));
    let map = merged
        .merge(other)
        .expect("no component was defined at run time");
    assert_eq!(map.len(), 100);
    assert_eq!(merged.state_hash(), twin.state_hash());
    assert_eq!(merged.spawn(()).id(), twin.spawn(()).id());
}

#[test]
fn a_reserved_handle_without_components_is_merged_too() {
    let (mut world, mut other) = (World::new(), World::new());
    let mut queue = CommandQueue::default();
    let reserved = Commands::new(&mut queue, &other).spawn(Num(1)).id();
    drop(queue);
    let likes = other.spawn(Likes(reserved)).id();
    let map = world
        .merge(other)
        .expect("no component was defined at run time");
    let now = map
        .get(reserved)
        .expect("a reserved handle lives from the next change on");
    assert!(world.contains(now));
    assert_eq!(world.get::<Likes>(map.map(likes)), Some(&Likes(now)));
    world.insert(now, Num(2)).expect("it lives");
    assert_eq!(world.get::<Num>(now), Some(&Num(2)));
}

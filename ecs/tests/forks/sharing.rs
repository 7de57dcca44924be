//! What a fork shares, what it copies, and what it refuses.

use orrery_ecs::{CommandQueue, Commands, Entity, Resource, World};

use crate::support::{Ledger, Lonely, Named, Num, Pos, panic_of};

#[derive(Resource)]
#[resource(no_clone)]
struct Socket(#[allow(dead_code, reason = "only its presence counts")] u32);

fn world(count: u32, ledger: &Ledger) -> (World, Vec<Entity>) {
    let mut world = World::new();
    let all = world.spawn_batch((0..count).map(|i| (Num(i), Named::new(i, ledger))));
    let all = all.collect();
    (world, all)
}

#[test]
fn a_fork_is_free_and_the_first_write_copies_one_block() {
    let ledger = Ledger::default();
    let (world, all) = world(10_000, &ledger);
    let used = world.pool_usage().used_bytes;
    let mut fork = world.fork().expect("it can be cloned");
    assert_eq!(
        (fork.pool_usage().used_bytes, ledger.made()),
        (used, 10_000)
    );
    fork.get_mut::<Num>(all[5000]).expect("it lives").0 = 1;
    assert_eq!(fork.pool_usage().used_bytes, used + 4096 * size_of::<Num>());
    fork.get_mut::<Num>(all[5001]).expect("it lives").0 = 1;
    assert_eq!(fork.pool_usage().used_bytes, used + 4096 * size_of::<Num>());
    drop(fork);
    assert_eq!(world.pool_usage().used_bytes, used);
    assert_ne!(world.id(), world.fork().expect("it can be cloned").id());
}

#[test]
fn origin_and_fork_give_the_same_handles_and_hashes_for_the_same_operations() {
    let ledger = Ledger::default();
    let (mut world, all) = world(5000, &ledger);
    world.despawn(all[7]).expect("it lives");
    let mut fork = world.fork().expect("it can be cloned");
    for world in [&mut world, &mut fork] {
        assert_eq!(world.spawn(Num(1)).id().index(), all[7].index());
        world.despawn(all[4999]).expect("it lives");
        world
            .insert(
                all[3],
                Pos {
                    x: 1.0,
                    y: 2.0,
                    z: 3.0,
                },
            )
            .expect("it lives");
    }
    assert_eq!(world.state_hash(), fork.state_hash());
    assert_eq!(world.spawn(()).id(), fork.spawn(()).id());
}

#[test]
fn what_opted_out_of_clone_is_refused_by_name_while_it_is_there() {
    let mut world = World::new();
    let entity = world.spawn((Num(1), Lonely(1))).id();
    world.insert_resource(Socket(1));
    let error = world.fork().err().expect("two opted out");
    assert_eq!(error.names.len(), 2);
    let message = error.to_string();
    assert!(
        message.contains("support::Lonely") && message.contains("Socket"),
        "{message}"
    );
    assert!(world.remove_resource::<Socket>().is_some());
    world.remove::<Lonely>(entity).expect("it lives");
    assert!(world.fork().is_ok());
}

/// The empty block that an archetype keeps was shared, and writing to it wanted to clone.
#[test]
fn an_archetype_emptied_of_what_opted_out_takes_new_rows_after_a_fork() {
    let mut world = World::new();
    let entity = world.spawn((Num(1), Lonely(1))).id();
    world.despawn(entity).expect("it lives");
    let mut fork = world.fork().expect("nothing is left");
    for (number, world) in [&mut world, &mut fork].into_iter().enumerate() {
        let entity = world.spawn((Num(2), Lonely(number as u32))).id();
        assert_eq!(
            world.get::<Lonely>(entity).map(|lonely| lonely.0),
            Some(number as u32)
        );
        assert!(world.fork().is_err());
    }
}

#[test]
fn a_chain_of_forks_keeps_every_past() {
    let ledger = Ledger::default();
    let (mut world, all) = world(5000, &ledger);
    let mut past = Vec::new();
    for round in 0..50_usize {
        past.push((world.fork().expect("it can be cloned"), world.state_hash()));
        world
            .get_mut::<Named>(all[round * 90])
            .expect("it lives")
            .text = String::from("0");
        world.despawn(all[round * 90 + 1]).expect("it lives");
        world.spawn((Num(1), Named::new(1, &ledger)));
    }
    while !past.is_empty() {
        let (fork, hash) = past.swap_remove(past.len() / 2);
        assert_eq!(fork.state_hash(), hash);
    }
    assert_eq!(
        ledger.alive(),
        world.query::<&Named>().view(&world).len() as i64
    );
}

#[test]
fn a_resource_whose_clone_panics_stays_where_it_is() {
    #[derive(Resource)]
    #[resource(not_state)]
    struct Fragile(u32);
    impl Clone for Fragile {
        fn clone(&self) -> Self {
            panic!("planned panic in a clone")
        }
    }
    let mut world = World::new();
    world.insert_resource(Fragile(7));
    let mut fork = world.fork().expect("it says it can be cloned");
    assert!(panic_of(|| fork.resource_mut::<Fragile>().0 = 8).is_some());
    assert_eq!(
        (world.resource::<Fragile>().0, fork.resource::<Fragile>().0),
        (7, 7)
    );
    drop(world);
    fork.resource_mut::<Fragile>().0 = 9;
    assert_eq!(fork.resource::<Fragile>().0, 9);
}

#[test]
fn a_fork_keeps_what_was_reserved_and_goes_on_alike() {
    let mut world = World::new();
    let mut queue = CommandQueue::default();
    let reserved = Commands::new(&mut queue, &world).spawn(Num(1)).id();
    let mut fork = world.fork().expect("everything is Clone");
    assert_eq!(fork.state_hash(), world.state_hash());
    let (mine, theirs) = (world.spawn(Num(5)).id(), fork.spawn(Num(5)).id());
    assert_eq!(mine, theirs);
    assert_ne!(mine, reserved);
    assert_eq!(fork.state_hash(), world.state_hash());
    queue.apply(&mut fork);
    assert_eq!(
        (queue.missed(), fork.get::<Num>(reserved).map(|num| num.0)),
        (0, Some(1))
    );
}

//! Each value is dropped exactly once, whichever way it leaves.

use orrery_ecs::{Entity, World};

use crate::support::{Ledger, Named, Num};

#[test]
fn a_fork_and_its_origin_may_end_in_either_order() {
    for origin_first in [true, false] {
        let ledger = Ledger::default();
        let mut world = World::new();
        let all: Vec<Entity> = world
            .spawn_batch((0..5000).map(|i| Named::new(i, &ledger)))
            .collect();
        let mut fork = world.fork().expect("it can be cloned");
        assert_eq!(ledger.made(), 5000, "a fork clones nothing");
        fork.get_mut::<Named>(all[4500]).expect("it lives").text = String::from("1");
        assert_eq!(ledger.made(), 5000 + 904, "one block of the two");
        let (first, second) = if origin_first {
            (world, fork)
        } else {
            (fork, world)
        };
        drop(first);
        assert_eq!(ledger.alive(), 5000);
        assert_eq!(second.get::<Named>(all[0]).map(Named::number), Some(0));
        drop(second);
        assert_eq!(ledger.alive(), 0);
    }
}

#[test]
fn taking_from_a_fork_leaves_the_origin_its_value() {
    let (ledger, mut world) = (Ledger::default(), World::new());
    let entity = world.spawn((Named::new(1, &ledger), Num(1))).id();
    world.spawn((Named::new(2, &ledger), Num(2)));
    let mut fork = world.fork().expect("it can be cloned");
    let named = fork.take::<Named>(entity).expect("it is there");
    drop(fork);
    assert_eq!((named.number(), ledger.alive()), (1, 3));
    assert_eq!(world.get::<Named>(entity).map(Named::number), Some(1));
    drop(world);
    assert_eq!((named.number(), ledger.alive()), (1, 1));
}

//! Whole entities, and what may be missing, written in a world whose blocks a fork shares.

use orrery_ecs::{AnyOf, Component, Entity, EntityMut, Query, World};

use super::Health;
use crate::support::{Ledger, Named, Num};

#[derive(Clone, Copy, Debug, PartialEq, Component)]
#[component(sparse)]
struct Rare(u32);

#[derive(Clone, Copy, Debug, PartialEq, Component)]
#[component(sparse, track)]
struct Marked(u32);

#[test]
fn a_fork_keeps_its_values_and_a_reference_stays_good_beside_a_writer() {
    let ledger = Ledger::default();
    let mut world = World::new();
    let bundles = (0..5000).map(|number| (Named::new(number, &ledger), Marked(number)));
    let all: Vec<Entity> = world.spawn_batch(bundles).collect();
    let mut whole = world.query::<EntityMut>();
    ignore_all(whole.view_mut(&mut world));
    for round in 1..4 {
        let fork = world.fork().expect("everything can be cloned");
        let hash = fork.state_hash();
        let mut view = whole.view_mut(&mut world);
        let [first, mut second] = view.get_many_mut([all[0], all[1]]).expect("both live");
        let kept = first.into_readonly();
        let name = kept.get::<Named>().expect("it has one");
        second.get_mut::<Named>().expect("it has one").text = format!("round {round}");
        second.get_mut::<Marked>().expect("it has one").0 += 1;
        // The block of both was made ours before either could be read.
        assert_eq!((name.number(), kept.get::<Marked>()), (0, Some(&Marked(0))));
        assert_eq!(fork.state_hash(), hash);
        assert!(world.state_hash() != hash);
        drop(fork);
    }
    assert_eq!(world.get::<Marked>(all[1]), Some(&Marked(4)));
    drop(world);
    assert_eq!(ledger.alive(), 0);
}

fn ignore_all(query: Query<EntityMut>) {
    assert_eq!(query.into_iter().count(), 5000);
}

/// Numbers of one entity's components.
fn numbers(world: &World, entity: Entity) -> [Option<u32>; 3] {
    [
        world.get::<Num>(entity).map(|num| num.0),
        world.get::<Health>(entity).map(|health| health.0),
        world.get::<Rare>(entity).map(|rare| rare.0),
    ]
}

#[test]
fn an_entity_of_the_world_is_written_apart_from_a_fork() {
    let mut world = World::new();
    let entity = world.spawn((Num(1), Health(2), Rare(3))).id();
    let fork = world.fork().expect("everything can be cloned");
    let mut handle = world.entity_mut(entity);
    let mut alone = handle.as_mutable();
    alone.get_mut::<Num>().expect("it has one").0 = 10;
    alone.get_mut::<Health>().expect("it has one").0 = 20;
    alone.get_mut::<Rare>().expect("it has one").0 = 30;
    assert_eq!(numbers(&fork, entity), [Some(1), Some(2), Some(3)]);
    assert_eq!(numbers(&world, entity), [Some(10), Some(20), Some(30)]);
}

#[test]
fn what_may_be_missing_is_written_apart_from_a_fork() {
    let write: [fn(&mut World); 4] = [
        |world| {
            let mut query = world.query::<Option<&mut Rare>>();
            query.view_mut(world).for_each(|rare| {
                let _ = rare.map(|rare| rare.0 += 1);
            });
        },
        |world| {
            let mut query = world.query::<AnyOf<(&mut Rare, &Health)>>();
            query.view_mut(world).for_each(|(rare, _)| {
                let _ = rare.map(|rare| rare.0 += 1);
            });
        },
        |world| {
            let mut query = world.query::<AnyOf<(&Health, (&mut Rare, &Num))>>();
            query.view_mut(world).for_each(|(_, both)| {
                let _ = both.map(|(rare, _)| rare.0 += 1);
            });
        },
        |world| {
            let mut query = world.query::<Option<EntityMut>>();
            query.view_mut(world).for_each(|entity| {
                let rare = entity.and_then(EntityMut::into_mut::<Rare>);
                let _ = rare.map(|rare| rare.0 += 1);
            });
        },
    ];
    for (number, write) in write.into_iter().enumerate() {
        let mut world = World::new();
        let entity = world.spawn((Num(1), Rare(3))).id();
        world.spawn(Health(1));
        let fork = world.fork().expect("everything can be cloned");
        write(&mut world);
        assert_eq!(fork.get::<Rare>(entity), Some(&Rare(3)), "way {number}");
        assert_eq!(world.get::<Rare>(entity), Some(&Rare(4)), "way {number}");
    }
}

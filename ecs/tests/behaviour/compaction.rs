//! Compaction: what is empty goes, all else stays as it was.

use orrery_ecs::{Compaction, Component, Entity, Resource, With, Without, World};

use crate::support::{Ledger, Named, Num, Pos, Random, Wide};

/// A component for each number.
#[derive(Clone, Copy, Component)]
struct Mark<const N: usize>;

#[derive(Clone, Copy, Component)]
#[component(sparse)]
struct Flag(u64);

fn state(world: &mut World) -> Vec<(Entity, u32)> {
    let mut query = world.query::<(Entity, &Num)>();
    query
        .iter(world)
        .map(|(entity, num)| (entity, num.0))
        .collect()
}

fn vacant(world: &World) -> usize {
    world
        .archetypes()
        .iter()
        .filter(|archetype| archetype.is_vacant())
        .count()
}

#[test]
fn empty_archetypes_go_and_entities_stay_where_they_are() {
    let mut world = World::new();
    let all: Vec<Entity> = world.spawn_batch((0..100).map(Num)).collect();
    for &entity in &all {
        world.insert(entity, Mark::<1>).expect("it lives");
        world.insert(entity, Mark::<2>).expect("it lives");
        world.remove::<Mark<1>>(entity).expect("it lives");
    }
    let before = state(&mut world);
    let mut query = world.query::<&Num>();
    let mut marked = world.query_filtered::<&Num, With<Mark<1>>>();
    assert_eq!(
        (query.iter(&world).count(), marked.iter(&world).count()),
        (100, 0)
    );
    let done = world.compact(usize::MAX);
    assert_eq!(
        (done.archetypes, done.is_complete, vacant(&world)),
        (3, true, 3)
    );
    assert_eq!(state(&mut world), before);
    assert_eq!(query.iter(&world).count(), 100);
    // The first number that was freed comes to mean another archetype.
    let late = world.spawn((Num(7), Mark::<1>)).id();
    assert_eq!((vacant(&world), world.archetypes().len()), (2, 5));
    assert_eq!(
        (query.iter(&world).count(), marked.iter(&world).count()),
        (101, 1)
    );
    // Edges that led to what is gone are found anew.
    world.insert(late, Mark::<2>).expect("it lives");
    world.remove::<(Mark<1>, Mark<2>)>(late).expect("it lives");
    assert_eq!(world.get::<Num>(late), Some(&Num(7)));
    world.spawn(Num(8));
    assert_eq!(query.iter(&world).count(), 102);
    assert_eq!(world.compact(usize::MAX).archetypes, 2);
    let nothing = Compaction {
        archetypes: 0,
        bytes: 0,
        is_complete: true,
    };
    assert_eq!(world.compact(usize::MAX), nothing);
}

#[test]
fn a_small_budget_does_it_step_by_step() {
    let mut world = World::new();
    for number in 0..6 {
        let entity = world.spawn(Num(number)).id();
        match number {
            0 => world.insert(entity, Mark::<10>),
            1 => world.insert(entity, Mark::<11>),
            2 => world.insert(entity, Mark::<12>),
            3 => world.insert(entity, Mark::<13>),
            _ => world.insert(entity, Mark::<14>),
        }
        .expect("it lives");
    }
    world.clear();
    let mut steps = 0;
    while !world.compact(1).is_complete {
        steps += 1;
        assert!(steps < 50, "each step does something");
    }
    assert!(steps >= 5);
    assert_eq!(vacant(&world), world.archetypes().len() - 1);
    assert_eq!(world.compact(0).archetypes, 0);
}

#[test]
fn memory_goes_back_after_a_peak_and_can_be_had_again() {
    let (ledger, mut world) = (Ledger::default(), World::new());
    let small = world.spawn((Num(1), Named::new(1, &ledger), Flag(1))).id();
    let before = world.pool_usage();
    for _ in 0..3 {
        let all: Vec<Entity> = world
            .spawn_batch((0..200_000).map(|i| {
                (
                    Pos {
                        x: i as f32,
                        y: 0.0,
                        z: 0.0,
                    },
                    Num(i),
                )
            }))
            .collect();
        world.spawn_batch((0..20).map(Wide));
        assert_eq!(world.despawn_where::<Without<Named>>(), 200_020);
        drop(all);
        let done = world.compact(usize::MAX);
        assert!(done.is_complete && done.archetypes > 0);
        let used = world.pool_usage();
        // What stays are the generations of the handles, 12 bytes an entity.
        assert!(
            used.used_bytes < before.used_bytes + 200_020 * 13,
            "{used:?}"
        );
        assert!(
            used.reserved_bytes < used.used_bytes + (8 << 20),
            "{used:?}"
        );
    }
    assert_eq!(world.get::<Num>(small), Some(&Num(1)));
    assert_eq!(ledger.alive(), 1);
}

#[test]
fn a_fork_compacts_by_itself_and_both_go_on_alike() {
    #[derive(Clone, Resource)]
    struct Round(u32);
    let mut world = World::new();
    world.insert_resource(Round(0));
    let mut random = Random::new(3);
    let all: Vec<Entity> = world.spawn_batch((0..500).map(Num)).collect();
    for &entity in &all {
        if random.one_in(2) {
            world
                .insert(entity, (Mark::<1>, Flag(1)))
                .expect("it lives");
        }
    }
    world.despawn_where::<With<Mark<1>>>();
    let before = world.state_hash();
    let mut fork = world.fork().expect("all can be cloned");
    world.compact(usize::MAX);
    assert_ne!(world.state_hash(), before, "which number is next is state");
    assert_eq!(fork.state_hash(), before);
    fork.compact(usize::MAX);
    assert_eq!(fork.state_hash(), world.state_hash());
    for world in [&mut world, &mut fork] {
        let first = state(world)[0].0;
        world.insert(first, Mark::<3>).expect("it lives");
        world.insert(first, Mark::<1>).expect("it lives");
        world.resource_mut::<Round>().0 += 1;
    }
    assert_eq!(fork.state_hash(), world.state_hash());
}

#[test]
fn a_number_that_means_another_archetype_is_not_gone_to_by_an_old_edge() {
    let mut world = World::new();
    let [first, second] = [world.spawn(Num(1)).id(), world.spawn(Num(2)).id()];
    world.insert(first, Mark::<1>).expect("it lives");
    world.remove::<Mark<1>>(first).expect("it lives");
    assert_eq!(world.compact(usize::MAX).archetypes, 1);
    let other = world.spawn((Num(3), Mark::<2>)).id();
    for entity in [first, second] {
        world.insert(entity, Mark::<1>).expect("it lives");
        assert!(world.get::<Mark<1>>(entity).is_some() && world.get::<Mark<2>>(entity).is_none());
    }
    // Back from a number that means something else than when the way was found.
    world.insert(other, Mark::<1>).expect("it lives");
    world.remove::<Mark<1>>(other).expect("it lives");
    assert!(world.get::<Mark<2>>(other).is_some());
}

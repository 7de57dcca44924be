//! Worlds as a whole: systems one after the other, resources, loading, and the long random walk.
//! Sentences 57, 58, 60, 62, 63 and 64.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::thread;

use orrery_ecs::{
    Chunk, Commands, Component, Entity, Fields, IntoSystem, NonSend, NonSendError, Query,
    QueryState, Res, ResMut, Resource, Serial, StateHash, System, SystemError, World,
};

use crate::model::soak::{Plan, walk};
use crate::support::{Ledger, Likes, Named, Num, Parts, Pos, Threads, ignore, panic_of, pos, run};
use crate::systems::non_send::{self, Window};

#[derive(Clone, Default, Debug, Resource)]
struct Step(f32);

#[derive(Clone, Default, Debug, PartialEq, Resource)]
struct Value(u32);

#[derive(Clone, Default, Resource)]
struct Other(u32);

#[test]
fn an_exclusive_system_sees_all_queues_applied() {
    let mut world = World::new();
    world.spawn_batch((0..9000).map(Num));
    let spawn = |mut commands: Commands| {
        commands.spawn(Named::new(1, &Ledger::default()));
        commands.insert_resource(Step(1.0));
    };
    // The queues of blocks are queues as well.
    let blocks = |chunk: Chunk<&Num>, mut commands: Commands| {
        for &entity in chunk.entities().iter().step_by(1000) {
            commands.despawn(entity);
        }
    };
    let exclusive = |world: &mut World| {
        assert_eq!(world.query::<&Named>().view(world).len(), 1);
        assert_eq!(world.query::<&Num>().view(world).len(), 9000 - 5 - 5 - 1);
        assert_eq!(world.resource::<Step>().0, 1.0);
        world.insert_resource(Value(1));
    };
    run(&mut world, &mut spawn.into_system());
    run(&mut world, &mut blocks.into_system());
    run(&mut world, &mut exclusive.into_system());
    assert_eq!(world.get_resource(), Some(&Value(1)), "it has run");
}

fn drift(chunk: Chunk<(&mut Pos, &Num)>, step: Res<Step>) {
    let (positions, nums) = chunk.slices();
    for (pos, num) in positions.iter_mut().zip(nums) {
        pos.x += step.0 * num.0 as f32;
    }
}

fn split(chunk: Chunk<(&mut Num, &Pos)>, mut commands: Commands) {
    let parts = Parts {
        a: 1.0,
        b: 2.0,
        c: 3,
    };
    let entities = chunk.entities();
    let (nums, _) = chunk.slices();
    for (num, &entity) in nums.iter_mut().zip(entities) {
        num.0 = num.0.wrapping_mul(31) ^ entity.index();
        match num.0 % 50 {
            0 => commands.despawn(entity),
            1 => ignore(commands.spawn((Num(num.0), pos(1.0)))),
            2 => commands.insert(entity, parts),
            3 => commands.remove::<Parts>(entity),
            _ => {}
        }
    }
}

fn halve(chunk: Chunk<Fields<&mut Parts>>, mut commands: Commands) {
    let entities = chunk.entities();
    let parts = chunk.slices();
    for (a, &entity) in parts.a.iter_mut().zip(entities) {
        *a *= 0.5;
        if *a < 0.1 {
            commands.remove::<Parts>(entity);
        }
    }
}

fn total(nums: Query<(&Num, &Pos)>, mut step: ResMut<Step>) {
    step.0 = nums
        .iter()
        .map(|(num, pos)| num.0 as f32 + pos.x)
        .sum::<f32>()
        % 1.0;
}

#[test]
fn one_list_of_systems_gives_the_same_world_hash_on_one_two_and_n_threads() {
    let hashes = |threads: usize| {
        let mut world = World::new();
        world.insert_resource(Step(0.25));
        world.spawn_batch((0..20_000).map(|i| (Num(i), pos(i as f32))));
        let mut systems: [Box<dyn System>; 4] = [
            Box::new(drift.into_system()),
            Box::new(split.into_system()),
            Box::new(halve.into_system()),
            Box::new(total.into_system()),
        ];
        let mut hashes = Vec::new();
        for _ in 0..8 {
            for system in &mut systems {
                system
                    .run(&mut world, &Threads(threads))
                    .expect("all is there");
            }
            hashes.push(world.state_hash());
        }
        hashes
    };
    let one = hashes(1);
    assert!(
        one.is_sorted_by(|a, b| a != b),
        "every step changes something"
    );
    for threads in [2, 3, 6, 16] {
        assert_eq!(hashes(threads), one, "{threads} threads");
    }
}

#[test]
fn a_resource_scope_has_the_resource_and_the_world_at_once() {
    let mut world = World::new();
    world.insert_resource(Value(1));
    world.insert_resource(Other(2));
    let sum = world.resource_scope(|world, mut value: ResMut<Value>| {
        value.0 += world.resource::<Other>().0;
        world.spawn_batch((0..value.0).map(Num));
        world.resource_scope(|world, mut other: ResMut<Other>| {
            other.0 = 5;
            assert!(!world.contains_resource::<Value>());
            value.0 + other.0
        })
    });
    assert_eq!((sum, world.len()), (8, 3));
    assert_eq!(world.resource::<Value>().0, 3);
    assert_eq!(world.resource::<Other>().0, 5);
}

#[test]
fn a_missing_resource_is_an_error_that_names_the_type() {
    let mut empty = World::new();
    let wants: [(&str, Box<dyn System>); 2] = [
        ("total", Box::new(total.into_system())),
        ("drift", Box::new(drift.into_system())),
    ];
    for (name, mut system) in wants {
        let error = system
            .run(&mut empty, &Serial)
            .expect_err("nothing is there");
        let message = error.to_string();
        assert!(matches!(error, SystemError::MissingResource { .. }));
        assert!(
            message.contains(name) && message.contains("main::promises::world::Step"),
            "{message}"
        );
    }
    let option = |step: Option<Res<Step>>, value: Option<ResMut<Value>>| {
        assert!(step.is_none() && value.is_none());
    };
    run(&mut empty, &mut option.into_system());
    let message = panic_of(|| ignore(empty.resource::<Step>().0)).expect("a panic");
    assert!(message.contains("main::promises::world::Step"), "{message}");
}

#[test]
fn a_non_send_resource_is_refused_off_its_thread() {
    let (mut world, cell) = non_send::world();
    let mut systems: [Box<dyn System>; 3] = [
        Box::new(non_send::count.into_system()),
        Box::new(non_send::replace.into_system()),
        Box::new((|_: Option<NonSend<Window>>| ()).into_system()),
    ];
    for system in &mut systems[..2] {
        system.run(&mut world, &Serial).expect("this is its thread");
    }
    let before = world.change_tick();
    let away = thread::spawn(move || {
        let refused = |error: Option<NonSendError>| {
            assert!(
                matches!(error, Some(NonSendError::OtherThread { .. })),
                "{error:?}"
            );
        };
        refused(world.get_non_send::<Window>().err());
        refused(world.get_non_send_mut::<Window>().err());
        refused(world.remove_non_send::<Window>().err());
        refused(world.insert_non_send(Window(Rc::new(Cell::new(1)))).err());
        for system in &mut systems {
            let error = system.run(&mut world, &Serial).expect_err("not its thread");
            let SystemError::NonSend { system, source } = error else {
                panic!("{error}");
            };
            assert!(matches!(source, NonSendError::OtherThread { .. }));
            assert!(system.contains("non_send"));
            assert!(source.to_string().contains("non_send::Window"), "{source}");
        }
        assert_eq!(world.change_tick(), before);
        world
    });
    let world = away.join().expect("all was refused");
    assert_eq!(
        world.get_non_send::<Window>().map(|window| window.0.get()),
        Ok(100)
    );
    assert_eq!((cell.get(), Rc::strong_count(&cell)), (1, 1));
}

#[derive(Clone, Debug, PartialEq, StateHash)]
enum Bond {
    None,
    Friend(Entity),
    Clan {
        members: Vec<Entity>,
        by_rank: BTreeMap<u32, Entity>,
    },
}

#[derive(Clone, Debug, PartialEq, Component)]
struct Bonds {
    bond: Bond,
    pair: (Option<Entity>, [Entity; 2]),
    boxed: Box<Entity>,
}

#[derive(Clone, Copy, Debug, PartialEq, Component)]
#[component(split)]
struct Link {
    weight: f32,
    to: Entity,
}

#[derive(Clone, Copy, Debug, PartialEq, Component)]
#[component(sparse, not_state)]
struct Holds(Entity);

fn bonds(a: Entity, b: Entity) -> Bonds {
    Bonds {
        bond: Bond::Clan {
            members: vec![a, b, a],
            by_rank: BTreeMap::from([(1, b), (2, a)]),
        },
        pair: (Some(a), [b, a]),
        boxed: Box::new(b),
    }
}

#[test]
fn a_load_into_a_world_with_living_entities_remaps_every_entity_field() {
    let (mut world, mut other) = (World::new(), World::new());
    // Handles of the two worlds are alike, so one that is not exchanged is seen.
    let there: Vec<Entity> = world.spawn_batch((0..13).map(Num)).collect();
    // Some of the new ones get indices that were used before, and so other generations.
    for &entity in &there[1..4] {
        world.despawn(entity).expect("it lives");
    }
    let a = other.spawn(Num(100)).id();
    let b = other.spawn((Likes(a), Num(101))).id();
    let c = other.spawn((bonds(a, b), Holds(b))).id();
    let d = other.spawn((Link { weight: 0.5, to: c }, Likes(b))).id();
    let friend = Bonds {
        bond: Bond::Friend(d),
        ..bonds(d, d)
    };
    let e = other.spawn((friend, Holds(c))).id();
    let gone = other.spawn(()).id();
    let f = other.spawn(Likes(gone)).id();
    other.despawn(gone).expect("it lives");
    let map = world
        .merge(other)
        .expect("no component was defined at run time");
    let olds = [a, b, c, d, e, f];
    let [a, b, c, d, e, f] = olds.map(|old| map.get(old).expect("it lived"));
    let generations = [a, b, c, d, e, f].map(Entity::generation);
    assert_eq!(generations.iter().filter(|&&new| new == 2).count(), 3);
    assert!(olds.iter().all(|old| there.contains(old)), "alike");
    assert_eq!((map.len(), map.get(gone), world.len()), (6, None, 16));
    assert_eq!(world.get::<Num>(a), Some(&Num(100)));
    assert_eq!(world.get::<Likes>(b), Some(&Likes(a)));
    assert_eq!(world.get::<Bonds>(c), Some(&bonds(a, b)));
    assert_eq!(world.get::<Holds>(c), Some(&Holds(b)));
    assert_eq!(world.read::<Link>(d), Some(Link { weight: 0.5, to: c }));
    let found = &world.get::<Bonds>(e).expect("it is there").bond;
    assert_eq!(
        (found, world.get::<Holds>(e)),
        (&Bond::Friend(d), Some(&Holds(c)))
    );
    assert_ne!(*found, Bond::None);
    assert_eq!(world.get::<Likes>(f), Some(&Likes(Entity::NONE)));
}

/// What is kept over a growth, a move or a copy is a handle or a query, never an address: the
/// compiler refuses a reference (the example of [`World::get`] that does not compile).
#[test]
fn what_is_kept_over_a_growth_or_a_move_finds_the_value_where_it_is_now() {
    let ledger = Ledger::default();
    let mut world = World::new();
    let kept = world.spawn((Num(7), Named::new(7, &ledger))).id();
    let mut query = world.query::<(&mut Num, &Named)>();
    let check = |world: &mut World, query: &mut QueryState<(&mut Num, &Named)>, what| {
        assert_eq!(world.get::<Num>(kept), Some(&Num(7)), "{what}");
        let mut view = query.view_mut(world);
        let (num, named) = view.get_mut(kept).expect("it matches");
        assert_eq!((num.0, named.number()), (7, 7), "{what}");
        num.0 = 8;
        let address = (&raw const *num).addr();
        let found = world.get_mut::<Num>(kept).expect("it lives");
        assert_eq!(
            ((&raw const *found).addr(), found.0),
            (address, 8),
            "{what}"
        );
        found.0 = 7;
        address
    };
    let first = check(&mut world, &mut query, "at the start");
    world.spawn_batch((0..5000).map(|i| (Num(i), Named::new(i, &ledger))));
    let grown = check(&mut world, &mut query, "after growth");
    world.insert(kept, pos(1.0)).expect("it lives");
    let moved = check(&mut world, &mut query, "in another archetype");
    assert!(first != grown && grown != moved, "the value did move");
    let fork = world.fork().expect("all can be cloned");
    check(&mut world, &mut query, "after a copy on write");
    assert_eq!(fork.get::<Num>(kept), Some(&Num(7)));
    world.remove::<Pos>(kept).expect("it lives");
    world.compact(usize::MAX);
    check(&mut world, &mut query, "after its archetype was taken out");
    world.despawn(kept).expect("it lives");
    assert!(query.view(&world).get(kept).is_err());
}

/// How many operations a thread count; `model::soak` does a million in every run, on two threads.
fn soak_operations() -> usize {
    let text = std::env::var("ORRERY_SOAK").ok();
    text.map_or(100_000, |text| {
        text.parse().expect("ORRERY_SOAK is a number")
    })
}

#[test]
fn random_creations_deletions_additions_and_removals_agree_with_a_map_on_1_2_and_6_threads() {
    let hashes = [1, 2, 6].map(|threads| {
        let (ledger, hash) = walk(&Plan {
            seed: 0x50a_0064,
            operations: soak_operations(),
            population: 400,
            batch: 60,
            check_every: 2_000,
            fork_every: 500,
            // Without ghosts, which are counted for the whole program.
            shapes: &[0, 1, 2, 4, 7, 8, 9],
            threads,
        });
        assert!(ledger.made() > soak_operations() as u64 / 10);
        assert_eq!(ledger.alive(), 0);
        hash
    });
    assert_eq!([hashes[1], hashes[2]], [hashes[0]; 2]);
}

//! A panic in one world is that world's alone: others, its forks included, are as they were and go
//! on as they would have gone on.

use orrery_ecs::{
    ChildOf, CommandQueue, Commands, Component, Entity, Event, HookContext, Insert, IntoSystem, On,
    Query, ResMut, Resource, Serial, System, With, World, WorldHash,
};

use crate::support::{Burden, Ledger, Named, Num, Threads, ignore, panic_of};

/// Enough for several blocks, so that panics leave some copied and others shared.
const COUNT: u32 = 5000;

#[derive(Clone, Debug, PartialEq, Resource)]
struct Sum(u64);

#[derive(Event)]
struct Boom;

#[derive(Clone, Copy, Debug, Component)]
#[component(on_add = explode)]
struct Mine;

fn explode(mut context: HookContext<'_>) {
    context.commands().spawn(Num(1));
    panic!("planned panic in a hook");
}

#[derive(Clone, Copy, Debug, Component)]
#[require(Num(refuse_to_be_made()))]
struct Needy;

fn refuse_to_be_made() -> u32 {
    panic!("planned panic in a constructor")
}

fn origin(ledger: &Ledger) -> (World, Vec<Entity>) {
    let mut world = World::new();
    world.insert_resource(Sum(0));
    let bundle = |i| (Num(i), Named::new(i, ledger));
    let all: Vec<Entity> = world.spawn_batch((0..COUNT).map(bundle)).collect();
    for pair in all[..40].windows(2) {
        world.relate(pair[1], ChildOf(pair[0])).expect("no cycle");
    }
    for &entity in &all[..20] {
        world
            .insert(entity, Burden::new(3, ledger))
            .expect("it lives");
    }
    world.add_observer(|_: On<Boom>, mut commands: Commands| {
        commands.spawn(Num(2));
        panic!("planned panic in an observer");
    });
    world.add_observer(|_: On<Insert, Num>, mut sum: ResMut<Sum>| sum.0 += 1);
    (world, all)
}

/// What a user would ask.
fn answers(world: &mut World) -> (usize, u64, u64, usize) {
    let mut named = world.query::<(&Num, &Named)>();
    let sum = named
        .iter(world)
        .map(|(num, named)| u64::from(num.0) * u64::from(named.number()));
    let sum = sum.sum();
    let burdens = world
        .query::<&Burden>()
        .iter(world)
        .map(|burden| burden.number as usize)
        .sum();
    (world.len(), sum, world.resource::<Sum>().0, burdens)
}

/// The same operations for every world; says what came of them.
fn go_on(world: &mut World, all: &[Entity], ledger: &Ledger) -> WorldHash {
    world.insert(all[7], Num(9)).expect("it lives");
    world.despawn(all[20]).expect("it lives");
    world.remove::<Burden>(all[3]).expect("it lives");
    let spawned = world
        .spawn((Num(5), Named::new(5, ledger), ChildOf(all[0])))
        .id();
    world.get_mut::<Named>(all[4000]).expect("it lives").text = String::from("77");
    world.insert_where::<With<Burden>, _>(Num(1));
    world.relate(all[5], ChildOf(spawned)).expect("no cycle");
    let mut queue = CommandQueue::default();
    Commands::new(&mut queue, world).spawn(Named::new(6, ledger));
    queue.apply(world);
    world.state_hash()
}

type Panics = fn(&mut World, &[Entity], &Ledger);

const CASES: &[(&str, Panics)] = &[
    ("a system", |world, _, _| {
        let mut system = (|mut nums: Query<&mut Num>, mut commands: Commands| {
            for num in &mut nums {
                num.0 += 1;
                commands.spawn(Num(1));
                assert!(num.0 != 4500, "planned panic in a system");
            }
        })
        .into_system();
        ignore(system.run(world, &Serial));
    }),
    ("a system on two threads", |world, _, _| {
        let mut system = (|mut nums: Query<&mut Num>| {
            nums.par_for_each(&Threads(2), |num| {
                num.0 += 1;
                assert!(num.0 != 4500, "planned panic in a system");
            });
        })
        .into_system();
        ignore(system.run(world, &Serial));
    }),
    ("an exclusive system", |world, all, _| {
        let all = all.to_vec();
        let mut system = (move |world: &mut World| {
            world.despawn(all[50]).expect("it lives");
            panic!("planned panic in an exclusive system");
        })
        .into_system();
        ignore(system.run(world, &Serial));
    }),
    ("a drop", |world, all, ledger| {
        ledger.panic_in_drop(1);
        ignore(world.despawn(all[60]));
    }),
    ("a drop of all", |world, _, ledger| {
        ledger.panic_in_drop(3000);
        world.clear();
    }),
    ("a clone", |world, all, ledger| {
        ledger.panic_in_clone(100);
        ignore(world.insert(all[61], Named::new(61, ledger)));
    }),
    ("an observer", |world, _, _| world.trigger(Boom)),
    ("a hook", |world, all, _| {
        ignore(world.insert(all[62], Mine))
    }),
    ("a hook for all", |world, _, _| {
        ignore(world.insert_where::<With<Burden>, _>(Mine))
    }),
    ("a constructor", |world, _, _| {
        world.spawn(Needy);
    }),
    ("an iterator", |world, _, ledger| {
        world.spawn_batch((0..100).map(|i| {
            assert!(i < 60, "planned panic in an iterator");
            (Num(i), Named::new(i, ledger))
        }));
    }),
    ("a command", |world, all, ledger| {
        let mut queue = CommandQueue::default();
        let mut commands = Commands::new(&mut queue, world);
        commands.despawn(all[63]);
        commands.spawn(Named::new(1, ledger));
        commands.queue(|_| panic!("planned panic in a command"));
        commands.spawn(Named::new(2, ledger));
        queue.apply(world);
    }),
    ("a change of a resource", |world, _, _| {
        let sum = world.resource_mut::<Sum>();
        sum.0 = 17;
        panic!("planned panic beside a resource");
    }),
];

#[test]
fn a_panic_in_one_world_leaves_forks_and_strangers_as_they_were() {
    for &(name, panics) in CASES {
        let (ledger, its_own) = (Ledger::default(), Ledger::default());
        let (mut world, all) = origin(&ledger);
        let (stranger, same) = origin(&its_own);
        assert_eq!(all, same);
        let mut first = world.fork().expect("everything can be cloned");
        first.spawn(Num(8));
        let second = first.fork().expect("everything can be cloned");
        let late = world.fork().expect("everything can be cloned");
        let mut others = [first, second, late, stranger];
        let before: Vec<_> = others.iter_mut().map(answers).collect();
        let hashes: Vec<_> = others.iter().map(World::state_hash).collect();

        let panic = panic_of(|| panics(&mut world, &all, &ledger));
        assert!(panic.is_some(), "{name} panics");
        ledger.panic_in_clone(0);
        ledger.panic_in_drop(0);

        let check = |others: &mut [World; 4], when| {
            let now: Vec<_> = others.iter().map(World::state_hash).collect();
            assert_eq!(now, hashes, "{name}, {when}");
            let now: Vec<_> = others.iter_mut().map(answers).collect();
            assert_eq!(now, before, "{name}, {when}");
        };
        check(&mut others, "after the panic");
        // The world itself goes on, and what it does is no more seen than the panic was.
        let spawned = world.spawn((Num(1), Named::new(1, &ledger))).id();
        world
            .insert(spawned, Burden::new(1, &ledger))
            .expect("it lives");
        world.despawn_where::<With<Num>>();
        check(&mut others, "after its world went on");
        drop(world);
        check(&mut others, "after the end of its world");
        let [first, second, late, stranger] = &mut others;
        let expected = go_on(stranger, &all, &its_own);
        assert_eq!(go_on(late, &all, &ledger), expected, "{name}");
        assert_eq!(
            go_on(first, &all, &ledger),
            go_on(second, &all, &ledger),
            "{name}"
        );
        drop(others);
        assert_eq!((ledger.alive(), its_own.alive()), (0, 0), "{name}");
    }
}

/// The world is dropped on the way of the panic, on a thread of its own, while a fork goes on.
#[test]
fn a_world_that_ends_in_a_panic_on_its_thread_takes_nothing_of_its_forks_along() {
    for &(name, panics) in CASES {
        let ledger = Ledger::default();
        let (mut world, all) = origin(&ledger);
        let mut fork = world.fork().expect("everything can be cloned");
        let mut twin = world.fork().expect("everything can be cloned");
        let expected = go_on(&mut twin, &all, &ledger);
        std::thread::scope(|scope| {
            let (all, ledger) = (&all, &ledger);
            let ends = scope.spawn(move || {
                panics(&mut world, all, ledger);
                drop(world);
            });
            if !name.starts_with("a drop") && name != "a clone" {
                // Those have one fuse for the values of all worlds.
                assert_eq!(go_on(&mut fork, all, ledger), expected, "{name}");
            }
            assert!(ends.join().is_err(), "{name} panics");
        });
        ledger.panic_in_clone(0);
        ledger.panic_in_drop(0);
        if fork.state_hash() != expected {
            assert_eq!(go_on(&mut fork, &all, &ledger), expected, "{name}");
        }
        drop((fork, twin));
        assert_eq!(ledger.alive(), 0, "{name}");
    }
}

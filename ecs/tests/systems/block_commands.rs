//! Commands of chunk systems: the same changes and the same handles on any number of threads.

use orrery_ecs::{
    BlockRunner, Chunk, Commands, Component, Entity, IntoSystem, Query, Res, Resource, Serial,
    System, SystemError, World, WorldHash,
};

use crate::support::{Ledger, Named, Num, Random, Threads, ignore, panic_of};

#[derive(Clone, Copy, Debug, PartialEq, Component)]
struct Child {
    parent: Entity,
    number: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Component)]
struct Mother(Entity);

/// How many blocks breed, and how much.
#[derive(Clone, Copy, Resource)]
struct Breed(u32);

/// Spawns for some rows, tells both of each other, despawns others.
fn breed(chunk: Chunk<(&Num, Entity)>, breed: Res<Breed>, mut commands: Commands) {
    let (nums, parents) = chunk.slices();
    for (num, &parent) in nums.iter().zip(parents) {
        if num.0 % breed.0 == 0 {
            for number in 0..num.0 % 5 {
                let child = commands
                    .spawn((Child { parent, number }, Num(num.0 + 1)))
                    .id();
                commands.insert(parent, Mother(child));
            }
        }
        if num.0 % breed.0 == 1 {
            commands.despawn(parent);
        }
    }
}

/// Blocks in an order of its own, on one thread.
struct Shuffled(u64);

impl BlockRunner for Shuffled {
    fn for_each(&self, count: usize, body: &(dyn Fn(usize) + Sync)) {
        let (mut random, mut order) = (Random::new(self.0), (0..count).collect::<Vec<_>>());
        for last in (1..count).rev() {
            order.swap(last, random.below(last + 1));
        }
        order.into_iter().for_each(body);
    }
}

fn world(free: usize) -> World {
    let mut world = World::new();
    let gone: Vec<Entity> = world.spawn_batch((0..free as u32).map(Num)).collect();
    world.spawn_batch((0..30_000).map(Num));
    gone.into_iter()
        .for_each(|entity| world.despawn(entity).expect("it lives"));
    world.insert_resource(Breed(997));
    world
}

fn after(free: usize, runner: &dyn BlockRunner) -> (WorldHash, Vec<(Entity, Child)>) {
    let mut world = world(free);
    let mut system = breed.into_system();
    for rate in [997, 53, 7_919] {
        world.insert_resource(Breed(rate));
        system.run(&mut world, runner).expect("all is there");
    }
    let mut children = world.query::<(Entity, &Child)>();
    let children = children
        .iter(&world)
        .map(|(entity, child)| (entity, *child))
        .collect();
    (world.state_hash(), children)
}

#[test]
fn blocks_on_any_threads_in_any_order_give_the_same_world_and_the_same_handles() {
    for free in [0, 10, 5_000] {
        let (hash, children) = after(free, &Serial);
        assert!(children.len() > 1_000);
        for runner in [
            &Threads(2) as &dyn BlockRunner,
            &Threads(8),
            &Shuffled(1),
            &Shuffled(2),
        ] {
            let found = after(free, runner);
            assert_eq!((found.0, &found.1), (hash, &children));
        }
    }
}

#[test]
fn a_handle_from_a_block_is_final_at_once() {
    let mut world = world(100);
    breed
        .into_system()
        .run(&mut world, &Threads(4))
        .expect("all is there");
    let mut children = world.query::<(Entity, &Child)>();
    let children: Vec<_> = children
        .iter(&world)
        .map(|(e, child)| (e, *child))
        .collect();
    assert!(!children.is_empty());
    for (entity, child) in children {
        let Mother(last) = *world
            .get::<Mother>(child.parent)
            .expect("it was told of its child");
        assert_eq!(
            world.get::<Child>(last).map(|child| child.parent),
            Some(child.parent)
        );
        assert!(world.contains(entity));
    }
    let mut all: Vec<Entity> = world.query::<Entity>().iter(&world).collect();
    let count = all.len();
    all.sort();
    all.dedup();
    assert_eq!(
        (all.len(), world.len()),
        (count, count),
        "no handle is given twice"
    );
}

#[test]
fn handles_that_no_block_took_come_next_and_nothing_is_lost_over_many_runs() {
    let mut world = World::new();
    world.spawn_batch((0..20_000).map(Num));
    world.insert_resource(Breed(4_000));
    let once = |chunk: Chunk<(Entity, &Num)>, mut commands: Commands| {
        if chunk.first_row() == 4_096 {
            (0..500).for_each(|_| ignore(commands.spawn(Mother(Entity::NONE)).id()));
        }
    };
    let mut system = once.into_system();
    let clear = |world: &mut World| world.despawn_where::<orrery_ecs::With<Mother>>();
    for _ in 0..50 {
        system
            .run(&mut world, &Threads(2))
            .expect("nothing is missing");
        assert_eq!(clear(&mut world), 500);
    }
    // One block of five took every fifth place: the table holds no more than that, once.
    let highest = world.spawn(()).id().index();
    assert!(highest < 20_000 + 5 * 500, "{highest}");
}

#[test]
fn a_panic_in_one_block_forgets_the_commands_of_all() {
    let (ledger, mut world) = (Ledger::default(), world(3));
    let before = world.state_hash();
    let of_test = ledger.clone();
    let bad = move |chunk: Chunk<&Num>, mut commands: Commands| {
        commands.spawn(Named::new(1, &of_test));
        assert!(chunk.first_row() != 8_192, "planned panic");
    };
    let mut system = bad.into_system();
    let panic = panic_of(|| drop(system.run(&mut world, &Serial)));
    assert_eq!(panic.as_deref(), Some("planned panic"));
    assert_eq!((ledger.alive(), world.state_hash()), (0, before));
    let ledger_two = ledger.clone();
    let good = move |_: Chunk<&Num>, mut commands: Commands| {
        commands.spawn(Named::new(2, &ledger_two));
    };
    good.into_system()
        .run(&mut world, &Threads(3))
        .expect("nothing is missing");
    assert_eq!(ledger.alive(), 8);
}

#[test]
fn asking_for_commands_twice_in_a_chunk_system_is_an_error_that_says_so() {
    fn twice(_: Chunk<&Num>, _: Commands, _: Commands) {}
    let mut world = world(0);
    let error = twice
        .into_system()
        .run(&mut world, &Serial)
        .expect_err("twice");
    assert!(matches!(error, SystemError::Conflict(_)), "{error}");
    assert!(
        error.to_string().contains("ask for Commands once"),
        "{error}"
    );
    fn allowed(_: Query<&Num>, mut first: Commands, mut second: Commands) {
        assert_ne!(first.spawn(Num(1)).id(), second.spawn(Num(2)).id());
    }
    allowed
        .into_system()
        .run(&mut world, &Serial)
        .expect("a function may");
}

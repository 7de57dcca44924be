//! Commands put together by entity, against the plainest model that there is.

use std::sync::{Arc, Mutex};

use orrery_ecs::{CommandQueue, Commands, Entity, IntoSystem, Serial, System, With, World};

use crate::support::{Burden, Frozen, Ledger, Named, Num, Wide, burden, ignore, panic_of};

/// What is asked of one entity, or of the world.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Ask {
    GiveNum,
    GiveNamed,
    GiveAll,
    TakeNamed,
    TakeAll,
    Despawn,
    /// A closure that does nothing, so that what comes before it is done first.
    Pause,
    /// A closure that clears the world.
    Clear,
}

const ASKS: [Ask; 8] = [
    Ask::GiveNum,
    Ask::GiveNamed,
    Ask::GiveAll,
    Ask::TakeNamed,
    Ask::TakeAll,
    Ask::Despawn,
    Ask::Pause,
    Ask::Clear,
];

/// How an entity stands before the first of them.
#[derive(Clone, Copy, Debug)]
enum Start {
    Spawned,
    Bare,
    Full,
    Dead,
}

/// An entity of the model: what it has, as numbers, if it lives.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Naive {
    lives: bool,
    num: Option<u32>,
    named: Option<u32>,
    burden: Option<u32>,
}

impl Naive {
    fn at(start: Start) -> Self {
        let lives = !matches!(start, Start::Dead);
        let full = matches!(start, Start::Full).then_some(100);
        Self {
            lives,
            num: full.or(matches!(start, Start::Spawned).then_some(100)),
            named: full,
            burden: full,
        }
    }

    /// Gives how many commands missed.
    fn obey(&mut self, ask: Ask, value: u32) -> u64 {
        let for_it = !matches!(ask, Ask::Pause | Ask::Clear);
        if !self.lives {
            return u64::from(for_it);
        }
        match ask {
            Ask::GiveNum => self.num = Some(value),
            Ask::GiveNamed => self.named = Some(value),
            Ask::GiveAll => {
                (self.num, self.named, self.burden) = (Some(value), Some(value), Some(value));
            }
            Ask::TakeNamed => self.named = None,
            Ask::TakeAll => (self.num, self.named, self.burden) = (None, None, None),
            Ask::Despawn | Ask::Clear => *self = Self::default(),
            Ask::Pause => {}
        }
        0
    }

    fn counted(self) -> i64 {
        i64::from(self.named.is_some()) + i64::from(self.burden.is_some())
    }
}

fn ask(commands: &mut Commands, entity: Entity, ask: Ask, value: u32, ledger: &Ledger) {
    let (num, named) = (Num(value), || Named::new(value, ledger));
    match ask {
        Ask::GiveNum => commands.insert(entity, num),
        Ask::GiveNamed => commands.insert(entity, named()),
        Ask::GiveAll => commands.insert(entity, (Burden::new(value, ledger), named(), num)),
        Ask::TakeNamed => commands.remove::<Named>(entity),
        Ask::TakeAll => commands.remove::<(Num, Burden, Named)>(entity),
        Ask::Despawn => commands.despawn(entity),
        Ask::Pause => commands.queue(|_| ()),
        Ask::Clear => commands.queue(World::clear),
    }
}

fn begin(world: &mut World, queue: &mut CommandQueue, start: Start, ledger: &Ledger) -> Entity {
    match start {
        Start::Spawned => Commands::new(queue, world).spawn(Num(100)).id(),
        Start::Bare => world.spawn(()).id(),
        Start::Full => {
            let aside = (Named::new(100, ledger), Burden::new(100, ledger));
            world.spawn((Num(100), aside)).id()
        }
        Start::Dead => {
            let entity = world.spawn(Num(100)).id();
            world.despawn(entity).expect("it lives");
            entity
        }
    }
}

fn found(world: &World, entity: Entity) -> Naive {
    Naive {
        lives: world.contains(entity),
        num: world.get::<Num>(entity).map(|num| num.0),
        named: world.get::<Named>(entity).map(Named::number),
        burden: burden(world, entity),
    }
}

/// One sequence for one entity, and its mirror image for another one in the same queue.
fn check(world: &mut World, starts: [Start; 2], asks: &[Ask], at_once: bool) {
    let ledger = Ledger::default();
    let mut queue = CommandQueue::default();
    let entities = starts.map(|start| begin(world, &mut queue, start, &ledger));
    let (mut naive, mut missed) = (starts.map(Naive::at), 0);
    for (step, &first) in asks.iter().enumerate() {
        let mirrored = ASKS.iter().position(|&other| other == first);
        let second = ASKS[5 - mirrored.expect("it is one of them").min(5)];
        let value = step as u32;
        let mut commands = Commands::new(&mut queue, world);
        ask(&mut commands, entities[0], first, value, &ledger);
        ask(&mut commands, entities[1], second, value, &ledger);
        missed += naive[0].obey(first, value);
        if first == Ask::Clear {
            naive[1] = Naive::default();
        }
        missed += naive[1].obey(second, value);
        if !at_once {
            queue.apply(world);
        }
    }
    queue.apply(world);
    let context = || format!("{starts:?}, {asks:?}, at once: {at_once}");
    assert_eq!(entities.map(|e| found(world, e)), naive, "{}", context());
    assert_eq!(queue.missed(), missed, "{}", context());
    let counted = naive.map(Naive::counted).iter().sum::<i64>();
    assert_eq!(ledger.alive(), counted, "{}", context());
    world.clear();
    assert_eq!(ledger.alive(), 0, "{}", context());
}

#[test]
fn every_sequence_of_up_to_four_commands_does_what_each_by_itself_would() {
    let mut world = World::new();
    let pairs = [
        [Start::Spawned, Start::Full],
        [Start::Bare, Start::Spawned],
        [Start::Full, Start::Dead],
        [Start::Dead, Start::Bare],
    ];
    for length in 0..=4 {
        for number in 0..ASKS.len().pow(length) {
            let ask = |place| ASKS[number / ASKS.len().pow(place) % ASKS.len()];
            let asks: Vec<Ask> = (0..length).map(ask).collect();
            for starts in pairs {
                check(&mut world, starts, &asks, true);
                if length == 3 {
                    check(&mut world, starts, &asks, false);
                }
            }
        }
    }
}

#[test]
fn commands_for_an_old_id_never_reach_the_new_one_of_the_same_index() {
    let orders = (0..24).map(|number| {
        let mut left = vec![0, 1, 2, 3];
        let picks = [number / 6, number / 2 % 3, number % 2, 0];
        picks.map(|pick| left.remove(pick))
    });
    // The new one comes in the same queue, or was there before: then the old one may come first.
    let cases = orders.flat_map(|order| [(order, true), (order, false)]);
    for (order, in_queue) in cases {
        let (ledger, mut world) = (Ledger::default(), World::new());
        let old = world.spawn(Num(1)).id();
        world.despawn(old).expect("it lives");
        let there = (!in_queue).then(|| world.spawn(Num(2)).id());
        let mut queue = CommandQueue::default();
        let mut commands = Commands::new(&mut queue, &world);
        let new = there.unwrap_or_else(|| commands.spawn(Num(2)).id());
        assert_eq!(new.index(), old.index());
        for step in order {
            match step {
                0 => commands.insert(old, (Num(3), Named::new(3, &ledger))),
                1 => commands.insert(new, Named::new(4, &ledger)),
                2 => commands.remove::<Num>(old),
                _ => commands.despawn(old),
            }
        }
        queue.apply(&mut world);
        assert_eq!((queue.missed(), ledger.alive()), (3, 1), "{order:?}");
        assert_eq!(world.get::<Num>(new), Some(&Num(2)), "{order:?}");
        assert_eq!(world.get::<Named>(new).map(Named::number), Some(4));
    }
}

/// A queue that a panic has stopped is applied again when its entity's index has a new owner.
#[test]
fn a_queue_that_was_interrupted_keeps_nothing_of_an_id_that_was_used_again() {
    let (ledger, mut world) = (Ledger::default(), World::new());
    let old = world.spawn(Num(1)).id();
    let mut queue = CommandQueue::default();
    let mut commands = Commands::new(&mut queue, &world);
    commands.insert(old, Named::new(1, &ledger));
    commands.remove::<Num>(old);
    commands.queue(|_| panic!("planned panic in a command"));
    commands.insert(old, (Num(5), Named::new(5, &ledger)));
    commands.remove::<Named>(old);
    assert!(panic_of(|| queue.apply(&mut world)).is_some());
    assert_eq!(world.get::<Named>(old).map(Named::number), Some(1));
    world.despawn(old).expect("it lives");
    let new = world.spawn(Num(2)).id();
    assert_eq!(new.index(), old.index());
    queue.apply(&mut world);
    assert_eq!((queue.missed(), ledger.alive()), (2, 0));
    Commands::new(&mut queue, &world).insert(new, Named::new(6, &ledger));
    queue.apply(&mut world);
    assert_eq!(world.get::<Num>(new), Some(&Num(2)));
    assert_eq!(world.get::<Named>(new).map(Named::number), Some(6));
    assert_eq!((queue.missed(), ledger.alive()), (2, 1));
}

#[test]
fn a_spawn_behind_a_closure_that_clears_the_world_is_missed_and_drops_its_values() {
    let (ledger, mut world) = (Ledger::default(), World::new());
    let mut queue = CommandQueue::default();
    let mut commands = Commands::new(&mut queue, &world);
    let before = commands.spawn(Named::new(1, &ledger)).id();
    commands.queue(World::clear);
    let after = commands.spawn((Named::new(2, &ledger), Num(2))).id();
    commands.insert(after, Named::new(3, &ledger));
    queue.apply(&mut world);
    assert!(!world.contains(before) && !world.contains(after));
    assert_eq!((queue.missed(), ledger.alive(), world.len()), (2, 0, 0));
}

#[test]
fn the_handles_of_a_system_that_panicked_go_to_the_next_ones() {
    let (ledger, mut world) = (Ledger::default(), World::new());
    let given = Arc::new(Mutex::new(Vec::new()));
    let (list, tokens) = (given.clone(), ledger.clone());
    let system = move |mut commands: Commands| {
        let spawn = |number| commands.spawn(Named::new(number, &tokens)).id();
        let all: Vec<Entity> = (0..3).map(spawn).collect();
        *list.lock().expect("no panic while it is held") = all;
        panic!("planned panic in a system");
    };
    let mut system = system.into_system();
    assert!(panic_of(|| ignore(system.run(&mut world, &Serial))).is_some());
    assert_eq!((world.len(), ledger.alive()), (0, 0));
    let given = given.lock().expect("no panic while it was held").clone();
    assert!(given.iter().all(|&entity| !world.contains(entity)));
    let next: Vec<Entity> = world.spawn_batch((0..3).map(Num)).collect();
    assert_eq!(next, given);
}

/// What is done to a world while a queue waits, and the handles it gives.
type Deed = fn(&mut World, Entity) -> Vec<Entity>;

fn deeds() -> Vec<(&'static str, Deed)> {
    vec![
        ("spawn", |world, _| vec![world.spawn(Num(1)).id()]),
        ("spawn_batch", |world, _| {
            world.spawn_batch((0..20).map(Num)).collect()
        }),
        ("spawn_columns", |world, _| {
            let batch = world.spawn_columns(20, (|row: usize| Num(row as u32),));
            batch.expect("no lengths to differ").collect()
        }),
        ("spawn_at", |world, _| {
            let chosen = Entity::from_bits(1 << 32 | 60).expect("a generation");
            vec![world.spawn_at(chosen, Num(1)).expect("never used").id()]
        }),
        ("despawn", |world, one| {
            world.despawn(one).expect("it lives");
            vec![world.spawn(Num(1)).id()]
        }),
        ("insert, take and remove", |world, one| {
            world.insert(one, Wide(1)).expect("it lives");
            world.take::<Num>(one).expect("it is there");
            world.remove::<Wide>(one).expect("it lives");
            vec![]
        }),
        ("changes by filter", |world, _| {
            assert_eq!(world.insert_where::<With<Num>, _>(Frozen(1)), 8);
            assert_eq!(world.remove_where::<With<Num>, Frozen>(), 8);
            assert_eq!(world.despawn_where::<With<Num>>(), 8);
            world.spawn_batch((0..20).map(Num)).collect()
        }),
        ("merge", |world, _| {
            let mut other = World::new();
            let theirs: Vec<Entity> = other.spawn_batch((0..20).map(Num)).collect();
            let map = world.merge(other).expect("nothing was defined at run time");
            theirs.into_iter().map(|old| map.map(old)).collect()
        }),
        ("compact", |world, _| {
            world.compact(usize::MAX);
            vec![]
        }),
        ("a system", |world, _| {
            let system =
                |mut commands: Commands| (0..20).for_each(|n| ignore(commands.spawn(Num(n)).id()));
            let mut system = system.into_system();
            system.run(world, &Serial).expect("nothing is missing");
            world.query::<Entity>().iter(world).collect()
        }),
        ("a fork", |world, _| {
            *world = world.fork().expect("all can be cloned");
            vec![world.spawn(Num(1)).id()]
        }),
        ("another queue", |world, _| {
            let mut queue = CommandQueue::default();
            let entity = Commands::new(&mut queue, world).spawn(Num(1)).id();
            queue.apply(world);
            vec![entity]
        }),
    ]
}

#[test]
fn ids_that_are_reserved_and_not_yet_spawned_are_in_nobodys_way() {
    for (name, deed) in deeds() {
        let (ledger, mut world) = (Ledger::default(), World::new());
        let all: Vec<Entity> = world.spawn_batch((0..10).map(Num)).collect();
        for gone in [all[3], all[7]] {
            world.despawn(gone).expect("it lives");
        }
        let mut queue = CommandQueue::default();
        let mut commands = Commands::new(&mut queue, &world);
        let spawn = |number| commands.spawn(Named::new(number, &ledger)).id();
        let reserved: Vec<Entity> = (0..5).map(spawn).collect();
        let given = deed(&mut world, all[0]);
        assert!(
            reserved.iter().all(|entity| !given.contains(entity)),
            "{name}"
        );
        queue.apply(&mut world);
        assert_eq!((queue.missed(), ledger.alive()), (0, 5), "{name}");
        for (&entity, number) in reserved.iter().zip(0..) {
            assert_eq!(
                world.get::<Named>(entity).map(Named::number),
                Some(number),
                "{name}"
            );
        }
        let given: Vec<Entity> = given.into_iter().filter(|&e| world.contains(e)).collect();
        assert_eq!(
            world.query::<Entity>().view(&world).len(),
            world.len(),
            "{name}"
        );
        assert!(
            given
                .iter()
                .all(|&entity| world.get::<Named>(entity).is_none()),
            "{name}"
        );
    }
}

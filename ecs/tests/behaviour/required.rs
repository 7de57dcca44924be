//! Required components: brought along where they are missing, by every way in.

use std::cell::Cell;

use orrery_ecs::{Bundle, CommandQueue, Commands, Component, Entity, With, World};

use crate::support::{Ledger, Num, Token, ignore, panic_of};

thread_local! {
    /// Who counts the values that constructors make, and when one of them panics.
    static LEDGER: Cell<Option<Ledger>> = const { Cell::new(None) };
    static FUSE: Cell<u32> = const { Cell::new(0) };
}

fn token() -> Token {
    let fuse = FUSE.get();
    FUSE.set(fuse.saturating_sub(1));
    assert!(fuse != 1, "planned panic in a constructor");
    let ledger = LEDGER.take().expect("the test set one");
    let token = ledger.token();
    LEDGER.set(Some(ledger));
    token
}

fn with_ledger() -> Ledger {
    let ledger = Ledger::default();
    LEDGER.set(Some(ledger.clone()));
    FUSE.set(0);
    ledger
}

#[derive(Clone, Copy, Debug, PartialEq, Component)]
#[require(Body, Speed(7), Label = label())]
struct Monster;

#[derive(Clone, Copy, Debug, PartialEq, Component)]
struct Speed(u32);

#[derive(Clone, Debug, PartialEq, Component)]
struct Label {
    text: String,
}

fn label() -> Label {
    Label {
        text: String::from("made"),
    }
}

/// Requires more, one of them its own way, and one that requires it back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Component)]
#[require(Speed(1), Shape { corners: 4, edge: 0.5 }, Held, Seen, Heart)]
struct Body;

#[derive(Clone, Copy, Debug, PartialEq, Component)]
#[component(split)]
struct Shape {
    corners: u32,
    edge: f64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Component)]
#[component(sparse)]
#[require(Body)]
struct Held(u8);

#[derive(Clone, Copy, Debug, Default, PartialEq, Component)]
#[component(track)]
struct Seen(u8);

#[derive(Clone, Debug, Component)]
#[component(not_state)]
struct Heart {
    token: Token,
}

impl Default for Heart {
    fn default() -> Self {
        Self { token: token() }
    }
}

fn is_whole(world: &World, entity: Entity) -> bool {
    let entity = world.entity(entity);
    entity.contains::<Monster>()
        && entity.contains::<Body>()
        && entity.contains::<Heart>()
        && entity.contains::<Held>()
        && entity.get::<Seen>() == Some(&Seen(0))
        && world.read::<Shape>(entity.id())
            == Some(Shape {
                corners: 4,
                edge: 0.5,
            })
}

#[test]
fn what_is_required_comes_along_the_nearest_way_and_stays_after_a_removal() {
    let (ledger, mut world) = (with_ledger(), World::new());
    let plain = world.spawn(Monster).id();
    assert!(is_whole(&world, plain));
    assert_eq!(
        world.get::<Speed>(plain),
        Some(&Speed(7)),
        "nearer than Body's 1"
    );
    assert_eq!(world.get::<Label>(plain), Some(&label()));
    let grown = world.spawn((Speed(5), Num(1))).id();
    world.insert(grown, Monster).expect("it lives");
    assert!(is_whole(&world, grown));
    assert_eq!(world.remove::<Monster>(grown), Ok(true));
    assert!(
        world.get::<Body>(grown).is_some(),
        "removal leaves what was brought along"
    );
    assert_eq!(world.remove::<(Body, Held, Heart)>(grown), Ok(true));
    world.insert(grown, Held(4)).expect("it lives");
    assert!(
        world.get::<Heart>(grown).is_some(),
        "a sparse component brings along too"
    );
    assert_eq!(ledger.alive(), 2);
    drop(world);
    assert_eq!(ledger.alive(), 0);
}

/// Gives the entities that it made or changed.
type Way = fn(&mut World) -> Vec<Entity>;

/// Every way in for a monster; each gives the entities it made or changed.
fn ways() -> Vec<(&'static str, Way)> {
    fn collected<'w>(batch: impl Iterator<Item = Entity> + 'w) -> Vec<Entity> {
        batch.collect()
    }
    vec![
        ("spawn", |world| vec![world.spawn(Monster).id()]),
        ("spawn_batch", |world| {
            collected(world.spawn_batch((0..40).map(|_| (Monster, Num(1)))))
        }),
        ("spawn_batch of two blocks", |world| {
            collected(world.spawn_batch((0..4100).map(|_| Monster)))
        }),
        ("spawn_columns", |world| {
            let nums: Vec<Num> = (0..4100).map(Num).collect();
            let columns = world.spawn_columns(4100, (|_: usize| Monster, nums));
            collected(columns.expect("as many as were asked for"))
        }),
        ("insert", |world| {
            let entity = world.spawn(Num(1)).id();
            world.insert(entity, Monster).expect("it lives");
            vec![entity]
        }),
        ("insert_where", |world| {
            let all = collected(world.spawn_batch((0..50).map(Num)));
            world.insert_where::<With<Num>, _>(Monster);
            all
        }),
        ("commands", |world| {
            let mut queue = CommandQueue::default();
            let mut commands = Commands::new(&mut queue, world);
            let single = commands.spawn(Monster).id();
            let merged = commands.spawn(Num(1)).insert(Monster).remove::<Num>().id();
            let sparse = commands.spawn(Held(3)).insert((Monster, Speed(1))).id();
            queue.apply(world);
            vec![single, merged, sparse]
        }),
        ("insert_by_id", |world| {
            let heat = world.register_component::<Monster>();
            let entity = world.spawn(()).id();
            world.insert(entity, Monster).expect("it lives");
            assert!(world.contains_by_id(entity, heat));
            vec![entity]
        }),
        ("spawn_at", |world| {
            let entity = Entity::from_bits(9_000 | 1 << 32).expect("generation 1");
            vec![world.spawn_at(entity, Monster).expect("never used").id()]
        }),
    ]
}

#[test]
fn every_way_in_brings_it_along() {
    for (name, way) in ways() {
        let (ledger, mut world) = (with_ledger(), World::new());
        let entities = way(&mut world);
        assert!(
            entities.iter().all(|&entity| is_whole(&world, entity)),
            "{name}"
        );
        assert_eq!(ledger.alive(), entities.len() as i64, "{name}");
        let fork = world.fork().expect("all can be cloned");
        assert_eq!(fork.state_hash(), world.state_hash());
        drop(world);
        drop(fork);
        assert_eq!(ledger.alive(), 0, "{name}");
    }
}

#[test]
fn a_constructor_that_panics_leaves_no_entity_half_built() {
    for (name, way) in ways() {
        for fuse in [1, 2, 39, 4097] {
            let (ledger, mut world) = (with_ledger(), World::new());
            let first = world.spawn(Num(0)).id();
            FUSE.set(fuse);
            let panic = panic_of(|| ignore(way(&mut world)));
            FUSE.set(0);
            let mut query = world.query::<Entity>();
            let all: Vec<Entity> = query.iter(&world).collect();
            // Handles that commands reserved live without a row when their queue is lost.
            let lost = if name == "commands" {
                world.len() - all.len()
            } else {
                0
            };
            assert_eq!(
                all.len() + lost,
                world.len(),
                "{name}: an entity without a row"
            );
            let monsters = all
                .iter()
                .filter(|&&entity| world.entity(entity).contains::<Heart>());
            let monsters: Vec<Entity> = monsters.copied().collect();
            assert!(
                monsters.iter().all(|&entity| is_whole(&world, entity)),
                "{name} with fuse {fuse}, panicked: {panic:?}"
            );
            let bare = |&&entity: &&Entity| world.entity(entity).contains::<Monster>();
            assert_eq!(all.iter().filter(bare).count(), monsters.len(), "{name}");
            assert_eq!(ledger.alive(), monsters.len() as i64, "{name}");
            assert!(world.contains(first));
            drop(world);
            assert_eq!(ledger.alive(), 0, "{name}");
        }
    }
}

#[test]
fn merged_commands_bring_along_what_the_same_changes_one_by_one_would() {
    #[derive(Clone, Copy, Debug)]
    enum Change {
        GiveMonster,
        GiveSpeed,
        GiveHeld,
        TakeSpeed,
        TakeMonster,
        TakeBodyAndHeld,
    }
    let all = [
        Change::GiveMonster,
        Change::GiveSpeed,
        Change::GiveHeld,
        Change::TakeSpeed,
        Change::TakeMonster,
        Change::TakeBodyAndHeld,
    ];
    fn queue(commands: &mut Commands<'_, '_>, entity: Entity, change: Change) {
        match change {
            Change::GiveMonster => commands.insert(entity, Monster),
            Change::GiveSpeed => commands.insert(entity, Speed(2)),
            Change::GiveHeld => commands.insert(entity, Held(6)),
            Change::TakeSpeed => commands.remove::<Speed>(entity),
            Change::TakeMonster => commands.remove::<Monster>(entity),
            Change::TakeBodyAndHeld => commands.remove::<(Body, Held)>(entity),
        }
    }
    let sequences = (0..all.len().pow(4))
        .map(|number| [0, 1, 2, 3].map(|place| all[number / all.len().pow(place) % all.len()]));
    let _ledger = with_ledger();
    for sequence in sequences {
        let mut found = Vec::new();
        for merged in [true, false] {
            let mut world = World::new();
            let entity = world.spawn(Num(1)).id();
            let mut command_queue = CommandQueue::default();
            for change in sequence {
                let mut commands = Commands::new(&mut command_queue, &world);
                queue(&mut commands, entity, change);
                if !merged {
                    command_queue.apply(&mut world);
                }
            }
            command_queue.apply(&mut world);
            let whole = world.entity(entity);
            found.push((
                whole.contains::<Monster>(),
                whole.get::<Speed>().copied(),
                whole.contains::<Body>(),
                whole.get::<Held>().copied(),
                whole.contains::<Heart>(),
                whole.get::<Label>().cloned(),
            ));
        }
        assert_eq!(found[0], found[1], "{sequence:?}");
    }
}

#[test]
fn bundles_bring_along_what_any_of_their_parts_requires() {
    #[derive(Bundle)]
    struct Pack {
        monster: Monster,
        rest: (Num, Seen),
    }
    let (ledger, mut world) = (with_ledger(), World::new());
    let pack = Pack {
        monster: Monster,
        rest: (Num(4), Seen(0)),
    };
    let entity = world.spawn(pack).id();
    assert!(is_whole(&world, entity));
    assert_eq!(world.get::<Num>(entity), Some(&Num(4)));
    let taken = world
        .take::<(Monster, Heart)>(entity)
        .expect("both are there");
    assert_eq!((taken.0, ledger.alive()), (Monster, 1));
}

//! Random operations: the stream of events is what a plain model predicts, in forks too.

use std::collections::BTreeMap;

use orrery_ecs::{
    Add, CommandQueue, Commands, Despawn, Entity, Insert, On, Query, Remove, ResMut, With, Without,
    World,
};

use super::{Log, Tag, world_with_log};
use crate::support::{Ledger, Named, Num, Random, SeedOnFailure};

/// Kinds of components, in the order in which their observers are registered.
const NUM: usize = 0;
const NAMED: usize = 1;
const TAG: usize = 2;

type Row = [Option<u32>; 3];

/// What each entity has, and what observers are expected to have noted.
#[derive(Clone, Default)]
struct Model {
    rows: BTreeMap<Entity, Row>,
    log: Vec<String>,
}

impl Model {
    /// Lines of one kind of event, in the order in which observers were registered.
    fn note(&mut self, entity: Entity, kind: char, changed: [bool; 3], old: Row, now: Row) {
        for component in [TAG, NUM, NAMED] {
            if changed[component] {
                // Queries do not see sparse components.
                let now = now[component].filter(|_| component != TAG);
                let old = match kind {
                    '+' => String::new(),
                    _ => format!("{:?} ", old[component]),
                };
                self.log
                    .push(format!("{kind}{component} {entity} {old}{now:?}"));
            }
        }
    }

    fn give(&mut self, entity: Entity, given: Row) {
        let row = self.rows.entry(entity).or_default();
        let old = *row;
        for component in 0..3 {
            row[component] = given[component].or(old[component]);
        }
        let now = *row;
        let inserted = given.map(|value| value.is_some());
        let added = std::array::from_fn(|of| inserted[of] && old[of].is_none());
        self.note(entity, '+', added, old, now);
        self.note(entity, '=', inserted, old, now);
    }

    fn lose(&mut self, entity: Entity, asked: [bool; 3]) {
        let row = self.rows.get_mut(&entity).expect("it lives");
        let old = *row;
        for component in (0..3).filter(|&component| asked[component]) {
            row[component] = None;
        }
        let now = *row;
        let gone = std::array::from_fn(|of| asked[of] && old[of].is_some());
        self.note(entity, '-', gone, old, now);
    }

    fn despawn(&mut self, entity: Entity) {
        let old = self.rows.remove(&entity).expect("it lives");
        self.log.push(format!("x {entity} {old:?}"));
        self.note(
            entity,
            '-',
            old.map(|value| value.is_some()),
            old,
            Row::default(),
        );
    }
}

/// Observers of one component, which note the value that came or left and the one that is there.
/// Queries do not see sparse components, whose present value is left out.
macro_rules! observe {
    ($world:expr, $component:expr, $type:ty, $number:expr, $seen:ty, $now:expr) => {{
        const COMPONENT: usize = $component;
        let number: fn(&$type) -> u32 = $number;
        let now: fn(&Query<$seen>, Entity) -> Option<u32> = $now;
        $world.add_observer(
            move |on: On<Add, $type>, seen: Query<$seen>, mut log: ResMut<Log>| {
                assert!(COMPONENT == TAG || now(&seen, on.entity()).is_some());
                log.0.push(format!(
                    "+{COMPONENT} {} {:?}",
                    on.entity(),
                    now(&seen, on.entity())
                ));
            },
        );
        $world.add_observer(
            move |on: On<Insert, $type>, seen: Query<$seen>, mut log: ResMut<Log>| {
                let (old, now) = (on.replaced().map(number), now(&seen, on.entity()));
                log.0
                    .push(format!("={COMPONENT} {} {old:?} {now:?}", on.entity()));
            },
        );
        $world.add_observer(
            move |on: On<Remove, $type>, seen: Query<$seen>, mut log: ResMut<Log>| {
                let (old, now) = (on.removed().map(number), now(&seen, on.entity()));
                log.0
                    .push(format!("-{COMPONENT} {} {old:?} {now:?}", on.entity()));
            },
        );
    }};
}

fn observed_world() -> World {
    let mut world = world_with_log();
    // Not in the order in which the world comes to know the components.
    world.register_component::<Named>();
    observe!(world, TAG, Tag, |tag| tag.number, Entity, |_, _| None);
    observe!(world, NUM, Num, |num| num.0, &Num, |seen, entity| {
        seen.get(entity).ok().map(|num| num.0)
    });
    observe!(
        world,
        NAMED,
        Named,
        Named::number,
        &Named,
        |seen, entity| { seen.get(entity).ok().map(Named::number) }
    );
    world.add_observer(|on: On<Despawn>, mut log: ResMut<Log>| {
        let num = on.removed::<Num>().map(|num| num.0);
        let named = on.removed::<Named>().map(Named::number);
        let tag = on.removed::<Tag>().map(|tag| tag.number);
        log.0
            .push(format!("x {} {:?}", on.entity(), [num, named, tag]));
    });
    world
}

#[derive(Clone, Debug)]
enum Operation {
    /// A set of components as bits, and the value that they get.
    Spawn(u8, u32),
    SpawnBatch(u8, u32, u32),
    SpawnColumns(u32, u32),
    Despawn(Entity),
    Insert(Entity, u8, u32),
    Remove(Entity, u8),
    Take(Entity, u8),
    InsertWhere(u8, u32),
    RemoveWhere(u8),
    DespawnWhere,
    SpawnAt(Entity, u8, u32),
    Clear,
    Commands(Vec<Self>),
}

/// Runs code with a bundle of the components in `bits`, each with the number `value`.
macro_rules! with_bundle {
    ($bits:expr, $value:expr, $ledger:expr, $bundle:ident: $type:ident => $code:expr) => {{
        let (value, ledger) = ($value, $ledger);
        let (num, named) = (|| Num(value), || Named::new(value, ledger));
        let tag = || Tag::new(value, ledger);
        macro_rules! case {
            ($of:ty, $made:expr) => {{
                type $type = $of;
                let $bundle = move || -> $type { $made };
                $code
            }};
        }
        match $bits {
            0 => case!((), ()),
            1 => case!(Num, num()),
            2 => case!(Named, named()),
            3 => case!((Named, Num), (named(), num())),
            4 => case!(Tag, tag()),
            5 => case!((Num, Tag), (num(), tag())),
            6 => case!((Tag, Named), (tag(), named())),
            _ => case!((Num, Tag, Named), (num(), tag(), named())),
        }
    }};
}

fn row_of(bits: u8, value: u32) -> Row {
    std::array::from_fn(|component| (bits >> component & 1 == 1).then_some(value))
}

fn asked(bits: u8) -> [bool; 3] {
    std::array::from_fn(|component| bits >> component & 1 == 1)
}

/// Entities of the archetypes that a filter lets through, in order of archetypes and rows.
fn in_order<F: orrery_ecs::QueryFilter>(world: &mut World) -> Vec<Entity> {
    world.query_filtered::<Entity, F>().iter(world).collect()
}

/// Does an operation to a world and says which entities it concerned, in the order of the events.
fn run(world: &mut World, operation: &Operation, ledger: &Ledger) -> Vec<Entity> {
    match *operation {
        Operation::Spawn(bits, value) => {
            with_bundle!(bits, value, ledger, make: B => vec![world.spawn::<B>(make()).id()])
        }
        Operation::SpawnBatch(bits, value, count) => with_bundle!(bits, value, ledger, make: B => {
            let bundles = (0..count).map(|_| -> B { make() });
            world.spawn_batch(bundles).collect()
        }),
        Operation::SpawnColumns(value, count) => {
            let named: Vec<Named> = (0..count).map(|_| Named::new(value, ledger)).collect();
            let spawned = world.spawn_columns(count as usize, (named, |_: usize| Num(value)));
            spawned.expect("as many names as entities").collect()
        }
        Operation::Despawn(entity) => {
            world.despawn(entity).expect("it lives");
            vec![entity]
        }
        Operation::Insert(entity, bits, value) => {
            with_bundle!(bits, value, ledger, make: B => {
                world.insert::<B>(entity, make()).expect("it lives");
            });
            vec![entity]
        }
        Operation::Remove(entity, bits) => {
            with_bundle!(bits, 0, ledger, _make: B => {
                world.remove::<B>(entity).expect("it lives");
            });
            vec![entity]
        }
        Operation::Take(entity, bits) => with_bundle!(bits, 0, ledger, _make: B => {
            match world.take::<B>(entity) {
                Ok(_) => vec![entity],
                Err(_) => Vec::new(),
            }
        }),
        Operation::InsertWhere(bits, value) => {
            let all = in_order::<With<Num>>(world);
            let count = with_bundle!(bits, value, ledger, make: B => {
                world.insert_where::<With<Num>, B>(make())
            });
            assert_eq!(count, all.len());
            all
        }
        Operation::RemoveWhere(bits) => {
            let all = in_order::<With<Named>>(world);
            with_bundle!(bits, 0, ledger, _make: B => world.remove_where::<With<Named>, B>());
            all
        }
        Operation::DespawnWhere => {
            let all = in_order::<Without<Num>>(world);
            assert_eq!(world.despawn_where::<Without<Num>>(), all.len());
            all
        }
        Operation::SpawnAt(entity, bits, value) => with_bundle!(bits, value, ledger, make: B => {
            world.spawn_at::<B>(entity, make()).expect("a later generation");
            vec![entity]
        }),
        Operation::Clear => {
            let all = in_order::<()>(world);
            world.clear();
            all
        }
        Operation::Commands(ref operations) => queue(world, operations, ledger),
    }
}

/// Gives the handles of the spawns.
fn queue(world: &mut World, operations: &[Operation], ledger: &Ledger) -> Vec<Entity> {
    let mut queue = CommandQueue::default();
    let mut commands = Commands::new(&mut queue, world);
    let mut spawned = Vec::new();
    for operation in operations {
        match *operation {
            Operation::Spawn(bits, value) => with_bundle!(bits, value, ledger, make: B => {
                spawned.push(commands.spawn::<B>(make()).id());
            }),
            Operation::Insert(entity, bits, value) => {
                with_bundle!(bits, value, ledger, make: B => commands.insert::<B>(entity, make()));
            }
            Operation::Remove(entity, bits) => {
                with_bundle!(bits, 0, ledger, _make: B => commands.remove::<B>(entity));
            }
            Operation::Despawn(entity) => commands.despawn(entity),
            _ => unreachable!("the generator queues only these"),
        }
    }
    queue.apply(world);
    spawned
}

impl Model {
    fn run(&mut self, operation: &Operation, entities: &[Entity]) {
        match *operation {
            Operation::Spawn(bits, value)
            | Operation::SpawnBatch(bits, value, _)
            | Operation::Insert(_, bits, value)
            | Operation::InsertWhere(bits, value) => {
                entities
                    .iter()
                    .for_each(|&entity| self.give(entity, row_of(bits, value)));
            }
            Operation::SpawnColumns(value, _) => {
                entities
                    .iter()
                    .for_each(|&entity| self.give(entity, row_of(3, value)));
            }
            Operation::Remove(_, bits)
            | Operation::Take(_, bits)
            | Operation::RemoveWhere(bits) => {
                entities
                    .iter()
                    .for_each(|&entity| self.lose(entity, asked(bits)));
            }
            Operation::Despawn(_) | Operation::DespawnWhere | Operation::Clear => {
                entities.iter().for_each(|&entity| self.despawn(entity));
            }
            Operation::SpawnAt(entity, bits, value) => {
                let same = |other: &&Entity| other.index() == entity.index();
                if let Some(old) = self.rows.keys().find(same).copied() {
                    self.despawn(old);
                }
                self.give(entity, row_of(bits, value));
            }
            Operation::Commands(ref operations) => {
                let mut spawned = entities.iter();
                for operation in operations {
                    let about = match *operation {
                        Operation::Spawn(..) => *spawned.next().expect("a handle for each"),
                        Operation::Despawn(entity)
                        | Operation::Insert(entity, ..)
                        | Operation::Remove(entity, _) => entity,
                        _ => unreachable!("the generator queues only these"),
                    };
                    let is_new = matches!(operation, Operation::Spawn(..));
                    if is_new || self.rows.contains_key(&about) {
                        self.run(operation, &[about]);
                    }
                }
            }
        }
    }
}

/// One world, its model, and where its handles come from.
struct Walk {
    random: Random,
    ledger: Ledger,
    world: World,
    model: Model,
}

impl Walk {
    fn entity(&mut self) -> Option<Entity> {
        let count = self.model.rows.len();
        (count > 0).then(|| {
            let index = self.random.below(count);
            *self.model.rows.keys().nth(index).expect("below the count")
        })
    }

    fn operation(&mut self, inside: bool) -> Operation {
        let (bits, value) = (self.random.below(8) as u8, self.random.below(1000) as u32);
        let count = self.random.below(20) as u32;
        let choice = self.random.below(if inside { 60 } else { 100 });
        let Some(entity) = self.entity() else {
            return Operation::Spawn(bits, value);
        };
        let many = self.model.rows.len() > 60;
        match choice {
            0..15 => Operation::Spawn(bits, value),
            15..20 => Operation::Despawn(entity),
            20..40 => Operation::Insert(entity, bits, value),
            40..60 => Operation::Remove(entity, bits),
            60..70 => Operation::Take(entity, bits),
            70..73 if !many => Operation::SpawnBatch(bits, value, count),
            73..76 if !many => Operation::SpawnColumns(value, count),
            76..79 => Operation::InsertWhere(bits, value),
            79..82 => Operation::RemoveWhere(bits),
            82 => Operation::DespawnWhere,
            83..86 => {
                let later = entity.to_bits() + ((1 + u64::from(count)) << 32);
                Operation::SpawnAt(Entity::from_bits(later).expect("few"), bits, value)
            }
            86 if self.random.one_in(4) => Operation::Clear,
            _ => Operation::Commands((0..5).map(|_| self.operation(true)).collect()),
        }
    }

    fn step(&mut self) {
        let operation = self.operation(false);
        let entities = run(&mut self.world, &operation, &self.ledger);
        self.model.run(&operation, &entities);
        let log = std::mem::take(&mut self.world.resource_mut::<Log>().0);
        assert_eq!(log, std::mem::take(&mut self.model.log), "{operation:?}");
        assert_eq!(self.world.len(), self.model.rows.len());
    }

    fn check(&self) {
        for (&entity, row) in &self.model.rows {
            let num = self.world.get::<Num>(entity).map(|num| num.0);
            let named = self.world.get::<Named>(entity).map(Named::number);
            let tag = self.world.get::<Tag>(entity).map(|tag| tag.number);
            assert_eq!(*row, [num, named, tag], "{entity}");
        }
    }
}

fn walk(seed: u64, steps: usize) {
    let _seed = SeedOnFailure(seed);
    let mut walk = Walk {
        random: Random::new(seed),
        ledger: Ledger::default(),
        world: observed_world(),
        model: Model::default(),
    };
    for step in 0..steps {
        walk.step();
        if step % 50 == 0 {
            walk.check();
        }
        if walk.random.one_in(40) {
            // Go on with the fork and leave the origin, or the other way round.
            let fork = walk.world.fork().expect("everything is Clone");
            let before = fork.state_hash();
            let (other, model) = (std::mem::replace(&mut walk.world, fork), walk.model.clone());
            for _ in 0..walk.random.below(4) {
                walk.step();
            }
            assert_eq!(other.state_hash(), before);
            if walk.random.one_in(2) {
                (walk.world, walk.model) = (other, model);
            }
        }
    }
    walk.check();
    let held: usize = walk
        .model
        .rows
        .values()
        .map(|row| usize::from(row[NAMED].is_some()) + usize::from(row[TAG].is_some()))
        .sum();
    assert_eq!(walk.ledger.alive(), held as i64);
    drop(walk.world);
    assert_eq!(walk.ledger.alive(), 0);
}

#[test]
fn random_operations_give_the_events_that_a_plain_model_predicts() {
    for seed in 1..=20 {
        walk(seed, 600);
    }
}

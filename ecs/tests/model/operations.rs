//! Operations of the model test, and how a world does them.

use orrery_ecs::{
    Chunk, CommandQueue, Commands, Entity, Fields, IntoSystem, Resource, System, World,
};

use super::shapes::{KINDS, Shape, kinds, with_filter, with_shape};
use crate::support::{Ledger, Named, Num, Parts, Pos, Threads};

#[derive(Clone, Debug, PartialEq, Resource)]
pub(crate) struct Total(pub(crate) u64);

/// One operation; entities are handles, dead or alive.
#[derive(Clone, Debug)]
pub(crate) enum Operation {
    Spawn(usize, u32),
    SpawnBatch(usize, Vec<u32>),
    Despawn(Entity),
    Insert(Entity, usize, u32),
    Remove(Entity, usize),
    Take(Entity, usize),
    Write(Entity, u32),
    /// Adds to every `Num` that has a position, by rows or by chunks.
    AddRows(u32),
    AddChunks(u32),
    /// Writes every split component, and every name beside one, on several threads.
    AddFields(u32),
    SetTotal(u64),
    /// The number of a filter first.
    InsertWhere(usize, usize, u32),
    RemoveWhere(usize, usize),
    DespawnWhere(usize),
    /// Columns of `Num` and `Named`, the first as a function and the second as a `Vec`.
    SpawnColumns(Vec<u32>),
    SpawnAt(Entity, usize, u32),
    Clear,
    Commands(Vec<Self>),
    /// A chunk system over every `Num`, on several threads, whose commands despawn some entities,
    /// and give and take a shape; its number decides which.
    Blocks(usize, u32),
}

/// What an operation says; the same for world, twin and model.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Answer {
    pub(crate) entities: Vec<Entity>,
    pub(crate) worked: bool,
    pub(crate) taken: [Option<u32>; KINDS],
    pub(crate) missed: u64,
    pub(crate) count: usize,
}

impl Answer {
    pub(crate) fn counted(count: usize) -> Self {
        Self {
            count,
            ..Self::of(true)
        }
    }

    pub(crate) fn of(worked: bool) -> Self {
        Self {
            worked,
            ..Self::default()
        }
    }
}

/// Numbers stay exact in an `f32`, and in a `u16` for the split component.
pub(crate) fn wrap(value: u32) -> u32 {
    value % 60_000
}

/// Does an operation to a world; what goes by blocks, on so many threads.
pub(crate) fn run(
    world: &mut World,
    operation: &Operation,
    ledger: &Ledger,
    threads: usize,
) -> Answer {
    match operation {
        &Operation::Spawn(shape, value) => Answer {
            entities: vec![with_shape!(shape, B => world.spawn(B::make(value, ledger)).id())],
            ..Answer::of(true)
        },
        Operation::SpawnBatch(shape, values) => Answer {
            entities: with_shape!(*shape, B => {
                let bundles = values.iter().map(|&value| B::make(value, ledger));
                // Half of the handles are asked for; all are spawned.
                world.spawn_batch(bundles).take(values.len() / 2).collect()
            }),
            ..Answer::of(true)
        },
        &Operation::Despawn(entity) => Answer::of(world.despawn(entity).is_ok()),
        &Operation::Insert(entity, shape, value) => Answer::of(
            with_shape!(shape, B => world.insert(entity, B::make(value, ledger)).is_ok()),
        ),
        &Operation::Remove(entity, shape) => {
            Answer::of(with_shape!(shape, B => world.remove::<B>(entity)) == Ok(true))
        }
        &Operation::Take(entity, shape) => {
            let mut answer = Answer::default();
            with_shape!(shape, B => if let Ok(bundle) = world.take::<B>(entity) {
                answer.worked = true;
                bundle.read(&mut |kind, value| answer.taken[kind] = Some(value));
            });
            answer
        }
        &Operation::Write(entity, value) => Answer::of(write(world, entity, value, ledger)),
        Operation::AddRows(_) | Operation::AddChunks(_) | Operation::AddFields(_) => {
            add(world, operation, threads);
            Answer::of(true)
        }
        &Operation::SetTotal(total) => {
            let old = world.insert_resource(Total(total));
            world.resource_mut::<Total>().0 += 1;
            Answer::of(old.is_some())
        }
        Operation::InsertWhere(..) | Operation::RemoveWhere(..) | Operation::DespawnWhere(_) => {
            run_where(world, operation, ledger)
        }
        Operation::SpawnColumns(values) => {
            let names: Vec<Named> = values.iter().map(|&v| Named::new(v, ledger)).collect();
            let nums = |row: usize| Num(values[row]);
            let spawned = world.spawn_columns(values.len(), (nums, names));
            Answer {
                entities: spawned.expect("as many names as values").collect(),
                ..Answer::of(true)
            }
        }
        &Operation::SpawnAt(entity, shape, value) => Answer::of(
            with_shape!(shape, B => world.spawn_at(entity, B::make(value, ledger)).is_ok()),
        ),
        Operation::Clear => {
            world.clear();
            Answer::of(true)
        }
        Operation::Commands(commands) => queue(world, commands, ledger),
        &Operation::Blocks(shape, salt) => {
            ask_by_blocks(world, shape, salt, ledger, threads);
            Answer::of(true)
        }
    }
}

fn run_where(world: &mut World, operation: &Operation, ledger: &Ledger) -> Answer {
    let count = match *operation {
        Operation::InsertWhere(filter, shape, value) => with_shape!(shape, B => {
            let bundle = B::make(value, ledger);
            with_filter!(filter, F => world.insert_where::<F, B>(bundle))
        }),
        Operation::RemoveWhere(filter, shape) => with_shape!(shape, B => {
            with_filter!(filter, F => world.remove_where::<F, B>())
        }),
        Operation::DespawnWhere(filter) => {
            with_filter!(filter, F => world.despawn_where::<F>())
        }
        _ => unreachable!("the other operations have no filter"),
    };
    Answer::counted(count)
}

fn write(world: &mut World, entity: Entity, value: u32, ledger: &Ledger) -> bool {
    let mut any = false;
    if let Some(num) = world.get_mut::<Num>(entity) {
        num.0 = value;
        any = true;
    }
    if let Some(pos) = world.get_mut::<Pos>(entity) {
        *pos = Pos::make(value, ledger);
        any = true;
    }
    if let Some(named) = world.get_mut::<Named>(entity) {
        named.text = value.to_string();
        any = true;
    }
    any |= world.write(entity, Parts::make(value, ledger)).is_ok();
    any
}

fn add(world: &mut World, operation: &Operation, threads: usize) {
    match *operation {
        Operation::AddRows(more) => {
            let mut query = world.query::<(&mut Num, Option<&Named>, &Pos)>();
            for (num, _, _) in &mut query.view_mut(world) {
                num.0 = wrap(num.0 + more);
            }
        }
        Operation::AddChunks(more) => {
            let mut query = world.query::<(&mut Num, Option<&mut Named>, &Pos)>();
            query.view_mut(world).for_each_chunk(|(nums, names, all)| {
                assert_eq!(nums.len(), all.len());
                assert!(names.is_none_or(|names| names.len() == all.len()));
                nums.iter_mut().for_each(|num| num.0 = wrap(num.0 + more));
            });
        }
        Operation::AddFields(more) => {
            let mut query = world.query::<(Fields<&mut Parts>, Option<&mut Named>)>();
            let mut view = query.view_mut(world);
            view.par_for_each_chunk(&Threads(threads), |(parts, names)| {
                for index in 0..parts.a.len() {
                    let value = wrap(parts.a[index] as u32 + more);
                    parts.a[index] = value as f32;
                    parts.b[index] = -f64::from(value);
                    parts.c[index] = value as u16;
                }
                for named in names.into_iter().flatten() {
                    named.text = wrap(named.number() + more).to_string();
                }
            });
        }
        _ => unreachable!("the other operations are not for all entities"),
    }
}

fn ask(commands: &mut Commands, operation: &Operation, ledger: &Ledger) {
    match *operation {
        Operation::Insert(entity, shape, value) => {
            with_shape!(shape, B => commands.insert(entity, B::make(value, ledger)));
        }
        Operation::Remove(entity, shape) => {
            with_shape!(shape, B => commands.remove::<B>(entity));
        }
        Operation::Despawn(entity) => commands.despawn(entity),
        Operation::Commands(ref none) if none.is_empty() => {}
        _ => unreachable!("the generator queues only these"),
    }
}

fn queue(world: &mut World, operations: &[Operation], ledger: &Ledger) -> Answer {
    let mut queue = CommandQueue::default();
    let mut commands = Commands::new(&mut queue, world);
    let mut entities = Vec::new();
    for operation in operations {
        match *operation {
            Operation::Spawn(shape, value) => {
                let entity = with_shape!(shape, B => commands.spawn(B::make(value, ledger)).id());
                let more = after_spawn(value);
                let mut spawned = commands.entity(entity);
                if let Some(value) = more.named {
                    spawned.insert(Named::new(value, ledger));
                }
                if more.without_num {
                    spawned.remove::<Num>();
                }
                if more.despawned {
                    spawned.despawn();
                }
                entities.push(entity);
            }
            _ => ask(&mut commands, operation, ledger),
        }
    }
    queue.apply(world);
    assert!(queue.is_empty());
    entities.retain(|&entity| world.contains(entity));
    Answer {
        entities,
        worked: true,
        missed: queue.missed(),
        ..Answer::default()
    }
}

/// What is asked of the entity of a number by the commands of its block.
pub(crate) fn asked_by_block(entity: Entity, num: u32, shape: usize, salt: u32) -> Operation {
    match (num + salt) % 9 {
        0 => Operation::Despawn(entity),
        1 => Operation::Insert(entity, shape, num),
        2 => Operation::Remove(entity, shape),
        _ => Operation::Commands(Vec::new()),
    }
}

fn ask_by_blocks(world: &mut World, shape: usize, salt: u32, ledger: &Ledger, threads: usize) {
    let ledger = ledger.clone();
    let system = move |chunk: Chunk<&Num>, mut commands: Commands| {
        for (&entity, num) in chunk.entities().iter().zip(chunk.slices()) {
            ask(
                &mut commands,
                &asked_by_block(entity, num.0, shape, salt),
                &ledger,
            );
        }
    };
    let mut system = system.into_system();
    let done = system.run(world, &Threads(threads));
    done.expect("nothing is missing");
}

/// What else a queue is told of an entity that it spawns.
pub(crate) struct AfterSpawn {
    pub(crate) named: Option<u32>,
    pub(crate) without_num: bool,
    pub(crate) despawned: bool,
}

/// Decided by the value that it is spawned with.
pub(crate) fn after_spawn(value: u32) -> AfterSpawn {
    AfterSpawn {
        named: value.is_multiple_of(3).then_some(wrap(value + 1)),
        without_num: value.is_multiple_of(5),
        despawned: value.is_multiple_of(11),
    }
}

/// Bits of a shape, for the model.
pub(crate) fn bits(shape: usize) -> u8 {
    kinds(shape)
}

//! The model: a map from handles to numbers, and plain lists for order and free handles.

use std::collections::BTreeMap;

use orrery_ecs::{Entity, World};

use super::operations::{Answer, Operation, Total, after_spawn, asked_by_block, bits, wrap};
use super::shapes::{GHOST, KINDS, NAMED, NUM, PARTS, POS, Shape, Spirit, WIDE, passes};
use crate::support::{Named, Num, Parts, Pos, Wide};

type Row = [Option<u32>; KINDS];

#[derive(Clone, Default)]
pub(crate) struct Model {
    pub(crate) rows: BTreeMap<Entity, Row>,
    /// Kinds of each archetype in order of creation, with its entities in order of rows.
    archetypes: Vec<(u8, Vec<Entity>)>,
    /// Place in `archetypes`, by kinds.
    by_kinds: BTreeMap<u8, usize>,
    /// Handles that come next, last first.
    free: Vec<Entity>,
    indices: u32,
    pub(crate) total: Option<u64>,
}

/// A command as the model sees it.
enum Command {
    Give(u8, u32),
    Remove(u8),
    Despawn,
}

/// What the queue is told for an operation; a spawn brings more for its own entity.
fn commands_of(operation: &Operation, spawned: Entity) -> Vec<(Entity, Command)> {
    match *operation {
        Operation::Spawn(shape, value) => {
            let mut all = vec![(spawned, Command::Give(bits(shape), value))];
            let more = after_spawn(value);
            all.extend(
                more.named
                    .map(|value| (spawned, Command::Give(1 << NAMED, value))),
            );
            all.extend(
                more.without_num
                    .then_some((spawned, Command::Remove(1 << NUM))),
            );
            all.extend(more.despawned.then_some((spawned, Command::Despawn)));
            all
        }
        Operation::Insert(entity, shape, value) => {
            vec![(entity, Command::Give(bits(shape), value))]
        }
        Operation::Remove(entity, shape) => vec![(entity, Command::Remove(bits(shape)))],
        Operation::Despawn(entity) => vec![(entity, Command::Despawn)],
        _ => unreachable!("the generator queues only these"),
    }
}

fn kinds_of(row: &Row) -> u8 {
    (0..KINDS).fold(0, |bits, kind| bits | u8::from(row[kind].is_some()) << kind)
}

fn fill(row: &mut Row, kinds: u8, value: u32) {
    for (kind, place) in row.iter_mut().enumerate() {
        if kinds >> kind & 1 == 1 {
            *place = Some(if kind == GHOST { 0 } else { value });
        }
    }
}

impl Model {
    pub(crate) fn new() -> Self {
        let mut model = Self::default();
        model.archetype(0);
        model
    }

    fn archetype(&mut self, kinds: u8) -> usize {
        let next = self.archetypes.len();
        let at = *self.by_kinds.entry(kinds).or_insert(next);
        if at == next {
            self.archetypes.push((kinds, Vec::new()));
        }
        at
    }

    fn handle(&mut self) -> Entity {
        self.free.pop().unwrap_or_else(|| {
            self.indices += 1;
            Entity::from_bits(u64::from(self.indices - 1) | 1 << 32).expect("generation 1")
        })
    }

    fn place(&mut self, entity: Entity, kinds: u8, value: u32) {
        let mut row = Row::default();
        fill(&mut row, kinds, value);
        let at = self.archetype(kinds);
        self.archetypes[at].1.push(entity);
        self.rows.insert(entity, row);
    }

    fn spawn(&mut self, shape: usize, value: u32) -> Entity {
        let entity = self.handle();
        self.place(entity, bits(shape), value);
        entity
    }

    fn leave(&mut self, entity: Entity, kinds: u8) {
        let at = self.by_kinds[&kinds];
        let list = &mut self.archetypes[at].1;
        let row = list.iter().position(|&other| other == entity);
        list.swap_remove(row.expect("every entity is in its archetype"));
    }

    fn despawn(&mut self, entity: Entity) -> bool {
        let Some(row) = self.rows.remove(&entity) else {
            return false;
        };
        self.leave(entity, kinds_of(&row));
        self.release(entity);
        true
    }

    fn release(&mut self, entity: Entity) {
        let next = entity.to_bits() + (1 << 32);
        self.free
            .push(Entity::from_bits(next).expect("few generations"));
    }

    /// Changes an entity's row and moves it if its kinds change.
    fn change(&mut self, entity: Entity, new: Row) {
        let old = self
            .rows
            .insert(entity, new)
            .expect("the caller looked it up");
        if kinds_of(&old) != kinds_of(&new) {
            self.leave(entity, kinds_of(&old));
            let at = self.archetype(kinds_of(&new));
            self.archetypes[at].1.push(entity);
        }
    }

    fn insert(&mut self, entity: Entity, shape: usize, value: u32) -> bool {
        let Some(mut row) = self.rows.get(&entity).copied() else {
            return false;
        };
        fill(&mut row, bits(shape), value);
        self.change(entity, row);
        true
    }

    fn remove(&mut self, entity: Entity, kinds: u8) -> Row {
        let (mut row, mut gone) = (self.rows[&entity], Row::default());
        for kind in (0..KINDS).filter(|kind| kinds >> kind & 1 == 1) {
            gone[kind] = row[kind].take();
        }
        self.change(entity, row);
        gone
    }

    fn add(&mut self, needed: u8, kinds: u8, more: u32) {
        for row in self.rows.values_mut() {
            if kinds_of(row) & needed != needed {
                continue;
            }
            for kind in (0..KINDS).filter(|kind| kinds >> kind & 1 == 1) {
                row[kind] = row[kind].map(|value| wrap(value + more));
            }
        }
    }

    pub(crate) fn run(&mut self, operation: &Operation) -> Answer {
        match *operation {
            Operation::Spawn(shape, value) => Answer {
                entities: vec![self.spawn(shape, value)],
                ..Answer::of(true)
            },
            Operation::SpawnBatch(shape, ref values) => {
                self.archetype(bits(shape));
                let all = values.iter().map(|&value| self.spawn(shape, value));
                let mut all: Vec<Entity> = all.collect();
                all.truncate(values.len() / 2);
                Answer {
                    entities: all,
                    ..Answer::of(true)
                }
            }
            Operation::Despawn(entity) => Answer::of(self.despawn(entity)),
            Operation::Insert(entity, shape, value) => {
                Answer::of(self.insert(entity, shape, value))
            }
            Operation::Remove(entity, shape) => {
                let lives = self.rows.contains_key(&entity);
                Answer::of(lives && self.remove(entity, bits(shape)) != Row::default())
            }
            Operation::Take(entity, shape) => {
                let kinds = bits(shape);
                let row = self.rows.get(&entity);
                if row.is_none_or(|row| kinds_of(row) & kinds != kinds) {
                    return Answer::default();
                }
                Answer {
                    taken: self.remove(entity, kinds),
                    ..Answer::of(true)
                }
            }
            Operation::Write(entity, value) => Answer::of(self.write(entity, value)),
            Operation::AddRows(more) | Operation::AddChunks(more) => {
                self.add(1 << NUM | 1 << POS, 1 << NUM, more);
                Answer::of(true)
            }
            Operation::AddFields(more) => {
                self.add(1 << PARTS, 1 << PARTS | 1 << NAMED, more);
                Answer::of(true)
            }
            Operation::SetTotal(total) => Answer::of(self.total.replace(total + 1).is_some()),
            Operation::InsertWhere(filter, shape, value) => {
                Answer::counted(self.insert_where(filter, bits(shape), value))
            }
            Operation::RemoveWhere(filter, shape) => {
                Answer::counted(self.remove_where(filter, bits(shape)))
            }
            Operation::DespawnWhere(filter) => Answer::counted(self.despawn_where(filter)),
            Operation::SpawnColumns(ref values) => Answer {
                entities: self.spawn_columns(values),
                ..Answer::of(true)
            },
            Operation::SpawnAt(entity, shape, value) => {
                Answer::of(self.spawn_at(entity, bits(shape), value))
            }
            Operation::Clear => {
                self.clear();
                Answer::of(true)
            }
            Operation::Commands(ref list) => self.commands(list),
            Operation::Blocks(shape, salt) => self.commands(&self.asked_by_blocks(shape, salt)),
        }
    }

    /// In the order of archetypes and rows, which is that of the blocks.
    fn asked_by_blocks(&self, shape: usize, salt: u32) -> Vec<Operation> {
        let entities = self.archetypes.iter().flat_map(|(_, list)| list);
        let asked = entities.filter_map(|&entity| {
            let num = self.rows[&entity][NUM]?;
            Some(asked_by_block(entity, num, shape, salt))
        });
        let something = |asked: &Operation| !matches!(asked, Operation::Commands(_));
        asked.filter(something).collect()
    }

    /// Archetypes that pass a filter and have entities, in order of creation.
    fn matching(&self, filter: usize) -> Vec<usize> {
        let all = self.archetypes.iter().enumerate();
        let matching = all.filter(|(_, (kinds, list))| passes(filter, *kinds) && !list.is_empty());
        matching.map(|(at, _)| at).collect()
    }

    fn insert_where(&mut self, filter: usize, inserted: u8, value: u32) -> usize {
        let mut count = 0;
        // Targets come into being in the order of the sources.
        for at in self.matching(filter) {
            let (kinds, list) = self.archetypes[at].clone();
            count += list.len();
            self.archetype(kinds | inserted);
            for &entity in &list {
                let row = self.rows.get_mut(&entity).expect("it lives");
                fill(row, inserted, value);
            }
        }
        for at in self.matching(filter) {
            let target = self.archetypes[at].0 | inserted;
            self.move_all(at, target);
        }
        count
    }

    fn remove_where(&mut self, filter: usize, removed: u8) -> usize {
        let mut count = 0;
        for at in self.matching(filter) {
            let (kinds, list) = self.archetypes[at].clone();
            self.archetype(kinds & !removed);
            if kinds & removed == 0 {
                continue;
            }
            count += list.len();
            for entity in list {
                let row = self.rows.get_mut(&entity).expect("it lives");
                (0..KINDS)
                    .filter(|kind| removed >> kind & 1 == 1)
                    .for_each(|kind| row[kind] = None);
            }
            self.move_all(at, kinds & !removed);
        }
        count
    }

    fn move_all(&mut self, at: usize, kinds: u8) {
        let target = self.by_kinds[&kinds];
        if target != at {
            let moved = std::mem::take(&mut self.archetypes[at].1);
            self.archetypes[target].1.extend(moved);
        }
    }

    fn despawn_where(&mut self, filter: usize) -> usize {
        let mut count = 0;
        for at in self.matching(filter) {
            for entity in std::mem::take(&mut self.archetypes[at].1) {
                self.rows.remove(&entity);
                self.release(entity);
                count += 1;
            }
        }
        count
    }

    fn spawn_at(&mut self, entity: Entity, kinds: u8, value: u32) -> bool {
        let living = self
            .rows
            .keys()
            .copied()
            .find(|other| other.index() == entity.index());
        let free = self
            .free
            .iter()
            .copied()
            .find(|other| other.index() == entity.index());
        let unused = living.map(|living| living.generation() + 1);
        let unused = unused.or(free.map(Entity::generation)).unwrap_or(1);
        if entity.generation() < unused {
            return false;
        }
        if let Some(living) = living {
            self.despawn(living);
        }
        while self.indices <= entity.index() {
            let bits = u64::from(self.indices) | 1 << 32;
            self.free
                .push(Entity::from_bits(bits).expect("generation 1"));
            self.indices += 1;
        }
        self.free.retain(|other| other.index() != entity.index());
        self.place(entity, kinds, value);
        true
    }

    fn write(&mut self, entity: Entity, value: u32) -> bool {
        let mut any = false;
        for kind in [NUM, POS, NAMED, PARTS] {
            let row = self.rows.get_mut(&entity);
            if let Some(place) = row.and_then(|row| row[kind].as_mut()) {
                *place = value;
                any = true;
            }
        }
        any
    }

    fn spawn_columns(&mut self, values: &[u32]) -> Vec<Entity> {
        let kinds = 1 << NUM | 1 << NAMED;
        self.archetype(kinds);
        let each = values.iter().map(|&value| {
            let entity = self.handle();
            self.place(entity, kinds, value);
            entity
        });
        each.collect()
    }

    fn clear(&mut self) {
        let living = std::mem::take(&mut self.rows);
        living.into_keys().for_each(|entity| self.release(entity));
        self.archetypes
            .iter_mut()
            .for_each(|(_, list)| list.clear());
    }

    /// A visit of an entity with a component that the model has no number for.
    pub(crate) fn spawn_and_despawn(&mut self) {
        let entity = self.handle();
        // Its archetype is made the first time, and stays empty.
        self.archetype(1 << KINDS);
        self.release(entity);
    }

    /// Handles are given out first, all of them; then what is asked of each entity is done at
    /// once, entities in the order in which they are first spoken of.
    fn commands(&mut self, list: &[Operation]) -> Answer {
        let is_spawn = |one: &&Operation| matches!(one, Operation::Spawn(..));
        let spawns = list.iter().filter(is_spawn).map(|_| self.handle());
        let entities: Vec<Entity> = spawns.collect();
        let mut next = entities.iter();
        let mut groups: Vec<(Entity, Vec<Command>)> = Vec::new();
        for operation in list {
            let spawned = match operation {
                Operation::Spawn(..) => *next.next().expect("one for each spawn"),
                _ => Entity::NONE,
            };
            for (entity, command) in commands_of(operation, spawned) {
                match groups.iter_mut().find(|(other, _)| *other == entity) {
                    Some((_, group)) => group.push(command),
                    None => groups.push((entity, vec![command])),
                }
            }
        }
        let mut missed = 0;
        for (entity, group) in groups {
            missed += self.do_group(entity, &group, entities.contains(&entity));
        }
        Answer {
            entities: entities
                .into_iter()
                .filter(|entity| self.rows.contains_key(entity))
                .collect(),
            missed,
            ..Answer::of(true)
        }
    }

    fn do_group(&mut self, entity: Entity, group: &[Command], is_new: bool) -> u64 {
        if !is_new && !self.rows.contains_key(&entity) {
            return group.len() as u64;
        }
        let mut row = self.rows.get(&entity).copied().unwrap_or_default();
        for (at, command) in group.iter().enumerate() {
            match *command {
                Command::Give(kinds, value) => fill(&mut row, kinds, value),
                Command::Remove(kinds) => {
                    let gone = (0..KINDS).filter(|kind| kinds >> kind & 1 == 1);
                    gone.for_each(|kind| row[kind] = None);
                }
                Command::Despawn => {
                    if is_new {
                        self.release(entity);
                    } else {
                        self.despawn(entity);
                    }
                    return (group.len() - at - 1) as u64;
                }
            }
        }
        if is_new {
            let at = self.archetype(kinds_of(&row));
            self.archetypes[at].1.push(entity);
            self.rows.insert(entity, row);
        } else {
            // Its archetype is made even where nothing moves.
            self.archetype(kinds_of(&row));
            self.change(entity, row);
        }
        0
    }

    /// Compares everything a world can be asked for.
    pub(crate) fn check(&self, world: &mut World, dead: &[Entity]) {
        assert_eq!(world.len(), self.rows.len());
        for &entity in dead.iter().filter(|entity| !self.rows.contains_key(entity)) {
            assert!(!world.contains(entity) && world.get::<Num>(entity).is_none());
        }
        let total = world.get_resource::<Total>().map(|total| total.0);
        assert_eq!(total, self.total);
        let order = self.archetypes.iter().flat_map(|(_, list)| list).copied();
        let all: Vec<Entity> = world.query::<Entity>().iter(world).collect();
        assert!(order.eq(all), "entities come in another order");
        for (&entity, &row) in &self.rows {
            assert_eq!(read(world, entity), row, "of {entity}");
            assert_eq!(world.entity_at(entity.index()), Some(entity));
        }
        let names = world.query::<(Entity, &Named)>();
        let (mut names, mut count) = (names, 0);
        for (entity, named) in names.iter(world) {
            assert_eq!(Some(named.number()), self.rows[&entity][NAMED]);
            count += 1;
        }
        let expected = self
            .rows
            .values()
            .filter(|row| row[NAMED].is_some())
            .count();
        assert_eq!(count, expected);
    }

    pub(crate) fn named(&self) -> i64 {
        self.rows
            .values()
            .filter(|row| row[NAMED].is_some())
            .count() as i64
    }

    pub(crate) fn wide(&self) -> usize {
        self.rows.values().filter(|row| row[WIDE].is_some()).count()
    }
}

fn read(world: &World, entity: Entity) -> Row {
    let mut row = Row::default();
    let mut put = |kind, value| row[kind] = Some(value);
    if let Some(num) = world.get::<Num>(entity) {
        num.read(&mut put);
    }
    if let Some(pos) = world.get::<Pos>(entity) {
        pos.read(&mut put);
    }
    if let Some(named) = world.get::<Named>(entity) {
        named.read(&mut put);
    }
    if let Some(ghost) = world.get::<Spirit>(entity) {
        ghost.read(&mut put);
    }
    if let Some(parts) = world.read::<Parts>(entity) {
        parts.read(&mut put);
    }
    if let Some(wide) = world.get::<Wide>(entity) {
        wide.read(&mut put);
    }
    row
}

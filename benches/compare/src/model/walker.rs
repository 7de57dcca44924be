//! One engine on its walk: what it is asked to do, and what it is compared for.

use std::collections::BTreeSet;

use super::components::{Alive, alive};
use super::engine::{Command, Engine, QUERIES};
use super::plain::{Answer, Name, Operation, Plain};

/// Handles of dead entities that are kept to be asked for again.
pub(crate) const DEAD_KEPT: usize = 256;

/// An engine, and the handles under which it knows the entities of the model.
pub(crate) struct Walker {
    engine: Box<dyn Engine>,
    handles: Vec<u64>,
    living: BTreeSet<u64>,
    dead: Vec<u64>,
    alive: Alive,
    pub(crate) differences: Vec<String>,
}

impl Walker {
    pub(crate) fn new(engine: Box<dyn Engine>) -> Self {
        Self {
            engine,
            handles: Vec::new(),
            living: BTreeSet::new(),
            dead: Vec::new(),
            alive: Alive::default(),
            differences: Vec::new(),
        }
    }

    fn differ(&mut self, number: usize, what: String) {
        let name = self.engine.name();
        self.differences
            .push(format!("{name}, operation {number}: {what}"));
    }

    /// Does an operation and compares the answer.
    pub(crate) fn step(
        &mut self,
        number: usize,
        operation: &Operation,
        expected: Answer,
        gone: &[Name],
    ) {
        let (answer, spawned) = self.run(operation);
        if answer != expected {
            let what = format!("{operation:?} gave {answer:?}, expected {expected:?}");
            self.differ(number, what);
        }
        // The names of the model go on, whatever the engine did.
        let mut spawned = spawned;
        spawned.resize(expected.spawned, 0);
        self.meet(number, spawned);
        gone.iter().for_each(|&name| self.bury(name));
        if matches!(operation, Operation::Clear) {
            self.forget_dead();
        }
    }

    /// Does an operation, and counts what is dropped meanwhile.
    fn run(&mut self, operation: &Operation) -> (Answer, Vec<u64>) {
        let before = alive();
        let (answer, spawned) = self.answer(operation);
        let after = alive();
        self.alive.named += after.named - before.named;
        self.alive.spirits += after.spirits - before.spirits;
        self.alive.dropped_twice += after.dropped_twice - before.dropped_twice;
        let spawned_count = spawned.len();
        let answer = Answer {
            spawned: spawned_count,
            ..answer
        };
        (answer, spawned)
    }

    fn answer(&mut self, operation: &Operation) -> (Answer, Vec<u64>) {
        let (engine, handles) = (&mut self.engine, &self.handles);
        let worked = |worked| Answer {
            worked,
            ..Answer::default()
        };
        let row = |row| Answer {
            row,
            ..Answer::default()
        };
        let answer = match *operation {
            Operation::Spawn { shape, value } => {
                return (Answer::default(), vec![engine.spawn(shape, value)]);
            }
            Operation::SpawnBatch { shape, ref values } => {
                return (Answer::default(), engine.spawn_batch(shape, values));
            }
            Operation::SpawnColumns { ref values } => {
                return (Answer::default(), engine.spawn_columns(values));
            }
            Operation::Commands(ref list) => {
                let list: Vec<Command> = list.iter().map(|one| command(one, handles)).collect();
                return (Answer::default(), engine.commands(&list));
            }
            Operation::Despawn { name } => worked(engine.despawn(handles[name])),
            Operation::Insert { name, shape, value } => {
                worked(engine.insert(handles[name], shape, value))
            }
            Operation::Remove { name, shape } => worked(engine.remove(handles[name], shape)),
            Operation::Take { name, shape } => row(engine.take(handles[name], shape)),
            Operation::Read { name } => row(engine.read(handles[name])),
            Operation::Write { name, value } => worked(engine.write(handles[name], value)),
            Operation::Bulk { change, value } => {
                engine.bulk(change, value);
                Answer::default()
            }
            Operation::Add { more } => {
                engine.add(more);
                Answer::default()
            }
            Operation::Clear => {
                engine.clear();
                Answer::default()
            }
        };
        (answer, Vec::new())
    }

    /// Remembers new handles, none of which may be one that lives or is known to be dead.
    fn meet(&mut self, number: usize, spawned: Vec<u64>) {
        for handle in spawned {
            if !self.living.insert(handle) || self.dead.contains(&handle) {
                self.differ(number, format!("handle {handle:#x} was given out twice"));
            }
            self.handles.push(handle);
        }
    }

    /// Forgets what a `clear` ended, where the same handles may come again.
    fn forget_dead(&mut self) {
        if !self.engine.clear_ends_handles() {
            self.dead.clear();
        }
    }

    /// Drops the engine, and with it every value that is left.
    pub(crate) fn finish(self, number: usize) -> Vec<String> {
        let Self {
            engine,
            alive: held,
            mut differences,
            ..
        } = self;
        let (name, before) = (engine.name(), alive());
        drop(engine);
        let after = alive();
        let left = held.named + after.named - before.named;
        let spirits = held.spirits + after.spirits - before.spirits;
        let twice = after.dropped_twice - before.dropped_twice;
        if (left, spirits, twice) != (0, 0, 0) {
            let what = format!("{left} and {spirits} values left, {twice} dropped twice");
            differences.push(format!("{name}, dropped after operation {number}: {what}"));
        }
        differences
    }

    /// Forgets an entity of the model that is gone.
    fn bury(&mut self, name: Name) {
        let handle = self.handles[name];
        self.living.remove(&handle);
        let at = name % DEAD_KEPT;
        match self.dead.get_mut(at) {
            Some(place) => *place = handle,
            None => self.dead.push(handle),
        }
    }

    /// Compares what an operation left behind.
    pub(crate) fn check_one(&mut self, number: usize, model: &Plain, touched: Option<Name>) {
        if self.engine.len() != model.rows.len() {
            let (found, expected) = (self.engine.len(), model.rows.len());
            self.differ(number, format!("{found} entities, expected {expected}"));
        }
        if self.alive != model.alive {
            let (found, expected) = (self.alive, model.alive);
            self.differ(number, format!("{found:?}, expected {expected:?}"));
        }
        if let Some(name) = touched {
            self.check_row(number, model, name);
        }
    }

    fn check_row(&mut self, number: usize, model: &Plain, name: Name) {
        let found = self.engine.read(self.handles[name]);
        let expected = model.rows.get(&name).copied();
        if found != expected {
            let what = format!("entity {name} is {found:?}, expected {expected:?}");
            self.differ(number, what);
        }
    }

    /// Compares everything.
    pub(crate) fn check_all(&mut self, number: usize, model: &Plain) {
        for &name in model.rows.keys() {
            self.check_row(number, model, name);
        }
        for at in 0..self.dead.len() {
            let handle = self.dead[at];
            if let Some(row) = self.engine.read(handle) {
                self.differ(number, format!("dead {handle:#x} is {row:?}"));
            }
        }
        for query in 0..QUERIES.len() {
            let mut found = self.engine.visit(query);
            found.sort_unstable();
            let expected = model.visit(query);
            let expected = expected.map(|(name, row)| (self.handles[name], row));
            let mut expected: Vec<_> = expected.collect();
            expected.sort_unstable();
            if found != expected {
                let (found, expected) = (found.len(), expected.len());
                let what = format!("query {query}: other rows; {found}, expected {expected}");
                self.differ(number, what);
            }
        }
    }
}

fn command(operation: &Operation, handles: &[u64]) -> Command {
    match *operation {
        Operation::Spawn { shape, value } => Command::Spawn { shape, value },
        Operation::Insert { name, shape, value } => Command::Insert {
            entity: handles[name],
            shape,
            value,
        },
        Operation::Remove { name, shape } => Command::Remove {
            entity: handles[name],
            shape,
        },
        Operation::Despawn { name } => Command::Despawn {
            entity: handles[name],
        },
        ref other => unreachable!("the generator queues no {other:?}"),
    }
}

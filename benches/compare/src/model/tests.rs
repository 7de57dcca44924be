//! A short walk, and walks with an engine that errs on purpose: each error must be found.

use super::components::{Named, Row, Spirit, alive};
use super::engine::{Bulk, Command, Engine};
use super::ours::Ours;
use super::walk::walk;
use super::{Plan, engines, run};

const PLAN: Plan = Plan {
    operations: 20_000,
    seed: 0x0bed_5eed,
};

#[test]
fn twenty_thousand_random_operations_leave_three_engines_and_the_model_alike() {
    let mut tenths = 0;
    let outcome = run(&PLAN, &mut |_| tenths += 1);
    assert_eq!(outcome.engines, ["orrery_ecs", "hecs", "bevy_ecs"]);
    assert_eq!(outcome.differences, Vec::<String>::new());
    assert_eq!((outcome.operations, tenths), (20_000, 10));
}

#[test]
fn every_engine_is_asked_for_dead_handles_and_for_missing_components() {
    for mut engine in engines() {
        let name = engine.name();
        let (one, other) = (engine.spawn(0, 1), engine.spawn(3, 2));
        assert!(engine.despawn(one) && !engine.despawn(one), "{name}");
        assert!(!engine.insert(one, 0, 3) && !engine.write(one, 3), "{name}");
        assert!(
            !engine.remove(one, 0) && engine.take(one, 0).is_none(),
            "{name}"
        );
        assert!(engine.read(one).is_none() && engine.read(other).is_some());
        assert!(!engine.remove(other, 5), "{name} lacks it");
        assert!(engine.take(other, 2).is_none(), "{name} has only a part");
        assert!(engine.remove(other, 2), "{name} has a part");
        assert_eq!(engine.read(other), Some(Row::default()), "{name}");
    }
}

/// What an engine does wrong.
#[derive(Clone, Copy, Debug)]
enum Error {
    /// Every so many removes do nothing.
    SwallowRemove(usize),
    /// Every so many look-ups tell another number.
    Misread(usize),
    /// Every so many spawns leave a value that nobody drops.
    Leak(usize),
    /// A despawned entity is despawned, but its handle answers on.
    Revive,
}

/// Our engine with an error.
struct Erring {
    inner: Ours,
    error: Error,
    calls: std::cell::Cell<usize>,
    last_dead: Option<u64>,
}

impl Erring {
    fn errs(&self, every: usize) -> bool {
        self.calls.set(self.calls.get() + 1);
        self.calls.get().is_multiple_of(every)
    }
}

impl Engine for Erring {
    fn name(&self) -> &'static str {
        "erring"
    }

    fn len(&self) -> usize {
        self.inner.len()
    }

    fn spawn(&mut self, shape: usize, value: u32) -> u64 {
        if let Error::Leak(every) = self.error
            && self.errs(every)
        {
            std::mem::forget((Named::new(value), Spirit::new()));
        }
        self.inner.spawn(shape, value)
    }

    fn spawn_batch(&mut self, shape: usize, values: &[u32]) -> Vec<u64> {
        self.inner.spawn_batch(shape, values)
    }

    fn despawn(&mut self, entity: u64) -> bool {
        let lived = self.inner.despawn(entity);
        if lived {
            self.last_dead = Some(entity);
        }
        lived
    }

    fn insert(&mut self, entity: u64, shape: usize, value: u32) -> bool {
        self.inner.insert(entity, shape, value)
    }

    fn remove(&mut self, entity: u64, shape: usize) -> bool {
        match self.error {
            Error::SwallowRemove(every) if self.errs(every) => true,
            _ => self.inner.remove(entity, shape),
        }
    }

    fn take(&mut self, entity: u64, shape: usize) -> Option<Row> {
        self.inner.take(entity, shape)
    }

    fn read(&self, entity: u64) -> Option<Row> {
        match self.error {
            Error::Misread(every) if self.errs(every) => {
                let row = self.inner.read(entity)?;
                Some(row.map(|value| value.map(|value| value + 1)))
            }
            Error::Revive if self.last_dead == Some(entity) => Some(Row::default()),
            _ => self.inner.read(entity),
        }
    }

    fn write(&mut self, entity: u64, value: u32) -> bool {
        self.inner.write(entity, value)
    }

    fn add(&mut self, more: u32) {
        self.inner.add(more);
    }

    fn visit(&mut self, query: usize) -> Vec<(u64, Row)> {
        self.inner.visit(query)
    }

    fn spawn_columns(&mut self, values: &[u32]) -> Vec<u64> {
        self.inner.spawn_columns(values)
    }

    fn bulk(&mut self, change: Bulk, value: u32) {
        self.inner.bulk(change, value);
    }

    fn clear(&mut self) {
        self.inner.clear();
    }

    fn clear_ends_handles(&self) -> bool {
        self.inner.clear_ends_handles()
    }

    fn commands(&mut self, commands: &[Command]) -> Vec<u64> {
        self.inner.commands(commands)
    }
}

#[test]
fn an_error_of_an_engine_is_found_and_no_other_is_blamed() {
    for error in [
        Error::SwallowRemove(1_000),
        Error::Misread(10_000),
        Error::Leak(1_000),
        Error::Revive,
    ] {
        let erring = Erring {
            inner: Ours::default(),
            error,
            calls: std::cell::Cell::new(0),
            last_dead: None,
        };
        let engines: Vec<Box<dyn Engine>> = vec![Box::new(erring), Box::new(Ours::default())];
        let outcome = walk(engines, &PLAN, &mut |_| ());
        assert!(!outcome.differences.is_empty(), "{error:?} was not found");
        for difference in &outcome.differences {
            assert!(difference.starts_with("erring"), "{error:?}: {difference}");
        }
    }
}

#[test]
fn the_ledger_sees_a_value_that_is_dropped_twice() {
    let before = alive();
    // Two values of one number are what a second drop of the same bytes looks like.
    let named = Named::new(1);
    let again = named.same_number();
    drop((named, again));
    assert_eq!(alive().dropped_twice, before.dropped_twice + 1);
}

//! The random walk: draws operations, does each to the model and to all engines, compares.

use orrery_math::{Draws, Random};

use super::engine::{Bulk, Engine, wrap};
use super::plain::{Name, Operation, Plain};
use super::shapes::SHAPES;
use super::walker::{DEAD_KEPT, Walker};

/// How long a walk is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub(crate) operations: usize,
    pub(crate) seed: u64,
}

/// What a walk found.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    pub(crate) engines: Vec<&'static str>,
    pub(crate) operations: usize,
    /// The first differences of each engine.
    pub(crate) differences: Vec<String>,
}

/// An engine that differs so often is asked no more: what follows would say nothing new.
const DIFFERENCES_MAX: usize = 10;

/// Living entities at which the walk despawns more than it spawns.
const POPULATION: usize = 400;

/// Operations from one comparison of everything to the next.
const CHECK_EVERY: usize = 256;

/// What the random numbers of this file are for.
const PURPOSE: u32 = 1;

/// Draws operations that fit the model as it is.
#[derive(Default)]
struct Generator {
    living: Vec<Name>,
    dead: Vec<Name>,
}

impl Generator {
    /// Mostly a living entity, sometimes one that is dead by now.
    fn name(&self, draws: &mut Draws) -> Option<Name> {
        let pick = |list: &[Name], draws: &mut Draws| {
            let count = u32::try_from(list.len()).expect("there are few entities");
            (count > 0).then(|| list[draws.below(count) as usize])
        };
        if draws.below(16) == 0 && !self.dead.is_empty() {
            return pick(&self.dead, draws);
        }
        pick(&self.living, draws)
    }

    /// An operation that can be a command as well.
    fn simple(&self, draws: &mut Draws) -> Operation {
        let (shape, value) = (shape(draws), value(draws));
        let full = self.living.len() > POPULATION;
        match (draws.below(10), self.name(draws)) {
            (0..=3, _) if !full => Operation::Spawn { shape, value },
            (0..=2, Some(name)) => Operation::Despawn { name },
            (..=6, Some(name)) => Operation::Insert { name, shape, value },
            (_, Some(name)) => Operation::Remove { name, shape },
            (_, None) => Operation::Spawn { shape, value },
        }
    }

    fn operation(&self, draws: &mut Draws) -> Operation {
        let (shape, value) = (shape(draws), value(draws));
        match (draws.below(2_000), self.name(draws)) {
            (0, _) if draws.below(10) == 0 => Operation::Clear,
            (0..10, _) => Operation::Add { more: value },
            (10..40, _) if self.living.len() < POPULATION => {
                let count = draws.below(40);
                let values = (0..count).map(|_| wrap(draws.next_u32())).collect();
                match draws.below(3) {
                    0 => Operation::SpawnColumns { values },
                    _ => Operation::SpawnBatch { shape, values },
                }
            }
            (40..90, _) => {
                let count = 1 + draws.below(12);
                Operation::Commands((0..count).map(|_| self.simple(draws)).collect())
            }
            (90..100, _) => Operation::Bulk {
                change: [Bulk::Insert, Bulk::Remove, Bulk::Despawn][draws.below(3) as usize],
                value,
            },
            (100..400, Some(name)) => Operation::Take { name, shape },
            (400..600, Some(name)) => Operation::Read { name },
            (600..900, Some(name)) => Operation::Write { name, value },
            _ => self.simple(draws),
        }
    }

    /// Takes notice of what an operation did to the model.
    fn follow(&mut self, model: &Plain, gone: &[Name], cleared: bool, spawned: usize) {
        self.living.extend(model.next - spawned..model.next);
        if gone.is_empty() {
            return;
        }
        self.living.retain(|name| model.rows.contains_key(name));
        for &name in gone {
            match self.dead.get_mut(name % DEAD_KEPT) {
                Some(place) => *place = name,
                None => self.dead.push(name),
            }
        }
        if cleared {
            // Some engines give the handles of before a `clear` to others.
            self.dead.clear();
        }
    }
}

fn shape(draws: &mut Draws) -> usize {
    draws.below(SHAPES as u32) as usize
}

fn value(draws: &mut Draws) -> u32 {
    wrap(draws.next_u32())
}

/// The entity whose row is compared after an operation.
fn touched(operation: &Operation, model: &Plain) -> Option<Name> {
    match *operation {
        Operation::Despawn { name }
        | Operation::Insert { name, .. }
        | Operation::Remove { name, .. }
        | Operation::Take { name, .. }
        | Operation::Read { name }
        | Operation::Write { name, .. } => Some(name),
        Operation::Spawn { .. } => Some(model.next - 1),
        Operation::SpawnBatch { .. } | Operation::SpawnColumns { .. } | Operation::Commands(_) => {
            model.next.checked_sub(1)
        }
        Operation::Bulk { .. } | Operation::Add { .. } | Operation::Clear => None,
    }
}

/// Walks with some engines; `progress` hears of every tenth of the operations.
pub(crate) fn walk(
    engines: Vec<Box<dyn Engine>>,
    plan: &Plan,
    progress: &mut dyn FnMut(usize),
) -> Outcome {
    let names = engines.iter().map(|engine| engine.name()).collect();
    let mut walkers: Vec<Walker> = engines.into_iter().map(Walker::new).collect();
    let (mut model, mut generator) = (Plain::default(), Generator::default());
    let random = Random::new(plan.seed);
    for number in 1..=plan.operations {
        let operation = generator.operation(&mut random.at(number as u64, 0, PURPOSE));
        let expected = model.run(&operation);
        let gone = std::mem::take(&mut model.gone);
        let cleared = matches!(operation, Operation::Clear);
        generator.follow(&model, &gone, cleared, expected.spawned);
        let touched = touched(&operation, &model);
        let large = cleared || matches!(operation, Operation::Bulk { .. });
        for walker in &mut walkers {
            if walker.differences.len() < DIFFERENCES_MAX {
                let everything = number % CHECK_EVERY == 0 || number == plan.operations || large;
                walker.step(number, &operation, expected, &gone);
                walker.check_one(number, &model, touched);
                if everything {
                    walker.check_all(number, &model);
                }
            }
        }
        if number % plan.operations.div_ceil(10) == 0 {
            progress(number);
        }
    }
    let finish = |walker: Walker| walker.finish(plan.operations);
    Outcome {
        engines: names,
        operations: plan.operations,
        differences: walkers.into_iter().flat_map(finish).collect(),
    }
}

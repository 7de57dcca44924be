//! The random walk itself.

use orrery_ecs::{Entity, World, WorldHash};

use super::operations::{Operation, run, wrap};
use super::plain::Model;
use super::shapes::{FILTERS, SHAPES, Spirit};
use crate::support::{Ledger, Lonely, Named, Random, SeedOnFailure};

/// Page-aligned values that live at once, at most: each row of them is a page.
const WIDE_AT_MOST: usize = 20;

/// Forks kept for later.
const KEPT: usize = 4;

pub(crate) struct Plan {
    pub(crate) seed: u64,
    pub(crate) operations: usize,
    pub(crate) population: usize,
    pub(crate) batch: usize,
    pub(crate) check_every: usize,
    pub(crate) fork_every: usize,
    pub(crate) shapes: &'static [usize],
    /// On which the world's blocks are visited; those of the twin are on one.
    pub(crate) threads: usize,
}

/// A world that is left alone, and what it must look like.
struct Kept {
    world: World,
    model: Model,
    hash: WorldHash,
}

struct Walk {
    random: Random,
    ledger: Ledger,
    world: World,
    twin: World,
    model: Model,
    kept: Vec<Kept>,
    living: Vec<Entity>,
    dead: Vec<Entity>,
}

impl Walk {
    fn new(seed: u64) -> Self {
        Self {
            random: Random::new(seed),
            ledger: Ledger::default(),
            world: World::new(),
            twin: World::new(),
            model: Model::new(),
            kept: Vec::new(),
            living: Vec::new(),
            dead: Vec::new(),
        }
    }

    /// Mostly a living handle, sometimes one that is dead by now.
    fn entity(&mut self) -> Option<Entity> {
        if self.random.one_in(16) && !self.dead.is_empty() {
            return Some(self.dead[self.random.below(self.dead.len())]);
        }
        let count = self.living.len();
        (count > 0).then(|| self.living[self.random.below(count)])
    }

    fn value(&mut self) -> u32 {
        wrap(self.random.next() as u32)
    }

    fn shape(&mut self, plan: &Plan) -> usize {
        let shape = plan.shapes[self.random.below(plan.shapes.len())];
        if shape == SHAPES - 1 && self.model.wide() >= WIDE_AT_MOST {
            return 1;
        }
        shape
    }

    fn simple(&mut self, plan: &Plan) -> Operation {
        let (shape, value) = (self.shape(plan), self.value());
        let full = self.living.len() > plan.population;
        let entity = self.entity();
        match (self.random.below(10), entity) {
            (0..=3, _) if !full => Operation::Spawn(shape, value),
            (0..=2, Some(entity)) => Operation::Despawn(entity),
            (..=6, Some(entity)) => Operation::Insert(entity, shape, value),
            (_, Some(entity)) => Operation::Remove(entity, shape),
            _ => Operation::Spawn(shape, value),
        }
    }

    fn operation(&mut self, plan: &Plan) -> Operation {
        let (shape, value) = (self.shape(plan), self.value());
        let entity = self.entity();
        match (self.random.below(2000), entity) {
            (0, _) if self.random.one_in(10) => Operation::Clear,
            (0..10, _) => Operation::SetTotal(self.random.next() % 1000),
            (10..14, _) => Operation::AddRows(value),
            (14..18, _) => Operation::AddChunks(value),
            (18..20, _) => Operation::AddFields(value),
            (20..60, _) if self.living.len() < plan.population && shape != SHAPES - 1 => {
                let count = self.random.below(plan.batch);
                Operation::SpawnBatch(shape, (0..count).map(|_| self.value()).collect())
            }
            (60..100, _) => {
                let count = 1 + self.random.below(12);
                Operation::Commands((0..count).map(|_| self.simple(plan)).collect())
            }
            (100, _) if self.random.one_in(4) => {
                Operation::DespawnWhere(self.random.below(FILTERS))
            }
            // The page-aligned component is not for everybody.
            (101..106, _) if shape != SHAPES - 1 => {
                Operation::InsertWhere(self.random.below(FILTERS), shape, value)
            }
            (106..112, _) => Operation::RemoveWhere(self.random.below(FILTERS), shape),
            (112..122, _) if self.living.len() < plan.population => {
                let count = self.random.below(plan.batch);
                Operation::SpawnColumns((0..count).map(|_| self.value()).collect())
            }
            (122..140, Some(entity)) => {
                // Its own handle, a later generation, or an index beyond all others.
                let ahead = self.random.below(3) as u64;
                let beyond = if ahead == 2 {
                    self.random.below(5) as u64
                } else {
                    0
                };
                let bits = entity.to_bits() + (ahead << 32) + beyond;
                let entity = Entity::from_bits(bits).expect("few generations");
                Operation::SpawnAt(entity, shape, value)
            }
            (140..144, _) => Operation::Blocks(shape, value),
            (144..400, Some(entity)) => Operation::Take(entity, shape),
            (400..900, Some(entity)) => Operation::Write(entity, value),
            _ => self.simple(plan),
        }
    }

    fn step(&mut self, plan: &Plan) {
        let operation = self.operation(plan);
        if let Operation::Despawn(entity) = operation {
            let at = self.random.below(256);
            match self.dead.get_mut(at) {
                Some(place) => *place = entity,
                None => self.dead.push(entity),
            }
        }
        let answer = run(&mut self.world, &operation, &self.ledger, plan.threads);
        let twin = run(&mut self.twin, &operation, &self.ledger, 1);
        let model = self.model.run(&operation);
        assert_eq!(answer, model, "{operation:?}");
        assert_eq!(twin, model, "{operation:?}");
        self.living.extend(answer.entities);
        if let Operation::Despawn(entity) = operation {
            self.living.retain(|&other| other != entity);
        } else if self.living.len() != self.model.rows.len()
            || matches!(operation, Operation::SpawnAt(..))
        {
            self.living.clear();
            self.living.extend(self.model.rows.keys());
        }
    }

    fn fork(&mut self) {
        if self.random.one_in(4) {
            // A component that opted out keeps the world from being forked, by name.
            let entity = self.world.spawn(Lonely(1)).id();
            let error = self.world.fork().err().expect("Lonely is there");
            assert_eq!(error.names, [std::any::type_name::<Lonely>()]);
            self.world.despawn(entity).expect("it was just spawned");
            let entity = self.twin.spawn(Lonely(2)).id();
            self.twin.despawn(entity).expect("it was just spawned");
            self.model.spawn_and_despawn();
        }
        let mut other = self.world.fork().expect("nothing opted out");
        if self.random.one_in(2) {
            std::mem::swap(&mut self.world, &mut other);
        }
        let (model, hash) = (self.model.clone(), other.state_hash());
        self.kept.push(Kept {
            world: other,
            model,
            hash,
        });
        if self.kept.len() > KEPT {
            let at = self.random.below(self.kept.len());
            let kept = self.kept.swap_remove(at);
            self.finish(kept);
        }
    }

    /// A kept world is as it was; then it goes its own way, or is dropped at once.
    fn finish(&mut self, mut kept: Kept) {
        assert_eq!(kept.world.state_hash(), kept.hash);
        kept.model.check(&mut kept.world, &[]);
        let entities: Vec<Entity> = kept.model.rows.keys().copied().collect();
        match self.random.below(4) {
            0 => kept.world.clear(),
            1 => {
                for &entity in entities.iter().step_by(2) {
                    kept.world.despawn(entity).expect("it lives");
                }
            }
            2 => {
                for &entity in entities.iter().step_by(3) {
                    let named = Named::new(7, &self.ledger);
                    kept.world.insert(entity, named).expect("it lives");
                }
            }
            _ => {}
        }
    }

    fn check(&mut self) {
        self.model.check(&mut self.world, &self.dead);
        self.model.check(&mut self.twin, &self.dead);
        assert_eq!(self.world.state_hash(), self.twin.state_hash());
        if self.kept.is_empty() {
            assert_eq!(self.ledger.alive(), 2 * self.model.named());
        }
    }
}

/// Walks, and gives what counted the values and what the world was like in the end.
pub(crate) fn walk(plan: &Plan) -> (Ledger, WorldHash) {
    let _seed = SeedOnFailure(plan.seed);
    let mut walk = Walk::new(plan.seed);
    for number in 1..=plan.operations {
        walk.step(plan);
        if number % plan.fork_every == 0 {
            walk.fork();
        }
        if number % plan.check_every == 0 {
            walk.check();
        }
    }
    walk.check();
    while let Some(kept) = walk.kept.pop() {
        walk.finish(kept);
    }
    walk.check();
    (walk.ledger.clone(), walk.world.state_hash())
}

#[test]
fn a_million_random_operations_leave_world_twin_and_model_alike() {
    let (ledger, _) = walk(&Plan {
        seed: 0x0bed_5eed,
        operations: 1_000_000,
        population: 400,
        batch: 60,
        check_every: 2_000,
        fork_every: 300,
        shapes: &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
        threads: 2,
    });
    assert!(ledger.made() > 100_000);
    assert_eq!((ledger.alive(), Spirit::alive()), (0, 0));
}

#[test]
fn archetypes_of_several_blocks_stay_like_the_model() {
    let (ledger, _) = walk(&Plan {
        seed: 0xb10c_0000,
        operations: 12_000,
        population: 14_000,
        batch: 3_000,
        check_every: 1_500,
        fork_every: 150,
        shapes: &[2, 4, 7, 8],
        threads: 2,
    });
    assert_eq!(ledger.alive(), 0);
}

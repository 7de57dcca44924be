//! Runs a schedule in other orders that its constraints permit, and compares the states.

use orrery_ecs::{BlockRunner, ForkError, World, WorldHash};
use thiserror::Error;

use super::build::mixed;
use super::{Schedule, ScheduleError};

/// Two orders that the constraints permit and that give different states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShuffleDifference {
    /// The seed that gave the other order.
    pub seed: u64,
    /// After how many runs the states differed, from 1.
    pub run: u64,
    /// The systems in the order of adding, as far as constraints let them.
    pub order: Vec<&'static str>,
    /// The systems in the other order.
    pub other: Vec<&'static str>,
}

/// A shuffled schedule could not be compared, or gave something else.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ShuffleError {
    /// The world cannot be forked, so there is nothing to try orders on.
    #[error(transparent)]
    Fork(#[from] ForkError),
    /// The schedule did not run to its end.
    #[error(transparent)]
    Schedule(#[from] ScheduleError),
    /// An order gave something else.
    #[error(
        "after run {} the order {} gives another state than {} (seed {}): order them by before, \
         after or chain",
        .0.run, .0.other.join(", "), .0.order.join(", "), .0.seed
    )]
    Differs(Box<ShuffleDifference>),
}

impl Schedule {
    /// Chooses, by a seed, an order among all that the constraints permit, instead of the order of
    /// adding; `None` goes back to that.
    ///
    /// Where nothing is [ambiguous](Self::ambiguities) the result is the same.
    pub fn set_shuffled(&mut self, seed: Option<u64>) -> &mut Self {
        self.take_apart();
        self.seed = seed;
        self
    }

    /// Runs the schedule `runs` times on a fork of the world, once in the order of adding and
    /// `count` times in other orders that the constraints permit, and compares the state hash after
    /// each run. Gives the hash that all of them end with.
    ///
    /// # Errors
    /// When an order gives something else, the world cannot be forked, or a system fails.
    ///
    /// # Cost
    /// `count + 1` forks, each with `runs` runs.
    ///
    /// ```
    /// use orrery::ecs::{ResMut, Resource, Serial, World};
    /// use orrery::schedule::{IntoSystems, Schedule};
    /// #[derive(Clone, Default, Resource)]
    /// struct Score(u32);
    /// fn double(mut score: ResMut<Score>) {
    ///     score.0 *= 2;
    /// }
    /// fn add(mut score: ResMut<Score>) {
    ///     score.0 += 1;
    /// }
    /// let mut world = World::new();
    /// world.init_resource::<Score>();
    /// let mut schedule = Schedule::new("example");
    /// schedule.add_systems((double, add));
    /// let error = schedule.compare_orders(&world, &Serial, 20, 3).expect_err("it matters");
    /// assert!(error.to_string().contains("double"));
    /// ```
    pub fn compare_orders(
        &mut self,
        world: &World,
        runner: &dyn BlockRunner,
        count: u64,
        runs: u64,
    ) -> Result<WorldHash, ShuffleError> {
        let before = self.seed;
        let result = self.compare(world, runner, count, runs);
        self.set_shuffled(before);
        result
    }

    fn compare(
        &mut self,
        world: &World,
        runner: &dyn BlockRunner,
        count: u64,
        runs: u64,
    ) -> Result<WorldHash, ShuffleError> {
        let (expected, order) = self.hashes(world, runner, None, runs)?;
        for number in 0..count {
            let seed = mixed(0x5EED, number);
            let (got, other) = self.hashes(world, runner, Some(seed), runs)?;
            let differs = expected.iter().zip(&got).position(|(a, b)| a != b);
            if let Some(run) = differs {
                return Err(ShuffleError::Differs(Box::new(ShuffleDifference {
                    seed,
                    run: run as u64,
                    order,
                    other,
                })));
            }
        }
        Ok(expected[expected.len() - 1])
    }

    /// Hashes before the first run and after each, and the order.
    fn hashes(
        &mut self,
        world: &World,
        runner: &dyn BlockRunner,
        seed: Option<u64>,
        runs: u64,
    ) -> Result<(Vec<WorldHash>, Vec<&'static str>), ShuffleError> {
        self.set_shuffled(seed);
        let mut fork = world.fork()?;
        let mut hashes = vec![fork.state_hash()];
        for _ in 0..runs {
            self.run(&mut fork, runner)?;
            hashes.push(fork.state_hash());
        }
        self.initialize(&mut fork)?;
        Ok((hashes, self.systems().collect()))
    }
}

//! Systems in an order: with constraints where they are given, and as added where they are not.
//!
//! ```text
//! add_systems   constraints, conditions          Schedule
//!     |         an order that fits, cycles named
//!     v         cut at sync points
//! stages        run at the same time what does not exclude each other, fuse chunk systems
//! ```
//!
//! **What a schedule gives is what its systems give one by one in their order** (contract C3), on
//! any number of threads. The order is that in which they were added, changed only where `before`,
//! `after` or `chain` say so. Systems whose accesses do not exclude each other may run at the same
//! time, since neither can tell; all others keep the order. Commands of a system are done before
//! the next system that could see what they do; systems that share a sync point
//! ([`IntoSystems::share_sync_point`]) wait for each other instead. What else a system puts off, as
//! readers of events do, is done before the next one that has the same resource.
//!
//! Whoever wants no order to be decided by the order of adding asks for
//! [`Schedule::ambiguities`], or denies them.
//!
//! - `systems`, `set`: what is said when systems are added;
//! - `order`, `build`: how an order and stages are made of it;
//! - `ambiguity`, `shuffle`: what of the result depends on an order that nobody gave;
//! - `condition`: conditions ready for use;
//! - `draw`: a schedule as text, and as a picture.
//!
//! What runs at the same time and how is told at [`Stage`](orrery_ecs::Stage).

mod ambiguity;
mod build;
mod condition;
mod draw;
mod error;
mod order;
mod set;
mod shuffle;
mod svg;
mod systems;
#[cfg(test)]
mod tests;

use orrery_ecs::{BlockRunner, Condition, IntoCondition, System, World};

use build::Built;
use systems::Config;

pub use ambiguity::{Ambiguity, AmbiguityReason};
pub use condition::{
    any_with_component, every_n_runs, resource_changed, resource_equals, resource_exists, run_once,
};
pub use error::ScheduleError;
pub use set::{IntoSet, SetId, SystemSet};
pub use shuffle::{ShuffleDifference, ShuffleError};
pub use systems::{IntoSystems, SystemConfigs};

/// Systems that run together.
///
/// ```
/// use orrery::ecs::{ResMut, Resource, Serial, World};
/// use orrery::schedule::Schedule;
///
/// #[derive(Clone, Resource)]
/// struct Log(Vec<&'static str>);
///
/// let mut world = World::new();
/// world.insert_resource(Log(Vec::new()));
/// let mut schedule = Schedule::new("example");
/// schedule.add_systems((
///     |mut log: ResMut<Log>| log.0.push("first"),
///     |mut log: ResMut<Log>| log.0.push("second"),
/// ));
/// schedule.run(&mut world, &Serial)?;
/// assert_eq!(world.resource::<Log>().0, ["first", "second"]);
/// # Ok::<(), orrery::schedule::ScheduleError>(())
/// ```
pub struct Schedule {
    name: &'static str,
    entries: Vec<Entry>,
    gates: Vec<Gate>,
    /// A set and the set that it is in.
    parents: Vec<(SetId, SetId)>,
    /// Systems of the first set before those of the second.
    set_order: Vec<(SetId, SetId)>,
    /// Systems of the first list before those of the second, by key.
    chained: Vec<(Vec<u64>, Vec<u64>)>,
    next_key: u64,
    is_fusing: bool,
    denies_ambiguity: bool,
    is_measured: bool,
    /// Whoever is free to come first is chosen by it, and not in the order of adding.
    seed: Option<u64>,
    built: Option<Built>,
}

/// A system and what was said of it.
struct Entry {
    key: u64,
    name: &'static str,
    /// Here unless it lies in a stage.
    system: Option<Box<dyn System>>,
    sets: Vec<SetId>,
    before: Vec<SetId>,
    after: Vec<SetId>,
    ambiguous_with: Vec<Option<SetId>>,
    /// Systems of one group share a sync point.
    group: Option<u64>,
}

/// A condition and whom it is for.
struct Gate {
    name: &'static str,
    /// Here unless it lies in a stage.
    condition: Option<Box<dyn Condition>>,
    members: Members,
}

enum Members {
    Keys(Vec<u64>),
    Set(SetId),
}

impl Schedule {
    /// A schedule without systems.
    pub fn new(name: &'static str) -> Self {
        Self {
            name,
            entries: Vec::new(),
            gates: Vec::new(),
            parents: Vec::new(),
            set_order: Vec::new(),
            chained: Vec::new(),
            next_key: 0,
            is_fusing: true,
            denies_ambiguity: false,
            is_measured: false,
            seed: None,
            built: None,
        }
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Adds a system, or a tuple of systems, behind those already there.
    pub fn add_systems<M>(&mut self, systems: impl IntoSystems<M>) -> &mut Self {
        self.take_apart();
        let configs = systems.into_configs();
        let first = self.next_key;
        self.next_key += configs.systems.len() as u64;
        let keys = |range: std::ops::Range<usize>| {
            (first + range.start as u64..first + range.end as u64).collect::<Vec<_>>()
        };
        for (key, config) in (first..).zip(configs.systems) {
            let Config {
                system,
                sets,
                before,
                after,
                ambiguous_with,
            } = config;
            self.entries.push(Entry {
                key,
                name: system.name(),
                system: Some(system),
                sets,
                before,
                after,
                ambiguous_with,
                group: None,
            });
        }
        for range in configs.sharing {
            let group = Some(first + range.start as u64);
            let keys = keys(range);
            let shares = |entry: &&mut Entry| keys.contains(&entry.key);
            let sharing = self.entries.iter_mut().filter(shares);
            sharing.for_each(|entry| entry.group = group);
        }
        let conditions = configs.conditions.into_iter();
        self.gates.extend(conditions.map(|(condition, range)| Gate {
            name: condition.name(),
            condition: Some(condition),
            members: Members::Keys(keys(range)),
        }));
        let chained = configs.chained.into_iter();
        self.chained
            .extend(chained.map(|(first, second)| (keys(first), keys(second))));
        self
    }

    /// Says something of all systems of a set, those included that are added later.
    ///
    /// ```
    /// use orrery::ecs::Res;
    /// use orrery::schedule::{IntoSystems, Schedule};
    /// let mut schedule = Schedule::new("example");
    /// schedule.configure_set("physics").before("drawing");
    /// schedule.add_systems((|| ()).in_set("drawing"));
    /// schedule.add_systems((|| ()).in_set("physics"));
    /// ```
    pub fn configure_set<M>(&mut self, set: impl IntoSet<M>) -> SetConfig<'_> {
        self.take_apart();
        SetConfig {
            set: set.into_set(),
            schedule: self,
        }
    }

    /// Takes all systems of a set out, or all that are made of a function, and gives them back.
    ///
    /// What a world keeps for them stays there, for it may run them again;
    /// [`World::forget_system`] frees it.
    ///
    /// ```
    /// use orrery::schedule::{IntoSystems, Schedule};
    /// fn think() {}
    /// fn act() {}
    /// let mut schedule = Schedule::new("example");
    /// schedule.add_systems((think, act, think));
    /// assert_eq!(schedule.remove_systems(think).len(), 2);
    /// assert_eq!(schedule.systems().count(), 1);
    /// ```
    pub fn remove_systems<M>(&mut self, set: impl IntoSet<M>) -> Vec<Box<dyn System>> {
        self.take_apart();
        let members = self.members_of(&set.into_set());
        let mut removed = Vec::new();
        let mut place = 0;
        self.entries.retain_mut(|entry| {
            let goes = members.contains(&place);
            place += 1;
            if goes {
                removed.extend(entry.system.take());
            }
            !goes
        });
        let entries = &self.entries;
        let stays = |key: &u64| entries.iter().any(|entry| entry.key == *key);
        self.gates.retain_mut(|gate| match &mut gate.members {
            Members::Keys(keys) => {
                keys.retain(stays);
                !keys.is_empty()
            }
            Members::Set(_) => true,
        });
        for (first, second) in &mut self.chained {
            first.retain(stays);
            second.retain(stays);
        }
        removed
    }

    /// Names of its systems in the order in which they run, or were added if the schedule was not
    /// initialised since.
    pub fn systems(&self) -> impl ExactSizeIterator<Item = &'static str> {
        let built = self.built.as_ref();
        let order: Vec<usize> =
            built.map_or_else(|| (0..self.entries.len()).collect(), Built::order);
        let names: Vec<_> = order.iter().map(|&one| self.entries[one].name).collect();
        names.into_iter()
    }

    /// Whether consecutive chunk systems over common components run block by block together, which
    /// they do unless told otherwise. The result is the same.
    pub fn set_fusing(&mut self, is_fusing: bool) -> &mut Self {
        self.is_fusing = is_fusing;
        for stage in self.built.iter_mut().flat_map(|built| &mut built.stages) {
            stage.set_fusing(is_fusing);
        }
        self
    }

    /// Whether every run is measured, for a [drawing](Self::to_text) with times. A measured run
    /// stays on one thread.
    pub fn set_measured(&mut self, is_measured: bool) -> &mut Self {
        self.is_measured = is_measured;
        for stage in self.built.iter_mut().flat_map(|built| &mut built.stages) {
            stage.set_measured(is_measured);
        }
        self
    }

    /// Finds out what every system uses, and an order, so that mistakes show before the first
    /// tick.
    ///
    /// # Errors
    /// When two parameters of a system exclude each other, no order fits the constraints, or the
    /// order of some systems matters and is not given where that is denied.
    pub fn initialize(&mut self, world: &mut World) -> Result<(), ScheduleError> {
        let schedule = self.name;
        let error = |source| ScheduleError::System { schedule, source };
        // In the order of adding, whatever the order of running, for worlds number systems.
        for gate in 0..self.gates.len() {
            self.condition_mut(gate).initialize(world).map_err(error)?;
        }
        for entry in 0..self.entries.len() {
            self.system_mut(entry).initialize(world).map_err(error)?;
        }
        if self.built.is_none() {
            self.build(world)?;
        }
        for stage in self.built.iter_mut().flat_map(|built| &mut built.stages) {
            stage.initialize(world).map_err(error)?;
        }
        Ok(())
    }

    fn system_mut(&mut self, entry: usize) -> &mut dyn System {
        let at = self.built.as_ref().map(|built| built.places[entry]);
        match (at, &mut self.built) {
            (Some((stage, number)), Some(built)) => built.stages[stage].system_mut(number),
            _ => &mut **self.entries[entry]
                .system
                .as_mut()
                .expect("it lies in no stage"),
        }
    }

    fn condition_mut(&mut self, gate: usize) -> &mut dyn System {
        let at = self
            .built
            .as_ref()
            .and_then(|built| built.gate_places[gate]);
        match (at, &mut self.built) {
            (Some((stage, number)), Some(built)) => built.stages[stage].system_mut(number),
            _ => &mut **self.gates[gate]
                .condition
                .as_mut()
                .expect("it lies in no stage"),
        }
    }

    /// Runs every system once whose conditions let it.
    ///
    /// # Errors
    /// As [`initialize`](Self::initialize), and when a system cannot be run, fails or panics: the
    /// first one in order. Those before it have run. Nothing is done that systems behind it put
    /// off; those that may run at the same time as the failing one may have run.
    #[inline]
    pub fn run(
        &mut self,
        world: &mut World,
        runner: &dyn BlockRunner,
    ) -> Result<(), ScheduleError> {
        match &self.built {
            Some(built) if built.stages.is_empty() => Ok(()),
            _ => self.run_stages(world, runner),
        }
    }

    fn run_stages(
        &mut self,
        world: &mut World,
        runner: &dyn BlockRunner,
    ) -> Result<(), ScheduleError> {
        let mut number = 0;
        loop {
            let stage = self.built.as_ref().map(|built| built.stages.get(number));
            // All systems and in the order of adding, for a world numbers them, and keeps what
            // they read of the past, from then on. One of them may have put a new world here.
            if stage.is_none_or(|stage| stage.is_some_and(|stage| !stage.is_ready_for(world))) {
                self.initialize(world)?;
            }
            let Some(built) = &mut self.built else {
                return Ok(());
            };
            let Some(stage) = built.stages.get_mut(number) else {
                return Ok(());
            };
            stage
                .run(world, runner, &built.answers)
                .map_err(|error| ScheduleError::of_stage(self.name, error))?;
            number += 1;
        }
    }
}

/// What can be said of a set, by [`Schedule::configure_set`].
pub struct SetConfig<'a> {
    schedule: &'a mut Schedule,
    set: SetId,
}

impl SetConfig<'_> {
    /// All its systems before all of another set.
    pub fn before<M>(self, other: impl IntoSet<M>) -> Self {
        let order = (self.set.clone(), other.into_set());
        self.schedule.set_order.push(order);
        self
    }

    /// All its systems after all of another set.
    pub fn after<M>(self, other: impl IntoSet<M>) -> Self {
        let order = (other.into_set(), self.set.clone());
        self.schedule.set_order.push(order);
        self
    }

    /// Makes all its systems members of another set.
    pub fn in_set<M>(self, other: impl IntoSet<M>) -> Self {
        let parent = (self.set.clone(), other.into_set());
        self.schedule.parents.push(parent);
        self
    }

    /// Runs its systems only if a condition says so, as [`IntoSystems::run_if`].
    pub fn run_if<M>(self, condition: impl IntoCondition<M>) -> Self {
        let condition = condition.into_condition();
        self.schedule.gates.push(Gate {
            name: condition.name(),
            condition: Some(Box::new(condition)),
            members: Members::Set(self.set.clone()),
        });
        self
    }
}

//! Systems whose order matters and that nobody put into one.

use std::fmt;

use orrery_ecs::{AccessConflict, SystemAccess, World};

use super::{Schedule, ScheduleError};

/// Two systems whose order matters and is only that in which they were added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ambiguity {
    /// The system that was added first.
    pub first: &'static str,
    /// The other one.
    pub second: &'static str,
    /// Why their order matters.
    pub reason: AmbiguityReason,
}

/// Why the order of two systems matters.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AmbiguityReason {
    /// One writes what the other touches; their conditions count as well.
    Access(AccessConflict),
    /// One has commands, and the other could see what they do.
    Commands,
    /// Both have commands: which handles they give, and which entity lies where, depends on who
    /// comes first.
    Handles,
}

impl fmt::Display for Ambiguity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} and {}: ", self.first, self.second)?;
        match &self.reason {
            AmbiguityReason::Access(conflict) => write!(f, "both use {}", conflict.data),
            AmbiguityReason::Commands => f.write_str("one sees what the commands of the other do"),
            AmbiguityReason::Handles => f.write_str("both have commands"),
        }
    }
}

impl Schedule {
    /// Pairs of systems whose order matters, and is that in which they were added because no
    /// constraint gives another; without those that say it is no matter.
    ///
    /// # Errors
    /// As [`initialize`](Self::initialize).
    ///
    /// ```
    /// use orrery::ecs::{ResMut, Resource, World};
    /// use orrery::schedule::{IntoSystems, Schedule};
    /// #[derive(Clone, Default, Resource)]
    /// struct Score(u32);
    /// fn double(mut score: ResMut<Score>) {
    ///     score.0 *= 2;
    /// }
    /// fn add(mut score: ResMut<Score>) {
    ///     score.0 += 1;
    /// }
    /// let mut schedule = Schedule::new("example");
    /// schedule.add_systems((double, add));
    /// let found = schedule.ambiguities(&mut World::new())?;
    /// assert!(found[0].first.ends_with("double") && found[0].second.ends_with("add"));
    /// assert!(found[0].to_string().contains("Score"));
    ///
    /// let mut schedule = Schedule::new("example");
    /// schedule.deny_ambiguities().add_systems((double, add).chain());
    /// schedule.initialize(&mut World::new())?;
    /// # Ok::<(), orrery::schedule::ScheduleError>(())
    /// ```
    pub fn ambiguities(&mut self, world: &mut World) -> Result<Vec<Ambiguity>, ScheduleError> {
        self.initialize(world)?;
        let built = self.built.as_ref();
        Ok(built.map_or_else(Vec::new, |built| built.ambiguities.clone()))
    }

    /// Makes an ambiguity an error of [`initialize`](Self::initialize), and so of the first run.
    pub fn deny_ambiguities(&mut self) -> &mut Self {
        self.take_apart();
        self.denies_ambiguity = true;
        self
    }

    /// Pairs that no constraint orders, over any number of others, and whose order matters.
    pub(super) fn find_ambiguities(
        &self,
        after: &[Vec<bool>],
        members: &[Vec<usize>],
        world: &World,
    ) -> Vec<Ambiguity> {
        let mut found = Vec::new();
        let pairs =
            (0..after.len()).flat_map(|second| (0..second).map(move |first| (first, second)));
        for (first, second) in pairs {
            let ordered = after[first][second] || after[second][first];
            if ordered || self.is_no_matter(first, second) {
                continue;
            }
            let accesses = |entry| self.accesses(entry, members);
            if let Some(reason) = reason(&accesses(first), &accesses(second), world) {
                found.push(Ambiguity {
                    first: self.entries[first].name,
                    second: self.entries[second].name,
                    reason,
                });
            }
        }
        found
    }

    /// Accesses of a system and of the conditions that it waits for.
    fn accesses(&self, entry: usize, members: &[Vec<usize>]) -> Vec<&SystemAccess> {
        let waits = |gate: &usize| members[*gate].contains(&entry);
        let gates = (0..members.len()).filter(waits);
        let gates = gates.map(|gate| self.gate_access(gate));
        std::iter::once(self.access_of(entry))
            .chain(gates)
            .collect()
    }

    fn is_no_matter(&self, first: usize, second: usize) -> bool {
        let says = |one: usize, other: usize| {
            let mut sets = self.entries[one].ambiguous_with.iter();
            sets.any(|set| match set {
                Some(set) => self.members_of(set).contains(&other),
                None => true,
            })
        };
        says(first, second) || says(second, first)
    }
}

fn reason(
    first: &[&SystemAccess],
    second: &[&SystemAccess],
    world: &World,
) -> Option<AmbiguityReason> {
    let pairs = || {
        first
            .iter()
            .flat_map(|a| second.iter().map(move |b| (*a, *b)))
    };
    // Conditions that both wait for are one and the same.
    let pairs = || pairs().filter(|(a, b)| !std::ptr::eq(*a, *b));
    let conflict = |(a, b): (&SystemAccess, &SystemAccess)| a.conflict(b, "systems", world);
    if let Some(conflict) = pairs().find_map(conflict) {
        return Some(AmbiguityReason::Access(conflict));
    }
    let sees = |(a, b): (&SystemAccess, &SystemAccess)| {
        (a.has_commands() && b.sees_commands()) || (b.has_commands() && a.sees_commands())
    };
    if pairs().any(sees) {
        return Some(AmbiguityReason::Commands);
    }
    let both = |(a, b): (&SystemAccess, &SystemAccess)| a.has_commands() && b.has_commands();
    pairs().any(both).then_some(AmbiguityReason::Handles)
}

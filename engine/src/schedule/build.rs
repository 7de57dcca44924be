//! From systems and constraints to stages.

use orrery_ecs::{Answers, Stage, StagePart, SystemAccess, World};

use super::ambiguity::Ambiguity;
use super::order::Constraints;
use super::{Entry, Members, Schedule, ScheduleError, SetId};

/// A stage, and a number in it.
pub(super) type Place = (usize, usize);

/// A schedule ready to run.
pub(super) struct Built {
    pub(super) stages: Vec<Stage>,
    pub(super) answers: Answers,
    /// Where each system lies.
    pub(super) places: Vec<Place>,
    /// Where each condition lies; one that is for no system lies nowhere.
    pub(super) gate_places: Vec<Option<Place>>,
    pub(super) ambiguities: Vec<Ambiguity>,
}

impl Built {
    /// The systems in the order in which they run.
    pub(super) fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.places.len()).collect();
        order.sort_by_key(|&entry| self.places[entry]);
        order
    }
}

/// A system or a condition on its way into a stage.
#[derive(Clone, Copy)]
enum Item {
    System(usize),
    Gate(usize),
}

impl Schedule {
    /// Takes systems and conditions out of their stages, so that something can be added.
    pub(super) fn take_apart(&mut self) {
        let Some(built) = self.built.take() else {
            return;
        };
        let mut parts: Vec<Vec<Option<StagePart>>> = built
            .stages
            .into_iter()
            .map(|stage| stage.into_systems().map(Some).collect())
            .collect();
        for (entry, (stage, number)) in self.entries.iter_mut().zip(built.places) {
            if let Some(StagePart::System(system)) = parts[stage][number].take() {
                entry.system = Some(system);
            }
        }
        for (gate, place) in self.gates.iter_mut().zip(built.gate_places) {
            let part = place.and_then(|(stage, number)| parts[stage][number].take());
            if let Some(StagePart::Condition(condition)) = part {
                gate.condition = Some(condition);
            }
        }
    }

    /// Numbers of the systems that are in a set, or in one that is in it.
    pub(super) fn members_of(&self, set: &SetId) -> Vec<usize> {
        let mut sets = vec![set.clone()];
        let mut next = 0;
        while next < sets.len() {
            for (child, parent) in &self.parents {
                if *parent == sets[next] && !sets.contains(child) {
                    sets.push(child.clone());
                }
            }
            next += 1;
        }
        let is_in = |entry: &Entry| entry.sets.iter().any(|set| sets.contains(set));
        let all = self.entries.iter().enumerate();
        all.filter(|(_, entry)| is_in(entry))
            .map(|(number, _)| number)
            .collect()
    }

    fn by_keys(&self, keys: &[u64]) -> Vec<usize> {
        let all = self.entries.iter().enumerate();
        all.filter(|(_, entry)| keys.contains(&entry.key))
            .map(|(number, _)| number)
            .collect()
    }

    /// Every pair that was put into an order by `before`, `after`, `chain` or for sets.
    fn constraints(&self) -> Result<Constraints, ScheduleError> {
        self.check_parents()?;
        let mut constraints = Constraints::new(self.entries.len());
        let mut all_before = |first: &[usize], second: &[usize]| {
            for &first in first {
                for &second in second {
                    constraints.add(first, second);
                }
            }
        };
        for (number, entry) in self.entries.iter().enumerate() {
            for set in &entry.before {
                all_before(&[number], &self.members_of(set));
            }
            for set in &entry.after {
                all_before(&self.members_of(set), &[number]);
            }
        }
        for (first, second) in &self.set_order {
            all_before(&self.members_of(first), &self.members_of(second));
        }
        for (first, second) in &self.chained {
            all_before(&self.by_keys(first), &self.by_keys(second));
        }
        Ok(constraints)
    }

    /// Refuses sets that are in themselves.
    fn check_parents(&self) -> Result<(), ScheduleError> {
        let mut sets: Vec<&SetId> = Vec::new();
        for (child, parent) in &self.parents {
            for set in [child, parent] {
                if !sets.contains(&set) {
                    sets.push(set);
                }
            }
        }
        let number = |set: &SetId| sets.iter().position(|other| *other == set);
        let mut inside = Constraints::new(sets.len());
        for (child, parent) in &self.parents {
            if let (Some(child), Some(parent)) = (number(child), number(parent)) {
                inside.add(child, parent);
            }
        }
        let order = inside.order(|set| set as u64);
        order.map(drop).map_err(|circle| ScheduleError::SetCycle {
            schedule: self.name,
            sets: circle
                .iter()
                .map(|&set| sets[set].name().to_owned())
                .collect(),
        })
    }

    /// Whom each condition is for.
    fn gate_members(&self) -> Vec<Vec<usize>> {
        let members = |members: &Members| match members {
            Members::Keys(keys) => self.by_keys(keys),
            Members::Set(set) => self.members_of(set),
        };
        self.gates
            .iter()
            .map(|gate| members(&gate.members))
            .collect()
    }

    /// Puts the initialised systems into stages.
    pub(super) fn build(&mut self, world: &World) -> Result<(), ScheduleError> {
        let constraints = self.constraints()?;
        let seed = self.seed;
        let priority = |entry: usize| seed.map_or(entry as u64, |seed| mixed(seed, entry as u64));
        let order = constraints.order(priority);
        let order = order.map_err(|circle| ScheduleError::Cycle {
            schedule: self.name,
            systems: circle
                .iter()
                .map(|&entry| self.entries[entry].name)
                .collect(),
        })?;
        let members = self.gate_members();
        let after = constraints.all_after(&order);
        let ambiguities = self.find_ambiguities(&after, &members, world);
        if self.denies_ambiguity && !ambiguities.is_empty() {
            return Err(ScheduleError::Ambiguous {
                schedule: self.name,
                ambiguities,
            });
        }
        let items = self.items(&order, &members);
        let mut built = Built {
            stages: Vec::new(),
            answers: Answers::new(self.gates.len()),
            places: vec![(0, 0); self.entries.len()],
            gate_places: vec![None; self.gates.len()],
            ambiguities,
        };
        for stage in self.cut(&items, &members) {
            self.fill(&mut built, &stage, &members);
        }
        self.built = Some(built);
        Ok(())
    }

    /// Each system in order, and before it those conditions that are asked for the first time.
    fn items(&self, order: &[usize], members: &[Vec<usize>]) -> Vec<Item> {
        let mut asked = vec![false; members.len()];
        let mut items = Vec::new();
        for &entry in order {
            for (gate, members) in members.iter().enumerate() {
                if members.contains(&entry) && !std::mem::replace(&mut asked[gate], true) {
                    items.push(Item::Gate(gate));
                }
            }
            items.push(Item::System(entry));
        }
        items
    }

    pub(super) fn access_of(&self, entry: usize) -> &SystemAccess {
        let system = self.entries[entry].system.as_ref();
        let access = system.and_then(|system| system.access());
        access.expect("it was initialised, and lies in no stage")
    }

    pub(super) fn gate_access(&self, gate: usize) -> &SystemAccess {
        let condition = self.gates[gate].condition.as_ref();
        let access = condition.and_then(|condition| condition.access());
        access.expect("it was initialised, and lies in no stage")
    }

    /// Cuts the row where a sync point is needed: before whoever could see what a system before it
    /// has put off, unless they share a sync point, and on both sides of whoever has the
    /// whole world.
    fn cut(&self, items: &[Item], members: &[Vec<usize>]) -> Vec<Vec<Item>> {
        let mut stages: Vec<Vec<Item>> = Vec::new();
        let mut stage: Vec<Item> = Vec::new();
        // Those in the stage that have something done after it, each with its group.
        let mut waiting: Vec<(Option<u64>, &SystemAccess)> = Vec::new();
        for &item in items {
            let access = match item {
                Item::System(entry) => self.access_of(entry),
                Item::Gate(gate) => self.gate_access(gate),
            };
            let group = self.group_of(item, members);
            let waits_together = |other: Option<u64>| other.is_some() && other == group;
            let must_see = waiting
                .iter()
                .any(|&(other, earlier)| access.must_follow(earlier) && !waits_together(other));
            if must_see || access.has_whole_world() {
                stages.push(std::mem::take(&mut stage));
                waiting.clear();
            }
            stage.push(item);
            if access.has_whole_world() {
                stages.push(std::mem::take(&mut stage));
            } else if access.puts_off() {
                waiting.push((group, access));
            }
        }
        stages.push(stage);
        stages.retain(|stage| !stage.is_empty());
        stages
    }

    fn group_of(&self, item: Item, members: &[Vec<usize>]) -> Option<u64> {
        match item {
            Item::System(entry) => self.entries[entry].group,
            Item::Gate(gate) => {
                let mut groups = members[gate].iter().map(|&entry| self.entries[entry].group);
                let first = groups.next()?;
                groups.all(|group| group == first).then_some(first)?
            }
        }
    }

    /// Moves systems and conditions into a new stage.
    fn fill(&mut self, built: &mut Built, items: &[Item], members: &[Vec<usize>]) {
        let mut stage = Stage::default();
        stage.set_fusing(self.is_fusing);
        stage.set_measured(self.is_measured);
        for (number, &item) in items.iter().enumerate() {
            let place = (built.stages.len(), number);
            match item {
                Item::System(entry) => {
                    let of_entry = |gate: &usize| members[*gate].contains(&entry);
                    let gates: Vec<usize> = (0..members.len()).filter(of_entry).collect();
                    let system = self.entries[entry].system.take();
                    stage.add_system(system.expect("it lies in no stage"), &gates);
                    built.places[entry] = place;
                }
                Item::Gate(gate) => {
                    let condition = self.gates[gate].condition.take();
                    stage.add_condition(condition.expect("it lies in no stage"), gate);
                    built.gate_places[gate] = Some(place);
                }
            }
        }
        built.stages.push(stage);
    }
}

/// A number that shows no order (the finalizer of splitmix64).
pub(super) fn mixed(seed: u64, number: u64) -> u64 {
    let mut z = seed ^ number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

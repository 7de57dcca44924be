//! What the units of a stage cost, to know whether giving work away is worth it.
//!
//! A few runs are measured, each on one thread: the first ones, then ever fewer. The results of a
//! run never depend on it; only who does the work does.

use std::time::Instant;

use super::plan::Plan;
use crate::query::BlockRunner;

/// Runs between two measurements once a stage has run for long: what the worlds of long runs
/// become is noticed, and one run in a thousand on one thread is not.
const INTERVAL_MAX: u64 = 1024;

/// What one unit costs at most where no thread but ours shall see it, in times a hand-off.
const WORTH: u64 = 2;

#[derive(Debug, Default)]
pub(super) struct Costs {
    runs: u64,
    /// Whether every run is measured.
    always: bool,
    /// Nanoseconds of each unit.
    units: Vec<u64>,
    /// What units save by running at the same time on two threads, and on many.
    gain: [u64; 2],
}

/// How a run is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// One unit after the other on the caller's thread, measured.
    Measured,
    /// One unit after the other, large loops over blocks shared out.
    InTurn,
    /// Units at the same time.
    AtOnce,
}

impl Costs {
    pub(super) fn forget(&mut self) {
        *self = Self {
            always: self.always,
            ..Self::default()
        };
    }

    pub(super) fn set_always(&mut self, always: bool) {
        self.always = always;
    }

    pub(super) fn of_unit(&self, unit: usize) -> Option<u64> {
        self.units.get(unit).copied()
    }

    /// Decides about the next run.
    pub(super) fn mode(&mut self, runner: &dyn BlockRunner, units: usize) -> Mode {
        if self.always {
            return Mode::Measured;
        }
        let threads = runner.threads();
        if threads < 2 {
            return Mode::InTurn;
        }
        let run = self.runs;
        self.runs += 1;
        if run < 2
            || run.is_multiple_of(INTERVAL_MAX)
            || (run < INTERVAL_MAX && run.is_power_of_two())
        {
            return Mode::Measured;
        }
        if units < 2 {
            return Mode::InTurn;
        }
        let gain = self.gain[usize::from(threads > 2)];
        match gain >= runner.handoff_ns().saturating_mul(WORTH) {
            true => Mode::AtOnce,
            false => Mode::InTurn,
        }
    }

    /// Whether a unit is too small to be shared out.
    pub(super) fn is_small(&self, unit: usize, runner: &dyn BlockRunner) -> bool {
        let cost = self.units.get(unit).copied().unwrap_or(0);
        cost < runner.handoff_ns().saturating_mul(WORTH)
    }

    pub(super) fn begin(&self) -> Instant {
        Instant::now()
    }

    /// Notes what a unit took.
    pub(super) fn note(&mut self, unit: usize, since: Instant) {
        let took = u64::try_from(since.elapsed().as_nanos()).unwrap_or(u64::MAX);
        if self.units.len() <= unit {
            self.units.resize(unit + 1, took);
        }
        // What was measured last counts half: a run may have met an interruption.
        self.units[unit] = self.units[unit].midpoint(took);
    }

    /// Works out what running at the same time would save, after all units were noted.
    pub(super) fn plan(&mut self, plan: &Plan) {
        self.gain = [2, 8].map(|threads| self.saved(plan, threads));
    }

    /// Nanoseconds that so many threads save at best: the work is shared evenly, but no faster
    /// than the longest chain of units.
    fn saved(&self, plan: &Plan, threads: u64) -> u64 {
        let mut ends = vec![0; plan.units.len()];
        let (mut chain, mut all) = (0, 0);
        for (number, unit) in plan.units.iter().enumerate() {
            let cost = self.units.get(number).copied().unwrap_or(0);
            all += cost;
            let alone = if unit.is_blocks { cost / threads } else { cost };
            let end = ends[number] + alone;
            chain = chain.max(end);
            for &next in &unit.next {
                let begin: &mut u64 = &mut ends[next as usize];
                *begin = (*begin).max(end);
            }
        }
        // What loops over blocks save, they save in turn as well.
        let in_turn: u64 = plan
            .units
            .iter()
            .enumerate()
            .map(|(number, unit)| {
                let cost = self.units.get(number).copied().unwrap_or(0);
                if unit.is_blocks { cost / threads } else { cost }
            })
            .sum();
        in_turn.saturating_sub(chain.max(all / threads))
    }
}

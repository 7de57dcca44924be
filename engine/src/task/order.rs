//! Who runs next: by when scripts are due, then by when they were spawned.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::task::Waker;

use crate::time::{TimerId, Timers};

/// One run of a script that is to come. The derived order is the one in which they come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Turn {
    pub(super) due: u64,
    /// Of the script, by order of spawning.
    pub(super) number: u64,
    pub(super) slot: u32,
}

/// What the wheel holds.
#[derive(Clone, Debug)]
pub(super) enum Sleeper {
    Script {
        number: u64,
        slot: u32,
    },
    /// A waker that some combinator put in front of the script's own.
    Waker(Waker),
}

/// The turns of one run, those that wait for the next, and those that sleep longer.
///
/// Scripts that wait for the next tick are most of all, so they lie in a plain list and never see
/// the wheel. It is in order as a rule, because they ran in order; sorting sees that in one pass.
#[derive(Debug)]
pub(super) struct Order {
    /// Of this run, in order. What is spawned in a run has the highest number and goes behind.
    turns: Vec<Turn>,
    at: usize,
    /// Where those that were there when the run began end.
    begun: usize,
    /// Woken while the run went on.
    late: BinaryHeap<Reverse<Turn>>,
    /// For the next run, whenever it is.
    waiting: Vec<Turn>,
    /// For the tick after the present one.
    next: Vec<Turn>,
    wheel: Timers<Sleeper>,
    is_running: bool,
    pub(super) tick: u64,
}

impl Order {
    pub(super) fn new() -> Self {
        Self {
            turns: Vec::new(),
            at: 0,
            begun: 0,
            late: BinaryHeap::new(),
            waiting: Vec::new(),
            next: Vec::new(),
            wheel: Timers::new(),
            is_running: false,
            tick: 0,
        }
    }

    /// A script was spawned; it has the highest number so far.
    pub(super) fn spawn(&mut self, number: u64, slot: u32) {
        let turn = self.turn_now(number, slot);
        match self.is_running {
            true => self.turns.push(turn),
            false => self.waiting.push(turn),
        }
    }

    /// A script is to run as soon as its turn comes.
    pub(super) fn wake(&mut self, number: u64, slot: u32) {
        let turn = self.turn_now(number, slot);
        match self.is_running {
            true => self.late.push(Reverse(turn)),
            false => self.waiting.push(turn),
        }
    }

    fn turn_now(&self, number: u64, slot: u32) -> Turn {
        let due = self.tick;
        Turn { due, number, slot }
    }

    pub(super) fn wake_next_tick(&mut self, number: u64, slot: u32) {
        let due = self.tick.saturating_add(1);
        self.next.push(Turn { due, number, slot });
    }

    pub(super) fn arm(&mut self, due: u64, sleeper: Sleeper) -> TimerId {
        self.wheel.arm_at(due, sleeper)
    }

    /// Has a timer wake another sleeper than before.
    pub(super) fn set_sleeper(&mut self, timer: TimerId, sleeper: Sleeper) {
        if let Some(there) = self.wheel.get_mut(timer) {
            *there = sleeper;
        }
    }

    pub(super) fn cancel(&mut self, timer: TimerId) -> Option<Sleeper> {
        self.wheel.cancel(timer)
    }

    /// Begins a run: gathers the turns that are due, as far as `is_ready` takes them, and returns
    /// the wakers that are due besides. A tick in the past is the present one.
    pub(super) fn begin(
        &mut self,
        tick: u64,
        mut is_ready: impl FnMut(&Turn) -> bool,
    ) -> Vec<Waker> {
        let before = self.tick;
        self.tick = tick.max(before);
        self.is_running = true;
        // What an endless run left over stays ready, as do those who were woken in between.
        self.turns.drain(..self.at);
        self.turns.extend(self.late.drain().map(|late| late.0));
        for turn in &mut self.waiting {
            turn.due = self.tick;
        }
        match self.turns.is_empty() {
            true => std::mem::swap(&mut self.turns, &mut self.waiting),
            false => self.turns.append(&mut self.waiting),
        }
        if self.tick > before {
            self.turns.extend(self.next.drain(..).filter(&mut is_ready));
        }
        let mut wakers = Vec::new();
        while let Some(expired) = self.wheel.expire_next(self.tick) {
            match expired.value {
                Sleeper::Waker(waker) => wakers.push(waker),
                Sleeper::Script { number, slot } => {
                    let due = expired.due;
                    let turn = Turn { due, number, slot };
                    self.turns.extend(is_ready(&turn).then_some(turn));
                }
            }
        }
        // No two are alike, and as a rule they lie in order.
        self.turns
            .sort_unstable_by_key(|turn| (turn.due, turn.number));
        (self.at, self.begun) = (0, self.turns.len());
        wakers
    }

    /// Takes the next turn, and says whether it came up while the run went on.
    #[inline]
    pub(super) fn take(&mut self) -> Option<(Turn, bool)> {
        if !self.late.is_empty()
            && let Some(late) = self.take_late()
        {
            return Some((late, true));
        }
        let turn = *self.turns.get(self.at)?;
        self.at += 1;
        Some((turn, self.at > self.begun))
    }

    /// Takes the next turn of those that came up, if it comes before the next planned one.
    #[inline(never)]
    fn take_late(&mut self) -> Option<Turn> {
        let planned = self.turns.get(self.at);
        let late = self.late.peek_mut()?;
        let is_next = planned.is_none_or(|planned| late.0 < *planned);
        is_next.then(|| PeekMut::pop(late).0)
    }

    pub(super) fn end(&mut self) {
        self.is_running = false;
        if self.at == self.turns.len() {
            self.turns.clear();
            self.at = 0;
        }
    }
}

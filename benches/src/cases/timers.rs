//! Timers: arming, cancelling and giving out among a million that are active.
//!
//! R is the obvious structure, a sorted map by due tick and order of arming, whose keys are the
//! handles. Handles are cancelled in the order of arming, as time-outs are that were not needed,
//! and once in no order at all, where each is a miss of the caches.

use std::collections::BTreeMap;
use std::hint::black_box;

use orrery::time::{TimerId, Timers};

use super::SEED;
use super::population::{DIGEST_START, shuffle};
use crate::harness::{Case, Expected, Goal, Work};

/// Timers that are active besides, for each that is armed or cancelled.
const ACTIVE_EACH: usize = 100;

/// Ticks that timers are spread over: 18 minutes at 60 Hz.
const SPREAD: u64 = 1 << 16;

const ARM: Case = Case {
    name: "timer_arm_1m",
    reference: Some("timer_arm_1m_reference"),
    smoke: 100,
    full: 10_000,
    seed: SEED,
    bytes_each: 0,
    goal: Goal::NanosEachMax(6.0),
    expected: Expected {
        smoke: 0x38a4_9c33_775f_fd42,
        full: 0xa7f6_b97e_9dfc_a550,
    },
    prepare: |size, seed| Box::new(Arming(wheel(size, seed))),
};

const CANCEL: Case = Case {
    name: "timer_cancel_1m",
    reference: Some("timer_cancel_1m_reference"),
    goal: Goal::NanosEachMax(4.0),
    expected: Expected {
        smoke: 0x38a4_9c33_775f_fd42,
        full: 0xa7f6_b97e_9dfc_a550,
    },
    prepare: |size, seed| Box::new(Cancelling(wheel(size, seed))),
    ..ARM
};

const SHUFFLED: Case = Case {
    name: "timer_cancel_1m_shuffled",
    reference: Some("timer_cancel_1m_shuffled_reference"),
    goal: Goal::Open,
    expected: Expected {
        smoke: 0x0347_176d_9f2c_df01,
        full: 0xfed3_3dff_49ad_6ecf,
    },
    prepare: |size, seed| Box::new(Cancelling(scattered(wheel(size, seed), seed))),
    ..ARM
};

const EXPIRE: Case = Case {
    name: "timer_expire_1m",
    reference: Some("timer_expire_1m_reference"),
    smoke: 10_000,
    full: 1_000_000,
    goal: Goal::Open,
    expected: Expected {
        smoke: 0xe4e2_31c2_bb79_4227,
        full: 0xecd7_8bd0_2669_b74f,
    },
    prepare: |size, seed| Box::new(Expiring::new(Timers::new(), size, seed)),
    ..ARM
};

const IDLE: Case = Case {
    name: "timer_idle_tick_1m",
    reference: None,
    goal: Goal::Open,
    expected: Expected::both(0),
    prepare: idling,
    ..ARM
};

pub(super) fn cases() -> Vec<Case> {
    let beside = |case: Case, prepare: Prepare| {
        let reference = Case {
            name: case.reference.expect("R does the same work"),
            reference: None,
            goal: Goal::Open,
            prepare,
            ..case
        };
        [reference, case]
    };
    [
        &beside(ARM, |size, seed| Box::new(Arming(tree(size, seed))))[..],
        &beside(CANCEL, |size, seed| Box::new(Cancelling(tree(size, seed)))),
        &beside(SHUFFLED, |size, seed| {
            Box::new(Cancelling(scattered(tree(size, seed), seed)))
        }),
        &beside(EXPIRE, |size, seed| {
            Box::new(Expiring::new(Tree::default(), size, seed))
        }),
        &[IDLE],
    ]
    .concat()
}

type Prepare = fn(usize, u64) -> Box<dyn Work>;

/// Timers by whoever keeps them.
pub trait Queue {
    /// What cancels a timer.
    type Handle: Copy;

    /// Arms a timer.
    fn arm(&mut self, after: u64, value: u64) -> Self::Handle;

    /// Takes a timer back and returns its value.
    fn cancel(&mut self, handle: Self::Handle) -> u64;
}

/// Timers that can be given out.
trait Expire: Queue {
    /// Gives every timer of the next ticks to a function, in order.
    fn run_ticks(&mut self, ticks: u64, each: &mut dyn FnMut(u64));
}

impl Queue for Timers<u64> {
    type Handle = TimerId;

    fn arm(&mut self, after: u64, value: u64) -> TimerId {
        self.arm_after(after, value)
    }

    fn cancel(&mut self, handle: TimerId) -> u64 {
        Timers::cancel(self, handle).expect("it is pending")
    }
}

impl Expire for Timers<u64> {
    fn run_ticks(&mut self, ticks: u64, each: &mut dyn FnMut(u64)) {
        let now = self.now();
        for tick in now + 1..=now + ticks {
            self.expire(tick).for_each(|expired| each(expired.value));
        }
    }
}

/// R.
#[derive(Default)]
pub struct Tree {
    timers: BTreeMap<(u64, u64), u64>,
    now: u64,
    armed: u64,
}

impl Queue for Tree {
    type Handle = (u64, u64);

    fn arm(&mut self, after: u64, value: u64) -> (u64, u64) {
        self.armed += 1;
        let key = (self.now + after, self.armed);
        self.timers.insert(key, value);
        key
    }

    fn cancel(&mut self, handle: (u64, u64)) -> u64 {
        self.timers.remove(&handle).expect("it is pending")
    }
}

impl Expire for Tree {
    fn run_ticks(&mut self, ticks: u64, each: &mut dyn FnMut(u64)) {
        for _ in 0..ticks {
            self.now += 1;
            while let Some(first) = self.timers.first_entry()
                && first.key().0 <= self.now
            {
                each(first.remove());
            }
        }
    }
}

/// Ticks from now until timer `n` is due, from 1.
#[must_use]
pub fn after(seed: u64, n: usize) -> u64 {
    let mixed = (n as u64 ^ seed << 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    1 + (mixed ^ mixed >> 29) % SPREAD
}

/// A queue with timers that stay and a list of those to arm and cancel.
pub struct Crowd<Q: Queue> {
    queue: Q,
    afters: Vec<u64>,
    handles: Vec<Q::Handle>,
    sum: u64,
}

impl<Q: Queue> Crowd<Q> {
    /// Fills a queue with what stays active, then makes room for `size` more.
    pub fn new(mut queue: Q, size: usize, seed: u64) -> Self {
        let active = ACTIVE_EACH * size;
        let afters: Vec<u64> = (active..active + size).map(|n| after(seed, n)).collect();
        for n in 0..active {
            queue.arm(after(seed, n), n as u64);
        }
        let mut crowd = Self {
            queue,
            handles: Vec::with_capacity(size),
            afters,
            sum: 0,
        };
        crowd.arm();
        crowd
    }

    fn arm(&mut self) {
        let (queue, afters) = (&mut self.queue, &self.afters);
        let armed = afters.iter().map(|&after| queue.arm(after, after));
        self.handles.extend(armed);
    }

    fn cancel(&mut self) {
        let queue = &mut self.queue;
        let values = self.handles.drain(..).map(|handle| queue.cancel(handle));
        self.sum = values.fold(DIGEST_START, mix);
    }
}

fn mix(hash: u64, value: u64) -> u64 {
    (hash ^ value).wrapping_mul(0x0000_0100_0000_01b3)
}

fn wheel(size: usize, seed: u64) -> Crowd<Timers<u64>> {
    Crowd::new(Timers::new(), size, seed)
}

fn tree(size: usize, seed: u64) -> Crowd<Tree> {
    Crowd::new(Tree::default(), size, seed)
}

/// Lets the timers to cancel be some of all that are active, in no order.
fn scattered<Q: Queue>(crowd: Crowd<Q>, seed: u64) -> Crowd<Q> {
    let Crowd {
        mut queue,
        mut afters,
        handles,
        sum,
    } = crowd;
    // Armed all over again, since handles of what stays were not kept.
    let size = afters.len();
    handles
        .into_iter()
        .for_each(|handle| _ = queue.cancel(handle));
    let armed = (0..ACTIVE_EACH * size).map(|n| {
        let after = after(seed + 1, n);
        (queue.arm(after, after), after)
    });
    let mut all: Vec<(Q::Handle, u64)> = armed.collect();
    shuffle(&mut all, seed);
    afters.clear();
    let (handles, chosen): (Vec<Q::Handle>, Vec<u64>) = all.into_iter().take(size).unzip();
    afters.extend(chosen);
    Crowd {
        queue,
        afters,
        handles,
        sum,
    }
}

/// Arms, among the others.
pub struct Arming<Q: Queue>(pub Crowd<Q>);

impl<Q: Queue> Work for Arming<Q> {
    fn run(&mut self) {
        self.0.arm();
    }

    fn result(&mut self) -> u64 {
        self.0.cancel();
        self.0.sum
    }

    fn needs_reset(&self) -> bool {
        true
    }

    fn reset(&mut self) {
        self.0.cancel();
    }
}

/// Cancels what was armed among the others.
pub struct Cancelling<Q: Queue>(pub Crowd<Q>);

impl<Q: Queue> Work for Cancelling<Q> {
    fn run(&mut self) {
        self.0.cancel();
    }

    fn result(&mut self) -> u64 {
        self.0.sum
    }

    fn needs_reset(&self) -> bool {
        true
    }

    fn reset(&mut self) {
        if self.0.handles.is_empty() {
            self.0.arm();
        }
    }
}

/// Gives out everything, tick by tick.
struct Expiring<Q> {
    queue: Q,
    size: usize,
    seed: u64,
    sum: u64,
}

impl<Q: Expire> Expiring<Q> {
    fn new(queue: Q, size: usize, seed: u64) -> Self {
        Self {
            queue,
            size,
            seed,
            sum: 0,
        }
    }
}

impl<Q: Expire> Work for Expiring<Q> {
    fn run(&mut self) {
        let mut sum = DIGEST_START;
        self.queue
            .run_ticks(SPREAD, &mut |value| sum = mix(sum, value));
        self.sum = sum;
    }

    fn result(&mut self) -> u64 {
        self.sum
    }

    fn needs_reset(&self) -> bool {
        true
    }

    fn reset(&mut self) {
        // A multiple of the spread has passed, so each reset fills the wheel alike.
        for n in 0..self.size {
            self.queue.arm(after(self.seed, n), n as u64);
        }
    }
}

/// Ticks in which nothing is due.
struct Idling {
    timers: Timers<u64>,
    ticks: usize,
    found: u64,
}

fn idling(size: usize, seed: u64) -> Box<dyn Work> {
    let mut timers = Timers::new();
    for n in 0..ACTIVE_EACH * size {
        timers.arm_after((1 << 50) + after(seed, n), n as u64);
    }
    Box::new(Idling {
        timers,
        ticks: size,
        found: 0,
    })
}

impl Work for Idling {
    fn run(&mut self) {
        for _ in 0..self.ticks {
            let tick = black_box(self.timers.now() + 1);
            self.found += self.timers.expire(tick).count() as u64;
        }
    }

    fn result(&mut self) -> u64 {
        self.found
    }
}

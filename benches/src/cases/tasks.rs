//! Scripts: spawning and running them, and having them wait for the next tick.
//!
//! R is the obvious way to run many futures: each in a box of its own, in a queue.

use std::cell::Cell;
use std::collections::VecDeque;
use std::hint::black_box;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult};
use orrery::fibres::WorldFibres;
use orrery::task::WorldTasks;
use orrery_ecs::World;

use super::SEED;
use crate::harness::{Case, Expected, Goal, Work};

const SPAWN: Case = Case {
    name: "task_spawn_run",
    reference: Some("task_spawn_run_reference"),
    smoke: 100,
    full: 10_000,
    seed: SEED,
    bytes_each: 0,
    goal: Goal::NanosEachMax(40.0),
    expected: Expected {
        smoke: 4_950,
        full: 49_995_000,
    },
    prepare: |size, _| Box::new(Spawning::new(size, with_handle)),
};

const NEXT_TICK: Case = Case {
    name: "task_next_tick",
    reference: None,
    goal: Goal::Open,
    expected: Expected {
        smoke: 100,
        full: 10_000,
    },
    prepare: |size, _| Box::new(Waiting::new(size, spawn_script)),
    ..SPAWN
};

pub(super) fn cases() -> Vec<Case> {
    vec![
        Case {
            name: "task_spawn_run_reference",
            reference: None,
            goal: Goal::Open,
            prepare: |size, _| Box::new(Boxes::new(size)),
            ..SPAWN
        },
        SPAWN,
        Case {
            name: "task_spawn_run_detached",
            prepare: |size, _| Box::new(Spawning::new(size, detached)),
            ..SPAWN
        },
        NEXT_TICK,
        Case {
            name: "fibre_next_tick",
            reference: Some("task_next_tick"),
            prepare: |size, _| Box::new(Waiting::new(size, spawn_fibre)),
            ..NEXT_TICK
        },
        Case {
            name: "fibre_switch",
            goal: Goal::NanosEachMax(2.5),
            prepare: |size, _| Box::new(Switching::new(size)),
            ..NEXT_TICK
        },
    ]
}

thread_local! {
    /// What the works of this thread did. Theirs is one thread, so this costs least.
    static SUM: Cell<u64> = const { Cell::new(0) };
}

/// Adds to what the works of this thread did: what each task does.
#[inline]
pub fn add(value: u64) {
    SUM.set(SUM.get() + black_box(value));
}

/// What was added since the last call.
pub fn take_sum() -> u64 {
    SUM.take()
}

/// Spawns scripts that end in their first turn, and runs them.
struct Spawning<F> {
    world: World,
    /// A type of its own, so that its loop is compiled alone.
    spawn: F,
    size: usize,
    tick: u64,
    sum: u64,
}

/// The handle is made and let go.
fn with_handle(world: &mut World, number: u64) {
    world.spawn_task(async move |_| add(number)).detach();
}

fn detached(world: &mut World, number: u64) {
    world.spawn_task_detached(async move |_| add(number));
}

impl<F: Fn(&mut World, u64)> Spawning<F> {
    fn new(size: usize, spawn: F) -> Self {
        let mut work = Self {
            world: World::new(),
            spawn,
            size,
            tick: 0,
            sum: 0,
        };
        // Warm: slots and boxes are there.
        work.run();
        work
    }
}

impl<F: Fn(&mut World, u64)> Work for Spawning<F> {
    fn run(&mut self) {
        for number in 0..self.size as u64 {
            (self.spawn)(&mut self.world, number);
        }
        self.tick += 1;
        self.world.run_tasks(self.tick);
        self.sum = take_sum();
    }

    fn result(&mut self) -> u64 {
        self.sum
    }
}

/// R.
struct Boxes {
    queue: VecDeque<Pin<Box<dyn Future<Output = ()>>>>,
    size: usize,
    sum: u64,
}

impl Boxes {
    fn new(size: usize) -> Self {
        let queue = VecDeque::with_capacity(size);
        let sum = 0;
        Self { queue, size, sum }
    }
}

impl Work for Boxes {
    fn run(&mut self) {
        for number in 0..self.size as u64 {
            self.queue.push_back(Box::pin(async move { add(number) }));
        }
        let mut cx = Context::from_waker(Waker::noop());
        while let Some(mut task) = self.queue.pop_front() {
            if task.as_mut().poll(&mut cx) == Poll::Pending {
                self.queue.push_back(task);
            }
        }
        self.sum = take_sum();
    }

    fn result(&mut self) -> u64 {
        self.sum
    }
}

/// A tick in which everybody waits for the next one.
struct Waiting {
    world: World,
    tick: u64,
    sum: u64,
}

impl Waiting {
    fn new(size: usize, spawn: fn(&mut World)) -> Self {
        let mut world = World::new();
        (0..size).for_each(|_| spawn(&mut world));
        let (tick, sum) = (0, 0);
        let mut work = Self { world, tick, sum };
        work.run();
        work
    }
}

fn spawn_script(world: &mut World) {
    let script = async |script: orrery::task::Script| {
        loop {
            add(1);
            script.next_tick().await;
        }
    };
    world.spawn_task(script).detach();
}

fn spawn_fibre(world: &mut World) {
    let fibre = |fibre: &orrery::fibres::Fibre<'_>| {
        loop {
            add(1);
            fibre.next_tick();
        }
    };
    world.spawn_fibre::<(), _>(fibre).detach();
}

impl Work for Waiting {
    fn run(&mut self) {
        self.tick += 1;
        self.world.run_tasks(self.tick);
        self.sum = take_sum();
    }

    fn result(&mut self) -> u64 {
        self.sum
    }
}

/// The switch that fibres stand on, there and back for every second one, without a script.
struct Switching {
    routine: Coroutine<(), (), (), DefaultStack>,
    size: usize,
    sum: u64,
}

impl Switching {
    fn new(size: usize) -> Self {
        let stack = DefaultStack::new(orrery::fibres::STACK_BYTES);
        let stack = stack.expect("there is memory for one stack");
        let routine = Coroutine::with_stack(stack, |suspend, ()| {
            loop {
                suspend.suspend(());
            }
        });
        let sum = 0;
        Self { routine, size, sum }
    }
}

impl Work for Switching {
    fn run(&mut self) {
        self.sum = 0;
        for _ in 0..self.size / 2 {
            if let CoroutineResult::Yield(()) = self.routine.resume(()) {
                self.sum += 2;
            }
        }
    }

    fn result(&mut self) -> u64 {
        self.sum
    }
}

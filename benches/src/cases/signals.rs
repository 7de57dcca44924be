//! Signals: events that are triggered and heard at once by the observers that are there.
//!
//! R is a list of boxed closures, which is what a signal is without a world: no parameters, no
//! change ticks, no order of registration over types, nobody who comes or goes while it is heard.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use orrery_ecs::{Commands, Event, On, ResMut, Resource, World};

use super::SEED;
use crate::harness::{Case, Expected, Goal, Work};

/// What is triggered.
#[derive(Clone, Copy, Event)]
struct Ping(u64);

/// An event that somebody hears in every world here, so that a world is asked for one among others.
#[derive(Clone, Copy, Event)]
struct Other;

const SIGNALS: usize = 1_000;

const fn sum(size: usize, listeners: u64) -> u64 {
    let size = size as u64;
    listeners * (size * (size - 1) / 2)
}

const fn case(
    name: &'static str,
    reference: Option<&'static str>,
    listeners: u64,
    prepare: fn(usize, u64) -> Box<dyn Work>,
) -> Case {
    Case {
        name,
        reference,
        smoke: 100,
        full: SIGNALS,
        seed: SEED,
        bytes_each: 0,
        goal: Goal::Open,
        expected: Expected {
            smoke: sum(100, listeners),
            full: sum(SIGNALS, listeners),
        },
        prepare,
    }
}

pub(super) fn cases() -> Vec<Case> {
    let with_goal = |nanos, case| Case {
        goal: Goal::NanosEachMax(nanos),
        ..case
    };
    let (none, one, ten) = (
        "signal_none_reference",
        "signal_1_reference",
        "signal_10_reference",
    );
    vec![
        case(none, None, 0, |size, _| closures(size, 0)),
        case(one, None, 1, |size, _| closures(size, 1)),
        case(ten, None, 10, |size, _| closures(size, 10)),
        with_goal(
            0.75,
            case("signal_none", Some(none), 0, |size, _| heard(size, 0)),
        ),
        with_goal(
            2.1,
            case("signal_1", Some(one), 1, |size, _| heard(size, 1)),
        ),
        with_goal(
            17.0,
            case("signal_10", Some(ten), 10, |size, _| heard(size, 10)),
        ),
        case("signal_1_resource", Some(one), 1, |size, _| written(size)),
        case("signal_1_commands", Some(one), 1, |size, _| deferred(size)),
    ]
}

/// A number that several closures of one thread add to, as cheaply as a `Cell`.
#[derive(Clone, Debug, Default)]
pub struct Count(Arc<AtomicU64>);

impl Count {
    /// Adds to it.
    pub fn add(&self, number: u64) {
        let before = self.0.load(Ordering::Relaxed);
        self.0.store(before.wrapping_add(number), Ordering::Relaxed);
    }

    /// The sum.
    #[must_use]
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// A world that is told of numbers, and where their sum is found.
struct Signals {
    world: World,
    size: u64,
    sum: fn(&World, &[Count]) -> u64,
    counts: Vec<Count>,
}

impl Signals {
    fn boxed(
        world: World,
        size: usize,
        counts: Vec<Count>,
        sum: fn(&World, &[Count]) -> u64,
    ) -> Box<dyn Work> {
        let mut world = world;
        world.add_observer(|_: On<Other>, _: Commands| ());
        world.trigger(Other);
        Box::new(Self {
            world,
            size: size as u64,
            sum,
            counts,
        })
    }
}

impl Work for Signals {
    fn run(&mut self) {
        for number in 0..self.size {
            // As if somebody else could have added an observer since.
            black_box(&mut self.world).trigger(Ping(number));
        }
    }

    fn result(&mut self) -> u64 {
        (self.sum)(&self.world, &self.counts)
    }
}

fn sum_of(_: &World, counts: &[Count]) -> u64 {
    counts.iter().map(Count::get).sum()
}

/// Listeners that need nothing of the world.
fn heard(size: usize, listeners: usize) -> Box<dyn Work> {
    let mut world = World::new();
    let counts: Vec<Count> = (0..listeners).map(|_| Count::default()).collect();
    for count in &counts {
        let count = count.clone();
        world.add_observer(move |on: On<Ping>| count.add(on.event().0));
    }
    Signals::boxed(world, size, counts, sum_of)
}

#[derive(Clone, Default, Resource)]
struct Sum(u64);

/// A listener that writes a resource.
fn written(size: usize) -> Box<dyn Work> {
    let mut world = World::new();
    world.init_resource::<Sum>();
    world.add_observer(|on: On<Ping>, mut sum: ResMut<Sum>| {
        sum.0 = sum.0.wrapping_add(on.event().0);
    });
    Signals::boxed(world, size, Vec::new(), |world, _| {
        world.resource::<Sum>().0
    })
}

/// A listener that could ask for anything and asks for nothing.
fn deferred(size: usize) -> Box<dyn Work> {
    let mut world = World::new();
    let count = Count::default();
    let heard = count.clone();
    world.add_observer(move |on: On<Ping>, _: Commands| heard.add(on.event().0));
    Signals::boxed(world, size, vec![count], sum_of)
}

type Closure = Box<dyn Fn(&Ping)>;

/// R.
struct Closures {
    list: Vec<Closure>,
    size: u64,
    counts: Vec<Count>,
}

impl Work for Closures {
    fn run(&mut self) {
        for number in 0..self.size {
            let ping = Ping(number);
            for closure in black_box(&mut self.list).iter() {
                closure(&ping);
            }
        }
    }

    fn result(&mut self) -> u64 {
        self.counts.iter().map(Count::get).sum()
    }
}

fn closures(size: usize, listeners: usize) -> Box<dyn Work> {
    let counts: Vec<Count> = (0..listeners).map(|_| Count::default()).collect();
    let closure = |count: Count| Box::new(move |ping: &Ping| count.add(ping.0)) as Closure;
    Box::new(Closures {
        list: counts.iter().cloned().map(closure).collect(),
        size: size as u64,
        counts,
    })
}

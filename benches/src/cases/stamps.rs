//! What asking for the time costs: a stamp, and a tick's own clock.

use std::hint::black_box;
use std::time::Instant;

use orrery::stamps::{Stamp, TickClock};

use super::SEED;
use crate::harness::{Case, Expected, Goal, Work};

pub(super) fn cases() -> Vec<Case> {
    let now = Case {
        name: "stamp_now",
        reference: Some("stamp_instant_time"),
        smoke: 100,
        full: 10_000,
        seed: SEED,
        bytes_each: 0,
        goal: Goal::NanosEachMax(12.0),
        expected: Expected::both(0),
        prepare: |size, _| asking(size, Stamp::now),
    };
    vec![
        Case {
            name: "stamp_instant_time",
            reference: None,
            goal: Goal::Open,
            prepare: |size, _| asking(size, Instant::now),
            ..now
        },
        now,
        Case {
            name: "stamp_in_tick",
            goal: Goal::NanosEachMax(0.5),
            prepare: |size, _| reading(size),
            ..now
        },
    ]
}

/// Asks again and again, and counts how often time went back.
struct Asking<N, T> {
    now: N,
    size: usize,
    last: T,
    back: u64,
}

fn asking<T: Copy + Ord + 'static>(size: usize, now: impl Fn() -> T + 'static) -> Box<dyn Work> {
    let last = now();
    Box::new(Asking {
        now,
        size,
        last,
        back: 0,
    })
}

impl<N: Fn() -> T, T: Copy + Ord> Work for Asking<N, T> {
    fn run(&mut self) {
        let mut last = self.last;
        let back = (0..self.size).map(|_| {
            let now = (self.now)();
            let back = u64::from(now < last);
            last = now;
            back
        });
        self.back += back.sum::<u64>();
        self.last = last;
    }

    fn result(&mut self) -> u64 {
        self.back
    }
}

/// Reads a tick's own clock and adds up what it says.
struct Reading {
    clock: TickClock,
    size: u64,
    sum: u64,
}

fn reading(size: usize) -> Box<dyn Work> {
    let mut clock = TickClock::new();
    clock.begin();
    Box::new(Reading {
        clock,
        size: size as u64,
        sum: 0,
    })
}

impl Work for Reading {
    fn run(&mut self) {
        // Four at a time: else the loop is what is measured.
        let reads = (0..self.size / 4).map(|_| {
            let four = [(); 4].map(|()| black_box(&self.clock).now_ns());
            four.iter().fold(0, |sum: u64, &ns| sum.wrapping_add(ns))
        });
        self.sum = reads.fold(0, u64::wrapping_add);
    }

    fn result(&mut self) -> u64 {
        u64::from(self.sum != self.clock.now_ns().wrapping_mul(self.size))
    }
}

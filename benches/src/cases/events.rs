//! Events: sending them, and reading them, through the parameters of systems.
//!
//! R is a ring without readers, numbers or limits: what is left of a queue if nothing is asked of
//! it. One reader reads all in every round, so the queue is warm and holds two rounds.

use std::collections::VecDeque;
use std::hint::black_box;

use orrery::event::{EventReader, EventWriter};
use orrery_ecs::{Event, IntoSystem, Res, ResMut, Resource, Serial, StateHash, System, World};

use super::SEED;
use super::population::DIGEST_START;
use crate::harness::{Case, Expected, Goal, Work};

/// 16 bytes, as a hit or a collision is.
#[derive(Clone, Copy, Event, StateHash)]
struct Hit {
    target: u64,
    damage: u64,
}

fn hit(number: u64, seed: u64) -> Hit {
    Hit {
        target: number ^ seed,
        damage: number,
    }
}

fn digest(hash: u64, hit: Hit) -> u64 {
    (hash ^ hit.target).wrapping_mul(0x0100_0000_01b3) ^ hit.damage
}

const READ: Case = Case {
    name: "events_read_10k",
    reference: Some("events_read_10k_reference"),
    smoke: 100,
    full: 10_000,
    seed: SEED,
    bytes_each: 0,
    goal: Goal::NanosEachMax(4.0),
    expected: Expected {
        smoke: 0x44da_47e6_1990_8d7d,
        full: 0x5bcc_6be8_545e_f665,
    },
    prepare: |size, seed| Box::new(Reading(queue(size, seed))),
};

const SEND: Case = Case {
    name: "events_send_10k",
    reference: Some("events_send_10k_reference"),
    prepare: |size, seed| Box::new(Sending(queue(size, seed))),
    ..READ
};

pub(super) fn cases() -> Vec<Case> {
    vec![
        SEND,
        Case {
            name: "events_send_10k_reference",
            reference: None,
            goal: Goal::Open,
            prepare: |size, seed| Box::new(SendingByHand(ring(size, seed))),
            ..SEND
        },
        READ,
        Case {
            name: "events_read_10k_reference",
            reference: None,
            goal: Goal::Open,
            prepare: |size, seed| Box::new(ReadingByHand(ring(size, seed))),
            ..READ
        },
    ]
}

/// How many events a run sends, and the seed of their contents.
#[derive(Clone, Copy, Resource)]
struct Load {
    size: u64,
    seed: u64,
}

/// What was read last.
#[derive(Clone, Copy, Resource)]
struct Digest(u64);

fn send(mut hits: EventWriter<Hit>, load: Res<Load>) {
    for number in 0..load.size {
        hits.send(hit(number, load.seed));
    }
}

fn read(mut hits: EventReader<Hit>, mut found: ResMut<Digest>) {
    found.0 = hits
        .read()
        .fold(DIGEST_START, |hash, &hit| digest(hash, hit));
}

struct Queue {
    world: World,
    send: Box<dyn System>,
    read: Box<dyn System>,
}

fn queue(size: usize, seed: u64) -> Queue {
    let mut world = World::new();
    world.insert_resource(Load {
        size: size as u64,
        seed,
    });
    world.insert_resource(Digest(0));
    let mut queue = Queue {
        world,
        send: Box::new(send.into_system()),
        read: Box::new(read.into_system()),
    };
    // The rounds that follow find memory for two.
    for _ in 0..3 {
        queue.send();
        queue.read();
    }
    queue
}

impl Queue {
    fn send(&mut self) {
        let ran = self.send.run(&mut self.world, &Serial);
        ran.expect("its queue has room");
    }

    fn read(&mut self) -> u64 {
        let ran = self.read.run(&mut self.world, &Serial);
        ran.expect("its queue is there");
        self.world.resource::<Digest>().0
    }
}

struct Sending(Queue);

impl Work for Sending {
    fn run(&mut self) {
        self.0.send();
    }

    fn result(&mut self) -> u64 {
        self.0.read()
    }

    fn needs_reset(&self) -> bool {
        true
    }

    fn reset(&mut self) {
        self.0.read();
    }
}

struct Reading(Queue);

impl Work for Reading {
    fn run(&mut self) {
        self.0.read();
    }

    fn result(&mut self) -> u64 {
        self.0.world.resource::<Digest>().0
    }

    fn needs_reset(&self) -> bool {
        true
    }

    fn reset(&mut self) {
        self.0.read();
        self.0.send();
    }
}

/// R.
struct Ring {
    hits: VecDeque<Hit>,
    size: u64,
    seed: u64,
    found: u64,
}

fn ring(size: usize, seed: u64) -> Ring {
    let mut ring = Ring {
        hits: VecDeque::new(),
        size: size as u64,
        seed,
        found: 0,
    };
    ring.send();
    ring.read();
    ring
}

impl Ring {
    fn send(&mut self) {
        for number in 0..black_box(self.size) {
            self.hits.push_back(hit(number, self.seed));
        }
    }

    fn read(&mut self) {
        let hits = self.hits.iter();
        self.found = hits.fold(DIGEST_START, |hash, &hit| digest(hash, hit));
        self.hits.clear();
    }
}

struct SendingByHand(Ring);

impl Work for SendingByHand {
    fn run(&mut self) {
        self.0.send();
    }

    fn result(&mut self) -> u64 {
        self.0.read();
        self.0.found
    }

    fn needs_reset(&self) -> bool {
        true
    }

    fn reset(&mut self) {
        self.0.read();
    }
}

struct ReadingByHand(Ring);

impl Work for ReadingByHand {
    fn run(&mut self) {
        self.0.read();
    }

    fn result(&mut self) -> u64 {
        self.0.found
    }

    fn needs_reset(&self) -> bool {
        true
    }

    fn reset(&mut self) {
        self.0.read();
        self.0.send();
    }
}

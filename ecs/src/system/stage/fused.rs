//! Chunk systems over common blocks: all of them on the first block, then all on the next.
//!
//! A block that one system has written is still in the cache when the next one reads it, so four
//! systems over a world larger than the cache take about half of the time of four passes.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

use smallvec::SmallVec;

use crate::archetype::ArchetypeId;
use crate::panics::drop_quietly;
use crate::query::{BlockRunner, run_each_once};
use crate::storage::lock::lock;
use crate::system::SystemError;
use crate::system::parts::{BlockParts, OpenBlocks};
use crate::world::World;

/// Where each of the systems has the archetypes that any of them visits; kept for its memory.
#[derive(Debug, Default)]
pub(super) struct Common {
    /// Number of the first block of each archetype, and behind them the number of all.
    starts: Vec<usize>,
    /// For each archetype the place that it has with each system.
    places: Vec<Option<u32>>,
}

impl Common {
    fn find(&mut self, systems: &[&dyn OpenBlocks]) {
        self.starts.clear();
        self.places.clear();
        let mut heads: SmallVec<[usize; 8]> = systems.iter().map(|_| 0).collect();
        let mut next = 0;
        loop {
            let head = |(system, &at): (&&dyn OpenBlocks, &usize)| {
                (at < system.archetype_count()).then(|| system.archetype(at))
            };
            let all = systems.iter().zip(&heads).filter_map(head);
            let Some(first) = all.min_by_key(|id: &ArchetypeId| id.index()) else {
                break;
            };
            self.starts.push(next);
            let mut blocks = 0;
            for (system, at) in systems.iter().zip(&mut heads) {
                let here = *at < system.archetype_count() && system.archetype(*at) == first;
                self.places.push(here.then_some(*at as u32));
                if here {
                    blocks = system.block_count(*at);
                    *at += 1;
                }
            }
            next += blocks;
        }
        self.starts.push(next);
    }

    fn count(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }
}

/// Which of the systems ended badly, counted from 0, and how.
pub(super) enum Failure {
    Failed(usize, SystemError),
    Panicked(usize, Box<dyn Any + Send>),
}

/// Runs opened chunk systems over their common blocks.
///
/// A panic stops its block for the systems behind it, and no other block; the first system that
/// panicked is named, with the panic of its lowest block.
///
/// # Safety
/// As `SystemParts::execute` for each of them, and no two of them exclude each other but by rows
/// of the same block.
pub(super) unsafe fn execute(
    systems: &mut [&mut dyn BlockParts],
    world: &World,
    runner: &dyn BlockRunner,
    common: &mut Common,
) -> Result<(), Failure> {
    let mut run = Fused {
        world,
        runner,
        common,
        failure: None,
    };
    // SAFETY: passed on from the caller.
    unsafe { run.open(systems, None) };
    run.failure.map_or(Ok(()), Err)
}

/// The systems opened so far, the last one first.
struct Opened<'a> {
    blocks: &'a dyn OpenBlocks,
    before: Option<&'a Opened<'a>>,
}

/// A panic, the system that it came from, and the block.
type Caught = ((usize, usize), Box<dyn Any + Send>);

struct Fused<'a> {
    world: &'a World,
    runner: &'a dyn BlockRunner,
    common: &'a mut Common,
    failure: Option<Failure>,
}

impl Fused<'_> {
    /// Opens the systems one inside the other, and visits the blocks of all. One that cannot be
    /// opened ends the run behind those before it.
    ///
    /// # Safety
    /// As `execute`.
    unsafe fn open(&mut self, systems: &mut [&mut dyn BlockParts], opened: Option<&Opened<'_>>) {
        let Some((first, rest)) = systems.split_first_mut() else {
            // SAFETY: passed on from the caller.
            return unsafe { self.visit(opened) };
        };
        let world = self.world;
        let mut open_rest = |blocks: &dyn OpenBlocks| {
            let opened = Opened {
                blocks,
                before: opened,
            };
            // SAFETY: passed on from the caller.
            unsafe { self.open(rest, Some(&opened)) };
        };
        // SAFETY: passed on from the caller.
        let result = unsafe { first.open_blocks(world, &mut open_rest) };
        if let Err(error) = result {
            let before = count(opened);
            // SAFETY: passed on from the caller.
            unsafe { self.visit(opened) };
            self.failure.get_or_insert(Failure::Failed(before, error));
        }
    }

    /// # Safety
    /// As `execute`.
    unsafe fn visit(&mut self, opened: Option<&Opened<'_>>) {
        let mut systems: SmallVec<[&dyn OpenBlocks; 8]> = SmallVec::new();
        let mut next = opened;
        while let Some(Opened { blocks, before }) = next {
            systems.push(*blocks);
            next = *before;
        }
        systems.reverse();
        if systems.is_empty() {
            return;
        }
        self.common.find(&systems);
        let common = &*self.common;
        let caught: Mutex<Option<Caught>> = Mutex::new(None);
        run_each_once(self.runner, common.count(), |index| {
            let at = common.starts.partition_point(|&start| start <= index) - 1;
            let block = index - common.starts[at];
            let places = &common.places[at * systems.len()..][..systems.len()];
            for (number, (system, place)) in systems.iter().zip(places).enumerate() {
                let Some(place) = *place else {
                    continue;
                };
                let visited = catch_unwind(AssertUnwindSafe(|| {
                    // SAFETY: `run_each_once` gives each block to one call, which lets one system
                    // after the other have it.
                    unsafe { system.visit(place as usize, block) };
                }));
                if let Err(panic) = visited {
                    keep_first(&caught, (number, index), panic);
                    break;
                }
            }
        });
        if let Some(((number, _), panic)) = lock(&caught).take() {
            self.failure = Some(Failure::Panicked(number, panic));
        }
    }
}

fn count(opened: Option<&Opened<'_>>) -> usize {
    std::iter::successors(opened, |opened| opened.before).count()
}

/// Keeps the panic that comes first in the order of systems and blocks.
fn keep_first(caught: &Mutex<Option<Caught>>, at: (usize, usize), panic: Box<dyn Any + Send>) {
    let mut kept = lock(caught);
    let loser = match &*kept {
        Some((first, _)) if *first < at => Some(panic),
        _ => kept.replace((at, panic)).map(|(_, loser)| loser),
    };
    drop(kept);
    drop_quietly(loser);
}

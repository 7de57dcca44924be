//! Many threads: rows and chunks of a query, block by block.

use std::sync::atomic::{AtomicU64, Ordering};

use smallvec::SmallVec;

use super::iter::Opened;
use super::source::{BlockRows, blocks};
use super::state::MatchedBy;
use super::{ArchetypeFilter, ChunkQueryData, Query, QueryData, QueryFilter};

/// Runs independent pieces of work, numbered from 0, in any order and on any threads.
///
/// The engine's worker pool is one; [`Serial`] runs them one after the other.
///
/// A runner that gives a number twice, or one that is none of these, makes the body panic before
/// it touches anything; one that leaves a number out makes the caller panic.
///
/// ```
/// use orrery_ecs::{BlockRunner, Component, World};
/// /// A thread for each piece of work.
/// struct Threads;
/// impl BlockRunner for Threads {
///     fn for_each(&self, count: usize, body: &(dyn Fn(usize) + Sync)) {
///         std::thread::scope(|scope| {
///             for index in 0..count {
///                 scope.spawn(move || body(index));
///             }
///         });
///     }
/// }
/// #[derive(Clone, Copy, Component)]
/// struct Number(u32);
/// let mut world = World::new();
/// world.spawn_batch((0..10_000).map(Number));
/// let mut query = world.query::<&mut Number>();
/// query.view_mut(&mut world).par_for_each(&Threads, |number| number.0 *= 2);
/// assert_eq!(query.iter(&world).map(|number| number.0).max(), Some(19_998));
/// ```
pub trait BlockRunner: Sync {
    /// Calls `body` once for each number below `count` and returns when all calls have.
    fn for_each(&self, count: usize, body: &(dyn Fn(usize) + Sync));

    /// How many threads it has, the caller's included. With more than one, systems of a
    /// [`Stage`](crate::Stage) may run at the same time.
    fn threads(&self) -> usize {
        1
    }

    /// About how many nanoseconds it takes now until another thread has begun to work: what is
    /// shorter is not given away. The result never depends on it.
    fn handoff_ns(&self) -> u64 {
        20_000
    }
}

/// Runs pieces of work on the caller's thread, in order.
#[derive(Clone, Copy, Debug, Default)]
pub struct Serial;

impl BlockRunner for Serial {
    fn for_each(&self, count: usize, body: &(dyn Fn(usize) + Sync)) {
        (0..count).for_each(body);
    }
}

/// Runs a piece of work for each number below `count`, and for none twice.
///
/// Any safe code may be a runner, and two calls for one block would share what only one may have,
/// so the numbers given out are remembered: a bit for each, one atomic operation for a block.
pub(crate) fn run_each_once(runner: &dyn BlockRunner, count: usize, body: impl Fn(usize) + Sync) {
    let words = count.div_ceil(64);
    let given: SmallVec<[AtomicU64; 8]> = (0..words).map(|_| AtomicU64::new(0)).collect();
    runner.for_each(count, &|index| {
        assert!(index < count, "the runner gave block {index} of {count}");
        let bit = 1 << (index % 64);
        // Relaxed: it orders nothing, and a read-modify-write sees the newest value anyway.
        let before = given[index / 64].fetch_or(bit, Ordering::Relaxed);
        assert!(before & bit == 0, "the runner gave block {index} twice");
        body(index);
    });
    let done = given
        .iter()
        .map(|word| word.load(Ordering::Relaxed).count_ones());
    let done = done.sum::<u32>() as usize;
    assert!(done == count, "the runner gave {done} blocks of {count}");
}

impl<D: QueryData, F: QueryFilter> Query<'_, '_, D, F> {
    /// Every block of the matching archetypes, in order.
    pub(super) fn blocks(&self) -> impl Iterator<Item = (MatchedBy<D, F>, BlockRows)> {
        self.matches.list.iter().flat_map(|&matched| {
            let archetype = self.look.world.archetype(matched.archetype);
            blocks(archetype, 0).map(move |block| (matched, block))
        })
    }

    /// Calls a function for each matching entity, block by block on the threads of a runner. The
    /// result is the same on any number of threads, since no call sees another's entity.
    ///
    /// # Cost
    /// Collects the list of blocks, then one piece of work for each.
    ///
    /// # Panics
    /// When the function does, or the runner leaves out a number or gives one twice.
    ///
    /// ```
    /// use orrery_ecs::{Component, Serial, World};
    /// #[derive(Clone, Copy, Component)]
    /// struct Position(f32);
    /// let mut world = World::new();
    /// world.spawn_batch((0..10_000).map(|i| Position(i as f32)));
    /// let mut query = world.query::<&mut Position>();
    /// query.view_mut(&mut world).par_for_each(&Serial, |position| position.0 *= 0.5);
    /// assert_eq!(query.iter(&world).last().map(|position| position.0), Some(4999.5));
    /// ```
    pub fn par_for_each(&mut self, runner: &dyn BlockRunner, each: impl Fn(D::Item<'_>) + Sync) {
        let (look, list) = (self.look, self.blocks().collect::<Vec<_>>());
        run_each_once(runner, list.len(), |index| {
            let (matched, block) = &list[index];
            let archetype = look.world.archetype(matched.archetype);
            // SAFETY: the query has the exclusive right to what it writes, and `run_each_once`
            // gives each block to one call.
            let opened = unsafe { Opened::<D, F>::new(matched, archetype, *block, look) };
            let Some((opened, first)) = opened else {
                return;
            };
            for row in first..block.rows {
                // SAFETY: the block has the row.
                if Opened::<D, F>::BY_ROW && !unsafe { opened.has_row(row) } {
                    continue;
                }
                // SAFETY: as above, it matches, and its item ends before the next one is made.
                each(unsafe { D::item(opened.data, row) });
            }
        });
    }

    /// Calls a function for each block on the threads of a runner. The result is the same on any
    /// number of threads, since no call sees another's block.
    ///
    /// # Cost
    /// Collects the list of blocks, then one call for each.
    ///
    /// # Panics
    /// As [`par_for_each`](Self::par_for_each).
    ///
    /// ```
    /// use orrery_ecs::{Component, Serial, World};
    /// #[derive(Clone, Copy, Component)]
    /// struct Position(f32);
    /// let mut world = World::new();
    /// world.spawn_batch((0..10_000).map(|i| Position(i as f32)));
    /// let mut query = world.query::<&mut Position>();
    /// query.view_mut(&mut world).par_for_each_chunk(&Serial, |positions| {
    ///     positions.iter_mut().for_each(|position| position.0 *= 0.5);
    /// });
    /// assert_eq!(query.iter(&world).last().map(|position| position.0), Some(4999.5));
    /// ```
    pub fn par_for_each_chunk(
        &mut self,
        runner: &dyn BlockRunner,
        each: impl Fn(D::Slices<'_>) + Sync,
    ) where
        D: ChunkQueryData,
        F: ArchetypeFilter,
    {
        let (look, list) = (self.look, self.blocks().collect::<Vec<_>>());
        run_each_once(runner, list.len(), |index| {
            let (matched, block) = &list[index];
            let archetype = look.world.archetype(matched.archetype);
            // SAFETY: the query has the exclusive right to what it writes, and `run_each_once`
            // gives each block to one call.
            let fetch = unsafe { D::fetch(matched.columns, archetype, *block, look) };
            // SAFETY: the block has that many rows, and these are its only slices.
            each(unsafe { D::slices(fetch, block.rows) });
        });
    }
}

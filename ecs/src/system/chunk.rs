//! Systems made of functions of one chunk.

use std::any::type_name;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use super::access::SystemAccess;
use super::once::RunOnce;
use super::param::{BlockOf, ChunkParam, TakenLanes};
use super::parts::{BlockParts, OpenBlocks, OwnLane, SystemParts};
use super::run::SystemState;
use super::states::SystemId;
use super::{IntoSystem, SharedParam, System, SystemError, SystemParam};
use crate::archetype::ArchetypeId;
use crate::query::{
    ArchetypeFilter, BlockRunner, Chunk, ChunkQueryData, Look, MatchedBy, Query, Serial,
    run_each_once,
};
use crate::world::World;

/// The first parameter of a chunk system, with its lifetime taken apart.
pub trait ChunkArgument {
    /// What the chunk gives.
    type Data: ChunkQueryData + 'static;
    /// Which archetypes it is limited to.
    type Filter: ArchetypeFilter + 'static;
}

impl<D: ChunkQueryData + 'static, F: ArchetypeFilter + 'static> ChunkArgument for Chunk<'_, D, F> {
    type Data = D;
    type Filter = F;
}

type ChunkOf<'w, C> = Chunk<'w, <C as ChunkArgument>::Data, <C as ChunkArgument>::Filter>;

/// A function of a chunk and shared parameters.
pub trait ChunkFunction<Marker>: Send + Sync + 'static {
    /// The chunk.
    type Chunk: ChunkArgument;
    /// The other parameters.
    type Params: SharedParam;
    /// Calls it for one block.
    fn call(
        &self,
        chunk: ChunkOf<'_, Self::Chunk>,
        params: <Self::Params as SystemParam>::Item<'_, '_>,
    );
}

/// The query of the chunk, and the other parameters.
type Params<F, M> = (
    ChunkParam<<F as ChunkFunction<M>>::Chunk>,
    <F as ChunkFunction<M>>::Params,
);

/// A system made of a function of one chunk.
pub struct ChunkSystem<F: ChunkFunction<M>, M> {
    function: F,
    state: SystemState<Params<F, M>>,
    /// Kept for its memory.
    starts: Vec<usize>,
    marker: PhantomData<fn() -> M>,
}

impl<F: ChunkFunction<M>, M: 'static> System for ChunkSystem<F, M>
where
    for<'w, 's> <F::Params as SystemParam>::Item<'w, 's>: Sync,
{
    fn name(&self) -> &'static str {
        self.state.name()
    }

    fn id(&self) -> Option<SystemId> {
        self.state.id()
    }

    fn is_send(&self) -> bool {
        <Params<F, M>>::SEND
    }

    fn access(&self) -> Option<&SystemAccess> {
        self.state.access()
    }

    fn initialize(&mut self, world: &mut World) -> Result<(), SystemError> {
        self.state.initialize(world)?;
        let access = self.state.access();
        let twice = access.and_then(|access| access.commands_twice(self.state.name()));
        twice.map_or(Ok(()), |conflict| Err(conflict.into()))
    }

    fn run(&mut self, world: &mut World, runner: &dyn BlockRunner) -> Result<(), SystemError> {
        self.initialize(world)?;
        let run = self.state.begin(world)?;
        let (function, state, starts) = (&self.function, &mut self.state, &mut self.starts);
        let view = &*world;
        let ran = catch_unwind(AssertUnwindSafe(|| {
            // SAFETY: begun above for this world; the exclusive borrow that this run has of it
            // keeps everybody else out until the last block is done.
            let (query, params) = unsafe { state.get(view, run) };
            let blocks = Blocks::<F, M>::new(function, &query, &params, starts);
            run_each_once(runner, blocks.count(), |index| {
                // SAFETY: `run_each_once` gives each block to one call, and the query, which is
                // not used otherwise, has the exclusive right to what it writes.
                unsafe { blocks.visit_numbered(index) };
            });
        }));
        match ran {
            Ok(()) => self.state.finish(world, run),
            Err(panic) => {
                self.state.abort(world, run);
                resume_unwind(panic);
            }
        }
    }

    fn is_owner_in(&self, world: &World, id: SystemId) -> bool {
        self.state.is_owner_in(world, id)
    }

    fn run_whole(
        &mut self,
        world: &mut World,
        runner: &dyn BlockRunner,
    ) -> Result<(), SystemError> {
        // A command of the system before it may have put another world here.
        if !self.state.is_of(world) {
            self.initialize(world)?;
        }
        self.state.open(world, None);
        // SAFETY: opened a line above, and the exclusive borrow of the world keeps everybody out.
        let ran = unsafe { self.execute(world, runner) };
        self.state.close(world, ran.is_ok());
        ran?;
        self.state.apply(world)
    }

    fn parts(&mut self) -> Option<&mut dyn SystemParts> {
        Some(self)
    }
}

// SAFETY: the chunk and the shared parameters touch what they claimed.
unsafe impl<F: ChunkFunction<M>, M: 'static> SystemParts for ChunkSystem<F, M>
where
    for<'w, 's> <F::Params as SystemParam>::Item<'w, 's>: Sync,
{
    fn open(&mut self, world: &mut World, lane: OwnLane) {
        self.state.open(world, lane.0);
    }

    unsafe fn execute(
        &mut self,
        world: &World,
        runner: &dyn BlockRunner,
    ) -> Result<(), SystemError> {
        // SAFETY: passed on from the caller.
        let (query, params) = unsafe { self.state.look(world) }?;
        let blocks = Blocks::<F, M>::new(&self.function, &query, &params, &mut self.starts);
        run_each_once(runner, blocks.count(), |index| {
            // SAFETY: `run_each_once` gives each block to one call, and nobody else touches what
            // the query excludes, by the caller.
            unsafe { blocks.visit_numbered(index) };
        });
        Ok(())
    }

    fn close(&mut self, world: &mut World, counts: bool) {
        self.state.close(world, counts);
    }

    fn take_lanes(&mut self, lanes: &mut TakenLanes) {
        self.state.take_lanes(lanes);
    }

    fn apply(&mut self, world: &mut World) -> Result<(), SystemError> {
        self.state.apply(world)
    }

    fn forget(&mut self) {
        self.state.forget();
    }

    fn as_blocks(&mut self) -> Option<&mut dyn BlockParts> {
        Some(self)
    }
}

// SAFETY: as above, and a chunk has the rows of one block.
unsafe impl<F: ChunkFunction<M>, M: 'static> BlockParts for ChunkSystem<F, M>
where
    for<'w, 's> <F::Params as SystemParam>::Item<'w, 's>: Sync,
{
    unsafe fn open_blocks(
        &mut self,
        world: &World,
        then: &mut dyn FnMut(&dyn OpenBlocks),
    ) -> Result<(), SystemError> {
        // SAFETY: passed on from the caller.
        let (query, params) = unsafe { self.state.look(world) }?;
        let blocks = Blocks::<F, M>::new(&self.function, &query, &params, &mut self.starts);
        then(&blocks);
        Ok(())
    }
}

type QueryOf<'w, 's, C> = Query<'w, 's, <C as ChunkArgument>::Data, <C as ChunkArgument>::Filter>;

/// The blocks of one run.
struct Blocks<'a, 'w, 's, F: ChunkFunction<M>, M> {
    function: &'a F,
    look: Look<'w>,
    matches: &'s [MatchOf<F, M>],
    params: &'a <F::Params as SystemParam>::Item<'w, 's>,
    /// Number of the first block of each archetype, and behind them the number of all.
    starts: &'a [usize],
}

type DataOf<F, M> = <<F as ChunkFunction<M>>::Chunk as ChunkArgument>::Data;
type FilterOf<F, M> = <<F as ChunkFunction<M>>::Chunk as ChunkArgument>::Filter;
type MatchOf<F, M> = MatchedBy<DataOf<F, M>, FilterOf<F, M>>;

impl<'a, 'w, 's, F: ChunkFunction<M>, M> Blocks<'a, 'w, 's, F, M> {
    fn new(
        function: &'a F,
        query: &QueryOf<'w, 's, F::Chunk>,
        params: &'a <F::Params as SystemParam>::Item<'w, 's>,
        starts: &'a mut Vec<usize>,
    ) -> Self {
        let (look, matches) = (query.look(), query.matched());
        starts.clear();
        let mut next = 0;
        for matched in matches {
            starts.push(next);
            next += look.world.archetype(matched.archetype).block_count();
        }
        starts.push(next);
        Self {
            function,
            look,
            matches,
            params,
            starts,
        }
    }

    /// # Safety
    /// As `OpenBlocks::visit`.
    unsafe fn visit_numbered(&self, index: usize)
    where
        for<'x, 'y> <F::Params as SystemParam>::Item<'x, 'y>: Sync,
    {
        let at = self.starts.partition_point(|&start| start <= index) - 1;
        // SAFETY: passed on from the caller.
        unsafe { self.visit(at, index - self.starts[at]) };
    }
}

impl<F: ChunkFunction<M>, M> OpenBlocks for Blocks<'_, '_, '_, F, M>
where
    for<'w, 's> <F::Params as SystemParam>::Item<'w, 's>: Sync,
{
    fn count(&self) -> usize {
        self.starts[self.matches.len()]
    }

    fn archetype_count(&self) -> usize {
        self.matches.len()
    }

    fn archetype(&self, at: usize) -> ArchetypeId {
        self.matches[at].archetype
    }

    fn block_count(&self, at: usize) -> usize {
        self.starts[at + 1] - self.starts[at]
    }

    unsafe fn visit(&self, at: usize, block: usize) {
        let of = BlockOf {
            index: self.starts[at] + block,
            count: self.count(),
        };
        // SAFETY: this is the block's only visit, and the query, which is not used otherwise, has
        // the exclusive right to what it writes, by the caller.
        let chunk = unsafe { Chunk::new(self.look, &self.matches[at], block) };
        // SAFETY: as above, and the run ends before what was put off is done.
        let params = unsafe { F::Params::share(self.params, of) };
        self.function.call(chunk, params);
    }
}

macro_rules! functions {
    ($($name:ident)*) => {
        impl<Func, Arg, $($name: SharedParam),*> ChunkFunction<fn(Arg, $($name),*)> for Func
        where
            Arg: ChunkArgument,
            Func: Send + Sync + 'static,
            for<'a> &'a Func:
                Fn(Arg, $($name),*) + Fn(ChunkOf<'_, Arg>, $($name::Item<'_, '_>),*),
        {
            type Chunk = Arg;
            type Params = ($($name,)*);

            #[inline]
            #[allow(non_snake_case, reason = "the type's own name stands for its value")]
            #[allow(unused_variables, reason = "a function of the chunk alone")]
            fn call(&self, chunk: ChunkOf<'_, Arg>, params: ($($name::Item<'_, '_>,)*)) {
                // Written out so that the compiler picks the form with the run's lifetimes.
                #[allow(clippy::too_many_arguments, reason = "as many as the system has")]
                fn inner<Arg, $($name),*>(
                    function: impl Fn(Arg, $($name),*),
                    chunk: Arg,
                    $($name: $name),*
                ) {
                    function(chunk, $($name),*);
                }
                let ($($name,)*) = params;
                inner(self, chunk, $($name),*);
            }
        }
    };
}

functions!();
functions!(A);
functions!(A B);
functions!(A B C);
functions!(A B C D);
functions!(A B C D E);
functions!(A B C D E F);
functions!(A B C D E F G);
functions!(A B C D E F G H);

/// Marks functions of a chunk among all that can be made into systems.
pub struct ChunkMarker;

impl<F, M> IntoSystem<(ChunkMarker, M)> for F
where
    F: ChunkFunction<M>,
    M: 'static,
    ChunkSystem<F, M>: System,
{
    type System = ChunkSystem<F, M>;

    fn into_system(self) -> ChunkSystem<F, M> {
        ChunkSystem {
            function: self,
            state: SystemState::new::<F>(type_name::<F>()),
            starts: Vec::new(),
            marker: PhantomData,
        }
    }
}

impl<F, M> RunOnce<(ChunkMarker, M)> for F
where
    F: ChunkFunction<M>,
    M: 'static,
    ChunkSystem<F, M>: System,
{
    type Out = ();

    fn run_once(self, world: &mut World) -> Result<(), SystemError> {
        let mut system = ChunkSystem {
            function: self,
            state: SystemState::once::<F>(type_name::<F>()),
            starts: Vec::new(),
            marker: PhantomData,
        };
        system.run(world, &Serial)
    }
}

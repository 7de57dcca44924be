//! Systems made of functions of one chunk.

use std::any::type_name;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use super::access::SystemAccess;
use super::once::RunOnce;
use super::param::{BlockOf, ChunkParam};
use super::run::SystemState;
use super::states::SystemId;
use super::{IntoSystem, SharedParam, System, SystemError, SystemParam};
use crate::query::{
    ArchetypeFilter, BlockRunner, Chunk, ChunkQueryData, Query, QueryData, QueryFilter, Serial,
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
        let (function, state, view) = (&self.function, &mut self.state, &*world);
        let ran = catch_unwind(AssertUnwindSafe(|| {
            // SAFETY: begun above for this world; the exclusive borrow that this run has of it
            // keeps everybody else out until the last block is done.
            let (query, params) = unsafe { state.get(view, run) };
            let (look, matches, starts) = (query.look(), query.matched(), block_starts(&query));
            let count = starts.last().copied().unwrap_or(0);
            run_each_once(runner, count, |index| {
                let at = starts.partition_point(|&start| start <= index) - 1;
                let (matched, block) = (&matches[at], index - starts[at]);
                // SAFETY: `run_each_once` gives each block to one call, and the query, which is
                // not used otherwise, has the exclusive right to what it writes.
                let chunk = unsafe { Chunk::new(look, matched, block) };
                let block = BlockOf { index, count };
                // SAFETY: as above, and the run ends before what was put off is done.
                function.call(chunk, unsafe { F::Params::share(&params, block) });
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
}

/// Number of the first block of each archetype, and behind them the number of all.
fn block_starts<D: QueryData, F: QueryFilter>(query: &Query<'_, '_, D, F>) -> Vec<usize> {
    let mut starts = vec![0];
    for matched in query.matched() {
        let blocks = query
            .look()
            .world
            .archetype(matched.archetype)
            .block_count();
        starts.push(starts[starts.len() - 1] + blocks);
    }
    starts
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
            marker: PhantomData,
        };
        system.run(world, &Serial)
    }
}

//! Systems made of functions of one chunk.

use std::marker::PhantomData;

use super::param::SystemAccess;
use super::{IntoSystem, SharedParam, System, SystemError, SystemParam};
use crate::query::{
    ArchetypeFilter, BlockRunner, Chunk, ChunkQueryData, Look, QueryState, run_each_once,
};
use crate::world::{World, WorldId};

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

type State<F, M> = (
    QueryState<
        <<F as ChunkFunction<M>>::Chunk as ChunkArgument>::Data,
        <<F as ChunkFunction<M>>::Chunk as ChunkArgument>::Filter,
    >,
    <<F as ChunkFunction<M>>::Params as SystemParam>::State,
);

/// A system made of a function of one chunk.
pub struct ChunkSystem<F: ChunkFunction<M>, M> {
    function: F,
    state: Option<(WorldId, State<F, M>)>,
    marker: PhantomData<fn() -> M>,
}

impl<F: ChunkFunction<M>, M: 'static> System for ChunkSystem<F, M>
where
    for<'w, 's> <F::Params as SystemParam>::Item<'w, 's>: Sync,
{
    fn name(&self) -> &'static str {
        std::any::type_name::<F>()
    }

    fn initialize(&mut self, world: &mut World) -> Result<(), SystemError> {
        if self.state.as_ref().is_none_or(|(id, _)| *id != world.id()) {
            let mut access = SystemAccess::new(self.name());
            let query = QueryState::new(world)?;
            access.add_query(query.access(), std::any::type_name::<F::Chunk>(), world)?;
            let params = F::Params::init(world, &mut access)?;
            self.state = Some((world.id(), (query, params)));
        }
        Ok(())
    }

    fn run(&mut self, world: &mut World, runner: &dyn BlockRunner) -> Result<(), SystemError> {
        self.initialize(world)?;
        let system = self.name();
        let (_, (query, params)) = self.state.as_mut().expect("`initialize` made it");
        world.advance_change_tick();
        query.prepare(world);
        F::Params::prepare(params, world)
            .map_err(|resource| SystemError::MissingResource { system, resource })?;
        let ticks = query.ticks(world);
        let world = &*world;
        // SAFETY: prepared above; a chunk system's other parameters read resources only.
        let params = unsafe { F::Params::get(params, world) };
        let function = &self.function;
        let matched = query.matched();
        let starts = block_starts(
            world,
            matched.iter().map(|matched| matched.archetype.index()),
        );
        let count = starts.last().copied().unwrap_or(0);
        run_each_once(runner, count, |index| {
            let at = starts.partition_point(|&start| start <= index) - 1;
            // SAFETY: `run_each_once` gives each block to one call, and the exclusive borrow
            // that this run has of the world keeps everybody else out.
            let chunk =
                unsafe { Chunk::new(Look { world, ticks }, &matched[at], index - starts[at]) };
            function.call(chunk, F::Params::share(&params));
        });
        query.finish_run();
        Ok(())
    }
}

/// Number of the first block of each archetype, and behind them the number of all.
fn block_starts(world: &World, archetypes: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut starts = vec![0];
    for archetype in archetypes {
        let blocks = world.archetypes()[archetype].block_count();
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
            state: None,
            marker: PhantomData,
        }
    }
}

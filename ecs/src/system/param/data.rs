//! Entities, and the world as a whole.

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{BlockOf, Run, SharedParam, SystemParam, TakenLanes};
use crate::commands::{BlockQueues, CommandQueue, Commands};
use crate::component::Ticks;
use crate::entity::Lane;
use crate::error::{AccessConflict, QueryError};
use crate::panics::drop_quietly;
use crate::query::{Query, QueryData, QueryFilter, QueryState};
use crate::system::access::{SystemMeta, Target};
use crate::system::chunk::ChunkArgument;
use crate::system::error::ParamError;
use crate::world::World;

/// Makes the query of parameter `P` and claims what it touches.
fn init_query<P, D: QueryData, F: QueryFilter>(
    world: &mut World,
    meta: &mut SystemMeta,
) -> Result<QueryState<D, F>, AccessConflict> {
    let state = QueryState::new(world).map_err(|conflict| AccessConflict {
        user: format!("system {}", meta.name()),
        ..conflict
    })?;
    meta.claim::<P>(Target::Query(state.access().clone()), world)?;
    Ok(state)
}

// SAFETY: the query's own access is claimed.
unsafe impl<D: QueryData, F: QueryFilter> SystemParam for Query<'_, '_, D, F> {
    type State = QueryState<D, F>;
    type Item<'w, 's> = Query<'w, 's, D, F>;
    const DEFERS: bool = false;
    const HOLDS: bool = false;

    fn init(world: &mut World, meta: &mut SystemMeta) -> Result<Self::State, AccessConflict> {
        init_query::<Self, D, F>(world, meta)
    }

    fn prepare(state: &mut Self::State, world: &mut World, _: Run) {
        state.prepare(world);
    }

    unsafe fn get<'w, 's>(
        state: &'s mut Self::State,
        world: &'w World,
        ticks: Ticks,
    ) -> Query<'w, 's, D, F> {
        // SAFETY: passed on from the caller.
        unsafe { state.view_unchecked(world, ticks) }
    }
}

/// The query behind a chunk system's first parameter, which blocks are then taken of.
pub(crate) struct ChunkParam<C>(PhantomData<C>);

// SAFETY: the query's own access is claimed.
unsafe impl<C: ChunkArgument> SystemParam for ChunkParam<C> {
    type State = QueryState<C::Data, C::Filter>;
    type Item<'w, 's> = Query<'w, 's, C::Data, C::Filter>;
    const DEFERS: bool = false;
    const HOLDS: bool = false;

    fn init(world: &mut World, meta: &mut SystemMeta) -> Result<Self::State, AccessConflict> {
        init_query::<C, C::Data, C::Filter>(world, meta)
    }

    fn prepare(state: &mut Self::State, world: &mut World, _: Run) {
        state.prepare(world);
    }

    unsafe fn get<'w, 's>(
        state: &'s mut Self::State,
        world: &'w World,
        ticks: Ticks,
    ) -> Self::Item<'w, 's> {
        // SAFETY: passed on from the caller.
        unsafe { state.view_unchecked(world, ticks) }
    }
}

/// What the one matching entity gives. A system parameter.
///
/// With none or several matching the system is not run, which is an error that names system and
/// query; an `Option<Single<..>>` is `None` with none.
///
/// ```
/// use orrery_ecs::{Component, Single, World};
/// #[derive(Clone, Copy, Component)]
/// struct Sun(f64);
/// let mut world = World::new();
/// let warm = |mut sun: Single<&mut Sun>| sun.0 += 1.0;
/// assert!(world.run_system_once(warm).is_err());
/// world.spawn(Sun(5.0));
/// assert_eq!(world.run_system_once(warm), Ok(()));
/// assert_eq!(world.run_system_once(|sun: Single<&Sun>| sun.0), Ok(6.0));
/// ```
pub struct Single<'w, D: QueryData, F: QueryFilter = ()> {
    item: D::Item<'w>,
    marker: PhantomData<F>,
}

impl<'w, D: QueryData, F: QueryFilter> Single<'w, D, F> {
    /// What the entity gives, for as long as the world is borrowed.
    pub fn into_inner(self) -> D::Item<'w> {
        self.item
    }
}

impl<'w, D: QueryData, F: QueryFilter> Deref for Single<'w, D, F> {
    type Target = D::Item<'w>;

    fn deref(&self) -> &D::Item<'w> {
        &self.item
    }
}

impl<D: QueryData, F: QueryFilter> DerefMut for Single<'_, D, F> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.item
    }
}

/// Whether exactly one entity matches; with `or_none`, whether at most one does.
fn check_single<D: QueryData, F: QueryFilter>(
    state: &mut QueryState<D, F>,
    world: &World,
    ticks: Ticks,
    or_none: bool,
) -> Result<(), ParamError> {
    let query = std::any::type_name::<(D, F)>();
    let mut matching = state.view_at(world, ticks).into_iter();
    match (matching.next().is_some(), matching.next().is_some()) {
        (false, _) if !or_none => Err(ParamError::Single(QueryError::NoneMatch { query })),
        (true, true) => Err(ParamError::Single(QueryError::ManyMatch { query })),
        _ => Ok(()),
    }
}

macro_rules! single {
    ($param:ty, $item:ty, $or_none:expr, $convert:expr) => {
        // SAFETY: the query's own access is claimed.
        unsafe impl<D: QueryData, F: QueryFilter> SystemParam for $param {
            type State = QueryState<D, F>;
            type Item<'w, 's> = $item;
            const DEFERS: bool = false;
            const HOLDS: bool = false;

            fn init(
                world: &mut World,
                meta: &mut SystemMeta,
            ) -> Result<Self::State, AccessConflict> {
                init_query::<Self, D, F>(world, meta)
            }

            fn validate(
                state: &mut Self::State,
                world: &World,
                run: Run,
            ) -> Result<(), ParamError> {
                check_single(state, world, run.ticks, $or_none)
            }

            fn prepare(state: &mut Self::State, world: &mut World, _: Run) {
                state.prepare(world);
            }

            unsafe fn get<'w, 's>(
                state: &'s mut Self::State,
                world: &'w World,
                ticks: Ticks,
            ) -> Self::Item<'w, 's> {
                // SAFETY: passed on from the caller.
                let query = unsafe { state.view_unchecked(world, ticks) };
                let single = query.into_iter().next().map(|item| Single {
                    item,
                    marker: PhantomData,
                });
                $convert(single)
            }
        }
    };
}

single!(
    Single<'_, D, F>,
    Single<'w, D, F>,
    false,
    |single: Option<_>| single.expect("`prepare` found it")
);
single!(
    Option<Single<'_, D, F>>,
    Option<Single<'w, D, F>>,
    true,
    |single| single
);

/// What a system's commands are kept in.
#[derive(Default)]
pub struct CommandsState {
    queue: CommandQueue,
    blocks: BlockQueues,
    /// Its number among the parameters of its system that reserve handles.
    number: usize,
    lane: Option<Lane>,
}

// SAFETY: reads only the entity table, through its own atomic cursor or a lane.
unsafe impl SystemParam for Commands<'_, '_> {
    type State = CommandsState;
    type Item<'w, 's> = Commands<'w, 's>;
    const SEES: bool = false;

    fn init(world: &mut World, meta: &mut SystemMeta) -> Result<CommandsState, AccessConflict> {
        meta.claim::<Self>(Target::Commands, world)?;
        Ok(CommandsState {
            number: meta.add_commands(),
            ..CommandsState::default()
        })
    }

    fn prepare(state: &mut CommandsState, _: &mut World, run: Run) {
        let part = |(lane, count): (Lane, usize)| lane.part(state.number, count);
        state.lane = run.lanes.map(part);
    }

    unsafe fn get<'w, 's>(
        state: &'s mut CommandsState,
        world: &'w World,
        _: Ticks,
    ) -> Commands<'w, 's> {
        let CommandsState {
            queue,
            blocks,
            lane,
            ..
        } = state;
        Commands::of_system(queue, blocks, lane.as_mut(), world)
    }

    fn take_lanes(state: &mut CommandsState, lanes: &mut TakenLanes) {
        state.blocks.take_lanes(&mut lanes.0);
        lanes.0.extend(state.lane.take());
    }

    fn apply(state: &mut CommandsState, world: &mut World) {
        state.blocks.apply(world);
        state.queue.apply(world);
    }

    fn discard(state: &mut CommandsState) {
        // What values say when they are dropped is nobody's error, and must neither hide one nor
        // leave commands behind for the next run.
        drop_quietly(std::mem::take(&mut state.queue));
        drop_quietly(catch_unwind(AssertUnwindSafe(|| state.blocks.discard())));
    }
}

// SAFETY: each block has a queue and a lane of its own.
unsafe impl SharedParam for Commands<'_, '_> {
    unsafe fn share<'w, 's>(item: &Self::Item<'w, 's>, block: BlockOf) -> Self::Item<'w, 's> {
        // SAFETY: the caller shares it once for each block; the system's run ends before its
        // commands are applied.
        unsafe { item.of_block(block.index, block.count) }
    }
}

// SAFETY: the whole world is claimed as read.
unsafe impl SystemParam for &World {
    type State = ();
    type Item<'w, 's> = &'w World;
    const DEFERS: bool = false;
    const HOLDS: bool = false;

    fn init(world: &mut World, meta: &mut SystemMeta) -> Result<(), AccessConflict> {
        meta.claim::<Self>(Target::World, world)
    }

    unsafe fn get<'w>((): &mut (), world: &'w World, _: Ticks) -> &'w World {
        world
    }
}

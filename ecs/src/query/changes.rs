//! Filters on the ticks of rows: `Added` and `Changed`.
//!
//! A block whose tick is old has no row that is new, so it is skipped whole: looking for changes
//! where there are none costs a comparison for each block of 4,096 rows. The tick of a block is
//! never older than those of its rows: whatever writes a row's ticks marks its block as well.

use std::marker::PhantomData;

use super::source::Source;
use super::{BlockRows, FilteredAccess, Look, QueryFilter};
use crate::archetype::Archetype;
use crate::component::info::ComponentId;
use crate::component::{Ticks, TrackedComponent};
use crate::world::World;

/// Only entities to which `T` came since the last run, by spawning or inserting.
///
/// See [`Changed`] for what the last run is.
///
/// ```
/// use orrery_ecs::{Added, Component, Entity, World};
/// #[derive(Clone, Copy, Component)]
/// #[component(track)]
/// struct Health(u32);
/// let mut world = World::new();
/// world.spawn(Health(1));
/// let mut added = world.query_filtered::<Entity, Added<Health>>();
/// added.set_last_run(world.change_tick());
/// world.advance_change_tick();
/// let late = world.spawn(Health(2)).id();
/// assert!(added.iter(&world).eq([late]));
/// ```
#[derive(Debug)]
pub struct Added<T>(PhantomData<fn() -> T>);

/// Only entities whose `T` came or was written since the last run.
///
/// A system's last run is its own; a query from [`World::query`] takes everything as new until
/// [`QueryState::set_last_run`](crate::QueryState::set_last_run) says otherwise. A write is the
/// first use of a row's [`Mut`](crate::Mut) as `&mut`, whether or not the value differs; slices of
/// a tracked component mark all their rows.
///
/// # Cost
/// One comparison for a block in which nothing was written, one for each row of the others.
///
/// ```
/// use orrery_ecs::{Changed, Component, Entity, World};
/// #[derive(Clone, Copy, Component)]
/// #[component(track)]
/// struct Health(u32);
/// let mut world = World::new();
/// let entities: Vec<Entity> = world.spawn_batch((0..10).map(Health)).collect();
/// let mut changed = world.query_filtered::<Entity, Changed<Health>>();
/// changed.set_last_run(world.change_tick());
/// world.advance_change_tick();
/// world.query::<&mut Health>().view_mut(&mut world).get_mut(entities[3])?.0 = 0;
/// assert!(changed.iter(&world).eq([entities[3]]));
/// # Ok::<(), orrery_ecs::QueryError>(())
/// ```
#[derive(Debug)]
pub struct Changed<T>(PhantomData<fn() -> T>);

/// The ticks of one block's rows, and which rows have them.
#[doc(hidden)]
pub struct RowTicksOf<S: Source> {
    members: S::Members,
    runs: S::Runs,
    now: Ticks,
}

impl<S: Source> Clone for RowTicksOf<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Source> Copy for RowTicksOf<S> {}

macro_rules! new_ticks {
    ($filter:ident, $tick:ident) => {
        // SAFETY: archetypes without columns have no such row, and the component is looked at.
        unsafe impl<T: TrackedComponent> QueryFilter for $filter<T> {
            type State = ComponentId;
            type Columns = <T::Storage as Source>::Columns;
            type Fetch<'w> = RowTicksOf<T::Storage>;
            const BY_ROW: bool = true;

            fn init(world: &mut World) -> ComponentId {
                world.register_component::<T>()
            }

            fn access(state: &ComponentId, access: &mut FilteredAccess) {
                access.look(*state);
                T::Storage::limit(*state, true, access);
            }

            fn columns(state: &ComponentId, archetype: &Archetype) -> Option<Self::Columns> {
                T::Storage::find(*state, archetype)
            }

            #[inline]
            unsafe fn fetch<'w>(
                columns: Self::Columns,
                archetype: &'w Archetype,
                block: BlockRows,
                look: Look<'w>,
            ) -> Option<Self::Fetch<'w>> {
                // SAFETY: passed on from the caller.
                let newest = unsafe { T::Storage::changed(columns, archetype, block) };
                if !look.ticks.is_new(newest) {
                    return None;
                }
                // SAFETY: passed on from the caller.
                let found = unsafe { T::Storage::read(columns, archetype, block, look) };
                Some(RowTicksOf {
                    // SAFETY: passed on from the caller.
                    members: unsafe { T::Storage::members(columns, archetype, block, look) },
                    // SAFETY: the block is of these columns, and the component is tracked.
                    runs: unsafe { T::Storage::runs(columns, archetype, found) },
                    now: look.ticks,
                })
            }

            #[inline]
            unsafe fn has_row(fetch: Self::Fetch<'_>, row: usize) -> bool {
                // SAFETY: passed on from the caller.
                if T::Storage::BY_ROW && !unsafe { T::Storage::has(fetch.members, row) } {
                    return false;
                }
                // SAFETY: as above.
                let ticks = unsafe { T::Storage::ticks(fetch.runs, row) };
                // SAFETY: a row's ticks are written only with the right to write its value.
                fetch.now.is_new(unsafe { ticks.$tick.read() })
            }
        }
    };
}

new_ticks!(Added, added);
new_ticks!(Changed, changed);

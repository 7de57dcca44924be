//! What is no component of its own: the handle, `Option`, `Has`.

use std::marker::PhantomData;
use std::ptr::NonNull;

use super::data::{ArchetypeQueryData, ChunkQueryData, QueryData, ReadOnlyQueryData};
use super::source::Source;
use super::{BlockRows, FilteredAccess, Look};
use crate::archetype::{Archetype, ArchetypeId};
use crate::component::info::ComponentId;
use crate::component::{Component, TableComponent};
use crate::entity::Entity;
use crate::world::World;

/// The handles of one block.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct Handles<'w>(NonNull<Entity>, PhantomData<&'w Entity>);

// SAFETY: the column of handles, read; only structural changes write it.
unsafe impl QueryData for Entity {
    type ReadOnly = Self;
    type Item<'w> = Entity;
    type State = ();
    type Columns = ();
    type Fetch<'w> = Handles<'w>;
    const BY_ROW: bool = false;

    fn init(_: &mut World) {}
    fn access((): &(), _: &mut FilteredAccess) {}

    fn columns((): &(), _: &Archetype) -> Option<()> {
        Some(())
    }

    fn prepare((): (), _: &mut World, _: ArchetypeId) {}

    #[inline]
    unsafe fn fetch<'w>(
        (): (),
        archetype: &'w Archetype,
        block: BlockRows,
        _: Look<'w>,
    ) -> Handles<'w> {
        let handles = archetype.entities().block_read(block.index).data;
        Handles(handles.cast(), PhantomData)
    }

    #[inline]
    fn shrink<'long: 'short, 'short>(fetch: Self::Fetch<'long>) -> Self::Fetch<'short> {
        fetch
    }

    #[inline]
    unsafe fn item<'w>(fetch: Self::Fetch<'w>, row: usize) -> Self::Item<'w> {
        // SAFETY: the block has the row, by the caller.
        let value = unsafe { fetch.0.add(row) };
        // SAFETY: as above; handles are `Copy`.
        unsafe { value.read() }
    }
}

// SAFETY: reads only.
unsafe impl ReadOnlyQueryData for Entity {}
// SAFETY: every row has a handle.
unsafe impl ArchetypeQueryData for Entity {}

// SAFETY: every row has a handle.
unsafe impl ChunkQueryData for Entity {
    type Slices<'w> = &'w [Entity];

    #[inline]
    unsafe fn slices<'w>(fetch: Self::Fetch<'w>, rows: usize) -> Self::Slices<'w> {
        // SAFETY: the block has `rows` initialised rows, by the caller.
        unsafe { std::slice::from_raw_parts(fetch.0.as_ptr(), rows) }
    }
}

// SAFETY: the access of the inner data, where its columns exist.
unsafe impl<D: QueryData> QueryData for Option<D> {
    type ReadOnly = Option<D::ReadOnly>;
    type Item<'w> = Option<D::Item<'w>>;
    type State = D::State;
    type Columns = Option<D::Columns>;
    type Fetch<'w> = Option<D::Fetch<'w>>;
    const BY_ROW: bool = false;

    fn init(world: &mut World) -> D::State {
        D::init(world)
    }

    fn access(state: &D::State, access: &mut FilteredAccess) {
        access.any_of(&[&|access| D::access(state, access), &|_| ()]);
    }

    fn columns(state: &D::State, archetype: &Archetype) -> Option<Option<D::Columns>> {
        Some(D::columns(state, archetype))
    }

    fn prepare(columns: Option<D::Columns>, world: &mut World, archetype: ArchetypeId) {
        if let Some(columns) = columns {
            D::prepare(columns, world, archetype);
        }
    }

    fn prepare_run(state: &D::State, world: &mut World) {
        D::prepare_run(state, world);
    }

    #[inline]
    unsafe fn fetch<'w>(
        columns: Option<D::Columns>,
        archetype: &'w Archetype,
        block: BlockRows,
        look: Look<'w>,
    ) -> Option<D::Fetch<'w>> {
        // SAFETY: passed on from the caller.
        columns.map(|columns| unsafe { D::fetch(columns, archetype, block, look) })
    }

    #[inline]
    fn shrink<'long: 'short, 'short>(fetch: Self::Fetch<'long>) -> Self::Fetch<'short> {
        fetch.map(D::shrink)
    }

    #[inline]
    unsafe fn item<'w>(fetch: Self::Fetch<'w>, row: usize) -> Self::Item<'w> {
        // SAFETY: passed on from the caller.
        let fetch = fetch.filter(|&fetch| unsafe { D::has_row(fetch, row) });
        // SAFETY: passed on from the caller.
        fetch.map(|fetch| unsafe { D::item(fetch, row) })
    }

    #[inline]
    unsafe fn prefetch(columns: Self::Columns, archetype: &Archetype, block: usize, row: usize) {
        if let Some(columns) = columns {
            // SAFETY: passed on from the caller.
            unsafe { D::prefetch(columns, archetype, block, row) };
        }
    }
}

// SAFETY: reads only, as the inner data does.
unsafe impl<D: ReadOnlyQueryData> ReadOnlyQueryData for Option<D> {}
// SAFETY: a row gives `None` where the inner data has nothing.
unsafe impl<D: QueryData> ArchetypeQueryData for Option<D> {}

// SAFETY: as above.
unsafe impl<D: ChunkQueryData> ChunkQueryData for Option<D> {
    type Slices<'w> = Option<D::Slices<'w>>;

    #[inline]
    unsafe fn slices<'w>(fetch: Self::Fetch<'w>, rows: usize) -> Self::Slices<'w> {
        // SAFETY: passed on from the caller.
        fetch.map(|fetch| unsafe { D::slices(fetch, rows) })
    }
}

/// Whether an entity has a component, without access to it.
///
/// ```
/// use orrery_ecs::{Component, Entity, Has, World};
/// #[derive(Clone, Copy, Component)]
/// struct Frozen;
/// let mut world = World::new();
/// let (cold, warm) = (world.spawn(Frozen).id(), world.spawn(()).id());
/// let mut query = world.query::<(Entity, Has<Frozen>)>();
/// assert_eq!(query.view(&world).get(cold)?, (cold, true));
/// assert_eq!(query.view(&world).get(warm)?, (warm, false));
/// # Ok::<(), orrery_ecs::QueryError>(())
/// ```
#[derive(Debug)]
pub struct Has<T>(PhantomData<fn() -> T>);

// SAFETY: it touches no value.
unsafe impl<T: Component> QueryData for Has<T> {
    type ReadOnly = Self;
    type Item<'w> = bool;
    type State = ComponentId;
    type Columns = Option<<T::Storage as Source>::Columns>;
    type Fetch<'w> = Option<<T::Storage as Source>::Members>;
    const BY_ROW: bool = false;

    fn init(world: &mut World) -> ComponentId {
        world.register_component::<T>()
    }

    fn access(_: &ComponentId, _: &mut FilteredAccess) {}

    fn columns(state: &ComponentId, archetype: &Archetype) -> Option<Self::Columns> {
        Some(T::Storage::find(*state, archetype))
    }

    fn prepare(_: Self::Columns, _: &mut World, _: ArchetypeId) {}

    #[inline]
    unsafe fn fetch<'w>(
        columns: Self::Columns,
        archetype: &'w Archetype,
        block: BlockRows,
        look: Look<'w>,
    ) -> Self::Fetch<'w> {
        // SAFETY: passed on from the caller.
        columns.map(|columns| unsafe { T::Storage::members(columns, archetype, block, look) })
    }

    #[inline]
    fn shrink<'long: 'short, 'short>(fetch: Self::Fetch<'long>) -> Self::Fetch<'short> {
        fetch
    }

    #[inline]
    unsafe fn item<'w>(fetch: Self::Fetch<'w>, row: usize) -> Self::Item<'w> {
        // SAFETY: passed on from the caller.
        fetch.is_some_and(|members| unsafe { T::Storage::has(members, row) })
    }
}

// SAFETY: reads only.
unsafe impl<T: Component> ReadOnlyQueryData for Has<T> {}
// SAFETY: every row has it or has it not.
unsafe impl<T: Component> ArchetypeQueryData for Has<T> {}

// SAFETY: as above.
unsafe impl<T: TableComponent> ChunkQueryData for Has<T> {
    type Slices<'w> = bool;

    #[inline]
    unsafe fn slices<'w>(fetch: Self::Fetch<'w>, _: usize) -> Self::Slices<'w> {
        fetch.is_some()
    }
}

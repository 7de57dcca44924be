//! What a query gives for each entity: `&T`, `&mut T`, `Entity`, `Option`.

use std::marker::PhantomData;
use std::ptr::NonNull;

use crate::archetype::Archetype;
use crate::component::Component;
use crate::component::info::ComponentId;
use crate::entity::Entity;
use crate::query::FilteredAccess;
use crate::storage::column::Writer;
use crate::world::World;

/// Types that a query can give: `&T`, `&mut T`, [`Entity`], `Option` of these,
/// [`Fields`](crate::Fields), and tuples of up to 12.
///
/// # Safety
/// - `access` lists every component that `fetch` touches;
/// - `fetch` touches only the columns that `columns` found, in the block it is given;
/// - `ReadOnly` gives no mutable access.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be fetched by a query",
    note = "a query gives `&T`, `&mut T`, `Entity`, `Option<..>`, `Fields<..>` or tuples of them"
)]
pub unsafe trait QueryData {
    /// The same without mutable access.
    type ReadOnly: ReadOnlyQueryData<State = Self::State, Columns = Self::Columns>;
    /// What one row gives.
    type Item<'w>;
    /// What one block gives: slices as long as the block has rows.
    type Slices<'w>;
    /// Numbers of the components in one world.
    #[doc(hidden)]
    type State: Clone + Send + Sync;
    /// Positions of the columns in one archetype.
    #[doc(hidden)]
    type Columns: Copy + Send + Sync + 'static;
    /// Pointers into one block.
    #[doc(hidden)]
    type Fetch<'w>: Copy;

    #[doc(hidden)]
    fn init(world: &mut World) -> Self::State;
    #[doc(hidden)]
    fn access(state: &Self::State, access: &mut FilteredAccess);
    /// `None` if the archetype lacks a component.
    #[doc(hidden)]
    fn columns(state: &Self::State, archetype: &Archetype) -> Option<Self::Columns>;
    /// Makes the block lists of written columns ours, so that `fetch` may copy shared blocks.
    #[doc(hidden)]
    fn prepare(columns: Self::Columns, archetype: &mut Archetype);
    /// # Safety
    /// - `columns` are of this archetype, which has the block;
    /// - `prepare` was called since the last fork, if anything is written;
    /// - nobody else writes what is read here, nor touches what is written, for `'w`.
    #[doc(hidden)]
    unsafe fn fetch<'w>(
        columns: Self::Columns,
        archetype: &'w Archetype,
        block: usize,
        to: Writer<'_>,
    ) -> Self::Fetch<'w>;
    /// # Safety
    /// The block has the row, and no other item of a written column of it lives.
    #[doc(hidden)]
    unsafe fn item<'w>(fetch: Self::Fetch<'w>, row: usize) -> Self::Item<'w>;
    /// # Safety
    /// The block has `rows` rows, and no item or slice of a written column of it lives.
    #[doc(hidden)]
    unsafe fn slices<'w>(fetch: Self::Fetch<'w>, rows: usize) -> Self::Slices<'w>;
}

/// A query that only reads, and may run beside others that do.
///
/// # Safety
/// `access` lists no writes.
pub unsafe trait ReadOnlyQueryData: QueryData {}

/// Start of a component's values in one block.
#[doc(hidden)]
pub struct Start<'w, T>(NonNull<T>, PhantomData<&'w T>);

impl<T> Clone for Start<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Start<'_, T> {}

const fn plain<T: Component>() {
    assert!(
        !T::SPLIT,
        "a split component has no references to it: query Fields<&T> instead"
    );
}

// SAFETY: one column, read.
unsafe impl<T: Component> QueryData for &T {
    type ReadOnly = Self;
    type Item<'w> = &'w T;
    type Slices<'w> = &'w [T];
    type State = ComponentId;
    type Columns = u32;
    type Fetch<'w> = Start<'w, T>;

    fn init(world: &mut World) -> ComponentId {
        const { plain::<T>() };
        world.register_component::<T>()
    }
    fn access(state: &ComponentId, access: &mut FilteredAccess) {
        access.read(*state);
        access.with.insert(*state);
    }

    fn columns(state: &ComponentId, archetype: &Archetype) -> Option<u32> {
        archetype.column_index(*state).map(|index| index as u32)
    }

    fn prepare(_: u32, _: &mut Archetype) {}

    #[inline]
    unsafe fn fetch<'w>(
        columns: u32,
        archetype: &'w Archetype,
        block: usize,
        _: Writer<'_>,
    ) -> Start<'w, T> {
        Start(
            archetype
                .column(columns as usize)
                .block_read(block)
                .data
                .cast(),
            PhantomData,
        )
    }

    #[inline]
    unsafe fn item<'w>(fetch: Self::Fetch<'w>, row: usize) -> Self::Item<'w> {
        // SAFETY: the block has the row, by the caller.
        let value = unsafe { fetch.0.add(row) };
        // SAFETY: as above.
        unsafe { value.as_ref() }
    }

    #[inline]
    unsafe fn slices<'w>(fetch: Self::Fetch<'w>, rows: usize) -> Self::Slices<'w> {
        // SAFETY: the block has `rows` initialised rows, by the caller.
        unsafe { std::slice::from_raw_parts(fetch.0.as_ptr(), rows) }
    }
}

// SAFETY: reads only.
unsafe impl<T: Component> ReadOnlyQueryData for &T {}

// SAFETY: one column, written.
unsafe impl<'a, T: Component> QueryData for &'a mut T {
    type ReadOnly = &'a T;
    type Item<'w> = &'w mut T;
    type Slices<'w> = &'w mut [T];
    type State = ComponentId;
    type Columns = u32;
    type Fetch<'w> = Start<'w, T>;

    fn init(world: &mut World) -> ComponentId {
        const { plain::<T>() };
        world.register_component::<T>()
    }
    fn access(state: &ComponentId, access: &mut FilteredAccess) {
        access.write(*state);
        access.with.insert(*state);
    }

    fn columns(state: &ComponentId, archetype: &Archetype) -> Option<u32> {
        archetype.column_index(*state).map(|index| index as u32)
    }

    fn prepare(columns: u32, archetype: &mut Archetype) {
        archetype.column_mut(columns as usize).unshare_list();
    }

    #[inline]
    unsafe fn fetch<'w>(
        columns: u32,
        archetype: &'w Archetype,
        block: usize,
        to: Writer<'_>,
    ) -> Start<'w, T> {
        let (column, rows) = (archetype.column(columns as usize), archetype.rows(block));
        // SAFETY: `prepare` unshared the list and the block is the caller's alone.
        let pointer = unsafe { column.block_write(block, rows, to) };
        Start(pointer.data.cast(), PhantomData)
    }

    #[inline]
    unsafe fn item<'w>(fetch: Self::Fetch<'w>, row: usize) -> Self::Item<'w> {
        // SAFETY: the block has the row and nobody else an item of it, by the caller.
        let mut value = unsafe { fetch.0.add(row) };
        // SAFETY: as above.
        unsafe { value.as_mut() }
    }

    #[inline]
    unsafe fn slices<'w>(fetch: Self::Fetch<'w>, rows: usize) -> Self::Slices<'w> {
        // SAFETY: the block has `rows` initialised rows, all the caller's.
        unsafe { std::slice::from_raw_parts_mut(fetch.0.as_ptr(), rows) }
    }
}

// SAFETY: the column of handles, read.
unsafe impl QueryData for Entity {
    type ReadOnly = Self;
    type Item<'w> = Entity;
    type Slices<'w> = &'w [Entity];
    type State = ();
    type Columns = ();
    type Fetch<'w> = Start<'w, Entity>;

    fn init(_: &mut World) {}
    fn access((): &(), _: &mut FilteredAccess) {}

    fn columns((): &(), _: &Archetype) -> Option<()> {
        Some(())
    }

    fn prepare((): (), _: &mut Archetype) {}

    #[inline]
    unsafe fn fetch<'w>(
        (): (),
        archetype: &'w Archetype,
        block: usize,
        _: Writer<'_>,
    ) -> Start<'w, Entity> {
        Start(
            archetype.entities().block_read(block).data.cast(),
            PhantomData,
        )
    }

    #[inline]
    unsafe fn item<'w>(fetch: Self::Fetch<'w>, row: usize) -> Self::Item<'w> {
        // SAFETY: the block has the row, by the caller.
        let value = unsafe { fetch.0.add(row) };
        // SAFETY: as above; handles are `Copy`.
        unsafe { value.read() }
    }

    #[inline]
    unsafe fn slices<'w>(fetch: Self::Fetch<'w>, rows: usize) -> Self::Slices<'w> {
        // SAFETY: the block has `rows` initialised rows, by the caller.
        unsafe { std::slice::from_raw_parts(fetch.0.as_ptr(), rows) }
    }
}

// SAFETY: reads only.
unsafe impl ReadOnlyQueryData for Entity {}

// SAFETY: the access of the inner data, where its columns exist.
unsafe impl<D: QueryData> QueryData for Option<D> {
    type ReadOnly = Option<D::ReadOnly>;
    type Item<'w> = Option<D::Item<'w>>;
    type Slices<'w> = Option<D::Slices<'w>>;
    type State = D::State;
    type Columns = Option<D::Columns>;
    type Fetch<'w> = Option<D::Fetch<'w>>;

    fn init(world: &mut World) -> D::State {
        D::init(world)
    }
    fn access(state: &D::State, access: &mut FilteredAccess) {
        // The inner data's `with` must not limit the archetypes of the whole query.
        let with = access.with.clone();
        D::access(state, access);
        access.with = with;
    }

    fn columns(state: &D::State, archetype: &Archetype) -> Option<Option<D::Columns>> {
        Some(D::columns(state, archetype))
    }

    fn prepare(columns: Option<D::Columns>, archetype: &mut Archetype) {
        if let Some(columns) = columns {
            D::prepare(columns, archetype);
        }
    }

    #[inline]
    unsafe fn fetch<'w>(
        columns: Option<D::Columns>,
        archetype: &'w Archetype,
        block: usize,
        to: Writer<'_>,
    ) -> Option<D::Fetch<'w>> {
        // SAFETY: passed on from the caller.
        columns.map(|columns| unsafe { D::fetch(columns, archetype, block, to) })
    }

    #[inline]
    unsafe fn item<'w>(fetch: Self::Fetch<'w>, row: usize) -> Self::Item<'w> {
        // SAFETY: passed on from the caller.
        fetch.map(|fetch| unsafe { D::item(fetch, row) })
    }

    #[inline]
    unsafe fn slices<'w>(fetch: Self::Fetch<'w>, rows: usize) -> Self::Slices<'w> {
        // SAFETY: passed on from the caller.
        fetch.map(|fetch| unsafe { D::slices(fetch, rows) })
    }
}

// SAFETY: reads only, as the inner data does.
unsafe impl<D: ReadOnlyQueryData> ReadOnlyQueryData for Option<D> {}

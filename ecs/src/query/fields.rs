//! Split components: a slice for each field.

use std::marker::PhantomData;
use std::ptr::NonNull;

use super::data::{ArchetypeQueryData, ChunkQueryData, QueryData, ReadOnlyQueryData};
use super::source::{Source, TableColumn, column};
use super::{BlockRows, FilteredAccess, Look};
use crate::archetype::{Archetype, ArchetypeId};
use crate::component::info::{ComponentId, Part};
use crate::component::{InTable, MutableComponent, SplitComponent};
use crate::storage::column::{BlockPointer, part_start};
use crate::world::World;

/// The fields of a split component: `Fields<&T>` for reading, `Fields<&mut T>` for writing.
///
/// Rows give a reference to each field, chunks a slice of each, in structs that the derive macro
/// names after the component: `PositionRef`, `PositionMut`, `PositionSlices`,
/// `PositionSlicesMut`.
///
/// ```
/// use orrery_ecs::{Component, Fields, World};
/// #[derive(Clone, Copy, Component)]
/// #[component(split)]
/// struct Position {
///     x: f32,
///     y: f32,
/// }
/// let mut world = World::new();
/// world.spawn_batch((0..10).map(|i| Position { x: i as f32, y: 0.0 }));
/// let mut query = world.query::<Fields<&mut Position>>();
/// query.view_mut(&mut world).for_each_chunk(|position| {
///     for (y, x) in position.y.iter_mut().zip(&*position.x) {
///         *y = 2.0 * x;
///     }
/// });
/// let sum: f32 = query.view(&world).iter().map(|position| *position.y).sum();
/// assert_eq!(sum, 90.0);
/// ```
pub struct Fields<R>(PhantomData<fn() -> R>);

/// Where the fields' values start in one block.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct Starts<'w> {
    block: BlockPointer,
    parts: &'w [Part],
}

impl<'w> Starts<'w> {
    /// # Safety
    /// The archetype has the column, and the block is of it.
    #[inline]
    unsafe fn new(columns: TableColumn, archetype: &'w Archetype, block: BlockPointer) -> Self {
        // SAFETY: guaranteed by the caller.
        let parts = &unsafe { column(archetype, columns) }.info().parts;
        Self { block, parts }
    }

    fn of(self, field: usize) -> *mut u8 {
        let start = part_start(self.parts, field, self.block.capacity);
        // SAFETY: every part starts inside the block.
        let pointer: NonNull<u8> = unsafe { self.block.data.add(start) };
        pointer.as_ptr()
    }
}

macro_rules! common {
    ($access:ident) => {
        type State = ComponentId;
        type Columns = TableColumn;
        const BY_ROW: bool = false;

        fn init(world: &mut World) -> ComponentId {
            world.register_component::<T>()
        }

        fn access(state: &ComponentId, access: &mut FilteredAccess) {
            access.$access(*state);
            access.with(*state);
        }

        fn columns(state: &ComponentId, archetype: &Archetype) -> Option<TableColumn> {
            InTable::find(*state, archetype)
        }

        #[inline]
        fn shrink<'long: 'short, 'short>(fetch: Self::Fetch<'long>) -> Self::Fetch<'short> {
            fetch
        }
    };
}

// SAFETY: one column, read.
unsafe impl<T: SplitComponent> QueryData for Fields<&T> {
    type ReadOnly = Self;
    type Item<'w> = T::Ref<'w>;
    type Fetch<'w> = Starts<'w>;
    common!(read);

    fn prepare(_: TableColumn, _: &mut World, _: ArchetypeId) {}

    #[inline]
    unsafe fn fetch<'w>(
        columns: TableColumn,
        archetype: &'w Archetype,
        block: BlockRows,
        look: Look<'w>,
    ) -> Starts<'w> {
        // SAFETY: passed on from the caller.
        let found = unsafe { InTable::read(columns, archetype, block, look) };
        // SAFETY: the block is of this column.
        unsafe { Starts::new(columns, archetype, found) }
    }

    #[inline]
    unsafe fn item<'w>(fetch: Self::Fetch<'w>, row: usize) -> Self::Item<'w> {
        // SAFETY: passed on from the caller; parts lie in order of the fields.
        unsafe { T::row(|field| fetch.of(field), row) }
    }
}

// SAFETY: one column, written.
unsafe impl<'a, T: SplitComponent + MutableComponent> QueryData for Fields<&'a mut T> {
    type ReadOnly = Fields<&'a T>;
    type Item<'w> = T::RefMut<'w>;
    type Fetch<'w> = Starts<'w>;
    common!(write);

    fn prepare(columns: TableColumn, world: &mut World, archetype: ArchetypeId) {
        InTable::prepare(columns, world, archetype);
    }

    #[inline]
    unsafe fn fetch<'w>(
        columns: TableColumn,
        archetype: &'w Archetype,
        block: BlockRows,
        look: Look<'w>,
    ) -> Starts<'w> {
        // SAFETY: passed on from the caller.
        let found = unsafe { InTable::write(columns, archetype, block, look) };
        // SAFETY: the block is of this column.
        unsafe { Starts::new(columns, archetype, found) }
    }

    #[inline]
    unsafe fn item<'w>(fetch: Self::Fetch<'w>, row: usize) -> Self::Item<'w> {
        // SAFETY: passed on from the caller; parts lie in order of the fields.
        unsafe { T::row_mut(|field| fetch.of(field), row) }
    }
}

// SAFETY: reads only.
unsafe impl<T: SplitComponent> ReadOnlyQueryData for Fields<&T> {}
// SAFETY: all rows of an archetype with the column have the component.
unsafe impl<T: SplitComponent> ArchetypeQueryData for Fields<&T> {}
// SAFETY: as above.
unsafe impl<T: SplitComponent + MutableComponent> ArchetypeQueryData for Fields<&mut T> {}

// SAFETY: as above.
unsafe impl<T: SplitComponent> ChunkQueryData for Fields<&T> {
    type Slices<'w> = T::Slices<'w>;

    #[inline]
    unsafe fn slices<'w>(fetch: Self::Fetch<'w>, rows: usize) -> Self::Slices<'w> {
        // SAFETY: passed on from the caller; parts lie in order of the fields.
        unsafe { T::slices(|field| fetch.of(field), rows) }
    }
}

// SAFETY: as above.
unsafe impl<T: SplitComponent + MutableComponent> ChunkQueryData for Fields<&mut T> {
    type Slices<'w> = T::SlicesMut<'w>;

    #[inline]
    unsafe fn slices<'w>(fetch: Self::Fetch<'w>, rows: usize) -> Self::Slices<'w> {
        // SAFETY: passed on from the caller; parts lie in order of the fields.
        unsafe { T::slices_mut(|field| fetch.of(field), rows) }
    }
}

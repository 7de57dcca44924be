//! Split components: a slice for each field.

use std::marker::PhantomData;
use std::ptr::NonNull;

use crate::archetype::Archetype;
use crate::component::SplitComponent;
use crate::component::info::{ComponentId, Part};
use crate::query::{FilteredAccess, QueryData, ReadOnlyQueryData};
use crate::storage::column::{BlockPointer, Writer, part_start};
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
pub struct Starts<'w> {
    block: BlockPointer,
    parts: &'w [Part],
}

impl Clone for Starts<'_> {
    fn clone(&self) -> Self {
        *self
    }
}

impl Copy for Starts<'_> {}

impl Starts<'_> {
    fn of(self, field: usize) -> *mut u8 {
        let start = part_start(self.parts, field, self.block.capacity);
        // SAFETY: every part starts inside the block.
        let pointer: NonNull<u8> = unsafe { self.block.data.add(start) };
        pointer.as_ptr()
    }
}

macro_rules! fields {
    ($reference:ty, $life:lifetime, $slices:ident, $slices_fn:ident, $row:ident, $row_fn:ident,
     $access:ident, $prepare:expr, $fetch:expr) => {
        // SAFETY: one column, accessed as `access` says.
        unsafe impl<$life, T: SplitComponent> QueryData for Fields<$reference> {
            type ReadOnly = Fields<&$life T>;
            type Item<'w> = T::$row<'w>;
            type Slices<'w> = T::$slices<'w>;
            type State = ComponentId;
            type Columns = u32;
            type Fetch<'w> = Starts<'w>;

            fn init(world: &mut World) -> ComponentId {
                world.register_component::<T>()
            }
            fn access(state: &ComponentId, access: &mut FilteredAccess) {
                access.$access(*state);
                access.with.insert(*state);
            }

            fn columns(state: &ComponentId, archetype: &Archetype) -> Option<u32> {
                archetype.column_index(*state).map(|index| index as u32)
            }

            fn prepare(columns: u32, archetype: &mut Archetype) {
                let prepare: fn(u32, &mut Archetype) = $prepare;
                prepare(columns, archetype);
            }

            #[inline]
            unsafe fn fetch<'w>(
                columns: u32,
                archetype: &'w Archetype,
                block: usize,
                to: Writer<'_>,
            ) -> Starts<'w> {
                let fetch: unsafe fn(u32, &Archetype, usize, Writer<'_>) -> BlockPointer = $fetch;
                // SAFETY: passed on from the caller.
                let pointer = unsafe { fetch(columns, archetype, block, to) };
                Starts { block: pointer, parts: &archetype.column(columns as usize).info().parts }
            }

            #[inline]
            unsafe fn item<'w>(fetch: Self::Fetch<'w>, row: usize) -> Self::Item<'w> {
                // SAFETY: passed on from the caller; parts lie in order of the fields.
                unsafe { T::$row_fn(|field| fetch.of(field), row) }
            }

            #[inline]
            unsafe fn slices<'w>(fetch: Self::Fetch<'w>, rows: usize) -> Self::Slices<'w> {
                // SAFETY: passed on from the caller; parts lie in order of the fields.
                unsafe { T::$slices_fn(|field| fetch.of(field), rows) }
            }
        }
    };
}

fields!(&'a T, 'a, Slices, slices, Ref, row, read, |_, _| (), read_block);
fields!(&'a mut T, 'a, SlicesMut, slices_mut, RefMut, row_mut, write,
    |columns, archetype| archetype.column_mut(columns as usize).unshare_list(), write_block);

// SAFETY: reads only.
unsafe impl<T: SplitComponent> ReadOnlyQueryData for Fields<&T> {}

/// # Safety
/// The archetype has the column and the block.
unsafe fn read_block(columns: u32, from: &Archetype, block: usize, _: Writer<'_>) -> BlockPointer {
    from.column(columns as usize).block_read(block)
}

/// # Safety
/// As `Column::block_write`.
unsafe fn write_block(
    columns: u32,
    archetype: &Archetype,
    block: usize,
    to: Writer<'_>,
) -> BlockPointer {
    let (column, rows) = (archetype.column(columns as usize), archetype.rows(block));
    // SAFETY: passed on from the caller.
    unsafe { column.block_write(block, rows, to) }
}

//! References to components: `&T`, `&mut T`, `Ref<T>`, `Mut<T>`.

use std::marker::PhantomData;
use std::ptr::NonNull;

use super::data::{ArchetypeQueryData, ChunkQueryData, QueryData, ReadOnlyQueryData};
use super::source::Source;
use super::{BlockRows, FilteredAccess, Look};
use crate::archetype::{Archetype, ArchetypeId};
use crate::component::info::ComponentId;
use crate::component::{
    Component, Mut, MutableComponent, Ref, TableComponent, Ticks, TrackedComponent, Tracking,
};
use crate::world::World;

type Of<T> = <T as Component>::Storage;
type ColumnsOf<T> = <Of<T> as Source>::Columns;
type MarksOf<T> = <<T as Component>::Tracking as Tracking>::Marks<Of<T>>;

/// A component's values in one block.
#[doc(hidden)]
pub struct Values<'w, T: Component, Beside: Copy = ()> {
    rows: <Of<T> as Source>::Rows,
    members: <Of<T> as Source>::Members,
    /// Ticks, where the query gives or marks them.
    beside: Beside,
    marker: PhantomData<&'w T>,
}

impl<T: Component, Beside: Copy> Clone for Values<'_, T, Beside> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Component, Beside: Copy> Copy for Values<'_, T, Beside> {}

impl<'w, T: Component, Beside: Copy> Values<'w, T, Beside> {
    /// # Safety
    /// The block has the row, the row the component, and nobody writes it for `'w`.
    #[inline]
    unsafe fn get(self, row: usize) -> &'w T {
        // SAFETY: guaranteed by the caller.
        let value: NonNull<T> = unsafe { Of::<T>::value(self.rows, row) };
        // SAFETY: as above.
        unsafe { value.as_ref() }
    }

    /// # Safety
    /// As `get`, nobody else has the row for `'w`, and the block was fetched for writing.
    #[inline]
    unsafe fn get_mut(self, row: usize) -> &'w mut T {
        // SAFETY: guaranteed by the caller.
        let mut value: NonNull<T> = unsafe { Of::<T>::value(self.rows, row) };
        // SAFETY: as above.
        unsafe { value.as_mut() }
    }
}

const fn plain<T: Component>() {
    assert!(
        !T::SPLIT,
        "a split component has no references to it: query Fields<&T> instead"
    );
}

/// What all references have in common.
macro_rules! common {
    ($access:ident) => {
        type State = ComponentId;
        type Columns = ColumnsOf<T>;
        const BY_ROW: bool = Of::<T>::BY_ROW;

        fn init(world: &mut World) -> ComponentId {
            const { plain::<T>() };
            world.register_component::<T>()
        }

        fn access(state: &ComponentId, access: &mut FilteredAccess) {
            access.$access(*state);
            Of::<T>::limit(*state, true, access);
        }

        fn columns(state: &ComponentId, archetype: &Archetype) -> Option<ColumnsOf<T>> {
            Of::<T>::find(*state, archetype)
        }

        #[inline]
        fn shrink<'long: 'short, 'short>(fetch: Self::Fetch<'long>) -> Self::Fetch<'short> {
            fetch
        }

        #[inline]
        unsafe fn has_row(fetch: Self::Fetch<'_>, row: usize) -> bool {
            // SAFETY: passed on from the caller.
            unsafe { Of::<T>::has(fetch.members, row) }
        }

        #[inline]
        unsafe fn prefetch(columns: ColumnsOf<T>, archetype: &Archetype, block: usize, row: usize) {
            // SAFETY: passed on from the caller.
            unsafe { Of::<T>::prefetch::<T>(columns, archetype, block, row) };
        }
    };
}

/// `prepare` and `fetch` of what reads.
macro_rules! reads {
    ($beside:ty, $ticks:expr) => {
        fn prepare(_: ColumnsOf<T>, _: &mut World, _: ArchetypeId) {}

        #[inline]
        unsafe fn fetch<'w>(
            columns: ColumnsOf<T>,
            archetype: &'w Archetype,
            block: BlockRows,
            look: Look<'w>,
        ) -> Values<'w, T, $beside> {
            // SAFETY: passed on from the caller.
            let found = unsafe { Of::<T>::read(columns, archetype, block, look) };
            let ticks: unsafe fn(_, _, _, _) -> $beside = $ticks;
            Values {
                rows: Of::<T>::rows(found),
                // SAFETY: passed on from the caller.
                members: unsafe { Of::<T>::members(columns, archetype, block, look) },
                // SAFETY: the block is of these columns.
                beside: unsafe { ticks(columns, archetype, found, look.ticks) },
                marker: PhantomData,
            }
        }
    };
}

/// `prepare` and `fetch` of what writes.
macro_rules! writes {
    () => {
        fn prepare(columns: ColumnsOf<T>, world: &mut World, archetype: ArchetypeId) {
            Of::<T>::prepare(columns, world, archetype);
        }

        fn prepare_run(state: &ComponentId, world: &mut World) {
            Of::<T>::prepare_run(*state, world);
        }

        #[inline]
        unsafe fn fetch<'w>(
            columns: ColumnsOf<T>,
            archetype: &'w Archetype,
            block: BlockRows,
            look: Look<'w>,
        ) -> Values<'w, T, MarksOf<T>> {
            // SAFETY: passed on from the caller.
            let found = unsafe { Of::<T>::write(columns, archetype, block, look) };
            Values {
                rows: Of::<T>::rows(found),
                // SAFETY: passed on from the caller.
                members: unsafe { Of::<T>::members(columns, archetype, block, look) },
                // SAFETY: the block is of these columns, and they are tracked as the type says.
                beside: unsafe {
                    T::Tracking::marks::<Of<T>>(columns, archetype, found, look.ticks)
                },
                marker: PhantomData,
            }
        }
    };
}

/// # Safety
/// As `Source::runs`.
unsafe fn runs<T: TrackedComponent>(
    columns: ColumnsOf<T>,
    archetype: &Archetype,
    block: <Of<T> as Source>::Block,
    now: Ticks,
) -> (<Of<T> as Source>::Runs, Ticks) {
    // SAFETY: passed on from the caller.
    (unsafe { Of::<T>::runs(columns, archetype, block) }, now)
}

// SAFETY: one component, read.
unsafe impl<T: Component> QueryData for &T {
    type ReadOnly = Self;
    type Item<'w> = &'w T;
    type Fetch<'w> = Values<'w, T>;
    common!(read);
    reads!((), |_, _, _, _| ());

    #[inline]
    unsafe fn item<'w>(fetch: Self::Fetch<'w>, row: usize) -> Self::Item<'w> {
        // SAFETY: passed on from the caller.
        unsafe { fetch.get(row) }
    }
}

// SAFETY: one component, written.
unsafe impl<'a, T: MutableComponent> QueryData for &'a mut T {
    type ReadOnly = &'a T;
    type Item<'w> = <T::Tracking as Tracking>::Mut<'w, T>;
    type Fetch<'w> = Values<'w, T, MarksOf<T>>;
    common!(write);
    writes!();

    #[inline]
    unsafe fn item<'w>(fetch: Self::Fetch<'w>, row: usize) -> Self::Item<'w> {
        // SAFETY: passed on from the caller.
        let value = unsafe { fetch.get_mut(row) };
        // SAFETY: the marks are of the row's block.
        unsafe { T::Tracking::write_row::<T, Of<T>>(value, fetch.beside, row) }
    }
}

// SAFETY: one component, read.
unsafe impl<T: TrackedComponent> QueryData for Ref<'_, T> {
    type ReadOnly = Self;
    type Item<'w> = Ref<'w, T>;
    type Fetch<'w> = Values<'w, T, (<Of<T> as Source>::Runs, Ticks)>;
    common!(read);
    reads!((<Of<T> as Source>::Runs, Ticks), runs::<T>);

    #[inline]
    unsafe fn item<'w>(fetch: Self::Fetch<'w>, row: usize) -> Self::Item<'w> {
        let (runs, now) = fetch.beside;
        // SAFETY: passed on from the caller.
        let value = unsafe { fetch.get(row) };
        // SAFETY: as above.
        let ticks = unsafe { Of::<T>::ticks(runs, row) };
        // SAFETY: the row's own ticks, which nobody writes without the right to the value.
        unsafe { Ref::new(value, ticks, now) }
    }
}

// SAFETY: one component, written; the same as `&mut T`.
unsafe impl<'a, T: TrackedComponent + MutableComponent> QueryData for Mut<'a, T> {
    type ReadOnly = Ref<'a, T>;
    type Item<'w> = Mut<'w, T>;
    type Fetch<'w> = Values<'w, T, MarksOf<T>>;
    common!(write);
    writes!();

    #[inline]
    unsafe fn item<'w>(fetch: Self::Fetch<'w>, row: usize) -> Self::Item<'w> {
        // SAFETY: passed on from the caller.
        unsafe { <&mut T>::item(fetch, row) }
    }
}

// SAFETY: reads only.
unsafe impl<T: Component> ReadOnlyQueryData for &T {}
// SAFETY: reads only.
unsafe impl<T: TrackedComponent> ReadOnlyQueryData for Ref<'_, T> {}

// SAFETY: the rows of an archetype all have a component that lies in its table.
unsafe impl<T: TableComponent> ArchetypeQueryData for &T {}
// SAFETY: as above.
unsafe impl<T: TableComponent + MutableComponent> ArchetypeQueryData for &mut T {}
// SAFETY: as above.
unsafe impl<T: TrackedComponent + TableComponent> ArchetypeQueryData for Ref<'_, T> {}
// SAFETY: as above.
unsafe impl<T> ArchetypeQueryData for Mut<'_, T> where
    T: TrackedComponent + TableComponent + MutableComponent
{
}

// SAFETY: as above.
unsafe impl<T: TableComponent> ChunkQueryData for &T {
    type Slices<'w> = &'w [T];

    #[inline]
    unsafe fn slices<'w>(fetch: Self::Fetch<'w>, rows: usize) -> Self::Slices<'w> {
        // SAFETY: the block has `rows` values one after the other, by the caller.
        unsafe { std::slice::from_raw_parts(fetch.rows.cast().as_ptr(), rows) }
    }
}

// SAFETY: as above.
unsafe impl<T: TableComponent + MutableComponent> ChunkQueryData for &mut T {
    type Slices<'w> = &'w mut [T];

    #[inline]
    unsafe fn slices<'w>(fetch: Self::Fetch<'w>, rows: usize) -> Self::Slices<'w> {
        // SAFETY: the block has `rows` rows, all the caller's.
        unsafe { T::Tracking::mark::<Of<T>>(fetch.beside, 0..rows) };
        // SAFETY: as above, and the values lie one after the other.
        unsafe { std::slice::from_raw_parts_mut(fetch.rows.cast().as_ptr(), rows) }
    }
}

//! Queries of several things at once.

use crate::archetype::Archetype;
use crate::query::{FilteredAccess, QueryData, QueryFilter, ReadOnlyQueryData};
use crate::storage::column::Writer;
use crate::world::World;

macro_rules! tuples {
    ($($name:ident $index:tt)*) => {
        // SAFETY: the elements keep the contract; `FilteredAccess` finds out whether two of them
        // exclude each other before anything is fetched.
        unsafe impl<$($name: QueryData),*> QueryData for ($($name,)*) {
            type ReadOnly = ($($name::ReadOnly,)*);
            type Item<'w> = ($($name::Item<'w>,)*);
            type Slices<'w> = ($($name::Slices<'w>,)*);
            type State = ($($name::State,)*);
            type Columns = ($($name::Columns,)*);
            type Fetch<'w> = ($($name::Fetch<'w>,)*);

            fn init(world: &mut World) -> Self::State {
                ($($name::init(world),)*)
            }
            fn access(state: &Self::State, access: &mut FilteredAccess) {
                $($name::access(&state.$index, access);)*
            }

            fn columns(state: &Self::State, archetype: &Archetype) -> Option<Self::Columns> {
                Some(($($name::columns(&state.$index, archetype)?,)*))
            }

            fn prepare(columns: Self::Columns, archetype: &mut Archetype) {
                $($name::prepare(columns.$index, archetype);)*
            }

            #[inline]
            #[allow(clippy::multiple_unsafe_ops_per_block, reason = "one for each element")]
            unsafe fn fetch<'w>(
                columns: Self::Columns,
                archetype: &'w Archetype,
                block: usize,
                to: Writer<'_>,
            ) -> Self::Fetch<'w> {
                // SAFETY: passed on from the caller; elements touch different columns, or the
                // same one only to read.
                unsafe { ($($name::fetch(columns.$index, archetype, block, to),)*) }
            }

            #[inline]
            #[allow(clippy::multiple_unsafe_ops_per_block, reason = "one for each element")]
            unsafe fn item<'w>(fetch: Self::Fetch<'w>, row: usize) -> Self::Item<'w> {
                // SAFETY: passed on from the caller, as above.
                unsafe { ($($name::item(fetch.$index, row),)*) }
            }

            #[inline]
            #[allow(clippy::multiple_unsafe_ops_per_block, reason = "one for each element")]
            unsafe fn slices<'w>(fetch: Self::Fetch<'w>, rows: usize) -> Self::Slices<'w> {
                // SAFETY: passed on from the caller, as above.
                unsafe { ($($name::slices(fetch.$index, rows),)*) }
            }
        }

        // SAFETY: reads only, as its elements do.
        unsafe impl<$($name: ReadOnlyQueryData),*> ReadOnlyQueryData for ($($name,)*) {}

        // SAFETY: all elements hold, and each keeps the contract.
        unsafe impl<$($name: QueryFilter),*> QueryFilter for ($($name,)*) {
            type State = ($($name::State,)*);

            fn init(world: &mut World) -> Self::State {
                ($($name::init(world),)*)
            }
            fn access(state: &Self::State, access: &mut FilteredAccess) {
                $($name::access(&state.$index, access);)*
            }

            fn matches(state: &Self::State, archetype: &Archetype) -> bool {
                $($name::matches(&state.$index, archetype))&&*
            }
        }
    };
}

tuples!(A 0);
tuples!(A 0 B 1);
tuples!(A 0 B 1 C 2);
tuples!(A 0 B 1 C 2 D 3);
tuples!(A 0 B 1 C 2 D 3 E 4);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5 G 6);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11);

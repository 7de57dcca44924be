//! Queries and filters of several things at once: tuples, `AnyOf`, `Or`.

use std::marker::PhantomData;

use super::data::{ArchetypeQueryData, ChunkQueryData, QueryData, ReadOnlyQueryData};
use super::filter::{ArchetypeFilter, QueryFilter};
use super::{BlockRows, FilteredAccess, Look};
use crate::archetype::{Archetype, ArchetypeId};
use crate::world::World;

/// Entities that have at least one of several things; gives an `Option` of each.
///
/// ```
/// use orrery_ecs::{AnyOf, Component, World};
/// #[derive(Clone, Copy, Component)]
/// struct Sword(u32);
/// #[derive(Clone, Copy, Component)]
/// struct Bow(u32);
/// let mut world = World::new();
/// world.spawn(Sword(3));
/// world.spawn((Sword(1), Bow(4)));
/// world.spawn(());
/// let mut armed = world.query::<AnyOf<(&Sword, &Bow)>>();
/// let bows = armed.iter(&world).map(|(_, bow)| bow.map_or(0, |bow| bow.0));
/// assert!(bows.eq([0, 4]));
/// ```
#[derive(Debug)]
pub struct AnyOf<T>(PhantomData<fn() -> T>);

/// Entities for which at least one of several filters holds.
///
/// ```
/// use orrery_ecs::{Component, Entity, Or, With, World};
/// #[derive(Clone, Copy, Component)]
/// struct Sword;
/// #[derive(Clone, Copy, Component)]
/// struct Bow;
/// let mut world = World::new();
/// let archer = world.spawn(Bow).id();
/// world.spawn(());
/// let mut armed = world.query_filtered::<Entity, Or<(With<Sword>, With<Bow>)>>();
/// assert_eq!(armed.view(&world).single(), Ok(archer));
/// ```
#[derive(Debug)]
pub struct Or<T>(PhantomData<fn() -> T>);

macro_rules! data_tuples {
    ($($name:ident $index:tt)*) => {
        // SAFETY: the elements keep the contract; `FilteredAccess` finds out whether two of them
        // exclude each other before anything is fetched.
        #[allow(unused_variables, clippy::unused_unit, reason = "the empty tuple")]
        unsafe impl<$($name: QueryData),*> QueryData for ($($name,)*) {
            type ReadOnly = ($($name::ReadOnly,)*);
            type Item<'w> = ($($name::Item<'w>,)*);
            type State = ($($name::State,)*);
            type Columns = ($($name::Columns,)*);
            type Fetch<'w> = ($($name::Fetch<'w>,)*);
            const BY_ROW: bool = false $(|| $name::BY_ROW)*;

            fn init(world: &mut World) -> Self::State {
                ($($name::init(world),)*)
            }
            fn access(state: &Self::State, access: &mut FilteredAccess) {
                $($name::access(&state.$index, access);)*
            }

            fn columns(state: &Self::State, archetype: &Archetype) -> Option<Self::Columns> {
                Some(($($name::columns(&state.$index, archetype)?,)*))
            }

            fn prepare(columns: Self::Columns, world: &mut World, archetype: ArchetypeId) {
                $($name::prepare(columns.$index, world, archetype);)*
            }

            fn prepare_run(state: &Self::State, world: &mut World) {
                $($name::prepare_run(&state.$index, world);)*
            }

            #[inline]
            unsafe fn fetch<'w>(
                columns: Self::Columns,
                archetype: &'w Archetype,
                block: BlockRows,
                look: Look<'w>,
            ) -> Self::Fetch<'w> {
                // SAFETY: passed on from the caller; elements touch different columns, or the
                // same one only to read.
                ($(unsafe { $name::fetch(columns.$index, archetype, block, look) },)*)
            }

            #[inline]
            fn shrink<'long: 'short, 'short>(fetch: Self::Fetch<'long>) -> Self::Fetch<'short> {
                ($($name::shrink(fetch.$index),)*)
            }

            #[inline]
            unsafe fn has_row(fetch: Self::Fetch<'_>, row: usize) -> bool {
                // SAFETY: passed on from the caller.
                true $(&& unsafe { $name::has_row(fetch.$index, row) })*
            }

            #[inline]
            unsafe fn item<'w>(fetch: Self::Fetch<'w>, row: usize) -> Self::Item<'w> {
                // SAFETY: passed on from the caller, as above.
                ($(unsafe { $name::item(fetch.$index, row) },)*)
            }

            #[inline]
            unsafe fn prefetch(
                columns: Self::Columns,
                archetype: &Archetype,
                block: usize,
                row: usize,
            ) {
                // SAFETY: passed on from the caller.
                $(unsafe { $name::prefetch(columns.$index, archetype, block, row) };)*
            }
        }

        // SAFETY: reads only, as its elements do.
        unsafe impl<$($name: ReadOnlyQueryData),*> ReadOnlyQueryData for ($($name,)*) {}
        // SAFETY: every row has an item if it has one of each element.
        unsafe impl<$($name: ArchetypeQueryData),*> ArchetypeQueryData for ($($name,)*) {}

        // SAFETY: as above.
        #[allow(unused_variables, clippy::unused_unit, reason = "the empty tuple")]
        unsafe impl<$($name: ChunkQueryData),*> ChunkQueryData for ($($name,)*) {
            type Slices<'w> = ($($name::Slices<'w>,)*);

            #[inline]
            unsafe fn slices<'w>(fetch: Self::Fetch<'w>, rows: usize) -> Self::Slices<'w> {
                // SAFETY: passed on from the caller; elements touch different columns, or the
                // same one only to read.
                ($(unsafe { $name::slices(fetch.$index, rows) },)*)
            }
        }
    };
}

macro_rules! any_of {
    ($($name:ident $index:tt)*) => {
        // SAFETY: the elements keep the contract; their accesses are listed as if all were there.
        unsafe impl<$($name: QueryData),*> QueryData for AnyOf<($($name,)*)> {
            type ReadOnly = AnyOf<($($name::ReadOnly,)*)>;
            type Item<'w> = ($(Option<$name::Item<'w>>,)*);
            type State = ($($name::State,)*);
            type Columns = ($(Option<$name::Columns>,)*);
            type Fetch<'w> = ($(Option<$name::Fetch<'w>>,)*);
            const BY_ROW: bool = false $(|| $name::BY_ROW)*;

            fn init(world: &mut World) -> Self::State {
                ($($name::init(world),)*)
            }
            fn access(state: &Self::State, access: &mut FilteredAccess) {
                access.any_of(&[$(&|access| $name::access(&state.$index, access)),*]);
            }

            fn columns(state: &Self::State, archetype: &Archetype) -> Option<Self::Columns> {
                let columns = ($($name::columns(&state.$index, archetype),)*);
                (false $(|| columns.$index.is_some())*).then_some(columns)
            }

            fn prepare(columns: Self::Columns, world: &mut World, archetype: ArchetypeId) {
                $(Option::<$name>::prepare(columns.$index, world, archetype);)*
            }

            fn prepare_run(state: &Self::State, world: &mut World) {
                $($name::prepare_run(&state.$index, world);)*
            }

            #[inline]
            unsafe fn fetch<'w>(
                columns: Self::Columns,
                archetype: &'w Archetype,
                block: BlockRows,
                look: Look<'w>,
            ) -> Self::Fetch<'w> {
                // SAFETY: passed on from the caller; elements touch different columns, or the
                // same one only to read.
                ($(unsafe { Option::<$name>::fetch(columns.$index, archetype, block, look) },)*)
            }

            #[inline]
            fn shrink<'long: 'short, 'short>(fetch: Self::Fetch<'long>) -> Self::Fetch<'short> {
                ($(Option::<$name>::shrink(fetch.$index),)*)
            }

            #[inline]
            unsafe fn has_row(fetch: Self::Fetch<'_>, row: usize) -> bool {
                // SAFETY: passed on from the caller.
                false $(|| fetch.$index.is_some_and(|fetch| unsafe { $name::has_row(fetch, row) }))*
            }

            #[inline]
            unsafe fn item<'w>(fetch: Self::Fetch<'w>, row: usize) -> Self::Item<'w> {
                // SAFETY: passed on from the caller, as above.
                ($(unsafe { Option::<$name>::item(fetch.$index, row) },)*)
            }

            #[inline]
            unsafe fn prefetch(
                columns: Self::Columns,
                archetype: &Archetype,
                block: usize,
                row: usize,
            ) {
                // SAFETY: passed on from the caller.
                $(unsafe { Option::<$name>::prefetch(columns.$index, archetype, block, row) };)*
            }
        }

        // SAFETY: reads only, as its elements do.
        unsafe impl<$($name: ReadOnlyQueryData),*> ReadOnlyQueryData for AnyOf<($($name,)*)> {}
        // SAFETY: an archetype that matches has one of the elements for all its rows.
        unsafe impl<$($name: ArchetypeQueryData),*> ArchetypeQueryData for AnyOf<($($name,)*)> {}

        // SAFETY: as above.
        unsafe impl<$($name: ChunkQueryData),*> ChunkQueryData for AnyOf<($($name,)*)> {
            type Slices<'w> = ($(Option<$name::Slices<'w>>,)*);

            #[inline]
            unsafe fn slices<'w>(fetch: Self::Fetch<'w>, rows: usize) -> Self::Slices<'w> {
                // SAFETY: passed on from the caller; elements touch different columns, or the
                // same one only to read.
                ($(unsafe { Option::<$name>::slices(fetch.$index, rows) },)*)
            }
        }
    };
}

macro_rules! filter_tuples {
    ($($name:ident $index:tt)*) => {
        // SAFETY: all elements hold, and each keeps the contract.
        #[allow(unused_variables, clippy::unused_unit, reason = "the empty tuple")]
        unsafe impl<$($name: QueryFilter),*> QueryFilter for ($($name,)*) {
            type State = ($($name::State,)*);
            type Columns = ($($name::Columns,)*);
            type Fetch<'w> = ($($name::Fetch<'w>,)*);
            const BY_ROW: bool = false $(|| $name::BY_ROW)*;

            fn init(world: &mut World) -> Self::State {
                ($($name::init(world),)*)
            }
            fn access(state: &Self::State, access: &mut FilteredAccess) {
                $($name::access(&state.$index, access);)*
            }

            fn columns(state: &Self::State, archetype: &Archetype) -> Option<Self::Columns> {
                Some(($($name::columns(&state.$index, archetype)?,)*))
            }

            #[inline]
            unsafe fn fetch<'w>(
                columns: Self::Columns,
                archetype: &'w Archetype,
                block: BlockRows,
                look: Look<'w>,
            ) -> Option<Self::Fetch<'w>> {
                // SAFETY: passed on from the caller.
                Some(($(unsafe { $name::fetch(columns.$index, archetype, block, look) }?,)*))
            }

            #[inline]
            unsafe fn has_row(fetch: Self::Fetch<'_>, row: usize) -> bool {
                // SAFETY: passed on from the caller.
                true $(&& unsafe { $name::has_row(fetch.$index, row) })*
            }
        }

        // SAFETY: the elements decide by archetype.
        unsafe impl<$($name: ArchetypeFilter),*> ArchetypeFilter for ($($name,)*) {}
    };
}

macro_rules! or {
    ($($name:ident $index:tt)*) => {
        // SAFETY: an archetype without columns has none for any element, and each keeps the
        // contract.
        unsafe impl<$($name: QueryFilter),*> QueryFilter for Or<($($name,)*)> {
            type State = ($($name::State,)*);
            type Columns = ($(Option<$name::Columns>,)*);
            type Fetch<'w> = ($(Option<$name::Fetch<'w>>,)*);
            const BY_ROW: bool = false $(|| $name::BY_ROW)*;

            fn init(world: &mut World) -> Self::State {
                ($($name::init(world),)*)
            }
            fn access(state: &Self::State, access: &mut FilteredAccess) {
                access.any_of(&[$(&|access| $name::access(&state.$index, access)),*]);
            }

            fn columns(state: &Self::State, archetype: &Archetype) -> Option<Self::Columns> {
                let columns = ($($name::columns(&state.$index, archetype),)*);
                (false $(|| columns.$index.is_some())*).then_some(columns)
            }

            #[inline]
            unsafe fn fetch<'w>(
                columns: Self::Columns,
                archetype: &'w Archetype,
                block: BlockRows,
                look: Look<'w>,
            ) -> Option<Self::Fetch<'w>> {
                let fetch = ($(columns.$index.and_then(|columns| {
                    // SAFETY: passed on from the caller.
                    unsafe { $name::fetch(columns, archetype, block, look) }
                }),)*);
                (false $(|| fetch.$index.is_some())*).then_some(fetch)
            }

            #[inline]
            unsafe fn has_row(fetch: Self::Fetch<'_>, row: usize) -> bool {
                // SAFETY: passed on from the caller.
                false $(|| fetch.$index.is_some_and(|fetch| unsafe { $name::has_row(fetch, row) }))*
            }
        }

        // SAFETY: the elements decide by archetype.
        unsafe impl<$($name: ArchetypeFilter),*> ArchetypeFilter for Or<($($name,)*)> {}
    };
}

data_tuples!();
filter_tuples!();

/// Every length down from the given one.
macro_rules! all {
    ([$($name:ident $index:tt)*]) => {
        data_tuples!($($name $index)*);
        any_of!($($name $index)*);
        filter_tuples!($($name $index)*);
        or!($($name $index)*);
    };
    ([$($done:tt)*] $name:ident $index:tt $($rest:tt)*) => {
        all!([$($done)* $name $index]);
        all!([$($done)* $name $index] $($rest)*);
    };
    ([$($done:tt)*] ;) => {};
}

all!([] A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14 P 15 ;);

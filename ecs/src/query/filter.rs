//! Which entities a query visits beyond having what it gives: the traits, `With`, `Without`.

use std::marker::PhantomData;

use super::source::Source;
use super::{BlockRows, FilteredAccess, Look};
use crate::archetype::Archetype;
use crate::component::info::ComponentId;
use crate::component::{Component, TableComponent};
use crate::world::World;

/// A condition on entities: [`With`], [`Without`], [`Added`](crate::Added),
/// [`Changed`](crate::Changed), [`Or`](crate::Or), and tuples, whose elements must all hold. `()`
/// always holds.
///
/// ```
/// use orrery_ecs::{Component, Entity, Or, With, Without, World};
/// #[derive(Clone, Copy, Component)]
/// struct Fish;
/// #[derive(Clone, Copy, Component)]
/// struct Bird;
/// #[derive(Clone, Copy, Component)]
/// struct Asleep;
/// let mut world = World::new();
/// let shark = world.spawn(Fish).id();
/// let owl = world.spawn((Bird, Asleep)).id();
/// let crow = world.spawn(Bird).id();
/// type Animal = Or<(With<Fish>, With<Bird>)>;
/// let mut awake = world.query_filtered::<Entity, (Animal, Without<Asleep>)>();
/// assert!(awake.iter(&world).eq([shark, crow]));
/// world.remove::<Asleep>(owl)?;
/// assert_eq!(awake.view(&world).len(), 3);
/// # Ok::<(), orrery_ecs::NoSuchEntity>(())
/// ```
///
/// # Safety
/// - `columns` is `None` for archetypes that `access` excludes: that keeps two queries of the same
///   component apart;
/// - `access` lists every component that `fetch` looks at;
/// - where `BY_ROW` is false, the condition holds for all rows of an archetype that has columns.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a filter of queries",
    label = "not a filter",
    note = "for entities that have the component write `With<{Self}>`, for those that lack it \
            `Without<{Self}>`",
    note = "filters are `With<T>`, `Without<T>`, `Added<T>`, `Changed<T>`, `Or<(..)>` and tuples \
            of them"
)]
pub unsafe trait QueryFilter {
    /// Numbers of the components in one world.
    #[doc(hidden)]
    type State: Clone + Send + Sync;
    /// Positions of what is looked at in one archetype.
    #[doc(hidden)]
    type Columns: Copy + Send + Sync + 'static;
    /// Pointers into one block.
    #[doc(hidden)]
    type Fetch<'w>: Copy;
    /// Whether each row has to be asked.
    #[doc(hidden)]
    const BY_ROW: bool;

    #[doc(hidden)]
    fn init(world: &mut World) -> Self::State;
    #[doc(hidden)]
    fn access(state: &Self::State, access: &mut FilteredAccess);
    /// `None` if the condition holds for no row of the archetype.
    #[doc(hidden)]
    fn columns(state: &Self::State, archetype: &Archetype) -> Option<Self::Columns>;
    /// `None` if the condition holds for no row of the block.
    ///
    /// # Safety
    /// - `columns` are of this archetype, which has the block;
    /// - nobody writes what is looked at while the result is used.
    #[doc(hidden)]
    unsafe fn fetch<'w>(
        columns: Self::Columns,
        archetype: &'w Archetype,
        block: BlockRows,
        look: Look<'w>,
    ) -> Option<Self::Fetch<'w>>;
    /// Whether the condition holds for a row.
    ///
    /// # Safety
    /// The block has the row.
    #[doc(hidden)]
    unsafe fn has_row(fetch: Self::Fetch<'_>, row: usize) -> bool;
}

/// A condition on the archetype alone: it holds for all its rows or for none.
///
/// # Safety
/// `BY_ROW` is false.
#[diagnostic::on_unimplemented(
    message = "`{Self}` decides row by row, so the query has no chunks and no known length",
    label = "decides row by row",
    note = "visit it row by row: `for` loops, `iter`, `for_each`, `par_for_each` and a system \
            with a `Query` instead of a `Chunk`; `count` instead of `len`"
)]
pub unsafe trait ArchetypeFilter: QueryFilter {}

/// Only entities that have `T`.
///
/// ```
/// use orrery_ecs::{Component, Entity, With, World};
/// #[derive(Clone, Copy, Component)]
/// struct Asleep;
/// let mut world = World::new();
/// let owl = world.spawn(Asleep).id();
/// let crow = world.spawn(()).id();
/// let mut found = world.query_filtered::<Entity, With<Asleep>>();
/// assert!(found.iter(&world).eq([owl]));
/// ```
#[derive(Debug)]
pub struct With<T>(PhantomData<fn() -> T>);

/// Only entities that lack `T`.
///
/// ```
/// use orrery_ecs::{Component, Entity, Without, World};
/// #[derive(Clone, Copy, Component)]
/// struct Asleep;
/// let mut world = World::new();
/// let owl = world.spawn(Asleep).id();
/// let crow = world.spawn(()).id();
/// let mut found = world.query_filtered::<Entity, Without<Asleep>>();
/// assert!(found.iter(&world).eq([crow]));
/// ```
#[derive(Debug)]
pub struct Without<T>(PhantomData<fn() -> T>);

// SAFETY: archetypes without columns have no such row; membership needs no access.
unsafe impl<T: Component> QueryFilter for With<T> {
    type State = ComponentId;
    type Columns = <T::Storage as Source>::Columns;
    type Fetch<'w> = <T::Storage as Source>::Members;
    const BY_ROW: bool = T::Storage::BY_ROW;

    fn init(world: &mut World) -> ComponentId {
        world.register_component::<T>()
    }

    fn access(state: &ComponentId, access: &mut FilteredAccess) {
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
        Some(unsafe { T::Storage::members(columns, archetype, block, look) })
    }

    #[inline]
    unsafe fn has_row(fetch: Self::Fetch<'_>, row: usize) -> bool {
        // SAFETY: passed on from the caller.
        unsafe { T::Storage::has(fetch, row) }
    }
}

// SAFETY: an archetype whose rows all have the component has no columns here.
unsafe impl<T: Component> QueryFilter for Without<T> {
    type State = ComponentId;
    type Columns = Option<<T::Storage as Source>::Columns>;
    type Fetch<'w> = Option<<T::Storage as Source>::Members>;
    const BY_ROW: bool = T::Storage::BY_ROW;

    fn init(world: &mut World) -> ComponentId {
        world.register_component::<T>()
    }

    fn access(state: &ComponentId, access: &mut FilteredAccess) {
        T::Storage::limit(*state, false, access);
    }

    fn columns(state: &ComponentId, archetype: &Archetype) -> Option<Self::Columns> {
        let found = T::Storage::find(*state, archetype);
        (Self::BY_ROW || found.is_none()).then_some(found)
    }

    #[inline]
    unsafe fn fetch<'w>(
        columns: Self::Columns,
        archetype: &'w Archetype,
        block: BlockRows,
        look: Look<'w>,
    ) -> Option<Self::Fetch<'w>> {
        // SAFETY: passed on from the caller.
        let members = |columns| unsafe { T::Storage::members(columns, archetype, block, look) };
        Some(columns.map(members))
    }

    #[inline]
    unsafe fn has_row(fetch: Self::Fetch<'_>, row: usize) -> bool {
        // SAFETY: passed on from the caller.
        fetch.is_none_or(|members| !unsafe { T::Storage::has(members, row) })
    }
}

// SAFETY: the rows of an archetype have a component that lies in its table all or none.
unsafe impl<T: TableComponent> ArchetypeFilter for With<T> {}
// SAFETY: as above.
unsafe impl<T: TableComponent> ArchetypeFilter for Without<T> {}

//! What a query can give for each entity: the traits.
//!
//! A query runs in steps, each with less to do than the one before: `init` once, `columns` once
//! for each archetype that matches, `prepare` after a fork, `fetch` once for each block, `item`
//! for each row. What implements them: `reference.rs` (`&T` and kin), `terms.rs` ([`Entity`],
//! `Option`, [`Has`](crate::Has)), `fields.rs`, `tuple.rs` (tuples, [`AnyOf`](crate::AnyOf)).
//!
//! [`Entity`]: crate::Entity

use crate::archetype::{Archetype, ArchetypeId};
use crate::query::{BlockRows, FilteredAccess, Look};
use crate::world::World;

/// Types that a query can give: `&T`, `&mut T`, [`Ref`](crate::Ref), [`Mut`](crate::Mut),
/// [`Entity`](crate::Entity), [`EntityRef`](crate::EntityRef), [`EntityMut`](crate::EntityMut),
/// [`Has`](crate::Has), [`Fields`](crate::Fields), `Option` and
/// [`AnyOf`](crate::AnyOf) of these, and tuples of up to 16, nested to any depth.
///
/// ```
/// use orrery_ecs::{Component, Entity, World};
/// #[derive(Clone, Copy, Component)]
/// struct Health(u32);
/// #[derive(Clone, Copy, Component)]
/// struct Armor(u32);
/// let mut world = World::new();
/// let knight = world.spawn((Health(9), Armor(3))).id();
/// let page = world.spawn(Health(5)).id();
/// let mut all = world.query::<(Entity, (&mut Health, Option<&Armor>))>();
/// for (_, (health, armor)) in all.iter_mut(&mut world) {
///     health.0 -= 4 - armor.map_or(0, |armor| armor.0);
/// }
/// // The archetype of the knight was there first.
/// let healths = all.iter(&world).map(|(entity, (health, _))| (entity, health.0));
/// assert!(healths.eq([(knight, 8), (page, 1)]));
/// ```
///
/// # Safety
/// - `access` lists every component that `fetch` touches;
/// - `fetch` touches only the columns that `columns` found, in the block it is given;
/// - `columns` is `None` for archetypes that `access` excludes;
/// - where `BY_ROW` is false, all rows of an archetype that `columns` found have items;
/// - `ReadOnly` gives no mutable access.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be fetched by a query",
    label = "not what a query gives",
    note = "to read a component write `&{Self}`, to write it `&mut {Self}`, and to ask only \
            whether it is there `Has<{Self}>`",
    note = "a query gives `&T`, `&mut T`, `Ref<T>`, `Entity`, `EntityRef`, `EntityMut`, `Has<T>`, \
            `Option<..>`, `AnyOf<(..)>`, `Fields<..>` or tuples of them, up to 16"
)]
pub unsafe trait QueryData {
    /// The same without mutable access.
    type ReadOnly: ReadOnlyQueryData<State = Self::State, Columns = Self::Columns>;
    /// What one row gives.
    type Item<'w>;
    /// Numbers of the components in one world.
    #[doc(hidden)]
    type State: Clone + Send + Sync;
    /// Positions of the columns in one archetype.
    #[doc(hidden)]
    type Columns: Copy + Send + Sync + 'static;
    /// Pointers into one block.
    #[doc(hidden)]
    type Fetch<'w>: Copy;
    /// Whether each row has to be asked if it has an item.
    #[doc(hidden)]
    const BY_ROW: bool;

    #[doc(hidden)]
    fn init(world: &mut World) -> Self::State;
    #[doc(hidden)]
    fn access(state: &Self::State, access: &mut FilteredAccess);
    /// `None` if no row of the archetype has an item.
    #[doc(hidden)]
    fn columns(state: &Self::State, archetype: &Archetype) -> Option<Self::Columns>;
    /// Makes the block lists of written columns ours, so that `fetch` may copy shared blocks.
    #[doc(hidden)]
    fn prepare(columns: Self::Columns, world: &mut World, archetype: ArchetypeId);
    /// Makes what is written beside the archetypes ours, before each run in which any matches.
    #[doc(hidden)]
    fn prepare_run(_: &Self::State, _: &mut World) {}
    /// # Safety
    /// - `columns` are of this archetype, which has the block;
    /// - `prepare` was called since the last fork, and `prepare_run` since the last change of the
    ///   world, if anything is written;
    /// - nobody else writes what is read here, nor touches what is written, for `'w`.
    #[doc(hidden)]
    unsafe fn fetch<'w>(
        columns: Self::Columns,
        archetype: &'w Archetype,
        block: BlockRows,
        look: Look<'w>,
    ) -> Self::Fetch<'w>;
    /// The same pointers for a shorter time.
    #[doc(hidden)]
    fn shrink<'long: 'short, 'short>(fetch: Self::Fetch<'long>) -> Self::Fetch<'short>;
    /// Whether a row has an item; always true where `BY_ROW` is false.
    ///
    /// # Safety
    /// The block has the row.
    #[doc(hidden)]
    #[inline]
    unsafe fn has_row(_: Self::Fetch<'_>, _: usize) -> bool {
        true
    }
    /// # Safety
    /// The block has the row, `has_row` is true of it, and no other item of a written column of
    /// it lives.
    #[doc(hidden)]
    unsafe fn item<'w>(fetch: Self::Fetch<'w>, row: usize) -> Self::Item<'w>;
    /// Asks the processor for what `item` will read.
    ///
    /// # Safety
    /// As `fetch`, and the block has the row.
    #[doc(hidden)]
    #[inline]
    unsafe fn prefetch(_: Self::Columns, _: &Archetype, _: usize, _: usize) {}
}

/// A query that only reads, and may run beside others that do.
///
/// # Safety
/// `access` lists no writes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` gives mutable access, and this needs a query that only reads",
    label = "gives mutable access",
    note = "iterate `query.iter()` of `&query`, or use the `_mut` form of the method"
)]
pub unsafe trait ReadOnlyQueryData: QueryData {}

/// A query that gives something for every row of the archetypes that match it, so that its length
/// is known without looking at rows.
///
/// # Safety
/// `BY_ROW` is false.
#[diagnostic::on_unimplemented(
    message = "how many rows `{Self}` gives is not known without looking at them",
    label = "decides row by row",
    note = "take `count` instead of `len`; or store the component in columns, by taking \
            `#[component(sparse)]` away from its definition"
)]
pub unsafe trait ArchetypeQueryData: QueryData {}

/// A query that gives slices of whole blocks; see
/// [`Query::for_each_chunk`](crate::Query::for_each_chunk).
///
/// # Safety
/// `BY_ROW` is false.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no slices, so it cannot be visited by chunks",
    label = "has no slices",
    note = "chunks give `&T`, `&mut T`, `Entity`, `Has<T>`, `Fields<..>`, `Option<..>`, \
            `AnyOf<(..)>` and tuples of them; take `&T` for `Ref<T>`, `&mut T` for `Mut<T>`, or \
            visit rows by `for` or `for_each`"
)]
pub unsafe trait ChunkQueryData: ArchetypeQueryData {
    /// What one block gives: slices as long as the block has rows.
    type Slices<'w>;

    /// # Safety
    /// The block has `rows` rows, and no item or slice of a written column of it lives.
    #[doc(hidden)]
    unsafe fn slices<'w>(fetch: Self::Fetch<'w>, rows: usize) -> Self::Slices<'w>;
}

//! Where the values of a component lie.

use super::Component;
use crate::query::Source;

mod sealed {
    pub trait Sealed {}
}

/// Where a component's values lie: [`InTable`] or [`InSparseSet`].
pub trait Storage: sealed::Sealed + Source + 'static {
    #[doc(hidden)]
    const SPARSE: bool;
}

/// A component whose values lie in columns, so that it can be asked for in slices, whole blocks
/// and numbers of rows. Every component is one without `#[component(sparse)]`.
///
/// ```
/// use orrery_ecs::{Component, TableComponent, World};
/// fn sum<T: TableComponent>(world: &mut World, number: impl Fn(&T) -> u64) -> u64 {
///     let mut total = 0;
///     world.query::<&T>().view(world).for_each_chunk(|values| {
///         total += values.iter().map(&number).sum::<u64>();
///     });
///     total
/// }
/// #[derive(Clone, Copy, Component)]
/// struct Gold(u64);
/// let mut world = World::new();
/// world.spawn_batch((0..5).map(Gold));
/// assert_eq!(sum::<Gold>(&mut world, |gold| gold.0), 10);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a component in columns, so there are no slices, blocks or number of \
               rows of it",
    label = "sparse, or not a component",
    note = "write `#[derive(Clone, Component)]` above the definition of `{Self}`; if it is there, \
            take `#[component(sparse)]` away, which keeps the values out of columns",
    note = "or visit it row by row: a system with a `Query` instead of a `Chunk`, `for_each` \
            instead of `for_each_chunk`, `count` instead of `len`, the filter `Changed<T>` with \
            `#[component(sparse, track)]` instead of `changed_since`, `spawn_batch` instead of \
            `spawn_columns`"
)]
pub trait TableComponent: Component<Storage = InTable> {}

/// In columns of the entity's archetype: fastest to walk over, and the default.
#[derive(Debug)]
pub struct InTable(());

impl sealed::Sealed for InTable {}

impl Storage for InTable {
    const SPARSE: bool = false;
}

/// In a set of its own beside the archetypes: fastest to come and go.
#[derive(Debug)]
pub struct InSparseSet(());

impl sealed::Sealed for InSparseSet {}

impl Storage for InSparseSet {
    const SPARSE: bool = true;
}

//! Component types and what a world knows of them.

mod dynamic;
pub(crate) mod info;
mod registry;
pub(crate) mod required;
mod set;
mod storage;
pub(crate) mod tracking;

pub use dynamic::ComponentDescriptor;
pub use info::{ComponentId, FieldInfo};
pub(crate) use registry::Registry;
pub use required::{MadeByDefault, Requirements};
pub(crate) use set::ComponentSet;
pub use storage::{InSparseSet, InTable, Storage, TableComponent};
pub use tracking::{ByBlock, ByRow, Mut, MutOf, Ref, Ticks, TrackedComponent, Tracking};

use crate::entity::Entity;
use crate::hash::StateHasher;
use info::ComponentInfo;

/// A type whose values are attached to entities. Derive it.
///
/// A component is `Send + Sync + 'static`, and `Clone`, so that a world can be forked, and every
/// field can enter the state hash (see [`StateHash`](crate::StateHash)).
///
/// Values change through `&mut` only: a value that changes itself behind `&` (a cell, a mutex, an
/// atomic) changes in every fork that shares its block, and the state hash does not notice.
///
/// ```
/// use orrery_ecs::{Component, World};
/// #[derive(Clone, Copy, Component)]
/// struct Health(f32);
/// let mut world = World::new();
/// let entity = world.spawn(Health(3.0)).id();
/// assert_eq!(world.get::<Health>(entity).map(|health| health.0), Some(3.0));
/// ```
///
/// # Options
/// The derive takes:
///
/// - `#[component(split)]`: each field is a column of its own, for kernels that mix fields. All
///   fields must be `Copy`; access is by [`Fields`](crate::Fields) instead of references.
/// - `#[component(track)]`: rows carry ticks, so that [`Added`](crate::Added) and
///   [`Changed`](crate::Changed) can be asked of single entities.
/// - `#[component(sparse)]`: values lie in a set beside the archetypes, so that it comes and goes
///   without moving the entity; walking over it looks each row up.
/// - `#[component(immutable)]`: changes only as a whole, by insertions ([`MutableComponent`]).
/// - `#[component(no_clone)]`: not `Clone`; a world that holds one refuses to fork and names it.
/// - `#[component(not_state)]`: left out of the state hash.
///
/// `#[relationship]` makes it point at another entity, which knows who points at it; see
/// [`Relationship`](crate::Relationship).
///
/// `#[require(Other, Another = made(), Third(1, 2))]` brings other components along: whoever gets
/// this one gets those as well, unless it has them; from `Default`, an expression, or a
/// constructor. They may require more, and each other. Removing this one leaves them.
///
/// ```
/// use orrery_ecs::{Component, World};
/// #[derive(Clone, Copy, Default, Component)]
/// struct Position(f32, f32);
/// #[derive(Clone, Copy, Component)]
/// struct Health(u32);
/// #[derive(Clone, Copy, Component)]
/// #[require(Position, Health(100))]
/// struct Monster;
/// let mut world = World::new();
/// let weak = world.spawn((Monster, Health(3))).id();
/// assert!(world.get::<Position>(weak).is_some());
/// assert_eq!(world.get::<Health>(weak).map(|health| health.0), Some(3));
/// ```
///
/// # Hooks
/// `#[component(on_add = path, on_insert = path, on_remove = path, on_despawn = path)]` names
/// functions `fn(HookContext<'_>)` that run when that happens to a value of the type, before all
/// observers. They read the world and ask for [`Commands`](crate::Commands); see
/// [`HookContext`](crate::HookContext).
///
/// # Safety
/// `describe` tells the truth about the type. The derive macro guarantees it.
#[allow(
    unsafe_code,
    reason = "a wrong description would let storage misread memory"
)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a component",
    label = "not a component",
    note = "write `#[derive(Clone, Component)]` above the definition of `{Self}`"
)]
pub unsafe trait Component: Sized + Send + Sync + 'static {
    /// Whether the fields lie in columns of their own.
    const SPLIT: bool = false;

    /// How writes are noticed: [`ByBlock`], or [`ByRow`] with `#[component(track)]`.
    type Tracking: Tracking;

    /// Where values lie: [`InTable`], or [`InSparseSet`] with `#[component(sparse)]`.
    type Storage: Storage;

    /// Layout, drop, clone, fields and hash of the type.
    #[doc(hidden)]
    fn describe() -> ComponentInfo;

    /// Says which components this one brings along.
    #[doc(hidden)]
    fn required(add: &mut Requirements<'_>);

    /// Adds every field to a hash; nothing for a component that is not state.
    #[doc(hidden)]
    fn hash_fields(&self, hasher: &mut StateHasher);

    /// Exchanges the handles in every field; see [`MapEntities`](crate::MapEntities).
    #[doc(hidden)]
    fn map_fields(&mut self, map: &mut dyn FnMut(Entity) -> Entity);
}

/// A component that may be written to in its place. All are but those that say
/// `#[component(immutable)]`, or are part of a relationship: these change only as a whole, by
/// another insertion, so that nothing changes without hooks and observers.
///
/// ```
/// use orrery_ecs::{Component, World};
/// #[derive(Clone, Copy, PartialEq, Debug, Component)]
/// #[component(immutable)]
/// struct Cell(u32);
/// let mut world = World::new();
/// let pawn = world.spawn(Cell(12)).id();
/// // `world.get_mut::<Cell>(pawn)` does not compile.
/// world.entity_mut(pawn).insert(Cell(20));
/// assert_eq!(world.get(pawn), Some(&Cell(20)));
/// ```
#[diagnostic::on_unimplemented(
    message = "there is no `&mut` to a `{Self}`",
    label = "no component that can be written to in its place",
    note = "if it is no component yet, write `#[derive(Clone, Component)]` above its definition",
    note = "if it is one that says `#[component(immutable)]`, read it by `&{Self}`, and insert \
            another value to change it: its hooks, observers and relationships hear of insertions \
            only"
)]
pub trait MutableComponent: Component {}

/// A component whose fields lie in columns of their own; `#[component(split)]` derives it.
///
/// ```
/// use orrery_ecs::{Component, Fields, SplitComponent, World};
/// fn count<T: SplitComponent>(world: &mut World) -> usize {
///     world.query::<Fields<&T>>().view(world).len()
/// }
/// #[derive(Clone, Copy, Component)]
/// #[component(split)]
/// struct Position {
///     x: f32,
///     y: f32,
/// }
/// let mut world = World::new();
/// world.spawn(Position { x: 1.0, y: 2.0 });
/// assert_eq!(count::<Position>(&mut world), 1);
/// ```
///
/// # Safety
/// The pointers that these functions get are used as fields in order of declaration, within the
/// given length. The derive macro guarantees it.
#[allow(unsafe_code, reason = "it turns pointers into slices")]
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no column for each of its fields",
    label = "not split into its fields",
    note = "write `#[component(split)]` above the definition of `{Self}`, or ask for `&{Self}` and \
            `&mut {Self}`, whose slices are whole values"
)]
pub unsafe trait SplitComponent:
    Component<Storage = InTable, Tracking = ByBlock> + Copy
{
    /// A slice for each field.
    type Slices<'w>;
    /// A mutable slice for each field.
    type SlicesMut<'w>;
    /// A reference to each field of one row.
    type Ref<'w>;
    /// A mutable reference to each field of one row.
    type RefMut<'w>;

    /// # Safety
    /// `start(i)` points to `len` values of field `i`, readable for `'w`.
    #[doc(hidden)]
    unsafe fn slices<'w>(start: impl Fn(usize) -> *mut u8, len: usize) -> Self::Slices<'w>;
    /// # Safety
    /// `start(i)` points to `len` values of field `i`, writable for `'w` by nobody else.
    #[doc(hidden)]
    unsafe fn slices_mut<'w>(start: impl Fn(usize) -> *mut u8, len: usize) -> Self::SlicesMut<'w>;
    /// # Safety
    /// `start(i)` points to more than `row` values of field `i`, readable for `'w`.
    #[doc(hidden)]
    unsafe fn row<'w>(start: impl Fn(usize) -> *mut u8, row: usize) -> Self::Ref<'w>;
    /// # Safety
    /// `start(i)` points to more than `row` values of field `i`; nobody else has that row.
    #[doc(hidden)]
    unsafe fn row_mut<'w>(start: impl Fn(usize) -> *mut u8, row: usize) -> Self::RefMut<'w>;
}

/// What a component or resource must be for its world to be forked.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not `Clone`, so a world that holds one could not be forked",
    label = "not `Clone`",
    note = "write `#[derive(Clone)]` above its definition; or, if the world need not be forked, \
            `#[component(no_clone)]` or `#[resource(no_clone)]`"
)]
pub trait Forkable: Sized {
    fn duplicate(&self) -> Self;
}

impl<T: Clone> Forkable for T {
    fn duplicate(&self) -> Self {
        self.clone()
    }
}

/// A clone, called so that the error for what has none is the one above.
#[doc(hidden)]
pub fn duplicate<T: Forkable>(value: &T) -> T {
    value.duplicate()
}

/// What the derive macros call; not for users.
#[doc(hidden)]
pub mod describe {
    use std::marker::PhantomData;

    use super::Component;
    pub use super::info::{
        CloneBehavior, ComponentInfo, FieldInfo, HashBehavior, Placement, clone_behavior,
    };
    use super::{Forkable, Storage, Tracking};
    use crate::hash::Lane;
    pub use crate::observer::Hooks;

    /// Finds out by method resolution whether a type is `Copy`: it tries fewer references last, and
    /// the caller takes one reference more than the first trait has.
    pub struct CloneProbe<T>(pub PhantomData<T>);

    impl<T> Clone for CloneProbe<T> {
        fn clone(&self) -> Self {
            *self
        }
    }

    impl<T> Copy for CloneProbe<T> {}

    pub trait ByCopy {
        fn behavior(&self) -> CloneBehavior;
    }

    impl<T: Copy> ByCopy for &CloneProbe<T> {
        fn behavior(&self) -> CloneBehavior {
            CloneBehavior::Bytes
        }
    }

    pub trait ByClone {
        fn behavior(&self) -> CloneBehavior;
    }

    impl<T: Clone> ByClone for CloneProbe<T> {
        fn behavior(&self) -> CloneBehavior {
            clone_behavior::<T>()
        }
    }

    /// Takes what is left, so that the error speaks of `Clone` and not of these traits.
    pub trait ByNothing<T> {
        fn behavior(self) -> CloneBehavior
        where
            T: Forkable;
    }

    impl<T> ByNothing<T> for CloneProbe<T> {
        fn behavior(self) -> CloneBehavior
        where
            T: Forkable,
        {
            CloneBehavior::Refuse
        }
    }

    /// The lane of a value whose fields are all of one and leave no gaps.
    fn lane_of(fields: &[FieldInfo], size_bytes: usize) -> Option<Lane> {
        let lane = fields.first()?.lane?;
        let whole = fields.iter().map(|field| field.size_bytes).sum::<usize>() == size_bytes;
        (whole && fields.iter().all(|field| field.lane == Some(lane))).then_some(lane)
    }

    /// Where `T` said it wants to lie.
    pub fn placement<T: Component>() -> Placement {
        Placement {
            split: T::SPLIT,
            tracked: T::Tracking::ROWS,
            sparse: T::Storage::SPARSE,
        }
    }

    /// How `T` is hashed: as lanes where it can be, else value by value.
    pub fn hash_behavior<T: Component>(fields: &[FieldInfo]) -> HashBehavior {
        if T::SPLIT {
            // Any other field may hold padding, whose bytes are no part of its value.
            let plain = fields.iter().all(|field| field.lane.is_some());
            return match plain {
                true => HashBehavior::Fields,
                false => HashBehavior::Gathered(super::info::hash_gathered::<T>),
            };
        }
        match lane_of(fields, size_of::<T>()) {
            Some(lane) => HashBehavior::Lanes(lane),
            None => HashBehavior::Values(super::info::hash_value::<T>),
        }
    }
}

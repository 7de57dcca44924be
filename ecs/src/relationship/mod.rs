//! Relationships: components that point at another entity, which knows who points at it.
//!
//! ```text
//! source   component R { target }         lies in its archetype like any other
//! target   component Sources<R> [a, b, c] lies in a sparse set: kept by the world alone
//! ```
//!
//! Rules:
//! - A source has one target of a relationship; a target has any number of sources, in the order
//!   in which they came to it.
//! - Both sides are immutable: a source changes its target by another insertion of `R`, and the
//!   list follows at once, before hooks and observers of that change run. So the two agree whenever
//!   user code can look.
//! - Neither side moves an entity between archetypes because of who is related to whom; the list
//!   itself lies in a sparse set.
//! - When a target is despawned, its sources lose `R`, or are despawned after it if the
//!   relationship says so (`#[relationship(despawn)]`): the target first, then each source with all
//!   of its own, in order. This is a loop and no recursion, however deep the tree.
//! - An acyclic relationship, as they all are unless they say `cyclic`, refuses an insertion that
//!   would make an entity its own ancestor; one to itself is always refused. The entity keeps what
//!   it had, and nobody is told of an insertion.
//! - A target that is dead when the relationship arrives counts as despawned just after: the source
//!   loses `R` or is despawned. Whether a command came in time or too late makes no difference.
//! - What was refused, and targets that were dead, are reported as errors of observers are: by the
//!   system whose commands it was, or by [`World::take_observer_error`](crate::World).
//!   [`World::relate`](crate::World) asks first and returns the error.

mod edit;
mod error;
mod keep;
mod param;
mod sources;
mod walk;

use crate::Component;
use crate::component::info::ComponentId;
use crate::entity::Entity;
use crate::world::World;

pub use edit::RelatedSpawner;
pub use error::RelationshipError;
pub(crate) use keep::{Aftermath, Orphan};
pub use param::Related;
pub use sources::Sources;
pub(crate) use sources::SourcesInfo;
pub use walk::{Ancestors, Descendants};

/// A component that points at another entity, its target. Derive it with `Component`:
///
/// ```
/// use orrery_ecs::{Component, Entity, Sources, World};
/// #[derive(Clone, Copy, Component)]
/// #[relationship]
/// struct Likes(Entity);
/// let mut world = World::new();
/// let rose = world.spawn(()).id();
/// let bee = world.spawn(Likes(rose)).id();
/// let wasp = world.spawn(Likes(rose)).id();
/// assert_eq!(world.sources::<Likes>(rose), [bee, wasp]);
/// let mut liked = world.query::<&Sources<Likes>>();
/// assert_eq!(liked.view(&world).single().map(|by| by.len()), Ok(2));
/// world.despawn(rose)?;
/// assert!(world.get::<Likes>(bee).is_none());
/// # Ok::<(), orrery_ecs::NoSuchEntity>(())
/// ```
///
/// The target is the field of type `Entity`; other fields must be `Default`. Options of
/// `#[relationship(..)]`:
/// - `despawn`: sources are despawned with their target;
/// - `cyclic`: entities may come to be their own ancestors, so there is no walking up and down;
/// - `target = name`: which field it is, if several are of type `Entity`.
///
/// Every entity that is a target has [`Sources<R>`], the list of who points at it. Bevy's words for
/// the two are `Relationship` and `RelationshipTarget`.
///
/// # Cost
/// An insertion: the test for a cycle, which is nothing for an entity without sources of its own
/// and else a step for each ancestor of the target; an entry in a list. A removal: a search through
/// the list of the target.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a relationship",
    label = "not a relationship",
    note = "write `#[derive(Clone, Copy, Component)]` and `#[relationship]` above a struct \
            with one field of type Entity"
)]
pub trait Relationship: Component {
    /// Whether sources are despawned with their target; else they lose the relationship.
    const DESPAWN: bool;
    /// Whether an entity may be its own ancestor.
    const CYCLIC: bool;

    /// The entity that it points at.
    fn target(&self) -> Entity;

    /// A relationship to an entity; other fields are defaults.
    fn to(target: Entity) -> Self;
}

/// A [`Relationship`] whose targets never come to be their own ancestors, so that one can walk up
/// and down: all that do not say `#[relationship(cyclic)]`.
///
/// ```
/// use orrery_ecs::{AcyclicRelationship, ChildOf, Entity, World};
/// fn depth<R: AcyclicRelationship>(world: &World, entity: Entity) -> usize {
///     world.ancestors::<R>(entity).count()
/// }
/// let mut world = World::new();
/// let top = world.spawn(()).id();
/// let below = world.spawn(ChildOf(top)).id();
/// assert_eq!((depth::<ChildOf>(&world, top), depth::<ChildOf>(&world, below)), (0, 1));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` may run in circles",
    note = "ancestors and descendants need a relationship without `#[relationship(cyclic)]`"
)]
pub trait AcyclicRelationship: Relationship {}

/// The entity is a child of another one and is despawned with it.
///
/// ```
/// use orrery_ecs::{ChildOf, World};
/// let mut world = World::new();
/// let sun = world.spawn(()).id();
/// let earth = world.spawn(ChildOf(sun)).id();
/// let moon = world.spawn(ChildOf(earth)).id();
/// assert!(world.descendants::<ChildOf>(sun).eq([earth, moon]));
/// assert!(world.ancestors::<ChildOf>(moon).eq([earth, sun]));
/// // Nobody is the child of its own grandchild.
/// assert!(world.relate(sun, ChildOf(moon)).is_err());
/// world.despawn(earth)?;
/// assert_eq!(world.len(), 1);
/// # Ok::<(), orrery_ecs::NoSuchEntity>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Component)]
#[component(track)]
#[relationship(despawn)]
pub struct ChildOf(
    /// The parent.
    pub Entity,
);

/// The children of an entity, in order; see [`Sources`].
///
/// ```
/// use orrery_ecs::{ChildOf, Children, Entity, Without, World};
/// let mut world = World::new();
/// let top = world.spawn(()).id();
/// let leaf = world.spawn(ChildOf(top)).id();
/// let mut leaves = world.query_filtered::<Entity, Without<Children>>();
/// assert!(leaves.iter(&world).eq([leaf]));
/// ```
pub type Children = Sources<ChildOf>;

/// What a world knows of a component that is a relationship.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct RelationshipInfo {
    target: unsafe fn(*const u8) -> Entity,
    pub(crate) sources: fn(&mut World) -> ComponentId,
    despawn: bool,
    cyclic: bool,
}

impl RelationshipInfo {
    /// Describes `R`.
    pub fn of<R: Relationship>() -> Self {
        const {
            assert!(
                !R::SPLIT,
                "a relationship lies in one piece: it cannot be #[component(split)]"
            )
        };
        Self {
            target: target_of::<R>,
            sources: World::register_component::<Sources<R>>,
            despawn: R::DESPAWN,
            cyclic: R::CYCLIC,
        }
    }

    /// The target of a value.
    ///
    /// # Safety
    /// `value` points to a value of the relationship.
    pub(crate) unsafe fn target(&self, value: *const u8) -> Entity {
        // SAFETY: passed on from the caller.
        unsafe { (self.target)(value) }
    }
}

/// # Safety
/// `value` points to an `R`.
unsafe fn target_of<R: Relationship>(value: *const u8) -> Entity {
    // SAFETY: guaranteed by the caller.
    unsafe { &*value.cast::<R>() }.target()
}

//! The other side of a relationship: the list of those that point at an entity.

use std::alloc::Layout;
use std::any::type_name;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use super::Relationship;
use crate::component::describe::{ComponentInfo, HashBehavior, Placement, clone_behavior};
use crate::component::info::{ComponentId, hash_value};
use crate::component::{ByRow, Component, InSparseSet, Requirements, TrackedComponent};
use crate::entity::Entity;
use crate::hash::{StateHash, StateHasher};
use crate::world::World;

/// The entities whose relationship `R` has this one as its target, in the order in which they came.
///
/// The world keeps it: it is there as long as it is not empty, is never changed by anybody else,
/// and lies in a sparse set, so that becoming a target moves no entity. Removing it removes `R`
/// from all sources. It is tracked: [`Changed`](crate::Changed) sees each entity whose list has
/// changed.
///
/// ```
/// use orrery_ecs::{ChildOf, Children, Entity, World};
/// let mut world = World::new();
/// let tree = world.spawn(()).id();
/// world.spawn_batch([ChildOf(tree); 3]);
/// let mut parents = world.query::<(Entity, &Children)>();
/// let counts: Vec<_> = parents.iter(&mut world).map(|(id, list)| (id, list.len())).collect();
/// assert_eq!(counts, [(tree, 3)]);
/// ```
#[repr(transparent)]
pub struct Sources<R> {
    list: Vec<Entity>,
    relationship: PhantomData<fn() -> R>,
}

impl<R> Deref for Sources<R> {
    type Target = [Entity];

    #[inline]
    fn deref(&self) -> &[Entity] {
        &self.list
    }
}

impl<'a, R> IntoIterator for &'a Sources<R> {
    type Item = Entity;
    type IntoIter = std::iter::Copied<std::slice::Iter<'a, Entity>>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.iter().copied()
    }
}

impl<R> fmt::Debug for Sources<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.list).finish()
    }
}

/// What a world knows of a component that is a list of sources.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct SourcesInfo {
    pub(crate) relationship: fn(&mut World) -> ComponentId,
}

// SAFETY: `describe` tells of the one list that there is; a `Vec` of handles may be sent.
unsafe impl<R: Relationship> Component for Sources<R> {
    type Tracking = ByRow;
    type Storage = InSparseSet;

    fn describe() -> ComponentInfo {
        let placement = Placement {
            split: false,
            tracked: true,
            sparse: true,
        };
        let info = ComponentInfo::new::<Self>(
            type_name::<Self>(),
            // The list is all that there is of the value.
            clone_behavior::<Vec<Entity>>(),
            HashBehavior::Values(hash_value::<Self>),
            Vec::new(),
            placement,
        );
        debug_assert_eq!(Layout::new::<Self>(), Layout::new::<Vec<Entity>>());
        info.with_handles::<Self>().with_sources(SourcesInfo {
            relationship: World::register_component::<R>,
        })
    }

    fn required(_: &mut Requirements<'_>) {}

    fn hash_fields(&self, hasher: &mut StateHasher) {
        self.list.hash_state(hasher);
    }

    fn map_fields(&mut self, map: &mut dyn FnMut(Entity) -> Entity) {
        for entity in &mut self.list {
            *entity = map(*entity);
        }
    }
}

impl<R: Relationship> TrackedComponent for Sources<R> {}

/// The list at an address, of whatever relationship.
///
/// # Safety
/// `value` points to a `Sources`, which nobody changes for `'a`.
pub(crate) unsafe fn erased_list<'a>(value: *const u8) -> &'a [Entity] {
    // SAFETY: guaranteed by the caller; all of them are a `Vec<Entity>` and nothing else.
    unsafe { &*value.cast::<Vec<Entity>>() }
}

/// As `erased_list`, for writing.
///
/// # Safety
/// As `erased_list`; nobody else uses it for `'a`.
pub(super) unsafe fn erased_list_mut<'a>(value: *mut u8) -> &'a mut Vec<Entity> {
    // SAFETY: guaranteed by the caller; all of them are a `Vec<Entity>` and nothing else.
    unsafe { &mut *value.cast::<Vec<Entity>>() }
}

//! Resources: values of which a world has one of each type.

use std::any::{Any, TypeId};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::hash::StateHasher;

/// A type of which a world holds at most one value. Derive it.
///
/// As with components, a resource is `Clone` (for forks) and enters the state hash field by
/// field; `#[resource(no_clone)]` and `#[resource(not_state)]` opt out. A fork shares a resource
/// until one of the two worlds writes to it.
///
/// ```
/// use orrery_ecs::{Resource, World};
/// #[derive(Clone, Resource)]
/// struct Gravity(f32);
/// let mut world = World::new();
/// world.insert_resource(Gravity(9.81));
/// world.resource_mut::<Gravity>().0 *= 2.0;
/// assert_eq!(world.resource::<Gravity>().0, 19.62);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a resource",
    label = "not a resource",
    note = "write `#[derive(Clone, Resource)]` above its definition"
)]
pub trait Resource: Sized + Send + Sync + 'static {
    /// Name with its module path, for messages.
    #[doc(hidden)]
    const NAME: &'static str;
    /// Whether it enters the state hash.
    #[doc(hidden)]
    const STATE: bool;
    /// Whether a world that holds it can be forked.
    #[doc(hidden)]
    const CLONE: bool;
    /// A clone, where `CLONE` says so.
    #[doc(hidden)]
    fn duplicate(&self) -> Option<Self>;
    /// Adds every field to a hash.
    #[doc(hidden)]
    fn hash_fields(&self, hasher: &mut StateHasher);
}

/// Number of a resource type in one world, in order of registration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResourceId(u32);

/// A resource with its type erased.
trait Erased: Any + Send + Sync {
    fn duplicate(&self) -> Option<Arc<dyn Erased>>;
    fn hash(&self, hasher: &mut StateHasher);
}

impl<R: Resource> Erased for R {
    fn duplicate(&self) -> Option<Arc<dyn Erased>> {
        Resource::duplicate(self).map(|value| Arc::new(value) as _)
    }

    fn hash(&self, hasher: &mut StateHasher) {
        self.hash_fields(hasher);
    }
}

#[derive(Clone)]
struct Slot {
    name: &'static str,
    /// The name with its type parameters, which tells `Marker<A>` and `Marker<B>` apart.
    full_name: &'static str,
    state: bool,
    clone: bool,
    value: Option<Arc<dyn Erased>>,
}

#[derive(Clone, Default)]
pub(crate) struct Resources {
    slots: Vec<Slot>,
    by_type: FxHashMap<TypeId, ResourceId>,
}

impl Resources {
    pub(crate) fn register<R: Resource>(&mut self) -> ResourceId {
        if let Some(&id) = self.by_type.get(&TypeId::of::<R>()) {
            return id;
        }
        let id = ResourceId(u32::try_from(self.slots.len()).expect("fewer than 2^32 types"));
        self.slots.push(Slot {
            name: R::NAME,
            full_name: std::any::type_name::<R>(),
            state: R::STATE,
            clone: R::CLONE,
            value: None,
        });
        self.by_type.insert(TypeId::of::<R>(), id);
        id
    }

    pub(crate) fn id<R: Resource>(&self) -> Option<ResourceId> {
        self.by_type.get(&TypeId::of::<R>()).copied()
    }

    pub(crate) fn name(&self, id: ResourceId) -> &'static str {
        self.slots[id.0 as usize].name
    }

    pub(crate) fn insert<R: Resource>(&mut self, value: R) -> Option<R> {
        let id = self.register::<R>();
        let old = self.slots[id.0 as usize].value.replace(Arc::new(value));
        old.and_then(take)
    }

    pub(crate) fn remove<R: Resource>(&mut self) -> Option<R> {
        let id = self.id::<R>()?;
        self.slots[id.0 as usize].value.take().and_then(take)
    }

    /// # Safety
    /// `id` is the number of `R`, and nobody writes to the value while the reference lives.
    pub(crate) unsafe fn get<R: Resource>(&self, id: ResourceId) -> Option<&R> {
        let value = self.slots[id.0 as usize].value.as_ref()?;
        // SAFETY: slot `id` holds values of `R` only; the rest is passed on from the caller.
        Some(unsafe { &*Arc::as_ptr(value).cast::<R>() })
    }

    /// Makes the value ours alone, so that `get_mut` may write to it.
    pub(crate) fn unshare(&mut self, id: ResourceId) {
        let slot = &mut self.slots[id.0 as usize];
        if let Some(value) = &mut slot.value
            && Arc::get_mut(value).is_none()
        {
            let copy = value.duplicate();
            *value = copy.expect("only resources that can be cloned are shared by a fork");
        }
    }

    /// # Safety
    /// `id` is the number of `R`, `unshare` was called since the last fork, and nobody else
    /// accesses the value while the reference lives.
    #[allow(
        clippy::mut_from_ref,
        reason = "the caller guarantees that it is the only one"
    )]
    pub(crate) unsafe fn get_mut<R: Resource>(&self, id: ResourceId) -> Option<&mut R> {
        let value = self.slots[id.0 as usize].value.as_ref()?;
        let pointer = Arc::as_ptr(value).cast_mut().cast::<R>();
        // SAFETY: slot `id` holds values of `R` only; the rest is passed on from the caller.
        Some(unsafe { &mut *pointer })
    }

    /// Names of present resources that cannot be cloned.
    pub(crate) fn refusing_clone(&self) -> impl Iterator<Item = &'static str> {
        self.slots
            .iter()
            .filter(|slot| slot.value.is_some() && !slot.clone)
            .map(|slot| slot.name)
    }

    /// Present state resources by name, each hashed on its own.
    pub(crate) fn hash_state(&self, mut each: impl FnMut(&'static str, &dyn Fn(&mut StateHasher))) {
        let mut present: Vec<(&'static str, &Arc<dyn Erased>)> = Vec::new();
        for slot in self.slots.iter().filter(|slot| slot.state) {
            present.extend(slot.value.as_ref().map(|value| (slot.full_name, value)));
        }
        // Registration order depends on which system asked first; the value does not.
        present.sort_by_key(|(name, _)| *name);
        for (name, value) in present {
            each(name, &|hasher| value.hash(hasher));
        }
    }
}

/// The value of a resource that left the world; a clone if a fork still shares it.
fn take<R: Resource>(value: Arc<dyn Erased>) -> Option<R> {
    let value: Arc<dyn Any + Send + Sync> = value;
    let value = value.downcast::<R>().ok()?;
    Arc::try_unwrap(value).map_or_else(|shared| Resource::duplicate(&*shared), Some)
}

/// A resource that a system reads.
#[derive(Debug)]
pub struct Res<'w, R>(pub(crate) &'w R);

impl<R> Clone for Res<'_, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for Res<'_, R> {}

impl<'w, R> Res<'w, R> {
    /// The resource for as long as the world is borrowed.
    pub fn into_inner(self) -> &'w R {
        self.0
    }
}

impl<R> Deref for Res<'_, R> {
    type Target = R;

    fn deref(&self) -> &R {
        self.0
    }
}

/// A resource that a system writes.
#[derive(Debug)]
pub struct ResMut<'w, R>(pub(crate) &'w mut R);

impl<'w, R> ResMut<'w, R> {
    /// The resource for as long as the world is borrowed.
    pub fn into_inner(self) -> &'w mut R {
        self.0
    }
}

impl<R> Deref for ResMut<'_, R> {
    type Target = R;

    fn deref(&self) -> &R {
        self.0
    }
}

impl<R> DerefMut for ResMut<'_, R> {
    fn deref_mut(&mut self) -> &mut R {
        self.0
    }
}

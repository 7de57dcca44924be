//! The resources of one world, their types erased.

use std::any::{Any, TypeId};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rustc_hash::FxHashMap;

use super::{Res, ResMut, Resource};
use crate::component::Ticks;
use crate::hash::StateHasher;
use crate::recent::Recent;

/// Number of a resource type in one world, in order of registration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResourceId(u32);

/// A resource with its type erased.
pub(super) trait Erased: Any + Send + Sync {
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

struct Slot {
    name: &'static str,
    /// The name with its type parameters, which tells `Marker<A>` and `Marker<B>` apart.
    full_name: &'static str,
    state: bool,
    clone: bool,
    value: Option<Arc<dyn Erased>>,
    /// Taken out by `World::resource_scope`, which will put it back.
    lent: bool,
    added: u64,
    /// Atomic so that `ResMut` can mark it through a shared world; who may write the value is
    /// the only one to write it.
    changed: AtomicU64,
}

impl Clone for Slot {
    fn clone(&self) -> Self {
        Self {
            value: self.value.clone(),
            changed: AtomicU64::new(self.changed.load(Ordering::Relaxed)),
            ..*self
        }
    }
}

/// A resource on its way out of the world and back, ours alone.
pub(super) struct Lent {
    pub(super) value: Arc<dyn Erased>,
    pub(super) added: u64,
    pub(super) changed: AtomicU64,
}

#[derive(Clone, Default)]
pub(crate) struct Resources {
    slots: Vec<Slot>,
    by_type: FxHashMap<TypeId, ResourceId>,
    /// Types that were registered last, without the way through the map.
    recent: Recent<ResourceId, 16>,
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
            lent: false,
            added: 0,
            changed: AtomicU64::new(0),
        });
        self.by_type.insert(TypeId::of::<R>(), id);
        self.recent.remember(TypeId::of::<R>(), id);
        id
    }

    #[inline]
    pub(crate) fn id<R: Resource>(&self) -> Option<ResourceId> {
        let of = TypeId::of::<R>();
        self.recent.get(of).or_else(|| self.look_up(of))
    }

    #[cold]
    fn look_up(&self, of: TypeId) -> Option<ResourceId> {
        self.by_type.get(&of).copied()
    }

    pub(crate) fn name(&self, id: ResourceId) -> &'static str {
        self.slots[id.0 as usize].name
    }

    pub(crate) fn contains(&self, id: ResourceId) -> bool {
        self.slots[id.0 as usize].value.is_some()
    }

    /// # Panics
    /// While `World::resource_scope` has the resource: one of the two values would be lost.
    pub(crate) fn insert<R: Resource>(&mut self, value: R, tick: u64) -> Option<R> {
        let id = self.register::<R>();
        let slot = &mut self.slots[id.0 as usize];
        assert!(
            !slot.lent,
            "resource {} was inserted while World::resource_scope has it; write to the one that \
             the scope got",
            slot.name
        );
        let old = slot.value.replace(Arc::new(value));
        *slot.changed.get_mut() = tick;
        if old.is_none() {
            slot.added = tick;
        }
        old.and_then(take)
    }

    pub(crate) fn remove<R: Resource>(&mut self) -> Option<R> {
        let id = self.id::<R>()?;
        // First, so that a clone that panics leaves the resource where it is.
        self.unshare(id);
        self.slots[id.0 as usize].value.take().and_then(take)
    }

    /// Takes a resource out for a while; `put_back` ends it.
    pub(super) fn lend(&mut self, id: ResourceId) -> Option<Lent> {
        self.unshare(id);
        let slot = &mut self.slots[id.0 as usize];
        let value = slot.value.take()?;
        slot.lent = true;
        Some(Lent {
            value,
            added: slot.added,
            changed: AtomicU64::new(*slot.changed.get_mut()),
        })
    }

    pub(super) fn put_back(&mut self, id: ResourceId, lent: Lent) {
        let slot = &mut self.slots[id.0 as usize];
        slot.lent = false;
        slot.value = Some(lent.value);
        slot.changed = lent.changed;
    }

    /// # Safety
    /// `id` is the number of `R`, and nobody writes to the value while the reference lives.
    pub(crate) unsafe fn get<R: Resource>(&self, id: ResourceId) -> Option<&R> {
        let value = self.slots[id.0 as usize].value.as_ref()?;
        // SAFETY: slot `id` holds values of `R` only; the rest is passed on from the caller.
        Some(unsafe { &*Arc::as_ptr(value).cast::<R>() })
    }

    /// # Safety
    /// As for `get`.
    pub(crate) unsafe fn res<R: Resource>(&self, id: ResourceId, now: Ticks) -> Option<Res<'_, R>> {
        // SAFETY: passed on from the caller.
        let value = unsafe { self.get(id) }?;
        let slot = &self.slots[id.0 as usize];
        Some(Res {
            value,
            added: slot.added,
            changed: slot.changed.load(Ordering::Relaxed),
            now,
        })
    }

    /// Makes the value ours alone, so that `get_mut` may write to it.
    #[inline]
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

    /// # Safety
    /// As for `get_mut`.
    pub(crate) unsafe fn res_mut<R: Resource>(
        &self,
        id: ResourceId,
        now: Ticks,
    ) -> Option<ResMut<'_, R>> {
        // SAFETY: passed on from the caller.
        let value = unsafe { self.get_mut(id) }?;
        let slot = &self.slots[id.0 as usize];
        Some(ResMut {
            value,
            added: slot.added,
            changed: &slot.changed,
            now,
        })
    }

    /// Marks a resource as changed.
    pub(crate) fn mark(&mut self, id: ResourceId, tick: u64) {
        *self.slots[id.0 as usize].changed.get_mut() = tick;
    }

    /// Names of present resources that cannot be cloned.
    pub(crate) fn refusing_clone(&self) -> impl Iterator<Item = &'static str> {
        self.slots
            .iter()
            .filter(|slot| slot.value.is_some() && !slot.clone)
            .map(|slot| slot.name)
    }

    /// Names of resources that a scope has.
    pub(crate) fn lent(&self) -> impl Iterator<Item = &'static str> {
        self.slots
            .iter()
            .filter(|slot| slot.lent)
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

//! The component types of one world, numbered in order of registration.

use std::any::TypeId;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Component;
use super::info::{ComponentId, ComponentInfo};

#[derive(Clone, Default)]
pub(crate) struct Registry {
    infos: Vec<Arc<ComponentInfo>>,
    by_type: FxHashMap<TypeId, ComponentId>,
}

impl Registry {
    /// Number of `T`, which is registered if it is new.
    ///
    /// # Panics
    /// When 2^32 types are registered.
    pub(crate) fn register<T: Component>(&mut self) -> ComponentId {
        if let Some(id) = self.id::<T>() {
            return id;
        }
        let id = ComponentId(u32::try_from(self.infos.len()).expect("fewer than 2^32 types"));
        self.infos.push(Arc::new(T::describe()));
        self.by_type.insert(TypeId::of::<T>(), id);
        id
    }

    #[inline]
    pub(crate) fn id<T: Component>(&self) -> Option<ComponentId> {
        self.by_type.get(&TypeId::of::<T>()).copied()
    }

    /// Every component, in order of registration.
    pub(crate) fn ids(&self) -> impl Iterator<Item = ComponentId> + use<> {
        (0..self.infos.len() as u32).map(ComponentId)
    }

    pub(crate) fn info(&self, id: ComponentId) -> &Arc<ComponentInfo> {
        &self.infos[id.index()]
    }

    pub(crate) fn name(&self, id: ComponentId) -> &'static str {
        self.infos[id.index()].name
    }
}

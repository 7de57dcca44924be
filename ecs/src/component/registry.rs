//! The component types of one world, numbered in order of registration.

use std::any::TypeId;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Component;
use super::info::{ComponentId, ComponentInfo};
use super::required::{Requirement, Requirements};
use crate::recent::Recent;

#[derive(Clone, Default)]
pub(crate) struct Registry {
    infos: Vec<Arc<ComponentInfo>>,
    /// Beside `infos`.
    requirements: Vec<Vec<Requirement>>,
    by_type: FxHashMap<TypeId, ComponentId>,
    /// Some of `by_type`, a few instructions away.
    recent: Recent<ComponentId, 64>,
    /// Components that were defined at run time.
    by_name: FxHashMap<&'static str, ComponentId>,
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
        self.requirements.push(Vec::new());
        self.by_type.insert(TypeId::of::<T>(), id);
        self.recent.remember(TypeId::of::<T>(), id);
        // Registered first, so that two components may require each other.
        T::required(&mut Requirements {
            registry: self,
            of: id,
        });
        id
    }

    /// What a component asks for directly.
    pub(crate) fn requirements(&self, id: ComponentId) -> &[Requirement] {
        &self.requirements[id.index()]
    }

    /// Adds to what a component asks for. What it asks for already stays as it is.
    pub(super) fn require(&mut self, of: ComponentId, requirement: Requirement) {
        let known = &mut self.requirements[of.index()];
        if known
            .iter()
            .all(|other| other.component != requirement.component)
        {
            known.push(requirement);
        }
    }

    /// Number of a component that another world knows, registered if it is new here.
    ///
    /// A component that was defined at run time is the same where name and layout are.
    ///
    /// # Errors
    /// The component here that has the name and another layout or nature.
    ///
    /// # Panics
    /// When 2^32 types are registered.
    pub(crate) fn adopt(&mut self, info: &Arc<ComponentInfo>) -> Result<ComponentId, ComponentId> {
        let known = match info.type_id {
            Some(type_id) => self.by_type.get(&type_id),
            None => self.by_name.get(info.name),
        };
        if let Some(&id) = known {
            let mine = &self.infos[id.index()];
            let same = mine.layout == info.layout
                && mine.plain == info.plain
                && mine.sparse == info.sparse
                && mine.type_id == info.type_id;
            return if same { Ok(id) } else { Err(id) };
        }
        let id = ComponentId(u32::try_from(self.infos.len()).expect("fewer than 2^32 types"));
        self.infos.push(Arc::clone(info));
        self.requirements.push(Vec::new());
        match info.type_id {
            Some(type_id) => {
                self.recent.remember(type_id, id);
                self.by_type.insert(type_id, id)
            }
            None => self.by_name.insert(info.name, id),
        };
        Ok(id)
    }

    /// Number of a component that was defined at run time.
    pub(crate) fn id_of_name(&self, name: &str) -> Option<ComponentId> {
        self.by_name.get(name).copied()
    }

    /// Components registered so far.
    pub(crate) fn len(&self) -> usize {
        self.infos.len()
    }

    #[inline]
    pub(crate) fn id<T: Component>(&self) -> Option<ComponentId> {
        let recent = self.recent.get(TypeId::of::<T>());
        recent.or_else(|| self.find(TypeId::of::<T>()))
    }

    #[inline(never)]
    fn find(&self, of: TypeId) -> Option<ComponentId> {
        self.by_type.get(&of).copied()
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

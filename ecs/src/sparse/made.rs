//! Values of required sparse components, made aside before anything has changed.

use std::sync::Arc;

use super::SparseSets;
use crate::bundle::RequiredColumn;
use crate::component::Registry;
use crate::component::info::{ComponentId, ComponentInfo};
use crate::entity::Entity;
use crate::panics::FirstPanic;
use crate::storage::block::BlockMemory;
use crate::storage::column::Writer;
use crate::storage::shared::Shared;

/// Values on their way into sparse sets; dropped if they never arrive.
#[derive(Default)]
pub(crate) struct MadeAside(Vec<Value>);

struct Value {
    component: ComponentId,
    memory: Shared<BlockMemory>,
    drop: Option<unsafe fn(*mut u8, usize)>,
}

impl MadeAside {
    /// Makes what an entity lacks of some required components, and readies their sets.
    pub(crate) fn new(
        required: &[RequiredColumn],
        entity: Entity,
        sets: &mut SparseSets,
        registry: &Registry,
        to: Writer<'_>,
    ) -> Self {
        let mut made = Self::default();
        for one in required.iter().filter(|one| one.is_sparse()) {
            let component = one.requirement.component;
            let has = sets.get(component).and_then(|set| set.row(entity));
            if has.is_some() {
                continue;
            }
            let info = registry.info(component);
            let memory = BlockMemory::new(to.pool, info.layout.size(), info.layout.align());
            (one.requirement.make)(memory.data().as_ptr());
            made.0.push(Value {
                component,
                memory,
                drop: info.drop,
            });
        }
        made
    }

    /// As `new`, with the sets readied for the entity.
    pub(crate) fn readied(
        required: &[RequiredColumn],
        entity: Entity,
        sets: &mut SparseSets,
        registry: &Registry,
        entity_info: &Arc<ComponentInfo>,
        to: Writer<'_>,
    ) -> Self {
        if required.is_empty() {
            return Self::default();
        }
        let made = Self::new(required, entity, sets, registry, to);
        let make = |sets: &mut SparseSets, id| {
            sets.make(id, registry, entity_info);
        };
        made.ready(entity, sets, make, to);
        made
    }

    /// Readies the sets that the values go to.
    pub(crate) fn ready(
        &self,
        entity: Entity,
        sets: &mut SparseSets,
        mut make: impl FnMut(&mut SparseSets, ComponentId),
        to: Writer<'_>,
    ) {
        for value in &self.0 {
            make(sets, value.component);
            let set = sets.get_mut(value.component).expect("it was just made");
            set.ready_insert(entity, to);
        }
    }

    /// Readies what may panic of `ready` where it is not known yet for which entity.
    pub(crate) fn ready_rows(
        &self,
        sets: &mut SparseSets,
        mut make: impl FnMut(&mut SparseSets, ComponentId),
        to: Writer<'_>,
    ) {
        for value in &self.0 {
            make(sets, value.component);
            let set = sets.get_mut(value.component).expect("it was just made");
            set.rows_mut().ready_push(to);
        }
    }

    /// Moves the values into their sets, which `ready` readied since the last change.
    #[inline]
    pub(crate) fn insert(self, entity: Entity, sets: &mut SparseSets, to: Writer<'_>) {
        if !self.0.is_empty() {
            self.insert_all(entity, sets, to);
        }
    }

    fn insert_all(mut self, entity: Entity, sets: &mut SparseSets, to: Writer<'_>) {
        let mut panicked = FirstPanic::default();
        for value in std::mem::take(&mut self.0) {
            let set = sets.get_mut(value.component).expect("readied before");
            // SAFETY: readied by the caller; the value is of this component, and forgotten here.
            unsafe { set.insert(entity, value.memory.data().as_ptr(), to, &mut panicked) };
        }
        // Nothing was replaced, so nothing was dropped.
        panicked.resume();
    }
}

impl Drop for MadeAside {
    fn drop(&mut self) {
        let mut panicked = FirstPanic::default();
        for value in &self.0 {
            if let Some(drop) = value.drop {
                // SAFETY: the value was made, and arrived nowhere.
                panicked.catch(|| unsafe { drop(value.memory.data().as_ptr(), 1) });
            }
        }
        // Only reached with any while another panic is on its way.
        panicked.hush();
    }
}

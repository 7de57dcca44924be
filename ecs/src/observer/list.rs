//! The observers of a world, and how those are found that an event concerns.
//!
//! ```text
//! all         number -> observer, in order of registration
//! any         kind -> observers of every component
//! components  component, kind -> observers of it
//! events      event type -> observers of it
//! entities    entity -> observers of its own, whatever they watch
//! ```
//!
//! Lists hold numbers in increasing order. The maps are only looked up, never iterated. Forks share
//! all of it until one of the worlds adds or removes an observer.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::event::{Lifecycle, Occurrence, Watched, What};
use super::function::ErasedObserver;
use super::watch::Watch;
use crate::component::info::ComponentId;
use crate::entity::Entity;
use crate::system::SystemId;

/// Number of an observer in one world and its forks, in order of registration. Never given again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObserverId(u64);

#[derive(Clone)]
struct Registered {
    observer: Arc<dyn ErasedObserver>,
    watched: Watched,
    /// The entity that it belongs to, if to one alone.
    entity: Option<Entity>,
    /// Where a world keeps what lasts from run to run.
    slot: SystemId,
}

type Ids = Vec<ObserverId>;

/// Observers of one component, or of every component.
#[derive(Clone, Default)]
struct Watchers {
    /// Those of all entities, by kind.
    ids: [Ids; Lifecycle::COUNT],
    /// How many single entities have one, by kind.
    own: [u32; Lifecycle::COUNT],
}

impl Watchers {
    fn watch(&self) -> Watch {
        let mut watch = Watch::NONE;
        for kind in Lifecycle::ALL {
            if !self.ids[kind as usize].is_empty() || self.own[kind as usize] > 0 {
                watch = watch | kind.watch();
            }
        }
        watch
    }
}

#[derive(Clone, Default)]
pub(crate) struct ObserverList {
    next: u64,
    /// Counts changes of what is watched, so that archetypes are told only then.
    version: u64,
    all: BTreeMap<ObserverId, Registered>,
    any: Watchers,
    /// By component number.
    components: Vec<Watchers>,
    events: FxHashMap<TypeId, Ids>,
    entities: FxHashMap<Entity, Ids>,
}

impl ObserverList {
    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn version(&self) -> u64 {
        self.version
    }

    pub(super) fn get(&self, id: ObserverId) -> Option<(&Arc<dyn ErasedObserver>, SystemId)> {
        let registered = self.all.get(&id)?;
        Some((&registered.observer, registered.slot))
    }

    /// What is waited for of a component, by whoever.
    #[inline]
    pub(super) fn watch(&self, component: ComponentId) -> Watch {
        let watchers = self.components.get(component.index());
        self.watch_any() | watchers.map_or(Watch::NONE, Watchers::watch)
    }

    /// What is waited for of every component.
    pub(super) fn watch_any(&self) -> Watch {
        let own = if self.entities.is_empty() {
            Watch::NONE
        } else {
            Watch::OWN
        };
        self.any.watch() | own
    }

    /// Whether an entity has observers of its own.
    pub(super) fn has_own(&self, entity: Entity) -> bool {
        !self.entities.is_empty() && self.entities.contains_key(&entity)
    }

    pub(super) fn add(
        &mut self,
        observer: Arc<dyn ErasedObserver>,
        watched: Watched,
        entity: Option<Entity>,
        slot: SystemId,
    ) -> ObserverId {
        let id = ObserverId(self.next);
        self.next += 1;
        let had_own = !self.entities.is_empty();
        match entity {
            Some(entity) => {
                self.entities.entry(entity).or_default().push(id);
                self.each_watchers(&watched, |watchers, kind| watchers.own[kind as usize] += 1);
            }
            None => {
                if let Watched::Event(event) = watched {
                    self.events.entry(event).or_default().push(id);
                }
                self.each_watchers(&watched, |watchers, kind| {
                    watchers.ids[kind as usize].push(id)
                });
            }
        }
        self.version += u64::from(had_own == self.entities.is_empty());
        let registered = Registered {
            observer,
            watched,
            entity,
            slot,
        };
        self.all.insert(id, registered);
        id
    }

    /// Forgets an observer and gives what it watched, if it was there.
    pub(super) fn remove(&mut self, id: ObserverId) -> Option<Watched> {
        let Registered {
            watched, entity, ..
        } = self.all.remove(&id)?;
        let had_own = !self.entities.is_empty();
        match entity {
            Some(entity) => {
                if let Some(own) = self.entities.get_mut(&entity) {
                    own.retain(|&other| other != id);
                    if own.is_empty() {
                        self.entities.remove(&entity);
                    }
                }
                self.each_watchers(&watched, |watchers, kind| watchers.own[kind as usize] -= 1);
            }
            None => {
                if let Watched::Event(event) = &watched
                    && let Some(ids) = self.events.get_mut(event)
                {
                    ids.retain(|&other| other != id);
                }
                self.each_watchers(&watched, |watchers, kind| {
                    watchers.ids[kind as usize].retain(|&other| other != id);
                });
            }
        }
        self.version += u64::from(had_own == self.entities.is_empty());
        Some(watched)
    }

    /// Observers of an event that are not of an entity alone.
    pub(super) fn of_event(&self, event: TypeId) -> Ids {
        self.events.get(&event).cloned().unwrap_or_default()
    }

    /// Observers of an entity alone.
    pub(super) fn of_entity(&self, entity: Entity) -> Ids {
        self.entities.get(&entity).cloned().unwrap_or_default()
    }

    fn each_watchers(&mut self, watched: &Watched, change: impl Fn(&mut Watchers, Lifecycle)) {
        let Watched::Change(kind, components) = watched else {
            return;
        };
        let version = &mut self.version;
        let mut change = |watchers: &mut Watchers| {
            let before = watchers.watch();
            change(watchers, *kind);
            *version += u64::from(watchers.watch() != before);
        };
        if components.is_empty() {
            change(&mut self.any);
        }
        for component in components {
            if self.components.len() <= component.index() {
                self.components
                    .resize_with(component.index() + 1, Watchers::default);
            }
            change(&mut self.components[component.index()]);
        }
    }

    /// Observers that an event concerns, in order of registration, each once.
    pub(super) fn listeners(&self, occurrence: &Occurrence<'_>) -> SmallVec<[ObserverId; 8]> {
        let mut ids = SmallVec::new();
        match &occurrence.what {
            What::Change {
                kind, components, ..
            } => {
                ids.extend_from_slice(&self.any.ids[*kind as usize]);
                for component in *components {
                    if let Some(watchers) = self.components.get(component.index()) {
                        ids.extend_from_slice(&watchers.ids[*kind as usize]);
                    }
                }
            }
            What::Event { data, .. } => {
                if let Some(of_event) = self.events.get(&(**data).type_id()) {
                    ids.extend_from_slice(of_event);
                }
            }
        }
        if let Some(entity) = occurrence.entity
            && let Some(own) = self.entities.get(&entity)
        {
            let concerns = |id: &&ObserverId| occurrence.matches(&self.all[id].watched);
            ids.extend(own.iter().filter(concerns).copied());
        }
        ids.sort_unstable();
        ids.dedup();
        ids
    }
}

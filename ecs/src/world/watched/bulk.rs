//! Structural changes of many entities that somebody watches: all change first, then observers
//! run for one after the other.

use std::sync::Arc;

use super::super::World;
use super::Components;
use super::arrivals::Arrived;
use super::departures::Left;
use crate::archetype::graph::Direction;
use crate::archetype::{Archetype, ArchetypeId, LeftColumn};
use crate::bundle::{Bundle, BundleId};
use crate::component::info::ComponentId;
use crate::entity::{Entity, Place};
use crate::observer::{Lent, Lifecycle, Rows, Values, Wanted, Watch};
use crate::panics::FirstPanic;
use crate::storage::column::Writer;

/// What a bulk change has done so far, for those who watch; nothing is kept if nobody does.
pub(in crate::world) struct Batches {
    watched: bool,
    list: Vec<Batch>,
    panicked: FirstPanic,
}

/// Entities of one archetype.
struct Batch {
    at: ArchetypeId,
    entities: Vec<Entity>,
    /// What they have lost, or what was overwritten.
    values: Values,
}

impl Batches {
    pub(in crate::world) fn new(watched: bool) -> Self {
        Self {
            watched,
            list: Vec::new(),
            panicked: FirstPanic::default(),
        }
    }

    /// Runs user code that the next archetype needs; `None` if it panics, so that the change ends
    /// with the archetypes before it.
    pub(in crate::world) fn make<T>(&mut self, code: impl FnOnce() -> T) -> Option<T> {
        let mut made = None;
        self.panicked.catch(|| made = Some(code()));
        made
    }
}

impl World {
    /// Gives the entities of a batch that was spawned at the end of an archetype, after telling
    /// who watches.
    #[cold]
    pub(in crate::world) fn deliver_batch(
        &mut self,
        at: ArchetypeId,
        first: usize,
        bundle: BundleId,
        mut panicked: FirstPanic,
    ) -> Vec<Entity> {
        let archetype = &self.archetypes[at.index()];
        let rows = first..archetype.len();
        let entities: Vec<Entity> = rows.map(|row| archetype.entity(row)).collect();
        panicked.catch(|| {
            for &entity in &entities {
                self.deliver_spawn(entity, bundle);
            }
        });
        panicked.resume();
        entities
    }

    /// Tells who watches of the entities that another world brought: the rows of some archetypes
    /// from the first of them on.
    pub(in crate::world) fn deliver_merged(&mut self, arrived: &[(ArchetypeId, usize)]) {
        if !self.observers.watch.intersects(Watch::ARRIVAL) {
            return;
        }
        let rows = arrived.iter().flat_map(|&(at, first)| {
            let archetype = &self.archetypes[at.index()];
            let entities = (first..archetype.len()).map(|row| archetype.entity(row));
            entities.map(move |entity| (archetype, entity))
        });
        let all = rows.map(|(archetype, entity)| {
            let mut components: Components = archetype.components().into();
            components.extend(self.sparse.of_entity(entity));
            components.sort_unstable();
            (entity, components)
        });
        let all: Vec<(Entity, Components)> = all.collect();
        let values = Values::default();
        let left = Lent {
            values: &values,
            row: 0,
        };
        for (entity, components) in all {
            self.deliver_change(Lifecycle::Add, entity, &components, left);
            self.deliver_change(Lifecycle::Insert, entity, &components, left);
        }
    }

    /// Entities of an archetype in order; none if nobody wants to know.
    pub(in crate::world) fn entities_for(&self, watched: bool, at: ArchetypeId) -> Vec<Entity> {
        match watched {
            true => self.entities_in(&[at]),
            false => Vec::new(),
        }
    }

    /// Takes what left the entities of an archetype: for observers if there are any, else it is
    /// dropped.
    ///
    /// # Safety
    /// If somebody watches, `Archetype::ready_all` was called before the values left.
    pub(in crate::world) unsafe fn note(
        &self,
        batches: &mut Batches,
        at: ArchetypeId,
        entities: Vec<Entity>,
        left: Vec<LeftColumn>,
    ) {
        if !batches.watched {
            for column in left {
                column.discard(&mut batches.panicked);
            }
            return;
        }
        let wanted = left.iter().map(|column| Wanted {
            component: column.component,
            info: Arc::clone(self.registry.info(column.component)),
            count: column.len(),
            rows: Rows::All,
        });
        let mut values = Values::with_room(&self.pool, wanted);
        for (part, column) in left.into_iter().enumerate() {
            // SAFETY: the part is of the column's component; the rest is passed on.
            let mut push = |write: &dyn Fn(*mut u8)| unsafe { values.push(part, write) };
            // SAFETY: passed on from the caller.
            unsafe { column.move_out(&mut push) };
        }
        batches.list.push(Batch {
            at,
            entities,
            values,
        });
    }

    /// Tells who watches that entities were given a bundle, in the order in which they stood
    /// before, and gives `count` back.
    pub(in crate::world) fn deliver_arrivals(
        &mut self,
        batches: Batches,
        bundle: BundleId,
        count: usize,
    ) -> usize {
        let Batches {
            mut list,
            mut panicked,
            ..
        } = batches;
        list.sort_by_key(|batch| batch.at);
        panicked.catch(|| {
            for batch in &list {
                let set = self.archetypes[batch.at.index()].set().clone();
                let (added, inserted) = self.arriving(bundle, |id| set.contains(id));
                for (row, &entity) in batch.entities.iter().enumerate() {
                    let left = Lent {
                        values: &batch.values,
                        row,
                    };
                    self.deliver_change(Lifecycle::Add, entity, &added, left);
                    self.deliver_change(Lifecycle::Insert, entity, &inserted, left);
                }
            }
        });
        for batch in &mut list {
            batch.values.discard(&mut panicked);
        }
        panicked.resume();
        count
    }

    /// Tells who watches what entities have lost, then drops it.
    pub(in crate::world) fn deliver_departures(&mut self, batches: Batches, kinds: &[Lifecycle]) {
        let Batches {
            mut list,
            mut panicked,
            ..
        } = batches;
        panicked.catch(|| {
            for batch in &list {
                for (row, &entity) in batch.entities.iter().enumerate() {
                    let components: Components = batch.values.components_at(row).collect();
                    let left = Lent {
                        values: &batch.values,
                        row,
                    };
                    for &kind in kinds {
                        self.deliver_change(kind, entity, &components, left);
                    }
                }
            }
        });
        for batch in &mut list {
            batch.values.discard(&mut panicked);
        }
        panicked.resume();
    }

    /// As `insert_where`, where a component of the bundle is sparse.
    #[cold]
    pub(in crate::world) fn insert_each_watched<B: Bundle + Clone>(
        &mut self,
        entities: &[Entity],
        bundle_id: BundleId,
        bundle: &B,
    ) {
        let mut arrived: Vec<Arrived> = Vec::new();
        let mut panicked = FirstPanic::default();
        panicked.catch(|| {
            for &entity in entities {
                let Some(Place::At(from)) = self.entities.get(entity) else {
                    continue;
                };
                self.find_edge(Direction::Insert, from, bundle_id);
                let values = self.values_of(bundle_id, bundle.clone());
                arrived.push(self.insert_values(entity, from, bundle_id, values));
            }
        });
        panicked.catch(|| {
            for one in arrived {
                self.deliver_arrival(one);
            }
        });
        panicked.resume();
    }

    /// As `remove_where`, where a component of the bundle is sparse.
    #[cold]
    pub(in crate::world) fn remove_each_watched(
        &mut self,
        entities: &[Entity],
        bundle_id: BundleId,
    ) -> usize {
        let mut left: Vec<Left> = Vec::new();
        let mut panicked = FirstPanic::default();
        panicked.catch(|| {
            for &entity in entities {
                let Some(Place::At(from)) = self.entities.get(entity) else {
                    continue;
                };
                self.find_edge(Direction::Remove, from, bundle_id);
                left.push(self.remove_into_buffer(entity, from, bundle_id));
            }
        });
        left.retain(|one| !one.components.is_empty());
        let count = left.len();
        panicked.catch(|| {
            for one in left {
                self.deliver_removal(one);
            }
        });
        panicked.resume();
        count
    }

    /// As `despawn_where`, for a filter that looks at single rows of some archetypes.
    pub(in crate::world) fn despawn_each(
        &mut self,
        archetypes: &[ArchetypeId],
        entities: &[Entity],
    ) -> usize {
        let mut panicked = FirstPanic::default();
        if self.is_departure_watched_in(archetypes) {
            let mut left: Vec<Left> = Vec::new();
            panicked.catch(|| left.extend(entities.iter().filter_map(|&one| self.depart(one))));
            for one in left {
                panicked.catch(|| self.deliver_departure(one));
            }
        } else {
            for &entity in entities {
                panicked.catch(|| {
                    // It lives, so there is nothing to report.
                    let _ = self.despawn(entity);
                });
            }
        }
        panicked.resume();
        entities.len()
    }

    /// Whether somebody wants to know of an entity of some archetypes that is despawned.
    pub(in crate::world) fn is_departure_watched_in(&self, archetypes: &[ArchetypeId]) -> bool {
        let watched = |&at| self.may_be_watched(at, Watch::DEPARTURE);
        archetypes.iter().any(watched)
    }

    /// As `despawn_where`.
    #[cold]
    pub(in crate::world) fn despawn_all_watched(&mut self, archetypes: &[ArchetypeId]) -> usize {
        let mut batches = Batches::new(true);
        self.ready_departures(archetypes);
        for &at in archetypes {
            let batch = self.depart_all(at);
            for &entity in &batch.entities {
                self.entities.free(entity);
            }
            batches.list.push(batch);
        }
        self.deliver_all_gone(batches)
    }

    /// As `clear`.
    #[cold]
    pub(in crate::world) fn clear_watched(&mut self) {
        let mut batches = Batches::new(true);
        let occupied = self
            .archetypes
            .iter()
            .filter(|archetype| !archetype.is_empty());
        let archetypes: Vec<ArchetypeId> = occupied.map(Archetype::id).collect();
        self.ready_departures(&archetypes);
        for at in archetypes {
            let batch = self.depart_all(at);
            batches.list.push(batch);
        }
        let in_rows: usize = batches.list.iter().map(|batch| batch.entities.len()).sum();
        if in_rows < self.len() {
            batches.list.push(Batch {
                at: ArchetypeId(0),
                entities: self.entities.without_row(),
                values: Values::default(),
            });
        }
        self.entities.free_all();
        self.deliver_all_gone(batches);
    }

    fn deliver_all_gone(&mut self, batches: Batches) -> usize {
        let entities = batches.list.iter().flat_map(|batch| &batch.entities);
        let entities: Vec<Entity> = entities.copied().collect();
        let mut panicked = FirstPanic::default();
        panicked.catch(|| {
            self.deliver_departures(batches, &[Lifecycle::Despawn, Lifecycle::Remove]);
        });
        for &entity in &entities {
            self.forget_own_observers(entity);
        }
        panicked.resume();
        entities.len()
    }

    /// What may panic without having changed anything.
    fn ready_departures(&mut self, archetypes: &[ArchetypeId]) {
        let to = Writer {
            pool: &self.pool,
            tick: self.tick,
        };
        for at in archetypes {
            self.archetypes[at.index()].ready_all(to);
        }
        // All of them: rows from anywhere fill the gaps.
        self.sparse.ready_all(to);
    }

    /// Moves everything that the entities of an archetype have into a buffer, and forgets their
    /// rows. `ready_departures` was called since the last change; their handles are left to the
    /// caller.
    fn depart_all(&mut self, at: ArchetypeId) -> Batch {
        let entities = self.entities_in(&[at]);
        let to = Writer {
            pool: &self.pool,
            tick: self.tick,
        };
        let mut values = Values::with_room(&self.pool, self.wanted_of_all(at, &entities));
        for left in self.archetypes[at.index()].take_all() {
            let part = values.part_of(left.component).expect("there is room");
            // SAFETY: the part is of the column's component; the rest is passed on.
            let mut push = |write: &dyn Fn(*mut u8)| unsafe { values.push(part, write) };
            // SAFETY: readied by the caller.
            unsafe { left.move_out(&mut push) };
        }
        for &entity in &entities {
            let components: Components = self.sparse.of_entity(entity).collect();
            for component in components {
                let part = values.part_of(component).expect("there is room");
                let set = self.sparse.get_mut(component).expect("it has the entity");
                // SAFETY: readied by the caller, and the entity is in the set.
                let write = |place| unsafe { set.take(entity, place, to) };
                // SAFETY: the part is of the set's component.
                unsafe { values.push(part, write) };
            }
        }
        for (row, &entity) in entities.iter().enumerate() {
            let components: Components = values.components_at(row).collect();
            for component in components {
                self.log_removed(component, [entity]);
            }
        }
        Batch {
            at,
            entities,
            values,
        }
    }

    /// Room for everything that the entities of an archetype have, in order of the components.
    fn wanted_of_all(
        &self,
        at: ArchetypeId,
        entities: &[Entity],
    ) -> impl Iterator<Item = Wanted> + use<'_> {
        let archetype = &self.archetypes[at.index()];
        let all = archetype.components().iter().map(|&id| (id, Rows::All));
        let mut parts: Vec<(ComponentId, Rows)> = all.collect();
        for (component, set) in self.sparse.iter() {
            let has = |(row, &entity)| set.row(entity).map(|_| row as u32);
            let rows: Vec<u32> = entities.iter().enumerate().filter_map(has).collect();
            if !rows.is_empty() {
                parts.push((component, Rows::Some(rows)));
            }
        }
        parts.sort_by_key(|(component, _)| *component);
        parts.into_iter().map(move |(component, rows)| Wanted {
            component,
            info: Arc::clone(self.registry.info(component)),
            count: match &rows {
                Rows::All => archetype.len(),
                Rows::Some(rows) => rows.len(),
            },
            rows,
        })
    }
}

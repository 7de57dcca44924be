//! Components that come to one entity.

use std::slice;

use super::super::structure::pair;
use super::super::{Arriving, World};
use super::Components;
use crate::archetype::Leaving;
use crate::archetype::graph::Direction;
use crate::bundle::{Bundle, BundleId, IN_SPARSE_SET};
use crate::entity::{Entity, Location, Place};
use crate::observer::{Lent, Lifecycle, Values};
use crate::panics::FirstPanic;
use crate::sparse::MadeAside;
use crate::storage::column::Writer;

/// An entity that was given components.
pub(super) struct Arrived {
    entity: Entity,
    added: Components,
    inserted: Components,
    /// What was overwritten.
    replaced: Values,
}

impl World {
    /// Tells who watches that an entity was spawned with a bundle.
    #[cold]
    #[inline(never)]
    pub(in crate::world) fn deliver_spawn(&mut self, entity: Entity, bundle: BundleId) {
        let (components, _) = self.arriving(bundle, |_| false);
        let values = Values::default();
        let left = Lent {
            values: &values,
            row: 0,
        };
        self.deliver_change(Lifecycle::Add, entity, &components, left);
        self.deliver_change(Lifecycle::Insert, entity, &components, left);
    }

    /// Adds a bundle to an entity that has a row, along an edge that is known.
    #[cold]
    #[inline(never)]
    pub(in crate::world) fn insert_watched<B: Bundle>(
        &mut self,
        entity: Entity,
        from: Location,
        bundle_id: BundleId,
        bundle: B,
    ) {
        let values = self.values_of(bundle_id, bundle);
        let arrived = self.insert_values(entity, from, bundle_id, values);
        self.deliver_arrival(arrived);
    }

    /// Gives a living entity a component by its number.
    ///
    /// # Safety
    /// The value is of its component, and nobody uses it again.
    #[cold]
    #[inline(never)]
    pub(in crate::world) unsafe fn insert_by_id_watched(
        &mut self,
        entity: Entity,
        arriving: &Arriving,
    ) {
        let component = arriving.component;
        let bundle_id = self.single_bundle(component);
        let Some(Place::At(from)) = self.entities.get(entity) else {
            let required = self.missing_requirements(entity, component);
            // SAFETY: passed on from the caller.
            unsafe { self.restructure(entity, slice::from_ref(arriving), &[], &required) };
            return self.deliver_spawn(entity, bundle_id);
        };
        self.find_edge(Direction::Insert, from, bundle_id);
        let size_bytes = self.registry.info(component).layout.size();
        let mut values = self.room_for(&[component]);
        // SAFETY: a value to a place made for one; the rest is passed on from the caller.
        let write = |place| unsafe { arriving.value.copy_to_nonoverlapping(place, size_bytes) };
        // SAFETY: the one part is of this component.
        unsafe { values.push(0, write) };
        let arrived = self.insert_values(entity, from, bundle_id, values);
        self.deliver_arrival(arrived);
    }

    /// Moves a bundle into a buffer, with a part for each component in the bundle's order.
    pub(super) fn values_of<B: Bundle>(&self, bundle_id: BundleId, bundle: B) -> Values {
        let mut values = self.room_for(&self.bundles.info(bundle_id).components);
        let mut part = 0;
        bundle.visit(&mut |value, size_bytes| {
            // SAFETY: the value is of the bundle's component that is next, as the part is, and is
            // ours to move: `size_bytes` bytes to a place made for one.
            let write = |place| unsafe { value.copy_to_nonoverlapping(place, size_bytes) };
            // SAFETY: as above.
            unsafe { values.push(part, write) };
            part += 1;
        });
        values
    }

    /// Gives an entity the values of a bundle, and gives back what they overwrote.
    pub(super) fn insert_values(
        &mut self,
        entity: Entity,
        from: Location,
        bundle_id: BundleId,
        mut values: Values,
    ) -> Arrived {
        let made = self.ready_insert(entity, from, bundle_id);
        let (added, inserted) = self.arriving(bundle_id, |id| self.has_component(entity, from, id));
        let edge = self.graph.known_edge(Direction::Insert, from, bundle_id);
        let to = Writer {
            pool: &self.pool,
            tick: self.tick,
        };
        let (mut row, mut moved) = (from.row as usize, None);
        if edge.target.0 != from.archetype {
            let (source, target) = pair(&mut self.archetypes, from, edge.target);
            // SAFETY: readied above; what only the target has was made or is written below,
            // before anything else.
            moved = Some(unsafe { source.move_row(row, target, edge, to, Leaving::MovedOut) });
            row = target.len() - 1;
        }
        let target = &mut self.archetypes[edge.target.index()];
        // What is new first: until it is written the row is not whole.
        for (part, place) in edge.bundle.iter().enumerate() {
            if place.column != IN_SPARSE_SET && place.is_new {
                // SAFETY: the row is new and last, the value is of this component.
                unsafe { target.put_last(place.column as usize, values.pop(part), to.tick) };
            }
        }
        let mut panicked = FirstPanic::default();
        let components = &self.bundles.info(bundle_id).components;
        for (part, (place, component)) in edge.bundle.iter().zip(components).enumerate() {
            if place.column != IN_SPARSE_SET {
                if !place.is_new {
                    let column = place.column as usize;
                    // SAFETY: the value is of this component and the row is initialised.
                    unsafe { target.exchange(column, row, values.last(part), to) };
                }
                continue;
            }
            let set = self.sparse.get_mut(*component).expect("readied above");
            if set.row(entity).is_some() {
                // SAFETY: readied above; the value is of the set's component.
                unsafe { set.exchange(entity, values.last(part), to) };
            } else {
                // SAFETY: as above.
                unsafe { set.insert(entity, values.pop(part), to, &mut panicked) };
            }
        }
        made.insert(entity, &mut self.sparse, to);
        if let Some(moved) = moved {
            self.entities.set(entity, edge.target.location(row));
            self.settle(from, moved);
        }
        // Nothing was dropped that could have panicked.
        panicked.resume();
        Arrived {
            entity,
            added,
            inserted,
            replaced: values,
        }
    }

    /// What of an insertion may panic without having changed anything.
    fn ready_insert(&mut self, entity: Entity, from: Location, bundle_id: BundleId) -> MadeAside {
        let to = Writer {
            pool: &self.pool,
            tick: self.tick,
        };
        let info = self.bundles.info(bundle_id);
        for &component in &info.sparse {
            let set = self
                .sparse
                .make(component, &self.registry, &self.entity_info);
            set.ready_insert(entity, to);
        }
        let edge = self.graph.known_edge(Direction::Insert, from, bundle_id);
        let (sets, registry) = (&mut self.sparse, &self.registry);
        let required = &edge.required;
        let made = MadeAside::readied(required, entity, sets, registry, &self.entity_info, to);
        let row = from.row as usize;
        if edge.target.0 != from.archetype {
            let (source, target) = pair(&mut self.archetypes, from, edge.target);
            source.ready_move(row, target, to);
            target.make_next(required, to);
        } else if !info.sorted.is_empty() {
            self.archetypes[edge.target.index()].ready_row(row, to);
        }
        made
    }

    /// Tells who watches what an entity was given; then drops what was overwritten.
    pub(super) fn deliver_arrival(&mut self, arrived: Arrived) {
        let Arrived {
            entity,
            added,
            inserted,
            replaced: mut values,
        } = arrived;
        let mut panicked = FirstPanic::default();
        panicked.catch(|| {
            let left = Lent {
                values: &values,
                row: 0,
            };
            self.deliver_change(Lifecycle::Add, entity, &added, left);
            self.deliver_change(Lifecycle::Insert, entity, &inserted, left);
        });
        values.discard(&mut panicked);
        panicked.resume();
    }
}

//! Structural changes of single entities that somebody watches: values that leave are moved into
//! a buffer, and observers run when the change is complete.
//!
//! The changes are the ones of `structure` and `spawn`, on erased values; those stay free of all
//! this but for the test of one byte.

use smallvec::SmallVec;

use super::World;
use super::structure::pair;
use crate::archetype::graph::Direction;
use crate::archetype::{Archetype, ArchetypeId, Leaving};
use crate::bundle::{Bundle, BundleId, IN_SPARSE_SET};
use crate::component::info::ComponentId;
use crate::entity::{Entity, Location, Place};
use crate::observer::{Lent, Lifecycle, Rows, Values, Wanted, Watch};
use crate::panics::FirstPanic;
use crate::sparse::SparseSets;
use crate::storage::column::Writer;

/// Components that an event is about, in order of registration.
pub(super) type Components = SmallVec<[ComponentId; 8]>;

/// An entity that was given components.
pub(super) struct Arrived {
    entity: Entity,
    added: Components,
    inserted: Components,
    /// What was overwritten.
    replaced: Values,
}

/// An entity that lost components, all of them if it was despawned.
pub(super) struct Left {
    pub(super) entity: Entity,
    pub(super) components: Components,
    pub(super) values: Values,
}

impl World {
    /// Sees to it that every archetype knows what is waited for of its components.
    pub(crate) fn refresh_watch(&mut self) {
        let mut all = Watch::NONE;
        for index in 0..self.archetypes.len() {
            let watch = self.watch_of_all(self.archetypes[index].components());
            self.archetypes[index].set_watch(watch);
            all = all | watch;
        }
        let sparse = self
            .registry
            .ids()
            .filter(|&id| self.registry.info(id).sparse);
        let watch = sparse.fold(Watch::NONE, |watch, id| watch | self.watch_of(id));
        self.observers.sparse = watch;
        self.observers.watch = all | watch;
    }

    /// A new bundle may bring a sparse component that has hooks.
    pub(super) fn watch_sparse(&mut self, bundle: BundleId) {
        let sparse = self.bundles.info(bundle).sparse.iter();
        let watch = sparse.fold(Watch::NONE, |watch, &id| watch | self.watch_of(id));
        self.observers.sparse = self.observers.sparse | watch;
        self.observers.watch = self.observers.watch | watch;
    }

    /// Whether entities of an archetype are worth a closer look before a change.
    #[inline]
    pub(super) fn may_be_watched(&self, at: ArchetypeId, by: Watch) -> bool {
        self.observers.watch.intersects(by)
            && (self.archetypes[at.index()].watch() | self.observers.sparse).intersects(by)
    }

    pub(super) fn is_bundle_watched(&self, bundle: BundleId, by: Watch) -> bool {
        self.is_watched(&self.bundles.info(bundle).components, by)
    }

    #[inline]
    pub(super) fn is_arrival_watched(&self, target: ArchetypeId, bundle: BundleId) -> bool {
        self.may_be_watched(target, Watch::ARRIVAL)
            && self.is_bundle_watched(bundle, Watch::ARRIVAL)
    }

    #[inline]
    pub(super) fn is_removal_watched(&self, from: Location, bundle: BundleId) -> bool {
        self.may_be_watched(ArchetypeId(from.archetype), Watch::REMOVAL)
            && self.is_bundle_watched(bundle, Watch::REMOVAL)
    }

    /// Tells who watches that an entity was spawned with a bundle.
    #[cold]
    #[inline(never)]
    pub(super) fn deliver_spawn(&mut self, entity: Entity, bundle: BundleId) {
        let components = self.components_of_bundle(bundle);
        let values = Values::default();
        let left = Lent {
            values: &values,
            row: 0,
        };
        self.deliver_change(Lifecycle::Add, entity, &components, left);
        self.deliver_change(Lifecycle::Insert, entity, &components, left);
    }

    pub(super) fn components_of_bundle(&self, bundle: BundleId) -> Components {
        let mut components = self.bundles.info(bundle).components.clone();
        components.sort_unstable();
        components
    }

    /// Adds a bundle to an entity that has a row, along an edge that is known.
    #[cold]
    #[inline(never)]
    pub(super) fn insert_watched<B: Bundle>(
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

    /// Room for a value of each component.
    fn room_for(&self, components: &[ComponentId]) -> Values {
        let wanted = components.iter().map(|&component| Wanted {
            component,
            info: self.registry.info(component).clone(),
            count: 1,
            rows: Rows::All,
        });
        Values::with_room(&self.pool, wanted)
    }

    /// Gives an entity the values of a bundle, and gives back what they overwrote.
    pub(super) fn insert_values(
        &mut self,
        entity: Entity,
        from: Location,
        bundle_id: BundleId,
        mut values: Values,
    ) -> Arrived {
        self.ready_insert(entity, from, bundle_id);
        let inserted = self.components_of_bundle(bundle_id);
        let has = |&id: &ComponentId| self.has_component(entity, from, id);
        let added: Components = inserted.iter().copied().filter(|id| !has(id)).collect();
        let edge = self.graph.known_edge(Direction::Insert, from, bundle_id);
        let to = Writer {
            pool: &self.pool,
            tick: self.tick,
        };
        let (mut row, mut moved) = (from.row as usize, None);
        if edge.target.0 != from.archetype {
            let (source, target) = pair(&mut self.archetypes, from, edge.target);
            // SAFETY: readied above; what only the target has is written below, before anything
            // else.
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
    fn ready_insert(&mut self, entity: Entity, from: Location, bundle_id: BundleId) {
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
        let row = from.row as usize;
        if edge.target.0 != from.archetype {
            let (source, target) = pair(&mut self.archetypes, from, edge.target);
            source.ready_move(row, target, to);
        } else if !info.sorted.is_empty() {
            self.archetypes[edge.target.index()].ready_row(row, to);
        }
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

    /// Removes components along an edge that is known; says whether there were any.
    #[cold]
    #[inline(never)]
    pub(super) fn remove_watched(
        &mut self,
        entity: Entity,
        from: Location,
        bundle_id: BundleId,
    ) -> bool {
        let left = self.remove_into_buffer(entity, from, bundle_id);
        let any = !left.components.is_empty();
        self.deliver_removal(left);
        any
    }

    /// Removes components that the entity has, along an edge that is known, and gives them to the
    /// caller.
    #[cold]
    #[inline(never)]
    pub(super) fn take_watched<B: Bundle>(
        &mut self,
        entity: Entity,
        from: Location,
        bundle_id: BundleId,
    ) -> B {
        let mut left = self.remove_into_buffer(entity, from, bundle_id);
        let lent = Lent {
            values: &left.values,
            row: 0,
        };
        // If an observer panics, the values are dropped with the buffer.
        self.deliver_change(Lifecycle::Remove, entity, &left.components, lent);
        let mut next = self.bundles.info(bundle_id).components.iter();
        let mut give = |place: *mut u8| {
            let component = *next.next().expect("as many as the bundle lists");
            let part = left.values.part_of(component).expect("the entity had it");
            let size_bytes = self.registry.info(component).layout.size();
            let value = left.values.pop(part);
            // SAFETY: a value of the component that is next, which the buffer has given away, to
            // a place that `assemble` made for it.
            unsafe { value.copy_to_nonoverlapping(place, size_bytes) };
        };
        // SAFETY: each call writes the component that is next in the bundle's order.
        unsafe { B::assemble(&mut give) }
    }

    /// Removes what an entity has of a bundle, along an edge that is known, into a buffer.
    pub(super) fn remove_into_buffer(
        &mut self,
        entity: Entity,
        from: Location,
        bundle_id: BundleId,
    ) -> Left {
        let mut components = self.components_of_bundle(bundle_id);
        components.retain(|&mut id| self.has_component(entity, from, id));
        let mut values = self.room_for(&components);
        let to = Writer {
            pool: &self.pool,
            tick: self.tick,
        };
        for &component in &components {
            if let Some(set) = self.sparse.get_mut(component) {
                set.ready_remove(entity, to);
            }
        }
        let (row, sparse) = (from.row as usize, &mut self.sparse);
        let edge = self.graph.known_edge(Direction::Remove, from, bundle_id);
        if edge.target.0 == from.archetype {
            let source = &self.archetypes[from.archetype as usize];
            // SAFETY: readied above; no component lies in a table.
            unsafe { move_out(source, sparse, entity, row, &components, &mut values, to) };
        } else {
            let (source, target) = pair(&mut self.archetypes, from, edge.target);
            source.ready_move(row, target, to);
            // SAFETY: readied above; the row is moved without these values below.
            unsafe { move_out(source, sparse, entity, row, &components, &mut values, to) };
            // SAFETY: readied before the values were moved out, which changed nothing else.
            let moved = unsafe { source.move_row(row, target, edge, to, Leaving::MovedOut) };
            self.entities.set(entity, target.last_location());
            self.settle(from, moved);
        }
        for &component in &components {
            self.log_removed(component, [entity]);
        }
        Left {
            entity,
            components,
            values,
        }
    }

    /// Tells who watches what an entity has lost; then drops it.
    pub(super) fn deliver_removal(&mut self, left: Left) {
        self.deliver_left(left, &[Lifecycle::Remove]);
    }

    /// Removes an entity.
    #[cold]
    #[inline(never)]
    pub(super) fn despawn_watched(&mut self, entity: Entity) {
        if let Some(left) = self.depart(entity) {
            self.deliver_departure(left);
        }
    }

    /// Removes a living entity and gives what it had, where somebody has to be told.
    pub(super) fn depart(&mut self, entity: Entity) -> Option<Left> {
        let Some(Place::At(at)) = self.entities.get(entity) else {
            // A handle that was reserved and has no row yet.
            let is_heard = self.is_departure_watched(entity);
            self.entities.free(entity);
            return is_heard.then(|| Left {
                entity,
                components: Components::new(),
                values: Values::default(),
            });
        };
        let mut components: Components = self.archetypes[at.archetype as usize].components().into();
        components.extend(self.sparse.of_entity(entity));
        components.sort_unstable();
        let mut values = self.room_for(&components);
        let is_heard = self.watch_of_all(&components).intersects(Watch::FAREWELL);
        let (row, sparse) = (at.row as usize, &mut self.sparse);
        let archetype = &mut self.archetypes[at.archetype as usize];
        let to = Writer {
            pool: &self.pool,
            tick: self.tick,
        };
        archetype.ready_row(row, to);
        sparse.ready_remove_entity(entity, to);
        if !is_heard {
            for &component in &components {
                self.log_removed(component, [entity]);
            }
            self.forget_own_observers(entity);
            self.despawn_row(entity, at);
            return None;
        }
        // SAFETY: readied above; the row is forgotten below.
        unsafe { move_out(archetype, sparse, entity, row, &components, &mut values, to) };
        // SAFETY: readied before all its values were moved out, which changed nothing else.
        let filled_by = unsafe { archetype.forget_row(row, to) };
        self.entities.free(entity);
        if let Some(other) = filled_by {
            self.entities.set(other, at);
        }
        for &component in &components {
            self.log_removed(component, [entity]);
        }
        Some(Left {
            entity,
            components,
            values,
        })
    }

    /// Tells who watches that an entity has gone; then drops what it had.
    pub(super) fn deliver_departure(&mut self, left: Left) {
        let entity = left.entity;
        let mut panicked = FirstPanic::default();
        panicked.catch(|| self.deliver_left(left, &[Lifecycle::Despawn, Lifecycle::Remove]));
        self.forget_own_observers(entity);
        panicked.resume();
    }

    fn deliver_left(&mut self, left: Left, kinds: &[Lifecycle]) {
        let Left {
            entity,
            components,
            mut values,
        } = left;
        let mut panicked = FirstPanic::default();
        panicked.catch(|| {
            let left = Lent {
                values: &values,
                row: 0,
            };
            for &kind in kinds {
                self.deliver_change(kind, entity, &components, left);
            }
        });
        values.discard(&mut panicked);
        panicked.resume();
    }
}

/// Moves values of an entity into a buffer that has a part for each, in order.
///
/// # Safety
/// The block of the row and the sets were readied; the entity has all the components, and those
/// that lie in its row count as moved out afterwards.
unsafe fn move_out(
    archetype: &Archetype,
    sparse: &mut SparseSets,
    entity: Entity,
    row: usize,
    components: &[ComponentId],
    values: &mut Values,
    to: Writer<'_>,
) {
    for (part, &component) in components.iter().enumerate() {
        if let Some(index) = archetype.column_index(component) {
            let column = archetype.column(index);
            // SAFETY: the row exists, and the buffer gives room for the component.
            let write = |place| unsafe { column.read(row, place) };
            // SAFETY: the part is of this component.
            unsafe { values.push(part, write) };
        } else {
            let set = sparse.get_mut(component).expect("the entity has it");
            // SAFETY: readied by the caller; the entity has it.
            let write = |place| unsafe { set.take(entity, place, to) };
            // SAFETY: the part is of this component.
            unsafe { values.push(part, write) };
        }
    }
}

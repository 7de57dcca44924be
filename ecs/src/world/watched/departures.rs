//! Components that leave one entity.

use super::super::World;
use super::super::structure::pair;
use super::Components;
use crate::archetype::graph::Direction;
use crate::archetype::{Archetype, Leaving};
use crate::bundle::{Bundle, BundleId};
use crate::component::info::ComponentId;
use crate::entity::{Entity, Location, Place};
use crate::observer::{Lent, Lifecycle, Values, Watch};
use crate::panics::FirstPanic;
use crate::sparse::SparseSets;
use crate::storage::column::Writer;

/// An entity that lost components, all of them if it was despawned.
pub(in crate::world) struct Left {
    pub(super) entity: Entity,
    pub(super) components: Components,
    pub(super) values: Values,
}

impl World {
    /// Removes components along an edge that is known; says whether there were any.
    #[cold]
    #[inline(never)]
    pub(in crate::world) fn remove_watched(
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
    pub(in crate::world) fn take_watched<B: Bundle>(
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
    pub(in crate::world) fn despawn_watched(&mut self, entity: Entity) {
        if let Some(left) = self.depart(entity) {
            self.deliver_departure(left);
        }
    }

    /// Removes a living entity and gives what it had, where somebody has to be told.
    pub(in crate::world) fn depart(&mut self, entity: Entity) -> Option<Left> {
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
        let is_heard = self.watch_of_all(&components).intersects(Watch::FAREWELL);
        let mut values = match is_heard {
            true => self.room_for(&components),
            false => Values::default(),
        };
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
    pub(in crate::world) fn deliver_departure(&mut self, left: Left) {
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

//! Components that leave an entity: removed, or taken.

use std::any::TypeId;

use super::World;
use super::structure::pair;
use crate::archetype::graph::Direction;
use crate::archetype::{Leaving, Step};
use crate::bundle::{Bundle, BundleId};
use crate::component::info::ComponentId;
use crate::entity::{Entity, Location, Place};
use crate::error::{ComponentError, NoSuchEntity};
use crate::observer::Watch;
use crate::panics::FirstPanic;
use crate::sparse::SparseSets;
use crate::storage::column::Writer;

impl World {
    /// Removes those components of a bundle that the entity has, and drops them. Says whether
    /// there were any.
    ///
    /// # Errors
    /// When the handle's entity does not live in this world.
    ///
    /// # Cost
    /// As [`insert`](World::insert).
    ///
    /// # Panics
    /// When a component stands in the bundle twice.
    ///
    /// ```
    /// use orrery_ecs::{Component, World};
    /// #[derive(Clone, Copy, Component)]
    /// struct Poison;
    /// let mut world = World::new();
    /// let entity = world.spawn(Poison).id();
    /// assert_eq!(world.remove::<Poison>(entity), Ok(true));
    /// assert_eq!(world.remove::<Poison>(entity), Ok(false));
    /// ```
    pub fn remove<B: Bundle>(&mut self, entity: Entity) -> Result<bool, NoSuchEntity> {
        self.flush_reserved();
        match self.remove_from_set::<B>(entity) {
            true => Ok(true),
            false => self.remove_anywhere::<B>(entity),
        }
    }

    /// Takes a sparse component from an entity where nothing has to be readied for that and nobody
    /// watches. Says whether it did.
    #[inline(always)]
    fn remove_from_set<B: Bundle>(&mut self, entity: Entity) -> bool {
        if !B::SPARSE || self.observers.watch.intersects(Watch::REMOVAL) {
            return false;
        }
        let component = self.recent_sparse.get(TypeId::of::<B>());
        let Some(set) = component.and_then(|id| self.sparse.get_mut(id)) else {
            return false;
        };
        let to = Writer {
            pool: &self.pool,
            tick: self.tick,
        };
        // A set has only the living.
        // SAFETY: the component's values are bytes: so it was remembered.
        unsafe { set.forget_bytes(entity, to) }
    }

    #[inline(never)]
    fn remove_anywhere<B: Bundle>(&mut self, entity: Entity) -> Result<bool, NoSuchEntity> {
        let place = self.entities.get(entity).ok_or(NoSuchEntity { entity })?;
        let Place::At(from) = place else {
            return Ok(false);
        };
        let bundle_id = self.bundle_id::<B>();
        let Some(edge) = (self.recent_edges).get(Direction::Remove, from.archetype, bundle_id)
        else {
            self.find_recent_edge(Direction::Remove, from, bundle_id);
            return self.remove_anywhere::<B>(entity);
        };
        if self.is_removal_watched(from, bundle_id) {
            return Ok(self.remove_watched(entity, from, bundle_id));
        }
        if let Some(step) = Step::along(edge, &mut self.archetypes, from, self.tick) {
            // SAFETY: the target has nothing that the source lacks.
            let stepped = unsafe { step.go() };
            self.entities.step(entity, from, stepped);
            return Ok(true);
        }
        let sparse = edge.sparse;
        self.remember_sparse::<B>(sparse);
        Ok(self.remove_values(entity, from, bundle_id))
    }

    /// Removes and drops components along an edge that is known, and tells nobody. Says whether
    /// there were any.
    #[inline(never)]
    pub(super) fn remove_values(
        &mut self,
        entity: Entity,
        from: Location,
        bundle_id: BundleId,
    ) -> bool {
        let edge = self.graph.known_edge(Direction::Remove, from, bundle_id);
        let to = Writer {
            pool: &self.pool,
            tick: self.tick,
        };
        let sparse = &self.bundles.info(bundle_id).sparse;
        for &component in sparse {
            if let Some(set) = self.sparse.get_mut(component) {
                set.ready_remove(entity, to);
            }
        }
        let mut moved = None;
        if edge.target.0 != from.archetype {
            let (source, target) = pair(&mut self.archetypes, from, edge.target);
            let (row, leaving) = (from.row as usize, Leaving::Dropped);
            source.ready_move(row, target, to);
            // SAFETY: readied a line above; the target has nothing that the source lacks.
            moved = Some(unsafe { source.move_row(row, target, edge, to, leaving) });
            self.entities.set(entity, target.last_location());
        }
        let mut any = moved.is_some();
        let mut panicked = FirstPanic::default();
        for &component in sparse {
            if let Some(set) = self.sparse.get_mut(component) {
                any |= set.remove(entity, to, &mut panicked);
            }
        }
        if let Some(moved) = moved {
            self.settle(from, moved);
        }
        panicked.resume();
        any
    }

    /// Removes all components of a bundle and returns them.
    ///
    /// # Errors
    /// When the entity does not live or lacks one of the components; nothing is changed then.
    ///
    /// # Panics
    /// When a component stands in the bundle twice.
    ///
    /// ```
    /// use orrery_ecs::{Component, ComponentError, World};
    /// #[derive(Clone, Debug, PartialEq, Component)]
    /// struct Letter(String);
    /// let mut world = World::new();
    /// let hand = world.spawn(Letter("Dear Ada".into())).id();
    /// assert_eq!(world.take::<Letter>(hand)?.0, "Dear Ada");
    /// let error = world.take::<Letter>(hand).expect_err("it was taken");
    /// assert!(matches!(error, ComponentError::MissingComponent { .. }));
    /// # Ok::<(), ComponentError>(())
    /// ```
    pub fn take<B: Bundle>(&mut self, entity: Entity) -> Result<B, ComponentError> {
        self.flush_reserved();
        let place = self.entities.get(entity).ok_or(NoSuchEntity { entity })?;
        let bundle_id = self.bundle_id::<B>();
        let components = self.bundles.info(bundle_id).components.clone();
        let Place::At(from) = place else {
            return match components.first() {
                Some(&first) => Err(self.missing(entity, first)),
                // SAFETY: a bundle without components asks for nothing.
                None => Ok(unsafe { B::assemble(&mut |_| ()) }),
            };
        };
        let lacks = |&&id: &&ComponentId| !self.has_component(entity, from, id);
        if let Some(&lacking) = components.iter().find(lacks) {
            return Err(self.missing(entity, lacking));
        }
        self.find_edge(Direction::Remove, from, bundle_id);
        if self.is_removal_watched(from, bundle_id) {
            return Ok(self.take_watched(entity, from, bundle_id));
        }
        let edge = self.graph.known_edge(Direction::Remove, from, bundle_id);
        let to = Writer {
            pool: &self.pool,
            tick: self.tick,
        };
        let info = self.bundles.info(bundle_id);
        for &component in &info.sparse {
            let set = self.sparse.get_mut(component).expect("checked above");
            set.ready_remove(entity, to);
        }
        if edge.target.0 == from.archetype {
            // SAFETY: readied above; no component lies in a table.
            return Ok(unsafe { assemble(&components, |_, _| (), &mut self.sparse, entity, to) });
        }
        let (source, target) = pair(&mut self.archetypes, from, edge.target);
        // Nothing can fail from here on: values that have left would be dropped twice.
        source.ready_move(from.row as usize, target, to);
        let read = |component, value| {
            let index = source.column_index(component).expect("checked above");
            // SAFETY: the row exists, and `assemble` gives room for the component. The value in
            // the column counts as moved out: `move_row` does not drop it.
            unsafe { source.column(index).read(from.row as usize, value) };
        };
        // SAFETY: readied above, and `read` reads components that lie in tables.
        let bundle = unsafe { assemble(&components, read, &mut self.sparse, entity, to) };
        // SAFETY: readied before the values were read, which changed nothing; they were moved
        // out a line above.
        let moved =
            unsafe { source.move_row(from.row as usize, target, edge, to, Leaving::MovedOut) };
        self.entities.set(entity, target.last_location());
        self.settle(from, moved);
        Ok(bundle)
    }

    fn missing(&self, entity: Entity, component: ComponentId) -> ComponentError {
        ComponentError::MissingComponent {
            entity,
            component: self.registry.name(component),
        }
    }
}

/// Puts a bundle together from what an entity has.
///
/// # Safety
/// - `components` are those of `B` in its order, and the entity has them all;
/// - `read` moves out the value of a component that lies in a table;
/// - `ready_remove` was called for the others since the last change.
unsafe fn assemble<B: Bundle>(
    components: &[ComponentId],
    read: impl Fn(ComponentId, *mut u8),
    sparse: &mut SparseSets,
    entity: Entity,
    to: Writer<'_>,
) -> B {
    let mut next = components.iter();
    let mut give = |value: *mut u8| {
        let component = *next.next().expect("as many as the bundle lists");
        match sparse.get_mut(component) {
            // SAFETY: `assemble` gives room for the component that is next; the rest is passed
            // on from the caller.
            Some(set) => unsafe { set.take(entity, value, to) },
            None => read(component, value),
        }
    };
    // SAFETY: each call writes the component that is next in the bundle's order.
    unsafe { B::assemble(&mut give) }
}

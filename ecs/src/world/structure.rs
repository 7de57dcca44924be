//! Structural changes of single entities: despawn, insert, remove, take, clear.

use super::World;
use crate::archetype::graph::Direction;
use crate::archetype::{Archetype, ArchetypeId, Leaving, Moved, Step};
use crate::bundle::{Bundle, BundleId, IN_SPARSE_SET};
use crate::component::info::ComponentId;
use crate::entity::{Entity, Location, Place};
use crate::error::{ComponentError, NoSuchEntity};
use crate::observer::Watch;
use crate::panics::FirstPanic;
use crate::sparse::{MadeAside, SparseSets};
use crate::storage::column::Writer;

impl World {
    /// Removes an entity and drops its components.
    ///
    /// # Errors
    /// When the handle's entity does not live in this world.
    ///
    /// # Cost
    /// The last row of each column moves into the gap; a look at each sparse set, if there are any.
    ///
    /// ```
    /// use orrery_ecs::{NoSuchEntity, World};
    /// let mut world = World::new();
    /// let entity = world.spawn(()).id();
    /// assert_eq!(world.despawn(entity), Ok(()));
    /// assert_eq!(world.despawn(entity), Err(NoSuchEntity { entity }));
    /// ```
    #[inline]
    pub fn despawn(&mut self, entity: Entity) -> Result<(), NoSuchEntity> {
        self.flush_reserved();
        if !self.observers.watch.intersects(Watch::DEPARTURE) && self.despawn_bytes(entity) {
            return Ok(());
        }
        self.despawn_any(entity)
    }

    #[inline(never)]
    fn despawn_any(&mut self, entity: Entity) -> Result<(), NoSuchEntity> {
        let place = self.entities.get(entity).ok_or(NoSuchEntity { entity })?;
        let Place::At(location) = place else {
            self.despawn_watched(entity);
            return Ok(());
        };
        if self.may_be_watched(ArchetypeId(location.archetype), Watch::DEPARTURE)
            && self.is_departure_watched(entity)
        {
            self.despawn_watched(entity);
        } else {
            self.despawn_row(entity, location);
        }
        Ok(())
    }

    /// Removes an entity that has a row, and tells nobody.
    #[inline]
    pub(super) fn despawn_row(&mut self, entity: Entity, location: Location) {
        if !self.despawn_bytes(entity) {
            self.despawn_row_slowly(entity, location);
        }
    }

    /// Removes an entity whose row is bytes where nothing has to be readied for that, and tells
    /// nobody. Says whether it did.
    #[inline(always)]
    fn despawn_bytes(&mut self, entity: Entity) -> bool {
        let Some(leaving) = self.entities.leaving(entity) else {
            return false;
        };
        let (location, tick) = (leaving.location(), self.tick);
        // Where there is no row the number is none of an archetype.
        let Some(archetype) = self.archetypes.get_mut(location.archetype as usize) else {
            return false;
        };
        if !self.sparse.is_empty() || !archetype.is_bytes() {
            return false;
        }
        let Some(gap) = archetype.gap(location.row as usize, tick) else {
            return false;
        };
        leaving.free();
        // SAFETY: as below.
        self.entities
            .prefetch(unsafe { gap.filler(archetype.len()) });
        // SAFETY: it was given above; the values are bytes, which need no drop.
        if let Some(filler) = unsafe { archetype.fill_bytes(gap) } {
            self.entities.set(filler, location);
        }
        true
    }

    #[inline(never)]
    fn despawn_row_slowly(&mut self, entity: Entity, location: Location) {
        let to = Writer {
            pool: &self.pool,
            tick: self.tick,
        };
        if !self.sparse.is_empty() {
            self.sparse.ready_remove_entity(entity, to);
        }
        let archetype = &mut self.archetypes[location.archetype as usize];
        let mut moved = archetype.remove_row(location.row as usize, to);
        if !self.sparse.is_empty() {
            self.sparse.remove_entity(entity, to, &mut moved.panicked);
        }
        self.entities.free(entity);
        self.settle(location, moved);
    }

    /// Adds the components of a bundle to an entity, in one move; values of components that it
    /// already has are replaced and dropped.
    ///
    /// # Errors
    /// When the handle's entity does not live in this world; the bundle is dropped then.
    ///
    /// # Panics
    /// When a component stands in the bundle twice.
    ///
    /// # Cost
    /// A move of the whole row to another archetype, and of the last row into its gap; none if the
    /// entity has all of the bundle already, or what it lacks is sparse. The way from archetype to
    /// archetype is looked for once.
    ///
    /// ```
    /// use orrery_ecs::{Component, World};
    /// #[derive(Clone, Copy, Debug, PartialEq, Component)]
    /// struct Health(u32);
    /// #[derive(Clone, Copy, Component)]
    /// struct Poison;
    /// let mut world = World::new();
    /// let entity = world.spawn(Health(9)).id();
    /// world.insert(entity, (Health(8), Poison))?;
    /// assert_eq!(world.get(entity), Some(&Health(8)));
    /// # Ok::<(), orrery_ecs::NoSuchEntity>(())
    /// ```
    pub fn insert<B: Bundle>(&mut self, entity: Entity, bundle: B) -> Result<(), NoSuchEntity> {
        self.flush_reserved();
        let place = self.entities.get(entity).ok_or(NoSuchEntity { entity })?;
        let Place::At(from) = place else {
            self.spawn_reserved(entity, bundle);
            return Ok(());
        };
        let bundle_id = self.bundle_id::<B>();
        let Some(edge) = (self.recent_edges).get(Direction::Insert, from.archetype, bundle_id)
        else {
            self.find_recent_edge(Direction::Insert, from, bundle_id);
            return self.insert(entity, bundle);
        };
        if self.is_arrival_watched(edge.target, bundle_id) {
            self.insert_watched(entity, from, bundle_id, bundle);
        } else if let Some(step) = Step::along(edge, &mut self.archetypes, from, self.tick) {
            // SAFETY: the edge is that of an insertion of this bundle.
            let stepped = unsafe { step.insert(bundle) };
            self.entities.step(entity, from, stepped);
        } else {
            let mut bundle = bundle;
            if let Some(set) = edge.sparse.and_then(|id| self.sparse.get_mut(id)) {
                let to = Writer {
                    pool: &self.pool,
                    tick: self.tick,
                };
                // SAFETY: the edge says that the bundle is this component, and bytes.
                match unsafe { set.push_bytes(entity, bundle, to) } {
                    Ok(()) => return Ok(()),
                    Err(back) => bundle = back,
                }
            }
            self.insert_along(entity, from, bundle_id, bundle);
        }
        Ok(())
    }

    /// Adds a bundle to an entity along an edge that is known, and tells nobody.
    #[inline(never)]
    fn insert_along<B: Bundle>(
        &mut self,
        entity: Entity,
        from: Location,
        bundle_id: BundleId,
        bundle: B,
    ) {
        let edge = self.graph.known_edge(Direction::Insert, from, bundle_id);
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
        let (sets, registry, info_of_handles) =
            (&mut self.sparse, &self.registry, &self.entity_info);
        let made = MadeAside::readied(&edge.required, entity, sets, registry, info_of_handles, to);
        let old_row = from.row as usize;
        let mut moved = None;
        if edge.target.0 == from.archetype {
            if !info.sorted.is_empty() {
                self.archetypes[edge.target.index()].ready_row(old_row, to);
            }
        } else {
            let (source, target) = pair(&mut self.archetypes, from, edge.target);
            source.ready_move(old_row, target, to);
            target.make_next(&edge.required, to);
            // SAFETY: readied above; what only the target has was made or is written below,
            // before anything else.
            moved = Some(unsafe { source.move_row(old_row, target, edge, to, Leaving::Dropped) });
        }
        let target = &mut self.archetypes[edge.target.index()];
        let row = moved.as_ref().map_or(old_row, |_| target.len() - 1);
        let mut panicked = FirstPanic::default();
        let mut next = edge.bundle.iter().zip(&info.components);
        bundle.visit(&mut |value, _| {
            let (place, component) = next
                .next()
                .expect("as many columns as the bundle has components");
            let column = place.column as usize;
            if place.column == IN_SPARSE_SET {
                let set = self.sparse.get_mut(*component).expect("made above");
                // SAFETY: readied above; the value is of the set's component.
                unsafe { set.insert(entity, value, to, &mut panicked) };
            } else if place.is_new {
                // SAFETY: the row is new and last, the value is of this component.
                unsafe { target.put_last(column, value, to.tick) };
            } else {
                // SAFETY: the value is of this component and the row is initialised.
                unsafe { target.replace(column, row, value, to, &mut panicked) };
            }
        });
        made.insert(entity, &mut self.sparse, to);
        if let Some(moved) = moved {
            self.entities.set(entity, edge.target.location(row));
            self.settle(from, moved);
        }
        panicked.resume();
    }

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
        let place = self.entities.get(entity).ok_or(NoSuchEntity { entity })?;
        let Place::At(from) = place else {
            return Ok(false);
        };
        let bundle_id = self.bundle_id::<B>();
        let Some(edge) = (self.recent_edges).get(Direction::Remove, from.archetype, bundle_id)
        else {
            self.find_recent_edge(Direction::Remove, from, bundle_id);
            return self.remove::<B>(entity);
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
        if let Some(set) = edge.sparse.and_then(|id| self.sparse.get_mut(id)) {
            let to = Writer {
                pool: &self.pool,
                tick: self.tick,
            };
            // SAFETY: the edge says that the component's values are bytes.
            if unsafe { set.forget_bytes(entity, to) } {
                return Ok(true);
            }
        }
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

    /// Despawns every entity. Handles given out before stay dead. Observers run when all are gone.
    ///
    /// # Cost
    /// The drops that components need; memory is kept for the next entities
    /// ([`compact`](World::compact) gives it back).
    ///
    /// ```
    /// use orrery_ecs::World;
    /// let mut world = World::new();
    /// let old = world.spawn(()).id();
    /// world.clear();
    /// let new = world.spawn(()).id();
    /// assert!(world.len() == 1 && new != old && !world.contains(old));
    /// ```
    pub fn clear(&mut self) {
        self.flush_reserved();
        if self.observers.watch.intersects(Watch::DEPARTURE) {
            return self.clear_watched();
        }
        let mut panicked = FirstPanic::default();
        for archetype in &mut self.archetypes {
            panicked.catch(|| archetype.clear());
        }
        self.sparse.clear(&mut panicked);
        self.entities.free_all();
        panicked.resume();
    }

    /// Whether an entity with a row has a component, wherever it lies.
    pub(crate) fn has_component(&self, entity: Entity, at: Location, id: ComponentId) -> bool {
        let archetype = &self.archetypes[at.archetype as usize];
        let in_set = || self.sparse.get(id)?.row(entity);
        archetype.set().contains(id) || in_set().is_some()
    }

    fn missing(&self, entity: Entity, component: ComponentId) -> ComponentError {
        ComponentError::MissingComponent {
            entity,
            component: self.registry.name(component),
        }
    }

    /// Records who filled the gap at `from`, then goes on with a panic that a drop raised.
    #[inline]
    pub(super) fn settle(&mut self, from: Location, moved: Moved) {
        if let Some(entity) = moved.filled_by {
            self.entities.set(entity, from);
        }
        moved.panicked.resume();
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

/// Two different archetypes at once.
pub(super) fn pair(
    archetypes: &mut [Archetype],
    from: Location,
    target: ArchetypeId,
) -> (&mut Archetype, &mut Archetype) {
    let both = archetypes.get_disjoint_mut([from.archetype as usize, target.index()]);
    let [source, destination] = both.expect("two different archetypes of this world");
    (source, destination)
}

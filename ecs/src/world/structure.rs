//! Structural changes: despawn, insert, remove, take, clear.

use super::World;
use crate::archetype::graph::{Edge, components_after};
use crate::archetype::{Archetype, ArchetypeId, Leaving, Moved};
use crate::bundle::{Bundle, BundleId};
use crate::component::info::ComponentId;
use crate::entity::{Entity, Location, Place};
use crate::error::{ComponentError, NoSuchEntity};
use crate::panics::FirstPanic;
use crate::storage::column::Writer;

impl World {
    /// Removes an entity and drops its components.
    ///
    /// # Errors
    /// When the handle's entity does not live in this world.
    pub fn despawn(&mut self, entity: Entity) -> Result<(), NoSuchEntity> {
        self.flush_reserved();
        let place = self.entities.get(entity).ok_or(NoSuchEntity { entity })?;
        let Place::At(location) = place else {
            self.entities.free(entity);
            return Ok(());
        };
        let to = Writer {
            pool: &self.pool,
            tick: self.tick,
        };
        let archetype = &mut self.archetypes[location.archetype as usize];
        let moved = archetype.remove_row(location.row as usize, to);
        self.entities.free(entity);
        self.settle(location, moved);
        Ok(())
    }

    /// Adds the components of a bundle to an entity, in one move; values of components that it
    /// already has are replaced and dropped.
    ///
    /// # Errors
    /// When the handle's entity does not live in this world; the bundle is dropped then.
    ///
    /// # Panics
    /// When a component stands in the bundle twice.
    pub fn insert<B: Bundle>(&mut self, entity: Entity, bundle: B) -> Result<(), NoSuchEntity> {
        self.flush_reserved();
        let place = self.entities.get(entity).ok_or(NoSuchEntity { entity })?;
        let Place::At(from) = place else {
            self.spawn_reserved(entity, bundle);
            return Ok(());
        };
        let bundle_id = self.bundle_id::<B>();
        let target = self.target(Edge::Insert, from, bundle_id);
        let old_set = ComponentIds(self.archetypes[from.archetype as usize].components().into());
        let to = Writer {
            pool: &self.pool,
            tick: self.tick,
        };
        let components = &self.bundles.info(bundle_id).components;
        let (row, moved) = if target.0 == from.archetype {
            let archetype = &mut self.archetypes[target.index()];
            for &component in components {
                let index = archetype.column_index(component);
                let index = index.expect("the target has the bundle");
                archetype.ready_replace(index, from.row as usize, to);
            }
            (from.row as usize, None)
        } else {
            let (source, destination) = pair(&mut self.archetypes, from, target);
            let (row, leaving) = (from.row as usize, Leaving::Dropped);
            source.ready_move(row, destination, to);
            // SAFETY: readied a line above; what only the destination has is written below,
            // before anything else.
            let moved = unsafe { source.move_row(row, destination, to, leaving) };
            (moved.row, Some(moved))
        };
        let archetype = &mut self.archetypes[target.index()];
        let mut panicked = FirstPanic::default();
        let mut next = components.iter();
        bundle.visit(&mut |value, _| {
            let component = *next.next().expect("as many components as the bundle lists");
            let index = archetype
                .column_index(component)
                .expect("the target has the bundle");
            if old_set.contains(component) {
                // SAFETY: the value is of this component and the row is initialised.
                unsafe { replace(archetype, index, row, value, to, &mut panicked) };
            } else {
                // SAFETY: the row is new and last, the value is of this component.
                unsafe { archetype.write_new(index, value, to) };
            }
        });
        if let Some(moved) = moved {
            self.entities.set(
                entity,
                Location {
                    archetype: target.0,
                    row: row as u32,
                },
            );
            self.settle(from, moved);
        }
        panicked.resume();
        Ok(())
    }

    /// Removes those components of a bundle that the entity has, and drops them. Says whether
    /// there were any.
    ///
    /// # Errors
    /// When the handle's entity does not live in this world.
    pub fn remove<B: Bundle>(&mut self, entity: Entity) -> Result<bool, NoSuchEntity> {
        self.flush_reserved();
        let place = self.entities.get(entity).ok_or(NoSuchEntity { entity })?;
        let Place::At(from) = place else {
            return Ok(false);
        };
        let bundle_id = self.bundle_id::<B>();
        let target = self.target(Edge::Remove, from, bundle_id);
        if target.0 == from.archetype {
            return Ok(false);
        }
        let to = Writer {
            pool: &self.pool,
            tick: self.tick,
        };
        let (source, destination) = pair(&mut self.archetypes, from, target);
        source.ready_move(from.row as usize, destination, to);
        // SAFETY: readied a line above.
        unsafe { self.leave(entity, from, target, Leaving::Dropped) };
        Ok(true)
    }

    /// Removes all components of a bundle and returns them.
    ///
    /// # Errors
    /// When the entity does not live or lacks one of the components; nothing is changed then.
    ///
    /// # Panics
    /// When a component stands in the bundle twice.
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
        let archetype = &self.archetypes[from.archetype as usize];
        if let Some(&lacking) = components.iter().find(|&&id| !archetype.set().contains(id)) {
            return Err(self.missing(entity, lacking));
        }
        let target = self.target(Edge::Remove, from, bundle_id);
        if target.0 == from.archetype {
            // SAFETY: it is the same without the bundle, so that asks for nothing.
            return Ok(unsafe { B::assemble(&mut |_| ()) });
        }
        let to = Writer {
            pool: &self.pool,
            tick: self.tick,
        };
        let (source, destination) = pair(&mut self.archetypes, from, target);
        // Nothing can fail from here on: values that have left would be dropped twice.
        source.ready_move(from.row as usize, destination, to);
        let mut next = components.iter();
        let mut give = |value: *mut u8| {
            let component = *next.next().expect("as many as the bundle lists");
            let index = source.column_index(component).expect("checked above");
            // SAFETY: the row exists, and `assemble` gives room for the component that is next.
            // The value in the column counts as moved out: `leave` does not drop it.
            unsafe { source.column(index).read(from.row as usize, value) };
        };
        // SAFETY: each call writes the component that is next in the bundle's order.
        let bundle = unsafe { B::assemble(&mut give) };
        // SAFETY: readied before the values were read, which changed nothing; they were moved
        // out a line above.
        unsafe { self.leave(entity, from, target, Leaving::MovedOut) };
        Ok(bundle)
    }

    /// Despawns every entity. Handles given out before stay dead.
    pub fn clear(&mut self) {
        self.flush_reserved();
        let living: Vec<Entity> = self.entities.living().collect();
        let mut panicked = FirstPanic::default();
        for archetype in &mut self.archetypes {
            panicked.catch(|| archetype.clear());
        }
        for entity in living {
            self.entities.free(entity);
        }
        panicked.resume();
    }

    fn missing(&self, entity: Entity, component: ComponentId) -> ComponentError {
        ComponentError::MissingComponent {
            entity,
            component: self.registry.name(component),
        }
    }

    /// Moves an entity to an archetype that lacks some of its components.
    ///
    /// # Safety
    /// - `target` is another archetype, of a subset of the components, and `ready_move` was
    ///   called for the row since the last change;
    /// - for `Leaving::MovedOut` the caller has moved out the values that the target lacks.
    unsafe fn leave(
        &mut self,
        entity: Entity,
        from: Location,
        target: ArchetypeId,
        leaving: Leaving,
    ) {
        let to = Writer {
            pool: &self.pool,
            tick: self.tick,
        };
        let (source, destination) = pair(&mut self.archetypes, from, target);
        // SAFETY: the destination has no component that the source lacks; the rest is passed on
        // from the caller.
        let moved = unsafe { source.move_row(from.row as usize, destination, to, leaving) };
        self.entities.set(
            entity,
            Location {
                archetype: target.0,
                row: moved.row as u32,
            },
        );
        self.settle(from, moved);
    }

    fn target(&mut self, edge: Edge, from: Location, bundle: BundleId) -> ArchetypeId {
        let at = ArchetypeId(from.archetype);
        if let Some(target) = self.graph.edge(edge, at, bundle) {
            return target;
        }
        let here = self.archetypes[at.index()].components();
        let after = components_after(edge, here, &self.bundles.info(bundle).sorted);
        let target = self.archetype_of(&after);
        self.graph.make_mut().remember(edge, at, bundle, target);
        target
    }

    /// Records who filled the gap at `from`, then goes on with a panic that a drop raised.
    fn settle(&mut self, from: Location, moved: Moved) {
        if let Some(entity) = moved.filled_by {
            self.entities.set(entity, from);
        }
        moved.panicked.resume();
    }
}

/// Components of the archetype that an entity came from, for a few look-ups.
struct ComponentIds(smallvec::SmallVec<[ComponentId; 16]>);

impl ComponentIds {
    fn contains(&self, component: ComponentId) -> bool {
        self.0.binary_search(&component).is_ok()
    }
}

/// Two different archetypes at once.
fn pair(
    archetypes: &mut [Archetype],
    from: Location,
    target: ArchetypeId,
) -> (&mut Archetype, &mut Archetype) {
    let both = archetypes.get_disjoint_mut([from.archetype as usize, target.index()]);
    let [source, destination] = both.expect("two different archetypes of this world");
    (source, destination)
}

/// Puts a value in the place of an initialised one and drops the old value last, so that the
/// column is whole whatever the drop does.
///
/// # Safety
/// - `value` points to a value of the column's component, which is moved from;
/// - `row` is initialised.
unsafe fn replace(
    archetype: &mut Archetype,
    index: usize,
    row: usize,
    value: *mut u8,
    to: Writer<'_>,
    panicked: &mut FirstPanic,
) {
    let len = archetype.len();
    let column = archetype.column_mut(index);
    // SAFETY: passed on from the caller.
    unsafe { column.exchange(row, len, value, to) };
    if let Some(drop) = column.info().drop {
        // SAFETY: the old value now lies behind the pointer and is nobody else's.
        panicked.catch(|| unsafe { drop(value, 1) });
    }
}

//! Structural changes: despawn, insert, remove, take, clear.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use super::World;
use crate::archetype::graph::{Edge, components_after};
use crate::archetype::{Archetype, ArchetypeId, Moved, Take};
use crate::bundle::{Bundle, BundleId};
use crate::component::info::ComponentId;
use crate::entity::{Entity, Location, Place};
use crate::error::{ComponentError, NoSuchEntity};
use crate::storage::column::Writer;

impl World {
    /// Removes an entity and drops its components.
    ///
    /// # Errors
    /// When the handle's entity does not live in this world.
    pub fn despawn(&mut self, entity: Entity) -> Result<(), NoSuchEntity> {
        self.flush_reserved();
        let place = self.entities.get(entity).ok_or(NoSuchEntity { entity })?;
        self.entities.free(entity);
        if let Place::At(location) = place {
            let to = Writer {
                pool: &self.pool,
                tick: self.tick,
            };
            let archetype = &mut self.archetypes[location.archetype as usize];
            let moved = archetype.remove_row(location.row as usize, to);
            self.settle(location, moved);
        }
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
        let (row, moved) = if target.0 == from.archetype {
            (from.row as usize, None)
        } else {
            let (source, destination) = pair(&mut self.archetypes, from, target);
            // SAFETY: what only the destination has is written below, before anything else.
            let moved = unsafe { source.move_row(from.row as usize, destination, to, None) };
            (moved.row, Some(moved))
        };
        let components = &self.bundles.info(bundle_id).components;
        let archetype = &mut self.archetypes[target.index()];
        let mut panicked = None;
        let mut next = components.iter();
        bundle.visit(&mut |value| {
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
        panicked.map_or(Ok(()), |panic| resume_unwind(panic))
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
        Ok(self.leave(entity, from, bundle_id, None))
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
        let to = Writer {
            pool: &self.pool,
            tick: self.tick,
        };
        let archetype = &mut self.archetypes[from.archetype as usize];
        let (row, len) = (from.row as usize, archetype.len());
        if let Some(&lacking) = components.iter().find(|&&id| !archetype.set().contains(id)) {
            return Err(self.missing(entity, lacking));
        }
        let index = |archetype: &Archetype, id| archetype.column_index(id).expect("just checked");
        for &component in &components {
            let column = index(archetype, component);
            // SAFETY: the row is one of `len` initialised ones. Copying a shared block may call
            // a user's `clone`, so all of that is done before the first value leaves.
            unsafe { archetype.column_mut(column).own_row(row, len, to) };
        }
        let mut next = components.iter();
        let mut give = |value: *mut u8| {
            let component = *next.next().expect("as many as the bundle lists");
            let column = archetype.column(index(archetype, component));
            // SAFETY: the row exists, and `assemble` gives room for the component that is next.
            // The value in the column counts as moved out: `leave` with a `take` keeps it so.
            unsafe { column.read(row, value) };
        };
        // SAFETY: each call writes the component that is next in the bundle's order.
        let bundle = unsafe { B::assemble(&mut give) };
        self.leave(entity, from, bundle_id, Some(&mut |_, _| ()));
        Ok(bundle)
    }

    /// Despawns every entity. Handles given out before stay dead.
    pub fn clear(&mut self) {
        self.flush_reserved();
        let living: Vec<Entity> = self.entities.living().collect();
        let mut panicked = None;
        for archetype in &mut self.archetypes {
            let cleared = catch_unwind(AssertUnwindSafe(|| archetype.clear()));
            if let Err(panic) = cleared {
                panicked.get_or_insert(panic);
            }
        }
        for entity in living {
            self.entities.free(entity);
        }
        if let Some(panic) = panicked {
            resume_unwind(panic);
        }
    }

    fn missing(&self, entity: Entity, component: ComponentId) -> ComponentError {
        ComponentError::MissingComponent {
            entity,
            component: self.registry.name(component),
        }
    }

    /// Moves an entity to the archetype without the bundle. Says whether that is another one.
    fn leave(
        &mut self,
        entity: Entity,
        from: Location,
        bundle_id: BundleId,
        take: Option<Take<'_>>,
    ) -> bool {
        let target = self.target(Edge::Remove, from, bundle_id);
        if target.0 == from.archetype {
            return false;
        }
        let to = Writer {
            pool: &self.pool,
            tick: self.tick,
        };
        let (source, destination) = pair(&mut self.archetypes, from, target);
        // SAFETY: the destination has no component that the source lacks; a `take` is only given
        // by `World::take`, which owns the values.
        let moved = unsafe { source.move_row(from.row as usize, destination, to, take) };
        self.entities.set(
            entity,
            Location {
                archetype: target.0,
                row: moved.row as u32,
            },
        );
        self.settle(from, moved);
        true
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
        if let Some(panic) = moved.panicked {
            resume_unwind(panic);
        }
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
    panicked: &mut Option<Box<dyn Any + Send>>,
) {
    let len = archetype.len();
    let column = archetype.column_mut(index);
    // SAFETY: passed on from the caller.
    unsafe { column.exchange(row, len, value, to) };
    if let Some(drop) = column.info().drop {
        // SAFETY: the old value now lies behind the pointer and is nobody else's.
        let dropped = catch_unwind(AssertUnwindSafe(|| unsafe { drop(value, 1) }));
        if let Err(panic) = dropped {
            panicked.get_or_insert(panic);
        }
    }
}

//! Components that come to an entity, and what all structural changes of single entities share.

use std::any::TypeId;

use super::World;
use crate::archetype::graph::Direction;
use crate::archetype::{Archetype, ArchetypeId, Leaving, Moved, Step};
use crate::bundle::{Bundle, BundleId, IN_SPARSE_SET};
use crate::component::info::ComponentId;
use crate::entity::{Entity, Location, Place};
use crate::error::NoSuchEntity;
use crate::observer::Watch;
use crate::panics::FirstPanic;
use crate::recent::Recent;
use crate::sparse::MadeAside;
use crate::storage::column::Writer;

/// Sparse components that are bytes and bring nothing along, by their types: what comes and goes
/// without a look at the entity's archetype.
pub(super) type RecentSparse = Recent<ComponentId, 8>;

impl World {
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
        match self.insert_in_set(entity, bundle) {
            Ok(()) => Ok(()),
            Err(bundle) => self.insert_anywhere(entity, bundle),
        }
    }

    /// Gives an entity a sparse component where nothing has to be readied for it and nobody
    /// watches; otherwise the bundle comes back.
    #[inline(always)]
    fn insert_in_set<B: Bundle>(&mut self, entity: Entity, bundle: B) -> Result<(), B> {
        if !B::SPARSE || self.observers.watch.intersects(Watch::ARRIVAL) {
            return Err(bundle);
        }
        let Some(component) = self.recent_sparse.get(TypeId::of::<B>()) else {
            return Err(bundle);
        };
        let has_row = self.entities.location(entity).is_some_and(Location::is_row);
        let Some(set) = self.sparse.get_mut(component).filter(|_| has_row) else {
            return Err(bundle);
        };
        let to = Writer {
            pool: &self.pool,
            tick: self.tick,
        };
        // SAFETY: the bundle is this component, and bytes: so it was remembered.
        unsafe { set.push_bytes(entity, bundle, to) }
    }

    /// Remembers a bundle that an edge says to be a sparse component which is bytes.
    pub(super) fn remember_sparse<B: Bundle>(&mut self, component: Option<ComponentId>) {
        if B::SPARSE
            && let Some(component) = component
        {
            self.recent_sparse.remember(TypeId::of::<B>(), component);
        }
    }

    #[inline(never)]
    fn insert_anywhere<B: Bundle>(
        &mut self,
        entity: Entity,
        bundle: B,
    ) -> Result<(), NoSuchEntity> {
        let place = self.entities.get(entity).ok_or(NoSuchEntity { entity })?;
        let Place::At(from) = place else {
            self.spawn_reserved(entity, bundle);
            return Ok(());
        };
        let bundle_id = self.bundle_id::<B>();
        let Some(edge) = (self.recent_edges).get(Direction::Insert, from.archetype, bundle_id)
        else {
            self.find_recent_edge(Direction::Insert, from, bundle_id);
            return self.insert_anywhere(entity, bundle);
        };
        if self.is_arrival_watched(edge.target, bundle_id) {
            self.insert_watched(entity, from, bundle_id, bundle);
        } else if let Some(step) = Step::along(edge, &mut self.archetypes, from, self.tick) {
            // SAFETY: the edge is that of an insertion of this bundle.
            let stepped = unsafe { step.insert(bundle) };
            self.entities.step(entity, from, stepped);
        } else {
            let sparse = edge.sparse;
            self.remember_sparse::<B>(sparse);
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

    /// Whether an entity with a row has a component, wherever it lies.
    pub(crate) fn has_component(&self, entity: Entity, at: Location, id: ComponentId) -> bool {
        let archetype = &self.archetypes[at.archetype as usize];
        let in_set = || self.sparse.get(id)?.row(entity);
        archetype.set().contains(id) || in_set().is_some()
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

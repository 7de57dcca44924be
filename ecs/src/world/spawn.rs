//! Spawning, one entity or many.

use super::{EntityWorldMut, SpawnBatch, World};
use crate::archetype::ArchetypeId;
use crate::bundle::{Bundle, BundleId, IN_SPARSE_SET, SpawnTarget};
use crate::entity::{Entity, Place};
use crate::error::SpawnAtError;
use crate::panics::FirstPanic;
use crate::sparse::MadeAside;
use crate::storage::column::Writer;

/// Rows that a batch makes room for at once, at most; further room comes block by block.
const BATCH_ROWS_RESERVED: usize = 1 << 20;

impl World {
    /// Spawns an entity with the components of a bundle; `()` is a bundle without any.
    ///
    /// # Panics
    /// When a component stands in the bundle twice, or 2^32 - 2 entities live.
    ///
    /// # Cost
    /// A copy of each value into the last row of its column. Many at once cost less by
    /// [`spawn_batch`](World::spawn_batch).
    ///
    /// ```
    /// use orrery_ecs::{Component, World};
    /// #[derive(Clone, Copy, Component)]
    /// struct Health(u32);
    /// #[derive(Clone, Copy, Component)]
    /// struct Poison;
    /// let mut world = World::new();
    /// let entity = world.spawn((Health(9), Poison)).id();
    /// let empty = world.spawn(()).id();
    /// assert!(world.entity(entity).contains::<Poison>());
    /// assert!(!world.entity(empty).contains::<Poison>());
    /// ```
    #[inline]
    pub fn spawn<B: Bundle>(&mut self, bundle: B) -> EntityWorldMut<'_> {
        self.flush_reserved();
        let (bundle_id, target) = self.spawn_target::<B>();
        let info = self.bundles.info(bundle_id);
        if !info.is_in_tables() {
            let entity = self.spawn_mixed(bundle_id, target, bundle);
            if self.is_arrival_watched(target, bundle_id) {
                self.deliver_spawn(entity, bundle_id);
            }
            return EntityWorldMut::new(self, entity);
        }
        let archetype = &mut self.archetypes[target.index()];
        let to = Writer {
            pool: &self.pool,
            tick: self.tick,
        };
        archetype.ready_push(to);
        let target = info.spawn_target();
        archetype.make_next(&target.required, to);
        let entity = self.entities.allocate_at(archetype.next_location());
        // SAFETY: readied above, and the archetype and columns are the bundle's; what else the
        // archetype has was made.
        unsafe { archetype.push(entity, &target.columns, bundle, to.tick) };
        let archetype = target.archetype;
        if self.is_arrival_watched(archetype, bundle_id) {
            self.deliver_spawn(entity, bundle_id);
        }
        EntityWorldMut::new(self, entity)
    }

    /// Spawns one entity for each bundle of an iterator, at once, and gives their handles.
    ///
    /// If the iterator panics, what it gave until then is spawned. Observers run when all are
    /// spawned, for one entity after the other.
    ///
    /// # Panics
    /// When a component stands in the bundle twice, or 2^32 - 2 entities live.
    ///
    /// # Cost
    /// A copy of each value into its column; room is made once for as many as the iterator
    /// promises, and no question is asked for each entity.
    ///
    /// ```
    /// use orrery_ecs::{Component, Entity, World};
    /// #[derive(Clone, Copy, Component)]
    /// struct Number(u32);
    /// let mut world = World::new();
    /// let entities: Vec<Entity> = world.spawn_batch((0..100).map(Number)).collect();
    /// assert_eq!(world.get::<Number>(entities[42]).map(|number| number.0), Some(42));
    /// ```
    pub fn spawn_batch<I>(&mut self, bundles: I) -> SpawnBatch<'_>
    where
        I: IntoIterator,
        I::Item: Bundle,
    {
        self.flush_reserved();
        let (bundle_id, target) = self.spawn_target::<I::Item>();
        let first = self.archetypes[target.index()].len();
        if self.is_arrival_watched(target, bundle_id) {
            let mut panicked = FirstPanic::default();
            panicked.catch(|| self.fill_batch(bundle_id, target, bundles.into_iter()));
            let entities = self.deliver_batch(target, first, bundle_id, panicked);
            return SpawnBatch::of(entities);
        }
        self.fill_batch(bundle_id, target, bundles.into_iter());
        SpawnBatch::new(&self.archetypes[target.index()], first)
    }

    fn fill_batch<I>(&mut self, bundle_id: BundleId, target: ArchetypeId, mut bundles: I)
    where
        I: Iterator,
        I::Item: Bundle,
    {
        let info = self.bundles.info(bundle_id);
        if !info.is_in_tables() {
            for bundle in bundles {
                self.spawn_mixed(bundle_id, target, bundle);
            }
            return;
        }
        let SpawnTarget {
            columns, required, ..
        } = info.spawn_target();
        let archetype = &mut self.archetypes[target.index()];
        let to = Writer {
            pool: &self.pool,
            tick: self.tick,
        };
        // An iterator may promise more than it gives, and an endless one promises everything.
        let promised = bundles.size_hint().0.min(BATCH_ROWS_RESERVED);
        if promised > 0 {
            archetype.reserve(promised, to);
        }
        while let Some(bundle) = bundles.next() {
            let wanted = bundles.size_hint().0.saturating_add(1);
            let mut run = archetype.open_run(&mut self.entities, wanted, columns, to);
            run.make_next(required, to);
            // SAFETY: opened for the columns of this bundle, with a row at least.
            unsafe { run.push(bundle) };
            if required.is_empty() {
                // SAFETY: as above.
                unsafe { run.fill(&mut bundles) };
                continue;
            }
            for bundle in bundles.by_ref().take(run.left()) {
                run.make_next(required, to);
                // SAFETY: as above, and no more than are left.
                unsafe { run.push(bundle) };
            }
        }
    }

    /// Spawns an entity with a handle of one's own choosing, as when a saved world comes back. An
    /// entity that lives under the handle's index is despawned first.
    ///
    /// # Errors
    /// When the generation was used before, so that old copies of the handle would come to life
    /// again; when no generation of the index is left; or when the index is more than 2^24 beyond
    /// all that were used.
    ///
    /// # Panics
    /// As [`spawn`](World::spawn).
    ///
    /// # Cost
    /// In proportion to the number of free indices.
    ///
    /// ```
    /// use orrery_ecs::{Entity, SpawnAtError, World};
    /// let mut world = World::new();
    /// let saved = Entity::from_bits(3 << 32 | 1).expect("its generation is not zero");
    /// assert_eq!(world.spawn_at(saved, ()).map(|entity| entity.id()), Ok(saved));
    /// world.despawn(saved).expect("it lives");
    /// let error = world.spawn_at(saved, ()).map(|entity| entity.id()).expect_err("it was used");
    /// assert_eq!(error, SpawnAtError::Used { entity: saved, generation: 4 });
    /// ```
    pub fn spawn_at<B: Bundle>(
        &mut self,
        entity: Entity,
        bundle: B,
    ) -> Result<EntityWorldMut<'_>, SpawnAtError> {
        self.flush_reserved();
        self.entities.check_claim(entity)?;
        let (bundle_id, target) = self.spawn_target::<B>();
        // Observers of the old one run when the new one has its place, or they could take it.
        let old = self.entities.living_at(entity.index());
        let left = old.and_then(|old| self.depart(old));
        self.entities.claim(entity);
        let mut panicked = FirstPanic::default();
        panicked.catch(|| {
            let made = self.ready_place(entity, bundle_id, target);
            // SAFETY: readied a line above.
            unsafe { self.place(entity, bundle_id, target, bundle, made) };
        });
        if self.entities.get(entity) == Some(Place::Reserved) {
            // Not even an empty row came of it, so the handle goes back.
            self.entities.free(entity);
        }
        if let Some(left) = left {
            panicked.catch(|| self.deliver_departure(left));
        }
        panicked.resume();
        if self.is_arrival_watched(target, bundle_id) {
            self.deliver_spawn(entity, bundle_id);
        }
        Ok(EntityWorldMut::new(self, entity))
    }

    /// Gives a reserved handle its components, unless it was despawned meanwhile; says whether it
    /// lives. Commands use it when they are applied.
    pub(crate) fn spawn_reserved<B: Bundle>(&mut self, entity: Entity, bundle: B) -> bool {
        if !self.is_unspawned(entity) {
            return false;
        }
        if self.entities.get(entity) != Some(Place::Reserved) {
            return self.insert(entity, bundle).is_ok();
        }
        let (bundle_id, target) = self.spawn_target::<B>();
        let made = self.ready_place(entity, bundle_id, target);
        // SAFETY: readied a line above.
        unsafe { self.place(entity, bundle_id, target, bundle, made) };
        if self.is_arrival_watched(target, bundle_id) {
            self.deliver_spawn(entity, bundle_id);
        }
        true
    }

    /// Whether a living handle waits for its components: it has no row, or an empty one, as when a
    /// child came before its parent. Another world's handle may stand for anybody here.
    pub(crate) fn is_unspawned(&self, entity: Entity) -> bool {
        match self.entities.get(entity) {
            Some(Place::Reserved) => true,
            Some(Place::At(at)) => at.archetype == 0,
            None => false,
        }
    }

    /// Spawns an entity some of whose components lie in sparse sets, and tells nobody.
    #[inline(never)]
    fn spawn_mixed<B: Bundle>(
        &mut self,
        bundle_id: BundleId,
        target: ArchetypeId,
        bundle: B,
    ) -> Entity {
        let made = self.ready_place(self.entities.next(), bundle_id, target);
        let entity = self.entities.allocate();
        // SAFETY: readied above; taking a handle touches no component.
        unsafe { self.place(entity, bundle_id, target, bundle, made) };
        entity
    }

    /// Readies `place`: what may panic without having changed anything.
    fn ready_place(
        &mut self,
        entity: Entity,
        bundle_id: BundleId,
        target: ArchetypeId,
    ) -> MadeAside {
        let to = Writer {
            pool: &self.pool,
            tick: self.tick,
        };
        let info = self.bundles.info(bundle_id);
        let required = &info.spawn_target().required;
        let made = MadeAside::readied(
            required,
            entity,
            &mut self.sparse,
            &self.registry,
            &self.entity_info,
            to,
        );
        for &component in &info.sparse {
            let set = self
                .sparse
                .make(component, &self.registry, &self.entity_info);
            set.ready_insert(entity, to);
        }
        let archetype = &mut self.archetypes[target.index()];
        archetype.ready_push(to);
        archetype.make_next(required, to);
        made
    }

    /// Gives a handle without a row its first components.
    ///
    /// # Safety
    /// `ready_place` was called since the last change.
    unsafe fn place<B: Bundle>(
        &mut self,
        entity: Entity,
        bundle_id: BundleId,
        target: ArchetypeId,
        bundle: B,
        made: MadeAside,
    ) {
        let info = self.bundles.info(bundle_id);
        let archetype = &mut self.archetypes[target.index()];
        let to = Writer {
            pool: &self.pool,
            tick: self.tick,
        };
        self.entities.set(entity, archetype.next_location());
        // SAFETY: readied by the caller, and every component is given below.
        unsafe { archetype.push_handle(entity) };
        let mut panicked = FirstPanic::default();
        let mut next = info.components.iter().zip(&info.spawn_target().columns);
        bundle.visit(&mut |value, _| {
            let (component, column) = next.next().expect("as many columns as components");
            if *column == IN_SPARSE_SET {
                let set = self
                    .sparse
                    .get_mut(*component)
                    .expect("readied by the caller");
                // SAFETY: readied by the caller; the value is of the set's component.
                unsafe { set.insert(entity, value, to, &mut panicked) };
            } else {
                // SAFETY: the row is new, and the value is of the column's component.
                unsafe { archetype.put_last(*column as usize, value, to.tick) };
            }
        });
        made.insert(entity, &mut self.sparse, to);
        // A new entity has no old values, whose drops could have panicked.
        panicked.resume();
    }
}

//! Spawning, one entity or many.

use super::{EntityMut, World};
use crate::archetype::{ArchetypeId, Run};
use crate::bundle::{Bundle, BundleId};
use crate::entity::{Entity, Location, Place};
use crate::storage::column::Writer;

/// Rows that a batch makes room for at once, at most; further room comes block by block.
const BATCH_ROWS_RESERVED: usize = 1 << 20;

impl World {
    /// Spawns an entity with the components of a bundle; `()` is a bundle without any.
    ///
    /// # Panics
    /// When a component stands in the bundle twice, or 2^32 - 2 entities live.
    pub fn spawn<B: Bundle>(&mut self, bundle: B) -> EntityMut<'_> {
        self.flush_reserved();
        let (bundle_id, archetype) = self.spawn_target::<B>();
        self.ready_place(archetype);
        let entity = self.entities.allocate();
        // SAFETY: readied above; allocating a handle touches no archetype.
        unsafe { self.place(entity, bundle_id, bundle) };
        EntityMut::new(self, entity)
    }

    /// Spawns one entity for each bundle of an iterator, with room made once.
    ///
    /// The handles come as an iterator; what is left of it when it is dropped is spawned then.
    ///
    /// ```
    /// use orrery_ecs::{Component, Entity, World};
    /// #[derive(Clone, Copy, Component)]
    /// struct Number(u32);
    /// let mut world = World::new();
    /// let entities: Vec<Entity> = world.spawn_batch((0..100).map(Number)).collect();
    /// assert_eq!(world.get::<Number>(entities[42]).map(|number| number.0), Some(42));
    /// ```
    pub fn spawn_batch<I>(&mut self, bundles: I) -> SpawnBatch<'_, I::IntoIter>
    where
        I: IntoIterator,
        I::Item: Bundle,
    {
        self.flush_reserved();
        let (bundle_id, archetype) = self.spawn_target::<I::Item>();
        let bundles = bundles.into_iter();
        let to = Writer {
            pool: &self.pool,
            tick: self.tick,
        };
        // An iterator may promise more than it gives, and an endless one promises everything.
        let room = bundles.size_hint().0.min(BATCH_ROWS_RESERVED);
        self.archetypes[archetype.index()].reserve(room, to);
        SpawnBatch {
            world: self,
            bundles,
            bundle_id,
            archetype,
            run: None,
        }
    }

    /// Gives a reserved handle its first components, unless it was despawned meanwhile; says
    /// whether it lives. Commands use it when they are applied.
    pub(crate) fn spawn_reserved<B: Bundle>(&mut self, entity: Entity, bundle: B) -> bool {
        if self.entities.get(entity) != Some(Place::Reserved) {
            return false;
        }
        let (bundle_id, archetype) = self.spawn_target::<B>();
        self.ready_place(archetype);
        // SAFETY: readied a line above.
        unsafe { self.place(entity, bundle_id, bundle) };
        true
    }

    fn spawn_target<B: Bundle>(&mut self) -> (BundleId, ArchetypeId) {
        let bundle_id = self.bundle_id::<B>();
        let info = self.bundles.info(bundle_id);
        if let Some((archetype, _)) = info.spawn {
            return (bundle_id, archetype);
        }
        let (sorted, components) = (info.sorted.clone(), info.components.clone());
        let archetype = self.archetype_of(&sorted);
        let index = |component| self.archetypes[archetype.index()].column_index(component);
        let columns = components.iter().map(|&component| {
            index(component).expect("the archetype was made of these components") as u32
        });
        let columns = columns.collect();
        self.bundles.make_mut().info_mut(bundle_id).spawn = Some((archetype, columns));
        (bundle_id, archetype)
    }

    pub(super) fn bundle_id<B: Bundle>(&mut self) -> BundleId {
        if let Some(id) = self.bundles.id::<B>() {
            return id;
        }
        self.bundles
            .make_mut()
            .register::<B>(self.registry.make_mut())
    }

    /// Readies `place`: what may panic without having changed anything.
    #[inline]
    fn ready_place(&mut self, archetype: ArchetypeId) {
        let to = Writer {
            pool: &self.pool,
            tick: self.tick,
        };
        self.archetypes[archetype.index()].ready_push(to);
    }

    /// # Safety
    /// `ready_place` was called for the bundle's archetype since that was last changed.
    #[inline]
    unsafe fn place<B: Bundle>(&mut self, entity: Entity, bundle_id: BundleId, bundle: B) {
        let info = self.bundles.info(bundle_id);
        let (archetype_id, columns) = info.spawn.as_ref().expect("spawn_target set it");
        let archetype = &mut self.archetypes[archetype_id.index()];
        let to = Writer {
            pool: &self.pool,
            tick: self.tick,
        };
        let row = match archetype.open_run(1, columns, to) {
            // SAFETY: just opened, for the columns of this bundle.
            Some(mut run) => unsafe { archetype.push_run(&mut run, entity, bundle) },
            None => {
                // SAFETY: readied by the caller.
                let row = unsafe { archetype.push_entity(entity, to) };
                let mut columns = columns.iter();
                bundle.visit(&mut |value, _| {
                    let column = columns.next().expect("as many components as columns");
                    // SAFETY: the row is new; the column is of this component, which the bundle
                    // gives in the order of its `components`.
                    unsafe { archetype.write_new(*column as usize, value, to) };
                });
                row
            }
        };
        let location = Location {
            archetype: archetype_id.0,
            row: row as u32,
        };
        self.entities.set(entity, location);
    }

    /// A run for the next rows of a batch; `None` where a component is split.
    fn open_run(&mut self, bundle_id: BundleId, wanted: usize) -> Option<Run> {
        let info = self.bundles.info(bundle_id);
        let (archetype, columns) = info.spawn.as_ref().expect("spawn_target set it");
        let to = Writer {
            pool: &self.pool,
            tick: self.tick,
        };
        self.archetypes[archetype.index()].open_run(wanted, columns, to)
    }
}

/// Iterator over the handles of a batch; see [`World::spawn_batch`].
pub struct SpawnBatch<'w, I>
where
    I: Iterator<Item: Bundle>,
{
    world: &'w mut World,
    bundles: I,
    bundle_id: BundleId,
    archetype: ArchetypeId,
    /// Opened when the first row is due, so that a batch of nothing readies nothing.
    run: Option<Run>,
}

impl<I> Iterator for SpawnBatch<'_, I>
where
    I: Iterator<Item: Bundle>,
{
    type Item = Entity;

    #[inline]
    fn next(&mut self) -> Option<Entity> {
        let bundle = self.bundles.next()?;
        if self.run.as_ref().is_none_or(Run::is_full) {
            let wanted = self.bundles.size_hint().0.saturating_add(1);
            self.run = self.world.open_run(self.bundle_id, wanted);
        }
        let Some(run) = &mut self.run else {
            self.world.ready_place(self.archetype);
            let entity = self.world.entities.allocate();
            // SAFETY: readied above; allocating a handle touches no archetype.
            unsafe { self.world.place(entity, self.bundle_id, bundle) };
            return Some(entity);
        };
        let entity = self.world.entities.allocate();
        let archetype = &mut self.world.archetypes[self.archetype.index()];
        // SAFETY: the run is of this archetype and this bundle and was opened above or by an
        // earlier call; the world is borrowed all the time, so nothing else was done to it.
        let row = unsafe { archetype.push_run(run, entity, bundle) };
        let location = Location {
            archetype: self.archetype.0,
            row: row as u32,
        };
        self.world.entities.set(entity, location);
        Some(entity)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.bundles.size_hint()
    }
}

impl<I> Drop for SpawnBatch<'_, I>
where
    I: Iterator<Item: Bundle>,
{
    fn drop(&mut self) {
        // After a panic of the iterator nothing more is asked of it.
        if !std::thread::panicking() {
            self.by_ref().for_each(drop);
        }
    }
}

//! Spawning, one entity or many.

use super::{EntityMut, World};
use crate::archetype::ArchetypeId;
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
        // SAFETY: readied by the caller.
        let row = unsafe { archetype.push_entity(entity, to) };
        let mut columns = columns.iter();
        bundle.visit(&mut |value| {
            let column = *columns.next().expect("as many components as columns") as usize;
            // SAFETY: the row is new; the column is of this component, which the bundle gives in
            // the order of its `components`.
            unsafe { archetype.write_new(column, value, to) };
        });
        let location = Location {
            archetype: archetype_id.0,
            row: row as u32,
        };
        self.entities.set(entity, location);
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
}

impl<I> Iterator for SpawnBatch<'_, I>
where
    I: Iterator<Item: Bundle>,
{
    type Item = Entity;

    fn next(&mut self) -> Option<Entity> {
        let bundle = self.bundles.next()?;
        self.world.ready_place(self.archetype);
        let entity = self.world.entities.allocate();
        // SAFETY: readied above; allocating a handle touches no archetype.
        unsafe { self.world.place(entity, self.bundle_id, bundle) };
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

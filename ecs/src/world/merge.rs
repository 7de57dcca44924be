//! One world taken into another: entities get new handles, and whoever holds an old one gets the
//! new one too.

use super::World;
use crate::archetype::{Archetype, ArchetypeId};
use crate::component::info::{ComponentId, MapHandles};
use crate::entity::{EntityMap, Place};
use crate::error::MergeError;
use crate::panics::FirstPanic;
use crate::storage::block::BlockMemory;
use crate::storage::column::{Column, Writer};

impl World {
    /// Takes all entities of another world into this one, with new handles, and gives both.
    ///
    /// Handles inside components (fields of type [`Entity`](crate::Entity), in containers and in
    /// types that derive [`StateHash`](crate::StateHash) as well) become the new ones; a handle of
    /// nobody in the other world becomes [`Entity::NONE`](crate::Entity::NONE). Entities come in
    /// the other world's order, behind those that are there. Its resources are dropped: what
    /// becomes of two of a kind is for the caller to say, before.
    ///
    /// Observers of this world run when all have arrived, in the order of the rows; those of the
    /// other world are dropped with it.
    ///
    /// # Errors
    /// When both worlds have a component of one name that was defined at run time, with different
    /// layouts; nothing has moved then, and the other world is dropped.
    ///
    /// # Panics
    /// When more than 2^32 - 2 entities would live. A panic of a `clone`, which runs where a fork
    /// of the other world still shares its blocks, comes before anything has changed here.
    ///
    /// # Cost
    /// For each entity one entry of a hash map; columns change hands where the archetype is new or
    /// empty here, else they are copied block by block. Components that can hold handles are gone
    /// through.
    ///
    /// ```
    /// use orrery_ecs::{Component, Entity, World};
    /// #[derive(Clone, Copy, Component)]
    /// struct Likes(Entity);
    /// let (mut world, mut level) = (World::new(), World::new());
    /// world.spawn(());
    /// let rose = level.spawn(()).id();
    /// let bee = level.spawn(Likes(rose)).id();
    /// let now = world.merge(level)?;
    /// let likes = world.get::<Likes>(now.map(bee)).map(|likes| likes.0);
    /// assert_eq!((likes, world.len()), (now.get(rose), 3));
    /// # Ok::<(), orrery_ecs::MergeError>(())
    /// ```
    pub fn merge(&mut self, mut other: Self) -> Result<EntityMap, MergeError> {
        self.check_merge(&other)?;
        self.flush_reserved();
        other.flush_reserved();
        self.entities.assert_room(other.entities.living_count());
        other.ready_all();
        let mut panicked = FirstPanic::default();
        let mut map = EntityMap::default();
        let mut arrived = Vec::new();
        for index in 0..other.archetypes.len() {
            if other.archetypes[index].is_empty() {
                continue;
            }
            let ids = self.translated(&other, &other.archetypes[index]);
            let archetype = &mut other.archetypes[index];
            arrived.push(self.take_archetype(archetype, ids, &mut map));
        }
        for old in other.entities.living() {
            if other.entities.get(old) == Some(Place::Reserved) {
                map.insert(old, self.entities.allocate());
            }
        }
        let sets = self.take_sets(&mut other, &map);
        for &(archetype, first) in &arrived {
            self.map_rows(archetype, first, &map, &mut panicked);
        }
        for (component, first) in sets {
            self.map_set(component, first, &map, &mut panicked);
        }
        panicked.catch(|| self.deliver_merged(&arrived));
        panicked.resume();
        Ok(map)
    }

    /// Whether components that were defined at run time are the same in both worlds.
    fn check_merge(&mut self, other: &Self) -> Result<(), MergeError> {
        for index in 0..other.registry.len() {
            let info = other.registry.info(ComponentId(index as u32));
            if self.registry.make_mut().adopt(info).is_err() {
                return Err(MergeError {
                    component: info.name,
                });
            }
        }
        Ok(())
    }

    /// Makes blocks ours that a user's `clone` would have to copy, so that nothing fails later.
    fn ready_all(&mut self) {
        let to = Writer {
            pool: &self.pool,
            tick: self.tick,
        };
        for archetype in &mut self.archetypes {
            archetype.ready_all(to);
        }
        self.sparse.ready_all(to);
    }

    /// Components of an archetype of another world, by their numbers here.
    fn translated(&mut self, other: &Self, archetype: &Archetype) -> Vec<ComponentId> {
        let infos = archetype
            .components()
            .iter()
            .map(|&id| other.registry.info(id));
        let registry = self.registry.make_mut();
        let adopt = |info| {
            registry
                .adopt(info)
                .expect("`check_merge` compared the components")
        };
        infos.map(adopt).collect()
    }

    /// Moves the rows of an archetype of another world here, and gives where they are now.
    fn take_archetype(
        &mut self,
        archetype: &mut Archetype,
        ids: Vec<ComponentId>,
        map: &mut EntityMap,
    ) -> (ArchetypeId, usize) {
        let mut sorted = ids.clone();
        sorted.sort_unstable();
        let target = self.archetype_of(&sorted);
        let target = &mut self.archetypes[target.index()];
        let columns = ids.iter().map(|&id| {
            target
                .column_index(id)
                .expect("the archetype was made of these components")
        });
        let columns: Vec<usize> = columns.collect();
        let to = Writer {
            pool: &self.pool,
            tick: self.tick,
        };
        // SAFETY: `ready_all` was called for the whole world, and each column is of the component
        // at its place in the list.
        let (first, old) = unsafe { target.adopt_rows(archetype, &columns, to) };
        for (row, &entity) in (first..).zip(&old) {
            let new = self.entities.allocate_at(target.id().location(row));
            target.set_entity(row, new, to);
            map.insert(entity, new);
        }
        (target.id(), first)
    }

    /// Moves the sparse components of another world here, and gives which there are, each with
    /// its first row.
    fn take_sets(&mut self, other: &mut Self, map: &EntityMap) -> Vec<(ComponentId, usize)> {
        let mut taken = Vec::new();
        for id in other.sparse.components() {
            let mine = self.registry.make_mut().adopt(other.registry.info(id));
            let mine = mine.expect("`check_merge` compared the components");
            self.watch_sparse_component(mine);
            let to = Writer {
                pool: &self.pool,
                tick: self.tick,
            };
            let set = self.sparse.make(mine, &self.registry, &self.entity_info);
            let theirs = other.sparse.get_mut(id).expect("it was just listed");
            // SAFETY: one component under two numbers; `ready_all` was called for the other world.
            taken.push((mine, unsafe { set.adopt(theirs, map, to) }));
        }
        taken
    }

    fn map_rows(
        &mut self,
        archetype: ArchetypeId,
        first: usize,
        map: &EntityMap,
        panicked: &mut FirstPanic,
    ) {
        let archetype = &mut self.archetypes[archetype.index()];
        let to = Writer {
            pool: &self.pool,
            tick: self.tick,
        };
        let len = archetype.len();
        for index in 0..archetype.columns().len() {
            let column = archetype.column_mut(index);
            map_column(column, first..len, len, map, to, panicked);
        }
    }

    fn map_set(
        &mut self,
        id: ComponentId,
        first: usize,
        map: &EntityMap,
        panicked: &mut FirstPanic,
    ) {
        let to = Writer {
            pool: &self.pool,
            tick: self.tick,
        };
        let set = self.sparse.get_mut(id).expect("it was made before");
        let len = set.rows().len();
        map_column(
            set.rows_mut().column_mut(0),
            first..len,
            len,
            map,
            to,
            panicked,
        );
    }
}

/// Exchanges the handles in some rows of a column.
fn map_column(
    column: &mut Column,
    rows: std::ops::Range<usize>,
    len: usize,
    map: &EntityMap,
    to: Writer<'_>,
    panicked: &mut FirstPanic,
) {
    let Some(exchange): Option<MapHandles> = column.info().map else {
        return;
    };
    let layout = column.info().layout;
    let in_pieces = column.info().value_parts().len() > 1;
    let room = in_pieces.then(|| BlockMemory::new(to.pool, layout.size(), layout.align()));
    for row in rows {
        let Some(room) = &room else {
            // SAFETY: the row is one of `len`, and its value one piece.
            let place = unsafe { column.row_mut(row, len, to) };
            // SAFETY: a value of the column's component, which is ours alone.
            panicked.catch(|| unsafe { exchange(place, &mut |old| map.map(old)) });
            continue;
        };
        let value = room.data().as_ptr();
        // SAFETY: the row exists, and there is room for a value.
        unsafe { column.read(row, value) };
        // SAFETY: a copy of a split component, which is `Copy`.
        panicked.catch(|| unsafe { exchange(value, &mut |old| map.map(old)) });
        // SAFETY: the row is one of `len`; split components need no drop.
        unsafe { column.overwrite(row, len, value, to) };
    }
}

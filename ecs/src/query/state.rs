//! Which archetypes match a query, and the query borrowed together with its world.

use std::marker::PhantomData;

use crate::archetype::ArchetypeId;
use crate::entity::{Entity, Place};
use crate::error::{AccessConflict, NoSuchEntity, QueryError};
use crate::query::{FilteredAccess, QueryData, QueryFilter, QueryIter};
use crate::storage::BLOCK_ROWS;
use crate::world::{World, WorldId};

/// An archetype that matches, with the positions of the query's columns.
#[derive(Clone, Copy)]
pub(crate) struct Matched<C> {
    pub(crate) archetype: ArchetypeId,
    pub(crate) columns: C,
}

/// A query that remembers which archetypes of one world match.
///
/// Make it once with [`World::query`] and use it every tick: archetypes that appeared meanwhile
/// are added when it is used.
pub struct QueryState<D: QueryData, F: QueryFilter = ()> {
    world: WorldId,
    data: D::State,
    filter: F::State,
    access: FilteredAccess,
    matched: Vec<Matched<D::Columns>>,
    /// Archetypes looked at so far.
    seen: usize,
    /// The world's count of numbers that came to mean other archetypes, when they were looked at.
    renumbered: u64,
}

impl<D: QueryData, F: QueryFilter> QueryState<D, F> {
    pub(crate) fn new(world: &mut World) -> Result<Self, AccessConflict> {
        let (data, filter) = (D::init(world), F::init(world));
        let mut access = FilteredAccess::default();
        D::access(&data, &mut access);
        F::access(&filter, &mut access);
        if let Some(component) = access.own_conflict_name(&world.registry) {
            return Err(AccessConflict {
                user: String::from("query"),
                first: std::any::type_name::<D>(),
                second: "the same query",
                data: component,
                advice: "ask for it once, as &mut T",
            });
        }
        let (matched, world) = (Vec::new(), world.id());
        Ok(Self {
            world,
            data,
            filter,
            access,
            matched,
            seen: 0,
            renumbered: 0,
        })
    }

    pub(crate) fn access(&self) -> &FilteredAccess {
        &self.access
    }

    pub(crate) fn matched(&self) -> &[Matched<D::Columns>] {
        &self.matched
    }

    /// Looks at archetypes that are new since the last call.
    ///
    /// # Panics
    /// When the query was made for another world.
    #[track_caller]
    pub(crate) fn update(&mut self, world: &World) {
        assert!(
            self.world == world.id(),
            "the query {} was made for another world; make one with World::query of this world",
            std::any::type_name::<D>(),
        );
        if self.renumbered != world.renumbered() {
            self.matched.clear();
            (self.seen, self.renumbered) = (0, world.renumbered());
        }
        for archetype in &world.archetypes()[self.seen..] {
            if archetype.is_vacant() {
                continue;
            }
            if !F::matches(&self.filter, archetype) {
                continue;
            }
            if let Some(columns) = D::columns(&self.data, archetype) {
                self.matched.push(Matched {
                    archetype: archetype.id(),
                    columns,
                });
            }
        }
        self.seen = world.archetypes().len();
    }

    /// Readies the written columns of every matching archetype.
    #[track_caller]
    pub(crate) fn prepare(&mut self, world: &mut World) {
        self.update(world);
        for matched in &self.matched {
            D::prepare(matched.columns, world.archetype_mut(matched.archetype));
        }
    }

    /// # Safety
    /// - `prepare` was called since the world was last changed;
    /// - nobody else touches what this query writes, or writes what it reads, for `'w`.
    pub(crate) unsafe fn view_unchecked<'w, 's>(&'s self, world: &'w World) -> Query<'w, 's, D, F> {
        Query {
            world,
            matched: &self.matched,
            marker: PhantomData,
        }
    }

    /// The query over a world, for reading.
    ///
    /// # Panics
    /// When the query was made for another world.
    #[track_caller]
    pub fn view<'w, 's>(&'s mut self, world: &'w World) -> Query<'w, 's, D::ReadOnly, F> {
        self.update(world);
        Query {
            world,
            matched: &self.matched,
            marker: PhantomData,
        }
    }

    /// The query over a world, for reading and writing.
    ///
    /// # Panics
    /// When the query was made for another world.
    #[track_caller]
    pub fn view_mut<'w, 's>(&'s mut self, world: &'w mut World) -> Query<'w, 's, D, F> {
        self.prepare(world);
        Query {
            world,
            matched: &self.matched,
            marker: PhantomData,
        }
    }

    /// All matching entities, read only. Short for `view(world).into_iter()`.
    ///
    /// # Panics
    /// When the query was made for another world.
    #[track_caller]
    pub fn iter<'w, 's>(&'s mut self, world: &'w World) -> QueryIter<'w, 's, D::ReadOnly> {
        self.view(world).into_iter()
    }

    /// All matching entities. Short for `view_mut(world).into_iter()`.
    ///
    /// # Panics
    /// When the query was made for another world.
    #[track_caller]
    pub fn iter_mut<'w, 's>(&'s mut self, world: &'w mut World) -> QueryIter<'w, 's, D> {
        self.view_mut(world).into_iter()
    }
}

impl World {
    /// A query over this world.
    ///
    /// # Panics
    /// When it asks for the same component twice and at least once for writing.
    #[track_caller]
    pub fn query<D: QueryData>(&mut self) -> QueryState<D> {
        self.query_filtered::<D, ()>()
    }

    /// A query over this world, limited to some archetypes.
    ///
    /// # Panics
    /// When it asks for the same component twice and at least once for writing.
    #[track_caller]
    pub fn query_filtered<D: QueryData, F: QueryFilter>(&mut self) -> QueryState<D, F> {
        self.try_query::<D, F>()
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// A query over this world, limited to some archetypes.
    ///
    /// # Errors
    /// When it asks for the same component twice and at least once for writing.
    pub fn try_query<D: QueryData, F: QueryFilter>(
        &mut self,
    ) -> Result<QueryState<D, F>, AccessConflict> {
        QueryState::new(self)
    }
}

/// A query together with its world, as systems get it.
///
/// Visits archetypes in order of creation and rows in order. Writing marks the blocks that are
/// visited as changed, whether or not a value is stored.
pub struct Query<'w, 's, D: QueryData, F: QueryFilter = ()> {
    pub(crate) world: &'w World,
    pub(crate) matched: &'s [Matched<D::Columns>],
    pub(crate) marker: PhantomData<(D, F)>,
}

impl<'w, 's, D: QueryData, F: QueryFilter> Query<'w, 's, D, F> {
    /// The same query without its right to write.
    pub fn as_read_only(&self) -> Query<'_, 's, D::ReadOnly, F> {
        Query {
            world: self.world,
            matched: self.matched,
            marker: PhantomData,
        }
    }

    /// A shorter borrow of the same query.
    pub fn reborrow(&mut self) -> Query<'_, 's, D, F> {
        Query {
            world: self.world,
            matched: self.matched,
            marker: PhantomData,
        }
    }

    /// All matching entities, read only.
    pub fn iter(&self) -> QueryIter<'_, 's, D::ReadOnly> {
        self.as_read_only().into_iter()
    }

    /// All matching entities.
    pub fn iter_mut(&mut self) -> QueryIter<'_, 's, D> {
        self.reborrow().into_iter()
    }

    /// Entities that match.
    pub fn len(&self) -> usize {
        self.matched
            .iter()
            .map(|matched| self.world.archetype(matched.archetype).len())
            .sum()
    }

    /// Whether no entity matches.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Calls a function for each matching entity; its loop over a block is plain enough for the
    /// compiler to vectorize.
    #[inline]
    pub fn for_each(&mut self, mut each: impl FnMut(D::Item<'_>)) {
        for matched in self.matched {
            let archetype = self.world.archetype(matched.archetype);
            for block in 0..archetype.block_count() {
                // SAFETY: the query has the exclusive right to what it writes, the block exists
                // and `prepare` was called when the query was made.
                let fetch =
                    unsafe { D::fetch(matched.columns, archetype, block, self.world.writer()) };
                for row in 0..archetype.rows(block) {
                    // SAFETY: the row exists, and its item ends before the next one is made.
                    each(unsafe { D::item(fetch, row) });
                }
            }
        }
    }

    /// What one entity gives, read only.
    ///
    /// # Errors
    /// When the entity does not live or does not match.
    pub fn get(&self, entity: Entity) -> Result<<D::ReadOnly as QueryData>::Item<'_>, QueryError> {
        self.as_read_only().get_inner(entity)
    }

    /// What one entity gives.
    ///
    /// # Errors
    /// When the entity does not live or does not match.
    pub fn get_mut(&mut self, entity: Entity) -> Result<D::Item<'_>, QueryError> {
        self.reborrow().get_inner(entity)
    }

    pub(crate) fn get_inner(self, entity: Entity) -> Result<D::Item<'w>, QueryError> {
        let query = std::any::type_name::<D>();
        let place = self
            .world
            .entities
            .get(entity)
            .ok_or(NoSuchEntity { entity })?;
        let no_match = QueryError::NoMatch { entity, query };
        let Place::At(location) = place else {
            return Err(no_match);
        };
        let wanted = ArchetypeId(location.archetype);
        let found = self
            .matched
            .binary_search_by_key(&wanted, |matched| matched.archetype);
        let Ok(index) = found else {
            return Err(no_match);
        };
        let (archetype, row) = (self.world.archetype(wanted), location.row as usize);
        let (columns, block) = (self.matched[index].columns, row / BLOCK_ROWS);
        // SAFETY: the entity table points to a row that exists; the query, which ends here, has
        // the exclusive right to what it writes for `'w`.
        let fetch = unsafe { D::fetch(columns, archetype, block, self.world.writer()) };
        // SAFETY: as above.
        Ok(unsafe { D::item(fetch, row % BLOCK_ROWS) })
    }

    /// What the one matching entity gives, read only.
    ///
    /// # Errors
    /// When none or several match.
    pub fn single(&self) -> Result<<D::ReadOnly as QueryData>::Item<'_>, QueryError> {
        only(self.iter())
    }

    /// What the one matching entity gives.
    ///
    /// # Errors
    /// When none or several match.
    pub fn single_mut(&mut self) -> Result<D::Item<'_>, QueryError> {
        only(self.iter_mut())
    }
}

fn only<'w, D: QueryData>(mut iter: QueryIter<'w, '_, D>) -> Result<D::Item<'w>, QueryError> {
    let query = std::any::type_name::<D>();
    let first = iter.next().ok_or(QueryError::NoneMatch { query })?;
    if iter.len() > 0 {
        Err(QueryError::ManyMatch { query })
    } else {
        Ok(first)
    }
}

impl<'w, 's, D: QueryData, F: QueryFilter> IntoIterator for Query<'w, 's, D, F> {
    type Item = D::Item<'w>;
    type IntoIter = QueryIter<'w, 's, D>;

    fn into_iter(self) -> QueryIter<'w, 's, D> {
        QueryIter::new(self.world, self.matched)
    }
}

impl<'q, 's, D: QueryData, F: QueryFilter> IntoIterator for &'q Query<'_, 's, D, F> {
    type Item = <D::ReadOnly as QueryData>::Item<'q>;
    type IntoIter = QueryIter<'q, 's, D::ReadOnly>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'q, 's, D: QueryData, F: QueryFilter> IntoIterator for &'q mut Query<'_, 's, D, F> {
    type Item = D::Item<'q>;
    type IntoIter = QueryIter<'q, 's, D>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

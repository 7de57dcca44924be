//! What single entities give: `get`, `get_many`, `contains`.

use super::state::MatchedBy;
use super::{Query, QueryData, QueryFilter};
use crate::archetype::Archetype;
use crate::entity::{Entity, Place};
use crate::error::{NoSuchEntity, QueryError};
use crate::storage::BLOCK_ROWS;

/// Where a query finds an entity: its row, in an archetype that matches.
pub(super) struct Found<'w, 's, D: QueryData, F: QueryFilter> {
    matched: &'s MatchedBy<D, F>,
    archetype: &'w Archetype,
    block: usize,
    row: usize,
}

impl<D: QueryData, F: QueryFilter> Clone for Found<'_, '_, D, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<D: QueryData, F: QueryFilter> Copy for Found<'_, '_, D, F> {}

impl<D: QueryData, F: QueryFilter> Found<'_, '_, D, F> {
    /// Asks the processor for what `open` will read.
    #[inline]
    pub(super) fn prefetch(&self) {
        let &Found {
            matched,
            archetype,
            block,
            row,
        } = self;
        // SAFETY: `find` found the row, and nobody else writes it while the query lives.
        unsafe { D::prefetch(matched.columns, archetype, block, row) };
    }
}

impl<'w, 's, D: QueryData, F: QueryFilter> Query<'w, 's, D, F> {
    /// `None` for dead entities and for archetypes that do not match.
    #[inline(always)]
    pub(super) fn find(&self, entity: Entity) -> Option<Found<'w, 's, D, F>> {
        let world = self.look.world;
        let Some(Place::At(location)) = world.entities.get(entity) else {
            return None;
        };
        let matched = self.matches.get(location.archetype)?;
        let archetypes = world.archetypes();
        debug_assert!(matched.archetype.index() < archetypes.len());
        // SAFETY: the matches are of this world, which never gets fewer archetypes.
        let archetype = unsafe { archetypes.get_unchecked(matched.archetype.index()) };
        let row = location.row as usize;
        debug_assert!(row < archetype.len(), "row {row} of {}", archetype.len());
        Some(Found {
            matched,
            archetype,
            block: row / BLOCK_ROWS,
            row: row % BLOCK_ROWS,
        })
    }

    /// `None` if the filter does not hold for the row, or the row gives nothing.
    ///
    /// # Safety
    /// The query has the right to what it writes in the row, for `'w`, and no other item of it
    /// lives.
    #[inline(always)]
    pub(super) unsafe fn open(&self, found: Found<'w, 's, D, F>) -> Option<D::Item<'w>> {
        let Found {
            matched,
            archetype,
            block,
            row,
        } = found;
        if F::BY_ROW {
            // SAFETY: the row exists; nobody else writes what the query looks at.
            let filter = unsafe { F::fetch(matched.filter, archetype, block, self.look) }?;
            // SAFETY: as above.
            if !unsafe { F::has_row(filter, row) } {
                return None;
            }
        }
        // SAFETY: the columns are of this archetype, and the query was prepared when it was made.
        let data = unsafe { D::fetch(matched.columns, archetype, block, self.look) };
        // SAFETY: the row exists.
        if D::BY_ROW && !unsafe { D::has_row(data, row) } {
            return None;
        }
        // SAFETY: passed on from the caller.
        Some(unsafe { D::item(data, row) })
    }

    /// # Safety
    /// As `open`, for the row of the entity.
    #[inline(always)]
    unsafe fn get_one(&self, entity: Entity) -> Result<D::Item<'w>, QueryError> {
        // SAFETY: passed on from the caller.
        let item = self
            .find(entity)
            .and_then(|found| unsafe { self.open(found) });
        item.ok_or_else(|| self.why_not(entity))
    }

    #[cold]
    #[inline(never)]
    fn why_not(&self, entity: Entity) -> QueryError {
        if self.look.world.contains(entity) {
            let query = std::any::type_name::<D>();
            QueryError::NoMatch { entity, query }
        } else {
            NoSuchEntity { entity }.into()
        }
    }

    /// What one entity gives, read only.
    ///
    /// # Errors
    /// When the entity does not live or does not match.
    ///
    /// # Cost
    /// The entity's entry, then its value; the rest of the way is short and stays in the cache.
    #[inline(always)]
    pub fn get(&self, entity: Entity) -> Result<<D::ReadOnly as QueryData>::Item<'_>, QueryError> {
        // SAFETY: it only reads, and the borrow of `self` keeps its writes out.
        unsafe { self.as_read_only().get_one(entity) }
    }

    /// What one entity gives.
    ///
    /// # Errors
    /// When the entity does not live or does not match.
    #[inline(always)]
    pub fn get_mut(&mut self, entity: Entity) -> Result<D::Item<'_>, QueryError> {
        // SAFETY: the item borrows `self`, so it is the only one.
        unsafe { self.reborrow().get_one(entity) }
    }

    /// What one entity gives, for as long as the world is borrowed.
    ///
    /// # Errors
    /// When the entity does not live or does not match.
    #[inline]
    pub fn get_inner(self, entity: Entity) -> Result<D::Item<'w>, QueryError> {
        // SAFETY: the query ends here, so this is its only item.
        unsafe { self.get_one(entity) }
    }

    /// Whether the entity lives and matches.
    #[inline]
    pub fn contains(&self, entity: Entity) -> bool {
        self.get(entity).is_ok()
    }

    /// What several entities give, read only; one may come twice.
    ///
    /// # Errors
    /// For the first entity that does not live or does not match.
    pub fn get_many<const N: usize>(
        &self,
        entities: [Entity; N],
    ) -> Result<[<D::ReadOnly as QueryData>::Item<'_>; N], QueryError> {
        // SAFETY: it only reads, and the borrow of `self` keeps its writes out.
        unsafe { self.as_read_only().get_all(entities) }
    }

    /// What several different entities give.
    ///
    /// # Errors
    /// When an entity comes twice, else for the first that does not live or does not match.
    ///
    /// # Cost
    /// Compares every pair of entities.
    ///
    /// ```
    /// use orrery_ecs::{Component, QueryError, World};
    /// #[derive(Clone, Copy, Component)]
    /// struct Coins(u32);
    /// let mut world = World::new();
    /// let (rich, poor) = (world.spawn(Coins(9)).id(), world.spawn(Coins(1)).id());
    /// let mut coins = world.query::<&mut Coins>();
    /// let mut coins = coins.view_mut(&mut world);
    /// let [from, to] = coins.get_many_mut([rich, poor])?;
    /// (from.0, to.0) = (from.0 - 4, to.0 + 4);
    /// assert!(coins.get_many_mut([rich, rich]).is_err());
    /// # Ok::<(), QueryError>(())
    /// ```
    pub fn get_many_mut<const N: usize>(
        &mut self,
        entities: [Entity; N],
    ) -> Result<[D::Item<'_>; N], QueryError> {
        for (index, &entity) in entities.iter().enumerate() {
            if entities[..index].contains(&entity) {
                let query = std::any::type_name::<D>();
                return Err(QueryError::Repeated { entity, query });
            }
        }
        // SAFETY: the entities differ, and their items borrow `self`.
        unsafe { self.reborrow().get_all(entities) }
    }

    /// # Safety
    /// As `open`, for the rows of all the entities.
    unsafe fn get_all<const N: usize>(
        &self,
        entities: [Entity; N],
    ) -> Result<[D::Item<'w>; N], QueryError> {
        let item = |entity| {
            // SAFETY: passed on from the caller.
            self.find(entity)
                .and_then(|found| unsafe { self.open(found) })
        };
        let items = entities.map(item);
        match items.iter().position(Option::is_none) {
            Some(at) => Err(self.why_not(entities[at])),
            None => Ok(items.map(|item| item.expect("none is missing"))),
        }
    }
}

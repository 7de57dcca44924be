//! What single entities give: `get`, `get_many`, `contains`.

use super::{BlockRows, Query, QueryData, QueryFilter};
use crate::archetype::Archetype;
use crate::entity::Entity;
use crate::error::{NoSuchEntity, QueryError};
use crate::storage::BLOCK_ROWS;
use crate::world::World;

/// Where a query finds an entity: a row of an archetype that matches.
#[derive(Clone, Copy, Default)]
pub(super) struct Found {
    archetype: u32,
    row: u32,
}

/// The same, ready to be fetched.
struct Spot<'w, D: QueryData, F: QueryFilter> {
    columns: D::Columns,
    filter: F::Columns,
    archetype: &'w Archetype,
    block: BlockRows,
    row: usize,
}

impl<'w, 's, D: QueryData, F: QueryFilter> Query<'w, 's, D, F> {
    /// `None` for dead entities and for archetypes that do not match.
    #[inline(always)]
    pub(super) fn find(&self, entity: Entity) -> Option<Found> {
        // Where there is no row the number is none of an archetype, so none that matches.
        let location = self.look.world.entities.location(entity)?;
        self.matches.get(location.archetype)?;
        Some(Found {
            archetype: location.archetype,
            row: location.row,
        })
    }

    /// # Safety
    /// `find` gave it, of this query or of one over the same world and matches.
    #[inline(always)]
    unsafe fn at(&self, found: Found) -> Option<Spot<'w, D, F>> {
        let (columns, filter) = self.matches.get(found.archetype)?;
        let archetypes = self.look.world.archetypes();
        debug_assert!((found.archetype as usize) < archetypes.len());
        // SAFETY: the matches are of this world, which has had the archetype since they were
        // brought up to date.
        let archetype = unsafe { archetypes.get_unchecked(found.archetype as usize) };
        let row = found.row as usize;
        debug_assert!(row < archetype.len(), "row {row} of {}", archetype.len());
        Some(Spot {
            columns,
            filter,
            archetype,
            block: BlockRows {
                index: row / BLOCK_ROWS,
                rows: archetype.rows(row / BLOCK_ROWS),
            },
            row: row % BLOCK_ROWS,
        })
    }

    /// Asks the processor for what `open` will read.
    ///
    /// # Safety
    /// As `at`.
    #[inline(always)]
    pub(super) unsafe fn prefetch(&self, found: Found) {
        // SAFETY: passed on from the caller.
        if let Some(spot) = unsafe { self.at(found) } {
            // SAFETY: the row exists, and nobody else writes its block while the query lives.
            unsafe { D::prefetch(spot.columns, spot.archetype, spot.block.index, spot.row) };
        }
    }

    /// `None` if the filter does not hold for the row, or the row gives nothing.
    ///
    /// # Safety
    /// - as `at`;
    /// - no other item of the row lives for `'w`, unless the query only reads.
    #[inline(always)]
    pub(super) unsafe fn open(&self, found: Found) -> Option<D::Item<'w>> {
        // SAFETY: passed on from the caller.
        let Spot {
            columns,
            filter,
            archetype,
            block,
            row,
        } = unsafe { self.at(found) }?;
        if F::BY_ROW {
            // SAFETY: the row exists; nobody else writes what the query looks at.
            let filter = unsafe { F::fetch(filter, archetype, block, self.look) }?;
            // SAFETY: as above.
            if !unsafe { F::has_row(filter, row) } {
                return None;
            }
        }
        // SAFETY: the columns are of this archetype, and the query was prepared when it was made.
        let data = unsafe { D::fetch(columns, archetype, block, self.look) };
        // SAFETY: the row exists.
        if D::BY_ROW && !unsafe { D::has_row(data, row) } {
            return None;
        }
        // SAFETY: passed on from the caller.
        Some(unsafe { D::item(data, row) })
    }

    /// # Safety
    /// No other item of the entity lives for `'w`, unless the query only reads.
    #[inline(always)]
    unsafe fn get_one(&self, entity: Entity) -> Result<D::Item<'w>, QueryError> {
        if let Some(found) = self.find(entity) {
            // SAFETY: just found; passed on from the caller.
            if let Some(item) = unsafe { self.open(found) } {
                return Ok(item);
            }
        }
        Err(self.why_not(entity))
    }

    /// The answer is put together where the compiler sees that it is an error: a loop that ends
    /// with one then keeps what it needs in registers.
    #[inline(always)]
    fn why_not(&self, entity: Entity) -> QueryError {
        if lives(self.look.world, entity) {
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
    ///
    /// ```
    /// use orrery_ecs::{Component, Entity, Query, World};
    /// #[derive(Clone, Copy, Component)]
    /// struct Health(u32);
    /// #[derive(Clone, Copy, Component)]
    /// struct Bites(Entity);
    /// let mut world = World::new();
    /// let hare = world.spawn(Health(9)).id();
    /// world.spawn_batch([Bites(hare); 3]);
    /// world.run_system_once(|bites: Query<&Bites>, mut healths: Query<&mut Health>| {
    ///     for bite in &bites {
    ///         if let Ok(health) = healths.get_mut(bite.0) {
    ///             health.0 -= 1;
    ///         }
    ///     }
    /// })?;
    /// assert_eq!(world.get::<Health>(hare).map(|health| health.0), Some(6));
    /// # Ok::<(), orrery_ecs::SystemError>(())
    /// ```
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
    ///
    /// ```
    /// use orrery_ecs::{Component, World};
    /// #[derive(Clone, Copy, Component)]
    /// struct Number(u32);
    /// let mut world = World::new();
    /// let entities: Vec<_> = world.spawn_batch((0..9).map(Number)).collect();
    /// let mut query = world.query::<&Number>();
    /// let found = query.view(&world).get_many([entities[8], entities[1]])?.map(|number| number.0);
    /// assert_eq!(found, [8, 1]);
    /// # Ok::<(), orrery_ecs::QueryError>(())
    /// ```
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

#[cold]
#[inline(never)]
fn lives(world: &World, entity: Entity) -> bool {
    world.contains(entity)
}

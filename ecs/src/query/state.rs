//! Which archetypes match a query.

use crate::archetype::{Archetype, ArchetypeId};
use crate::component::Ticks;
use crate::error::AccessConflict;
use crate::query::{FilteredAccess, Look, Query, QueryData, QueryFilter, QueryIter};
use crate::storage::list::moves;
use crate::world::{World, WorldId};

/// An archetype that matches, with the positions of what the query gives and looks at.
#[derive(Clone, Copy)]
pub(crate) struct Matched<C, L> {
    pub(crate) archetype: ArchetypeId,
    pub(crate) columns: C,
    pub(crate) filter: L,
}

pub(crate) type MatchedBy<D, F> = Matched<<D as QueryData>::Columns, <F as QueryFilter>::Columns>;

impl<C, L> Matched<C, L> {
    /// The archetype itself.
    ///
    /// # Safety
    /// The matches are of this world.
    #[inline(always)]
    pub(crate) unsafe fn archetype<'w>(&self, world: &'w World) -> &'w Archetype {
        // SAFETY: passed on from the caller.
        unsafe { self.archetype_in(world.archetypes()) }
    }

    /// As `archetype`, of the world's archetypes.
    ///
    /// # Safety
    /// As `archetype`.
    #[inline(always)]
    pub(crate) unsafe fn archetype_in<'w>(&self, archetypes: &'w [Archetype]) -> &'w Archetype {
        let index = self.archetype.index();
        debug_assert!(index < archetypes.len(), "{index} of {}", archetypes.len());
        // SAFETY: passed on from the caller; archetypes of a world never become fewer.
        unsafe { archetypes.get_unchecked(index) }
    }
}

/// All archetypes that match: in order of creation, and by number.
pub(crate) struct Matches<C, L> {
    pub(crate) list: Vec<Matched<C, L>>,
    /// The same for each archetype looked at so far, so that the way from an entity to its value
    /// is short.
    by_archetype: Vec<Option<(C, L)>>,
}

pub(crate) type MatchesOf<D, F> = Matches<<D as QueryData>::Columns, <F as QueryFilter>::Columns>;

impl<C: Copy, L: Copy> Matches<C, L> {
    /// What is known of the archetype with a number, which may be anything.
    #[inline(always)]
    pub(crate) fn get(&self, archetype: u32) -> Option<(C, L)> {
        self.by_archetype.get(archetype as usize).copied()?
    }
}

/// A query that remembers which archetypes of one world match.
///
/// Make it once with [`World::query`] and use it every tick: archetypes that appeared meanwhile
/// are added when it is used. Only a world makes one, after it has seen that nothing is written
/// twice or beside a read; it works with that world and panics with any other.
///
/// ```
/// use orrery_ecs::{Component, World};
/// #[derive(Clone, Copy, Component)]
/// struct Number(u32);
/// #[derive(Clone, Copy, Component)]
/// struct Odd;
/// let mut world = World::new();
/// let mut numbers = world.query::<&mut Number>();
/// world.spawn((Number(1), Odd));
/// world.spawn(Number(2));
/// numbers.iter_mut(&mut world).for_each(|number| number.0 *= 10);
/// // Reading needs no exclusive borrow, whatever the query may write.
/// assert_eq!(numbers.iter(&world).map(|number| number.0).sum::<u32>(), 30);
/// ```
pub struct QueryState<D: QueryData, F: QueryFilter = ()> {
    world: WorldId,
    data: D::State,
    filter: F::State,
    access: FilteredAccess,
    matches: MatchesOf<D, F>,
    /// How many of the matches have written columns that are ours, as of that many forks.
    prepared: (usize, u64),
    /// The world's count of numbers that came to mean other archetypes, when they were looked at.
    renumbered: u64,
    /// The count of moved lists when the columns were looked for.
    moves: u64,
    last_run: u64,
}

impl<D: QueryData, F: QueryFilter> QueryState<D, F> {
    pub(crate) fn new(world: &mut World) -> Result<Self, AccessConflict> {
        let (data, filter) = (D::init(world), F::init(world));
        let mut access = FilteredAccess::default();
        D::access(&data, &mut access);
        F::access(&filter, &mut access);
        if let Some(touched) = access.own_conflict() {
            let advice = match access.touches_all() {
                true => "ask for EntityMut alone, and call `get` and `get_mut` on it",
                false => "ask for it once, as `&mut T`, which can be read too",
            };
            return Err(AccessConflict {
                user: String::from("query"),
                first: std::any::type_name::<D>(),
                second: AccessConflict::ITSELF,
                data: touched.name(&world.registry),
                advice: advice.into(),
            });
        }
        Ok(Self {
            world: world.id(),
            data,
            filter,
            access,
            matches: Matches {
                list: Vec::new(),
                by_archetype: Vec::new(),
            },
            prepared: (0, 0),
            renumbered: 0,
            moves: 0,
            last_run: 0,
        })
    }

    pub(crate) fn access(&self) -> &FilteredAccess {
        &self.access
    }

    /// Change tick since which [`Added`](crate::Added), [`Changed`](crate::Changed),
    /// [`Ref`](crate::Ref) and [`Mut`](crate::Mut) take things as new; 0 at first, so everything
    /// is.
    pub fn last_run(&self) -> u64 {
        self.last_run
    }

    /// Takes as new only what happens after a change tick, as a rule that of the last look:
    /// keep [`World::change_tick`] when looking, then call [`World::advance_change_tick`], so that
    /// later writes are newer.
    ///
    /// A system's queries do so by themselves.
    pub fn set_last_run(&mut self, tick: u64) {
        self.last_run = tick;
    }

    fn ticks(&self, world: &World) -> Ticks {
        Ticks {
            last_run: self.last_run,
            this_run: world.change_tick(),
        }
    }

    /// Looks at archetypes that are new since the last call.
    ///
    /// # Panics
    /// When the query was made for another world.
    #[inline]
    #[track_caller]
    pub(crate) fn update(&mut self, world: &World) {
        if self.world != world.id() {
            of_another_world::<D>();
        }
        let seen = (self.matches.by_archetype.len(), self.renumbered);
        if seen != (world.archetypes().len(), world.renumbered()) {
            self.look_at_new(world);
        }
    }

    #[cold]
    fn look_at_new(&mut self, world: &World) {
        let Matches { list, by_archetype } = &mut self.matches;
        if self.renumbered != world.renumbered() {
            self.renumbered = world.renumbered();
            self.prepared = (0, 0);
            by_archetype.clear();
            list.clear();
        }
        for archetype in &world.archetypes()[by_archetype.len()..] {
            let columns = D::columns(&self.data, archetype).filter(|_| !archetype.is_vacant());
            let found = columns.zip(F::columns(&self.filter, archetype));
            by_archetype.push(found);
            list.extend(found.map(|(columns, filter)| Matched {
                archetype: archetype.id(),
                columns,
                filter,
            }));
        }
    }

    /// Looks for the columns again if any list has moved since.
    #[inline]
    fn find_columns(&mut self, world: &World) {
        let now = moves();
        if self.moves != now {
            self.find_moved_columns(world);
            self.moves = now;
        }
    }

    #[cold]
    fn find_moved_columns(&mut self, world: &World) {
        let Matches { list, by_archetype } = &mut self.matches;
        for matched in list {
            // SAFETY: the matches are of this world, which `update` saw to.
            let archetype = unsafe { matched.archetype(world) };
            if let Some(columns) = D::columns(&self.data, archetype)
                && let Some(filter) = F::columns(&self.filter, archetype)
            {
                (matched.columns, matched.filter) = (columns, filter);
                by_archetype[archetype.id().index()] = Some((columns, filter));
            }
        }
    }

    /// Readies the written columns of every matching archetype.
    #[inline]
    #[track_caller]
    pub(crate) fn prepare(&mut self, world: &mut World) {
        self.update(world);
        // Only forks share lists of blocks, so what was ours stays so until the next one.
        let wanted = (self.matches.list.len(), world.fork_count());
        if self.prepared != wanted {
            self.prepare_columns(world);
            self.prepared = wanted;
        }
        if !self.matches.list.is_empty() {
            D::prepare_run(&self.data, world);
        }
    }

    #[cold]
    fn prepare_columns(&self, world: &mut World) {
        for matched in &self.matches.list {
            D::prepare(matched.columns, world, matched.archetype);
        }
    }

    /// # Safety
    /// - `prepare` was called since the world was last changed;
    /// - nobody else touches what this query writes, or writes what it reads, for `'w`.
    #[inline]
    pub(crate) unsafe fn view_unchecked<'w, 's>(
        &'s mut self,
        world: &'w World,
        ticks: Ticks,
    ) -> Query<'w, 's, D, F> {
        self.find_columns(world);
        // SAFETY: passed on from the caller; the matches are of this world.
        unsafe { Query::new(Look { world, ticks }, &self.matches) }
    }

    /// The query over a world, for reading.
    ///
    /// # Panics
    /// When the query was made for another world.
    #[inline]
    #[track_caller]
    pub fn view<'w, 's>(&'s mut self, world: &'w World) -> Query<'w, 's, D::ReadOnly, F> {
        self.view_at(world, self.ticks(world))
    }

    /// As `view`, at the ticks of somebody else's run.
    #[inline]
    #[track_caller]
    pub(crate) fn view_at<'w, 's>(
        &'s mut self,
        world: &'w World,
        ticks: Ticks,
    ) -> Query<'w, 's, D::ReadOnly, F> {
        self.update(world);
        self.find_columns(world);
        // SAFETY: the matches are of this world, and the shared borrow keeps writers out.
        unsafe { Query::new(Look { world, ticks }, &self.matches) }
    }

    /// The query over a world, for reading and writing.
    ///
    /// # Panics
    /// When the query was made for another world.
    #[inline]
    #[track_caller]
    pub fn view_mut<'w, 's>(&'s mut self, world: &'w mut World) -> Query<'w, 's, D, F> {
        self.prepare(world);
        let ticks = self.ticks(world);
        // SAFETY: prepared a line above, and the borrow of the world keeps everybody else out.
        unsafe { self.view_unchecked(world, ticks) }
    }

    /// All matching entities, read only. Short for `view(world).into_iter()`.
    ///
    /// # Panics
    /// When the query was made for another world.
    #[inline]
    #[track_caller]
    pub fn iter<'w, 's>(&'s mut self, world: &'w World) -> QueryIter<'w, 's, D::ReadOnly, F> {
        self.view(world).into_iter()
    }

    /// All matching entities. Short for `view_mut(world).into_iter()`.
    ///
    /// # Panics
    /// When the query was made for another world.
    #[inline]
    #[track_caller]
    pub fn iter_mut<'w, 's>(&'s mut self, world: &'w mut World) -> QueryIter<'w, 's, D, F> {
        self.view_mut(world).into_iter()
    }
}

#[cold]
#[track_caller]
fn of_another_world<D>() -> ! {
    panic!(
        "the query {} was made for another world; make one with World::query of this world",
        std::any::type_name::<D>(),
    )
}

impl World {
    /// A query over this world.
    ///
    /// # Panics
    /// When it asks for the same component twice and at least once for writing.
    ///
    /// # Cost
    /// A look at every archetype when it is first used, and at new ones later: keep it.
    ///
    /// ```
    /// use orrery_ecs::{Component, Entity, World};
    /// #[derive(Clone, Copy, Component)]
    /// struct Health(u32);
    /// let mut world = World::new();
    /// let entity = world.spawn(Health(1)).id();
    /// let mut query = world.query::<(Entity, &Health)>();
    /// assert!(query.iter(&world).map(|(entity, health)| (entity, health.0)).eq([(entity, 1)]));
    /// ```
    #[track_caller]
    pub fn query<D: QueryData>(&mut self) -> QueryState<D> {
        self.query_filtered::<D, ()>()
    }

    /// A query over this world, limited to some entities.
    ///
    /// # Panics
    /// When it asks for the same component twice and at least once for writing.
    ///
    /// ```
    /// use orrery_ecs::{Component, Without, World};
    /// #[derive(Clone, Copy, Component)]
    /// struct Health(u32);
    /// #[derive(Clone, Copy, Component)]
    /// struct Shield;
    /// let mut world = World::new();
    /// world.spawn((Health(1), Shield));
    /// world.spawn(Health(2));
    /// let mut open = world.query_filtered::<&Health, Without<Shield>>();
    /// assert_eq!(open.view(&world).single().map(|health| health.0), Ok(2));
    /// ```
    #[track_caller]
    pub fn query_filtered<D: QueryData, F: QueryFilter>(&mut self) -> QueryState<D, F> {
        self.try_query::<D, F>()
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// A query over this world, limited to some entities.
    ///
    /// # Errors
    /// When it asks for the same component twice and at least once for writing.
    ///
    /// ```
    /// use orrery_ecs::{Component, World};
    /// #[derive(Clone, Copy, Component)]
    /// struct Health(u32);
    /// let mut world = World::new();
    /// assert!(world.try_query::<(&Health, &Health), ()>().is_ok());
    /// assert!(world.try_query::<(&mut Health, &Health), ()>().is_err());
    /// ```
    pub fn try_query<D: QueryData, F: QueryFilter>(
        &mut self,
    ) -> Result<QueryState<D, F>, AccessConflict> {
        QueryState::new(self)
    }
}

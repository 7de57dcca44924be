//! The world: entities, their components and resources.

pub(crate) mod access;
mod bulk;
mod bundles;
mod columns;
mod compact;
mod despawn;
mod dynamic;
mod edges;
mod entity_ref;
mod fork;
mod fresh;
mod hash;
mod merge;
mod remove;
mod restructure;
mod spawn;
mod spawn_batch;
mod structure;
#[cfg(test)]
mod tests;
mod watched;

use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::archetype::graph::{Graph, RecentEdges};
use crate::archetype::{Archetype, ArchetypeId};
use crate::bundle::{Bundles, RecentBundles};
use crate::component::info::{CloneBehavior, ComponentId, ComponentInfo, HashBehavior, Placement};
use crate::component::{Component, FieldInfo, Registry, TableComponent};
use crate::entity::{Entity, EntityTable};
use crate::hash::Lane;
use crate::observer::Observers;
use crate::resource::{NonSends, Resources};
use crate::sparse::SparseSets;
use crate::storage::column::Writer;
use crate::storage::pool::{Pool, PoolUsage};
use crate::storage::shared::Shared;
use crate::system::SystemStates;

pub use columns::{ColumnSource, ColumnSources, IntoColumnSource};
pub use compact::Compaction;
pub use entity_ref::EntityWorldMut;
pub(crate) use restructure::Arriving;
pub use spawn_batch::SpawnBatch;
use structure::RecentSparse;
pub(crate) use watched::Components;

/// Number of a world in this process. A fork has one of its own.
///
/// ```
/// use orrery_ecs::World;
/// let world = World::new();
/// assert_ne!(world.id(), world.fork()?.id());
/// # Ok::<(), orrery_ecs::ForkError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WorldId(NonZeroU64);

impl WorldId {
    /// Never 0.
    #[inline]
    pub(crate) fn number(self) -> u64 {
        self.0.get()
    }

    fn next() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        // Only tells worlds apart; it never enters state, hash or order.
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        Self(NonZeroU64::new(id).expect("2^64 worlds are not made"))
    }
}

/// All entities with their components, and one value of each resource.
///
/// ```text
/// World
///   entity table: handle -> (archetype, row)
///   archetypes, in order of creation
///     Archetype: one column for each component, one for the handles
///       Column: blocks of 4,096 rows, 64-byte aligned, shared between forks
/// ```
///
/// Dropping a world drops its values and runs no observers.
///
/// Order is part of the contract: archetypes come in order of their creation (a new one may take
/// the place of one that [`compact`](World::compact) took out), rows in order of arrival, and a
/// removed row is filled by the last one. The same operations give the same
/// handles, order and [`state_hash`](World::state_hash).
///
/// ```
/// use orrery_ecs::{Component, World};
/// #[derive(Clone, Copy, Component)]
/// struct Number(u32);
/// let mut world = World::new();
/// let first = world.spawn(Number(1)).id();
/// world.spawn_batch([Number(2), Number(3)]);
/// world.despawn(first)?;
/// // The last row has filled the gap.
/// let mut numbers = world.query::<&Number>();
/// assert!(numbers.iter(&world).map(|number| number.0).eq([3, 2]));
/// # Ok::<(), orrery_ecs::NoSuchEntity>(())
/// ```
pub struct World {
    id: WorldId,
    tick: u64,
    /// Forks made of this world: only they share what was this world's alone.
    forks: AtomicU64,
    pub(crate) entities: EntityTable,
    pub(crate) registry: Shared<Registry>,
    bundles: Shared<Bundles>,
    recent: RecentBundles,
    recent_sparse: RecentSparse,
    recent_edges: RecentEdges,
    graph: Shared<Graph>,
    archetypes: Vec<Archetype>,
    /// Numbers that `compact` freed, lowest last.
    vacant: Vec<ArchetypeId>,
    /// Counts how often a number came to mean another archetype, for those who remember numbers.
    renumbered: u64,
    pub(crate) sparse: SparseSets,
    pub(crate) resources: Resources,
    pub(crate) non_send: NonSends,
    pub(crate) systems: SystemStates,
    pub(crate) observers: Observers,
    pool: Arc<Pool>,
    entity_info: Arc<ComponentInfo>,
}

impl Default for World {
    fn default() -> Self {
        Self::new()
    }
}

impl World {
    /// An empty world. Costs no block memory before the first entity.
    pub fn new() -> Self {
        let registry = Registry::default();
        let entity_info = Arc::new(entity_info());
        let empty = Archetype::new(ArchetypeId(0), Vec::new(), &registry, &entity_info);
        let pool = Arc::new(Pool::new());
        let mut graph = Graph::default();
        graph.add(&empty);
        Self {
            id: WorldId::next(),
            tick: 1,
            forks: AtomicU64::new(0),
            entities: EntityTable::new(Arc::clone(&pool)),
            registry: Shared::new(registry),
            bundles: Shared::new(Bundles::default()),
            recent: RecentBundles::default(),
            recent_sparse: RecentSparse::default(),
            recent_edges: RecentEdges::default(),
            graph: Shared::new(graph),
            archetypes: vec![empty],
            vacant: Vec::new(),
            renumbered: 0,
            sparse: SparseSets::default(),
            resources: Resources::default(),
            non_send: NonSends::default(),
            systems: SystemStates::default(),
            observers: Observers::default(),
            pool,
            entity_info,
        }
    }

    /// Number of this world in the process.
    pub fn id(&self) -> WorldId {
        self.id
    }

    /// The change tick that writes are marked with now, from 1. It has 64 bits and never wraps, so
    /// a tick that was kept stays right for ever and needs no upkeep.
    pub fn change_tick(&self) -> u64 {
        self.tick
    }

    /// Starts a new change tick and returns it: blocks written from now on are newer than the
    /// ones written before.
    ///
    /// ```
    /// use orrery_ecs::World;
    /// let mut world = World::new();
    /// assert_eq!((world.change_tick(), world.advance_change_tick()), (1, 2));
    /// ```
    pub fn advance_change_tick(&mut self) -> u64 {
        self.tick += 1;
        self.tick
    }

    /// Begins a later change tick.
    #[inline]
    pub(crate) fn set_change_tick(&mut self, tick: u64) {
        self.tick = tick;
    }

    /// Living entities.
    pub fn len(&self) -> usize {
        self.entities.living_count() as usize
    }

    /// Whether no entity lives.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the handle's entity lives in this world.
    pub fn contains(&self, entity: Entity) -> bool {
        self.entities.get(entity).is_some()
    }

    /// The living entity that uses an index now, whatever its generation.
    ///
    /// ```
    /// use orrery_ecs::World;
    /// let mut world = World::new();
    /// let entity = world.spawn(()).id();
    /// assert_eq!(world.entity_at(entity.index()), Some(entity));
    /// assert_eq!(world.entity_at(7), None);
    /// ```
    pub fn entity_at(&self, index: u32) -> Option<Entity> {
        self.entities.living_at(index)
    }

    /// All archetypes in order of creation, empty ones included.
    ///
    /// ```
    /// use orrery_ecs::{Component, World};
    /// #[derive(Clone, Copy, Component)]
    /// struct Position(f32);
    /// let mut world = World::new();
    /// world.spawn_batch((0..5000).map(|i| Position(i as f32)));
    /// // The first archetype is that of entities without components.
    /// let sizes = world.archetypes().iter().map(|one| (one.len(), one.block_count()));
    /// assert!(sizes.eq([(0, 0), (5000, 2)]));
    /// ```
    pub fn archetypes(&self) -> &[Archetype] {
        &self.archetypes
    }

    /// Blocks of component `T` that were accessed for writing after a change tick, as archetype
    /// and number of the block, in order.
    ///
    /// # Cost
    /// One comparison for each block of up to 4,096 entities.
    ///
    /// ```
    /// use orrery_ecs::{Component, World};
    /// #[derive(Clone, Copy, Component)]
    /// struct Health(u32);
    /// let mut world = World::new();
    /// let entities: Vec<_> = world.spawn_batch((0..10_000).map(Health)).collect();
    /// let seen = world.change_tick();
    /// world.advance_change_tick();
    /// world.get_mut::<Health>(entities[5000]).expect("it lives").0 += 1;
    /// let changed: Vec<usize> = world.changed_since::<Health>(seen).map(|(_, b)| b).collect();
    /// assert_eq!(changed, [1]);
    /// ```
    pub fn changed_since<T: TableComponent>(
        &self,
        tick: u64,
    ) -> impl Iterator<Item = (ArchetypeId, usize)> {
        let id = self.registry.id::<T>();
        let columns = self.archetypes.iter().filter_map(move |archetype| {
            Some((archetype, archetype.column(archetype.column_index(id?)?)))
        });
        columns.flat_map(move |(archetype, column)| {
            let changed = move |&block: &usize| column.changed(block) > tick;
            (0..archetype.block_count())
                .filter(changed)
                .map(|block| (archetype.id(), block))
        })
    }

    /// Number of component `T`, which is registered if it is new.
    pub fn register_component<T: Component>(&mut self) -> ComponentId {
        match self.registry.id::<T>() {
            Some(id) => id,
            None => self.registry.make_mut().register::<T>(),
        }
    }

    /// Number of component `T`, if this world has seen it.
    pub fn component_id<T: Component>(&self) -> Option<ComponentId> {
        self.registry.id::<T>()
    }

    /// Name of a component with its module path.
    ///
    /// # Panics
    /// When the number is of another world and higher than any here.
    ///
    /// ```
    /// use orrery_ecs::{Component, World};
    /// #[derive(Clone, Copy, Component)]
    /// struct Position {
    ///     x: f32,
    ///     y: f32,
    /// }
    /// let mut world = World::new();
    /// let id = world.register_component::<Position>();
    /// assert_eq!(world.component_id::<Position>(), Some(id));
    /// assert!(world.component_name(id).ends_with("Position"));
    /// assert!(world.component_fields(id).iter().map(|field| field.name).eq(["x", "y"]));
    /// ```
    pub fn component_name(&self, id: ComponentId) -> &'static str {
        self.registry.name(id)
    }

    /// Fields of a component as the derive macro found them.
    ///
    /// # Panics
    /// When the number is of another world and higher than any here.
    pub fn component_fields(&self, id: ComponentId) -> &[FieldInfo] {
        &self.registry.info(id).fields
    }

    /// Block memory of this world and its forks together.
    ///
    /// ```
    /// use orrery_ecs::{Component, World};
    /// #[derive(Clone, Copy, Component)]
    /// struct Position([f32; 4]);
    /// let mut world = World::new();
    /// world.spawn_batch((0..4096).map(|_| Position([0.0; 4])));
    /// let usage = world.pool_usage();
    /// assert!(usage.used_bytes >= 4096 * 16 && usage.reserved_bytes >= usage.used_bytes);
    /// let fork = world.fork()?;
    /// assert_eq!(fork.pool_usage(), usage);
    /// # Ok::<(), orrery_ecs::ForkError>(())
    /// ```
    pub fn pool_usage(&self) -> PoolUsage {
        self.pool.usage()
    }

    pub(crate) fn writer(&self) -> Writer<'_> {
        Writer {
            pool: &self.pool,
            tick: self.tick,
        }
    }

    /// An archetype for writing, and what writing needs.
    pub(crate) fn archetype_and_writer(&mut self, index: usize) -> (&mut Archetype, Writer<'_>) {
        let to = Writer {
            pool: &self.pool,
            tick: self.tick,
        };
        (&mut self.archetypes[index], to)
    }

    /// Readies the values of a sparse component for writing through a shared borrow.
    pub(crate) fn open_sparse_set(&mut self, id: ComponentId) {
        let to = Writer {
            pool: &self.pool,
            tick: self.tick,
        };
        if let Some(set) = self.sparse.get_mut(id) {
            set.open(to);
        }
    }

    /// Readies the values of all sparse components for writing one by one, through a shared borrow.
    pub(crate) fn own_sparse_sets(&mut self) {
        let to = Writer {
            pool: &self.pool,
            tick: self.tick,
        };
        self.sparse.own_all(to);
    }

    /// Forks made of this world so far. As long as it stays the same, no list of blocks that was
    /// made ours is shared again.
    pub(crate) fn fork_count(&self) -> u64 {
        // Relaxed: forks borrow the world, and what hands the borrow on orders them.
        self.forks.load(Ordering::Relaxed)
    }

    /// Gives living rows to handles that commands reserved.
    #[inline]
    pub(crate) fn flush_reserved(&mut self) {
        self.entities.flush();
    }

    pub(crate) fn archetype(&self, id: ArchetypeId) -> &Archetype {
        &self.archetypes[id.index()]
    }

    pub(crate) fn archetype_mut(&mut self, id: ArchetypeId) -> &mut Archetype {
        &mut self.archetypes[id.index()]
    }

    /// Changes whenever a number of an archetype has come to mean another one.
    pub(crate) fn renumbered(&self) -> u64 {
        self.renumbered
    }
}

/// The column of handles is stored like a component without being one.
fn entity_info() -> ComponentInfo {
    let (clone, hash) = (CloneBehavior::Bytes, HashBehavior::Lanes(Lane::Bytes));
    ComponentInfo::new::<Entity>("Entity", clone, hash, Vec::new(), Placement::default())
}

//! An archetype: all entities with the same set of components, and their columns.

mod bulk;
mod copy;
pub(crate) mod graph;
mod required;
mod rows;
mod run;
mod step;
mod window;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::component::info::{ComponentId, ComponentInfo};
use crate::component::{ComponentSet, Registry};
use crate::entity::Entity;
use crate::observer::Watch;
use crate::panics::FirstPanic;
use crate::storage::BLOCK_ROWS;
use crate::storage::column::{Column, Writer, rows_in_block};

pub(crate) use bulk::{FreshColumn, LeftColumn};
use copy::Pieces;
pub(crate) use rows::{Leaving, Moved};
pub(crate) use run::{MadeRows, Run};
pub(crate) use step::{Step, Stepped};
use window::Windows;

/// Number of an archetype in one world, in order of creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArchetypeId(pub(crate) u32);

impl ArchetypeId {
    /// Position in the order of creation, from 0.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// All entities with the same components: a column of handles and one for each component.
///
/// ```
/// use orrery_ecs::{Component, World};
/// #[derive(Clone, Copy, Component)]
/// struct Position(f32);
/// #[derive(Clone, Copy, Component)]
/// struct Velocity(f32);
/// let mut world = World::new();
/// let entity = world.spawn((Position(0.0), Velocity(1.0))).id();
/// let archetype = world.entity(entity).archetype().expect("it has components");
/// let names = archetype.components().iter().map(|&id| world.component_name(id));
/// assert!(names.map(|name| name.rsplit("::").next()).eq([Some("Position"), Some("Velocity")]));
/// assert_eq!((archetype.len(), archetype.block_count()), (1, 1));
/// assert_eq!(archetype.changed(archetype.components()[0], 0), Some(world.change_tick()));
/// ```
pub struct Archetype {
    len: usize,
    /// Rows that the blocks have room for.
    room: usize,
    windows: Windows,
    columns: Box<[Column]>,
    shape: Arc<Shape>,
    id: ArchetypeId,
    /// Whether `World::compact` took out what was here.
    is_vacant: bool,
    /// Whether a row is bytes: in one piece for each component, without anything to drop.
    is_bytes: bool,
    /// What somebody waits for of its components.
    watch: Watch,
    entities: Column,
}

/// What an archetype is told when it is made; forks share it.
struct Shape {
    /// In increasing order; the columns run beside it.
    components: Box<[ComponentId]>,
    set: ComponentSet,
    /// Positions of the columns in order of their components' names.
    by_name: Box<[u32]>,
    /// Whether every component lies in one piece.
    plain: bool,
    /// Whether a component's values have to be dropped.
    has_drop: bool,
    /// A row, where it is plain.
    pieces: Pieces,
}

impl Shape {
    fn new(components: Vec<ComponentId>, registry: &Registry) -> Self {
        debug_assert!(components.is_sorted_by(|a, b| a < b));
        let mut set = ComponentSet::default();
        components
            .iter()
            .for_each(|&component| set.insert(component));
        let infos = || components.iter().map(|&component| registry.info(component));
        let mut by_name: Vec<u32> = (0..components.len() as u32).collect();
        by_name.sort_by_key(|&index| registry.name(components[index as usize]));
        let plain = infos().all(|info| info.parts.len() == 1);
        let pieces = (0..).zip(infos());
        let pieces = pieces.map(|(column, info)| (column, column, info.layout.size()));
        Self {
            set,
            by_name: by_name.into(),
            plain,
            has_drop: infos().any(|info| info.drop.is_some()),
            pieces: Pieces::new(pieces),
            components: components.into_boxed_slice(),
        }
    }
}

impl Archetype {
    pub(crate) fn new(
        id: ArchetypeId,
        components: Vec<ComponentId>,
        registry: &Registry,
        entity_info: &Arc<ComponentInfo>,
    ) -> Self {
        let column = |&component: &ComponentId| Column::new(Arc::clone(registry.info(component)));
        let columns = components.iter().map(column).collect();
        let shape = Shape::new(components, registry);
        Self {
            len: 0,
            room: 0,
            windows: Windows::default(),
            columns,
            id,
            is_vacant: false,
            is_bytes: shape.plain && !shape.has_drop,
            watch: Watch::NONE,
            shape: Arc::new(shape),
            entities: Column::new(Arc::clone(entity_info)),
        }
    }

    /// Stands at a number that means no archetype now.
    pub(crate) fn vacant(id: ArchetypeId, entity_info: &Arc<ComponentInfo>) -> Self {
        let mut empty = Self::new(id, Vec::new(), &Registry::default(), entity_info);
        empty.is_vacant = true;
        empty
    }

    /// Whether the number means no archetype now.
    pub fn is_vacant(&self) -> bool {
        self.is_vacant
    }

    /// An archetype that shares every block with this one.
    pub(crate) fn share(&self) -> Self {
        self.windows.mark_seen();
        Self {
            len: self.len,
            room: self.room,
            windows: Windows::default(),
            columns: self.columns.iter().map(Column::share).collect(),
            shape: Arc::clone(&self.shape),
            id: self.id,
            is_vacant: self.is_vacant,
            is_bytes: self.is_bytes,
            watch: self.watch,
            entities: self.entities.share(),
        }
    }

    /// Number in the order of creation.
    pub fn id(&self) -> ArchetypeId {
        self.id
    }

    /// Entities in it.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether no entity has exactly these components now.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Its components in order of registration.
    pub fn components(&self) -> &[ComponentId] {
        &self.shape.components
    }

    /// Blocks that hold rows.
    pub fn block_count(&self) -> usize {
        self.len.div_ceil(BLOCK_ROWS)
    }

    /// Change tick of the last write access to a block of a component; `None` if the archetype
    /// has no such component or block.
    pub fn changed(&self, component: ComponentId, block: usize) -> Option<u64> {
        let column = self.column_index(component)?;
        (block < self.block_count()).then(|| self.columns[column].changed(block))
    }

    /// What somebody waits for of its components.
    #[inline]
    pub(crate) fn watch(&self) -> Watch {
        self.watch
    }

    pub(crate) fn set_watch(&mut self, watch: Watch) {
        self.watch = watch;
    }

    pub(crate) fn set(&self) -> &ComponentSet {
        &self.shape.set
    }

    #[inline]
    pub(crate) fn rows(&self, block: usize) -> usize {
        rows_in_block(self.len, block)
    }

    /// Whether every component lies in one piece.
    pub(crate) fn is_plain(&self) -> bool {
        self.shape.plain
    }

    /// Whether a row is bytes: in one piece for each component, without anything to drop.
    #[inline]
    pub(crate) fn is_bytes(&self) -> bool {
        self.is_bytes
    }

    /// Position of a component's column.
    #[inline]
    pub(crate) fn column_index(&self, component: ComponentId) -> Option<usize> {
        self.shape.components.binary_search(&component).ok()
    }

    #[inline]
    pub(crate) fn column(&self, index: usize) -> &Column {
        &self.columns[index]
    }

    #[inline]
    pub(crate) fn column_mut(&mut self, index: usize) -> &mut Column {
        &mut self.columns[index]
    }

    /// Prepares the lists of all columns for `block_own` and `block_write` through a shared borrow.
    pub(crate) fn unshare_lists(&mut self) {
        self.columns.iter_mut().for_each(Column::unshare_list);
    }

    pub(crate) fn columns(&self) -> &[Column] {
        &self.columns
    }

    pub(crate) fn by_name(&self) -> &[u32] {
        &self.shape.by_name
    }

    pub(crate) fn entities(&self) -> &Column {
        &self.entities
    }

    /// Says that digests of the blocks are being taken.
    pub(crate) fn mark_hashed(&self) {
        self.windows.mark_seen();
    }

    /// The entity in a row.
    ///
    /// # Panics
    /// When there is no such row.
    #[inline]
    pub(crate) fn entity(&self, row: usize) -> Entity {
        assert!(row < self.len, "row {row} of {}", self.len);
        // SAFETY: the row exists, and the entity column is plain.
        let value = unsafe { self.entities.row(row) }.cast::<Entity>();
        // SAFETY: the column holds handles, which are `Copy`.
        unsafe { value.read() }
    }

    /// Makes room for `additional` rows in every column. A user's `clone` may run here, and panic,
    /// before any block has grown.
    #[cold]
    pub(crate) fn reserve(&mut self, additional: usize, to: Writer<'_>) {
        self.windows.close();
        let needed = (self.len + additional).min(BLOCK_ROWS);
        if self.room > 0 && self.room < needed {
            self.ready_growth(to);
        }
        for column in self.columns.iter_mut().chain([&mut self.entities]) {
            // SAFETY: every column has `len` initialised rows.
            unsafe { column.reserve(self.len, additional, to) };
        }
        self.room = self.entities.room();
    }

    /// Makes a first block ours that grows, where copying it runs a user's `clone`: a panic amid
    /// growing would leave blocks of different sizes, and a window has one for all columns.
    fn ready_growth(&mut self, to: Writer<'_>) {
        for column in self.columns.iter_mut().filter(|column| column.runs_clone()) {
            // SAFETY: `len` rows are initialised in every column, and there is a first block.
            unsafe { column.open(0, self.len, to) };
        }
    }

    /// Gives back blocks that have become empty, but for one in reserve.
    #[cold]
    fn trim(&mut self) {
        self.windows.close();
        for column in self.columns.iter_mut().chain([&mut self.entities]) {
            column.trim(self.len);
        }
        self.room = self.entities.room();
    }

    /// Drops every value and forgets every row.
    pub(crate) fn clear(&mut self) {
        let len = std::mem::take(&mut self.len);
        self.room = 0;
        self.windows.close();
        let mut panicked = FirstPanic::default();
        for column in self.columns.iter_mut().chain([&mut self.entities]) {
            // SAFETY: every column has exactly `len` initialised rows.
            unsafe { column.clear(len, &mut panicked) };
        }
        panicked.resume();
    }
}

impl Drop for Archetype {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // A second panic would abort; the first is already on its way to the user.
            let _ = catch_unwind(AssertUnwindSafe(|| self.clear()));
        } else {
            self.clear();
        }
    }
}

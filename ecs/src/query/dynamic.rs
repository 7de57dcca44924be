//! Queries whose components are only known at run time.

use crate::archetype::Archetype;
use crate::component::TableComponent;
use crate::component::info::ComponentId;
use crate::entity::Entity;
use crate::storage::column::BlockPointer;
use crate::world::World;

/// A query by the numbers of components, block by block.
///
/// ```
/// use orrery_ecs::{ComponentDescriptor, DynamicQuery, World};
/// let mut world = World::new();
/// let heat = world.register_dynamic(ComponentDescriptor::plain("mod::Heat", 1, 1))?;
/// for degrees in 0..3_u8 {
///     let entity = world.spawn(()).id();
///     world.insert_bytes(entity, heat, &[degrees])?;
/// }
/// DynamicQuery::new().write(heat).for_each_chunk(&mut world, |mut chunk| {
///     chunk.bytes_mut(heat).iter_mut().for_each(|degrees| *degrees += 10);
/// });
/// let first = world.entity_at(0).expect("it lives");
/// assert_eq!(world.get_bytes(first, heat), Some(&[10][..]));
/// # Ok::<(), orrery_ecs::DynamicError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct DynamicQuery {
    read: Vec<ComponentId>,
    write: Vec<ComponentId>,
    with: Vec<ComponentId>,
    without: Vec<ComponentId>,
}

impl DynamicQuery {
    /// A query that asks for nothing, and visits all entities.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks for a component for reading.
    #[must_use]
    pub fn read(mut self, id: ComponentId) -> Self {
        self.read.push(id);
        self
    }

    /// Asks for a component for writing; it may be read as well.
    #[must_use]
    pub fn write(mut self, id: ComponentId) -> Self {
        self.write.push(id);
        self
    }

    /// Only entities that have a component.
    #[must_use]
    pub fn with(mut self, id: ComponentId) -> Self {
        self.with.push(id);
        self
    }

    /// Only entities that lack a component.
    #[must_use]
    pub fn without(mut self, id: ComponentId) -> Self {
        self.without.push(id);
        self
    }

    fn matches(&self, archetype: &Archetype) -> bool {
        let has = |&id: &ComponentId| archetype.set().contains(id);
        let needed = self.read.iter().chain(&self.write).chain(&self.with);
        needed.clone().all(has) && !self.without.iter().any(has)
    }

    /// Calls a function for each block of entities that match, in order. Blocks of components that
    /// are asked for writing are marked as changed.
    ///
    /// Sparse components lie in no archetype: an archetype has none of them, so asking for one
    /// finds nothing.
    ///
    /// # Panics
    /// When it asks for an immutable component for writing.
    pub fn for_each_chunk(&self, world: &mut World, mut each: impl FnMut(DynamicChunk<'_>)) {
        for &id in self
            .write
            .iter()
            .filter(|id| id.index() < world.registry.len())
        {
            let info = world.registry.info(id);
            let name = info.name;
            assert!(
                !info.immutable,
                "{name} is immutable: it changes only by insertions"
            );
        }
        for index in 0..world.archetypes().len() {
            let id = world.archetypes()[index].id();
            if !self.matches(world.archetype(id)) {
                continue;
            }
            for block in 0..world.archetype(id).block_count() {
                let columns = self.columns(world, index, block);
                let archetype = world.archetype(id);
                let (entities, rows) = (archetype.handles(block), archetype.rows(block));
                each(DynamicChunk {
                    world,
                    entities,
                    rows,
                    columns,
                });
            }
        }
    }

    /// The block in each column that is asked for; those that are written first.
    fn columns(&self, world: &mut World, archetype: usize, block: usize) -> Vec<DynamicColumn> {
        let (archetype, to) = world.archetype_and_writer(archetype);
        let len = archetype.len();
        let mut columns = Vec::new();
        for &id in &self.write {
            let index = archetype.column_index(id).expect("the archetype matches");
            let column = archetype.column_mut(index);
            // SAFETY: the column has `len` rows, some of them in this block.
            let start = unsafe { column.open(block, len, to) };
            if let Some(runs) = column.tick_runs(start) {
                for row in 0..len
                    .saturating_sub(block * crate::BLOCK_ROWS)
                    .min(crate::BLOCK_ROWS)
                {
                    // SAFETY: the row lies in the block, which was opened.
                    unsafe { runs.set_changed(row, to.tick) };
                }
            }
            columns.push(DynamicColumn {
                id,
                start,
                is_written: true,
            });
        }
        for &id in &self.read {
            let index = archetype.column_index(id).expect("the archetype matches");
            let start = archetype.column(index).block_read(block);
            columns.push(DynamicColumn {
                id,
                start,
                is_written: false,
            });
        }
        columns
    }
}

#[derive(Clone, Copy)]
struct DynamicColumn {
    id: ComponentId,
    start: BlockPointer,
    is_written: bool,
}

/// One block of a dynamic query.
///
/// ```
/// use orrery_ecs::{Component, ComponentDescriptor, DynamicQuery, World};
/// #[derive(Clone, Copy, Component)]
/// struct Height(u8);
/// let mut world = World::new();
/// let height = world.register_component::<Height>();
/// let snow = world.register_dynamic(ComponentDescriptor::plain("mod::Snow", 1, 1))?;
/// let tile = world.spawn(Height(7)).id();
/// world.insert_bytes(tile, snow, &[0])?;
/// DynamicQuery::new().read(height).write(snow).for_each_chunk(&mut world, |mut chunk| {
///     let heights: Vec<u8> = chunk.slice::<Height>().iter().map(|height| height.0).collect();
///     assert_eq!((chunk.len(), chunk.entities()), (1, &[tile][..]));
///     chunk.bytes_mut(snow).copy_from_slice(&heights);
/// });
/// assert_eq!(world.get_bytes(tile, snow), Some(&[7][..]));
/// # Ok::<(), orrery_ecs::DynamicError>(())
/// ```
pub struct DynamicChunk<'w> {
    world: &'w World,
    entities: &'w [Entity],
    rows: usize,
    columns: Vec<DynamicColumn>,
}

impl DynamicChunk<'_> {
    /// Entities in the block.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there are none; a chunk that is handed out has some.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Handles of the block's entities.
    pub fn entities(&self) -> &[Entity] {
        self.entities
    }

    fn column(&self, id: ComponentId) -> DynamicColumn {
        let found = self.columns.iter().find(|column| column.id == id);
        *found.unwrap_or_else(|| {
            panic!(
                "the query does not ask for {}",
                self.world.component_name(id)
            )
        })
    }

    fn plain_column(&self, id: ComponentId) -> (DynamicColumn, usize) {
        let (column, info) = (self.column(id), self.world.registry.info(id));
        assert!(
            info.plain,
            "the bytes of {} cannot be accessed as such; only those of ComponentDescriptor::plain \
             can",
            info.name
        );
        (column, self.rows * info.layout.size())
    }

    /// All values of a plain component, one after the other.
    ///
    /// # Panics
    /// When the query does not ask for the component, or it is not plain.
    pub fn bytes(&self, id: ComponentId) -> &[u8] {
        let (column, len) = self.plain_column(id);
        // SAFETY: the block has `rows` values of plain bytes; what is written can only be had
        // through `&mut self`.
        unsafe { std::slice::from_raw_parts(column.start.data.as_ptr(), len) }
    }

    /// All values of a plain component, one after the other, for writing.
    ///
    /// # Panics
    /// When the query does not ask for the component for writing, or it is not plain.
    pub fn bytes_mut(&mut self, id: ComponentId) -> &mut [u8] {
        let (column, len) = self.plain_column(id);
        self.assert_written(column);
        // SAFETY: the block has `rows` values of plain bytes; it was opened for writing, and the
        // world is borrowed exclusively by the query.
        unsafe { std::slice::from_raw_parts_mut(column.start.data.as_ptr(), len) }
    }

    fn assert_written(&self, column: DynamicColumn) {
        assert!(
            column.is_written,
            "the query asks for {} only for reading",
            self.world.component_name(column.id)
        );
    }

    fn typed_column<T: TableComponent>(&self) -> DynamicColumn {
        const {
            assert!(
                !T::SPLIT,
                "a split component lies in several pieces: query Fields<&T> instead"
            )
        };
        let id = self.world.component_id::<T>();
        let id = id.unwrap_or_else(|| {
            let name = std::any::type_name::<T>();
            panic!("the query does not ask for {name}, which this world has never seen")
        });
        self.column(id)
    }

    /// All values of a component that is a Rust type.
    ///
    /// # Panics
    /// When the query does not ask for the component.
    pub fn slice<T: TableComponent>(&self) -> &[T] {
        let column = self.typed_column::<T>();
        // SAFETY: the column is of `T`, in one piece, and the block has `rows` values.
        unsafe { std::slice::from_raw_parts(column.start.data.as_ptr().cast(), self.rows) }
    }

    /// All values of a component that is a Rust type, for writing.
    ///
    /// # Panics
    /// When the query does not ask for the component for writing.
    pub fn slice_mut<T: TableComponent>(&mut self) -> &mut [T] {
        let column = self.typed_column::<T>();
        self.assert_written(column);
        // SAFETY: as `slice`; the block was opened for writing.
        unsafe { std::slice::from_raw_parts_mut(column.start.data.as_ptr().cast(), self.rows) }
    }
}

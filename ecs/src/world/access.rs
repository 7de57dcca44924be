//! Reading and writing single components and resources.

use super::World;
use crate::archetype::Archetype;
use crate::component::info::ComponentId;
use crate::component::{Component, MutOf, MutableComponent, Registry, Storage, Ticks, Tracking};
use crate::entity::{Entity, EntityTable, Place};
use crate::resource::Resource;
use crate::sparse::SparseSets;
use crate::storage::column::{BlockPointer, Column, Writer};
use std::mem::MaybeUninit;

impl World {
    /// A component of an entity; `None` if the entity is dead or has none.
    ///
    /// A split component lies in several columns and does not compile here; see
    /// [`read`](World::read).
    ///
    /// What could move the value or take it away waits until the reference is gone. A handle or a
    /// query is what can be kept meanwhile: they look for the value where it is by then.
    ///
    /// # Cost
    /// The entity's entry, then its value. A [`Query`](crate::Query) that is kept is quicker: it
    /// knows the column of each archetype.
    ///
    /// ```compile_fail,E0502
    /// use orrery_ecs::{Component, World};
    /// #[derive(Clone, Copy, Component)]
    /// struct Number(u32);
    /// let mut world = World::new();
    /// let entity = world.spawn(Number(1)).id();
    /// let number = world.get::<Number>(entity).unwrap();
    /// world.spawn(Number(2));
    /// assert_eq!(number.0, 1);
    /// ```
    #[inline]
    pub fn get<T: Component>(&self, entity: Entity) -> Option<&T> {
        const {
            assert!(
                !T::SPLIT,
                "a split component has no references to it: use World::read"
            )
        };
        let (column, row) = self.find::<T>(entity)?;
        // SAFETY: `find` gives a row that exists, and `T` is plain.
        let row = unsafe { column.row(row) };
        // SAFETY: the column is of `T`, and the borrow of the world keeps writers out.
        Some(unsafe { &*row.cast::<T>() })
    }

    /// A component of an entity for writing: `&mut T`, or a [`Mut`](crate::Mut) if it is tracked,
    /// which marks the row as changed by the first write through it. The block is marked at once.
    ///
    /// # Cost
    /// The entity's entry, then its value; a copy of the block, up to 4,096 values, if a fork
    /// shares it.
    ///
    /// ```
    /// use orrery_ecs::{Component, World};
    /// #[derive(Clone, Copy, Component)]
    /// #[component(track)]
    /// struct Health(u32);
    /// let mut world = World::new();
    /// let entity = world.spawn(Health(3)).id();
    /// let before = world.advance_change_tick();
    /// let mut health = world.get_mut::<Health>(entity).expect("it has one");
    /// assert!(health.0 == 3 && health.last_changed() < before);
    /// health.0 = 2;
    /// assert_eq!(health.last_changed(), before);
    /// ```
    #[inline]
    pub fn get_mut<T: MutableComponent>(&mut self, entity: Entity) -> Option<MutOf<'_, T>> {
        const {
            assert!(
                !T::SPLIT,
                "a split component has no references to it: use World::write"
            )
        };
        let to = Writer {
            pool: &self.pool,
            tick: self.tick,
        };
        let find = Find {
            entities: &self.entities,
            registry: &self.registry,
        };
        let (column, row, len) =
            find.column_mut::<T>(&mut self.archetypes, &mut self.sparse, entity)?;
        // SAFETY: `row` is one of `len` rows.
        let (block, row) = unsafe { column.open_at(row, len, to) };
        // SAFETY: the column is of `T`, the block ours alone, the row one of it, and the borrow of
        // the world keeps everybody else out.
        Some(unsafe { write_row::<T>(column, block, row, Ticks::once(to.tick)) })
    }

    /// A copy of a component, put together from its columns if it is split.
    ///
    /// ```
    /// use orrery_ecs::{Component, World};
    /// #[derive(Clone, Copy, Debug, PartialEq, Component)]
    /// #[component(split)]
    /// struct Position {
    ///     x: f32,
    ///     y: f32,
    /// }
    /// let mut world = World::new();
    /// let entity = world.spawn(Position { x: 1.0, y: 2.0 }).id();
    /// assert_eq!(world.write(entity, Position { x: 3.0, y: 4.0 }), Ok(()));
    /// assert_eq!(world.read::<Position>(entity).map(|position| position.y), Some(4.0));
    /// ```
    pub fn read<T: Component + Copy>(&self, entity: Entity) -> Option<T> {
        let (column, row) = self.find::<T>(entity)?;
        let mut value = MaybeUninit::<T>::uninit();
        // SAFETY: the row exists, and the column is of `T`.
        unsafe { column.read(row, value.as_mut_ptr().cast()) };
        // SAFETY: `read` wrote every field.
        Some(unsafe { value.assume_init() })
    }

    /// Overwrites a component that the entity has; gives the value back if it has none.
    ///
    /// # Errors
    /// The value itself, if the entity is dead or lacks the component.
    pub fn write<T: MutableComponent + Copy>(&mut self, entity: Entity, value: T) -> Result<(), T> {
        let to = Writer {
            pool: &self.pool,
            tick: self.tick,
        };
        let find = Find {
            entities: &self.entities,
            registry: &self.registry,
        };
        let found = find.column_mut::<T>(&mut self.archetypes, &mut self.sparse, entity);
        let Some((column, row, len)) = found else {
            return Err(value);
        };
        // SAFETY: the row is one of `len`, the column is of `T`, and the old value is `Copy`.
        unsafe { column.overwrite(row, len, (&raw const value).cast(), to) };
        Ok(())
    }

    /// Column and row of an entity's component.
    #[inline]
    fn find<T: Component>(&self, entity: Entity) -> Option<(&Column, usize)> {
        let Place::At(location) = self.entities.get(entity)? else {
            return None;
        };
        let id = self.registry.id::<T>()?;
        let archetype = &self.archetypes[location.archetype as usize];
        self.find_in(
            id,
            T::Storage::SPARSE,
            entity,
            (archetype, location.row as usize),
        )
    }

    /// Column and row of a component of an entity that lies in a row of an archetype.
    #[inline]
    pub(crate) fn find_in<'w>(
        &'w self,
        id: ComponentId,
        is_sparse: bool,
        entity: Entity,
        (archetype, row): (&'w Archetype, usize),
    ) -> Option<(&'w Column, usize)> {
        if is_sparse {
            let set = self.sparse.get(id)?;
            return Some((set.rows().column(0), set.row(entity)?));
        }
        Some((archetype.column(archetype.column_index(id)?), row))
    }

    /// Puts a resource into the world and returns the one it replaces.
    ///
    /// # Panics
    /// Inside [`resource_scope`](World::resource_scope) of the same resource.
    ///
    /// ```
    /// use orrery_ecs::{Resource, World};
    /// #[derive(Clone, Debug, Default, PartialEq, Resource)]
    /// struct Score(u32);
    /// let mut world = World::new();
    /// assert_eq!(world.insert_resource(Score(3)), None);
    /// assert_eq!(world.insert_resource(Score(4)), Some(Score(3)));
    /// world.init_resource::<Score>();
    /// assert_eq!(world.remove_resource::<Score>(), Some(Score(4)));
    /// assert!(!world.contains_resource::<Score>());
    /// assert_eq!(world.get_resource::<Score>(), None);
    /// ```
    pub fn insert_resource<R: Resource>(&mut self, value: R) -> Option<R> {
        self.resources.insert(value, self.tick)
    }

    /// Puts the default of a resource into the world unless there is one already.
    ///
    /// # Panics
    /// Inside [`resource_scope`](World::resource_scope) of the same resource.
    pub fn init_resource<R: Resource + Default>(&mut self) {
        if !self.contains_resource::<R>() {
            self.insert_resource(R::default());
        }
    }

    /// Whether the world has a resource.
    pub fn contains_resource<R: Resource>(&self) -> bool {
        let id = self.resources.id::<R>();
        id.is_some_and(|id| self.resources.contains(id))
    }

    /// Takes a resource out of the world.
    pub fn remove_resource<R: Resource>(&mut self) -> Option<R> {
        self.resources.remove::<R>()
    }

    /// A resource, if the world has it.
    pub fn get_resource<R: Resource>(&self) -> Option<&R> {
        let id = self.resources.id::<R>()?;
        // SAFETY: the number is `R`'s, and the borrow of the world keeps writers out.
        unsafe { self.resources.get::<R>(id) }
    }

    /// A resource for writing, if the world has it. It is marked as changed.
    ///
    /// # Cost
    /// A clone of the resource if a fork shares it.
    pub fn get_resource_mut<R: Resource>(&mut self) -> Option<&mut R> {
        let id = self.resources.id::<R>()?;
        self.resources.unshare(id);
        self.resources.mark(id, self.tick);
        // SAFETY: the number is `R`'s, it was just unshared, and the borrow of the world keeps
        // everybody else out.
        unsafe { self.resources.get_mut::<R>(id) }
    }

    /// A resource for writing, the default of its type if the world does not have it. It is
    /// marked as changed.
    ///
    /// # Panics
    /// Inside [`resource_scope`](World::resource_scope) of the same resource.
    ///
    /// ```
    /// use orrery_ecs::{Resource, World};
    /// #[derive(Clone, Default, Resource)]
    /// struct Score(u32);
    /// let mut world = World::new();
    /// world.get_resource_or_init::<Score>().0 += 1;
    /// assert_eq!(world.resource::<Score>().0, 1);
    /// ```
    pub fn get_resource_or_init<R: Resource + Default>(&mut self) -> &mut R {
        self.init_resource::<R>();
        self.resource_mut::<R>()
    }

    /// A resource.
    ///
    /// # Panics
    /// When the world does not have it; the message names the type.
    #[track_caller]
    pub fn resource<R: Resource>(&self) -> &R {
        match self.get_resource() {
            Some(resource) => resource,
            None => missing(R::NAME),
        }
    }

    /// A resource for writing.
    ///
    /// # Panics
    /// When the world does not have it; the message names the type.
    #[track_caller]
    pub fn resource_mut<R: Resource>(&mut self) -> &mut R {
        match self.get_resource_mut() {
            Some(resource) => resource,
            None => missing(R::NAME),
        }
    }
}

/// A row of a block for writing, as the component's tracking gives it.
///
/// # Safety
/// - the column is of `T`, which is not split, and has the block, which has the row;
/// - the block is ours alone and marked, and nobody else has the row for `'w`.
#[inline]
pub(crate) unsafe fn write_row<'w, T: Component>(
    column: &'w Column,
    block: BlockPointer,
    row: usize,
    now: Ticks,
) -> MutOf<'w, T> {
    // SAFETY: the block has the row, by the caller.
    let mut value = unsafe { block.data.cast::<T>().add(row) };
    let ticks = || {
        let runs = column.tick_runs(block);
        let runs = runs.expect("`describe` says of a component whether it is tracked");
        // SAFETY: as above.
        unsafe { runs.row(row) }
    };
    // SAFETY: nobody else has the row for `'w`, by the caller.
    let value = unsafe { value.as_mut() };
    // SAFETY: as above; the ticks are the row's own.
    unsafe { T::Tracking::write(value, ticks, now) }
}

/// What leads to a component, apart from where it lies.
struct Find<'a> {
    entities: &'a EntityTable,
    registry: &'a Registry,
}

impl Find<'_> {
    /// Column, row and number of rows of an entity's component.
    #[inline]
    fn column_mut<'w, T: Component>(
        &self,
        archetypes: &'w mut [Archetype],
        sparse: &'w mut SparseSets,
        entity: Entity,
    ) -> Option<(&'w mut Column, usize, usize)> {
        let Place::At(location) = self.entities.get(entity)? else {
            return None;
        };
        let id = self.registry.id::<T>()?;
        if T::Storage::SPARSE {
            let set = sparse.get_mut(id)?;
            let row = set.row(entity)?;
            let len = set.rows().len();
            return Some((set.rows_mut().column_mut(0), row, len));
        }
        let archetype = &mut archetypes[location.archetype as usize];
        let (index, len) = (archetype.column_index(id)?, archetype.len());
        Some((archetype.column_mut(index), location.row as usize, len))
    }
}

#[cold]
#[track_caller]
pub(crate) fn missing(name: &str) -> ! {
    panic!("the world has no resource {name}; insert it with World::insert_resource first")
}

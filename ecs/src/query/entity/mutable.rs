//! [`EntityMut`].

use std::fmt;
use std::ptr::NonNull;

use super::{EntityRef, EntityRow, plain};
use crate::archetype::Archetype;
use crate::component::info::ComponentId;
use crate::component::{Component, MutOf, MutableComponent, Ref, TrackedComponent};
use crate::entity::Entity;
use crate::query::Look;
use crate::storage::BLOCK_ROWS;
use crate::storage::column::{BlockPointer, Column};
use crate::world::access::write_row;

/// One entity, all of whose components can be written: what a `Query<EntityMut>` gives.
///
/// It cannot insert, remove or despawn: [`Commands`](crate::Commands) do, and
/// [`EntityWorldMut`](crate::EntityWorldMut), which has the whole world.
///
/// Only what is asked for writing is marked as changed: the component's block at once, and the row
/// of a tracked one by the first write through its [`Mut`](crate::Mut).
///
/// ```
/// use orrery_ecs::{Component, EntityMut, Query, With, World};
/// #[derive(Clone, Copy, Component)]
/// struct Health(u32);
/// #[derive(Clone, Copy, Component)]
/// struct Armour(u32);
/// let mut world = World::new();
/// let knight = world.spawn((Health(3), Armour(5))).id();
/// world.spawn(Health(1));
/// world.run_system_once(|mut all: Query<EntityMut, With<Armour>>| {
///     all.for_each(|mut entity| {
///         let armour = entity.get::<Armour>().map_or(0, |armour| armour.0);
///         if let Some(health) = entity.get_mut::<Health>() {
///             health.0 += armour;
///         }
///     });
/// })?;
/// assert_eq!(world.get::<Health>(knight).map(|health| health.0), Some(8));
/// # Ok::<(), orrery_ecs::SystemError>(())
/// ```
///
/// # Cost
/// As [`EntityRef`], and one look at every column of a block when it is visited (at every call of
/// `get_mut` on the query): what a fork shares of it is copied then, all columns, since any may be
/// written.
pub struct EntityMut<'w>(EntityRow<'w>);

impl<'w> EntityMut<'w> {
    /// # Safety
    /// - nobody else touches a component of the entity for `'w`;
    /// - the blocks of the entity's row are ours in every column, and all sparse sets, for `'w`.
    pub(crate) unsafe fn new(look: Look<'w>, entity: Entity) -> Self {
        Self(EntityRow::of(look, entity))
    }

    /// # Safety
    /// As `new`.
    #[inline]
    pub(super) unsafe fn of_row(row: EntityRow<'w>) -> Self {
        Self(row)
    }

    /// Its handle.
    pub fn id(&self) -> Entity {
        self.0.entity
    }

    /// Its archetype; `None` if it has no row; see [`EntityRef::archetype`].
    pub fn archetype(&self) -> Option<&'w Archetype> {
        self.0.archetype()
    }

    /// The same entity without the right to write.
    pub fn as_readonly(&self) -> EntityRef<'_> {
        // SAFETY: the borrow keeps writes of `self` out, and nobody else has the entity.
        unsafe { EntityRef::of_row(self.0) }
    }

    /// The same entity without the right to write, for as long as the world is borrowed.
    pub fn into_readonly(self) -> EntityRef<'w> {
        // SAFETY: `self`, the only one that could write, ends here.
        unsafe { EntityRef::of_row(self.0) }
    }

    /// A shorter borrow of the same entity.
    pub fn reborrow(&mut self) -> EntityMut<'_> {
        Self(self.0)
    }

    /// Whether it has a component.
    pub fn contains<T: Component>(&self) -> bool {
        self.0.find::<T>().is_some()
    }

    /// Whether it has a component, by its number.
    pub fn contains_by_id(&self, id: ComponentId) -> bool {
        self.0.find_by_id(id).is_some()
    }

    /// A component, if it has one.
    ///
    /// A split component lies in several columns and does not compile here; see
    /// [`read`](Self::read).
    #[inline]
    pub fn get<T: Component>(&self) -> Option<&T> {
        self.as_readonly().get()
    }

    /// A tracked component with the ticks of its row; see [`EntityRef::get_ref`].
    pub fn get_ref<T: TrackedComponent>(&self) -> Option<Ref<'_, T>> {
        self.as_readonly().get_ref()
    }

    /// A copy of a component, put together from its columns if it is split.
    pub fn read<T: Component + Copy>(&self) -> Option<T> {
        self.as_readonly().read()
    }

    /// Bytes of a component, if it has one that is plain.
    pub fn get_bytes(&self, id: ComponentId) -> Option<&[u8]> {
        self.as_readonly().get_bytes(id)
    }

    /// Address of a component by its number, for reading; see [`EntityRef::get_by_id`].
    pub fn get_by_id(&self, id: ComponentId) -> Option<NonNull<u8>> {
        self.0.get_by_id(id)
    }

    /// A component for writing, if it has one: `&mut T`, or a [`Mut`](crate::Mut) if it is tracked.
    ///
    /// A split component does not compile here; see [`write`](Self::write).
    #[inline]
    pub fn get_mut<T: MutableComponent>(&mut self) -> Option<MutOf<'_, T>> {
        self.reborrow().into_mut::<T>()
    }

    /// As [`get_mut`](Self::get_mut), for as long as the world is borrowed.
    #[inline]
    pub fn into_mut<T: MutableComponent>(self) -> Option<MutOf<'w, T>> {
        const { plain::<T>() };
        let (column, row) = self.0.find::<T>()?;
        let (block, row) = self.mark(column, row);
        // SAFETY: the column is of `T`; the block is ours, marked a line above; the row is the
        // entity's, which nobody else has, by `new`.
        Some(unsafe { write_row::<T>(column, block, row, self.0.look.ticks) })
    }

    /// Overwrites a component that it has; gives the value back if it has none.
    ///
    /// # Errors
    /// The value itself, if it lacks the component.
    ///
    /// ```
    /// use orrery_ecs::{Component, EntityMut, World};
    /// #[derive(Clone, Copy, Debug, PartialEq, Component)]
    /// struct Health(u32);
    /// let mut world = World::new();
    /// let entity = world.spawn(Health(3)).id();
    /// for mut entity in world.query::<EntityMut>().iter_mut(&mut world) {
    ///     assert_eq!(entity.write(Health(4)), Ok(()));
    /// }
    /// assert_eq!(world.get(entity), Some(&Health(4)));
    /// ```
    pub fn write<T: MutableComponent + Copy>(&mut self, value: T) -> Result<(), T> {
        let Some((column, row)) = self.0.find::<T>() else {
            return Err(value);
        };
        let (block, row) = self.mark(column, row);
        let (value, tick) = ((&raw const value).cast(), self.0.look.world.change_tick());
        // SAFETY: the column is of `T`, the block ours, the row the entity's, and the old value is
        // `Copy`.
        unsafe { column.overwrite_in(block, row, value, tick) };
        Ok(())
    }

    /// Bytes of a component for writing, if it has one that is plain.
    pub fn get_bytes_mut(&mut self, id: ComponentId) -> Option<&mut [u8]> {
        let size = self.0.bytes_of(id)?;
        let start = self.get_mut_by_id(id)?;
        // SAFETY: plain components are bytes, in a block of our own, and nobody else has the
        // entity, by `new`.
        Some(unsafe { std::slice::from_raw_parts_mut(start.as_ptr(), size) })
    }

    /// Address of a component by its number, for writing, valid for `'w`; its block, and its row if
    /// it is tracked, are marked as changed. `None` if it has none, or the component is split or
    /// immutable.
    pub fn get_mut_by_id(&mut self, id: ComponentId) -> Option<NonNull<u8>> {
        let (column, row) = self.0.find_piece(id)?;
        if column.info().immutable {
            return None;
        }
        let (block, inside) = self.mark(column, row);
        if let Some(runs) = column.tick_runs(block) {
            // SAFETY: the row is the entity's, which nobody else has, by `new`.
            unsafe { runs.set_changed(inside, self.0.look.world.change_tick()) };
        }
        // SAFETY: the row exists, and its value is one piece.
        NonNull::new(unsafe { column.row(row) })
    }

    /// Marks the block of a row as changed; gives it, and the row in it.
    #[inline]
    fn mark(&self, column: &Column, row: usize) -> (BlockPointer, usize) {
        let tick = self.0.look.world.change_tick();
        let block = column.mark_written(row / BLOCK_ROWS, tick);
        (block, row % BLOCK_ROWS)
    }
}

impl fmt::Debug for EntityMut<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("EntityMut").field(&self.id()).finish()
    }
}

//! An archetype: all entities with the same set of components, and their columns.

pub(crate) mod graph;
mod run;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::component::info::{CloneBehavior, ComponentId, ComponentInfo};
use crate::component::{ComponentSet, Registry};
use crate::entity::Entity;
use crate::panics::FirstPanic;
use crate::storage::BLOCK_ROWS;
use crate::storage::column::{Column, Writer, rows_in_block};

pub(crate) use run::Run;

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
pub struct Archetype {
    id: ArchetypeId,
    /// In increasing order; `columns` runs beside it.
    components: Box<[ComponentId]>,
    set: ComponentSet,
    columns: Box<[Column]>,
    /// Positions of the columns in order of their components' names.
    by_name: Box<[u32]>,
    entities: Column,
    len: usize,
    /// Whether every component lies in one piece.
    plain: bool,
    /// Whether copying a shared block runs a user's `clone`.
    runs_clone: bool,
}

impl Archetype {
    pub(crate) fn new(
        id: ArchetypeId,
        components: Vec<ComponentId>,
        registry: &Registry,
        entity_info: &Arc<ComponentInfo>,
    ) -> Self {
        debug_assert!(components.is_sorted_by(|a, b| a < b));
        let mut set = ComponentSet::default();
        components
            .iter()
            .for_each(|&component| set.insert(component));
        let infos = || components.iter().map(|&component| registry.info(component));
        let column = |&component: &ComponentId| Column::new(Arc::clone(registry.info(component)));
        let mut by_name: Vec<u32> = (0..components.len() as u32).collect();
        by_name.sort_by_key(|&index| registry.name(components[index as usize]));
        Self {
            id,
            set,
            by_name: by_name.into(),
            columns: components.iter().map(column).collect(),
            entities: Column::new(Arc::clone(entity_info)),
            plain: infos().all(|info| info.parts.len() == 1),
            runs_clone: infos().any(|info| matches!(info.clone, CloneBehavior::Values(_))),
            components: components.into_boxed_slice(),
            len: 0,
        }
    }

    /// An archetype that shares every block with this one.
    pub(crate) fn share(&self) -> Self {
        Self {
            id: self.id,
            components: self.components.clone(),
            set: self.set.clone(),
            columns: self.columns.iter().map(Column::share).collect(),
            by_name: self.by_name.clone(),
            entities: self.entities.share(),
            plain: self.plain,
            runs_clone: self.runs_clone,
            len: self.len,
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
        &self.components
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

    pub(crate) fn set(&self) -> &ComponentSet {
        &self.set
    }

    pub(crate) fn rows(&self, block: usize) -> usize {
        rows_in_block(self.len, block)
    }

    /// Position of a component's column.
    #[inline]
    pub(crate) fn column_index(&self, component: ComponentId) -> Option<usize> {
        self.components.binary_search(&component).ok()
    }

    #[inline]
    pub(crate) fn column(&self, index: usize) -> &Column {
        &self.columns[index]
    }

    #[inline]
    pub(crate) fn column_mut(&mut self, index: usize) -> &mut Column {
        &mut self.columns[index]
    }

    pub(crate) fn columns(&self) -> &[Column] {
        &self.columns
    }

    pub(crate) fn by_name(&self) -> &[u32] {
        &self.by_name
    }

    pub(crate) fn entities(&self) -> &Column {
        &self.entities
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

    /// Makes room for `additional` rows in every column.
    pub(crate) fn reserve(&mut self, additional: usize, to: Writer<'_>) {
        for column in self.columns.iter_mut().chain([&mut self.entities]) {
            // SAFETY: every column has `len` initialised rows.
            unsafe { column.reserve(self.len, additional, to) };
        }
    }

    /// Makes room for one more row in blocks that are ours. A user's `clone` may run here, and
    /// panic, before anything has changed; adding the row does not fail afterwards.
    #[inline]
    pub(crate) fn ready_push(&mut self, to: Writer<'_>) {
        // All columns have room for as many rows as the handles.
        if self.len == self.entities.room() {
            self.reserve(1, to);
        }
        if !self.runs_clone {
            return;
        }
        for column in self.columns.iter_mut().filter(|column| column.runs_clone()) {
            // SAFETY: `len` rows are initialised, and room for one more was reserved.
            unsafe { column.own_row(self.len, self.len, to) };
        }
    }

    /// Makes the blocks ours that a removal of `row` writes to. A user's `clone` may run here,
    /// and panic, before anything has changed; the removal does not fail afterwards.
    #[inline]
    pub(crate) fn ready_leave(&mut self, row: usize, to: Writer<'_>) {
        if !self.runs_clone {
            return;
        }
        for column in self.columns.iter_mut().filter(|column| column.runs_clone()) {
            // SAFETY: the row is one of `len` initialised rows.
            unsafe { column.own_row(row, self.len, to) };
            // SAFETY: as above.
            unsafe { column.own_row(self.len - 1, self.len, to) };
        }
    }

    /// Makes a row's block of one column ours; as `ready_leave`.
    ///
    /// # Panics
    /// When there is no such row.
    pub(crate) fn ready_replace(&mut self, column: usize, row: usize, to: Writer<'_>) {
        assert!(row < self.len, "row {row} of {}", self.len);
        if self.columns[column].runs_clone() {
            // SAFETY: the row is one of `len` initialised rows.
            unsafe { self.columns[column].own_row(row, self.len, to) };
        }
    }

    /// Adds a row for an entity and gives its number; `ready_push` was called just before. The
    /// caller writes every component of it before anything else happens to the archetype.
    ///
    /// # Safety
    /// `ready_push` was called since the last change.
    pub(crate) unsafe fn push_entity(&mut self, entity: Entity, to: Writer<'_>) -> usize {
        let row = self.len;
        let value = (&raw const entity).cast();
        // SAFETY: room was reserved, by the caller; the value is an entity, which is `Copy`.
        unsafe { self.entities.write(row, row, value, to) };
        self.len += 1;
        row
    }

    /// Writes a component into a row that `push_entity` has just made.
    ///
    /// # Safety
    /// `value` points to a value of the column's component, moved from; the row is new and last.
    #[inline]
    pub(crate) unsafe fn write_new(&mut self, column: usize, value: *const u8, to: Writer<'_>) {
        let row = self.len - 1;
        // SAFETY: `row` rows are initialised in this column and there is room for one more.
        unsafe { self.columns[column].write(row, row, value, to) };
    }

    /// Removes a row, whose values are dropped, by moving the last row into it.
    ///
    /// A panic of a `clone` comes out before anything has changed, one of a drop is kept.
    pub(crate) fn remove_row(&mut self, row: usize, to: Writer<'_>) -> Moved {
        self.ready_leave(row, to);
        let len = self.len;
        let mut panicked = FirstPanic::default();
        for column in &mut self.columns {
            // SAFETY: the row is one of `len`; `fill_from_last` below takes its place.
            unsafe { drop_value(column, row, len, to, &mut panicked) };
            // SAFETY: `len` rows, all initialised but the one just dropped.
            unsafe { column.fill_from_last(row, len, to) };
        }
        Moved {
            row: 0,
            filled_by: self.remove_entity(row, to),
            panicked,
        }
    }

    /// Takes a row out of the entity column and the count; the component columns are done.
    fn remove_entity(&mut self, row: usize, to: Writer<'_>) -> Option<Entity> {
        let last = self.len - 1;
        let moved = (row != last).then(|| self.entity(last));
        // SAFETY: `len` rows of `Copy` handles.
        unsafe { self.entities.fill_from_last(row, self.len, to) };
        self.len = last;
        moved
    }

    /// Readies `move_row`: what may panic without having changed anything.
    pub(crate) fn ready_move(&mut self, row: usize, other: &mut Self, to: Writer<'_>) {
        other.ready_push(to);
        self.ready_leave(row, to);
    }

    /// Moves the row of an entity into `other`, which gets a new last row: components that both
    /// have move, those that only `self` has leave.
    ///
    /// # Safety
    /// - `ready_move` was called since the last change;
    /// - for `Leaving::MovedOut` the caller has moved out the values that leave;
    /// - the caller writes every component that only `other` has before anything else happens.
    pub(crate) unsafe fn move_row(
        &mut self,
        row: usize,
        other: &mut Self,
        to: Writer<'_>,
        leaving: Leaving,
    ) -> Moved {
        let entity = self.entity(row);
        // SAFETY: `ready_move` readied it, by the caller.
        let new_row = unsafe { other.push_entity(entity, to) };
        let len = self.len;
        let mut panicked = FirstPanic::default();
        for (column, component) in self.columns.iter_mut().zip(&self.components) {
            match (other.components.binary_search(component), leaving) {
                (Ok(theirs), _) => {
                    let target = &mut other.columns[theirs];
                    // SAFETY: the row exists; `other`'s column has `new_row` initialised rows
                    // and room for one more.
                    unsafe { column.move_row(row, len, target, new_row, to) };
                }
                (Err(_), Leaving::MovedOut) => {}
                // SAFETY: the row is one of `len`; `fill_from_last` below takes its place.
                (Err(_), Leaving::Dropped) => unsafe {
                    drop_value(column, row, len, to, &mut panicked);
                },
            }
            // SAFETY: `len` rows, all initialised but the one that left.
            unsafe { column.fill_from_last(row, len, to) };
        }
        Moved {
            row: new_row,
            filled_by: self.remove_entity(row, to),
            panicked,
        }
    }

    /// Drops every value and forgets every row.
    pub(crate) fn clear(&mut self) {
        let len = std::mem::take(&mut self.len);
        let mut panicked = FirstPanic::default();
        for column in self.columns.iter_mut().chain([&mut self.entities]) {
            // SAFETY: every column has exactly `len` initialised rows.
            unsafe { column.clear(len, &mut panicked) };
        }
        panicked.resume();
    }
}

/// What becomes of the values that only the old archetype has.
#[derive(Clone, Copy)]
pub(crate) enum Leaving {
    Dropped,
    /// They belong to somebody else by now.
    MovedOut,
}

/// What a structural change left behind.
#[must_use]
pub(crate) struct Moved {
    /// Row in the new archetype, where there is one.
    pub(crate) row: usize,
    /// The entity that now has the old row.
    pub(crate) filled_by: Option<Entity>,
    /// First panic of a value's drop. The change is complete; the caller resumes it once the
    /// entity table is up to date.
    pub(crate) panicked: FirstPanic,
}

/// Drops one value and keeps the first panic for later.
///
/// # Safety
/// `row` is one of `len` initialised rows, and not used as a value afterwards.
unsafe fn drop_value(
    column: &mut Column,
    row: usize,
    len: usize,
    to: Writer<'_>,
    panicked: &mut FirstPanic,
) {
    if column.info().drop.is_some() {
        // SAFETY: passed on from the caller.
        panicked.catch(|| unsafe { column.drop_row(row, len, to) });
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

//! Spawning whole columns: each component from its own source.

use std::mem::{MaybeUninit, forget};
use std::ptr::NonNull;

use super::{SpawnBatch, World};
use crate::archetype::{ArchetypeId, MadeRows, Run};
use crate::bundle::{Bundle, BundleId, RequiredColumn, SpawnTarget};
use crate::component::TableComponent;
use crate::entity::Entity;
use crate::error::ColumnLengthError;
use crate::panics::FirstPanic;
use crate::sparse::{MadeAside, SparseSets};
use crate::storage::column::Writer;

/// Where the values of one component come from in [`World::spawn_columns`]: a `Vec<T>` that is
/// handed over, or a function of the row, `|row: usize| -> T`. Sparse components have no columns.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a source of a column",
    note = "a column comes from a `Vec` of a component, or from a function `|row: usize| -> T`"
)]
pub trait ColumnSource {
    /// The component.
    type Component: TableComponent;

    /// How many values there are, where the source knows.
    #[doc(hidden)]
    fn count(&self) -> Option<usize>;

    /// Gives the values of the rows from `first` on, as many as there is room.
    #[doc(hidden)]
    fn fill(&mut self, first: usize, into: &mut Filling<'_, Self::Component>);
}

/// Rows of one column that a source fills; what it has filled is dropped if it panics.
#[doc(hidden)]
pub struct Filling<'a, T> {
    rows: &'a mut [MaybeUninit<T>],
    filled: usize,
}

impl<T> Drop for Filling<'_, T> {
    fn drop(&mut self) {
        for value in &mut self.rows[..self.filled] {
            // SAFETY: the first `filled` rows were written, and are forgotten here.
            unsafe { value.assume_init_drop() };
        }
    }
}

impl<T: TableComponent, F: FnMut(usize) -> T> ColumnSource for F {
    type Component = T;

    fn count(&self) -> Option<usize> {
        None
    }

    #[inline]
    fn fill(&mut self, first: usize, into: &mut Filling<'_, T>) {
        for (row, place) in into.rows.iter_mut().enumerate() {
            place.write(self(first + row));
            into.filled = row + 1;
        }
    }
}

/// A `Vec` on its way into a column.
#[doc(hidden)]
pub struct Handed<T>(std::vec::IntoIter<T>);

impl<T: TableComponent> ColumnSource for Handed<T> {
    type Component = T;

    fn count(&self) -> Option<usize> {
        Some(self.0.len())
    }

    #[inline]
    fn fill(&mut self, _: usize, into: &mut Filling<'_, T>) {
        let count = into.rows.len();
        let values = &self.0.as_slice()[..count];
        // SAFETY: `count` values on both sides; those of the iterator are passed over below, so
        // that each has one owner.
        unsafe {
            values
                .as_ptr()
                .copy_to_nonoverlapping(into.rows.as_mut_ptr().cast(), count);
        }
        into.filled = count;
        self.0.by_ref().take(count).for_each(forget);
    }
}

/// Something that becomes a [`ColumnSource`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a column that can be spawned",
    label = "not a column",
    note = "a column is a `Vec<T>`, or a function from the number of the row, `FnMut(usize) -> T`, \
            of a component `T` that lies in columns; values of a `#[component(sparse)]` come by \
            `spawn_batch` or `insert`"
)]
pub trait IntoColumnSource<Marker> {
    /// What it becomes.
    #[doc(hidden)]
    type Source: ColumnSource;
    #[doc(hidden)]
    fn into_source(self) -> Self::Source;
}

/// Tells `Vec`s from functions; inferred.
#[doc(hidden)]
pub struct ByVec;
/// Tells functions from `Vec`s; inferred.
#[doc(hidden)]
pub struct ByFunction;

impl<T: TableComponent> IntoColumnSource<ByVec> for Vec<T> {
    type Source = Handed<T>;

    fn into_source(self) -> Handed<T> {
        Handed(self.into_iter())
    }
}

impl<T: TableComponent, F: FnMut(usize) -> T> IntoColumnSource<ByFunction> for F {
    type Source = F;

    fn into_source(self) -> F {
        self
    }
}

/// A tuple of up to 12 sources of columns.
pub trait ColumnSources<Marker> {
    /// The components as a bundle.
    #[doc(hidden)]
    type Bundle: Bundle;
    /// The sources, ready to be asked.
    #[doc(hidden)]
    type Sources;
    #[doc(hidden)]
    fn into_sources(self) -> Self::Sources;
    /// Name and length of the first source that does not have `count` values.
    #[doc(hidden)]
    fn wrong_length(sources: &Self::Sources, count: usize) -> Option<(&'static str, usize)>;
    /// Fills `rows` rows of every column of the run, and counts them.
    #[doc(hidden)]
    fn fill(sources: &mut Self::Sources, first: usize, rows: usize, into: &mut Columns<'_, '_>);
}

/// The columns of one block, being filled.
#[doc(hidden)]
pub struct Columns<'r, 'a> {
    run: &'r mut Run<'a>,
    index: usize,
    rows: usize,
    /// Columns that are filled and not yet counted; dropped if a later source panics.
    filled: smallvec::SmallVec<[MadeRows; 12]>,
}

impl Columns<'_, '_> {
    /// Fills the rows of the next column.
    #[inline]
    fn fill_next<S: ColumnSource>(&mut self, source: &mut S, first: usize) {
        let column = self.run.column(self.index);
        let drop = column.info().drop;
        let start = self.run.start_of(self.index, size_of::<S::Component>());
        if column.is_plain() {
            fill_pieces(source, first, start.cast(), self.rows);
        } else {
            fill_parts(source, first, self);
        }
        // SAFETY: the rows were just filled; what is in several pieces needs no drop, or lies in
        // one piece but for its ticks.
        self.filled
            .push(unsafe { MadeRows::new(start, drop, self.rows) });
        self.index += 1;
    }

    /// Makes what the bundle brings along.
    fn make_required(&mut self, required: &[RequiredColumn], to: Writer<'_>) {
        for one in required.iter().filter(|one| !one.is_sparse()) {
            self.filled.push(self.run.make_rows(one, self.rows, to));
        }
    }

    /// Says that every column has its values.
    fn finish(self) {
        self.filled.into_iter().for_each(MadeRows::keep);
        // SAFETY: every column of the archetype was filled, and nothing drops the values any more.
        unsafe { self.run.count(self.rows) };
    }
}

fn fill_pieces<S: ColumnSource>(
    source: &mut S,
    first: usize,
    start: NonNull<MaybeUninit<S::Component>>,
    rows: usize,
) {
    // SAFETY: the run has room for the rows in this column, whose component it is; they are
    // nobody else's.
    let rows = unsafe { std::slice::from_raw_parts_mut(start.as_ptr(), rows) };
    let mut filling = Filling { rows, filled: 0 };
    source.fill(first, &mut filling);
    assert!(
        filling.filled == filling.rows.len(),
        "a source fills every row"
    );
    forget(filling);
}

/// Through memory of its own, since the values lie in several pieces.
fn fill_parts<S: ColumnSource>(source: &mut S, first: usize, columns: &mut Columns<'_, '_>) {
    let mut values: Vec<MaybeUninit<S::Component>> = Vec::new();
    values.resize_with(columns.rows, MaybeUninit::uninit);
    if let Some(start) = NonNull::new(values.as_mut_ptr()) {
        fill_pieces(source, first, start, columns.rows);
    }
    for (row, value) in values.iter().enumerate() {
        // SAFETY: `fill_pieces` wrote every value; the memory is given back without dropping it.
        unsafe { columns.run.put(columns.index, row, value.as_ptr().cast()) };
    }
}

macro_rules! tuples {
    ($($name:ident $marker:ident $index:tt)*) => {
        impl<$($name, $marker),*> ColumnSources<($($marker,)*)> for ($($name,)*)
        where
            $($name: IntoColumnSource<$marker>,)*
        {
            type Bundle = ($(<$name::Source as ColumnSource>::Component,)*);
            type Sources = ($($name::Source,)*);

            fn into_sources(self) -> Self::Sources {
                ($(self.$index.into_source(),)*)
            }

            fn wrong_length(
                sources: &Self::Sources,
                count: usize,
            ) -> Option<(&'static str, usize)> {
                $(if let Some(len) = sources.$index.count().filter(|&len| len != count) {
                    let name = std::any::type_name::<<$name::Source as ColumnSource>::Component>();
                    return Some((name, len));
                })*
                None
            }

            fn fill(
                sources: &mut Self::Sources,
                first: usize,
                rows: usize,
                into: &mut Columns<'_, '_>,
            ) {
                debug_assert!(rows == into.rows);
                $(into.fill_next(&mut sources.$index, first);)*
            }
        }
    };
}

tuples!(A MA 0);
tuples!(A MA 0 B MB 1);
tuples!(A MA 0 B MB 1 C MC 2);
tuples!(A MA 0 B MB 1 C MC 2 D MD 3);
tuples!(A MA 0 B MB 1 C MC 2 D MD 3 E ME 4);
tuples!(A MA 0 B MB 1 C MC 2 D MD 3 E ME 4 F MF 5);
tuples!(A MA 0 B MB 1 C MC 2 D MD 3 E ME 4 F MF 5 G MG 6);
tuples!(A MA 0 B MB 1 C MC 2 D MD 3 E ME 4 F MF 5 G MG 6 H MH 7);
tuples!(A MA 0 B MB 1 C MC 2 D MD 3 E ME 4 F MF 5 G MG 6 H MH 7 I MI 8);
tuples!(A MA 0 B MB 1 C MC 2 D MD 3 E ME 4 F MF 5 G MG 6 H MH 7 I MI 8 J MJ 9);
tuples!(A MA 0 B MB 1 C MC 2 D MD 3 E ME 4 F MF 5 G MG 6 H MH 7 I MI 8 J MJ 9 K MK 10);
tuples!(A MA 0 B MB 1 C MC 2 D MD 3 E ME 4 F MF 5 G MG 6 H MH 7 I MI 8 J MJ 9 K MK 10 L ML 11);

impl World {
    /// Spawns `count` entities whose components come column by column, and gives their handles.
    ///
    /// A source is a `Vec` with `count` values, or a function of the row from 0 on. Sources are
    /// asked in order, for one block of rows after the other. If one panics, whole blocks that
    /// were filled before are spawned and nothing else is.
    ///
    /// # Errors
    /// When a `Vec` has more or fewer values; nothing is spawned then.
    ///
    /// # Panics
    /// When two sources give the same component, or more than 2^32 - 2 entities would live.
    ///
    /// # Cost
    /// One copy of each `Vec`, or the function's own writes; nothing for each entity beyond its
    /// handle. The fastest way to make many.
    ///
    /// ```
    /// use orrery_ecs::{Component, World};
    /// #[derive(Clone, Copy, Component)]
    /// struct Place(f32);
    /// #[derive(Clone, Copy, Component)]
    /// struct Speed(f32);
    /// let mut world = World::new();
    /// let places = vec![Place(0.0), Place(1.0), Place(2.0)];
    /// let spawned = world.spawn_columns(3, (places, |row: usize| Speed(row as f32)))?;
    /// assert_eq!(spawned.count(), 3);
    /// # Ok::<(), orrery_ecs::ColumnLengthError>(())
    /// ```
    pub fn spawn_columns<M, S: ColumnSources<M>>(
        &mut self,
        count: usize,
        sources: S,
    ) -> Result<SpawnBatch<'_>, ColumnLengthError> {
        let sources = sources.into_sources();
        if let Some((component, found)) = S::wrong_length(&sources, count) {
            return Err(ColumnLengthError {
                component,
                found,
                expected: count,
            });
        }
        self.flush_reserved();
        // Before memory is asked for: as much as no world could fill is not to be had.
        self.entities
            .assert_room(u32::try_from(count).unwrap_or(u32::MAX));
        let (bundle_id, target) = self.spawn_target::<S::Bundle>();
        let start = self.archetypes[target.index()].len();
        if self.is_arrival_watched(target, bundle_id) {
            let mut panicked = FirstPanic::default();
            panicked.catch(|| self.fill_columns::<M, S>(bundle_id, target, count, sources));
            let entities = self.deliver_batch(target, start, bundle_id, panicked);
            return Ok(SpawnBatch::of(entities));
        }
        self.fill_columns::<M, S>(bundle_id, target, count, sources);
        Ok(SpawnBatch::new(&self.archetypes[target.index()], start))
    }

    fn fill_columns<M, S: ColumnSources<M>>(
        &mut self,
        bundle_id: BundleId,
        target: ArchetypeId,
        count: usize,
        mut sources: S::Sources,
    ) {
        let info = self.bundles.info(bundle_id);
        let has_sparse = !info.is_in_tables();
        let SpawnTarget {
            columns, required, ..
        } = info.spawn_target();
        let archetype = &mut self.archetypes[target.index()];
        let to = Writer {
            pool: &self.pool,
            tick: self.tick,
        };
        let start = archetype.len();
        if count > 0 {
            archetype.reserve(count, to);
        }
        let mut first = 0;
        while first < count {
            let mut run = archetype.open_run(&mut self.entities, count - first, columns, to);
            let rows = run.left();
            let mut filling = Columns {
                run: &mut run,
                index: 0,
                rows,
                filled: smallvec::SmallVec::new(),
            };
            S::fill(&mut sources, first, rows, &mut filling);
            filling.make_required(required, to);
            let aside = (0..rows).filter(|_| has_sparse).map(|_| {
                let registry = &self.registry;
                MadeAside::new(required, Entity::NONE, &mut self.sparse, registry, to)
            });
            let aside: Vec<MadeAside> = aside.collect();
            let mut make = |sets: &mut SparseSets, id| {
                sets.make(id, &self.registry, &self.entity_info);
            };
            if let Some(one) = aside.first() {
                one.ready_rows(&mut self.sparse, &mut make, to);
            }
            filling.finish();
            drop(run);
            for (made, row) in aside.into_iter().zip(start + first..) {
                let entity = archetype.entity(row);
                made.ready(entity, &mut self.sparse, &mut make, to);
                made.insert(entity, &mut self.sparse, to);
            }
            first += rows;
        }
    }
}

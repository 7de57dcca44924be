//! Ticks of single rows: which components have them, and what writes to them.
//!
//! Every block knows the tick of its last write. A component with `#[component(track)]` keeps two
//! ticks for each row as well, when it came and when it was last written, at 16 bytes a row.

use std::fmt;
use std::ops::{Deref, DerefMut, Range};
use std::ptr::NonNull;

use super::Component;
use crate::archetype::Archetype;
use crate::query::Source;

/// When a system or query last looked, and when it looks now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticks {
    /// Change tick of the last run; what was written after it is new. 0 before the first.
    pub last_run: u64,
    /// Change tick that writes are marked with now.
    pub this_run: u64,
}

impl Ticks {
    /// Whether something that happened at a tick is new.
    #[inline]
    pub fn is_new(self, tick: u64) -> bool {
        tick > self.last_run
    }
}

/// Where the ticks of one row are.
#[derive(Clone, Copy)]
#[doc(hidden)]
pub struct RowTicks {
    pub(crate) added: NonNull<u64>,
    pub(crate) changed: NonNull<u64>,
}

mod sealed {
    pub trait Sealed {}
}

/// How a component's writes are noticed: [`ByBlock`] or [`ByRow`].
pub trait Tracking: sealed::Sealed + 'static {
    /// What a query of `&mut T` gives for one row.
    type Mut<'w, T: 'w>: DerefMut<Target = T>;

    /// Whether rows carry ticks.
    #[doc(hidden)]
    const ROWS: bool;

    /// What a query needs to mark the rows of one block.
    #[doc(hidden)]
    type Marks<S: Source>: Copy;

    /// # Safety
    /// The block is of these columns, for writing, and their component is tracked so.
    #[doc(hidden)]
    unsafe fn marks<S: Source>(
        columns: S::Columns,
        archetype: &Archetype,
        block: S::Block,
        now: Ticks,
    ) -> Self::Marks<S>;

    /// # Safety
    /// `value` is the row's, which nobody else has for `'w`, and the marks are its block's.
    #[doc(hidden)]
    unsafe fn write_row<'w, T, S: Source>(
        value: &'w mut T,
        marks: Self::Marks<S>,
        row: usize,
    ) -> Self::Mut<'w, T>;

    /// Marks rows as changed that are given out as a slice.
    ///
    /// # Safety
    /// The block has these rows, and nobody else has them.
    #[doc(hidden)]
    unsafe fn mark<S: Source>(marks: Self::Marks<S>, rows: Range<usize>);

    /// # Safety
    /// `value` is valid for `'w` and nobody else has it; where `ROWS` says so `ticks` gives the
    /// row's own, with the same right.
    #[doc(hidden)]
    unsafe fn write<'w, T>(
        value: &'w mut T,
        ticks: impl FnOnce() -> RowTicks,
        now: Ticks,
    ) -> Self::Mut<'w, T>;
}

/// What gives write access to one value of component `T`: `&mut T`, or [`Mut<T>`](Mut) if it is
/// tracked row by row.
///
/// ```
/// use orrery_ecs::{Component, Entity, MutableComponent, MutOf, World};
/// /// Tracked or not.
/// fn edit<T: MutableComponent>(world: &mut World, at: Entity, change: impl Fn(MutOf<'_, T>)) {
///     if let Some(value) = world.get_mut::<T>(at) {
///         change(value);
///     }
/// }
/// #[derive(Clone, Copy, Component)]
/// #[component(track)]
/// struct Health(u32);
/// let mut world = World::new();
/// let entity = world.spawn(Health(3)).id();
/// edit::<Health>(&mut world, entity, |mut health| health.0 = 1);
/// assert_eq!(world.get::<Health>(entity).map(|health| health.0), Some(1));
/// ```
pub type MutOf<'w, T> = <<T as Component>::Tracking as Tracking>::Mut<'w, T>;

impl Ticks {
    /// Of whoever does not look again and again, as a system does: everything is new.
    pub(crate) fn once(now: u64) -> Self {
        Self {
            last_run: 0,
            this_run: now,
        }
    }
}

/// Writes are noticed for a whole block: `&mut T` is a plain reference.
#[derive(Debug)]
pub struct ByBlock(());

impl sealed::Sealed for ByBlock {}

impl Tracking for ByBlock {
    type Mut<'w, T: 'w> = &'w mut T;

    const ROWS: bool = false;
    type Marks<S: Source> = ();

    #[inline]
    unsafe fn marks<S: Source>(_: S::Columns, _: &Archetype, _: S::Block, _: Ticks) {}

    #[inline]
    unsafe fn write_row<T, S: Source>(value: &mut T, (): (), _: usize) -> &mut T {
        value
    }

    #[inline]
    unsafe fn mark<S: Source>((): (), _: Range<usize>) {}

    #[inline]
    unsafe fn write<T>(value: &mut T, _: impl FnOnce() -> RowTicks, _: Ticks) -> &mut T {
        value
    }
}

/// Writes are noticed for each row: `&mut T` gives a [`Mut`].
#[derive(Debug)]
pub struct ByRow(());

impl sealed::Sealed for ByRow {}

impl Tracking for ByRow {
    type Mut<'w, T: 'w> = Mut<'w, T>;

    const ROWS: bool = true;
    type Marks<S: Source> = (S::Runs, Ticks);

    unsafe fn marks<S: Source>(
        columns: S::Columns,
        archetype: &Archetype,
        block: S::Block,
        now: Ticks,
    ) -> (S::Runs, Ticks) {
        // SAFETY: passed on from the caller.
        (unsafe { S::runs(columns, archetype, block) }, now)
    }

    #[inline]
    unsafe fn write_row<'w, T, S: Source>(
        value: &'w mut T,
        (runs, now): (S::Runs, Ticks),
        row: usize,
    ) -> Mut<'w, T> {
        // SAFETY: the row is the block's, by the caller.
        let ticks = || unsafe { S::ticks(runs, row) };
        // SAFETY: passed on from the caller.
        unsafe { Self::write(value, ticks, now) }
    }

    unsafe fn mark<S: Source>((runs, now): (S::Runs, Ticks), rows: Range<usize>) {
        for row in rows {
            // SAFETY: the block has the row, by the caller.
            let mut ticks = unsafe { S::ticks(runs, row) };
            // SAFETY: nobody else has the row, by the caller.
            *unsafe { ticks.changed.as_mut() } = now.this_run;
        }
    }

    #[inline]
    unsafe fn write<'w, T>(
        value: &'w mut T,
        ticks: impl FnOnce() -> RowTicks,
        now: Ticks,
    ) -> Mut<'w, T> {
        let mut ticks = ticks();
        // SAFETY: the row's ticks, which are as exclusive as its value, by the caller.
        let added = unsafe { ticks.added.read() };
        // SAFETY: as above.
        let changed = unsafe { ticks.changed.as_mut() };
        Mut {
            value,
            added,
            changed,
            now,
        }
    }
}

/// A component whose rows carry ticks, so that [`Added`](crate::Added),
/// [`Changed`](crate::Changed) and [`Ref`] can be asked of it. `#[component(track)]` makes one.
///
/// ```
/// use orrery_ecs::{Changed, Component, TrackedComponent, World};
/// fn count_changed<T: TrackedComponent>(world: &mut World) -> usize {
///     world.query_filtered::<(), Changed<T>>().view(world).count()
/// }
/// #[derive(Clone, Copy, Component)]
/// #[component(track)]
/// struct Health(u32);
/// let mut world = World::new();
/// world.spawn_batch((0..3).map(Health));
/// assert_eq!(count_changed::<Health>(&mut world), 3);
/// ```
#[diagnostic::on_unimplemented(
    message = "the rows of `{Self}` carry no ticks, so it cannot be asked which of them changed",
    label = "not tracked row by row",
    note = "write `#[component(track)]` above the definition of `{Self}` (16 bytes a row), or ask \
            for whole blocks by `World::changed_since`, which every component has for nothing"
)]
pub trait TrackedComponent: Component<Tracking = ByRow> {}

/// A tracked component for reading, with the ticks of its row.
///
/// ```
/// use orrery_ecs::{Component, Ref, World};
/// #[derive(Clone, Copy, Component)]
/// #[component(track)]
/// struct Health(u32);
/// let mut world = World::new();
/// world.spawn(Health(3));
/// let mut query = world.query::<Ref<Health>>();
/// query.set_last_run(world.change_tick());
/// let health = query.view(&world).single_inner()?;
/// assert!(health.0 == 3 && !health.is_changed());
/// # Ok::<(), orrery_ecs::QueryError>(())
/// ```
pub struct Ref<'w, T> {
    value: &'w T,
    added: u64,
    changed: u64,
    now: Ticks,
}

impl<'w, T> Ref<'w, T> {
    /// # Safety
    /// The ticks are the value's own, and nobody writes either for `'w`.
    #[inline]
    pub(crate) unsafe fn new(value: &'w T, ticks: RowTicks, now: Ticks) -> Self {
        // SAFETY: guaranteed by the caller.
        let added = unsafe { ticks.added.read() };
        // SAFETY: as above.
        let changed = unsafe { ticks.changed.read() };
        Self {
            value,
            added,
            changed,
            now,
        }
    }

    /// Whether the component came to the entity since the last run.
    pub fn is_added(&self) -> bool {
        self.now.is_new(self.added)
    }

    /// Whether the component came or was written since the last run.
    pub fn is_changed(&self) -> bool {
        self.now.is_new(self.changed)
    }

    /// Change tick of the last write.
    pub fn last_changed(&self) -> u64 {
        self.changed
    }

    /// The value for as long as the world is borrowed.
    pub fn into_inner(self) -> &'w T {
        self.value
    }
}

impl<T> Clone for Ref<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Ref<'_, T> {}

impl<T> Deref for Ref<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.value
    }
}

impl<T: fmt::Debug> fmt::Debug for Ref<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.value, f)
    }
}

/// A tracked component for writing: the first write marks the row as changed.
///
/// Reading through it marks nothing.
///
/// ```
/// use orrery_ecs::{Component, World};
/// #[derive(Clone, Copy, PartialEq, Component)]
/// #[component(track)]
/// struct Health(u32);
/// let mut world = World::new();
/// let entity = world.spawn(Health(3)).id();
/// let now = world.advance_change_tick();
/// let mut health = world.get_mut::<Health>(entity).expect("it has one");
/// assert!(!health.set_if_neq(Health(3)) && health.last_changed() < now);
/// assert!(health.set_if_neq(Health(2)) && health.last_changed() == now);
/// ```
pub struct Mut<'w, T> {
    value: &'w mut T,
    added: u64,
    changed: &'w mut u64,
    now: Ticks,
}

impl<'w, T> Mut<'w, T> {
    /// Whether the component came to the entity since the last run.
    pub fn is_added(&self) -> bool {
        self.now.is_new(self.added)
    }

    /// Whether the component came or was written since the last run.
    pub fn is_changed(&self) -> bool {
        self.now.is_new(*self.changed)
    }

    /// Change tick of the last write.
    pub fn last_changed(&self) -> u64 {
        *self.changed
    }

    /// Marks the row as changed without writing.
    pub fn set_changed(&mut self) {
        *self.changed = self.now.this_run;
    }

    /// The value for writing, without marking anything; the block's tick is marked all the same.
    pub fn bypass_change_detection(&mut self) -> &mut T {
        self.value
    }

    /// Writes a value that differs, and says whether it did; an equal one marks nothing.
    pub fn set_if_neq(&mut self, value: T) -> bool
    where
        T: PartialEq,
    {
        let differs = *self.value != value;
        if differs {
            **self = value;
        }
        differs
    }

    /// The value for as long as the world is borrowed, marked as changed.
    pub fn into_inner(mut self) -> &'w mut T {
        self.set_changed();
        self.value
    }
}

impl<T> Deref for Mut<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.value
    }
}

impl<T> DerefMut for Mut<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        *self.changed = self.now.this_run;
        self.value
    }
}

impl<T: fmt::Debug> fmt::Debug for Mut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.value, f)
    }
}

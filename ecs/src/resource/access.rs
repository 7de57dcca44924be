//! What a system gets of a resource.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::component::Ticks;

/// A resource that a system reads.
///
/// ```
/// use orrery_ecs::{IntoSystem, Res, Resource, Serial, System, World};
/// #[derive(Clone, Resource)]
/// struct Rules(u32);
/// let mut world = World::new();
/// world.insert_resource(Rules(7));
/// let mut expected = [true, false].into_iter();
/// let look = move |rules: Res<Rules>| assert_eq!(Some(rules.is_changed()), expected.next());
/// let mut system = look.into_system();
/// system.run(&mut world, &Serial)?;
/// system.run(&mut world, &Serial)?;
/// # Ok::<(), orrery_ecs::SystemError>(())
/// ```
pub struct Res<'w, R> {
    pub(super) value: &'w R,
    pub(super) added: u64,
    pub(super) changed: u64,
    pub(super) now: Ticks,
}

impl<R> Clone for Res<'_, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for Res<'_, R> {}

impl<'w, R> Res<'w, R> {
    /// The resource for as long as the world is borrowed.
    pub fn into_inner(self) -> &'w R {
        self.value
    }

    /// Whether the resource came into the world since the system's last run.
    pub fn is_added(&self) -> bool {
        self.now.is_new(self.added)
    }

    /// Whether the resource came, was replaced or was written since the system's last run.
    pub fn is_changed(&self) -> bool {
        self.now.is_new(self.changed)
    }

    /// Change tick of the last write.
    pub fn last_changed(&self) -> u64 {
        self.changed
    }
}

impl<R> Deref for Res<'_, R> {
    type Target = R;

    fn deref(&self) -> &R {
        self.value
    }
}

impl<R: fmt::Debug> fmt::Debug for Res<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.value, f)
    }
}

/// A resource that a system writes. Writing through it marks the resource as changed; reading
/// does not.
///
/// There is one at a time, so it is no `Clone`:
///
/// ```compile_fail,E0277
/// fn copied<T: Clone>() {}
/// copied::<orrery_ecs::ResMut<'_, u32>>();
/// ```
pub struct ResMut<'w, R> {
    pub(super) value: &'w mut R,
    pub(super) added: u64,
    pub(super) changed: &'w AtomicU64,
    pub(super) now: Ticks,
}

impl<'w, R> ResMut<'w, R> {
    /// The resource for as long as the world is borrowed, marked as changed.
    pub fn into_inner(mut self) -> &'w mut R {
        self.set_changed();
        self.value
    }

    /// Whether the resource came into the world since the system's last run.
    pub fn is_added(&self) -> bool {
        self.now.is_new(self.added)
    }

    /// Whether the resource came, was replaced or was written since the system's last run, or
    /// was written in this one.
    pub fn is_changed(&self) -> bool {
        self.now.is_new(self.last_changed())
    }

    /// Change tick of the last write.
    pub fn last_changed(&self) -> u64 {
        self.changed.load(Ordering::Relaxed)
    }

    /// Marks the resource as changed without writing.
    #[inline]
    pub fn set_changed(&mut self) {
        // Relaxed: who may write the resource is alone with it, as the claims of systems say.
        self.changed.store(self.now.this_run, Ordering::Relaxed);
    }

    /// The resource for writing, without marking anything.
    pub fn bypass_change_detection(&mut self) -> &mut R {
        self.value
    }

    /// Writes a value that differs, and says whether it did; an equal one marks nothing.
    ///
    /// ```
    /// use orrery_ecs::{Res, ResMut, Resource, World};
    /// #[derive(Clone, PartialEq, Resource)]
    /// struct Volume(u32);
    /// let mut world = World::new();
    /// world.insert_resource(Volume(3));
    /// let wrote = world.run_system_once(|mut volume: ResMut<Volume>| {
    ///     (volume.set_if_neq(Volume(3)), volume.set_if_neq(Volume(4)))
    /// });
    /// assert_eq!(wrote, Ok((false, true)));
    /// ```
    pub fn set_if_neq(&mut self, value: R) -> bool
    where
        R: PartialEq,
    {
        let differs = *self.value != value;
        if differs {
            **self = value;
        }
        differs
    }
}

impl<R> Deref for ResMut<'_, R> {
    type Target = R;

    fn deref(&self) -> &R {
        self.value
    }
}

impl<R> DerefMut for ResMut<'_, R> {
    #[inline]
    fn deref_mut(&mut self) -> &mut R {
        self.set_changed();
        self.value
    }
}

impl<R: fmt::Debug> fmt::Debug for ResMut<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.value, f)
    }
}

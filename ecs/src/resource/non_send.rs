//! Values that must stay on the thread that made them: handles of windows, of drivers, `Rc`.
//!
//! A world may go to another thread all the same; there it refuses every access to such a value
//! by an error. Dropping it there would run its destructor on the wrong thread, so the value is
//! leaked instead, and counted. They are not state: no hash sees them, no fork shares them, and
//! they carry no change ticks.

use std::any::{Any, TypeId};
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, ThreadId};

use rustc_hash::FxHashMap;
use thiserror::Error;

use crate::world::World;

/// A non-send resource could not be had.
///
/// ```
/// use orrery_ecs::{NonSendError, World};
/// struct Window;
/// let world = World::new();
/// assert!(matches!(world.get_non_send::<Window>(), Err(NonSendError::Missing { .. })));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NonSendError {
    /// The world does not have it.
    #[error(
        "the non-send resource {resource} is not in the world; insert it with \
         World::insert_non_send first"
    )]
    Missing {
        /// Its type.
        resource: &'static str,
    },
    /// The caller's thread is not the one that inserted it.
    #[error(
        "the non-send resource {resource} stays on the thread that inserted it, and this is \
         another one; run the system that uses it there"
    )]
    OtherThread {
        /// Its type.
        resource: &'static str,
    },
}

/// Number of a type of non-send resource in one world, in order of registration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NonSendId(u32);

/// Values of this process that were leaked because they would have been dropped elsewhere.
static LEAKED: AtomicU64 = AtomicU64::new(0);

/// A value with the thread that it stays on.
struct Kept {
    /// From `Box::into_raw`; a raw pointer, because a system may write to it through `&World`.
    value: *mut dyn Any,
    thread: ThreadId,
}

// SAFETY: the value is used and dropped on `thread` only; each method here checks that.
unsafe impl Send for Kept {}
// SAFETY: as above.
unsafe impl Sync for Kept {}

impl Kept {
    fn is_at_home(&self) -> bool {
        self.thread == thread::current().id()
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        if self.is_at_home() {
            // SAFETY: `insert` made it by `Box::into_raw`, this is its thread, and nobody has it
            // after its only owner.
            drop(unsafe { Box::from_raw(self.value) });
        } else {
            // Relaxed: a count that orders nothing.
            LEAKED.fetch_add(1, Ordering::Relaxed);
        }
    }
}

struct Slot {
    name: &'static str,
    kept: Option<Kept>,
}

/// The non-send resources of one world.
#[derive(Default)]
pub(crate) struct NonSends {
    slots: Vec<Slot>,
    by_type: FxHashMap<TypeId, NonSendId>,
}

impl NonSends {
    pub(crate) fn register<T: 'static>(&mut self) -> NonSendId {
        let next = NonSendId(u32::try_from(self.slots.len()).expect("fewer than 2^32 types"));
        let id = *self.by_type.entry(TypeId::of::<T>()).or_insert(next);
        if id == next {
            self.slots.push(Slot {
                name: std::any::type_name::<T>(),
                kept: None,
            });
        }
        id
    }

    pub(crate) fn name(&self, id: NonSendId) -> &'static str {
        self.slots[id.0 as usize].name
    }

    /// Names of the values that are there.
    pub(crate) fn present(&self) -> impl Iterator<Item = &'static str> {
        let present = self.slots.iter().filter(|slot| slot.kept.is_some());
        present.map(|slot| slot.name)
    }

    /// Where a value is, if it is there and this is its thread.
    pub(crate) fn find(&self, id: NonSendId) -> Result<*mut dyn Any, NonSendError> {
        let slot = &self.slots[id.0 as usize];
        let resource = slot.name;
        match &slot.kept {
            None => Err(NonSendError::Missing { resource }),
            Some(kept) if !kept.is_at_home() => Err(NonSendError::OtherThread { resource }),
            Some(kept) => Ok(kept.value),
        }
    }

    fn id<T: 'static>(&self) -> Result<NonSendId, NonSendError> {
        let id = self.by_type.get(&TypeId::of::<T>()).copied();
        let resource = std::any::type_name::<T>();
        id.ok_or(NonSendError::Missing { resource })
    }

    fn take<T: 'static>(&mut self, id: NonSendId) -> Result<T, NonSendError> {
        let value = self.find(id)?;
        let kept = self.slots[id.0 as usize].kept.take();
        // The box takes over; `Kept` must not drop it too.
        std::mem::forget(kept);
        // SAFETY: `insert` made the pointer by `Box::into_raw` of a `T`, and its owner is gone.
        Ok(*unsafe { Box::from_raw(value.cast::<T>()) })
    }

    fn insert<T: 'static>(&mut self, value: T) -> Result<Option<T>, NonSendError> {
        let id = self.register::<T>();
        let old = match self.take(id) {
            Ok(old) => Some(old),
            Err(NonSendError::Missing { .. }) => None,
            Err(error) => return Err(error),
        };
        self.slots[id.0 as usize].kept = Some(Kept {
            value: Box::into_raw(Box::new(value)),
            thread: thread::current().id(),
        });
        Ok(old)
    }
}

impl World {
    /// Puts a value into the world that stays on the calling thread, and returns the one of its
    /// type that it replaces. It is no part of the state, and the world cannot be forked while it
    /// is there.
    ///
    /// # Errors
    /// When the world has one of that type that belongs to another thread; the new value is
    /// dropped.
    ///
    /// ```
    /// use std::rc::Rc;
    /// use orrery_ecs::{NonSend, World};
    /// let mut world = World::new();
    /// world.insert_non_send(Rc::new(7))?;
    /// world.run_system_once(|number: NonSend<Rc<i32>>| assert_eq!(**number, 7))?;
    /// let there = std::thread::scope(|scope| scope.spawn(|| {
    ///     world.get_non_send::<Rc<i32>>().is_err()
    /// }).join());
    /// assert!(there.is_ok_and(|refused| refused));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn insert_non_send<T: 'static>(&mut self, value: T) -> Result<Option<T>, NonSendError> {
        self.non_send.insert(value)
    }

    /// Takes a non-send resource out of the world.
    ///
    /// # Errors
    /// When the world does not have it, or it belongs to another thread.
    pub fn remove_non_send<T: 'static>(&mut self) -> Result<T, NonSendError> {
        let id = self.non_send.id::<T>()?;
        self.non_send.take(id)
    }

    /// A non-send resource.
    ///
    /// # Errors
    /// When the world does not have it, or it belongs to another thread.
    pub fn get_non_send<T: 'static>(&self) -> Result<&T, NonSendError> {
        let value = self.non_send.find(self.non_send.id::<T>()?)?;
        // SAFETY: the slot of `T` holds a `T`, this is its thread by `find`, and the borrow of the
        // world keeps writers out.
        Ok(unsafe { &*value.cast::<T>() })
    }

    /// A non-send resource for writing.
    ///
    /// # Errors
    /// When the world does not have it, or it belongs to another thread.
    pub fn get_non_send_mut<T: 'static>(&mut self) -> Result<&mut T, NonSendError> {
        let value = self.non_send.find(self.non_send.id::<T>()?)?;
        // SAFETY: the slot of `T` holds a `T`, this is its thread by `find`, and the borrow of the
        // world keeps everybody else out.
        Ok(unsafe { &mut *value.cast::<T>() })
    }

    /// Non-send resources of this process that were never dropped, because the world that held
    /// them was dropped on another thread than theirs.
    pub fn leaked_non_send_count() -> u64 {
        LEAKED.load(Ordering::Relaxed)
    }
}

/// A resource that stays on its thread, read by a system.
#[derive(Debug)]
pub struct NonSend<'w, T>(pub(crate) &'w T);

impl<T> Clone for NonSend<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for NonSend<'_, T> {}

impl<T> Deref for NonSend<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0
    }
}

/// A resource that stays on its thread, written by a system.
///
/// ```
/// use std::rc::Rc;
/// use orrery_ecs::{NonSend, NonSendMut, World};
/// struct Window(Rc<str>);
/// let mut world = World::new();
/// world.insert_non_send(Window("one".into()));
/// world.run_system_once(|mut window: NonSendMut<Window>| window.0 = "two".into())?;
/// let title = world.run_system_once(|window: NonSend<Window>| window.0.to_string())?;
/// assert_eq!(title, "two");
/// # Ok::<(), orrery_ecs::SystemError>(())
/// ```
#[derive(Debug)]
pub struct NonSendMut<'w, T>(pub(crate) &'w mut T);

impl<T> Deref for NonSendMut<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0
    }
}

impl<T> DerefMut for NonSendMut<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0
    }
}

//! Values that a system keeps from run to run.

use std::any::Any;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use super::access::SystemMeta;
use super::states::ErasedLocal;
use super::{Run, SystemParam};
use crate::component::Ticks;
use crate::error::AccessConflict;
use crate::hash::{StateHash, StateHasher};
use crate::world::World;

/// A value of a system's own, its type's default before the first run. A system parameter.
///
/// It lies in the world: a fork takes it along (shared until one of the two systems runs), going
/// back to a fork takes it back, and it enters the state hash. So `T` must be `Default`, `Clone`
/// and [`StateHash`], as numbers, strings, tuples, `Vec` and `Option` are; [`NotState`] and
/// [`NoClone`] opt out.
///
/// While its system runs the value is out of the world: a state hash taken by the system itself,
/// through `&World`, leaves it out, and a fork is refused.
///
/// ```
/// use orrery_ecs::{IntoSystem, Local, Serial, System, World};
/// let mut world = World::new();
/// let mut system = (|mut runs: Local<u32>| *runs += 1).into_system();
/// system.run(&mut world, &Serial)?;
/// let mut fork = world.fork()?;
/// system.run(&mut world, &Serial)?;
/// assert_ne!(world.state_hash(), fork.state_hash());
/// system.run(&mut fork, &Serial)?;
/// assert_eq!(world.state_hash(), fork.state_hash());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Local<'s, T: LocalValue>(&'s mut T);

impl<T: LocalValue> Deref for Local<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0
    }
}

impl<T: LocalValue> DerefMut for Local<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0
    }
}

impl<T: LocalValue + fmt::Debug> fmt::Debug for Local<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.0, f)
    }
}

/// What can be a [`Local`]: whatever is `Default`, `Clone` and [`StateHash`], or says by
/// [`NotState`] or [`NoClone`] which of the two it is not.
///
/// ```compile_fail,E0277
/// // The order of a HashMap is no state.
/// fn system(seen: orrery_ecs::Local<std::collections::HashMap<u32, u32>>) {}
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be kept as the `Local` of a system",
    label = "not the value of a `Local`",
    note = "it begins at its default, a fork clones it and the state hash reads it: write \
            `#[derive(Clone, Default, StateHash)]` above the definition of `{Self}`",
    note = "take `Local<NotState<..>>` for what is no state, as a `HashMap`, and \
            `Local<NoClone<..>>` for what cannot be cloned"
)]
pub trait LocalValue: Default + Send + Sync + 'static {
    /// Whether it enters the state hash.
    #[doc(hidden)]
    const STATE: bool;
    /// Whether a world whose system has one can be forked.
    #[doc(hidden)]
    const CLONE: bool;
    /// A clone, where `CLONE` says so.
    #[doc(hidden)]
    fn duplicate(&self) -> Option<Self>;
    /// Adds it to a hash, where `STATE` says so.
    #[doc(hidden)]
    fn hash_value(&self, hasher: &mut StateHasher);
}

#[diagnostic::do_not_recommend]
impl<T: Default + Clone + StateHash + Send + Sync + 'static> LocalValue for T {
    const STATE: bool = true;
    const CLONE: bool = true;

    fn duplicate(&self) -> Option<Self> {
        Some(self.clone())
    }

    fn hash_value(&self, hasher: &mut StateHasher) {
        self.hash_state(hasher);
    }
}

/// Keeps a [`Local`] out of the state hash: caches, scratch memory, what only the screen sees.
/// A fork takes it along.
///
/// ```
/// use orrery_ecs::{IntoSystem, Local, NotState, Serial, System, World};
/// let mut world = World::new();
/// let mut system = (|mut seen: Local<NotState<Vec<u32>>>| seen.push(1)).into_system();
/// system.initialize(&mut world)?;
/// let before = world.state_hash();
/// system.run(&mut world, &Serial)?;
/// assert_eq!(world.state_hash(), before);
/// # Ok::<(), orrery_ecs::SystemError>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct NotState<T>(pub T);

impl<T: Default + Clone + Send + Sync + 'static> LocalValue for NotState<T> {
    const STATE: bool = false;
    const CLONE: bool = true;

    fn duplicate(&self) -> Option<Self> {
        Some(self.clone())
    }

    fn hash_value(&self, _: &mut StateHasher) {}
}

/// A [`Local`] that cannot be cloned, and is no state: files, sockets. From its system's first run
/// on the world cannot be forked, and says so by name.
///
/// ```
/// use orrery_ecs::{IntoSystem, Local, NoClone, Serial, System, World};
/// struct File;
/// fn write(mut file: Local<NoClone<Option<File>>>) {
///     file.get_or_insert(File);
/// }
/// let mut world = World::new();
/// write.into_system().run(&mut world, &Serial)?;
/// let error = world.fork().map(|_| ()).expect_err("a file has no clone");
/// assert_eq!(error.locals.len(), 1);
/// # Ok::<(), orrery_ecs::SystemError>(())
/// ```
#[derive(Debug, Default)]
pub struct NoClone<T>(pub T);

impl<T: Default + Send + Sync + 'static> LocalValue for NoClone<T> {
    const STATE: bool = false;
    const CLONE: bool = false;

    fn duplicate(&self) -> Option<Self> {
        None
    }

    fn hash_value(&self, _: &mut StateHasher) {}
}

macro_rules! wrapper {
    ($name:ident) => {
        impl<T> Deref for $name<T> {
            type Target = T;

            fn deref(&self) -> &T {
                &self.0
            }
        }

        impl<T> DerefMut for $name<T> {
            fn deref_mut(&mut self) -> &mut T {
                &mut self.0
            }
        }
    };
}

wrapper!(NotState);
wrapper!(NoClone);

/// Which of its system's locals it is, and the value while the system runs.
pub struct LocalState<T> {
    index: usize,
    /// Whether `prepare` took it out of the world and `release` must put it back.
    is_out: bool,
    value: Option<Arc<dyn ErasedLocal>>,
    marker: PhantomData<fn() -> T>,
}

// SAFETY: it touches nothing but the value that `prepare` took out of the world.
unsafe impl<T: LocalValue> SystemParam for Local<'_, T> {
    type State = LocalState<T>;
    type Item<'w, 's> = Local<'s, T>;
    const DEFERS: bool = false;

    fn init(_: &mut World, meta: &mut SystemMeta) -> Result<LocalState<T>, AccessConflict> {
        Ok(LocalState {
            index: meta.add_local::<T>(),
            is_out: false,
            value: None,
            marker: PhantomData,
        })
    }

    fn prepare(state: &mut LocalState<T>, world: &mut World, run: Run) {
        world.systems.unshare_local(run.system, state.index);
        state.value = world.systems.take_local(run.system, state.index);
        state.is_out = true;
    }

    unsafe fn get<'w, 's>(
        state: &'s mut LocalState<T>,
        _: &'w World,
        _: Ticks,
    ) -> Self::Item<'w, 's> {
        let value = state.value.get_or_insert_with(|| Arc::new(T::default()));
        let value = Arc::get_mut(value).expect("`prepare` made it ours alone");
        let value = (value as &mut dyn Any).downcast_mut();
        Local(value.expect("the slot has the types of its system"))
    }

    fn release(state: &mut LocalState<T>, world: &mut World, run: Run) {
        if !std::mem::take(&mut state.is_out) {
            return;
        }
        let value = state.value.take();
        world.systems.put_back_local(run.system, state.index, value);
    }
}

//! Removed components as a parameter of systems and observers.

use std::collections::vec_deque;
use std::marker::PhantomData;
use std::sync::Arc;

use super::ReaderKey;
use crate::component::info::ComponentId;
use crate::component::{Component, Ticks};
use crate::entity::Entity;
use crate::error::AccessConflict;
use crate::system::{Run, SystemId, SystemMeta, SystemParam};
use crate::world::World;

/// The entities that have lost a component since the system last read them. A system parameter.
///
/// Nothing is missed between two runs, however far apart they are: what a run does not read is
/// there for the next one, up to [`REMOVED_MAX`](crate::REMOVED_MAX) entities. A run that panics
/// has read nothing. An entity may be alive, and may have the component again.
///
/// ```
/// use orrery_ecs::{Component, IntoSystem, RemovedComponents, Serial, System, World};
/// #[derive(Clone, Copy, Component)]
/// struct Health(u32);
/// let mut world = World::new();
/// let mut bury = (|mut dead: RemovedComponents<Health>| assert_eq!(dead.read().count(), 1))
///     .into_system();
/// bury.initialize(&mut world)?;
/// let entity = world.spawn(Health(3)).id();
/// world.entity_mut(entity).remove::<Health>();
/// bury.run(&mut world, &Serial)?;
/// # Ok::<(), orrery_ecs::SystemError>(())
/// ```
pub struct RemovedComponents<'w, 's, T> {
    unread: vec_deque::Iter<'w, Entity>,
    read: &'s mut usize,
    missed: u64,
    marker: PhantomData<fn() -> T>,
}

impl<T: Component> RemovedComponents<'_, '_, T> {
    /// The entities in order; each counts as read when it comes out of the iterator.
    pub fn read(&mut self) -> impl ExactSizeIterator<Item = Entity> {
        let read = &mut *self.read;
        self.unread.by_ref().map(move |&entity| {
            *read += 1;
            entity
        })
    }

    /// Entities that are still to be read.
    pub fn len(&self) -> usize {
        self.unread.len()
    }

    /// Whether there is nothing to read.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many entities this parameter has never seen and will not, because the log was full.
    pub fn missed(&self) -> u64 {
        self.missed
    }
}

/// Which reader the parameter is, and what the present run has read.
#[doc(hidden)]
pub struct ReaderState {
    component: ComponentId,
    /// Its number among the readers of its system.
    number: u32,
    key: Option<ReaderKey>,
    read: usize,
}

impl ReaderState {
    fn key(&self) -> &ReaderKey {
        self.key.as_ref().expect("`attach` made it")
    }
}

// SAFETY: reads only the log, which structural changes alone write to.
unsafe impl<T: Component> SystemParam for RemovedComponents<'_, '_, T> {
    type State = ReaderState;
    type Item<'w, 's> = RemovedComponents<'w, 's, T>;

    fn init(world: &mut World, meta: &mut SystemMeta) -> Result<ReaderState, AccessConflict> {
        Ok(ReaderState {
            component: world.register_component::<T>(),
            number: meta.add_reader(),
            key: None,
            read: 0,
        })
    }

    fn attach(state: &mut ReaderState, world: &mut World, system: SystemId) {
        let key = match system {
            SystemId::ONCE => ReaderKey::Object(Arc::default()),
            _ => ReaderKey::Param(system, state.number),
        };
        world.register_removed_reader(state.component, &key);
        state.key = Some(key);
    }

    fn prepare(state: &mut ReaderState, world: &mut World, _: Run) {
        state.read = 0;
        world.observers.logs.catch_up(state.component, state.key());
    }

    unsafe fn get<'w, 's>(
        state: &'s mut ReaderState,
        world: &'w World,
        _: Ticks,
    ) -> RemovedComponents<'w, 's, T> {
        let logs = &world.observers.logs;
        let mut unread = logs.unread(state.component, state.key());
        // A `ParamSet` may give it several times in one run.
        if let Some(last) = state.read.checked_sub(1) {
            unread.nth(last);
        }
        RemovedComponents {
            unread,
            missed: logs.missed(state.component, state.key()),
            read: &mut state.read,
            marker: PhantomData,
        }
    }

    fn apply(state: &mut ReaderState, world: &mut World) {
        let read = std::mem::take(&mut state.read);
        let logs = &mut world.observers.logs;
        logs.advance(state.component, state.key(), read);
    }

    fn discard(state: &mut ReaderState) {
        state.read = 0;
    }
}

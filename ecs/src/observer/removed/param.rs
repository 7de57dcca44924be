//! Removed components as a parameter of systems and observers.

use std::collections::vec_deque;
use std::marker::PhantomData;
use std::sync::Arc;

use super::Token;
use crate::component::Component;
use crate::component::info::ComponentId;
use crate::entity::Entity;
use crate::error::AccessConflict;
use crate::system::{SystemAccess, SystemParam};
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
    token: Arc<Token>,
    component: ComponentId,
    read: usize,
}

// SAFETY: reads only the log, which structural changes alone write to.
unsafe impl<T: Component> SystemParam for RemovedComponents<'_, '_, T> {
    type State = ReaderState;
    type Item<'w, 's> = RemovedComponents<'w, 's, T>;

    fn init(world: &mut World, _: &mut SystemAccess) -> Result<ReaderState, AccessConflict> {
        let component = world.register_component::<T>();
        let token = Arc::default();
        world.register_removed_reader(component, &token);
        Ok(ReaderState {
            token,
            component,
            read: 0,
        })
    }

    fn prepare(state: &mut ReaderState, world: &mut World) -> Result<(), &'static str> {
        state.read = 0;
        let logs = &mut world.observers.logs;
        logs.catch_up(state.component, &state.token);
        Ok(())
    }

    unsafe fn get<'w, 's>(
        state: &'s mut ReaderState,
        world: &'w World,
    ) -> RemovedComponents<'w, 's, T> {
        let logs = &world.observers.logs;
        RemovedComponents {
            unread: logs.unread(state.component, &state.token),
            missed: logs.missed(state.component, &state.token),
            read: &mut state.read,
            marker: PhantomData,
        }
    }

    fn apply(state: &mut ReaderState, world: &mut World) {
        let logs = &mut world.observers.logs;
        logs.advance(
            state.component,
            &state.token,
            std::mem::take(&mut state.read),
        );
    }

    fn discard(state: &mut ReaderState) {
        state.read = 0;
    }
}

//! Reading removed components outside of systems.

use std::marker::PhantomData;
use std::sync::Arc;

use super::ReaderKey;
use crate::component::Component;
use crate::component::info::ComponentId;
use crate::entity::Entity;
use crate::world::World;

/// Reads which entities have lost a component, each once, in order; see [`World::removed_reader`].
///
/// ```
/// use orrery_ecs::{Component, World};
/// #[derive(Clone, Copy, Component)]
/// struct Health(u32);
/// let mut world = World::new();
/// let mut reader = world.removed_reader::<Health>();
/// let entity = world.spawn(Health(3)).id();
/// world.despawn(entity)?;
/// assert_eq!(reader.read(&mut world), [entity]);
/// assert_eq!(reader.read(&mut world), []);
/// # Ok::<(), orrery_ecs::NoSuchEntity>(())
/// ```
#[derive(Debug)]
pub struct RemovedReader<T> {
    key: ReaderKey,
    marker: PhantomData<fn() -> T>,
}

impl World {
    /// A reader of the entities that lose component `T` from now on: by removal, by being taken,
    /// or by despawn.
    ///
    /// Its place lies in the world: on a fork, which copies it, it goes on from there
    /// independently. What it has not read is kept for it up to
    /// [`REMOVED_MAX`](crate::REMOVED_MAX) entities.
    ///
    /// ```
    /// use orrery_ecs::{Component, World};
    /// #[derive(Clone, Copy, Component)]
    /// struct Health(u32);
    /// let mut world = World::new();
    /// let mut dead = world.removed_reader::<Health>();
    /// let entity = world.spawn(Health(3)).id();
    /// world.entity_mut(entity).remove::<Health>();
    /// assert_eq!(dead.read(&mut world), [entity]);
    /// assert_eq!(dead.read(&mut world), []);
    /// ```
    pub fn removed_reader<T: Component>(&mut self) -> RemovedReader<T> {
        let component = self.register_component::<T>();
        let key = ReaderKey::Object(Arc::default());
        self.register_removed_reader(component, &key);
        RemovedReader {
            key,
            marker: PhantomData,
        }
    }

    pub(super) fn register_removed_reader(&mut self, component: ComponentId, key: &ReaderKey) {
        if self.observers.logs.register(component, key) {
            self.refresh_watch();
        }
    }

    /// Notes in the log that a component left some entities.
    pub(crate) fn log_removed(
        &mut self,
        component: ComponentId,
        entities: impl IntoIterator<Item = Entity>,
    ) {
        if self.observers.logs.push(component, entities) {
            self.refresh_watch();
        }
    }
}

impl<T: Component> RemovedReader<T> {
    /// What it has not seen yet, in order. On a world that is neither the one it was made for nor
    /// a fork of that, it begins with this call.
    ///
    /// # Cost
    /// A copy of the handles; the log forgets what all readers have seen.
    pub fn read(&mut self, world: &mut World) -> Vec<Entity> {
        let component = world.register_component::<T>();
        world.register_removed_reader(component, &self.key);
        let logs = &mut world.observers.logs;
        logs.catch_up(component, &self.key);
        let unread: Vec<Entity> = logs.unread(component, &self.key).copied().collect();
        logs.advance(component, &self.key, unread.len());
        unread
    }

    /// How many entities it will never see, because the log was full before it came to read them.
    pub fn missed(&self, world: &World) -> u64 {
        let component = world.component_id::<T>();
        component.map_or(0, |id| world.observers.logs.missed(id, &self.key))
    }
}

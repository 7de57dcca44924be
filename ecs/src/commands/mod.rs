//! Commands: structural changes that a system asks for while it reads the world, done when it
//! has ended, in the order in which they were asked for.

mod queue;

use crate::bundle::Bundle;
use crate::entity::{Entity, EntityTable};
use crate::resource::Resource;
use crate::world::World;

pub use queue::CommandQueue;

/// Asks for structural changes. A system parameter.
///
/// A command for an entity that was despawned meanwhile does nothing and is counted
/// ([`CommandQueue::missed`]).
///
/// ```
/// use orrery_ecs::{Commands, Component, CommandQueue, World};
/// #[derive(Clone, Copy, Component)]
/// struct Egg(u32);
/// let mut world = World::new();
/// let mut queue = CommandQueue::default();
/// let egg = Commands::new(&mut queue, &world).spawn(Egg(1)).id();
/// assert!(!world.contains(egg));
/// queue.apply(&mut world);
/// assert!(world.contains(egg));
/// ```
pub struct Commands<'w, 's> {
    queue: &'s mut CommandQueue,
    entities: &'w EntityTable,
}

impl<'w, 's> Commands<'w, 's> {
    /// Commands that go into a queue; handles of spawned entities are reserved in the world.
    pub fn new(queue: &'s mut CommandQueue, world: &'w World) -> Self {
        Self {
            queue,
            entities: &world.entities,
        }
    }

    /// Spawns an entity. Its handle is known at once and lives from the next sync point on.
    pub fn spawn<B: Bundle>(&mut self, bundle: B) -> EntityCommands<'_, 'w, 's> {
        let entity = self.entities.reserve();
        self.queue.push(move |world: &mut World, missed: &mut u64| {
            *missed += u64::from(!world.spawn_reserved(entity, bundle));
        });
        self.entity(entity)
    }

    /// Commands for one entity.
    pub fn entity(&mut self, entity: Entity) -> EntityCommands<'_, 'w, 's> {
        EntityCommands {
            commands: self,
            entity,
        }
    }

    /// Adds components to an entity; see [`World::insert`].
    pub fn insert<B: Bundle>(&mut self, entity: Entity, bundle: B) {
        self.queue.push(move |world: &mut World, missed: &mut u64| {
            *missed += u64::from(world.insert(entity, bundle).is_err());
        });
    }

    /// Removes components of an entity; see [`World::remove`].
    pub fn remove<B: Bundle>(&mut self, entity: Entity) {
        self.queue.push(move |world: &mut World, missed: &mut u64| {
            *missed += u64::from(world.remove::<B>(entity).is_err());
        });
    }

    /// Despawns an entity; see [`World::despawn`].
    pub fn despawn(&mut self, entity: Entity) {
        self.queue.push(move |world: &mut World, missed: &mut u64| {
            *missed += u64::from(world.despawn(entity).is_err());
        });
    }

    /// Puts a resource into the world.
    pub fn insert_resource<R: Resource>(&mut self, resource: R) {
        self.queue.push(move |world: &mut World, _: &mut u64| {
            world.insert_resource(resource);
        });
    }

    /// Does something to an entity; `command` says whether that lives.
    pub(crate) fn queue_for(&mut self, command: impl FnOnce(&mut World) -> bool + Send + 'static) {
        self.queue.push(move |world: &mut World, missed: &mut u64| {
            *missed += u64::from(!command(world));
        });
    }

    /// Does anything to the world.
    pub fn queue(&mut self, command: impl FnOnce(&mut World) + Send + 'static) {
        self.queue
            .push(move |world: &mut World, _: &mut u64| command(world));
    }
}

/// Commands for one entity.
pub struct EntityCommands<'c, 'w, 's> {
    commands: &'c mut Commands<'w, 's>,
    entity: Entity,
}

impl<'w, 's> EntityCommands<'_, 'w, 's> {
    /// Its handle.
    pub fn id(&self) -> Entity {
        self.entity
    }

    pub(crate) fn commands_mut(&mut self) -> &mut Commands<'w, 's> {
        self.commands
    }

    /// Adds components.
    pub fn insert<B: Bundle>(&mut self, bundle: B) -> &mut Self {
        self.commands.insert(self.entity, bundle);
        self
    }

    /// Removes components.
    pub fn remove<B: Bundle>(&mut self) -> &mut Self {
        self.commands.remove::<B>(self.entity);
        self
    }

    /// Despawns the entity.
    pub fn despawn(&mut self) {
        self.commands.despawn(self.entity);
    }
}

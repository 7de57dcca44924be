//! Commands: structural changes that a system asks for while it reads the world, done when it
//! has ended, in the order in which they were asked for.

mod blocks;
mod merge;
mod queue;
mod record;

use crate::bundle::Bundle;
use crate::entity::{Entity, EntityTable, Lane};
use crate::resource::Resource;
use crate::world::World;

use blocks::BlockQueue;
pub(crate) use blocks::BlockQueues;
pub use queue::CommandQueue;
use record::Action;

/// Asks for structural changes. A system parameter.
///
/// In a chunk system every block has commands of its own, done in the order of the blocks: what
/// comes of them, and which handles are given, is the same on any number of threads.
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
    /// Where handles are reserved: in a lane of the block's own, or as the next of all.
    lane: Option<&'s mut Lane>,
    /// Queues for the blocks of a chunk system, and the lane that these are parts of.
    blocks: Option<(&'s BlockQueues, Option<Lane>)>,
}

impl<'w, 's> Commands<'w, 's> {
    /// Commands that go into a queue; handles of spawned entities are reserved in the world.
    pub fn new(queue: &'s mut CommandQueue, world: &'w World) -> Self {
        Self {
            queue,
            entities: &world.entities,
            lane: None,
            blocks: None,
        }
    }

    /// Commands of a system that may visit blocks on several threads. With a lane, others may
    /// reserve handles in lanes beside it.
    pub(crate) fn of_system(
        queue: &'s mut CommandQueue,
        blocks: &'s BlockQueues,
        lane: Option<&'s mut Lane>,
        world: &'w World,
    ) -> Self {
        Self {
            blocks: Some((blocks, lane.as_deref().copied())),
            lane,
            ..Self::new(queue, world)
        }
    }

    /// The commands of one block of `count`.
    ///
    /// # Safety
    /// Made by `of_system`; each block is asked for once before its queues are applied or
    /// discarded, and not used after that.
    pub(crate) unsafe fn of_block(&self, block: usize, count: usize) -> Self {
        let (blocks, lane) = self
            .blocks
            .expect("a chunk system's commands have queues for blocks");
        // SAFETY: passed on from the caller.
        let BlockQueue { queue, lane, .. } = unsafe { blocks.of_block(block, count, lane) };
        Self {
            queue,
            entities: self.entities,
            lane: Some(lane),
            blocks: None,
        }
    }

    /// Spawns an entity. Its handle is known at once and lives from the next sync point on.
    ///
    /// A handle that is known can be despawned: a closure queued before that clears the world takes
    /// it along, and the spawn is counted as missed. Of a system that fails or panics nothing is
    /// done, and its handles are the next ones that somebody else gets.
    ///
    /// # Cost
    /// A place in the order of handles and a record in the queue; entities of one kind that are
    /// spawned one after the other arrive as a run.
    pub fn spawn<B: Bundle>(&mut self, bundle: B) -> EntityCommands<'_, 'w, 's> {
        let entity = match &mut self.lane {
            Some(lane) => self.entities.reserve_in(lane),
            None => self.entities.reserve(),
        };
        let action = Action::Spawn(record::of_bundle::<B>());
        // SAFETY: the action takes the bundle.
        unsafe { self.queue.push(action, entity, bundle) };
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
        let action = Action::Insert(record::of_bundle::<B>());
        // SAFETY: the action takes the bundle.
        unsafe { self.queue.push(action, entity, bundle) };
    }

    /// Removes components of an entity; see [`World::remove`].
    pub fn remove<B: Bundle>(&mut self, entity: Entity) {
        let action = Action::Remove(record::of_removal::<B>());
        // SAFETY: the action takes nothing.
        unsafe { self.queue.push(action, entity, ()) };
    }

    /// Despawns an entity; see [`World::despawn`].
    pub fn despawn(&mut self, entity: Entity) {
        // SAFETY: the action takes nothing.
        unsafe { self.queue.push(Action::Despawn, entity, ()) };
    }

    /// Puts a resource into the world.
    pub fn insert_resource<R: Resource>(&mut self, resource: R) {
        self.queue(move |world| {
            world.insert_resource(resource);
        });
    }

    /// Does anything to the world, after what was asked for before and before what comes after.
    ///
    /// ```
    /// use orrery_ecs::{Commands, Component, World};
    /// #[derive(Clone, Copy, Component)]
    /// struct Egg;
    /// let mut world = World::new();
    /// world.run_system_once(|mut commands: Commands| {
    ///     commands.spawn(Egg);
    ///     commands.queue(|world| {
    ///         assert_eq!(world.query::<&Egg>().view(world).len(), 1);
    ///         // Handles that were reserved live, also those whose spawn comes later.
    ///         assert_eq!(world.len(), 2);
    ///     });
    ///     commands.spawn(Egg);
    /// })?;
    /// assert_eq!(world.query::<&Egg>().view(&world).len(), 2);
    /// # Ok::<(), orrery_ecs::SystemError>(())
    /// ```
    pub fn queue<C: FnOnce(&mut World) + Send + 'static>(&mut self, command: C) {
        let command = move |world: &mut World| {
            command(world);
            true
        };
        self.queue_for(command);
    }

    /// Does something; `command` says whether what it is for lives.
    pub(crate) fn queue_for<C>(&mut self, command: C)
    where
        C: FnOnce(&mut World) -> bool + Send + 'static,
    {
        let action = record::of_closure::<C>();
        // SAFETY: the action takes the closure.
        unsafe { self.queue.push(action, Entity::NONE, command) };
    }
}

/// Commands for one entity.
///
/// ```
/// use orrery_ecs::{Commands, Component, World};
/// #[derive(Clone, Copy, Component)]
/// struct Knight;
/// #[derive(Clone, Copy, Component)]
/// struct Page;
/// let mut world = World::new();
/// let entity = world.run_system_once(|mut commands: Commands| {
///     // One move, into the archetype of knights: nobody sees a page.
///     commands.spawn(Page).insert(Knight).remove::<Page>().with_child(Page).id()
/// })?;
/// assert!(world.entity(entity).contains::<Knight>() && !world.entity(entity).contains::<Page>());
/// # Ok::<(), orrery_ecs::SystemError>(())
/// ```
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

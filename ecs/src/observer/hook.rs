//! Hooks: functions that belong to a component type and run before all observers.

use super::event::{Lent, Lifecycle};
use super::watch::Watch;
use crate::commands::{CommandQueue, Commands};
use crate::component::Component;
use crate::component::info::ComponentId;
use crate::entity::Entity;
use crate::world::World;

/// A function that runs when something happens to a component; see
/// [`Component`](crate::Component#hooks).
///
/// ```
/// use orrery_ecs::{Component, ComponentHook, HookContext, World};
/// const FORBID: ComponentHook = |hook: HookContext<'_>| panic!("{} came", hook.entity());
/// #[derive(Clone, Copy, Component)]
/// #[component(on_add = FORBID)]
/// struct Forbidden;
/// let came = std::panic::catch_unwind(|| World::new().spawn(Forbidden).id());
/// assert!(came.is_err());
/// ```
pub type ComponentHook = fn(HookContext<'_>);

/// The hooks of a component type.
#[derive(Clone, Copy, Debug, Default)]
#[doc(hidden)]
pub struct Hooks {
    pub on_add: Option<ComponentHook>,
    pub on_insert: Option<ComponentHook>,
    pub on_remove: Option<ComponentHook>,
    pub on_despawn: Option<ComponentHook>,
}

impl Hooks {
    pub(crate) fn get(&self, kind: Lifecycle) -> Option<ComponentHook> {
        match kind {
            Lifecycle::Add => self.on_add,
            Lifecycle::Insert => self.on_insert,
            Lifecycle::Despawn => self.on_despawn,
            Lifecycle::Remove => self.on_remove,
        }
    }

    pub(crate) fn watch(&self) -> Watch {
        let present = Lifecycle::ALL
            .into_iter()
            .filter(|&kind| self.get(kind).is_some());
        present.fold(Watch::NONE, |watch, kind| watch | kind.watch())
    }
}

/// Name of a hook as the attribute has it.
pub(crate) fn hook_name(kind: Lifecycle) -> &'static str {
    match kind {
        Lifecycle::Add => "hook on_add",
        Lifecycle::Insert => "hook on_insert",
        Lifecycle::Despawn => "hook on_despawn",
        Lifecycle::Remove => "hook on_remove",
    }
}

/// What a hook gets: the world for reading, and commands, which are done when it has returned.
///
/// ```
/// use orrery_ecs::{Component, HookContext, World};
/// #[derive(Clone, Copy, Component)]
/// #[component(on_add = equip, on_remove = tidy)]
/// struct Knight;
/// #[derive(Clone, Copy, Component)]
/// struct Sword;
/// fn equip(mut hook: HookContext<'_>) {
///     let knight = hook.entity();
///     hook.commands().insert(knight, Sword);
/// }
/// fn tidy(mut hook: HookContext<'_>) {
///     let knight = hook.entity();
///     hook.commands().remove::<Sword>(knight);
/// }
/// let mut world = World::new();
/// let knight = world.spawn(Knight).id();
/// assert!(world.entity(knight).contains::<Sword>());
/// world.entity_mut(knight).remove::<Knight>();
/// assert!(!world.entity(knight).contains::<Sword>());
/// ```
pub struct HookContext<'w> {
    pub(super) world: &'w World,
    pub(super) queue: &'w mut CommandQueue,
    pub(super) entity: Entity,
    pub(super) component: ComponentId,
    pub(super) left: Option<Lent<'w>>,
}

impl<'w> HookContext<'w> {
    /// The entity that it happened to. It may be dead by now: despawned by this very change, or
    /// by a hook that ran before.
    pub fn entity(&self) -> Entity {
        self.entity
    }

    /// The component whose hook this is.
    pub fn component_id(&self) -> ComponentId {
        self.component
    }

    /// The world as it is after the change.
    pub fn world(&self) -> &'w World {
        self.world
    }

    /// Commands; they are done when the hook has returned, with what follows from them, before
    /// the next hook or observer runs.
    pub fn commands(&mut self) -> Commands<'w, '_> {
        Commands::new(self.queue, self.world)
    }

    /// A value that left in this change: by removal or despawn, or overwritten by an insert.
    pub fn removed<T: Component>(&self) -> Option<&'w T> {
        let left = self.left?;
        left.values.get(left.row)
    }
}

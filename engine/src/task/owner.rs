//! Scripts that belong to an entity, and end with it.

use orrery_ecs::{Component, Entity, HookContext, World};
use rustc_hash::FxHashMap;

use super::executor::Executor;
use super::running::{enter, running_in};
use super::scripts::Scripts;
use super::turns::cancel_all;

/// Marks entities that have living scripts, so that their despawn is heard of and that of others
/// costs nothing. It goes with the last script.
#[derive(Clone, Copy, Debug, Component)]
#[component(sparse, not_state, on_remove = gone)]
struct Scripted;

/// A command, because a hook only reads the world; it is done before whatever else the despawn
/// causes.
fn gone(mut hook: HookContext<'_>) {
    let entity = hook.entity();
    hook.commands().queue(move |world| cancel_of(world, entity));
}

/// Ends the scripts of an entity: at once, or, if scripts run, before the next one has its turn.
fn cancel_of(world: &mut World, entity: Entity) {
    let cancel = |executor: &mut Executor| executor.cancel_of(entity);
    if running_in(world.id(), cancel).is_some() {
        return;
    }
    let scripts = world.get_resource_mut::<Scripts>();
    if scripts.and_then(Scripts::executor).is_some_and(cancel) {
        enter(world, cancel_all);
    }
}

/// Marks an entity; says whether it lives afterwards.
pub(super) fn mark(world: &mut World, entity: Entity) -> bool {
    if world.get::<Scripted>(entity).is_none() {
        // An observer of the marker may despawn it.
        let _ = world.insert(entity, Scripted);
    }
    world.contains(entity)
}

pub(super) fn unmark(world: &mut World, entity: Entity) {
    // It may have been despawned, and the marker is gone then.
    let _ = world.remove::<Scripted>(entity);
}

/// Neighbours among the scripts of an entity, as slots.
#[derive(Clone, Copy, Debug, Default)]
struct Links {
    before: Option<u32>,
    next: Option<u32>,
}

/// First and last script of each entity that has any, as slots; those between are linked. The map
/// is only looked up, never walked.
#[derive(Debug, Default)]
pub(super) struct Owners {
    ends: FxHashMap<Entity, (u32, u32)>,
    /// By slot; only those of scripts that belong to an entity tell anything.
    links: Vec<Links>,
}

impl Owners {
    pub(super) fn first(&self, entity: Entity) -> Option<u32> {
        self.ends.get(&entity).map(|ends| ends.0)
    }

    /// The script of the same entity that was spawned next.
    pub(super) fn next(&self, slot: u32) -> Option<u32> {
        self.links[slot as usize].next
    }

    /// Adds a script behind the others of its entity.
    pub(super) fn push(&mut self, entity: Entity, slot: u32) {
        let at = slot as usize;
        if self.links.len() <= at {
            self.links.resize(at + 1, Links::default());
        }
        let ends = self.ends.entry(entity);
        let mut before = None;
        ends.and_modify(|ends| before = Some(std::mem::replace(&mut ends.1, slot)))
            .or_insert((slot, slot));
        let next = None;
        self.links[at] = Links { before, next };
        if let Some(before) = before {
            self.links[before as usize].next = Some(slot);
        }
    }

    /// Takes a script out. Says whether it was the last one of its entity.
    pub(super) fn remove(&mut self, entity: Entity, slot: u32) -> bool {
        let Links { before, next } = self.links[slot as usize];
        if let Some(before) = before {
            self.links[before as usize].next = next;
        }
        if let Some(next) = next {
            self.links[next as usize].before = before;
        }
        let Some(ends) = self.ends.get_mut(&entity) else {
            return false;
        };
        match (before, next) {
            (None, None) => _ = self.ends.remove(&entity),
            (None, Some(next)) => ends.0 = next,
            (Some(before), None) => ends.1 = before,
            (Some(_), Some(_)) => {}
        }
        before.is_none() && next.is_none()
    }
}

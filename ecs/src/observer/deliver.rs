//! Bringing an event to those who watch, each with what it asks for done before the next.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use super::error::ObserverStep;
use super::event::{Lent, Lifecycle, Occurrence, What};
use super::hook::{ComponentHook, HookContext, hook_name};
use super::list::ObserverId;
use crate::commands::CommandQueue;
use crate::component::info::ComponentId;
use crate::entity::Entity;
use crate::panics::world_is_replaced;
use crate::system::ParamError;
use crate::world::World;

impl World {
    /// Tells hooks and observers of a change that is complete.
    pub(crate) fn deliver_change(
        &mut self,
        kind: Lifecycle,
        entity: Entity,
        components: &[ComponentId],
        left: Lent<'_>,
    ) {
        if components.is_empty() && kind != Lifecycle::Despawn {
            return;
        }
        for &component in components {
            if let Some(hook) = self.registry.info(component).hooks.get(kind) {
                self.run_hook(hook, kind, entity, component, left);
            }
        }
        let what = What::Change {
            kind,
            components,
            left,
        };
        self.deliver(&Occurrence {
            entity: Some(entity),
            what,
        });
    }

    /// Runs the observers of an event that were there when it happened.
    pub(super) fn deliver(&mut self, occurrence: &Occurrence<'_>) {
        let world = self.id();
        for id in self.observers.list.listeners(occurrence) {
            self.run_observer(id, occurrence);
            if self.id() != world {
                match occurrence.what {
                    What::Change { .. } => world_is_replaced(),
                    // The others were of the world that has gone.
                    What::Event { .. } => return,
                }
            }
        }
    }

    fn run_observer(&mut self, id: ObserverId, occurrence: &Occurrence<'_>) {
        // One that ran before may have removed it.
        let Some((observer, slot)) = self.observers.list.get(id) else {
            return;
        };
        let observer = Arc::clone(observer);
        let component = occurrence.components().first();
        let step = ObserverStep {
            event: occurrence.name(),
            component: component.map(|&id| self.registry.name(id)),
            entity: occurrence.entity,
            observer: observer.name(),
        };
        let Some(depth) = self.enter(step) else {
            return;
        };
        let world = self.id();
        let mut state = match self.observers.states.take(id) {
            Some(state) => state,
            // The first run on this world, or the observer is running already.
            None => match observer.init(self, Some(slot)) {
                Ok((state, _)) => state,
                Err(conflict) => unreachable!("its parameters were checked: {conflict}"),
            },
        };
        let ran = catch_unwind(AssertUnwindSafe(|| {
            observer.run(&mut state, self, occurrence)
        }));
        match ran {
            Ok(Ok(())) => {}
            Ok(Err(error)) => self.report_observer(error, observer.name(), occurrence),
            Err(panic) => {
                // What it asked for and was not done is dropped with the state.
                drop(state);
                self.leave_panicking(depth);
                resume_unwind(panic);
            }
        }
        self.observers.chain.leave(depth);
        // A command may have put another world in the place of this one, or removed the observer.
        if self.id() == world && self.observers.list.get(id).is_some() {
            self.observers.states.put(id, state);
        }
    }

    fn run_hook(
        &mut self,
        hook: ComponentHook,
        kind: Lifecycle,
        entity: Entity,
        component: ComponentId,
        left: Lent<'_>,
    ) {
        let step = ObserverStep {
            event: kind.name(),
            component: Some(self.registry.name(component)),
            entity: Some(entity),
            observer: hook_name(kind),
        };
        let Some(depth) = self.enter(step) else {
            return;
        };
        let world = self.id();
        let mut queue = self.observers.queues.pop().unwrap_or_default();
        let ran = catch_unwind(AssertUnwindSafe(|| {
            hook(HookContext {
                world: self,
                queue: &mut queue,
                entity,
                component,
                left: Some(left),
            });
        }));
        let applied = ran.and_then(|()| catch_unwind(AssertUnwindSafe(|| queue.apply(self))));
        if let Err(panic) = applied {
            self.leave_panicking(depth);
            // What the hook asked for is dropped with the queue.
            drop(queue);
            resume_unwind(panic);
        }
        self.observers.chain.leave(depth);
        self.observers.queues.push(queue);
        if self.id() != world {
            world_is_replaced();
        }
    }

    /// Keeps an error of an observer.
    #[cold]
    #[inline(never)]
    pub(super) fn report_observer(
        &mut self,
        error: ParamError,
        observer: &'static str,
        occurrence: &Occurrence<'_>,
    ) {
        let error = error.of_observer(observer, occurrence.name());
        self.observers.chain.report(error);
    }

    /// The depth to come back to; `None` where nothing of the chain runs any more.
    fn enter(&mut self, step: ObserverStep) -> Option<usize> {
        let depth = self.observers.chain.depth();
        if self.observers.chain.is_cut() {
            self.observers.chain.drop_events(1);
            return None;
        }
        self.observers.chain.enter(step).then_some(depth)
    }

    fn leave_panicking(&mut self, depth: usize) {
        self.entities.cancel_reservations();
        self.observers.chain.leave(depth);
    }
}

/// The command queues that hooks use in turn.
pub(super) type Queues = Vec<CommandQueue>;

//! The first argument of an observer.

use std::marker::PhantomData;

use super::event::{
    DepartureEvent, Event, Insert, LifecycleEvent, ObserverEvent, Occurrence, What,
};
use crate::bundle::Bundle;
use crate::component::Component;
use crate::component::info::ComponentId;
use crate::entity::Entity;

/// The event that an observer runs for: its first argument.
///
/// `On<Add, Health>` watches one component, `On<Add, (Health, Armor)>` either of them and runs
/// once if both come in one change, `On<Add>` every component; `On<Won>` an [`Event`].
///
/// ```
/// use orrery_ecs::{Component, Insert, On, ResMut, Resource, World};
/// #[derive(Clone, Copy, Component)]
/// struct Health(u32);
/// #[derive(Clone, Default, Resource)]
/// struct Lost(u32);
/// let mut world = World::new();
/// world.init_resource::<Lost>();
/// world.add_observer(|on: On<Insert, Health>, mut lost: ResMut<Lost>| {
///     lost.0 += on.replaced::<Health>().map_or(0, |old| old.0);
/// });
/// let entity = world.spawn(Health(3)).id();
/// world.entity_mut(entity).insert(Health(2)).insert(Health(1));
/// assert_eq!(world.resource::<Lost>().0, 5);
/// ```
pub struct On<'w, E, B = ()> {
    occurrence: &'w Occurrence<'w>,
    marker: PhantomData<fn() -> (E, B)>,
}

impl<'w, E: ObserverEvent, B: Bundle> On<'w, E, B> {
    /// The caller has checked that the occurrence is an `E`.
    pub(super) fn new(occurrence: &'w Occurrence<'w>) -> Self {
        Self {
            occurrence,
            marker: PhantomData,
        }
    }

    /// The entity that it happened to; `None` for an event that was triggered for none.
    pub fn target(&self) -> Option<Entity> {
        self.occurrence.entity
    }

    /// Which components it is about: those that came or left in one change, watched or not; none
    /// for an [`Event`].
    pub fn components(&self) -> &'w [ComponentId] {
        self.occurrence.components()
    }
}

impl<E: LifecycleEvent, B: Bundle> On<'_, E, B> {
    /// The entity that it happened to. It may be dead by now: despawned by this very change, or
    /// by an observer that ran before.
    pub fn entity(&self) -> Entity {
        match self.occurrence.entity {
            Some(entity) => entity,
            None => unreachable!("a change is of an entity"),
        }
    }
}

impl<'w, E: DepartureEvent, B: Bundle> On<'w, E, B> {
    /// A value that left; `None` if the entity did not have the component, or keeps it.
    ///
    /// Values are dropped when all observers of the change have run.
    pub fn removed<T: Component>(&self) -> Option<&'w T> {
        let left = self.occurrence.left()?;
        left.values.get(left.row)
    }
}

impl<'w, B: Bundle> On<'w, Insert, B> {
    /// The value that was overwritten; `None` if the entity did not have the component.
    pub fn replaced<T: Component>(&self) -> Option<&'w T> {
        let left = self.occurrence.left()?;
        left.values.get(left.row)
    }
}

impl<'w, E: Event> On<'w, E> {
    /// The data of the event.
    pub fn event(&self) -> &'w E {
        let What::Event { data, .. } = self.occurrence.what else {
            unreachable!("an observer runs for the event that it watches");
        };
        debug_assert!(
            data.is::<E>(),
            "an observer runs for the event that it watches"
        );
        // SAFETY: who made this `On` has checked that the occurrence is an `E`: observers are found
        // by the type of the data. Asking it once more would be a call through its table.
        unsafe { &*std::ptr::from_ref(data).cast::<E>() }
    }
}

/// The first parameter of an observer, with its lifetime taken apart.
pub trait OnArgument {
    /// What it watches.
    type Event: ObserverEvent;
    /// Components that it watches.
    type Bundle: Bundle;
}

impl<E: ObserverEvent, B: Bundle> OnArgument for On<'_, E, B> {
    type Event = E;
    type Bundle = B;
}

//! What a world offers around observers.

use std::sync::Arc;

use super::error::ObserverError;
use super::event::Event;
use super::function::{ErasedObserver, ObserverFunction, erase};
use super::list::ObserverId;
use super::signal::EventKey;
use super::watch::Watch;
use crate::component::info::ComponentId;
use crate::entity::{Entity, Place};
use crate::error::{AccessConflict, NoSuchEntity};
use crate::system::SystemId;
use crate::world::{EntityWorldMut, World};

impl World {
    /// Adds an observer: a function that runs when its event happens. Its first argument is
    /// [`On`](crate::On), the others are system parameters.
    ///
    /// It sees the world after the change, and everything that it asks for by
    /// [`Commands`](crate::Commands) is done before the next observer runs. Observers of one event
    /// run in the order in which they were added. Forks share them.
    ///
    /// # Panics
    /// When two of its parameters exclude each other, or components are named beside an event that
    /// is of none.
    ///
    /// # Cost
    /// A look at every archetype if nobody watched the same before. Changes of components that
    /// nobody watches cost the test of one byte.
    ///
    /// ```
    /// use orrery_ecs::{Add, Commands, Component, Entity, On, World};
    /// #[derive(Clone, Copy, Component)]
    /// struct Shark;
    /// #[derive(Clone, Copy, Component)]
    /// struct Fin(Entity);
    /// let mut world = World::new();
    /// world.add_observer(|on: On<Add, Shark>, mut commands: Commands| {
    ///     commands.spawn(Fin(on.entity()));
    /// });
    /// let shark = world.spawn(Shark).id();
    /// assert_eq!(world.query::<&Fin>().view(&world).single().map(|fin| fin.0), Ok(shark));
    /// ```
    #[track_caller]
    pub fn add_observer<M: 'static>(&mut self, observer: impl ObserverFunction<M>) -> ObserverId {
        self.try_add_observer(observer)
            .unwrap_or_else(|conflict| panic!("{conflict}"))
    }

    /// Adds an observer; see [`add_observer`](World::add_observer).
    ///
    /// # Errors
    /// When two of its parameters exclude each other; it is not added then.
    ///
    /// # Panics
    /// When components are named beside an event that is of none.
    pub fn try_add_observer<M: 'static>(
        &mut self,
        observer: impl ObserverFunction<M>,
    ) -> Result<ObserverId, AccessConflict> {
        self.add_erased_observer(erase(observer), None)
    }

    /// Adds an observer for the events of one entity alone. It goes with the entity.
    ///
    /// # Errors
    /// When the handle's entity does not live in this world.
    ///
    /// # Panics
    /// As [`add_observer`](World::add_observer).
    ///
    /// # Cost
    /// While an entity has observers of its own, each despawn of any entity looks for its own.
    #[track_caller]
    pub fn observe<M: 'static>(
        &mut self,
        entity: Entity,
        observer: impl ObserverFunction<M>,
    ) -> Result<ObserverId, NoSuchEntity> {
        self.flush_reserved();
        self.entities.get(entity).ok_or(NoSuchEntity { entity })?;
        let added = self.add_erased_observer(erase(observer), Some(entity));
        Ok(added.unwrap_or_else(|conflict| panic!("{conflict}")))
    }

    fn add_erased_observer(
        &mut self,
        observer: Arc<dyn ErasedObserver>,
        entity: Option<Entity>,
    ) -> Result<ObserverId, AccessConflict> {
        let watched = observer.watched(self);
        let (state, slot) = observer.init(self, None)?;
        let before = self.observers.list.version();
        self.observers.signals.add(&watched);
        let id = self
            .observers
            .list
            .make_mut()
            .add(observer, watched, entity, slot);
        self.observers.states.put(id, state);
        self.refresh_watch_since(before);
        Ok(id)
    }

    /// Removes an observer and says whether it was there. One that is running ends its run; events
    /// that are on their way do not reach it any more.
    ///
    /// ```
    /// use orrery_ecs::{Add, Component, On, ResMut, Resource, World};
    /// #[derive(Clone, Copy, Component)]
    /// struct Shark;
    /// #[derive(Clone, Default, Resource)]
    /// struct Seen(u32);
    /// let mut world = World::new();
    /// world.init_resource::<Seen>();
    /// let watch = world.add_observer(|_: On<Add, Shark>, mut seen: ResMut<Seen>| seen.0 += 1);
    /// world.spawn(Shark);
    /// assert!(world.remove_observer(watch));
    /// world.spawn(Shark);
    /// assert_eq!((world.resource::<Seen>().0, world.observer_count()), (1, 0));
    /// ```
    pub fn remove_observer(&mut self, id: ObserverId) -> bool {
        let Some((_, slot)) = self.observers.list.get(id) else {
            return false;
        };
        self.forget_slot(slot);
        let before = self.observers.list.version();
        if let Some(watched) = self.observers.list.make_mut().remove(id) {
            self.observers.signals.remove(&watched);
        }
        self.observers.states.forget(id);
        self.refresh_watch_since(before);
        true
    }

    /// Frees what is kept for a system or observer under its number, which may become another
    /// one's.
    pub(crate) fn forget_slot(&mut self, slot: SystemId) {
        self.systems.remove(slot);
        self.observers.logs.forget_system(slot);
        for forget in self.systems.forgetters() {
            forget(self, slot);
        }
    }

    /// Observers of this world, those of single entities included.
    pub fn observer_count(&self) -> usize {
        self.observers.list.len()
    }

    /// Runs the observers of an event.
    ///
    /// # Cost
    /// The test of a bit if nobody observes the event. A call for each observer if all of them are
    /// listeners, that is if they need no commands, locals, readers or whatever else waits for the
    /// end of a run, and the event is not triggered by an observer. Otherwise a run of a system for
    /// each of them.
    #[inline]
    pub fn trigger<E: Event>(&mut self, event: E) {
        self.trigger_erased(None, &event);
    }

    /// Runs the observers of an event that concerns one entity: those of all entities, and those of
    /// that one ([`observe`](World::observe)).
    ///
    /// # Errors
    /// When the handle's entity does not live in this world; nobody is told then.
    ///
    /// ```
    /// use orrery_ecs::{Component, Event, On, Query, World};
    /// #[derive(Clone, Copy, Component)]
    /// struct Health(u32);
    /// #[derive(Event)]
    /// struct Hit(u32);
    /// let mut world = World::new();
    /// let door = world.spawn(Health(9)).id();
    /// world.entity_mut(door).observe(|on: On<Hit>, mut healths: Query<&mut Health>| {
    ///     healths.single_mut().expect("one door").0 -= on.event().0;
    /// });
    /// world.trigger_for(door, Hit(2))?;
    /// assert_eq!(world.get::<Health>(door).map(|health| health.0), Some(7));
    /// # Ok::<(), orrery_ecs::NoSuchEntity>(())
    /// ```
    pub fn trigger_for<E: Event>(&mut self, entity: Entity, event: E) -> Result<(), NoSuchEntity> {
        self.flush_reserved();
        self.entities.get(entity).ok_or(NoSuchEntity { entity })?;
        self.trigger_erased(Some(entity), &event);
        Ok(())
    }

    #[inline]
    fn trigger_erased<E: Event>(&mut self, entity: Option<Entity>, event: &E) {
        // An observer that panics takes back what was reserved since; and whether somebody hears
        // the event must not decide which handles are reserved.
        self.flush_reserved();
        if self.observers.signals.is_heard(EventKey::of::<E>()) {
            self.tell(entity, event);
        }
    }

    /// How often observers could not do what they should have; see [`ObserverError`].
    pub fn observer_error_count(&self) -> u64 {
        self.observers.chain.error_count()
    }

    /// The first error of observers since the last call. Systems take those that their own
    /// commands cause, and return them.
    ///
    /// ```
    /// use orrery_ecs::{Add, Component, ObserverError, On, Res, Resource, World};
    /// #[derive(Clone, Copy, Component)]
    /// struct Shark;
    /// #[derive(Clone, Resource)]
    /// struct Sea;
    /// let mut world = World::new();
    /// world.add_observer(|_: On<Add, Shark>, _: Res<Sea>| ());
    /// world.spawn(Shark);
    /// let error = world.take_observer_error().expect("there is no sea");
    /// assert!(matches!(error, ObserverError::MissingResource { .. }));
    /// assert_eq!(world.observer_error_count(), 1);
    /// ```
    pub fn take_observer_error(&mut self) -> Option<ObserverError> {
        self.observers.chain.take_error()
    }

    /// Whether somebody wants to know of changes of a component.
    pub(crate) fn watch_of(&self, component: ComponentId) -> Watch {
        let own = self.registry.info(component).watch();
        own | self.observers.list.watch(component) | self.observers.logs.watch(component)
    }

    /// What is waited for of entities with some components.
    pub(crate) fn watch_of_all(&self, components: &[ComponentId]) -> Watch {
        let any = self.observers.list.watch_any();
        components
            .iter()
            .fold(any, |watch, &id| watch | self.watch_of(id))
    }

    /// Whether one of some components is waited for.
    pub(crate) fn is_watched(&self, components: &[ComponentId], by: Watch) -> bool {
        components
            .iter()
            .any(|&id| self.watch_of(id).intersects(by))
    }

    /// Whether somebody wants to know that an entity is despawned.
    pub(crate) fn is_departure_watched(&self, entity: Entity) -> bool {
        match self.entities.get(entity) {
            Some(Place::At(at)) => {
                let watch = self.archetypes()[at.archetype as usize].watch();
                let sparse = || {
                    let mut components = self.sparse.of_entity(entity);
                    components.any(|id| self.watch_of(id).intersects(Watch::DEPARTURE))
                };
                watch.intersects(Watch::DEPARTURE)
                    || self.observers.sparse.intersects(Watch::DEPARTURE) && sparse()
            }
            _ => self.observers.list.watch_any().intersects(Watch::DEPARTURE),
        }
    }

    pub(super) fn refresh_watch_since(&mut self, version: u64) {
        if self.observers.list.version() != version {
            self.refresh_watch();
        }
    }

    /// The observers of an entity go with it.
    pub(crate) fn forget_own_observers(&mut self, entity: Entity) {
        if self.observers.list.has_own(entity) {
            for id in self.observers.list.of_entity(entity) {
                self.remove_observer(id);
            }
        }
    }
}

impl EntityWorldMut<'_> {
    /// Adds an observer for the events of this entity alone; see [`World::observe`].
    ///
    /// # Panics
    /// As [`World::add_observer`].
    #[track_caller]
    pub fn observe<M: 'static>(&mut self, observer: impl ObserverFunction<M>) -> &mut Self {
        let entity = self.id();
        // Nothing to observe on an entity that its own observers have despawned.
        let _ = self.world_mut().observe(entity, observer);
        self
    }
}

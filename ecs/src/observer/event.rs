//! Events: the four that structural changes give, and those that users trigger.

use std::any::{Any, TypeId};

use super::values::Values;
use super::watch::Watch;
use crate::component::info::ComponentId;
use crate::entity::Entity;

/// Data that observers are told of by [`World::trigger`](crate::World::trigger) and
/// [`World::trigger_for`](crate::World::trigger_for). Derive it.
///
/// Observers get it by reference, so each of them sees the same. A triggered event is a signal: it
/// is over when those who are there have heard it. What has to wait for its readers is sent to a
/// queue, which the crate `orrery` has for events that are also `Clone` and `StateHash`; nothing
/// sent is triggered, and nothing triggered waits.
///
/// ```
/// use orrery_ecs::{Event, On, ResMut, Resource, World};
/// #[derive(Clone, Default, Resource)]
/// struct Score(u32);
/// #[derive(Event)]
/// struct Won {
///     points: u32,
/// }
/// let mut world = World::new();
/// world.init_resource::<Score>();
/// world.add_observer(|on: On<Won>, mut score: ResMut<Score>| score.0 += on.event().points);
/// world.trigger(Won { points: 3 });
/// assert_eq!(world.resource::<Score>().0, 3);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an event",
    label = "not an event",
    note = "write `#[derive(Event)]` above its definition"
)]
pub trait Event: Send + Sync + 'static {
    /// Name with its module path, for messages.
    #[doc(hidden)]
    const NAME: &'static str;
}

/// What an observer can watch: [`Add`], [`Insert`], [`Remove`], [`Despawn`] or an [`Event`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an event",
    label = "not an event",
    note = "observers watch Add, Insert, Remove, Despawn, or a type with `#[derive(Event)]`"
)]
pub trait ObserverEvent: 'static {
    #[doc(hidden)]
    const EVENT_NAME: &'static str;
    #[doc(hidden)]
    const LIFECYCLE: Option<Lifecycle>;
}

impl<E: Event> ObserverEvent for E {
    const EVENT_NAME: &'static str = E::NAME;
    const LIFECYCLE: Option<Lifecycle> = None;
}

/// The events that structural changes give, in the order in which one change gives them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum Lifecycle {
    Add,
    Insert,
    Despawn,
    Remove,
}

impl Lifecycle {
    pub(crate) const COUNT: usize = 4;
    pub(crate) const ALL: [Self; Self::COUNT] =
        [Self::Add, Self::Insert, Self::Despawn, Self::Remove];

    pub(crate) fn watch(self) -> Watch {
        match self {
            Self::Add => Watch::ADD,
            Self::Insert => Watch::INSERT,
            Self::Despawn => Watch::DESPAWN,
            Self::Remove => Watch::REMOVE,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Add => "Add",
            Self::Insert => "Insert",
            Self::Despawn => "Despawn",
            Self::Remove => "Remove",
        }
    }
}

/// An event of structural changes.
pub trait LifecycleEvent: ObserverEvent {}

/// An event that comes with the values that left: [`Remove`] and [`Despawn`].
pub trait DepartureEvent: LifecycleEvent {}

macro_rules! lifecycle {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name(());

        impl ObserverEvent for $name {
            const EVENT_NAME: &'static str = stringify!($name);
            const LIFECYCLE: Option<Lifecycle> = Some(Lifecycle::$name);
        }

        impl LifecycleEvent for $name {}
    )*};
}

lifecycle! {
    /// An entity got a component that it did not have.
    ///
    /// ```
    /// use orrery_ecs::{Add, Component, On, ResMut, Resource, World};
    /// #[derive(Clone, Copy, Component)]
    /// struct Health(u32);
    /// #[derive(Clone, Default, Resource)]
    /// struct Told(Vec<u32>);
    /// let mut world = World::new();
    /// world.init_resource::<Told>();
    /// world.add_observer(|_: On<Add, Health>, mut told: ResMut<Told>| told.0.push(1));
    /// let entity = world.spawn(Health(3)).id();
    /// world.entity_mut(entity).insert(Health(2)).remove::<Health>().insert(Health(1));
    /// assert_eq!(world.resource::<Told>().0.len(), 2);
    /// ```
    Add
    /// An entity was given a component, whether it had one before or not. What was overwritten is
    /// lent by [`On::replaced`](crate::On::replaced).
    ///
    /// ```
    /// use orrery_ecs::{Component, Insert, On, ResMut, Resource, World};
    /// #[derive(Clone, Copy, Component)]
    /// struct Health(u32);
    /// #[derive(Clone, Default, Resource)]
    /// struct Told(Vec<u32>);
    /// let mut world = World::new();
    /// world.init_resource::<Told>();
    /// world.add_observer(|on: On<Insert, Health>, mut told: ResMut<Told>| {
    ///     told.0.push(on.replaced::<Health>().map_or(0, |old| old.0));
    /// });
    /// world.spawn(Health(3)).insert(Health(2));
    /// assert_eq!(world.resource::<Told>().0, [0, 3]);
    /// ```
    Insert
    /// A component left an entity: it was removed, taken, or its entity despawned. The values that
    /// left are lent by [`On::removed`](crate::On::removed).
    ///
    /// ```
    /// use orrery_ecs::{Component, On, Remove, ResMut, Resource, World};
    /// #[derive(Clone, Copy, Component)]
    /// struct Health(u32);
    /// #[derive(Clone, Default, Resource)]
    /// struct Told(Vec<u32>);
    /// let mut world = World::new();
    /// world.init_resource::<Told>();
    /// world.add_observer(|on: On<Remove, Health>, mut told: ResMut<Told>| {
    ///     told.0.extend(on.removed::<Health>().map(|health| health.0));
    /// });
    /// let entity = world.spawn(Health(3)).remove::<Health>().insert(Health(2)).id();
    /// world.entity_mut(entity).despawn();
    /// assert_eq!(world.resource::<Told>().0, [3, 2]);
    /// ```
    Remove
    /// An entity was despawned. `On<Despawn>` watches every entity, `On<Despawn, C>` those that
    /// had a component. All its values are lent by [`On::removed`](crate::On::removed).
    ///
    /// ```
    /// use orrery_ecs::{Component, Despawn, On, ResMut, Resource, World};
    /// #[derive(Clone, Copy, Component)]
    /// struct Health(u32);
    /// #[derive(Clone, Default, Resource)]
    /// struct Told(Vec<u32>);
    /// let mut world = World::new();
    /// world.init_resource::<Told>();
    /// world.add_observer(|on: On<Despawn>, mut told: ResMut<Told>| {
    ///     told.0.extend(on.removed::<Health>().map(|health| health.0));
    /// });
    /// world.spawn(()).despawn();
    /// world.spawn(Health(3)).despawn();
    /// assert_eq!(world.resource::<Told>().0, [3]);
    /// ```
    Despawn
}

impl DepartureEvent for Remove {}
impl DepartureEvent for Despawn {}

/// One event on its way to those who watch.
pub(crate) struct Occurrence<'a> {
    pub(crate) entity: Option<Entity>,
    pub(crate) what: What<'a>,
}

/// What happened.
pub(crate) enum What<'a> {
    Change {
        kind: Lifecycle,
        components: &'a [ComponentId],
        left: Lent<'a>,
    },
    Event {
        name: &'static str,
        data: &'a (dyn Any + Send + Sync),
    },
}

/// Values that left their entity, for reading.
#[derive(Clone, Copy)]
pub(crate) struct Lent<'a> {
    pub(crate) values: &'a Values,
    /// Which of several entities.
    pub(crate) row: usize,
}

impl<'a> Occurrence<'a> {
    pub(crate) fn name(&self) -> &'static str {
        match self.what {
            What::Change { kind, .. } => kind.name(),
            What::Event { name, .. } => name,
        }
    }

    /// The components that it is about; none for an event of a user.
    pub(crate) fn components(&self) -> &'a [ComponentId] {
        match self.what {
            What::Change { components, .. } => components,
            What::Event { .. } => &[],
        }
    }

    pub(crate) fn left(&self) -> Option<Lent<'a>> {
        match self.what {
            What::Change { left, .. } => Some(left),
            What::Event { .. } => None,
        }
    }

    /// Whether it is what an observer of these watches; no components stand for any.
    pub(crate) fn matches(&self, watched: &Watched) -> bool {
        match (&self.what, watched) {
            (
                What::Change {
                    kind, components, ..
                },
                Watched::Change(watched, of),
            ) => kind == watched && (of.is_empty() || of.iter().any(|id| components.contains(id))),
            // The trait object's own type: a reference to it would have another.
            (What::Event { data, .. }, Watched::Event(watched)) => (**data).type_id() == *watched,
            _ => false,
        }
    }
}

/// What an observer watches.
#[derive(Clone)]
pub(crate) enum Watched {
    /// Changes of some components; of any where none is named.
    Change(Lifecycle, Box<[ComponentId]>),
    Event(TypeId),
}

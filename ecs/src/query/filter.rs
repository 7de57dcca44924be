//! Which archetypes a query visits beyond those that have what it gives.

use std::marker::PhantomData;

use crate::archetype::Archetype;
use crate::component::Component;
use crate::component::info::ComponentId;
use crate::query::FilteredAccess;
use crate::world::World;

/// A condition on the set of components: [`With`], [`Without`], and tuples, whose elements must
/// all hold. `()` always holds.
///
/// # Safety
/// `matches` is false for every archetype that lacks a component which `access` adds to `with`,
/// or has one which it adds to `without`: that keeps two queries of the same component apart.
pub unsafe trait QueryFilter {
    /// Numbers of the components in one world.
    #[doc(hidden)]
    type State: Clone + Send + Sync;
    #[doc(hidden)]
    fn init(world: &mut World) -> Self::State;
    #[doc(hidden)]
    fn access(state: &Self::State, access: &mut FilteredAccess);
    #[doc(hidden)]
    fn matches(state: &Self::State, archetype: &Archetype) -> bool;
}

/// Only entities that have `T`.
#[derive(Debug)]
pub struct With<T>(PhantomData<fn() -> T>);

/// Only entities that lack `T`.
#[derive(Debug)]
pub struct Without<T>(PhantomData<fn() -> T>);

// SAFETY: it adds nothing.
unsafe impl QueryFilter for () {
    type State = ();

    fn init(_: &mut World) {}
    fn access((): &(), _: &mut FilteredAccess) {}

    fn matches((): &(), _: &Archetype) -> bool {
        true
    }
}

// SAFETY: `matches` asks for the component that `access` adds.
unsafe impl<T: Component> QueryFilter for With<T> {
    type State = ComponentId;

    fn init(world: &mut World) -> ComponentId {
        world.register_component::<T>()
    }
    fn access(state: &ComponentId, access: &mut FilteredAccess) {
        access.with.insert(*state);
    }

    fn matches(state: &ComponentId, archetype: &Archetype) -> bool {
        archetype.set().contains(*state)
    }
}

// SAFETY: `matches` refuses the component that `access` adds.
unsafe impl<T: Component> QueryFilter for Without<T> {
    type State = ComponentId;

    fn init(world: &mut World) -> ComponentId {
        world.register_component::<T>()
    }
    fn access(state: &ComponentId, access: &mut FilteredAccess) {
        access.without.insert(*state);
    }

    fn matches(state: &ComponentId, archetype: &Archetype) -> bool {
        !archetype.set().contains(*state)
    }
}

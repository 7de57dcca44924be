//! What a function may ask for: queries, resources, commands.

use crate::commands::{CommandQueue, Commands};
use crate::error::AccessConflict;
use crate::query::{FilteredAccess, Query, QueryData, QueryFilter, QueryState};
use crate::resource::{Res, ResMut, Resource, ResourceId};
use crate::world::World;

/// Everything that the parameters of one system touch.
#[derive(Debug, Default)]
pub struct SystemAccess {
    system: &'static str,
    queries: Vec<(FilteredAccess, &'static str)>,
    resources: Vec<(ResourceId, bool, &'static str)>,
}

impl SystemAccess {
    pub(crate) fn new(system: &'static str) -> Self {
        Self {
            system,
            ..Self::default()
        }
    }

    pub(crate) fn add_query(
        &mut self,
        access: &FilteredAccess,
        query: &'static str,
        world: &World,
    ) -> Result<(), AccessConflict> {
        for (other, first) in &self.queries {
            if let Some(id) = access.conflict(other) {
                return Err(AccessConflict {
                    user: format!("system {}", self.system),
                    first,
                    second: query,
                    data: world.component_name(id),
                    advice: "add With and Without filters that keep them apart, or ask once",
                });
            }
        }
        self.queries.push((access.clone(), query));
        Ok(())
    }

    fn add_resource(
        &mut self,
        id: ResourceId,
        write: bool,
        param: &'static str,
        world: &World,
    ) -> Result<(), AccessConflict> {
        for &(other, other_writes, first) in &self.resources {
            if id == other && (write || other_writes) {
                return Err(AccessConflict {
                    user: format!("system {}", self.system),
                    first,
                    second: param,
                    data: world.resources.name(id),
                    advice: "ask for it once, as ResMut",
                });
            }
        }
        self.resources.push((id, write, param));
        Ok(())
    }
}

/// A parameter of a system function.
///
/// # Safety
/// `get` touches only what `init` added to the access.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of a system",
    note = "systems take Query, Res, ResMut, Option<Res>, Option<ResMut> and Commands"
)]
pub unsafe trait SystemParam {
    /// Kept between runs.
    #[doc(hidden)]
    type State: Send + 'static;
    /// The parameter with the lifetimes of one run.
    type Item<'w, 's>;

    #[doc(hidden)]
    fn init(world: &mut World, access: &mut SystemAccess) -> Result<Self::State, AccessConflict>;
    /// Readies what `get` touches; names the resource that is missing.
    #[doc(hidden)]
    fn prepare(state: &mut Self::State, world: &mut World) -> Result<(), &'static str>;
    /// # Safety
    /// `prepare` was called for this world, which is unchanged since; no two parameters of the
    /// system conflict, and nobody else uses what they touch for `'w`.
    #[doc(hidden)]
    unsafe fn get<'w, 's>(state: &'s mut Self::State, world: &'w World) -> Self::Item<'w, 's>;
    /// Does what was put off until the system has ended.
    #[doc(hidden)]
    fn apply(_: &mut Self::State, _: &mut World) {}
    /// Forgets what was put off by a run that panicked.
    #[doc(hidden)]
    fn discard(_: &mut Self::State) {}
}

/// A parameter that a chunk system may use on several threads at once: [`Res`].
///
/// # Safety
/// `share` gives only shared access.
pub unsafe trait SharedParam: SystemParam {
    /// The parameter for one call.
    #[doc(hidden)]
    fn share<'w, 's>(item: &Self::Item<'w, 's>) -> Self::Item<'w, 's>;
}

// SAFETY: the query's own access is added.
unsafe impl<D, F> SystemParam for Query<'_, '_, D, F>
where
    D: QueryData + 'static,
    F: QueryFilter + 'static,
{
    type State = QueryState<D, F>;
    type Item<'w, 's> = Query<'w, 's, D, F>;

    fn init(world: &mut World, access: &mut SystemAccess) -> Result<Self::State, AccessConflict> {
        let state = QueryState::new(world)?;
        access.add_query(state.access(), std::any::type_name::<D>(), world)?;
        Ok(state)
    }

    fn prepare(state: &mut Self::State, world: &mut World) -> Result<(), &'static str> {
        state.prepare(world);
        Ok(())
    }

    unsafe fn get<'w, 's>(state: &'s mut Self::State, world: &'w World) -> Query<'w, 's, D, F> {
        // SAFETY: passed on from the caller.
        unsafe { state.view_unchecked(world) }
    }

    fn apply(state: &mut Self::State, _: &mut World) {
        state.finish_run();
    }
}

// SAFETY: the resource is added as read.
unsafe impl<R: Resource> SystemParam for Res<'_, R> {
    type State = ResourceId;
    type Item<'w, 's> = Res<'w, R>;

    fn init(world: &mut World, access: &mut SystemAccess) -> Result<ResourceId, AccessConflict> {
        let id = world.resources.register::<R>();
        access.add_resource(id, false, std::any::type_name::<Self>(), world)?;
        Ok(id)
    }

    fn prepare(_: &mut ResourceId, world: &mut World) -> Result<(), &'static str> {
        world.get_resource::<R>().map(|_| ()).ok_or(R::NAME)
    }

    unsafe fn get<'w, 's>(state: &'s mut Self::State, world: &'w World) -> Self::Item<'w, 's> {
        // SAFETY: `init` gave this number to `R`; nobody writes it, by the caller.
        let resource = unsafe { world.resources.get::<R>(*state) };
        Res(resource.expect("`prepare` found it"))
    }
}

// SAFETY: a shared reference, copied.
unsafe impl<R: Resource> SharedParam for Res<'_, R> {
    fn share<'w, 's>(item: &Self::Item<'w, 's>) -> Self::Item<'w, 's> {
        *item
    }
}

// SAFETY: the resource is added as written.
unsafe impl<R: Resource> SystemParam for ResMut<'_, R> {
    type State = ResourceId;
    type Item<'w, 's> = ResMut<'w, R>;

    fn init(world: &mut World, access: &mut SystemAccess) -> Result<ResourceId, AccessConflict> {
        let id = world.resources.register::<R>();
        access.add_resource(id, true, std::any::type_name::<Self>(), world)?;
        Ok(id)
    }

    fn prepare(state: &mut ResourceId, world: &mut World) -> Result<(), &'static str> {
        world.resources.unshare(*state);
        world.get_resource::<R>().map(|_| ()).ok_or(R::NAME)
    }

    unsafe fn get<'w, 's>(state: &'s mut Self::State, world: &'w World) -> Self::Item<'w, 's> {
        // SAFETY: `init` gave this number to `R`, `prepare` unshared it, and nobody else uses
        // it, by the caller.
        let resource = unsafe { world.resources.get_mut::<R>(*state) };
        ResMut(resource.expect("`prepare` found it"))
    }
}

macro_rules! optional {
    ($name:ident, $unshare:expr, $get:ident, $write:expr) => {
        // SAFETY: the resource is added, whether it is there or not.
        unsafe impl<R: Resource> SystemParam for Option<$name<'_, R>> {
            type State = ResourceId;
            type Item<'w, 's> = Option<$name<'w, R>>;

            fn init(
                world: &mut World,
                access: &mut SystemAccess,
            ) -> Result<ResourceId, AccessConflict> {
                let id = world.resources.register::<R>();
                access.add_resource(id, $write, std::any::type_name::<Self>(), world)?;
                Ok(id)
            }

            fn prepare(state: &mut ResourceId, world: &mut World) -> Result<(), &'static str> {
                let unshare: fn(&mut World, ResourceId) = $unshare;
                unshare(world, *state);
                Ok(())
            }

            unsafe fn get<'w, 's>(
                state: &'s mut Self::State,
                world: &'w World,
            ) -> Self::Item<'w, 's> {
                // SAFETY: as for the parameter without Option.
                unsafe { world.resources.$get::<R>(*state) }.map($name)
            }
        }
    };
}

optional!(Res, |_, _| (), get, false);
optional!(
    ResMut,
    |world, id| world.resources.unshare(id),
    get_mut,
    true
);

// SAFETY: a shared reference, copied.
unsafe impl<R: Resource> SharedParam for Option<Res<'_, R>> {
    fn share<'w, 's>(item: &Self::Item<'w, 's>) -> Self::Item<'w, 's> {
        *item
    }
}

// SAFETY: reads only the entity table, through its own atomic cursor.
unsafe impl SystemParam for Commands<'_, '_> {
    type State = CommandQueue;
    type Item<'w, 's> = Commands<'w, 's>;

    fn init(_: &mut World, _: &mut SystemAccess) -> Result<CommandQueue, AccessConflict> {
        Ok(CommandQueue::default())
    }

    fn prepare(_: &mut CommandQueue, _: &mut World) -> Result<(), &'static str> {
        Ok(())
    }

    unsafe fn get<'w, 's>(state: &'s mut CommandQueue, world: &'w World) -> Commands<'w, 's> {
        Commands::new(state, world)
    }

    fn apply(state: &mut CommandQueue, world: &mut World) {
        state.apply(world);
    }

    fn discard(state: &mut CommandQueue) {
        *state = CommandQueue::default();
    }
}

macro_rules! tuples {
    ($($name:ident $index:tt)*) => {
        // SAFETY: the elements keep the contract; `init` checks them against each other.
        unsafe impl<$($name: SystemParam),*> SystemParam for ($($name,)*) {
            type State = ($($name::State,)*);
            type Item<'w, 's> = ($($name::Item<'w, 's>,)*);

            #[allow(unused_variables, reason = "the empty tuple needs nothing")]
            fn init(
                world: &mut World,
                access: &mut SystemAccess,
            ) -> Result<Self::State, AccessConflict> {
                Ok(($($name::init(world, access)?,)*))
            }

            #[allow(unused_variables, reason = "the empty tuple needs nothing")]
            fn prepare(state: &mut Self::State, world: &mut World) -> Result<(), &'static str> {
                $($name::prepare(&mut state.$index, world)?;)*
                Ok(())
            }

            #[allow(unused_variables, clippy::unused_unit, reason = "the empty tuple")]
            unsafe fn get<'w, 's>(
                state: &'s mut Self::State,
                world: &'w World,
            ) -> Self::Item<'w, 's> {
                // SAFETY: passed on from the caller, element by element.
                ($(unsafe { $name::get(&mut state.$index, world) },)*)
            }

            #[allow(unused_variables, reason = "the empty tuple puts nothing off")]
            fn apply(state: &mut Self::State, world: &mut World) {
                $($name::apply(&mut state.$index, world);)*
            }

            #[allow(unused_variables, reason = "the empty tuple puts nothing off")]
            fn discard(state: &mut Self::State) {
                $($name::discard(&mut state.$index);)*
            }
        }

        // SAFETY: as the elements.
        unsafe impl<$($name: SharedParam),*> SharedParam for ($($name,)*) {
            #[allow(unused_variables, clippy::unused_unit, reason = "the empty tuple")]
            fn share<'w, 's>(item: &Self::Item<'w, 's>) -> Self::Item<'w, 's> {
                ($($name::share(&item.$index),)*)
            }
        }
    };
}

tuples!();
tuples!(A 0);
tuples!(A 0 B 1);
tuples!(A 0 B 1 C 2);
tuples!(A 0 B 1 C 2 D 3);
tuples!(A 0 B 1 C 2 D 3 E 4);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5 G 6);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11);

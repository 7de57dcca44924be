//! Resources as parameters: those of any thread, and those that stay on theirs.

use super::{BlockOf, Run, SharedParam, SystemParam};
use crate::component::Ticks;
use crate::error::AccessConflict;
use crate::resource::{
    NonSend, NonSendError, NonSendId, NonSendMut, Res, ResMut, Resource, ResourceId,
};
use crate::system::access::{SystemMeta, Target};
use crate::system::error::ParamError;
use crate::world::World;

fn init_resource<P, R: Resource>(
    world: &mut World,
    meta: &mut SystemMeta,
    write: bool,
) -> Result<ResourceId, AccessConflict> {
    let id = world.resources.register::<R>();
    meta.claim::<P>(Target::Resource { id, write }, world)?;
    Ok(id)
}

macro_rules! resource {
    ($name:ident, $get:ident, $write:expr) => {
        // SAFETY: the resource is claimed, for writing where it is written.
        unsafe impl<R: Resource> SystemParam for $name<'_, R> {
            type State = ResourceId;
            type Item<'w, 's> = $name<'w, R>;
            const DEFERS: bool = false;
            const HOLDS: bool = false;

            fn init(
                world: &mut World,
                meta: &mut SystemMeta,
            ) -> Result<ResourceId, AccessConflict> {
                init_resource::<Self, R>(world, meta, $write)
            }

            fn validate(state: &mut ResourceId, world: &World, _: Run) -> Result<(), ParamError> {
                let there = world.resources.contains(*state);
                there
                    .then_some(())
                    .ok_or(ParamError::MissingResource(R::NAME))
            }

            fn prepare(state: &mut ResourceId, world: &mut World, _: Run) {
                if $write {
                    world.resources.unshare(*state);
                }
            }

            unsafe fn get<'w, 's>(
                state: &'s mut ResourceId,
                world: &'w World,
                ticks: Ticks,
            ) -> Self::Item<'w, 's> {
                // SAFETY: `init` gave this number to `R`, and `prepare` unshared it if it is
                // written; who else may use it, the caller guarantees.
                let resource = unsafe { world.resources.$get::<R>(*state, ticks) };
                resource.expect("`validate` found it")
            }
        }

        // SAFETY: the resource is claimed, whether it is there or not.
        unsafe impl<R: Resource> SystemParam for Option<$name<'_, R>> {
            type State = ResourceId;
            type Item<'w, 's> = Option<$name<'w, R>>;
            const DEFERS: bool = false;
            const HOLDS: bool = false;

            fn init(
                world: &mut World,
                meta: &mut SystemMeta,
            ) -> Result<ResourceId, AccessConflict> {
                init_resource::<Self, R>(world, meta, $write)
            }

            fn prepare(state: &mut ResourceId, world: &mut World, run: Run) {
                <$name<'_, R>>::prepare(state, world, run);
            }

            unsafe fn get<'w, 's>(
                state: &'s mut ResourceId,
                world: &'w World,
                ticks: Ticks,
            ) -> Self::Item<'w, 's> {
                // SAFETY: as for the parameter without Option.
                unsafe { world.resources.$get::<R>(*state, ticks) }
            }
        }
    };
}

resource!(Res, res, false);
resource!(ResMut, res_mut, true);

// SAFETY: a shared reference, copied.
unsafe impl<R: Resource> SharedParam for Res<'_, R> {
    unsafe fn share<'w, 's>(item: &Self::Item<'w, 's>, _: BlockOf) -> Self::Item<'w, 's> {
        *item
    }
}

// SAFETY: a shared reference, copied.
unsafe impl<R: Resource> SharedParam for Option<Res<'_, R>> {
    unsafe fn share<'w, 's>(item: &Self::Item<'w, 's>, _: BlockOf) -> Self::Item<'w, 's> {
        *item
    }
}

fn init_non_send<P, T: 'static>(
    world: &mut World,
    meta: &mut SystemMeta,
    write: bool,
) -> Result<NonSendId, AccessConflict> {
    let id = world.non_send.register::<T>();
    meta.claim::<P>(Target::NonSend { id, write }, world)?;
    Ok(id)
}

macro_rules! non_send {
    ($name:ident, $write:expr $(, $mutable:tt)?) => {
        // SAFETY: the resource is claimed, for writing where it is written.
        unsafe impl<T: 'static> SystemParam for $name<'_, T> {
            type State = NonSendId;
            type Item<'w, 's> = $name<'w, T>;
            const DEFERS: bool = false;
            const HOLDS: bool = false;
            const SEND: bool = false;

            fn init(world: &mut World, meta: &mut SystemMeta) -> Result<NonSendId, AccessConflict> {
                init_non_send::<Self, T>(world, meta, $write)
            }

            fn validate(state: &mut NonSendId, world: &World, _: Run) -> Result<(), ParamError> {
                let found = world.non_send.find(*state);
                found.map(|_| ()).map_err(ParamError::NonSend)
            }

            unsafe fn get<'w, 's>(
                state: &'s mut NonSendId,
                world: &'w World,
                _: Ticks,
            ) -> Self::Item<'w, 's> {
                let value = world.non_send.find(*state).expect("`validate` found it");
                // SAFETY: the slot of `T` holds a `T`, this is its thread by `find`; who else may
                // use it, the caller guarantees.
                $name(unsafe { &$($mutable)? *value.cast::<T>() })
            }
        }

        // SAFETY: the resource is claimed, whether it is there or not.
        unsafe impl<T: 'static> SystemParam for Option<$name<'_, T>> {
            type State = NonSendId;
            type Item<'w, 's> = Option<$name<'w, T>>;
            const DEFERS: bool = false;
            const HOLDS: bool = false;
            const SEND: bool = false;

            fn init(world: &mut World, meta: &mut SystemMeta) -> Result<NonSendId, AccessConflict> {
                init_non_send::<Self, T>(world, meta, $write)
            }

            fn validate(state: &mut NonSendId, world: &World, _: Run) -> Result<(), ParamError> {
                match world.non_send.find(*state) {
                    Err(error @ NonSendError::OtherThread { .. }) => {
                        Err(ParamError::NonSend(error))
                    }
                    _ => Ok(()),
                }
            }

            unsafe fn get<'w, 's>(
                state: &'s mut NonSendId,
                world: &'w World,
                ticks: Ticks,
            ) -> Self::Item<'w, 's> {
                world.non_send.find(*state).ok()?;
                // SAFETY: as for the parameter without Option.
                Some(unsafe { <$name<'_, T>>::get(state, world, ticks) })
            }
        }
    };
}

non_send!(NonSend, false);
non_send!(NonSendMut, true, mut);

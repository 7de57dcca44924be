//! Systems made of functions of parameters.

use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use super::param::SystemAccess;
use super::{IntoSystem, System, SystemError, SystemParam, observers_ended_well};
use crate::query::BlockRunner;
use crate::world::{World, WorldId};

/// A function of system parameters, seen as one of a tuple of them.
pub trait ParamFunction<Marker>: Send + 'static {
    /// Its parameters.
    type Params: SystemParam;
    /// Calls it.
    fn call(&mut self, params: <Self::Params as SystemParam>::Item<'_, '_>);
}

/// A system made of a function.
pub struct FunctionSystem<F: ParamFunction<M>, M> {
    function: F,
    state: Option<(WorldId, <F::Params as SystemParam>::State)>,
    marker: PhantomData<fn() -> M>,
}

impl<F: ParamFunction<M>, M: 'static> System for FunctionSystem<F, M> {
    fn name(&self) -> &'static str {
        std::any::type_name::<F>()
    }

    fn initialize(&mut self, world: &mut World) -> Result<(), SystemError> {
        if self.state.as_ref().is_none_or(|(id, _)| *id != world.id()) {
            let mut access = SystemAccess::new(self.name());
            let state = F::Params::init(world, &mut access)?;
            self.state = Some((world.id(), state));
        }
        Ok(())
    }

    fn run(&mut self, world: &mut World, _: &dyn BlockRunner) -> Result<(), SystemError> {
        self.initialize(world)?;
        let system = self.name();
        let (_, state) = self.state.as_mut().expect("`initialize` made it");
        world.flush_reserved();
        world.advance_change_tick();
        F::Params::prepare(state, world)
            .map_err(|resource| SystemError::MissingResource { system, resource })?;
        // SAFETY: prepared above for this world; `init` found no conflict between parameters;
        // the exclusive borrow of the world keeps everybody else out while the function runs.
        let params = unsafe { F::Params::get(state, world) };
        let function = &mut self.function;
        let ran = catch_unwind(AssertUnwindSafe(|| function.call(params)));
        if let Err(panic) = ran {
            // Half of what a system wanted is not what it wanted.
            F::Params::discard(state);
            world.entities.cancel_reservations();
            resume_unwind(panic);
        }
        let errors = world.observer_error_count();
        F::Params::apply(state, world);
        observers_ended_well(system, errors, world)
    }
}

macro_rules! functions {
    ($($name:ident)*) => {
        impl<Func, $($name: SystemParam),*> ParamFunction<fn($($name),*)> for Func
        where
            Func: Send + 'static,
            for<'a> &'a mut Func:
                FnMut($($name),*) + FnMut($($name::Item<'_, '_>),*),
        {
            type Params = ($($name,)*);

            #[inline]
            #[allow(non_snake_case, reason = "the type's own name stands for its value")]
            #[allow(unused_variables, reason = "a function without parameters")]
            fn call(&mut self, params: ($($name::Item<'_, '_>,)*)) {
                // Written out so that the compiler picks the form with the run's lifetimes.
                #[allow(clippy::too_many_arguments, reason = "as many as the system has")]
                fn inner<$($name),*>(mut function: impl FnMut($($name),*), $($name: $name),*) {
                    function($($name),*);
                }
                let ($($name,)*) = params;
                inner(self, $($name),*);
            }
        }
    };
}

functions!();
functions!(A);
functions!(A B);
functions!(A B C);
functions!(A B C D);
functions!(A B C D E);
functions!(A B C D E F);
functions!(A B C D E F G);
functions!(A B C D E F G H);
functions!(A B C D E F G H I);
functions!(A B C D E F G H I J);
functions!(A B C D E F G H I J K);
functions!(A B C D E F G H I J K L);

/// Marks functions of parameters among all that can be made into systems.
pub struct FunctionMarker;

impl<F, M> IntoSystem<(FunctionMarker, M)> for F
where
    F: ParamFunction<M>,
    M: 'static,
{
    type System = FunctionSystem<F, M>;

    fn into_system(self) -> FunctionSystem<F, M> {
        FunctionSystem {
            function: self,
            state: None,
            marker: PhantomData,
        }
    }
}

//! Observers made of functions. All that is generic in an observer is here; the rest sees it as
//! [`ErasedObserver`].

use std::any::{Any, TypeId, type_name};
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use super::event::{ObserverEvent, Occurrence, Watched};
use super::on::{On, OnArgument};
use super::signal::Listener;
use crate::bundle::{Bundle, BundleComponents};
use crate::component::Component;
use crate::component::info::ComponentId;
use crate::error::AccessConflict;
use crate::system::{ParamError, SystemId, SystemParam, SystemState, SystemToken};
use crate::world::World;

type OnOf<'w, A> = On<'w, <A as OnArgument>::Event, <A as OnArgument>::Bundle>;

/// A function of an event and system parameters.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an observer",
    label = "not an observer",
    note = "write `#[orrery_ecs::check_system]` above the function to see which parameter is wrong",
    note = "an observer is a function whose first argument is On<..>, followed by system \
            parameters; it must be Fn, since the forks of a world share it"
)]
pub trait ObserverFunction<Marker>: Send + Sync + 'static {
    /// Its first argument.
    type On: OnArgument;
    /// The other parameters.
    type Params: SystemParam;
    /// Calls it.
    #[doc(hidden)]
    fn call(&self, on: OnOf<'_, Self::On>, params: <Self::Params as SystemParam>::Item<'_, '_>);
}

macro_rules! functions {
    ($($name:ident)*) => {
        impl<Func, Arg, $($name: SystemParam),*> ObserverFunction<fn(Arg, $($name),*)> for Func
        where
            Arg: OnArgument,
            Func: Send + Sync + 'static,
            for<'a> &'a Func:
                Fn(Arg, $($name),*) + Fn(OnOf<'_, Arg>, $($name::Item<'_, '_>),*),
        {
            type On = Arg;
            type Params = ($($name,)*);

            #[inline]
            #[allow(non_snake_case, reason = "the type's own name stands for its value")]
            #[allow(unused_variables, reason = "a function of the event alone")]
            fn call(&self, on: OnOf<'_, Arg>, params: ($($name::Item<'_, '_>,)*)) {
                // Written out so that the compiler picks the form with the run's lifetimes.
                #[allow(clippy::too_many_arguments, reason = "as many as the observer has")]
                fn inner<Arg, $($name),*>(
                    function: impl Fn(Arg, $($name),*),
                    on: Arg,
                    $($name: $name),*
                ) {
                    function(on, $($name),*);
                }
                let ($($name,)*) = params;
                inner(self, on, $($name),*);
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

/// What an observer keeps between its runs on one world.
pub(crate) type ParamState = Box<dyn Any + Send>;

/// An observer with its types erased.
pub(crate) trait ErasedObserver: Send + Sync {
    fn name(&self) -> &'static str;

    /// What it watches in a world, whose components are registered.
    fn watched(&self, world: &mut World) -> Watched;

    /// A state for its parameters, and where the world keeps what lasts from run to run: `slot`
    /// if it has one.
    fn init(
        &self,
        world: &mut World,
        slot: Option<SystemId>,
    ) -> Result<(ParamState, SystemId), AccessConflict>;

    /// The observer as a listener with a state of its own, if it can cause nothing.
    fn listener(self: Arc<Self>, world: &mut World, slot: SystemId) -> Option<Box<dyn Listener>>;

    /// Calls the function and does what its commands ask for. It was not called if there is an
    /// error.
    fn run(
        &self,
        state: &mut ParamState,
        world: &mut World,
        occurrence: &Occurrence<'_>,
    ) -> Result<(), ParamError>;
}

/// An observer that leaves nothing to be done at the end of a run.
struct FunctionListener<F: ObserverFunction<M>, M> {
    observer: Arc<FunctionObserver<F, M>>,
    state: StateOf<F, M>,
}

impl<F: ObserverFunction<M>, M: 'static> Listener for FunctionListener<F, M> {
    fn hear(&mut self, world: &mut World, occurrence: &Occurrence<'_>, tick: u64) -> u64 {
        let function = &self.observer.function;
        let call = |params: <F::Params as SystemParam>::Item<'_, '_>| {
            function.call(On::new(occurrence), params);
        };
        // SAFETY: the exclusive borrow of the world keeps everybody else out.
        match unsafe { self.state.run_lightly(world, tick, call) } {
            Ok(next) => next,
            Err(error) => {
                world.report_observer(error, self.observer.name(), occurrence);
                tick
            }
        }
    }
}

struct FunctionObserver<F, M> {
    function: F,
    token: SystemToken,
    marker: PhantomData<fn() -> M>,
}

/// Makes an observer of a function.
pub(crate) fn erase<F, M>(function: F) -> Arc<dyn ErasedObserver>
where
    F: ObserverFunction<M>,
    M: 'static,
{
    Arc::new(FunctionObserver {
        function,
        token: SystemToken::next(),
        marker: PhantomData,
    })
}

type StateOf<F, M> = SystemState<<F as ObserverFunction<M>>::Params>;

impl<F: ObserverFunction<M>, M: 'static> ErasedObserver for FunctionObserver<F, M> {
    fn name(&self) -> &'static str {
        type_name::<F>()
    }

    fn watched(&self, world: &mut World) -> Watched {
        watched::<<F::On as OnArgument>::Event, <F::On as OnArgument>::Bundle>(world)
    }

    fn init(
        &self,
        world: &mut World,
        slot: Option<SystemId>,
    ) -> Result<(ParamState, SystemId), AccessConflict> {
        let mut state = StateOf::<F, M>::of_observer::<F>(type_name::<F>(), self.token, slot);
        state.initialize(world)?;
        let id = state.id().expect("it was just initialized");
        Ok((Box::new(state), id))
    }

    fn listener(self: Arc<Self>, world: &mut World, slot: SystemId) -> Option<Box<dyn Listener>> {
        let mut state = StateOf::<F, M>::of_observer::<F>(type_name::<F>(), self.token, Some(slot));
        if let Err(conflict) = state.initialize(world) {
            unreachable!("its parameters were checked: {conflict}");
        }
        let observer = self;
        state
            .leaves_nothing()
            .then(|| Box::new(FunctionListener { observer, state }) as Box<dyn Listener>)
    }

    fn run(
        &self,
        state: &mut ParamState,
        world: &mut World,
        occurrence: &Occurrence<'_>,
    ) -> Result<(), ParamError> {
        let state: &mut StateOf<F, M> = state
            .downcast_mut()
            .expect("each observer gets its own states");
        let run = state.start(world)?;
        let view = &*world;
        let ran = catch_unwind(AssertUnwindSafe(|| {
            // SAFETY: started above for this world; the exclusive borrow that this run has of it
            // keeps everybody else out while the function runs.
            let params = unsafe { state.get(view, run) };
            self.function.call(On::new(occurrence), params);
        }));
        if let Err(panic) = ran {
            state.abort(world, run);
            resume_unwind(panic);
        }
        state.end(world, run);
        Ok(())
    }
}

struct Collect<'a>(&'a mut World, Vec<ComponentId>);

impl BundleComponents for Collect<'_> {
    fn add<C: Component>(&mut self) {
        let id = self.0.register_component::<C>();
        self.1.push(id);
    }
}

/// # Panics
/// When components are named beside an event of a user, which is of none.
fn watched<E: ObserverEvent, B: Bundle>(world: &mut World) -> Watched {
    let mut collect = Collect(world, Vec::new());
    B::components(&mut collect);
    let components = collect.1;
    match E::LIFECYCLE {
        Some(kind) => Watched::Change(kind, components.into()),
        None => {
            assert!(
                components.is_empty(),
                "On<{event}, {}>: only Add, Insert, Remove and Despawn are of components; write \
                 On<{event}>",
                type_name::<B>(),
                event = E::EVENT_NAME,
            );
            Watched::Event(TypeId::of::<E>())
        }
    }
}

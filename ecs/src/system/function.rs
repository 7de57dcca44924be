//! Systems made of functions of parameters.

use std::any::type_name;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use super::access::SystemAccess;
use super::error::{SystemFailure, SystemOutput};
use super::once::RunOnce;
use super::param::TakenLanes;
use super::parts::{BlockParts, OwnLane, SystemParts};
use super::pipe::{In, Pipe};
use super::run::SystemState;
use super::states::SystemId;
use super::{IntoSystem, System, SystemError, SystemParam};
use crate::query::BlockRunner;
use crate::world::World;

/// A function of system parameters, and of an input before them if its first argument is an
/// [`In`].
///
/// `Marker` tells the kinds of function apart and is always inferred.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a function of system parameters",
    label = "not a function of system parameters",
    note = "write `#[orrery_ecs::check_system]` above the function to see which parameter is wrong",
    note = "its arguments are system parameters, after an `In<..>` if it takes an input"
)]
pub trait SystemParamFunction<Marker>: Send + Sized + 'static {
    /// What it takes from the one before it in a [`pipe`](SystemParamFunction::pipe); `()` if
    /// nothing.
    type In: 'static;
    /// What it returns.
    type Out: 'static;
    /// Its parameters.
    type Params: SystemParam;

    /// Calls it.
    #[doc(hidden)]
    fn call(
        &mut self,
        input: Self::In,
        params: <Self::Params as SystemParam>::Item<'_, '_>,
    ) -> Self::Out;

    /// Its name in messages.
    #[doc(hidden)]
    fn name() -> &'static str {
        type_name::<Self>()
    }

    /// One system that runs this function and gives what it returns to the next one, which takes
    /// it as `In<..>`.
    ///
    /// The two are one system: their parameters may exclude each other, both are checked before
    /// either runs, and what their commands ask for is done when both have ended. As in a
    /// [`ParamSet`](crate::ParamSet), one that reads `&World` does not fork it where the other
    /// writes.
    ///
    /// ```
    /// use orrery_ecs::{In, Res, ResMut, Resource, SystemParamFunction, World};
    /// #[derive(Clone, Resource)]
    /// struct Score(u32);
    /// let mut world = World::new();
    /// world.insert_resource(Score(20));
    /// let half = |score: Res<Score>| score.0 / 2;
    /// let set = |In(value): In<u32>, mut score: ResMut<Score>| score.0 = value;
    /// world.run_system_once(half.pipe(set))?;
    /// assert_eq!(world.resource::<Score>().0, 10);
    /// # Ok::<(), orrery_ecs::SystemError>(())
    /// ```
    fn pipe<B, MB>(self, next: B) -> Pipe<Self, B, Marker, MB>
    where
        B: SystemParamFunction<MB, In = Self::Out>,
    {
        Pipe::new(self, next)
    }
}

/// A system made of a function.
pub struct FunctionSystem<F: SystemParamFunction<M>, M> {
    function: F,
    state: SystemState<F::Params>,
    marker: PhantomData<fn() -> M>,
}

impl<F: SystemParamFunction<M>, M> FunctionSystem<F, M> {
    pub(super) fn function(&self) -> &F {
        &self.function
    }

    /// Runs once; what the function returned decides, by `judge`, whether the run counts.
    fn run_judged<T>(
        &mut self,
        input: F::In,
        world: &mut World,
        judge: impl FnOnce(F::Out) -> Result<T, SystemFailure>,
    ) -> Result<T, SystemError> {
        let run = self.state.begin(world)?;
        let (function, state) = (&mut self.function, &mut self.state);
        let view = &*world;
        let ran = catch_unwind(AssertUnwindSafe(|| {
            // SAFETY: begun above for this world; the exclusive borrow that this run has of it
            // keeps everybody else out while the function runs.
            let params = unsafe { state.get(view, run) };
            function.call(input, params)
        }));
        let out = ran.unwrap_or_else(|panic| {
            self.state.abort(world, run);
            resume_unwind(panic)
        });
        match judge(out) {
            Ok(result) => {
                self.state.finish(world, run)?;
                Ok(result)
            }
            Err(source) => {
                self.state.abort(world, run);
                let system = self.state.name();
                Err(SystemError::Failed { system, source })
            }
        }
    }
}

impl<F, M> System for FunctionSystem<F, M>
where
    F: SystemParamFunction<M, In = (), Out: SystemOutput>,
    M: 'static,
{
    fn name(&self) -> &'static str {
        self.state.name()
    }

    fn id(&self) -> Option<SystemId> {
        self.state.id()
    }

    fn is_send(&self) -> bool {
        F::Params::SEND
    }

    fn access(&self) -> Option<&SystemAccess> {
        self.state.access()
    }

    fn initialize(&mut self, world: &mut World) -> Result<(), SystemError> {
        Ok(self.state.initialize(world)?)
    }

    fn run(&mut self, world: &mut World, _: &dyn BlockRunner) -> Result<(), SystemError> {
        self.run_judged((), world, SystemOutput::into_result)
    }

    fn is_owner_in(&self, world: &World, id: SystemId) -> bool {
        self.state.is_owner_in(world, id)
    }

    fn run_whole(
        &mut self,
        world: &mut World,
        runner: &dyn BlockRunner,
    ) -> Result<(), SystemError> {
        if self.state.is_light_in(world) {
            let run = self.state.begin_lightly(world)?;
            // SAFETY: begun a line above, and the exclusive borrow of the world keeps everybody
            // else out while the function runs.
            let params = unsafe { self.state.get(world, run) };
            let result = self.function.call((), params).into_result();
            if let Err(source) = result {
                let system = self.state.name();
                return Err(SystemError::Failed { system, source });
            }
            world.finish_run(run.system, run.ticks);
            return Ok(());
        }
        self.run_in_parts(world, runner)
    }

    fn parts(&mut self) -> Option<&mut dyn SystemParts> {
        Some(self)
    }
}

impl<F, M> FunctionSystem<F, M>
where
    F: SystemParamFunction<M, In = (), Out: SystemOutput>,
    M: 'static,
{
    /// A whole run with all that may be put back. Apart, so that a light one keeps little in
    /// registers.
    #[inline(never)]
    fn run_in_parts(
        &mut self,
        world: &mut World,
        runner: &dyn BlockRunner,
    ) -> Result<(), SystemError> {
        // A command of the system before it may have put another world here.
        if !self.state.is_of(world) {
            self.initialize(world)?;
        }
        self.state.open(world, None);
        // SAFETY: opened a line above, and the exclusive borrow of the world keeps everybody out.
        let ran = unsafe { self.execute(world, runner) };
        self.state.close(world, ran.is_ok());
        ran?;
        self.state.apply(world)
    }
}

// SAFETY: the parameters touch what they claimed, and the function has nothing else of the world.
unsafe impl<F, M> SystemParts for FunctionSystem<F, M>
where
    F: SystemParamFunction<M, In = (), Out: SystemOutput>,
    M: 'static,
{
    fn open(&mut self, world: &mut World, lane: OwnLane) {
        self.state.open(world, lane.0);
    }

    unsafe fn execute(&mut self, world: &World, _: &dyn BlockRunner) -> Result<(), SystemError> {
        let system = self.state.name();
        // SAFETY: passed on from the caller.
        let params = unsafe { self.state.look(world) }?;
        let result = self.function.call((), params).into_result();
        result.map_err(|source| SystemError::Failed { system, source })
    }

    fn close(&mut self, world: &mut World, counts: bool) {
        self.state.close(world, counts);
    }

    fn take_lanes(&mut self, lanes: &mut TakenLanes) {
        self.state.take_lanes(lanes);
    }

    fn apply(&mut self, world: &mut World) -> Result<(), SystemError> {
        self.state.apply(world)
    }

    fn forget(&mut self) {
        self.state.forget();
    }

    fn as_blocks(&mut self) -> Option<&mut dyn BlockParts> {
        None
    }
}

macro_rules! functions {
    ($($name:ident)*) => {
        impl<Func, Out, $($name: SystemParam),*> SystemParamFunction<fn($($name),*) -> Out> for Func
        where
            Func: Send + 'static,
            Out: 'static,
            for<'a> &'a mut Func:
                FnMut($($name),*) -> Out + FnMut($($name::Item<'_, '_>),*) -> Out,
        {
            type In = ();
            type Out = Out;
            type Params = ($($name,)*);

            #[inline]
            #[allow(non_snake_case, reason = "the type's own name stands for its value")]
            #[allow(unused_variables, reason = "a function without parameters")]
            fn call(&mut self, (): (), params: ($($name::Item<'_, '_>,)*)) -> Out {
                // Written out so that the compiler picks the form with the run's lifetimes.
                #[allow(clippy::too_many_arguments, reason = "as many as the system has")]
                fn inner<Out, $($name),*>(
                    mut function: impl FnMut($($name),*) -> Out,
                    $($name: $name),*
                ) -> Out {
                    function($($name),*)
                }
                let ($($name,)*) = params;
                inner(self, $($name),*)
            }
        }

        impl<Func, Input, Out, $($name: SystemParam),*>
            SystemParamFunction<(In<Input>, fn($($name),*) -> Out)> for Func
        where
            Func: Send + 'static,
            Input: 'static,
            Out: 'static,
            for<'a> &'a mut Func: FnMut(In<Input>, $($name),*) -> Out
                + FnMut(In<Input>, $($name::Item<'_, '_>),*) -> Out,
        {
            type In = Input;
            type Out = Out;
            type Params = ($($name,)*);

            #[inline]
            #[allow(non_snake_case, reason = "the type's own name stands for its value")]
            #[allow(unused_variables, reason = "a function of its input alone")]
            fn call(&mut self, input: Input, params: ($($name::Item<'_, '_>,)*)) -> Out {
                // As above.
                #[allow(clippy::too_many_arguments, reason = "as many as the system has")]
                fn inner<Input, Out, $($name),*>(
                    mut function: impl FnMut(In<Input>, $($name),*) -> Out,
                    input: Input,
                    $($name: $name),*
                ) -> Out {
                    function(In(input), $($name),*)
                }
                let ($($name,)*) = params;
                inner(self, input, $($name),*)
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
functions!(A B C D E F G H I J K L M);
functions!(A B C D E F G H I J K L M N);
functions!(A B C D E F G H I J K L M N O);
functions!(A B C D E F G H I J K L M N O P);

/// Marks functions of parameters among all that can be made into systems.
pub struct FunctionMarker;

impl<F, M> IntoSystem<(FunctionMarker, M)> for F
where
    F: SystemParamFunction<M, In = (), Out: SystemOutput>,
    M: 'static,
{
    type System = FunctionSystem<F, M>;

    fn into_system(self) -> FunctionSystem<F, M> {
        FunctionSystem {
            function: self,
            state: SystemState::new::<F>(F::name()),
            marker: PhantomData,
        }
    }
}

impl<F, M> RunOnce<(FunctionMarker, M)> for F
where
    F: SystemParamFunction<M, In = ()>,
    M: 'static,
{
    type Out = F::Out;

    fn run_once(self, world: &mut World) -> Result<F::Out, SystemError> {
        let mut system = FunctionSystem {
            function: self,
            state: SystemState::once::<F>(F::name()),
            marker: PhantomData,
        };
        system.run_judged((), world, Ok)
    }
}

//! Conditions: systems that say whether others shall run.

use std::marker::PhantomData;

use super::function::FunctionSystem;
use super::{FunctionMarker, IntoSystem, ParamSet, System, SystemParam, SystemParamFunction};

/// A system that answers whether others shall run.
pub trait Condition: System {
    /// What it answered in its last run; `false` before the first.
    fn answer(&self) -> bool;
}

/// Functions that can be made into a [`Condition`]: of system parameters, giving a `bool`.
///
/// What a condition touches counts as access, as a system's does; what it keeps in a
/// [`Local`](crate::Local) lies in the world. All parts of a composed condition are evaluated,
/// whatever the first says, so that none of them misses what is new to it.
///
/// ```
/// use orrery_ecs::{IntoCondition, Condition, Local, Res, Resource, Serial, System, World};
/// #[derive(Clone, Resource)]
/// struct Paused(bool);
/// fn paused(paused: Res<Paused>) -> bool {
///     paused.0
/// }
/// fn every_third(mut runs: Local<u32>) -> bool {
///     *runs += 1;
///     *runs % 3 == 0
/// }
/// let mut world = World::new();
/// world.insert_resource(Paused(false));
/// let mut condition = paused.not().and(every_third).into_condition();
/// let mut answers = Vec::new();
/// for _ in 0..6 {
///     condition.run(&mut world, &Serial)?;
///     answers.push(condition.answer());
/// }
/// assert_eq!(answers, [false, false, true, false, false, true]);
/// # Ok::<(), orrery_ecs::SystemError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a condition",
    label = "not a condition",
    note = "a condition is a function of system parameters that returns `bool`; its parameters are \
            Query, Single, Res, ResMut, Option of these, Local and the others of systems"
)]
pub trait IntoCondition<Marker>: Sized {
    /// The condition that it becomes.
    type Condition: Condition + 'static;
    /// The function.
    #[doc(hidden)]
    type Function: SystemParamFunction<Self::Marker, In = (), Out = bool>;
    #[doc(hidden)]
    type Marker: 'static;

    #[doc(hidden)]
    fn into_function(self) -> Self::Function;

    /// Makes the condition.
    fn into_condition(self) -> Self::Condition;

    /// True where both are.
    fn and<B: IntoCondition<M>, M>(
        self,
        other: B,
    ) -> Both<Self::Function, B::Function, Self::Marker, B::Marker> {
        Both::new(self.into_function(), other.into_function(), |a, b| a && b)
    }

    /// True where one of both is.
    fn or<B: IntoCondition<M>, M>(
        self,
        other: B,
    ) -> Both<Self::Function, B::Function, Self::Marker, B::Marker> {
        Both::new(self.into_function(), other.into_function(), |a, b| a || b)
    }

    /// True where it is not.
    fn not(self) -> Not<Self::Function, Self::Marker> {
        Not {
            function: self.into_function(),
            marker: PhantomData,
        }
    }
}

impl<F, M> IntoCondition<M> for F
where
    F: SystemParamFunction<M, In = (), Out = bool>,
    M: 'static,
{
    type Condition = FunctionSystem<Asks<F, M>, AsksMarker>;
    type Function = F;
    type Marker = M;

    fn into_function(self) -> F {
        self
    }

    fn into_condition(self) -> Self::Condition {
        let asks = Asks {
            function: self,
            answer: false,
            marker: PhantomData,
        };
        IntoSystem::<(FunctionMarker, AsksMarker)>::into_system(asks)
    }
}

/// A function whose answer is kept.
pub struct Asks<F, M> {
    function: F,
    answer: bool,
    marker: PhantomData<fn() -> M>,
}

/// Marks what is made by [`IntoCondition`] among the functions of parameters.
pub struct AsksMarker;

impl<F, M> SystemParamFunction<AsksMarker> for Asks<F, M>
where
    F: SystemParamFunction<M, In = (), Out = bool>,
    M: 'static,
{
    type In = ();
    type Out = ();
    type Params = F::Params;

    fn call(&mut self, (): (), params: <Self::Params as SystemParam>::Item<'_, '_>) {
        self.answer = self.function.call((), params);
    }

    fn name() -> &'static str {
        F::name()
    }
}

impl<F, M> Condition for FunctionSystem<Asks<F, M>, AsksMarker>
where
    F: SystemParamFunction<M, In = (), Out = bool>,
    M: 'static,
{
    fn answer(&self) -> bool {
        self.function().answer
    }
}

/// Two conditions as one; see [`IntoCondition::and`] and [`IntoCondition::or`].
pub struct Both<A, B, MA, MB> {
    first: A,
    second: B,
    join: fn(bool, bool) -> bool,
    markers: PhantomData<fn() -> (MA, MB)>,
}

impl<A, B, MA, MB> Both<A, B, MA, MB> {
    fn new(first: A, second: B, join: fn(bool, bool) -> bool) -> Self {
        Self {
            first,
            second,
            join,
            markers: PhantomData,
        }
    }
}

/// Marks [`Both`] among the functions of parameters.
pub struct BothMarker;

impl<A, B, MA, MB> SystemParamFunction<BothMarker> for Both<A, B, MA, MB>
where
    A: SystemParamFunction<MA, In = (), Out = bool>,
    B: SystemParamFunction<MB, In = (), Out = bool>,
    MA: 'static,
    MB: 'static,
{
    type In = ();
    type Out = bool;
    // One at a time: the first has ended when the second begins.
    type Params = ParamSet<'static, 'static, (A::Params, B::Params)>;

    fn call(&mut self, (): (), mut params: <Self::Params as SystemParam>::Item<'_, '_>) -> bool {
        let first = self.first.call((), params.p0());
        let second = self.second.call((), params.p1());
        (self.join)(first, second)
    }

    fn name() -> &'static str {
        std::any::type_name::<(A, B)>()
    }
}

/// The opposite of a condition; see [`IntoCondition::not`].
pub struct Not<F, M> {
    function: F,
    marker: PhantomData<fn() -> M>,
}

/// Marks [`Not`] among the functions of parameters.
pub struct NotMarker;

impl<F, M> SystemParamFunction<NotMarker> for Not<F, M>
where
    F: SystemParamFunction<M, In = (), Out = bool>,
    M: 'static,
{
    type In = ();
    type Out = bool;
    type Params = F::Params;

    fn call(&mut self, (): (), params: <Self::Params as SystemParam>::Item<'_, '_>) -> bool {
        !self.function.call((), params)
    }

    fn name() -> &'static str {
        F::name()
    }
}

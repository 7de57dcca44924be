//! Two functions as one system, the second working on what the first returned.

use std::any::type_name;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use super::{ParamSet, SystemParam, SystemParamFunction};

/// The input of a function in a [`pipe`](SystemParamFunction::pipe); its first argument.
///
/// ```
/// use orrery_ecs::{Component, In, IntoSystem, Query, ResMut, Resource, Serial, System};
/// use orrery_ecs::{SystemParamFunction, World};
/// #[derive(Clone, Copy, Component)]
/// struct Gold(u64);
/// #[derive(Clone, Default, Resource)]
/// struct Treasury(u64);
/// fn sum(gold: Query<&Gold>) -> u64 {
///     gold.iter().map(|gold| gold.0).sum()
/// }
/// fn keep(In(sum): In<u64>, mut treasury: ResMut<Treasury>) {
///     treasury.0 = sum;
/// }
/// let mut world = World::new();
/// world.init_resource::<Treasury>();
/// world.spawn_batch((0..5).map(Gold));
/// sum.pipe(keep).into_system().run(&mut world, &Serial)?;
/// assert_eq!(world.resource::<Treasury>().0, 10);
/// # Ok::<(), orrery_ecs::SystemError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct In<T>(pub T);

impl<T> Deref for In<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for In<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

/// Two functions as one; see [`SystemParamFunction::pipe`].
pub struct Pipe<A, B, MA, MB> {
    first: A,
    second: B,
    markers: PhantomData<fn() -> (MA, MB)>,
}

impl<A, B, MA, MB> Pipe<A, B, MA, MB> {
    pub(super) fn new(first: A, second: B) -> Self {
        Self {
            first,
            second,
            markers: PhantomData,
        }
    }
}

/// Marks pipes among the functions of parameters.
pub struct PipeMarker;

impl<A, B, MA, MB> SystemParamFunction<PipeMarker> for Pipe<A, B, MA, MB>
where
    A: SystemParamFunction<MA>,
    B: SystemParamFunction<MB, In = A::Out>,
    MA: 'static,
    MB: 'static,
{
    type In = A::In;
    type Out = B::Out;
    // One at a time: the first has ended when the second begins.
    type Params = ParamSet<'static, 'static, (A::Params, B::Params)>;

    fn call(
        &mut self,
        input: A::In,
        mut params: <Self::Params as SystemParam>::Item<'_, '_>,
    ) -> B::Out {
        let between = self.first.call(input, params.p0());
        self.second.call(between, params.p1())
    }

    fn name() -> &'static str {
        // Prints as both names in parentheses; the names of the markers tell nobody anything.
        type_name::<(A, B)>()
    }
}

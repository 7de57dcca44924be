//! Parameters that exclude each other, one at a time.

use std::marker::PhantomData;

use super::{Run, SystemParam, TakenLanes};
use crate::component::Ticks;
use crate::error::AccessConflict;
use crate::system::access::SystemMeta;
use crate::system::error::ParamError;
use crate::system::states::SystemId;
use crate::world::World;

/// Up to 8 parameters that may exclude each other, of which one is used at a time, by `p0()`,
/// `p1()`, ... A system parameter.
///
/// ```
/// use orrery_ecs::{Component, ParamSet, Query, World};
/// #[derive(Clone, Copy, Component)]
/// struct Health(u32);
/// let mut world = World::new();
/// world.spawn(Health(1));
/// fn heal(mut set: ParamSet<(Query<&mut Health>, &World)>) -> usize {
///     set.p0().for_each(|health| health.0 += 1);
///     set.p1().len()
/// }
/// assert_eq!(world.run_system_once(heal), Ok(1));
/// ```
///
/// A set of `&World` and something that writes must not fork the world: what was ready to be
/// written would be shared again. [`World::fork`] refuses and names the system.
///
/// What one of them gave must end before the next one is asked:
///
/// ```compile_fail,E0499
/// # use orrery_ecs::{Component, ParamSet, Query};
/// # #[derive(Clone, Copy, Component)]
/// # struct Health(u32);
/// fn both(mut set: ParamSet<(Query<&mut Health>, Query<&mut Health>)>) {
///     let (mut first, mut second) = (set.p0(), set.p1());
///     first.for_each(|a| second.for_each(|b| std::mem::swap(a, b)));
/// }
/// ```
pub struct ParamSet<'w, 's, T: SystemParam> {
    /// A pointer, since a reference would ask of `T` that it outlives `'s`, which the parameters
    /// of a function do not say of themselves.
    state: *mut T::State,
    world: &'w World,
    ticks: Ticks,
    marker: PhantomData<&'s mut ()>,
}

macro_rules! set {
    ($($name:ident $method:ident $index:tt)*) => {
        impl<$($name: SystemParam),*> ParamSet<'_, '_, ($($name,)*)> {
            $(
                /// The parameter with this number, for as long as no other is asked for.
                pub fn $method(&mut self) -> $name::Item<'_, '_> {
                    // SAFETY: `get` made it of a reference that is the set's for `'s`, and the
                    // borrow of the set keeps the other members out.
                    let state = unsafe { &mut *self.state };
                    // SAFETY: the set was prepared as a whole, its access is claimed against
                    // everything outside it, and the borrow of the set keeps the others out.
                    unsafe { $name::get(&mut state.$index, self.world, self.ticks) }
                }
            )*
        }

        // SAFETY: the members keep the contract, and only one of them is there at a time.
        unsafe impl<$($name: SystemParam),*> SystemParam for ParamSet<'_, '_, ($($name,)*)> {
            type State = ($($name::State,)*);
            type Item<'w, 's> = ParamSet<'w, 's, ($($name,)*)>;
            const SEND: bool = true $(&& $name::SEND)*;
            const SEES: bool = false $(|| $name::SEES)*;
            const DEFERS: bool = false $(|| $name::DEFERS)*;
            const HOLDS: bool = false $(|| $name::HOLDS)*;

            fn init(
                world: &mut World,
                meta: &mut SystemMeta,
            ) -> Result<Self::State, AccessConflict> {
                let mut set = meta.open_set();
                let state = ($({
                    let state = $name::init(world, meta)?;
                    set.end_member(meta);
                    state
                },)*);
                set.close(meta);
                Ok(state)
            }

            fn attach(state: &mut Self::State, world: &mut World, system: SystemId) {
                <($($name,)*)>::attach(state, world, system);
            }

            fn validate(
                state: &mut Self::State,
                world: &World,
                run: Run,
            ) -> Result<(), ParamError> {
                <($($name,)*)>::validate(state, world, run)
            }

            fn prepare(
                state: &mut Self::State,
                world: &mut World,
                run: Run,
            ) {
                <($($name,)*)>::prepare(state, world, run);
            }

            unsafe fn get<'w, 's>(
                state: &'s mut Self::State,
                world: &'w World,
                ticks: Ticks,
            ) -> Self::Item<'w, 's> {
                ParamSet {
                    state,
                    world,
                    ticks,
                    marker: PhantomData,
                }
            }

            fn release(state: &mut Self::State, world: &mut World, run: Run) {
                <($($name,)*)>::release(state, world, run);
            }

            fn take_lanes(state: &mut Self::State, lanes: &mut TakenLanes) {
                <($($name,)*)>::take_lanes(state, lanes);
            }

            fn apply(state: &mut Self::State, world: &mut World) {
                <($($name,)*)>::apply(state, world);
            }

            fn discard(state: &mut Self::State) {
                <($($name,)*)>::discard(state);
            }
        }
    };
}

set!(A p0 0);
set!(A p0 0 B p1 1);
set!(A p0 0 B p1 1 C p2 2);
set!(A p0 0 B p1 1 C p2 2 D p3 3);
set!(A p0 0 B p1 1 C p2 2 D p3 3 E p4 4);
set!(A p0 0 B p1 1 C p2 2 D p3 3 E p4 4 F p5 5);
set!(A p0 0 B p1 1 C p2 2 D p3 3 E p4 4 F p5 5 G p6 6);
set!(A p0 0 B p1 1 C p2 2 D p3 3 E p4 4 F p5 5 G p6 6 H p7 7);

//! Several parameters as one, and none.

use std::marker::PhantomData;

use super::{BlockOf, Run, SharedParam, SystemParam, TakenLanes};
use crate::component::Ticks;
use crate::error::AccessConflict;
use crate::system::access::SystemMeta;
use crate::system::error::ParamError;
use crate::system::states::SystemId;
use crate::world::World;

macro_rules! tuples {
    ($($name:ident $index:tt)*) => {
        // SAFETY: the elements keep the contract; `init` checks them against each other.
        #[allow(unused_variables, clippy::unused_unit, reason = "the empty tuple needs nothing")]
        unsafe impl<$($name: SystemParam),*> SystemParam for ($($name,)*) {
            type State = ($($name::State,)*);
            type Item<'w, 's> = ($($name::Item<'w, 's>,)*);
            const SEND: bool = true $(&& $name::SEND)*;
            const SEES: bool = false $(|| $name::SEES)*;
            const DEFERS: bool = false $(|| $name::DEFERS)*;
            const HOLDS: bool = false $(|| $name::HOLDS)*;
            const TOUCHES: bool = false $(|| $name::TOUCHES)*;

            fn init(
                world: &mut World,
                meta: &mut SystemMeta,
            ) -> Result<Self::State, AccessConflict> {
                Ok(($($name::init(world, meta)?,)*))
            }

            fn attach(state: &mut Self::State, world: &mut World, system: SystemId) {
                $($name::attach(&mut state.$index, world, system);)*
            }

            fn validate(
                state: &mut Self::State,
                world: &World,
                run: Run,
            ) -> Result<(), ParamError> {
                $($name::validate(&mut state.$index, world, run)?;)*
                Ok(())
            }

            fn prepare(
                state: &mut Self::State,
                world: &mut World,
                run: Run,
            ) {
                $($name::prepare(&mut state.$index, world, run);)*
            }

            unsafe fn get<'w, 's>(
                state: &'s mut Self::State,
                world: &'w World,
                ticks: Ticks,
            ) -> Self::Item<'w, 's> {
                // SAFETY: passed on from the caller, element by element.
                ($(unsafe { $name::get(&mut state.$index, world, ticks) },)*)
            }

            fn release(state: &mut Self::State, world: &mut World, run: Run) {
                $($name::release(&mut state.$index, world, run);)*
            }

            fn take_lanes(state: &mut Self::State, lanes: &mut TakenLanes) {
                $($name::take_lanes(&mut state.$index, lanes);)*
            }

            fn apply(state: &mut Self::State, world: &mut World) {
                $($name::apply(&mut state.$index, world);)*
            }

            fn discard(state: &mut Self::State) {
                $($name::discard(&mut state.$index);)*
            }
        }

        // SAFETY: as the elements.
        #[allow(unused_variables, clippy::unused_unit, reason = "the empty tuple needs nothing")]
        unsafe impl<$($name: SharedParam),*> SharedParam for ($($name,)*) {
            unsafe fn share<'w, 's>(
                item: &Self::Item<'w, 's>,
                block: BlockOf,
            ) -> Self::Item<'w, 's> {
                // SAFETY: passed on from the caller, element by element.
                ($(unsafe { $name::share(&item.$index, block) },)*)
            }
        }
    };
}

// SAFETY: there is nothing to touch. For structs with type parameters that no field has.
unsafe impl<T> SystemParam for PhantomData<T> {
    type State = ();
    type Item<'w, 's> = Self;
    const SEES: bool = false;
    const DEFERS: bool = false;
    const HOLDS: bool = false;

    fn init(_: &mut World, _: &mut SystemMeta) -> Result<(), AccessConflict> {
        Ok(())
    }

    unsafe fn get((): &mut (), _: &World, _: Ticks) -> Self {
        Self
    }
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
tuples!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14 P 15);

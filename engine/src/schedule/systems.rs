//! One system, or a tuple of them.

use orrery_ecs::{IntoSystem, System};

/// A system or a tuple of up to 12 systems and tuples.
///
/// `Marker` tells the kinds of function apart and is always inferred.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither a system nor a tuple of systems",
    label = "not a system",
    note = "write `#[orrery::ecs::check_system]` above the function to see which parameter is \
            wrong",
    note = "a system is a function whose parameters are Query, Single, Res, ResMut, Option of \
            these, Local, Commands, ParamSet, NonSend, NonSendMut, RemovedComponents, Related, \
            &World or tuples of these; or a Chunk first and then Res and Commands; or only \
            `&mut World`",
    note = "it returns nothing or `Result<(), E>`"
)]
pub trait IntoSystems<Marker> {
    /// Appends the systems, in order.
    #[doc(hidden)]
    fn add_to(self, systems: &mut Vec<Box<dyn System>>);
}

/// Marks single systems.
pub struct One;

impl<S, M> IntoSystems<(One, M)> for S
where
    S: IntoSystem<M>,
{
    fn add_to(self, systems: &mut Vec<Box<dyn System>>) {
        systems.push(Box::new(self.into_system()));
    }
}

/// Marks tuples.
pub struct Many;

macro_rules! tuples {
    ($($name:ident $marker:ident)*) => {
        impl<$($name, $marker),*> IntoSystems<(Many, $($marker,)*)> for ($($name,)*)
        where
            $($name: IntoSystems<$marker>),*
        {
            #[allow(non_snake_case, reason = "the type's own name stands for its value")]
            fn add_to(self, systems: &mut Vec<Box<dyn System>>) {
                let ($($name,)*) = self;
                $($name.add_to(systems);)*
            }
        }
    };
}

tuples!(A MA);
tuples!(A MA B MB);
tuples!(A MA B MB C MC);
tuples!(A MA B MB C MC D MD);
tuples!(A MA B MB C MC D MD E ME);
tuples!(A MA B MB C MC D MD E ME F MF);
tuples!(A MA B MB C MC D MD E ME F MF G MG);
tuples!(A MA B MB C MC D MD E ME F MF G MG H MH);
tuples!(A MA B MB C MC D MD E ME F MF G MG H MH I MI);
tuples!(A MA B MB C MC D MD E ME F MF G MG H MH I MI J MJ);
tuples!(A MA B MB C MC D MD E ME F MF G MG H MH I MI J MJ K MK);
tuples!(A MA B MB C MC D MD E ME F MF G MG H MH I MI J MJ K MK L ML);

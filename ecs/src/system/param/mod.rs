//! What a function may ask for.
//!
//! - `data`: queries, [`Single`], commands, `&World`;
//! - `resource`: resources, non-send ones too, and `Option` of them;
//! - `tuple`: several parameters as one;
//! - `set`: [`ParamSet`], parameters that exclude each other, one at a time;
//! - `kept`: [`Kept`] and [`KeptMut`], what parameters of other crates are built on.
//!
//! The life of a parameter, in a run of its system:
//!
//! ```text
//! attach    learns which system of the world it belongs to, before the first run
//! validate  looks whether everything is there, and changes nothing
//! prepare   readies what `get` touches: unshares what is written, takes locals out
//! get       makes the parameter; the function runs
//! release   puts back what `prepare` took out
//! lanes     hands over which handles were reserved, if other systems did so at the same time
//! apply     does what was put off, after a whole run; `discard` forgets it after another
//! ```

mod data;
mod kept;
mod resource;
mod set;
mod tuple;

use super::access::SystemMeta;
use super::error::ParamError;
use super::states::SystemId;
use crate::component::Ticks;
use crate::entity::Lane;
use crate::error::AccessConflict;
use crate::world::World;

pub(crate) use data::ChunkParam;
pub use data::Single;
pub use kept::{Keep, KeepMut, Kept, KeptMut, Late, ParamOwner};
pub use set::ParamSet;

/// One run of a system: which system of the world it is, and its change ticks.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct Run {
    pub(crate) system: SystemId,
    pub(crate) ticks: Ticks,
    /// Where handles are reserved if other systems may do so at the same time, and how many
    /// parameters of this system share it.
    pub(crate) lanes: Option<(Lane, usize)>,
}

/// What systems that ran at the same time have taken of their lanes.
#[derive(Debug, Default)]
#[doc(hidden)]
pub struct TakenLanes(pub(crate) Vec<Lane>);

/// A parameter of a system function.
///
/// | parameter | gives |
/// |---|---|
/// | [`Query<D, F>`](crate::Query) | components of all entities that match |
/// | [`Single<D, F>`](crate::Single) | components of the one entity that matches |
/// | [`Res<R>`](crate::Res), [`ResMut<R>`](crate::ResMut), `Option` of them | a resource |
/// | [`Local<T>`](crate::Local) | a value of the system's own |
/// | [`Commands`](crate::Commands) | structural changes, done after the system |
/// | [`RemovedComponents<T>`](crate::RemovedComponents) | entities that have lost a component |
/// | [`Related<R>`](crate::Related) | both sides of a relationship, up and down |
/// | [`ParamSet<(P0, P1, ..)>`](crate::ParamSet) | parameters that conflict, one at a time |
/// | [`NonSend<T>`](crate::NonSend), [`NonSendMut<T>`](crate::NonSendMut) | what keeps its thread |
/// | [`Kept<T>`](crate::Kept), [`KeptMut<T>`](crate::KeptMut) | what other crates' are built on |
/// | `&World` | everything, for reading |
/// | tuples of up to 16, nested as deep as needed | several of these |
///
/// `#[derive(SystemParam)]` makes one of a struct, named or tuple, whose fields are parameters. Its
/// lifetimes are `'w` for what borrows the world and `'s` for what the system keeps; either may be
/// left out. It may have type parameters and constants; one that no field has stands in a
/// `PhantomData`. Fields conflict as parameters of a function do, and a struct may be more public
/// than the types in its fields. A crate that forbids `unsafe_code` may derive it.
///
/// ```
/// use orrery_ecs::{Component, Local, Query, Res, Resource, SystemParam, World};
/// #[derive(Clone, Copy, Component)]
/// struct Mass(f64);
/// #[derive(Clone, Resource)]
/// struct Unit(f64);
/// #[derive(SystemParam)]
/// struct Scales<'w, 's> {
///     masses: Query<'w, 's, &'static Mass>,
///     unit: Res<'w, Unit>,
/// }
/// let mut world = World::new();
/// world.insert_resource(Unit(2.0));
/// world.spawn(Mass(3.0));
/// let weigh = |all: Scales| all.masses.iter().map(|mass| mass.0 * all.unit.0).sum::<f64>();
/// assert_eq!(world.run_system_once(weigh), Ok(6.0));
/// ```
///
/// # Safety
/// `get` touches only what `init` claimed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of a system",
    label = "not a system parameter",
    note = "systems take Query, Single, Res, ResMut, Option of these, Local, Commands, ParamSet, \
            RemovedComponents, Related, NonSend, NonSendMut, &World, tuples of these, and \
            structs with `#[derive(SystemParam)]`"
)]
pub unsafe trait SystemParam {
    /// Kept between runs. Not `'static`, so that a set's queries may have any lifetime where the
    /// set is used; who keeps a state asks for it.
    #[doc(hidden)]
    type State: Send;
    /// The parameter with the lifetimes of one run.
    type Item<'w, 's>;
    /// Whether it may be used on any thread.
    #[doc(hidden)]
    const SEND: bool = true;
    /// Whether it can see what commands do.
    #[doc(hidden)]
    const SEES: bool = true;
    /// Whether `apply` and `discard` have something to do.
    #[doc(hidden)]
    const DEFERS: bool = true;
    /// Whether `release` has something to put back.
    #[doc(hidden)]
    const HOLDS: bool = true;
    /// Whether it is of the world at all; else a run of it needs no change tick of its own.
    #[doc(hidden)]
    const TOUCHES: bool = true;

    #[doc(hidden)]
    fn init(world: &mut World, meta: &mut SystemMeta) -> Result<Self::State, AccessConflict>;
    #[doc(hidden)]
    fn attach(_: &mut Self::State, _: &mut World, _: SystemId) {}
    #[doc(hidden)]
    fn validate(_: &mut Self::State, _: &World, _: Run) -> Result<(), ParamError> {
        Ok(())
    }
    #[doc(hidden)]
    fn prepare(_: &mut Self::State, _: &mut World, _: Run) {}
    /// # Safety
    /// `prepare` was called for this world, which is unchanged since; no two parameters of the
    /// system conflict, and nobody else uses what they touch for `'w`.
    #[doc(hidden)]
    unsafe fn get<'w, 's>(
        state: &'s mut Self::State,
        world: &'w World,
        ticks: Ticks,
    ) -> Self::Item<'w, 's>;
    #[doc(hidden)]
    fn release(_: &mut Self::State, _: &mut World, _: Run) {}
    /// Hands over what was taken of lanes, when `Run` gave one.
    #[doc(hidden)]
    fn take_lanes(_: &mut Self::State, _: &mut TakenLanes) {}
    #[doc(hidden)]
    fn apply(_: &mut Self::State, _: &mut World) {}
    #[doc(hidden)]
    fn discard(_: &mut Self::State) {}
}

/// One of the blocks that a chunk system visits.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct BlockOf {
    pub(crate) index: usize,
    pub(crate) count: usize,
}

/// A parameter that a chunk system may use on several threads at once: [`Res`](crate::Res) and
/// [`Commands`](crate::Commands).
///
/// # Safety
/// What `share` gives for two blocks may be used at the same time.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot stand beside the `Chunk` of a system",
    label = "not shared by the blocks",
    note = "the blocks of a chunk system may run at the same time, so beside the chunk it takes \
            only `Res`, `Option<Res<..>>`, `Commands` and tuples of them",
    note = "for anything else take a `Query` instead of the `Chunk`, and visit it by \
            `for_each_chunk`"
)]
pub unsafe trait SharedParam: SystemParam {
    /// The parameter for one block.
    ///
    /// # Safety
    /// It is asked for once for each block of a run, and used only until that ends.
    #[doc(hidden)]
    unsafe fn share<'w, 's>(item: &Self::Item<'w, 's>, block: BlockOf) -> Self::Item<'w, 's>;
}
